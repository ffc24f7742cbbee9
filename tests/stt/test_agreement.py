"""Which words of a partial transcript stay."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appliance.stt.agreement import Agreement, Partial

TEXTS = st.lists(st.lists(st.sampled_from(["i", "can", "pay", "two"]), max_size=5).map(" ".join))


def test_first_hypothesis_is_not_stable() -> None:
    assert Agreement().add("i can") == Partial("", "i can")


@pytest.mark.parametrize(
    ("hypotheses", "stable", "rest"),
    [
        (["i can pay to", "i can pay two hundred"], "i can pay", "two hundred"),
        (["i can pay to", "i can pay two", "i can pay two hundred"], "i can pay two", "hundred"),
        (["i can", "i can", "you can pay"], "i can", "pay"),
        (["i can", "i can", ""], "i can", ""),
        (["yes", "no"], "", "no"),
        (["", ""], "", ""),
    ],
)
def test_what_two_in_a_row_share_is_stable(hypotheses: list[str], stable: str, rest: str) -> None:
    agreement = Agreement()
    for each in hypotheses:
        partial = agreement.add(each)
    assert partial == Partial(stable, rest)


def test_text_is_all_of_it() -> None:
    assert Partial("i can", "pay").text == "i can pay"
    assert Partial("", "pay").text == "pay"
    assert Partial("i can", "").text == "i can"


@given(TEXTS)
def test_stable_words_only_grow(texts: list[str]) -> None:
    agreement, before = Agreement(), ""
    for text in texts:
        partial = agreement.add(text)
        assert partial.stable.startswith(before)
        before = partial.stable

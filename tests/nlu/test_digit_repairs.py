"""How runs of digits and what takes them back become one number."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appliance.nlu.digit_repairs import Mark, Piece, Run, put_together

DENIAL, SORRY, RESTART = Mark("denial"), Mark("correction"), Mark("restart")
NO, LAST = Mark("doubt"), Mark("place", -1)


@pytest.mark.parametrize(
    ("before", "pieces", "digits"),
    [
        ("", [Run("902"), Run("10")], "90210"),
        ("", [Run("902"), SORRY, Run("10")], "90210"),
        ("", [Run("90215"), SORRY, Run("0")], "90210"),
        ("", [Run("903"), SORRY, Run("2")], "902"),
        ("", [Run("90215"), LAST, Run("0")], "90210"),
        ("", [Run("902"), RESTART, Run("60614")], "60614"),
        ("", [Run("902"), RESTART], ""),
        ("902", [Run("10")], "90210"),
        ("902", [Run("9021")], "9021"),
        ("902", [Run("60614")], "60614"),
        ("902", [], ""),
        ("902", [SORRY], ""),
        ("90219", [Run("5"), DENIAL, Run("9")], "90215"),
        ("90219", [DENIAL, Run("9"), Run("5")], "90215"),
        ("90219", [DENIAL, Run("95")], "90215"),
        ("90219", [Run("5"), NO, Run("9")], "90215"),  # the nine was said: not meant
        ("80215", [Run("5"), NO, Run("9")], "9"),  # it was not: a correction
        ("", [Run("90210"), DENIAL, Run("5")], "90210"),
        ("0210", [Mark("place", 0), Run("9")], "90210"),
    ],
)
def test_zip(before: str, pieces: list[Piece], digits: str) -> None:
    assert put_together(pieces, length=5, before=before) == digits


@pytest.mark.parametrize(
    ("before", "pieces", "digits"),
    [
        ("", [Run("2"), Run("44712290")], "44712290"),
        ("4471", [Run("2290")], "44712290"),
        ("4471", [SORRY, Run("5")], "4475"),
        ("4471", [Run("44712290")], "44712290"),
    ],
)
def test_a_number_of_unknown_length(before: str, pieces: list[Piece], digits: str) -> None:
    assert put_together(pieces, length=None, before=before) == digits


runs = st.builds(Run, st.text("0123456789", min_size=1, max_size=6))
marks = st.sampled_from([DENIAL, SORRY, RESTART, NO, LAST, Mark("place", 2)])


@given(st.lists(runs | marks, max_size=6), st.text("0123456789", max_size=5))
def test_whatever_is_said_comes_of_what_was_said(pieces: list[Piece], before: str) -> None:
    digits = put_together(pieces, length=5, before=before)
    said = before + "".join(piece.digits for piece in pieces if isinstance(piece, Run))
    assert all(digits.count(each) <= said.count(each) for each in set(digits))


@given(st.text("0123456789", min_size=5, max_size=5), st.lists(runs | marks, max_size=4))
def test_a_whole_number_at_the_end_counts(zip_code: str, pieces: list[Piece]) -> None:
    assert put_together([*pieces, RESTART, Run(zip_code)], length=5) == zip_code

import pytest

from appliance.tts.sentences import fixed_sentences, split_sentences


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("", []),
        ("Hello.", ["Hello."]),
        ("Hello. Is this Maria?  Thank you!", ["Hello.", "Is this Maria?", "Thank you!"]),
        ("Mr. Jones lives at St. Mary's. Really.", ["Mr. Jones lives at St. Mary's.", "Really."]),
        ("It is 5 p.m. now. 7 days.", ["It is 5 p.m. now.", "7 days."]),
        ("I'll pay $1.50 then.", ["I'll pay $1.50 then."]),
    ],
)
def test_sentences(text: str, sentences: list[str]) -> None:
    assert split_sentences(text) == sentences


def test_nothing_is_lost() -> None:
    text = "Thank you. I've noted your payment of [amount] for [date]. Goodbye."
    assert " ".join(split_sentences(text)) == text


def test_fixed_sentences_have_no_variable() -> None:
    text = "Thank you. I've noted [amount]. [name], goodbye. Bye."
    assert fixed_sentences(text) == ["Thank you.", "Bye."]

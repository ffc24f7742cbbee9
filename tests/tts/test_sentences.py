from collections.abc import Iterable

import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

from appliance.dialogue.markup import Piece, parse, plain
from appliance.tts.sentences import fixed_sentences, split_sentences

PARTS = [
    "Hello. ", "You? ", "and ", "Bye.", " ", '<break time="1s"/>', "R&amp;B ", "Mr. X. ",
    '<prosody rate="slow">One. Two', '<prosody rate="slow">. Ab. ', "</prosody> ", "</prosody>",
    '<sub alias="Mister. You">Mr. U</sub>', '<slot name="x">A. B</slot>', '<slot name="y"/>',
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("", []),
        ("Hello.", ["Hello."]),
        ("Hello. Is this Maria?  Thank you!", ["Hello.", "Is this Maria?", "Thank you!"]),
        ("Mr. Jones lives at St. Mary's. Really.", ["Mr. Jones lives at St. Mary's.", "Really."]),
        ("It is 5 p.m. now. 7 days.", ["It is 5 p.m. now.", "7 days."]),
        ("I'll pay $1.50 then.", ["I'll pay $1.50 then."]),
        (
            '<prosody rate="slow">One. Two.</prosody> Three.',
            [
                '<prosody rate="slow">One.</prosody>',
                '<prosody rate="slow">Two.</prosody>',
                "Three.",
            ],
        ),
        ('Hi.<break time="1s"/> You.', ['Hi.<break time="1s"/>', "You."]),
        ('Hi. <break time="1s"/> You.', ['Hi.<break time="1s"/>', "You."]),
        (
            'At <sub alias="one North">1 N. Main St., Apt B.</sub> I am. Bye.',
            ['At <sub alias="one North">1 N. Main St., Apt B.</sub> I am.', "Bye."],
        ),
        ('<sub alias="Hey you.">Hey U.</sub> Bye.', ['<sub alias="Hey you.">Hey U.</sub>', "Bye."]),
        (
            'I am <slot name="x">Bob. Al</slot>. <slot name="y"/> too?',
            [
                'I am <slot name="x">Bob. Al</slot>.',
                '<slot name="y"/> too?',
            ],
        ),
        ("Fish &amp; Co. Really &lt;3.", ["Fish &amp; Co.", "Really &lt;3."]),
    ],
)
def test_sentences(text: str, sentences: list[str]) -> None:
    assert split_sentences(text) == sentences


def test_nothing_is_lost() -> None:
    text = "Thank you. I've noted your payment of [amount] for [date]. Goodbye."
    assert " ".join(split_sentences(text)) == text


def test_fixed_sentences_have_no_variable() -> None:
    text = 'Thank you. I noted <slot name="a"/>. <slot name="b"/>, goodbye. Bye [sir].'
    assert fixed_sentences(text) == ["Thank you.", "Bye [sir]."]


@given(st.lists(st.sampled_from(PARTS), max_size=12).map("".join))
def test_every_sentence_is_a_marked_text_and_nothing_is_lost(text: str) -> None:
    try:
        parse(text)
    except ValueError:
        reject()
    sentences = split_sentences(text)
    assert " ".join(" ".join(map(plain, sentences)).split()) == " ".join(plain(text).split())
    before, after = parse(text), [piece for each in sentences for piece in parse(each)]
    assert [p.pause_ms for p in after if p.pause_ms] == [p.pause_ms for p in before if p.pause_ms]
    for rate in (1.0, 0.8):
        assert _letters(after, rate) == _letters(before, rate)


def _letters(pieces: Iterable[Piece], rate: float) -> str:
    return "".join("".join(piece.text for piece in pieces if piece.rate == rate).split())

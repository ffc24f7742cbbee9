"""Sentences and chunks: nothing is lost, nothing is cut in the middle."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appliance.knowledge.chunks import MOST_SENTENCES, MOST_WORDS, Chunk, chunk
from appliance.knowledge.outline import Document, Outline, Section, UnreadableError, clean
from appliance.knowledge.sentences import split_sentences


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]),
        ("Ask Dr. Smith. He knows.", ["Ask Dr. Smith.", "He knows."]),
        ("It costs 3.50 dollars. 20 people paid.", ["It costs 3.50 dollars.", "20 people paid."]),
        ("We are open from 8 a.m. to noon.", ["We are open from 8 a.m. to noon."]),
        ('He said "Stop." Then he left.', ['He said "Stop."', "Then he left."]),
        ("J. R. Smith signs. Wait… Done.", ["J. R. Smith signs.", "Wait…", "Done."]),
        ("Bring an ID, e.g. A passport.", ["Bring an ID, e.g. A passport."]),
        ("1. Sign it. 2. Send it.", ["1. Sign it.", "2. Send it."]),
        ("the end. small letters go on.", ["the end. small letters go on."]),
        ("", []),
    ],
)
def test_sentences(text: str, sentences: list[str]) -> None:
    assert split_sentences(text) == sentences


_WORD = st.sampled_from(
    ["We", "pay", "Dr.", "3.50", "U.S.", "e.g.", "(Yes.)", '"No!"', "why?", "A.", "é", "1."]
)  # fmt: skip
_TEXT = st.lists(_WORD, max_size=60).map(" ".join)
_SENTENCES = st.lists(st.lists(st.just("word"), min_size=1, max_size=120).map(" ".join), min_size=1)


@given(_TEXT)
def test_joined_sentences_are_the_text_again(text: str) -> None:
    assert " ".join(split_sentences(text)) == text


@given(st.text(max_size=300))
def test_any_text_is_kept_letter_for_letter(text: str) -> None:
    plain = clean(text)
    assert " ".join(split_sentences(plain)) == plain


@given(st.lists(_SENTENCES, min_size=1, max_size=5))
def test_every_sentence_is_in_one_chunk_whole_and_in_order(texts: list[list[str]]) -> None:
    sections = tuple(
        Section(
            (f"h{number}",), tuple(f"{text} {number}-{place}." for place, text in enumerate(each))
        )
        for number, each in enumerate(texts)
    )
    chunks = chunk(Document("t", sections))
    for section in sections:
        of_it = [each for each in chunks if each.headings == section.headings]
        assert tuple(sentence for each in of_it for sentence in each.sentences) == section.sentences
    assert sum(len(each.sentences) for each in chunks) == sum(map(len, texts))
    for each in chunks:
        assert 1 <= len(each.sentences) <= MOST_SENTENCES
        assert len(each.sentences) == 1 or len(each.text.split()) <= MOST_WORDS


def test_parts_are_about_equally_long() -> None:
    document = Document("t", (Section(("a", "b"), tuple(f"S{n}." for n in range(6))),))
    first, second = chunk(document)
    assert first == Chunk(("a", "b"), ("S0.", "S1.", "S2."))
    assert (first.heading, first.text) == ("a > b", "S0. S1. S2.")
    assert second.sentences == ("S3.", "S4.", "S5.")


@given(st.lists(st.tuples(st.integers(0, 6), st.text(max_size=40)), max_size=20))
def test_an_outline_keeps_every_block(blocks: list[tuple[int, str]]) -> None:
    outline = Outline()
    wanted = []
    for level, text in blocks:
        if level:
            outline.heading(level, text)
        else:
            outline.block(text)
            if any(each.isalnum() for each in clean(text)):
                wanted.append(clean(text))
    if not wanted:
        with pytest.raises(UnreadableError):
            outline.document("t")
        return
    said = " ".join(s for part in outline.document("t").sections for s in part.sentences)
    for text in wanted:
        assert text in said

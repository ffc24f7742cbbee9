"""Where a prompt was cut off, in words, and whether what counts of it was heard."""

from pathlib import Path

import pytest

from appliance.dialogue.events import CallStarted, NoInput, ToolDone
from appliance.dialogue.markup import around_slot, escape
from appliance.dialogue.turn import Prompt, Segment
from appliance.session.heard import HeardPart, Script, Unheard
from appliance.session.playout import Said, Stretch
from appliance.session.rendering import sentences_of
from appliance.testing.engines import ToneVoice
from appliance.tts.cache import PromptCache
from appliance.tts.voices import Voices

SUM = Segment("one hundred dollars", "sum", around_slot("sum", escape("one hundred dollars")))
TERMS = Prompt(
    "terms", "So you'll pay one hundred dollars today. Is that right?",
    (Segment("So you'll pay "), SUM, Segment(" today. Is that right?")), must_hear=True,
)  # fmt: skip


@pytest.fixture
def voices(tmp_path: Path) -> Voices:
    return Voices(PromptCache(ToneVoice(), tmp_path), None, 10.0)


def _hear(voices: Voices, *stretches: Stretch, prompt: Prompt = TERMS) -> HeardPart:
    script = Script()
    saying = script.begin(prompt, sentences_of(prompt, voices))
    cut = any(each.heard_ms < each.total_ms for each in stretches) or len(stretches) < 2
    return script.hear(Said(prompt.id, 0, 0, cut, saying, stretches))


def test_all_of_it(voices: Voices) -> None:
    part = _hear(voices, Stretch(0, 4000, 4000, True), Stretch(1, 900, 900, True))
    assert part == HeardPart("terms", "So you'll pay [sum] today. Is that right?", "", True, True)


def test_cut_off_before_the_value(voices: Voices) -> None:
    part = _hear(voices, Stretch(0, 1000, 4000, True))
    assert part == HeardPart("terms", "So you'll", "pay [sum] today. Is that right?", True, False)


def test_a_value_counts_as_long_as_it_takes_to_say(voices: Voices) -> None:
    part = _hear(voices, Stretch(0, 3000, 4000, True))
    assert part.words == "So you'll pay"
    assert _hear(voices, Stretch(0, 3400, 4000, True)).words == "So you'll pay [sum]"


def test_the_closing_question_alone_need_not_be_heard(voices: Voices) -> None:
    part = _hear(voices, Stretch(0, 4000, 4000, True), Stretch(1, 100, 900, True))
    assert (part.cut, part.whole) == ("Is that right?", True)


def test_the_fall_of_a_voice_need_not_be_heard(voices: Voices) -> None:
    assert _hear(voices, Stretch(0, 3800, 4000, True)).whole
    assert not _hear(voices, Stretch(0, 3780, 4000, True)).whole


def test_a_sentence_that_was_not_all_rendered_was_not_all_heard(voices: Voices) -> None:
    part = _hear(voices, Stretch(0, 1000, 1000, False))
    assert part.cut.startswith("today.")
    assert not part.whole


def test_a_question_that_is_the_whole_prompt_must_be_heard(voices: Voices) -> None:
    asked = Prompt("terms", "Is that right?", (Segment("Is that right?"),), must_hear=True)
    assert not _hear(voices, Stretch(0, 100, 900, True), prompt=asked).whole


def test_what_was_never_begun(voices: Voices) -> None:
    part = _hear(voices)
    assert (part.words, part.whole) == ("", False)


def test_two_stretches_make_a_whole(voices: Voices) -> None:
    script = Script()
    prompt = Prompt("notice", "One. Two. Three.", (Segment("One. Two. Three."),), must_hear=True)
    saying = script.begin(prompt, sentences_of(prompt, voices))
    whole, half = Stretch(0, 900, 900, True), Stretch(1, 300, 900, True)
    first = script.hear(Said("notice", 0, 0, True, saying, (whole, half)))
    assert first == HeardPart("notice", "One.", "Two. Three.", True, False)
    assert script.cut == [(saying, 1)]
    again = script.go_on(*script.cut.pop())
    assert [each.speech for each in again] == ["Two.", "Three."]
    rest = Stretch(1, 900, 900, True), Stretch(2, 900, 900, True)
    assert script.hear(Said("notice", 0, 0, False, saying, rest)) == HeardPart(
        "notice", "Two. Three.", "", True, True
    )


def test_what_is_owed_is_told_until_it_was_heard() -> None:
    owed = Unheard()
    owed.say((TERMS,))
    assert owed.tell(NoInput(), ("terms",)).unheard == ("terms",)
    assert owed.tell(ToolDone("note", "done"), ("terms",)).unheard == ()  # it goes on
    assert owed.tell(ToolDone("note", "done"), ()).unheard == ("terms",)
    assert owed.tell(CallStarted(), ()).unheard == ()
    owed.heard(HeardPart("terms", "", "", True, whole=False))
    assert owed.tell(NoInput(), ()).unheard == ("terms",)
    owed.heard(HeardPart("terms", "", "", True, whole=True))
    assert owed.tell(NoInput(), ()) == NoInput()

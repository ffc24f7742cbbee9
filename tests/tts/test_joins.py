"""A head that is being played goes over into its sentence, and nothing is heard of it."""

from itertools import pairwise

import numpy as np
import pytest

from appliance.audio.level import Samples, active_level_dbm0, apply_gain, to_float, to_pcm
from appliance.testing.engines import ToneVoice
from appliance.tts.joins import Continuation, cut_head, playable
from appliance.tts.voice import Phone, Spoken
from appliance.types import LINE_RATE_HZ

HEAD = "Your balance is "
SENTENCE = HEAD + "fifty dollars."
MS = LINE_RATE_HZ // 1000


@pytest.fixture
def voice() -> ToneVoice:
    return ToneVoice()


def head_of(voice: ToneVoice) -> Spoken:
    head = cut_head(voice.timed(HEAD + "nine dollars."), voice.timed(HEAD + "three dollars."))
    assert head is not None
    return head


def roughness(samples: Samples) -> float:
    """The largest step between neighbouring steps: what is heard as a click."""
    return float(np.abs(np.diff(samples, 2)).max())


def later(spoken: Spoken, ms: int, gain_db: float = 0.0) -> Spoken:
    """The same, with its first phone longer and another level."""
    samples = to_float(spoken.pcm)
    first = Phone(spoken.phones[0].symbol, spoken.phones[0].samples + ms * MS)
    longer = np.concatenate([samples[: ms * MS], samples])
    return Spoken(to_pcm(apply_gain(longer, gain_db)), (first, *spoken.phones[1:]))


def slower(spoken: Spoken, symbol: str, ms: int) -> Spoken:
    """The same, with the first phone of this kind longer."""
    at = [phone.symbol for phone in spoken.phones].index(symbol)
    start = sum(phone.samples for phone in spoken.phones[:at])
    pcm = spoken.pcm[: 2 * start] + bytes(2 * ms * MS) + spoken.pcm[2 * start :]
    longer = Phone(symbol, spoken.phones[at].samples + ms * MS)
    return Spoken(pcm, (*spoken.phones[:at], longer, *spoken.phones[at + 1 :]))


def test_the_head_is_what_both_have_in_common(voice: ToneVoice) -> None:
    head = head_of(voice)
    assert "".join(phone.symbol for phone in head.phones) == HEAD
    assert head.pcm == voice.synthesize(HEAD + "nine.")[: len(head.pcm)]


def test_the_head_ends_at_a_border_of_words(voice: ToneVoice) -> None:
    head = cut_head(voice.timed(HEAD + "ten dollars."), voice.timed(HEAD + "two dollars."))
    assert head is not None
    assert "".join(phone.symbol for phone in head.phones) == HEAD  # and no "t"


@pytest.mark.parametrize("texts", [("It: a", "It: b"), ("One.", "Two."), ("", "")])
def test_a_short_head_is_none(voice: ToneVoice, texts: tuple[str, str]) -> None:
    assert cut_head(*(voice.timed(text) for text in texts)) is None


def test_without_timings_there_is_no_head() -> None:
    voice = ToneVoice(timings=False)
    assert cut_head(voice.timed(HEAD + "nine."), voice.timed(HEAD + "ten.")) is None


@pytest.mark.parametrize("played_ms", range(0, 900, 20))
def test_wherever_it_is_joined_the_sentence_is_what_is_heard(
    voice: ToneVoice, played_ms: int
) -> None:
    head, played = head_of(voice), played_ms * MS
    rest = Continuation(head, voice.timed(SENTENCE)).after(played)
    heard = np.concatenate([to_float(head.pcm)[:played], to_float(rest)])
    wanted = to_float(voice.synthesize(SENTENCE))
    assert len(heard) == len(wanted)
    assert np.abs(heard - wanted).max() < 0.01


@pytest.mark.parametrize("later_ms", [-30, -7, 13, 40])
@pytest.mark.parametrize("gain_db", [-2.5, 0.0, 2.0])
def test_other_timing_and_level_make_no_click(
    voice: ToneVoice, later_ms: int, gain_db: float
) -> None:
    head, sentence = head_of(voice), voice.timed(SENTENCE)
    other = later(sentence, later_ms, gain_db) if later_ms > 0 else sentence
    head = head if later_ms > 0 else later(head, -later_ms, gain_db)
    rest = Continuation(head, other).after(200 * MS)
    heard = np.concatenate([to_float(head.pcm)[: 200 * MS], to_float(rest)])
    assert roughness(heard) < 1.1 * roughness(to_float(head.pcm))
    start, end = heard[: 400 * MS], heard[-400 * MS :]
    assert active_level_dbm0(start) == pytest.approx(active_level_dbm0(end), abs=0.3)


def test_seams_are_in_order_and_within_the_head(voice: ToneVoice) -> None:
    head = head_of(voice)
    seams = Continuation(head, voice.timed(SENTENCE)).seams
    assert all(one.head_at < other.head_at for one, other in pairwise(seams))
    assert seams[0].head_at > 0
    assert seams[-1].head_at < len(head.pcm) // 2


def test_a_head_that_was_played_to_its_end_is_followed_by_the_rest(voice: ToneVoice) -> None:
    head = head_of(voice)
    rest = Continuation(head, voice.timed(SENTENCE)).after(len(head.pcm) // 2)
    assert len(rest) == len(voice.synthesize(SENTENCE)) - len(head.pcm)
    assert abs(to_float(rest)[0]) < 0.01  # it rises from silence, as the head ended in it
    assert abs(to_float(playable(head))[-1]) < 0.01


def test_of_the_word_after_a_head_nothing_sounds_in_its_end(voice: ToneVoice) -> None:
    """A voice begins to form the next sound before its time: some 10 ms of it."""
    head = head_of(voice)
    own, played = to_float(head.pcm), to_float(playable(head))
    assert np.array_equal(own[: -15 * MS], played[: -15 * MS])
    power = [float(np.mean(samples[-10 * MS :] ** 2)) for samples in (own, played)]
    assert power[1] < power[0] / 4


def test_a_word_that_is_said_otherwise_before_the_slot(voice: ToneVoice) -> None:
    """The head says "thuh", the sentence "thee": it is joined before, or at the word border."""
    head = cut_head(voice.timed("This is tha nine."), voice.timed("This is tha ten."))
    assert head is not None
    sentence = voice.timed("This is thi eight.")
    late = Continuation(head, sentence).after(len(head.pcm) // 2)
    assert len(late) == len(voice.synthesize("eight."))
    early = Continuation(head, sentence).after(100 * MS)
    assert len(early) // 2 + 100 * MS == len(sentence.pcm) // 2


def test_a_small_word_that_is_said_slower_is_not_said_twice(voice: ToneVoice) -> None:
    """The word border before it may be nearer in time; what counts is which word was said."""
    head = cut_head(voice.timed("Call us ad nine."), voice.timed("Call us ad ten."))
    assert head is not None
    sentence = slower(voice.timed("Call us at eight."), "t", 400)
    rest = Continuation(head, sentence).after(len(head.pcm) // 2)
    assert len(rest) == len(voice.synthesize("eight."))


def test_a_small_word_that_becomes_one_with_the_slot_costs_no_word(voice: ToneVoice) -> None:
    head = cut_head(voice.timed("Is this for nine?"), voice.timed("Is this for ten?"))
    assert head is not None
    rest = Continuation(head, voice.timed("Is this fothe house?")).after(len(head.pcm) // 2)
    assert len(rest) == len(voice.synthesize("the house?"))


def test_a_sentence_that_begins_otherwise_follows_at_a_word_border(voice: ToneVoice) -> None:
    rest = Continuation(head_of(voice), voice.timed("My own balance is ten.")).after(100 * MS)
    assert len(rest) > 0


def test_silence_and_no_phones_are_no_error(voice: ToneVoice) -> None:
    silent = Spoken(bytes(2 * 4000), (Phone("a", 3900), Phone(" ", 100)))
    assert Continuation(silent, silent).after(0) == silent.pcm
    assert Continuation(silent, Spoken(b"")).after(4000) == b""

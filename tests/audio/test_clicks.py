"""The detector on the shipped voice: all steps are found, and in speech without them none."""

from functools import cache
from itertools import chain

import numpy as np
import pytest

from appliance.audio.clicks import clicks_at, find_clicks
from appliance.audio.level import Samples, to_float, to_pcm
from appliance.config import SpeakingConfig
from appliance.flows.registry import read_flow, shipped_flows
from appliance.testing.served import ROOT
from appliance.tts.casting import Cast
from appliance.tts.piper import PiperSpeaker
from appliance.tts.sentences import fixed_sentences

QUIET = 0.003  # RMS below which nobody speaks
LEAST = 64 / 32768


@cache
def speaker() -> PiperSpeaker:
    voice = ROOT / "models/voice/en/kathleen.onnx"
    return PiperSpeaker(SpeakingConfig(voices={}), Cast("speaking.models.en", voice, "en"))


@cache
def rendered(sentence: str) -> Samples:
    return to_float(speaker().synthesize(sentence))


@cache
def prompts() -> tuple[str, ...]:
    """What the shipped flows say, in an order that mixes them."""
    flows = [read_flow(name) for name in shipped_flows()]
    texts = chain.from_iterable(
        template.speeches for flow in flows for template in flow.templates["en"].values()
    )
    sentences = {each for text in texts for each in fixed_sentences(text)}
    return tuple(np.random.default_rng(8).permutation(sorted(sentences)).tolist())


def largest_difference(samples: Samples, at: int) -> float:
    """Of neighbouring samples within 10 ms: what a step has to stand out from."""
    return float(np.abs(np.diff(samples[max(0, at - 80) : at + 80])).max())


def in_pcm(samples: Samples) -> Samples:
    return to_float(to_pcm(samples))


def stepped(samples: Samples, at: int, height: float) -> Samples:
    """The wave jumps and creeps back within some 10 ms."""
    jump = np.zeros(len(samples))
    jump[at:] = height * np.exp(-np.arange(len(samples) - at) / 80)
    return in_pcm((samples + jump).astype(np.float32))


def places(
    samples: Samples, random: np.random.Generator, *, quiet: bool, most: int = 5
) -> list[int]:
    """Some places in speech or in pauses."""
    inner = range(400, len(samples) - 400, 40)
    fit = [
        at
        for at in inner
        if bool(np.sqrt(np.mean(samples[at - 80 : at + 80] ** 2.0)) < QUIET) == quiet
    ]
    return [int(each) for each in random.permutation(fit)[:most]]


@pytest.mark.parametrize("quiet", [False, True])
def test_no_step_of_6_db_above_what_is_around_is_missed(quiet: bool) -> None:
    random, tried = np.random.default_rng(1), 0
    for sentence in prompts()[:30]:
        samples = rendered(sentence)
        for at in places(samples, random, quiet=quiet):
            height = max(2 * largest_difference(samples, at), LEAST) * random.choice([-1, 1])
            assert clicks_at(stepped(samples, at, height), [at]) == (at,), (sentence, at, height)
            tried += 1
    assert tried >= 40, tried


def test_words_cut_together_hard_are_heard() -> None:
    random, tried = np.random.default_rng(2), 0
    while tried < 60:
        first, second = (rendered(prompts()[each]) for each in random.integers(0, 30, 2))
        leave = int(random.integers(400, len(first) - 400))
        enter = int(random.integers(400, len(second) - 400))
        around = max(largest_difference(first[:leave], leave - 80), LEAST / 2)
        around = max(around, largest_difference(second[enter:], 80))
        if abs(second[enter] - first[leave - 1]) < 2 * around:
            continue  # by chance they fit
        joined = np.concatenate([first[:leave], second[enter:]])
        assert clicks_at(joined, [leave]) == (leave,)
        tried += 1


def test_a_lost_packet_is_heard_at_the_edge_that_is_a_step() -> None:
    random, tried = np.random.default_rng(3), 0
    for sentence in prompts()[:30]:
        samples = rendered(sentence).copy()
        for at in places(samples, random, quiet=False, most=60):
            around = 2 * max(largest_difference(samples, at), LEAST / 2)
            if abs(samples[at]) < around or abs(samples[at + 160]) > abs(samples[at]):
                continue
            lost = samples.copy()
            lost[at : at + 160] = 0
            assert clicks_at(lost, [at]) == (at,)
            tried += 1
    assert tried >= 8


def test_a_sound_that_begins_or_ends_at_once_is_heard() -> None:
    hum = (0.1 * np.cos(np.arange(800) * 0.3)).astype(np.float32)
    assert find_clicks(hum) == (0, 799)
    assert find_clicks(np.zeros(0, np.float32)) == ()
    assert find_clicks(np.zeros(9, np.float32)) == ()


def test_speech_has_none() -> None:
    assert {each: find_clicks(rendered(each)) for each in prompts()[:40]} == dict.fromkeys(
        prompts()[:40], ()
    )


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_200_prompts_have_none() -> None:
    assert len(prompts()) >= 200
    assert [each for each in prompts()[:200] if find_clicks(rendered(each))] == []


def test_a_join_without_a_click_is_left_out() -> None:
    samples = rendered(prompts()[0])
    at = places(samples, np.random.default_rng(4), quiet=False)[0]
    assert clicks_at(stepped(samples, at, 0.5), [at - 300, at, at + 300]) == (at,)

"""Echoes of our own voice: none is speech, and a caller who talks over one is heard."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from appliance.audio.channel import set_level, set_rms
from appliance.audio.codecs import round_trip
from appliance.audio.echo import EchoCanceller, Heard
from appliance.audio.endpointing import Endpointer, Patience
from appliance.audio.level import to_float, to_pcm
from appliance.audio.vad import VoiceDetector
from appliance.testing.echoes import response
from appliance.testing.speech import CallerVoice
from appliance.types import FRAME_BYTES, FRAME_MS, AudioFrame, SpeechStarted

Samples = NDArray[np.float32]
RATE_HZ = 8000
LEVEL_DBFS = -26.0  # -20 dBm0
NOISE_DBFS = -70.0


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> Samples:
    """A prompt of some twelve seconds, with quiet around."""
    voice = CallerVoice(tmp_path_factory.mktemp("ours"), "rms")
    said = voice.speak(
        "hello this is the appliance, i am an automated assistant, and i am calling about your "
        "account. before we go on i need to verify that i am speaking with the right person. "
        "could you please tell me the five digit zip code of your home address"
    )
    speech = set_level(to_float(said.samples.tobytes()), LEVEL_DBFS)
    return np.pad(speech, (RATE_HZ // 5, RATE_HZ))


@pytest.fixture(scope="module")
def caller(tmp_path_factory: pytest.TempPathFactory) -> Samples:
    said = CallerVoice(tmp_path_factory.mktemp("caller")).speak("please stop calling me")
    return set_level(to_float(said.samples.tobytes()), LEVEL_DBFS)


def echo(ours: Samples, delay_ms: float, loss_db: float, seed: int = 1) -> Samples:
    """What comes back by a hybrid: coded on the way out, filtered, late, weaker."""
    heard = round_trip(ours, "pcmu")
    back = np.convolve(heard, response(seed))[: len(ours)]
    late = int(delay_ms * RATE_HZ / 1000)
    shifted = np.pad(back, (late, 0))[: len(ours)]
    return np.asarray(shifted * 10 ** (-loss_db / 20), np.float32)


def line(*sounds: Samples) -> bytes:
    """Their sum with the line's noise, coded."""
    rng = np.random.default_rng(3)
    noise = set_rms(rng.standard_normal(len(sounds[0])).astype(np.float32), NOISE_DBFS)
    return to_pcm(round_trip(np.sum([noise, *sounds], axis=0, dtype=np.float32), "pcmu"))


def frames(pcm: bytes) -> list[bytes]:
    return [pcm[at : at + FRAME_BYTES] for at in range(0, len(pcm) - FRAME_BYTES + 1, FRAME_BYTES)]


def cancelled(near: bytes, ours: Samples, canceller: EchoCanceller | None = None) -> list[Heard]:
    canceller = canceller or EchoCanceller()
    far = [frame if any(frame) else b"" for frame in frames(to_pcm(ours))]
    return [canceller.push(*pair) for pair in zip(frames(near), far, strict=True)]


def starts_ms(heard: list[Heard], start_ms: int = 100) -> list[int]:
    """When a caller is taken to have begun to speak."""
    detector = VoiceDetector(2)
    endpointer = Endpointer(detector.is_speech, Patience(start_ms=start_ms))
    return [
        number * FRAME_MS
        for number, frame in enumerate(heard)
        for event in endpointer.push(AudioFrame(frame.pcm, number, frame.echo))
        if isinstance(event, SpeechStarted)
    ]


def uncancelled(near: bytes) -> list[Heard]:
    return [Heard(frame, echo=False) for frame in frames(near)]


def over(ours: Samples, caller: Samples, at_ms: int) -> Samples:
    return np.pad(caller, (at_ms * RATE_HZ // 1000, len(ours)))[: len(ours)]


def test_without_our_voice_nothing_is_changed(ours: Samples, caller: Samples) -> None:
    near = line(over(ours, caller, 1000))
    heard = cancelled(near, np.zeros_like(ours))
    assert b"".join(frame.pcm for frame in heard) == near[: len(heard) * FRAME_BYTES]
    assert not any(frame.echo for frame in heard)


@pytest.mark.parametrize("loss_db", [10, 20, 30, 40])
@pytest.mark.parametrize("delay_ms", [20, 95, 210, 400])
def test_echo_is_no_speech(ours: Samples, delay_ms: int, loss_db: int) -> None:
    near = line(echo(ours, delay_ms, loss_db))
    if loss_db <= 20:  # it would be, without the canceller
        assert starts_ms(uncancelled(near))
    assert starts_ms(cancelled(near, ours), start_ms=60) == []


@pytest.mark.parametrize("delay_ms", [40, 300])
def test_path_is_found(ours: Samples, delay_ms: int) -> None:
    canceller = EchoCanceller()
    cancelled(line(echo(ours, delay_ms, 16)), ours, canceller)
    assert canceller.delay_ms == pytest.approx(delay_ms, abs=20)
    assert canceller.loss_db == pytest.approx(16, abs=6)


def test_line_without_echo_has_none(ours: Samples) -> None:
    canceller = EchoCanceller()
    cancelled(line(np.zeros_like(ours)), ours, canceller)
    assert canceller.delay_ms is None
    assert canceller.loss_db is None


@pytest.mark.parametrize(("loss_db", "least_db"), [(10, 15), (20, 10)])
def test_echo_is_taken_away(ours: Samples, loss_db: int, least_db: float) -> None:
    near = line(echo(ours, 130, loss_db))
    heard = b"".join(frame.pcm for frame in cancelled(near, ours))
    later = slice(3 * RATE_HZ, 9 * RATE_HZ)
    before, after = (np.square(to_float(pcm)[later]).mean() for pcm in (near, heard))
    assert 10 * np.log10(before / after) > least_db


@pytest.mark.parametrize(("loss_db", "late_ms"), [(15, 100), (20, 60), (30, 60)])
@pytest.mark.parametrize("at_ms", [1700, 4300, 6100])
def test_caller_over_an_echo_is_heard_about_as_soon(
    ours: Samples, caller: Samples, at_ms: int, loss_db: int, late_ms: int
) -> None:
    speech = over(ours, caller, at_ms)
    alone = starts_ms(uncancelled(line(speech)))
    heard = starts_ms(cancelled(line(speech, echo(ours, 130, loss_db)), ours))
    assert len(alone) == 1
    assert heard
    assert heard[0] - alone[0] == pytest.approx(0, abs=late_ms)


@pytest.mark.parametrize(("at_ms", "late_ms"), [(900, 60), (2000, 20), (5000, 20)])
def test_caller_on_a_line_without_echo_is_heard_unchanged(
    ours: Samples, caller: Samples, at_ms: int, late_ms: int
) -> None:
    """For the first half second of our voice it is not known yet that there is no echo."""
    near = line(over(ours, caller, at_ms))
    heard = cancelled(near, ours)
    assert b"".join(frame.pcm for frame in heard) == near[: len(heard) * FRAME_BYTES]
    alone, with_ours = starts_ms(uncancelled(near)), starts_ms(heard)
    assert with_ours[0] - alone[0] <= late_ms


Change = Callable[[Samples], Samples]


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda ours: echo(ours, 250, 16, seed=2), id="later_by_120_ms"),
        pytest.param(lambda ours: echo(ours, 70, 16, seed=1), id="sooner_by_60_ms"),
        pytest.param(lambda ours: echo(ours, 130, 10, seed=4), id="louder_by_6_db"),
    ],
)
def test_changed_path_is_no_speech(ours: Samples, change: Change) -> None:
    """A call is transferred, or a jitter buffer grows: our voice comes back by another way."""
    half = len(ours) // 2
    back = np.concatenate((echo(ours, 130, 16)[:half], change(ours)[half:]))
    assert starts_ms(cancelled(line(back), ours)) == []


def test_lost_frames_of_ours_do_no_harm(ours: Samples) -> None:
    """The line was late twice: silence went out, and silence is what it says that it sent."""
    heard = ours.copy().reshape(-1)
    for at in (3, 6):
        heard[at * RATE_HZ : at * RATE_HZ + 320] = 0
    assert starts_ms(cancelled(line(echo(heard, 130, 16)), heard)) == []


def test_echo_through_a_mobile_codec_is_no_speech(ours: Samples) -> None:
    back = round_trip(echo(ours, 180, 12), "gsm")
    assert starts_ms(cancelled(line(back), ours)) == []

from __future__ import annotations

import numpy as np

from appliance.audio.level import to_float
from appliance.testing.hearing import lines
from appliance.testing.hearing.sets import Spoken


def spoken(count: int) -> list[Spoken]:
    wave = 0.3 * np.sin(2 * np.pi * 700 * np.arange(12000) / 8000)
    return [Spoken(f"{n}.wav", "yes", wave.astype(np.float32), "flite:slt") for n in range(count)]


def test_every_run_hears_the_same_and_every_utterance_another_noise() -> None:
    talk = [each.wave for each in spoken(1)]
    runs = [
        [u.pcm for u in lines.utterances("open", spoken(5), lines.REFERENCE, talk)]
        for _ in range(2)
    ]
    assert runs[0] == runs[1]
    assert len(set(runs[0])) == 5


def test_noise_alternates_by_twos() -> None:
    hum = [np.sin(2 * np.pi * 1500 * np.arange(9000) / 8000).astype(np.float32)]
    heard = [u.pcm for u in lines.utterances("open", spoken(8), lines.LEVELS[-1], hum)]

    def hums(pcm: bytes) -> bool:
        power = np.abs(np.fft.rfft(to_float(pcm))) ** 2
        places = np.fft.rfftfreq(len(pcm) // 2, 1 / 8000)
        near = np.abs(places - 1500) < 20
        return bool(power[near].sum() > 0.05 * power.sum())

    assert [hums(pcm) for pcm in heard] == [False, False, True, True] * 2


def test_names_are_unique() -> None:
    names = [line.name for line in (*lines.LEVELS, *lines.OTHERS)]
    assert len(set(names)) == len(names)


def test_groups_are_engines() -> None:
    (heard,) = lines.utterances("open", spoken(1), lines.LEVELS[0], [])
    assert heard.group == "flite"

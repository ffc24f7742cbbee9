"""A telephone that gives back what it hears: how late, how loud."""

from __future__ import annotations

import numpy as np
import pytest

from appliance.testing.echoes import EchoPath, LineEcho, response

NOISE = np.random.default_rng(1).normal(0, 3000, (40, 160)).astype(np.int16)
BUFFER_MS = 20
"""The second of the two packets that are waited for comes one tick after the first."""


def given_back(path: EchoPath) -> np.ndarray:
    echo, sent = LineEcho(path), []
    for packet in NOISE:
        echo.take(packet)
        sent.append(echo.frame())
    return np.concatenate(sent)


def delay_ms(sound: np.ndarray, seed: int) -> float:
    heard = np.convolve(NOISE.astype(np.float64).ravel(), response(seed))
    likeness = np.correlate(sound, heard[:1600], "valid")
    return float(likeness.argmax()) / 8


@pytest.mark.parametrize("late_ms", [0, 20, 180, 400])
def test_echo_is_so_late(late_ms: int) -> None:
    sound = given_back(EchoPath(late_ms, 20))
    assert delay_ms(sound, 1) == late_ms + BUFFER_MS


@pytest.mark.parametrize("loss_db", [10, 20, 40])
def test_echo_is_so_much_weaker(loss_db: int) -> None:
    sound = given_back(EchoPath(0, loss_db))[1600:]
    level_db = 10 * np.log10(np.mean(sound**2) / np.mean(NOISE.astype(np.float64) ** 2))
    assert level_db == pytest.approx(-loss_db, abs=1)


def test_path_that_changes_is_60_ms_later() -> None:
    echo, sent = LineEcho(EchoPath(0, 10, change_s=0.2)), []
    for packet in NOISE:
        echo.take(packet)
        sent.append(echo.frame())
    heard = np.convolve(NOISE[15:25].astype(np.float64).ravel(), response(1))[:1600]
    later = np.correlate(np.concatenate(sent[15:]), heard, "valid")
    assert float(later.argmax()) / 8 == BUFFER_MS + 60


def test_nothing_heard_is_nothing_given_back() -> None:
    echo = LineEcho(EchoPath(40, 10))
    assert not np.concatenate([echo.frame() for _ in range(10)]).any()

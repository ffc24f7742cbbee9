"""Where a prompt broke off, told from packets."""

from __future__ import annotations

import numpy as np
import pytest

from appliance.testing.media import WirePacket
from appliance.testing.turntaking.prompt_trace import Sounding, Trace, broke_off, moments, trace

TICK_NS = 20_000_000
LOUD = np.full(160, 3000, np.int16)
QUIET = np.zeros(160, np.int16)


def flags(text: str) -> Sounding:
    return np.array([each == "#" for each in text])


def packets(text: str, first: int = 0) -> list[WirePacket]:
    return [
        WirePacket((first + at) * TICK_NS, 160 * (first + at), LOUD if each == "#" else QUIET)
        for at, each in enumerate(text)
        if each != "-"  # lost
    ]


def received(text: str) -> Trace:
    return Trace(flags(text), np.arange(len(text)) * TICK_NS)


def test_trace_begins_with_the_first_sound() -> None:
    found = trace(packets("...##.#."))
    assert found.sounding.tolist() == [True, True, False, True, False]
    assert found.at_ns.tolist() == [at * TICK_NS for at in (3, 4, 5, 6, 7)]


def test_trace_keeps_the_place_of_lost_packets() -> None:
    assert trace(packets("##-##")).sounding.tolist() == [True, True, False, True, True]


def test_trace_of_a_part_of_the_call() -> None:
    found = trace(packets("####....####"), from_ns=5 * TICK_NS, until_ns=9 * TICK_NS)
    assert found.sounding.tolist() == [True, True]


def test_trace_of_silence() -> None:
    with pytest.raises(ValueError, match="nothing was heard"):
        trace(packets("....."))


UNDISTURBED = "#" * 20 + "." * 15 + "#" * 40


@pytest.mark.parametrize(
    ("heard", "since", "last"),
    [
        pytest.param(UNDISTURBED, 0, None, id="to_its_end"),
        pytest.param("#" * 20 + "." * 55, 0, 19, id="not_after_the_pause"),
        pytest.param("#" * 20 + "." * 15 + "#" * 10 + "." * 30, 0, 44, id="in_the_midst"),
        pytest.param("#" * 20 + "." * 18 + "#" * 37, 0, None, id="late_by_three_packets"),
        pytest.param("#" * 8 + "." * 30 + "#" * 37, 0, 7, id="and_went_on"),
        pytest.param("#" * 8 + "." * 27 + "#" * 40, 36, None, id="before_the_time_asked_for"),
    ],
)
def test_broke_off(heard: str, since: int, last: int | None) -> None:
    assert broke_off(flags(UNDISTURBED), received(heard), since) == last


def test_moments_are_followed_by_half_a_second_of_sound() -> None:
    undisturbed = flags("#" * 30 + "." * 10 + "#" * 30)
    assert moments(undisturbed, 0).tolist() == [0, 1, 2, 3, 4, 5, 37, 38, 39, 40, 41, 42, 43, 44]
    assert moments(undisturbed, 800).tolist() == [40, 41, 42, 43, 44]

"""What a caller saw, from made-up spans and packets."""

import numpy as np
import pytest

from appliance.testing.activity import Span
from appliance.testing.dialogue_script import Spoken
from appliance.testing.latency.observed import OPEN, CallReport, arrivals, utterances_of
from appliance.testing.media import WirePacket

MS = 1_000_000


def spoken(first_ms: int, last_ms: int, over_prompt: bool = False) -> Spoken:
    return Spoken(Span(first_ms * MS, last_ms * MS), "zip", 1, over_prompt)


def test_gap_is_from_last_packet_to_first() -> None:
    (found,) = utterances_of([spoken(1000, 2000)], [Span(2350 * MS, 4000 * MS)])
    assert (found.kind, found.gap_ms, found.cut_off, found.pauses) == ("zip", 350.0, False, 1)


def test_speech_within_an_utterance_cut_it_off() -> None:
    answers = [Span(1500 * MS, 1700 * MS), Span(2400 * MS, 4000 * MS)]
    (found,) = utterances_of([spoken(1000, 2000)], answers)
    assert found.cut_off
    assert found.gap_ms == 400.0


def test_prompt_that_was_going_on_is_no_cut_off() -> None:
    (found,) = utterances_of([spoken(1000, 2000)], [Span(500 * MS, 1100 * MS)])
    assert not found.cut_off


def test_talking_over_a_prompt_is_no_cut_off() -> None:
    (found,) = utterances_of([spoken(1000, 2000, True)], [Span(1500 * MS, 1700 * MS)])
    assert not found.cut_off


def test_unanswered_and_unnamed() -> None:
    (found,) = utterances_of([Spoken(Span(0, MS), None)], [])
    assert (found.kind, found.gap_ms) == (OPEN, None)


def packets(*steps: tuple[int, int]) -> list[WirePacket]:
    """Packets at (arrival in ms, timestamp in frames)."""
    silence = np.zeros(160, np.int16)
    return [WirePacket(at_ms * MS, frame * 160, silence) for at_ms, frame in steps]


@pytest.mark.parametrize(
    ("steps", "missing", "delays"),
    [
        ([(0, 0), (20, 1), (40, 2)], 0, [0, 0, 0]),
        ([(0, 0), (55, 1), (40, 2)], 0, [0, 35, 0]),
        ([(0, 0), (60, 3)], 2, [0, 0]),
        ([(0, 0), (20, 500), (40, 501)], 0, [0, 0, 0]),  # a new stretch
        ([], 0, []),
    ],
)
def test_arrivals(steps: list[tuple[int, int]], missing: int, delays: list[float]) -> None:
    assert arrivals(packets(*steps)) == (missing, delays)


def test_timestamps_may_wrap() -> None:
    silence = np.zeros(160, np.int16)
    around = [WirePacket(0, 2**32 - 160, silence), WirePacket(20 * MS, 0, silence)]
    assert arrivals(around) == (0, [0.0, 0.0])


def test_report_survives_its_way_as_json() -> None:
    report = CallReport(number=1, script="booking", outcome="failed", why="waited in vain")
    assert CallReport.model_validate_json(report.model_dump_json()) == report

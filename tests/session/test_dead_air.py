"""The silences that a caller waits in: when something is said, what, and how often."""

from dataclasses import dataclass, field

import pytest

from appliance.config import CallConfig
from appliance.session.dead_air import DeadAir, Phrase, Wait
from appliance.types import FRAME_MS

CONFIG = CallConfig(hold_ms=1000, hold_again_s=3, no_media_s=5)


@dataclass
class _Call:
    said: list[tuple[int, Phrase, Wait]] = field(default_factory=list)
    now_ms: int = 0

    def hold_on(self, phrase: Phrase, wait: Wait) -> None:
        self.said.append((self.now_ms, phrase, wait))


def _pass(call: _Call, air: DeadAir, ms: int, wait: Wait | None, *, quiet: bool = True) -> None:
    for _ in range(ms // FRAME_MS):
        call.now_ms += FRAME_MS
        air.tick(wait, quiet=quiet)


@pytest.mark.parametrize("wait", ["tool", "reading"])
def test_the_first_silence_is_short_the_others_long(wait: Wait) -> None:
    call = _Call()
    _pass(call, DeadAir(CONFIG, call), 7500, wait)
    assert call.said == [
        (1000, "holding", wait),
        (4000, "holding_again", wait),
        (7000, "holding_again", wait),
    ]


def test_a_quick_tool_is_waited_for_in_silence() -> None:
    call = _Call()
    air = DeadAir(CONFIG, call)
    for _ in range(5):
        _pass(call, air, 980, "tool")
        _pass(call, air, 100, None)
    assert call.said == []


def test_who_speaks_is_not_spoken_to() -> None:
    call = _Call()
    air = DeadAir(CONFIG, call)
    _pass(call, air, 980, "tool")
    _pass(call, air, 5000, "tool", quiet=False)
    _pass(call, air, 980, "tool")
    assert call.said == []
    _pass(call, air, 20, "tool")
    assert [phrase for _, phrase, _ in call.said] == ["holding"]


def test_who_is_transferred_was_told_so_and_hears_that_it_goes_on() -> None:
    call = _Call()
    _pass(call, DeadAir(CONFIG, call), 9100, "transfer")
    assert call.said == [(at, "transferring", "transfer") for at in (3000, 6000, 9000)]


def test_another_wait_begins_anew() -> None:
    call = _Call()
    air = DeadAir(CONFIG, call)
    _pass(call, air, 1000, "tool")
    _pass(call, air, 1000, "reading")
    assert [phrase for _, phrase, _ in call.said] == ["holding", "holding"]


def test_phrases_of_one_wait_are_limited() -> None:
    call = _Call()
    _pass(call, DeadAir(CONFIG, call), 600_000, "tool")
    assert len(call.said) == 20


def _lost(air: DeadAir, ms: int, *, received: bool) -> list[bool]:
    return [air.lost(received=received) for _ in range(ms // FRAME_MS)]


def test_nothing_received_for_too_long_is_told_once() -> None:
    air = DeadAir(CONFIG, _Call())
    assert not any(_lost(air, 4980, received=False))
    assert _lost(air, 100, received=False) == [True, False, False, False, False]


def test_silence_that_is_received_is_a_silent_caller() -> None:
    air = DeadAir(CONFIG, _Call())
    _lost(air, 4980, received=False)
    assert not any(_lost(air, 60_000, received=True))
    assert not any(_lost(air, 4980, received=False))


def test_it_can_be_switched_off() -> None:
    air = DeadAir(CallConfig(no_media_s=0), _Call())
    assert not any(_lost(air, 700_000, received=False))

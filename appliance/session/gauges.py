"""Measures what `admission` decides by: the event loop's lag, CPU, waits, lost frames.

A task of the agent's own loop: its ticks are late when everything else there is late. It also
knows when no call is on, and has free memory given back then.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from appliance.clock import Clock
from appliance.session.admission import Admission, Resource
from appliance.session.heap import Heap
from appliance.session.metered import Meter
from appliance.stt.load import Load
from appliance.telephony.switch import Switch

TICK_S = 0.05
_TICKS_A_LOOK = 20


class Gauges:
    """Looks at one agent and its lines.

    Args:
        admission: is told.
        voice: of the voice's worker.
        recognition: is told when there is no time for partials.
    """

    def __init__(self, admission: Admission, voice: Meter, recognition: Load, clock: Clock) -> None:
        self._admission, self._voice, self._recognition = admission, voice, recognition
        self._clock = clock

    async def run(self, switch: Switch) -> None:
        """Measure until cancelled; to be run in the loop that the calls are served in."""
        cpu = _Spent(lambda: time.process_time() + switch.line_cpu_s)
        loop, lost = _Spent(time.thread_time), _Spent(lambda: float(switch.dropped_frames))
        looked_ns, heap = self._clock.monotonic_ns(), Heap()
        while True:
            for _ in range(_TICKS_A_LOOK):
                due_ns = self._clock.monotonic_ns() + int(TICK_S * 1e9)
                await asyncio.sleep(TICK_S)
                now_ns = self._clock.monotonic_ns()
                self._admission.ticked((now_ns - due_ns) / 1e9, TICK_S, now_ns)
            voice_s, waits = self._voice.take()
            for wait_s, at_ns in waits:
                self._admission.waited(wait_s, at_ns)
            self._admission.lost(int(lost.since()), now_ns)
            spent_s: dict[Resource, float] = {
                "loop": loop.since(),
                "voice": voice_s,
                "box": max(0.0, cpu.since() - self._voice.take_apart()),
            }
            self._admission.spent(spent_s, (now_ns - looked_ns) / 1e9)
            self._recognition.spare_time(self._admission.is_light(now_ns))
            looked_ns = now_ns
            heap.look(not switch.open_calls, now_ns)


class _Spent:
    """What a counter has grown by since the last look; one that began anew has grown by 0."""

    def __init__(self, counter: Callable[[], float]) -> None:
        self._counter, self._last = counter, counter()

    def since(self) -> float:
        last, self._last = self._last, self._counter()
        return max(0.0, self._last - last)

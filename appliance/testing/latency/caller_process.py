"""A process of callers: reads a `Job` from standard input, writes a `CallReport` a line.

    python -m appliance.testing.latency.caller_process < job.json

It says "ready" on its first line and begins when a line comes back, so that all processes of a
run begin together. Callers live apart from the benchmark, and few in a process, so that what is
measured is the appliance and not one interpreter with dozens of threads.
"""

from __future__ import annotations

import asyncio
import sys
import time

from appliance.errors import ApplianceError
from appliance.testing.caller import CallRefused, ScriptedCaller
from appliance.testing.dialogue_script import (
    Script,
    Spoken,
    StepFailed,
    load_script,
    perform,
    render_script,
)
from appliance.testing.latency.jobs import CallOrder, Far, Job, Lane
from appliance.testing.latency.observed import CallReport, Outcome, frames_of, utterances_of
from appliance.testing.leg import PeerOptions
from appliance.testing.speech import VOICES, CallerVoice

READY = "ready"
_BUSY = (480, 486, 503, 600)
"""Statuses by which a box or a PBX says that it takes no further call."""
_REFUSED_REST_S = 2.0
"""A caller who was refused waits so long before the next try."""


class Callers:
    """Carries a job out."""

    def __init__(self, job: Job) -> None:
        """Reads the scripts and renders what they say.

        Raises:
            ConfigError: a script is wrong, or cannot be spoken.
        """
        self._job = job
        paths = {order.script for lane in job.lanes for order in lane.calls}
        self._scripts = {path: load_script(path) for path in paths}
        self._voices = {
            language: CallerVoice(job.voices, name) for language, name in VOICES.items()
        }
        for script in self._scripts.values():
            render_script(script, self._voices[script.language])

    async def run(self) -> None:
        """All lanes at once; each call is reported when it is over."""
        async with asyncio.TaskGroup() as tasks:
            for lane in self._job.lanes:
                tasks.create_task(self._lane(lane))

    async def _lane(self, lane: Lane) -> None:
        await asyncio.sleep(lane.delay_s)
        for order in lane.calls:
            report = await self._call(lane.target, order)
            print(report.model_dump_json(), flush=True)  # noqa: T201 (the process's answer)
            if report.outcome == "refused":
                await asyncio.sleep(_REFUSED_REST_S)

    async def _call(self, target: str, order: CallOrder) -> CallReport:
        """One call; whatever it runs into is its outcome, and what was measured until then stays.

        The pauses within its utterances are drawn by its number.
        """
        script = self._scripts[order.script]
        voice = self._voices[script.language]
        steps = await asyncio.to_thread(render_script, script, voice, None, order.number)
        caller, spoken = _caller(self._job.far, target, script), list[Spoken]()
        outcome: Outcome = "done"
        why, begun_ns = "", time.monotonic_ns()
        try:
            async with caller:
                if self._job.far.register_first:
                    await caller.register()
                begun_ns = time.monotonic_ns()
                await caller.call()
                async for each in perform(caller, steps[: order.steps]):
                    spoken.append(each)
        except CallRefused as refusal:
            outcome, why = "refused" if refusal.code in _BUSY else "failed", str(refusal)
        except StepFailed as failure:
            way_out = caller.remote_hung_up or failure.kind == "wait_hangup"
            outcome, why = "diverged" if way_out else "failed", str(failure)
        except ApplianceError as error:
            outcome, why = "failed", str(error)
        up_ns = caller.connected_ns or 0
        return CallReport(
            number=order.number,
            script=order.script.stem,
            outcome=outcome,
            why=why,
            expect=script.expect,
            call_id=caller.call_id,
            connected_ns=up_ns,
            ended_ns=(caller.hung_up_ns or up_ns) if up_ns else 0,
            answered_ms=(up_ns - begun_ns) / 1e6 if up_ns else 0.0,
            utterances=utterances_of(spoken, caller.received),
            frames=frames_of(caller),
        )


def _caller(far: Far, target: str, script: Script) -> ScriptedCaller:
    options = PeerOptions(credentials=far.credentials)
    number = far.as_user or script.caller
    return ScriptedCaller(target, address=far.address, number=number, options=options)


def main() -> None:
    """The process."""
    job = Job.model_validate_json(sys.stdin.readline())
    callers = Callers(job)
    print(READY, flush=True)  # noqa: T201 (see the module)
    if sys.stdin.readline():
        asyncio.run(callers.run())
        sys.stdin.readline()  # stays until it is ended: what it used is read from /proc


if __name__ == "__main__":
    try:
        main()
    except ApplianceError as error:
        sys.exit(f"caller: {error}")

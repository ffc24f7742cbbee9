"""Does a box that has carried a thousand calls hold more than one that has carried fifty?

Starts the appliance, places short calls of several kinds, and after every batch, when all of them
are over and their records written, reads the memory, descriptors and threads of the agent and of
each line process. Exit code: 0 flat, 1 something grows, calls failed or a process
died (what was measured until then is written), 2 wrong usage or set-up.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from appliance.errors import PeerError
from appliance.testing.figures import machine
from appliance.testing.served import Served, Trial, write_flow_trial
from appliance.testing.soak.growth import MIN_SAMPLES, Growth, Sample, growth_of
from appliance.testing.soak.short_calls import ShortCalls
from appliance.testing.soak.vitals import Vitals, read_vitals
from appliance.testing.speech import CallerVoice
from appliance.testing.verdicts import KEPT, MISSED, run_command

_RECORDS_S = 60.0
_SETTLE_S = 2.5  # in which an idle agent gives memory back
_EXAMPLES = """Examples:

scripts/soak.py --calls 1000 --at-once 6 --json soak.json

scripts/soak.py --calls 300 --flow status"""


@dataclass(frozen=True)
class Plan:
    """How many calls, how many at once, and how many between two looks."""

    calls: int
    at_once: int
    batch: int


async def soak(
    trial: Trial, pids: Mapping[str, int], plan: Plan, calls: ShortCalls, console: Console
) -> tuple[dict[str, list[Sample]], str]:
    """Place the calls; returns the samples of each process by its name, and what ended it early.

    A process that dies, or records that do not come, are the worst that can be found: what was
    measured until then is kept.
    """
    samples: dict[str, list[Sample]] = {name: [] for name in pids}
    started_s = time.monotonic()
    while calls.tally.placed < plan.calls:
        await calls.place(min(plan.batch, plan.calls - calls.tally.placed))
        try:
            await _until_written(trial, calls.tally.answered)
            for name, pid in pids.items():
                samples[name].append(Sample(calls.tally.placed, _vitals(name, pid)))
        except (PeerError, ProcessLookupError) as error:
            return samples, f"after {calls.tally.placed} calls: {error}"
        agent = samples["agent"][-1].vitals
        console.print(
            f"{calls.tally.placed} calls, {time.monotonic() - started_s:.0f} s: agent "
            f"{agent.anonymous_kib / 1024:.1f} MiB, {agent.descriptors} descriptors, "
            f"{agent.threads} threads"
        )
    return samples, ""


def _vitals(name: str, pid: int) -> Vitals:
    try:
        return read_vitals(pid)
    except ProcessLookupError as error:
        raise ProcessLookupError(f"{name} has died") from error


def judged(samples: Mapping[str, Sequence[Sample]], kib_a_call: float) -> dict[str, list[Growth]]:
    """How each process went on; one with too few samples for it is left out."""
    grown = {}
    for name, found in samples.items():
        with contextlib.suppress(ValueError):
            grown[name] = growth_of(found, kib_a_call)
    return grown


async def _until_written(trial: Trial, answered: int) -> None:
    """Wait for the records of the calls, and a moment for what ends after them."""
    for _ in range(int(_RECORDS_S / 0.1)):
        if len(list(trial.calls.glob("*/*.record.json"))) >= answered:
            await asyncio.sleep(_SETTLE_S)
            return
        await asyncio.sleep(0.1)
    raise PeerError(f"{answered} calls were answered, and not all have a record")


def document(
    calls: ShortCalls,
    samples: Mapping[str, list[Sample]],
    grown: Mapping[str, list[Growth]],
    log: Iterable[Mapping[str, Any]],
    ended_early: str = "",
) -> dict[str, Any]:
    """The JSON document."""
    said = Counter(entry["event"] for entry in log if entry.get("level") in ("warning", "error"))
    tally = calls.tally
    return {
        "calls": tally.placed,
        "answered": tally.answered,
        "refused": dict(tally.refused),
        "failures": tally.failures,
        "ended_early": ended_early,
        "warnings": dict(said),
        "growth": {name: [asdict(each) for each in found] for name, found in grown.items()},
        "samples": {name: [asdict(each) for each in found] for name, found in samples.items()},
        "machine": machine(),
    }


def show(console: Console, grown: Mapping[str, list[Growth]]) -> None:
    """The table."""
    table = Table("process", "figure", "early", "late", "a call", "")
    for name, found in grown.items():
        for each in found:
            verdict = "[red]grows[/]" if each.leaks else ""
            row = (f"{each.first:g}", f"{each.last:g}", f"{each.per_call:+.3f}", verdict)
            table.add_row(name, each.figure, *row)
    console.print(table)


def main(
    calls: Annotated[int, typer.Option(min=1, help="Calls in all")] = 1000,
    at_once: Annotated[int, typer.Option(min=1, help="Calls at once")] = 6,
    batch: Annotated[int, typer.Option(min=1, help="Calls between two looks")] = 25,
    kib_a_call: Annotated[
        float, typer.Option(min=0, help="Memory that a process may grow by with a call, KiB")
    ] = 4.0,
    flow: Annotated[str, typer.Option(help="The flow that is called")] = "collections",
    json_file: Annotated[Path | None, typer.Option("--json", help="Write the figures")] = None,
) -> None:
    """Place many short calls and see whether anything grows."""
    console, plan = Console(highlight=False), Plan(calls, at_once, batch)
    if calls < batch * (MIN_SAMPLES + 1) / 0.8:
        raise typer.BadParameter(f"too few calls for batches of {batch}: no slope would be seen")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        lines = {"line": {"processes": -(-at_once // 3)}}
        trial = write_flow_trial(folder / "box", flow, lines)
        placed = ShortCalls(trial.targets, CallerVoice(folder / "voice"), at_once)
        with Served(trial.config) as served:
            ready = next(entry for entry in served.log if entry["event"] == "ready")
            lined = {f"line {n}": pid for n, pid in enumerate(ready["line_pids"], 1)}
            pids = {"agent": served.pid, **lined}
            samples, ended_early = asyncio.run(soak(trial, pids, plan, placed, console))
    grown = judged(samples, kib_a_call)
    show(console, grown)
    found = document(placed, samples, grown, served.log, ended_early)
    if json_file is not None:
        json_file.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    for event, count in found["warnings"].items():
        console.print(f"log: {event} ({count})")
    bad = [*placed.tally.failures, *([ended_early] if ended_early else [])]
    bad += [f"{count} calls refused with {code}" for code, count in placed.tally.refused.items()]
    bad += [f"{name}: {g.figure} grows" for name, all_ in grown.items() for g in all_ if g.leaks]
    for line in bad:
        console.print(line, style="red")
    raise typer.Exit(MISSED if bad else KEPT)


if __name__ == "__main__":
    run_command(main, _EXAMPLES)

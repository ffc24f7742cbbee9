"""How fast is the appliance on the telephone? Real SIP calls, measured from the caller's side.

    response gap   last speech sample sent -> first speech sample received   (on the wire)
    decision       end of the caller's turn detected -> first audio frame to the line
                   (from the agent's event logs, with its parts)

Without --target it starts the appliance with the shipped models; with it, it calls a running one
(whose [record] folder --calls-folder names). An SLA turns the exit code into a verdict:
0 kept, 1 missed or calls failed, 2 wrong usage or set-up.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from appliance.errors import ApplianceError
from appliance.store.events import EVENTS_SUFFIX, read_events
from appliance.testing.caller import ScriptedCaller
from appliance.testing.dialogue_script import SCRIPTS, Script, load_script, run_script
from appliance.testing.figures import machine, summarize
from appliance.testing.gaps import response_gaps_ms
from appliance.testing.served import Served, write_flow_trial
from appliance.testing.speech import CallerVoice

PARTS = ("endpoint_ms", "recognition_ms", "understanding_ms", "dialogue_ms", "first_audio_ms")
KEPT, MISSED, BROKEN = 0, 1, 2
_EXAMPLES = """Examples:

scripts/bench_latency.py --calls 12 --concurrency 3 --json figures.json

scripts/bench_latency.py --calls 20 --sla-gap-ms 900 --sla-decision-ms 200

scripts/bench_latency.py --flow status --calls 4

scripts/bench_latency.py --target sip:200@192.0.2.5 --calls-folder /var/lib/appliance/calls"""


@dataclass
class Measured:
    """What the calls came to. `turns` are the turn lines of the agent's logs."""

    gaps_ms: list[float] = field(default_factory=list)
    turns: list[dict[str, Any]] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Load:
    """How many calls, how many of them at once."""

    calls: int
    concurrency: int


def figures(measured: Measured, load: Load) -> dict[str, Any]:
    """The JSON document."""
    timed = [turn for turn in measured.turns if "first_audio_ms" in turn]
    return {
        "decision_ms": summarize([turn["decision_ms"] for turn in timed]),
        "response_gap_ms": summarize(measured.gaps_ms),
        "parts": {part: summarize([turn[part] for turn in timed]) for part in PARTS},
        "calls": load.calls,
        "concurrency": load.concurrency,
        "failed_calls": len(measured.failures),
        "machine": machine(),
    }


def verdict(found: dict[str, Any], sla_ms: dict[str, float | None]) -> list[str]:
    """What was missed, in words; `sla_ms` limits the p95 of a figure by its name."""
    missed = []
    for name, limit in sla_ms.items():
        reached = found[name]["p95"]
        if limit is not None and (reached is None or reached > limit):
            missed.append(f"{name} p95 is {reached} ms, the limit is {limit:g} ms")
    if found["failed_calls"]:
        missed.append(f"{found['failed_calls']} of {found['calls']} calls failed")
    return missed


async def place_calls(
    target: str, load: Load, script: Script, folder: Path, progress: Progress
) -> Measured:
    """Run the calls; a call that fails is counted with its reason."""
    measured, voice = Measured(), CallerVoice(folder / "voice")
    bar = progress.add_task("calls", total=load.calls)
    free = asyncio.Semaphore(load.concurrency)

    async def one(number: int) -> None:
        async with free:
            try:
                async with ScriptedCaller(target, number=script.caller) as caller:
                    await caller.call()
                    await run_script(caller, script, voice)
                measured.gaps_ms += response_gaps_ms(caller.sent, caller.received)
            except ApplianceError as error:
                measured.failures.append(f"call {number}: {error}")
            progress.advance(bar)

    async with asyncio.TaskGroup() as tasks:
        for number in range(1, load.calls + 1):
            tasks.create_task(one(number))
    return measured


def read_turns(calls: Path, known: set[Path]) -> list[dict[str, Any]]:
    """The turn lines of all event logs that are not `known`."""
    logs = sorted(set(calls.glob(f"*/*{EVENTS_SUFFIX}")) - known)
    return [event for log in logs for event in read_events(log) if event["t"] == "turn"]


def show(console: Console, found: dict[str, Any]) -> None:
    """The table."""
    table = Table("milliseconds", "n", "p50", "p95", "p99")
    rows = {name: found[name] for name in ("response_gap_ms", "decision_ms")} | found["parts"]
    for name, row in rows.items():
        table.add_row(name.removesuffix("_ms"), *(str(row[key]) for key in row))
    console.print(table)
    where = found["machine"]
    console.print(
        f"{found['calls']} calls, {found['concurrency']} at once, {found['failed_calls']} failed; "
        f"{where['cpu']}, {where['cores']} cores, load {where['load_1min']}"
    )


@contextmanager
def appliance_at(
    target: str | None, calls: Path | None, folder: Path, flow: str
) -> Iterator[tuple[str, Path]]:
    """The URI to call and where its logs lie: the running appliance's, or one started here."""
    if target is not None:
        if calls is None:
            raise typer.BadParameter("--target needs --calls-folder, where its event logs lie")
        yield target, calls
        return
    trial = write_flow_trial(folder / "box", flow)
    with Served(trial.config):
        yield trial.target, trial.calls


def main(
    calls: Annotated[int, typer.Option(min=1, help="Calls in all")] = 12,
    concurrency: Annotated[int, typer.Option(min=1, help="Calls at once")] = 1,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write the figures")] = None,
    sla_gap_ms: Annotated[float | None, typer.Option(help="Limit of the gap's p95")] = None,
    sla_decision_ms: Annotated[
        float | None, typer.Option(help="Limit of the decision's p95")
    ] = None,
    target: Annotated[str | None, typer.Option(help="SIP URI of a running appliance")] = None,
    calls_folder: Annotated[Path | None, typer.Option(help="Its [record] folder")] = None,
    flow: Annotated[
        str,
        typer.Option(help="Call as its demonstration does; default: a short call to collections"),
    ] = "",
) -> None:
    """Measure the latency of real calls, and hold it against an SLA."""
    console = Console(highlight=False)
    load = Load(calls, concurrency)
    with tempfile.TemporaryDirectory() as name, Progress(console=console) as progress:
        folder = Path(name)
        script = load_script(SCRIPTS / (f"{flow}.yaml" if flow else "benchmark.yaml"))
        with appliance_at(target, calls_folder, folder, script.flow) as (uri, logs):
            known = set(logs.glob(f"*/*{EVENTS_SUFFIX}"))
            measured = asyncio.run(place_calls(uri, load, script, folder, progress))
        measured.turns = read_turns(logs, known)
    found = figures(measured, load)
    show(console, found)
    if json_file is not None:
        json_file.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    limits = {"response_gap_ms": sla_gap_ms, "decision_ms": sla_decision_ms}
    missed = [*measured.failures, *verdict(found, limits)]
    for line in missed:
        console.print(line, style="red")
    raise typer.Exit(MISSED if missed else KEPT)


if __name__ == "__main__":
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
    app.command(epilog=_EXAMPLES)(main)
    try:
        app()
    except ApplianceError as error:
        typer.echo(f"bench_latency: {error}", err=True)
        sys.exit(BROKEN)

"""Does the box keep its word when its processes are killed at any moment?

Keeps the appliance running as systemd would, lets scripted callers promise, book and ask for
callbacks, and kills random processes with SIGKILL: an agent, a line, all of them, or an agent
that is just starting again. Then everything that a caller was told is looked for in the store.
Exit code: 0 nothing was lost, doubled or broken; 1 something was; 2 wrong usage or set-up.
"""

from __future__ import annotations

import asyncio
import json
import signal
import tempfile
import time
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from appliance.config import load_config
from appliance.testing.figures import machine, summarize
from appliance.testing.speech import CallerVoice
from appliance.testing.storm.ear import open_ear
from appliance.testing.storm.errands import ERRANDS
from appliance.testing.storm.invariants import Scene, Violation, violations
from appliance.testing.storm.logged import Log, logs_in
from appliance.testing.storm.schedule import draw_strikes, share
from appliance.testing.storm.sink import Sink
from appliance.testing.storm.sitting import Crowd, Outcome, Sitting, Until, prepare
from appliance.testing.verdicts import KEPT, MISSED, run_command

_EXAMPLES = """Examples:

scripts/kill_storm.py --kills 200 --seed 1 --json storm.json

scripts/kill_storm.py --kills 20 --flow booking --keep /tmp/storm"""


@dataclass(frozen=True)
class Plan:
    """So many kills by flow, the seed, so many calls at once at each box; see `prepare`."""

    kills: dict[str, int]
    seed: int
    calls: int
    attached: bool


def judge(outcome: Outcome) -> list[Violation]:
    """What is wrong with what is left of a sitting."""
    trial = outcome.trial
    hearing = load_config(trial.config).hearing
    scene = Scene(
        folder=trial.config.parent, calls=trial.calls, store=trial.store, arrived=outcome.arrived,
        told=outcome.told, recognize=open_ear(hearing),
    )  # fmt: skip
    return violations(scene)


def judged(outcome: Outcome, console: Console) -> dict[str, Any]:
    """Judge a box, show it, and return what is written of it."""
    found, wrong = figures(outcome), judge(outcome)
    if not found["confirmed"]:
        wrong.append(Violation("storm", "nothing was confirmed to anybody: it shows nothing"))
    wrong += [Violation("bug", said) for said in found["bugs"]]
    show(console, found, wrong)
    return {**found, "violations": [asdict(each) for each in wrong]}


def figures(outcome: Outcome) -> dict[str, Any]:
    """What a sitting was made of. A storm in which nothing was confirmed has shown nothing."""
    logs = [log for _, log in logs_in(outcome.trial.calls) if isinstance(log, Log)]
    return {
        "flow": outcome.flow,
        "seconds": round(outcome.seconds),
        "kills": dict(outcome.struck),
        "processes_killed": outcome.processes,
        "starts": len(outcome.starts_s),
        "start_s": summarize(outcome.starts_s),
        "calls_answered": len(outcome.told),
        "calls_refused": outcome.refused,
        "calls_cut_off": sum(bool(told.why) for told in outcome.told),
        "logs": len(logs),
        "done": sum(len(log.done) for log in logs),
        "confirmed": sum(bool(log.confirmed) for log in logs),
        "notifications": len(outcome.arrived),
        "delivered_again": sum(times - 1 for times in outcome.arrived.values()),
        "warnings": dict(outcome.said),
        "bugs": outcome.faults,
    }


def show(console: Console, found: dict[str, Any], wrong: list[Violation]) -> None:
    """The report of one sitting, for people."""
    start = found["start_s"]
    console.print(
        f"{found['flow']}: {sum(found['kills'].values())} kills of {found['processes_killed']}"
        f" processes in {found['seconds']} s, {found['starts']} starts"
        f" (median {start['p50']} s, p95 {start['p95']} s)\n"
        f"  {found['calls_answered']} calls answered, {found['calls_cut_off']} of them cut off;"
        f" {found['done']} things done, {found['confirmed']} calls with a confirmation\n"
        f"  {found['notifications']} notifications arrived, {found['delivered_again']} repeated"
    )
    for event, count in found["warnings"].items():
        console.print(f"  log: {event} ({count})")
    for each in wrong:
        console.print(f"  {each.rule}: {each.what}", style="red")


async def storm(folder: Path, plan: Plan, until: Until, console: Console) -> list[Outcome]:
    """All boxes at once: while one of them starts, calls are up at the others."""
    voice = CallerVoice(folder / "voice")
    sittings = []
    with ExitStack() as stack:
        for number, (flow, count) in enumerate(plan.kills.items()):
            seed = plan.seed * 100 + number
            sink = stack.enter_context(Sink())
            crowd = Crowd(plan.calls, -(-plan.calls // 2), seed)
            trial = prepare(folder / flow, flow, crowd.lines, sink, attached=plan.attached)
            sitting = Sitting(trial, flow, voice, crowd, console.print)
            sittings.append(sitting.run(draw_strikes(count, seed), sink, until))
        return await asyncio.gather(*sittings)


def main(
    kills: Annotated[int, typer.Option(min=1, help="Kills in all")] = 200,
    seed: Annotated[int, typer.Option(help="Of the storm: who dies when, who wants what")] = 1,
    calls: Annotated[int, typer.Option(min=1, help="Calls at once, at each box")] = 3,
    flow: Annotated[
        list[str] | None, typer.Option(help="A flow that is called, on a box of its own; or all")
    ] = None,
    minutes: Annotated[
        float | None, typer.Option(min=1, help="No further kill after so long; then it is judged")
    ] = None,
    own_lines: Annotated[
        bool, typer.Option("--own-lines", help="The agent starts its lines itself")
    ] = False,
    keep: Annotated[Path | None, typer.Option(help="Folder in which the boxes stay")] = None,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write the figures")] = None,
) -> None:
    """Kill processes under calls, and look whether anything that was confirmed is lost."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # or the boxes would run on
    console, flows = Console(highlight=False, soft_wrap=True), flow or list(ERRANDS)
    unknown = [each for each in flows if each not in ERRANDS]
    if unknown:
        raise typer.BadParameter(f"no storm for {', '.join(unknown)}; there is {list(ERRANDS)}")
    plan = Plan(dict(zip(flows, share(kills, len(flows)), strict=True)), seed, calls, not own_lines)
    until = Until(time.monotonic() + 60 * minutes) if minutes else Until()
    with ExitStack() as stack:
        folder = keep or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        outcomes = asyncio.run(storm(folder, plan, until, console))
        report = [judged(outcome, console) for outcome in outcomes]
    if json_file is not None:
        document = {**asdict(plan), "boxes": report, "machine": machine()}
        json_file.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    raise typer.Exit(MISSED if any(each["violations"] for each in report) else KEPT)


if __name__ == "__main__":
    run_command(main, _EXAMPLES)

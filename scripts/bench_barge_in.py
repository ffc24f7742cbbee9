"""Does the appliance stop when it is spoken to, and only then? Real SIP calls, from the wire.

Callers talk over its greeting, hum, cough, press keys, or have a telephone that gives back what it
hears. Measured is how soon the greeting stops for speech, and how often for anything else. Starts
the appliance with the shipped models, or calls a running one (--target).

Exit code: 0 all kept, 1 too slow, stopped for nothing or not at all, 2 wrong usage or set-up.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from appliance.testing.figures import machine
from appliance.testing.served import Served, write_flow_trial
from appliance.testing.turntaking.barge_in import (
    MUST_STOP,
    Outcome,
    figures,
    plan,
    run_trials,
)
from appliance.testing.turntaking.interjections import recorded, synthesized
from appliance.testing.verdicts import KEPT, MISSED, run_command

_EXAMPLES = """Examples:

scripts/bench_barge_in.py --json barge_in.json

scripts/bench_barge_in.py --sounds DIR --acknowledgements 200 --echo 200 --losses 20

scripts/bench_barge_in.py --target sip:200@192.0.2.5 --speech 20 --echo 0"""


@contextmanager
def appliance_at(target: str | None, folder: Path, flow: str) -> Iterator[str]:
    """The URI to call: the running appliance's, or that of one started here."""
    if target is not None:
        yield target
        return
    trial = write_flow_trial(folder / "box", flow)
    with Served(trial.config):
        yield trial.target


def verdict(found: dict[str, Any], stop_p95_ms: float) -> list[str]:
    """What was missed, in words; nothing where all was kept."""
    missed = []
    for kind, row in found.items():
        if row["failed"]:
            missed.append(f"{kind}: {row['failed']} of {row['trials']} calls failed")
        ran = row["trials"] - row["failed"]
        if kind not in MUST_STOP:
            if row["stopped"]:
                missed.append(f"{kind}: {row['stopped']} of {ran} stopped the prompt")
            continue
        if row["stopped"] < ran:
            missed.append(f"{kind}: {ran - row['stopped']} of {ran} did not stop the prompt")
        p95 = row["stop_ms"]["p95"]
        if kind == "speech" and p95 is not None and p95 > stop_p95_ms:
            missed.append(f"{kind}: stopped within {p95:g} ms at p95, the limit is {stop_p95_ms:g}")
    return missed


def told(outcome: Outcome) -> dict[str, Any]:
    """One trial for the JSON document."""
    trial = outcome.trial
    return {
        "kind": trial.kind,
        "sound": trial.interjection.name if trial.interjection else trial.key or None,
        "echo_db": -trial.echo.loss_db if trial.echo else None,
        "echo_ms": trial.echo.delay_ms if trial.echo else None,
        "stop_ms": None if outcome.stop_ms is None else round(outcome.stop_ms, 1),
        "failure": outcome.failure or None,
    }


def show(console: Console, found: dict[str, Any], outcomes: Sequence[Outcome]) -> None:
    """The table, and the trials that went wrong."""
    table = Table("trial", "n", "stopped", "stop ms p50", "p95", "p99")
    for kind, row in found.items():
        stop_ms = row.get("stop_ms", {})
        times = [str(stop_ms.get(each, "")) for each in ("p50", "p95", "p99")]
        table.add_row(kind, str(row["trials"]), str(row["stopped"]), *times)
    console.print(table)
    for outcome in outcomes:
        if outcome.faulty:
            console.print(json.dumps(told(outcome)))
    where = machine()
    console.print(f"{where['cpu']}, {where['cores']} cores, load {where['load_1min']}")


def main(
    speech: Annotated[int, typer.Option(min=0, help="Trials with words")] = 40,
    over_echo: Annotated[int, typer.Option(min=0, help="The same over an echo")] = 20,
    acknowledgements: Annotated[int, typer.Option(min=0, help="Trials with mhm and such")] = 100,
    noises: Annotated[int, typer.Option(min=0, help="Trials with coughs, knocks, tones")] = 20,
    keys: Annotated[int, typer.Option(min=0, help="Trials with a key not asked for")] = 5,
    echo: Annotated[int, typer.Option(min=0, help="Trials with an echo alone, per loss")] = 100,
    losses: Annotated[str, typer.Option(help="Of the echoes, dB, with commas")] = "20",
    sounds: Annotated[
        Path | None,
        typer.Option(help="Folder with speech/, acknowledgement/, noise/; default: synthesized"),
    ] = None,
    target: Annotated[str | None, typer.Option(help="SIP URI of a running appliance")] = None,
    number: Annotated[str, typer.Option(help="The number that callers show")] = "+13105550100",
    flow: Annotated[str, typer.Option(help="Whose greeting is talked over")] = "collections",
    at_once: Annotated[int, typer.Option(min=1, help="Calls at once")] = 2,
    seed: Annotated[int, typer.Option(help="Fixes what is drawn")] = 1,
    stop_p95_ms: Annotated[float, typer.Option(help="Limit of the stop time's p95")] = 120.0,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write the figures")] = None,
) -> None:
    """Measure barge-in and hold it against its limits."""
    console = Console(highlight=False)
    counts = {
        "speech": speech, "speech over echo": over_echo, "acknowledgement": acknowledgements,
        "noise": noises, "key": keys, "echo": echo,
    }  # fmt: skip
    try:
        losses_db = [float(each) for each in losses.split(",")]
    except ValueError as error:
        raise typer.BadParameter("numbers with commas", param_hint="--losses") from error
    with tempfile.TemporaryDirectory() as name, Progress(console=console) as progress:
        folder = Path(name)
        found = recorded(sounds) if sounds else synthesized(folder / "voice")
        trials = plan(found, counts, losses_db, seed)
        bar = progress.add_task("calls", total=len(trials))
        with appliance_at(target, folder, flow) as uri:
            outcomes = asyncio.run(
                run_trials(uri, number, trials, at_once, lambda _: progress.advance(bar))
            )
    result = figures(outcomes)
    if json_file is not None:
        document = {
            "kinds": result, "trials": [told(outcome) for outcome in outcomes],
            "at_once": at_once, "seed": seed, "machine": machine(),
        }  # fmt: skip
        json_file.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    show(console, result, outcomes)
    missed = verdict(result, stop_p95_ms)
    for line in missed:
        console.print(line, style="red")
    raise typer.Exit(MISSED if missed else KEPT)


if __name__ == "__main__":
    run_command(main, _EXAMPLES)

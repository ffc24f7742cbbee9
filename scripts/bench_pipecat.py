"""How much faster is the appliance than a plain Pipecat pipeline? The same callers call both.

    scripted caller ── SIP ──> line process ──> appliance serve
                    └─ SIP ──> line process ──> plain_pipeline --variant …

The same line program, flow, understanding, models, machine and run; calls go to each in turn, and
whoever is not called is idle. All is measured on the wire: last speech packet out to first speech
packet in. docs/comparison.md says what is compared and what was measured. Exit code: 0 kept, 1 the
ratio is missed or calls failed, 2 wrong usage or set-up.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Console
from rich.table import Table

from appliance.errors import ConfigError
from appliance.testing.dialogue_script import SCRIPTS, load_script
from appliance.testing.figures import machine, summarize
from appliance.testing.latency.callers import CallerProcesses
from appliance.testing.latency.estimates import DRAWS, Estimate
from appliance.testing.latency.figuring import Material, figure
from appliance.testing.latency.jobs import CallOrder, Far, Job, Lane
from appliance.testing.latency.levels import LevelFigures
from appliance.testing.latency.observed import CallReport
from appliance.testing.served import ROOT, Served, write_flow_trial
from appliance.testing.verdicts import KEPT, MISSED, run_command
from plain_pipeline.variants import VARIANTS

OWN = "appliance"
LAPS = ("transcript", "turn_over", "decided", "first_audio")
_PYTHON = ROOT / ".venv-pipecat/bin/python"
_SEED = 1
_FAILED = ("failed", "refused")
"""A call that diverged from its script was misheard; its gaps are gaps all the same."""
_EXAMPLES = """Examples:

scripts/install pipecat; .venv/bin/python scripts/bench_pipecat.py --rounds 10 --json found.json

.venv/bin/python scripts/bench_pipecat.py --variant plain --variant judged --variant hasty"""


@dataclass
class System:
    """One of those that are called."""

    name: str
    target: str
    served: Served
    reports: list[CallReport] = field(default_factory=list)

    @property
    def gaps_ms(self) -> list[list[float]]:
        """Response gaps by call; an answer to what was cut off came early because too early."""
        return [
            [
                each.gap_ms
                for each in report.utterances
                if each.gap_ms is not None and not each.cut_off
            ]
            for report in self.reports
        ]

    @property
    def laps_ms(self) -> dict[str, dict[str, float | int | None]]:
        """Where a plain pipeline's time went, from its own log."""
        turns = [entry for entry in self.served.log if entry.get("event") == "turn"]
        return {lap: summarize([turn[lap] for turn in turns if lap in turn]) for lap in LAPS}


def ratio_of_medians(
    ours: Sequence[Sequence[float]], theirs: Sequence[Sequence[float]], draws: int = DRAWS
) -> Estimate:
    """Median gap of ours by that of theirs; both are lists of calls.

    The 95% interval is a bootstrap that draws whole calls of each (see `latency.estimates`), and
    None where either has fewer than two.
    """
    calls = [
        [np.asarray(call, np.float64) for call in side if len(call)] for side in (ours, theirs)
    ]
    if not all(calls):
        return Estimate()
    medians = [float(np.median(np.concatenate(side))) for side in calls]
    value = round(medians[0] / medians[1], 3)
    if min(map(len, calls)) < 2:
        return Estimate(value=value)
    chance = np.random.default_rng(_SEED)
    drawn = []
    for _ in range(draws):
        picked = [[side[i] for i in chance.integers(0, len(side), len(side))] for side in calls]
        first, second = (float(np.median(np.concatenate(side))) for side in picked)
        drawn.append(first / second)
    low, high = np.percentile(drawn, (2.5, 97.5))
    return Estimate(value=value, low=round(float(low), 3), high=round(float(high), 3))


def document(systems: Sequence[System], found: Mapping[str, LevelFigures]) -> dict[str, Any]:
    """The JSON document."""
    own = systems[0].gaps_ms
    return {
        "systems": {
            each.name: {
                "about": VARIANTS[each.name].about if each.name in VARIANTS else "appliance serve",
                "figures": found[each.name].model_dump(mode="json"),
                "ratio_of_medians": None
                if each.name == OWN
                else ratio_of_medians(own, each.gaps_ms).model_dump(),
                "laps_ms": None if each.name == OWN else each.laps_ms,
                "failures": [report.why for report in each.reports if report.outcome in _FAILED],
            }
            for each in systems
        },
        "machine": machine(),
    }


def verdict(said: Mapping[str, Any], held_against: str, at_most: float | None) -> list[str]:
    """What was missed, in words."""
    missed = [
        f"{name}: a call failed: {why}"
        for name, system in said["systems"].items()
        for why in system["failures"]
    ]
    if at_most is not None:
        ratio = said["systems"][held_against]["ratio_of_medians"]["value"]
        if ratio is None or ratio > at_most:
            missed.append(
                f"the median gap is {ratio} of {held_against}'s, the limit is {at_most:g}"
            )
    return missed


def show(console: Console, said: Mapping[str, Any]) -> None:
    """The table."""
    table = Table("", "gaps", "p50 ms", "p95 ms", "cut off %", "diverged", "appliance : it")
    for name, system in said["systems"].items():
        all_ = system["figures"]["all"]
        gap, ratio = all_["response_gap_ms"], system["ratio_of_medians"]
        table.add_row(
            name, str(gap["n"]), _interval(gap["p50"]), _interval(gap["p95"]),
            _interval(all_["false_cut_offs_pct"]), str(system["figures"]["calls"]["diverged"]),
            _interval(ratio) if ratio else "",
        )  # fmt: skip
    console.print(table)
    for name, system in said["systems"].items():
        if system["laps_ms"]:
            laps = ", ".join(f"{lap} {each['p50']}" for lap, each in system["laps_ms"].items())
            console.print(f"{name}, ms since its detector said silence, p50: {laps}")
    where = said["machine"]
    console.print(f"{where['cpu']}, {where['cores']} cores, load {where['load_1min']}")


def _interval(estimate: Mapping[str, Any]) -> str:
    value, low, high = (estimate[key] for key in ("value", "low", "high"))
    return f"{value}" if low is None else f"{value} ({low}–{high})"


def start(stack: ExitStack, folder: Path, flow: str, variants: Sequence[str]) -> list[System]:
    """The appliance and the pipelines, each on ports of its own, the appliance first.

    Raises:
        ConfigError: one does not start, or Pipecat is not installed.
    """
    if not _PYTHON.exists():
        raise ConfigError(f"no {_PYTHON.relative_to(ROOT)}: run scripts/install pipecat")
    scripts = f"PYTHONPATH={ROOT / 'scripts'}"
    pipeline = ("env", scripts, str(_PYTHON), "-m", "plain_pipeline", "--variant")
    systems = []
    for name in (OWN, *variants):
        trial = write_flow_trial(folder / name, flow)
        served = (
            Served(trial.config) if name == OWN else Served(trial.config, program=(*pipeline, name))
        )
        systems.append(System(name, trial.target, stack.enter_context(served)))
    return systems


async def place_calls(systems: Sequence[System], script: Path, voices: Path, rounds: int) -> None:
    """One call to each in every round, each round beginning with another."""
    for number in range(rounds):
        first = number % len(systems)
        for system in (*systems[first:], *systems[:first]):
            order = CallOrder(number=number, script=script)
            lane = Lane(target=system.target, delay_s=0.0, calls=(order,))
            job = Job(far=Far(targets=(system.target,)), voices=voices, lanes=(lane,))
            async with CallerProcesses([job]) as callers:
                await callers.run(system.reports.append)


def main(
    rounds: Annotated[int, typer.Option(min=1, help="Calls to each of them")] = 5,
    variant: Annotated[
        list[str] | None,
        typer.Option(help=f"Plain pipelines: {', '.join(VARIANTS)}; default: all of them"),
    ] = None,
    script: Annotated[
        str, typer.Option(help="What callers do: a script of appliance/testing/scripts")
    ] = "benchmark",
    at_most: Annotated[
        float | None, typer.Option(help="Limit of the ratio to the first of the variants")
    ] = None,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write the figures")] = None,
) -> None:
    """Call the appliance and plain Pipecat pipelines in turn, and compare their response gaps."""
    variants = variant or list(VARIANTS)
    for name in variants:
        if name not in VARIANTS:
            raise typer.BadParameter(f"no variant {name}; there are {', '.join(VARIANTS)}")
    path = SCRIPTS / f"{script}.yaml"
    flow = load_script(path).flow
    console = Console(highlight=False)
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        folder = Path(name)
        systems = start(stack, folder, flow, variants)
        asyncio.run(place_calls(systems, path, folder / "voices", rounds))
    found = {each.name: figure(Material(1, each.reports)) for each in systems}
    said = document(systems, found)
    show(console, said)
    if json_file is not None:
        json_file.write_text(json.dumps(said, indent=2) + "\n", encoding="utf-8")
    missed = verdict(said, variants[0], at_most)
    for line in missed:
        console.print(line, style="red")
    raise typer.Exit(MISSED if missed else KEPT)


if __name__ == "__main__":
    run_command(main, _EXAMPLES)

"""How fast, how soon and how smoothly does the appliance speak? Its real parts, no telephone.

    real-time factor   processor time of one thread over seconds of sound, by voice
    first frame        a prompt is decided -> its first frame goes to the line
    gap                silence between the cached head of a sentence and the rest, while another
                       program keeps the same core busy
    endurance          sentences with values rendered and joined: clicks at joins, growth of memory

It needs the shipped voices and flows only. Exit code: 0 all targets kept, 1 some missed, 2 wrong
usage or set-up.
"""

from __future__ import annotations

import json
import logging
import os
import tempfile
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress, TaskID
from rich.table import Table

import appliance.cli.single_thread  # noqa: F401 (before numpy: as in the appliance)
from appliance.config import SpeakingConfig
from appliance.errors import ApplianceError
from appliance.logs import configure_logging
from appliance.testing.figures import machine
from appliance.testing.speaking.material import Material, open_material
from appliance.testing.speaking.suite import Plan, measure
from appliance.testing.speaking.targets import Verdict, verdicts
from appliance.types import Language

ROOT = Path(__file__).resolve().parents[1]
KEPT, MISSED, BROKEN = 0, 1, 2
_EXAMPLES = """Examples:

scripts/bench_speech.py --json speech.json

scripts/bench_speech.py --sentences 500 --spoken 4 --language es"""


def _materials(
    languages: list[Language], flow: str, folder: Path, progress: Progress
) -> list[Material]:
    """The languages whose voice is there; all fixed sentences are rendered into `folder`."""
    config = SpeakingConfig(cache=folder)
    bar = progress.add_task("prompts")

    def tell(what: str, done: int, total: int) -> None:
        progress.update(bar, description=f"prompts, {what}", completed=done, total=total)

    return [open_material(config, each, flow, tell) for each in languages]


def main(
    language: Annotated[
        list[str] | None, typer.Option(help="en or es; more than once; default: both")
    ] = None,
    flow: Annotated[str, typer.Option(help="Whose prompts are spoken")] = "collections",
    sentences: Annotated[
        int, typer.Option(min=1, help="For clicks and memory; 10,000 take some minutes")
    ] = 10_000,
    spoken: Annotated[
        int, typer.Option(min=1, help="Said in real time by each voice, of each kind, twice")
    ] = 10,
    timed: Annotated[int, typer.Option(min=1, help="For each voice's real-time factor")] = 60,
    json_path: Annotated[Path | None, typer.Option("--json", help="Figures go here")] = None,
) -> None:
    """Measure and judge."""
    console = Console(highlight=False)
    chosen = language or ["en", "es"]
    if not set(chosen) <= {"en", "es"}:
        raise typer.BadParameter("en or es", param_hint="--language")
    languages: list[Language] = [each for each in ("en", "es") if each in chosen]
    json_path = json_path and json_path.resolve()
    os.chdir(ROOT)  # where the shipped voices are
    configure_logging(logging.WARNING)
    try:
        with tempfile.TemporaryDirectory() as folder, Progress(console=console) as progress:
            materials = _materials(languages, flow, Path(folder), progress)
            bars: dict[str, TaskID] = {}

            def tell(what: str, done: int, total: int) -> None:
                if what not in bars:
                    bars[what] = progress.add_task(what)
                progress.update(bars[what], completed=done, total=total)

            measured = measure(materials, Plan(timed, spoken, sentences), tell)
    except ApplianceError as error:
        console.print(f"bench_speech: {error}")
        raise typer.Exit(BROKEN) from error
    found = verdicts(measured)
    where = machine()
    report = {"targets": [each.as_json() for each in found], "machine": where, **measured}
    if json_path:
        json_path.write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n", "utf-8")
    _print(console, found)
    console.print(f"{where['cpu']}, {where['cores']} cores, load {where['load_1min']}")
    raise typer.Exit(KEPT if all(each.kept for each in found) else MISSED)


def _print(console: Console, found: list[Verdict]) -> None:
    table = Table("Target", "Wanted", "Reached", "Of the limit", "")
    for each in found:
        share = "" if each.times is None else f"{each.times:.0%}"
        verdict = "kept" if each.kept else "missed"
        table.add_row(each.name, each.wanted, each.reached, share, verdict)
    console.print(table)


if __name__ == "__main__":
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
    app.command(epilog=_EXAMPLES)(main)
    app()

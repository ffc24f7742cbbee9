"""How well does the appliance hear? Word errors, slots, words out of nothing, time, by line.

Judges a model folder through the recognizer that the appliance itself uses, on the sets that
models/stt/recipe/testset.py makes, over simulated telephone lines. With --yardstick pocketsphinx
hears the same samples. Exit code: 0 all targets kept, 1 some missed, 2 wrong usage or set-up.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

import appliance.cli.single_thread  # noqa: F401 (before numpy: as in the appliance)
from appliance.checksums import digest
from appliance.config import HearingConfig
from appliance.errors import ApplianceError
from appliance.stt.whisper import WhisperRecognizer
from appliance.testing.figures import machine
from appliance.testing.hearing.suite import Plan, measure
from appliance.testing.hearing.targets import Verdict, verdicts
from appliance.testing.hearing.yardstick import Sphinx
from appliance.types import Language

KEPT, MISSED, BROKEN = 0, 1, 2
_EXAMPLES = """Examples:

scripts/bench_hearing.py models/stt/en --sets DIR/test/en --yardstick --json en.json

scripts/bench_hearing.py models/stt/es --sets DIR/test/es --language es --most 50"""


def main(
    model: Annotated[Path, typer.Argument(help="Model folder")],
    sets: Annotated[Path, typer.Option(help="Folder of test sets")],
    language: Annotated[str, typer.Option(help="en or es")] = "en",
    most: Annotated[int | None, typer.Option(min=2, help="Utterances a set at most")] = None,
    quiet_minutes: Annotated[float, typer.Option(min=1, help="Noise, music and tones")] = 30.0,
    yardstick: Annotated[bool, typer.Option(help="pocketsphinx too (English)")] = False,
    yardstick_most: Annotated[int, typer.Option(min=2, help="Utterances a set for it")] = 60,
    json_path: Annotated[Path | None, typer.Option("--json", help="Figures go here")] = None,
) -> None:
    """Measure and judge."""
    console = Console(stderr=True)
    if language not in {"en", "es"}:
        raise typer.BadParameter("en or es", param_hint="--language")
    spoken: Language = "es" if language == "es" else "en"
    config = HearingConfig()
    plan = Plan(sets, spoken, most, quiet_minutes, yardstick_most, config.min_confidence)
    try:
        recognizer = WhisperRecognizer(model, config, spoken)
        other = Sphinx() if yardstick else None
        with console.status("…") as status:
            measured = measure(recognizer, plan, other, status.update)
    except ApplianceError as error:
        console.print(f"bench_hearing: {error}")
        raise typer.Exit(BROKEN) from error
    found = verdicts(measured, spoken)
    report = {
        "model": {"folder": model.name, "sha256": digest(model / "model.bin")},
        "language": spoken,
        "most": most,
        "machine": machine(),
        "targets": [each.as_json() for each in found],
        **measured,
    }
    if json_path:
        json_path.write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n", "utf-8")
    _print(Console(), found, measured)
    raise typer.Exit(KEPT if all(each.kept for each in found) else MISSED)


def _print(console: Console, found: list[Verdict], measured: dict[str, Any]) -> None:
    table = Table("Target", "Wanted", "Reached", "95% interval", "")
    for each in found:
        unit = "{:.1f} ms" if each.interval is None else "{:.1%}"
        low_high = "–".join(f"{end:.1%}" for end in each.interval or ())
        verdict = "kept" if each.kept else "missed"
        table.add_row(each.name, each.wanted, unit.format(each.reached), low_high, verdict)
    console.print(table)
    table = Table("Word errors, % (exact, %)", *next(iter(measured["sets"].values()))["lines"])
    for name, rows in measured["sets"].items():
        cells = [
            f"{100 * row['wer']['value']:.1f} ({100 * row['exact']['value']:.0f})"
            for row in rows["lines"].values()
        ]
        table.add_row(name, *cells[: len(table.columns) - 1])
    console.print(table)


if __name__ == "__main__":
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
    app.command(epilog=_EXAMPLES)(main)
    app()

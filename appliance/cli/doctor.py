"""`appliance doctor`: is everything as it should be? Thin."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Annotated

import typer
from rich.console import Console

from appliance.checkup.finding import Finding, Status, exit_code, worst
from appliance.checkup.rounds import check_up
from appliance.cli.places import CONFIG, ConfigOption
from appliance.clock import SystemClock

_SIGNS = {Status.OK: "✓", Status.SKIPPED: "·", Status.WARN: "!", Status.FAIL: "✗"}
_STYLES = {Status.OK: "green", Status.SKIPPED: "dim", Status.WARN: "yellow", Status.FAIL: "red"}


def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for monitoring")] = False,
    call: Annotated[
        bool, typer.Option(help="Place a test call to the own extension (a quarter of a minute)")
    ] = True,
    only: Annotated[list[str] | None, typer.Option(help="Make this check only; repeatable")] = None,
    config: ConfigOption = CONFIG,
) -> None:
    """Check the box: configuration, machine, models, services, PBX, and a real call.

    It changes nothing, and may be used while calls are up. Exit code: 0 all is good, 1 there are
    warnings, 2 something fails.
    """
    found: list[Finding] = []
    for each in check_up(config, SystemClock(), only or (), call=call):
        found.append(each)
        if not as_json:
            show(each)
    if as_json:
        told = {"status": worst(found), "findings": [asdict(each) for each in found]}
        typer.echo(json.dumps(told, ensure_ascii=False, indent=2))
    else:
        typer.echo(_summary(found))
    raise typer.Exit(exit_code(found))


def show(finding: Finding) -> None:
    """One finding for a person, with what to do below it."""
    console = Console(highlight=False, soft_wrap=True, markup=False)
    style = _STYLES[finding.status]
    console.print(f"{_SIGNS[finding.status]} {finding.check:<20} {finding.seen}", style=style)
    if finding.remedy:
        console.print(f"{'':<22} → {finding.remedy}")


def _summary(found: list[Finding]) -> str:
    counts = {status: sum(each.status is status for each in found) for status in Status}
    said = f"{counts[Status.OK]} good"
    for status, word in ((Status.WARN, "warnings"), (Status.FAIL, "failures"),
                         (Status.SKIPPED, "not made")):  # fmt: skip
        said += f", {counts[status]} {word}" if counts[status] else ""
    return f"\n{said}"

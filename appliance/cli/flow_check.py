"""`appliance flow check`: what the checker found, for people, for programs and as scenarios."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml
from rich.console import Console

from appliance.dialogue.campaign import read_campaign
from appliance.dialogue.checker.script import dialogue, scenario
from appliance.dialogue.checker.verdict import Failure, Verdict, check_flow
from appliance.dialogue.flow import Flow
from appliance.errors import ConfigError
from appliance.flows.registry import read_flow

_WRITTEN = "# Written by `appliance flow check --scenarios`"


def check_flows(
    flows: tuple[str, ...],
    scenarios: Path | None,
    console: Console,
    *,
    as_json: bool,
    campaign: Path | None = None,
) -> tuple[bool, list[dict[str, Any]]]:
    """Check flows, and print what was found unless it is wanted as JSON.

    `campaign`: a file that is laid over the first of them.

    Returns:
        Whether all of them are proven, and a report on each as values for JSON.

    Raises:
        ConfigError: a flow does not load, or the scenarios cannot be written.
    """
    if scenarios is not None and len(flows) != 1:
        raise ConfigError("--scenarios: a scenario belongs to a flow: name just one")
    proven, reports = True, []
    over = read_campaign(campaign) if campaign else None
    for name in flows:
        flow = read_flow(name, over)
        over = None
        verdict = check_flow(flow)
        proven = proven and verdict.proven
        reports.append(_report(flow, verdict))
        if not as_json:
            _print(console, flow, verdict)
        if scenarios is not None:
            count = _write(flow, verdict, scenarios)
            if not as_json:
                said = f"{count} scenarios written to {scenarios}" if count else "nothing to write"
                console.print(f"{said}: they show each failure that a dialogue leads to")
    return proven, reports


def _report(flow: Flow, verdict: Verdict) -> dict[str, Any]:
    return {
        "flow": verdict.flow,
        "hash": verdict.hash,
        "states": verdict.states,
        "transitions": verdict.transitions,
        "seconds": verdict.seconds,
        "properties": [
            {"title": title, "holds": verdict.holds(title)} for title in verdict.properties
        ],
        "failures": [
            {
                "title": failure.title,
                "detail": failure.detail,
                "dialogue": dialogue(flow, failure),
                "scenario": scenario(flow, failure, name) if failure.path else None,
            }
            for name, failure in _named(verdict)
        ],
    }


def _named(verdict: Verdict) -> Iterator[tuple[str, Failure]]:
    for number, failure in enumerate(verdict.failures, 1):
        yield f"failure {number}: {failure.detail}", failure


def _print(console: Console, flow: Flow, verdict: Verdict) -> None:
    result = "[bold green]proven[/]" if verdict.proven else "[bold red]refused[/]"
    console.print(
        f"[bold]{verdict.flow}[/] {verdict.hash}  {result}  {verdict.states} states,"
        f" {verdict.transitions} transitions, {verdict.seconds} s"
    )
    for title in verdict.properties:
        mark, style = ("✓", "green") if verdict.holds(title) else ("✗", "red")
        console.print(f"  [{style}]{mark}[/] ", end="")
        console.print(title, markup=False)
    shown: dict[tuple[str, ...], list[str]] = {}
    for failure in verdict.failures:
        lines = tuple(dialogue(flow, failure))
        shown.setdefault(lines, []).append(f"{failure.title}: {failure.detail}")
    for lines, failures in shown.items():  # what one dialogue shows is said together
        for each in failures:
            console.print(each, style="red", markup=False)
        for line in lines:
            console.print(f"    {line}", markup=False)


def _write(flow: Flow, verdict: Verdict, path: Path) -> int:
    """Write every failure that has a dialogue as a scenario; returns how many there are."""
    found = [scenario(flow, failure, name) for name, failure in _named(verdict) if failure.path]
    if not found:
        return 0
    if path.exists() and not path.read_text(encoding="utf-8").startswith(_WRITTEN):
        raise ConfigError(f"{path}: is there already, and is your own: choose another name")
    text = yaml.safe_dump(found, sort_keys=False, allow_unicode=True, width=100)
    about = (
        f"{_WRITTEN} for {flow.name} {flow.hash}.\n# They pass as long as the failures are there.\n"
    )
    try:
        path.write_text(about + text, encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{path}: cannot be written: {error.strerror}") from error
    return len(found)

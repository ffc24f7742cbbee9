"""`appliance flow test`: written scenarios and simulated callers, with what they cover."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from appliance.cli.chat import as_listened, example_accounts, understanding
from appliance.dialogue.faults import FaultyFlowError
from appliance.dialogue.flow import Flow
from appliance.dialogue.rehearsal import sample_fact
from appliance.errors import ConfigError
from appliance.flows.coverage import Coverage
from appliance.flows.registry import read_flow
from appliance.flows.scenario import load_scenarios
from appliance.flows.scenario_names import find_scenario_problems
from appliance.flows.simulated import Walks, simulate
from appliance.flows.suite import Result, run_scenarios, scenario_files
from appliance.store.accounts import load_accounts

_COVERED = ("states", "routes", "prompts")


@dataclass(frozen=True, slots=True)
class Simulation:
    """Simulated calls, and how long they took; `wrong` says which call did what it must not."""

    walks: Walks
    seconds: float
    wrong: str = ""


@dataclass(slots=True)
class Tested:
    """What the tests of one flow came to."""

    flow: Flow
    coverage: Coverage
    results: list[tuple[Path, Result]] = field(default_factory=list)
    simulation: Simulation | None = None

    @property
    def failed(self) -> list[tuple[Path, Result]]:
        """The scenarios that did not go as written."""
        return [(path, result) for path, result in self.results if result.wrong]

    @property
    def passed(self) -> bool:
        """Whether nothing went wrong."""
        return not self.failed and not (self.simulation and self.simulation.wrong)


def try_flow(name: str, scenarios: Path | None) -> Tested:
    """Run the scenario files beside a flow, or this one.

    Raises:
        ConfigError: the flow, its accounts or a file of scenarios cannot be used.
    """
    flow = read_flow(name)
    accounts = _accounts(flow)
    files = scenario_files(flow) if scenarios is None else [scenarios]
    tested = Tested(flow, Coverage(flow))
    understand = as_listened(understanding(None))
    for path in files:
        problems = list(find_scenario_problems(flow, load_scenarios(path).values()))
        if problems:
            raise ConfigError("\n".join(f"{path}: {each}" for each in problems))
        for result in run_scenarios(flow, path, accounts, understand, tested.coverage):
            tested.results.append((path, result))
    return tested


def simulate_calls(flow: Flow, calls: int, seed: int, console: Console) -> Simulation:
    """Walk simulated calls through a flow, with a bar that shows how far they are."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    started = time.perf_counter()
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task(f"{flow.name}: simulated calls", total=calls)
        try:
            walks = simulate(flow, calls, seed, lambda done: progress.update(task, completed=done))
        except (AssertionError, FaultyFlowError) as error:
            wrong = f"{type(error).__name__}: {error}"
            return Simulation(Walks(Coverage(flow)), time.perf_counter() - started, wrong)
    return Simulation(walks, time.perf_counter() - started)


def report(tested: Tested) -> dict[str, Any]:
    """The same as values for JSON."""
    found: dict[str, Any] = {
        "flow": tested.flow.name,
        "hash": tested.flow.hash,
        "scenarios": [
            {"file": str(path), "name": each.name, "turns": each.turns, "wrong": each.wrong}
            for path, each in tested.results
        ],
        "coverage": _coverage(tested.coverage),
    }
    simulation = tested.simulation
    if simulation is not None:
        walks = simulation.walks
        found["random"] = {
            "calls": walks.calls,
            "turns": walks.turns,
            "seconds": round(simulation.seconds, 3),
            "outcomes": dict(walks.outcomes.most_common()),
            "coverage": _coverage(walks.coverage),
            "wrong": simulation.wrong,
        }
    return found


def show(console: Console, tested: Tested) -> None:
    """Print it."""
    console.print(f"[bold]{tested.flow.name}[/] {tested.flow.hash}")
    for path, result in tested.failed:
        console.print(f"  ✗ {result.wrong}  ({path.name})", style="red", markup=False)
    count, failed = len(tested.results), len(tested.failed)
    if count:
        console.print(f"  {count - failed} of {count} scenarios pass")
        _show_coverage(console, tested.coverage)
    else:
        console.print("  no scenarios: write some into scenarios.yaml beside the flow")
    if tested.simulation is not None:
        _show_simulation(console, tested.simulation)


def _show_simulation(console: Console, simulation: Simulation) -> None:
    walks = simulation.walks
    if simulation.wrong:
        console.print(f"  ✗ a simulated call: {simulation.wrong}", style="red", markup=False)
        console.print("    `appliance flow check` shows the shortest dialogue that leads there")
        return
    rate = walks.calls / max(simulation.seconds, 1e-9)
    console.print(
        f"\n  {walks.calls} simulated calls in {simulation.seconds:.1f} s: {rate:.0f} a second,"
        f" {walks.turns / max(walks.calls, 1):.1f} turns each"
    )
    table = Table(box=None, padding=(0, 2))
    table.add_column("outcome")
    table.add_column("calls", justify="right")
    table.add_column("share", justify="right")
    for outcome, calls in walks.outcomes.most_common():
        table.add_row(outcome, str(calls), f"{calls / walks.calls:.1%}")
    console.print(table)
    _show_coverage(console, walks.coverage)


def _show_coverage(console: Console, coverage: Coverage) -> None:
    for kind in _COVERED:
        passed, total = coverage.share(kind)
        missing = coverage.missing(kind)
        style = "green" if not missing else "yellow"
        console.print(f"  {kind}: {passed} of {total} covered", style=style)
        for name in missing:
            console.print(f"    - {name}", markup=False)


def _coverage(coverage: Coverage) -> dict[str, Any]:
    return {
        kind: dict(zip(("covered", "total"), coverage.share(kind), strict=True))
        | {"missing": coverage.missing(kind)}
        for kind in _COVERED
    }


def _accounts(flow: Flow) -> Mapping[str, Any]:
    """The invented accounts beside a flow; without a file, one without data."""
    if flow.folder is None:
        raise ConfigError(f"flow {flow.name}: has no folder, so no scenarios")
    path = example_accounts(flow.folder)
    accounts = load_accounts(path).all() if path.exists() else {"default": {}}
    entry = {name: sample_fact(flow, name) for name in flow.spec.entry}
    for number, account in accounts.items():
        try:
            flow.bind("test", account, flow.languages[0], entry=entry)
        except ConfigError as error:
            raise ConfigError(f"{path}: {number}: {error}") from error
    return accounts

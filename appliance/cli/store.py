"""`appliance store`: the version of the databases, and whether they are whole. Thin."""

from __future__ import annotations

from pathlib import Path

import typer

from appliance.cli.owner import load_as_owner
from appliance.cli.places import CONFIG, ConfigOption
from appliance.clock import SystemClock
from appliance.store.checking import check_all
from appliance.store.migrating import migrate_all

store_app = typer.Typer(help="The databases of the box.", no_args_is_help=True)


@store_app.command("migrate", epilog="Example: appliance store migrate --config appliance.toml")
def migrate(config: ConfigOption = CONFIG) -> None:
    """Bring the databases to what this program needs; a backup is written first if there is cause.

    May be run at any time and as often as you like, also while the agent runs.
    """
    backup, done = migrate_all(load_as_owner(config), SystemClock().now())
    if backup is not None:
        typer.echo(f"backup: {backup}")
    for each in done:
        for step in each.steps:
            typer.echo(f"{each.path}: revision {step.revision}: {step.what}")
        if each.made:
            typer.echo(f"{each.path}: made")
        elif not each.steps:
            typer.echo(f"{each.path}: nothing to do")


@store_app.command("status", epilog="Example: appliance store status --config appliance.toml")
def status(config: ConfigOption = CONFIG) -> None:
    """Say which revision the databases are of (exit code 1 if this program cannot use one)."""
    _tell(config, deep=False)


@store_app.command("check", epilog="Example: appliance store check --config appliance.toml")
def check(config: ConfigOption = CONFIG) -> None:
    """Also read all of them and compare their tables with this program (code 1: damaged)."""
    _tell(config, deep=True)


def _tell(path: Path, *, deep: bool) -> None:
    found = check_all(load_as_owner(path), deep=deep)
    for each in found:
        typer.echo(f"{each.path}: {each.said}" if not each.problems else f"{each.path}: NOT good")
        for problem in each.problems:
            typer.echo(f"  {problem}")
    raise typer.Exit(1 if any(each.problems for each in found) else 0)

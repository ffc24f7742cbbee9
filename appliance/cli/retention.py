"""`appliance retention`, `erase`, `stops`: what is kept no longer, and what is for good. Thin."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Annotated

import typer

from appliance.cli.box import Box, opened, print_table
from appliance.cli.places import CONFIG, ConfigOption
from appliance.clock import SystemClock
from appliance.errors import ConfigError
from appliance.store.archives import archives
from appliance.store.erasure import Eraser, Erasure
from appliance.store.people import person
from appliance.store.retention import Retention
from appliance.store.stops import Stops

retention_app = typer.Typer(help="How long data are kept.", no_args_is_help=True)
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only say what would be removed")]


@retention_app.command("run", epilog="Example: appliance retention run --dry-run")
def run(
    dry_run: DryRun = False,
    clock_is_right: Annotated[
        bool, typer.Option("--clock-is-right", help="Also if the last run was long ago")
    ] = False,
    config: ConfigOption = CONFIG,
) -> None:
    """Remove what is older than [retention] has it kept. May be run while the agent runs."""
    with opened(config) as box:
        work = Retention(box.database, box.config, SystemClock().now())
        swept = work.try_out() if dry_run else work.run(clock_is_right=clock_is_right)
    would = "would be removed" if dry_run else "removed"
    for what, count in sorted(swept.removed.items()):
        typer.echo(f"{what}: {count} {would}")
    if not swept.removed:
        typer.echo("Nothing is old enough to be removed.")
    if swept.stops:
        typer.echo(f"{swept.stops} new stop requests are kept for good")
    for each in swept.erasures:
        typer.echo(f"erasure {each.id}: " + ("still owes" if each.kept else "is done"))
        _tell(each, "removed")
    for note in swept.notes:
        typer.echo(note)


def erase(
    number: Annotated[str, typer.Argument(metavar="NUMBER", help="The person's telephone number")],
    account: Annotated[
        list[str] | None, typer.Option(help="Also this account of the person's; may be repeated")
    ] = None,
    email: Annotated[
        list[str] | None, typer.Option(help="Also by this e-mail address; may be repeated")
    ] = None,
    dry_run: DryRun = False,
    config: ConfigOption = CONFIG,
) -> None:
    """Erase a person: calls, requests, bookings, conversations, and what is known of the number.

    What is still owed, and what the law keeps, stays for now and is named; `retention run` removes
    it as soon as it may. Stop requests stay for good. Give "" as the number of somebody who has
    never called.
    """
    try:
        who = person(number, tuple(account or ()), tuple(email or ()))
    except ValueError as error:
        raise ConfigError(f"erase: {error}") from error
    with opened(config) as box:
        eraser = Eraser(
            box.database, box.config.record.folder, box.config.retention, SystemClock().now()
        )
        done = eraser.try_out(who) if dry_run else eraser.erase(who)
        if not dry_run:
            box.database.shrink_log()
        _tell(done, "would be removed" if dry_run else "removed")
        _tell_of_elsewhere(box, done)


def _tell(done: Erasure, removed: str) -> None:
    for what, count in sorted(done.removed.items()):
        typer.echo(f"{what}: {count} {removed}")
    if not done.removed and not done.kept:
        typer.echo("Nothing of this person is here.")
    for what, kept, count in done.kept:
        until = f" until {kept.until:%Y-%m-%d}" if kept.until else ""
        typer.echo(f"{what}: {count} kept{until}: {kept.why}")
    if done.stops:
        typer.echo(f"stops: {done.stops} kept for good: whoever asked for no calls gets none")


def _tell_of_elsewhere(box: Box, done: Erasure) -> None:
    """Where else something may be, that this command does not reach."""
    if done.accounts:
        accounts = ", ".join(done.accounts)
        typer.echo(f"The calls were about account {accounts}; for what others did about it, give "
                   "--account")  # fmt: skip
    if box.config.call.accounts is not None:
        typer.echo(f"{box.config.call.accounts}: is yours: take the number out of it")
    if box.config.desk.request_tracker is not None:
        typer.echo(f"{box.config.desk.request_tracker.url}: tickets there are yours to remove")
    if count := len(archives(box.config.backup.folder)):
        typer.echo(f"{count} backups still hold it until newer ones take their place; a restore "
                   "erases it again")  # fmt: skip


def stops(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead")] = False,
    config: ConfigOption = CONFIG,
) -> None:
    """List who asked not to be called again: whoever places calls must ask here first."""
    with opened(config) as box:
        folder, now = box.config.record.folder, SystemClock().now()
        Eraser(box.database, folder, box.config.retention, now).keep_stops()
        found = Stops(box.database).all()
    if as_json:
        told = [{**asdict(each), "at": each.at.isoformat()} for each in found]
        typer.echo(json.dumps(told, indent=2))
        return
    rows = [[each.number, each.account, f"{each.at:%Y-%m-%d %H:%M}", each.tool] for each in found]
    print_table(("number", "account", "since", "by"), rows, "Nobody has asked for no calls.")

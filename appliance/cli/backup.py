"""`appliance backup` and `appliance restore`: what is kept against the loss of the disk. Thin."""

from __future__ import annotations

from pathlib import Path
from typing import IO, Annotated

import typer

from appliance.cli.box import print_table
from appliance.cli.owner import become_owner, load_as_owner
from appliance.cli.places import CONFIG, ConfigOption
from appliance.clock import SystemClock
from appliance.config import load_config
from appliance.errors import StoreError
from appliance.store.archive_reading import verify as verify_archive
from appliance.store.archive_writing import write_archive
from appliance.store.archives import archives, places_of, prune
from appliance.store.restoring import restore as restore_archive

backup_app = typer.Typer(help="Archives of all that the box keeps.", no_args_is_help=True)
_MB = 1_000_000


@backup_app.command("create", epilog="Example: appliance backup create --config appliance.toml")
def create(config: ConfigOption = CONFIG) -> None:
    """Write an archive, read it back, and remove the oldest. May be run while the agent runs."""
    loaded = load_as_owner(config)
    path = write_archive(places_of(loaded), loaded.backup.folder, SystemClock().now())
    typer.echo(f"{path}  {path.stat().st_size / _MB:.1f} MB")
    for each in prune(loaded.backup):
        typer.echo(f"{each}  removed: there are {loaded.backup.keep} newer ones")


@backup_app.command("list", epilog="Example: appliance backup list --config appliance.toml")
def show(config: ConfigOption = CONFIG) -> None:
    """List the archives, the oldest first."""
    found = archives(load_config(config).backup.folder)
    rows = [[f"{each.written:%Y-%m-%d %H:%M:%S}", f"{each.size / _MB:.1f} MB",
             "before a migration" if each.before_migration else "", str(each.path)]
            for each in found]  # fmt: skip
    print_table(("written", "size", "", "file"), rows, "No backup yet.")


@backup_app.command("verify", epilog="Example: appliance backup verify backups/appliance-….tar.gz")
def verify(
    file: Annotated[Path, typer.Argument(help="The archive")],
) -> None:
    """Read all of an archive and check every file in it."""
    with _content(file) as content:
        become_owner(file.parent)
        found = verify_archive(file, content)
    typer.echo(f"{file}: good; written {found.written:%Y-%m-%d %H:%M:%S} by version "
               f"{found.program}; {found.calls} calls, {found.size / _MB:.1f} MB")  # fmt: skip


def restore(
    file: Annotated[Path, typer.Argument(help="The archive")],
    config: ConfigOption = CONFIG,
) -> None:
    """Put an archive in place of what is there; the agent must be stopped.

    The archive is verified first, and migrated if it is of an older version. What was there is kept
    beside, under a name that is printed. Stop requests and erasures from after the backup count.
    """
    with _content(file) as content:
        done = restore_archive(file, load_as_owner(config), SystemClock().now(), content)
    calls = "the calls stay as they are" if done.calls is None else f"{done.calls} calls"
    typer.echo(f"restored: the store of {done.written:%Y-%m-%d %H:%M:%S}; {calls}")
    for line in done.notes:
        typer.echo(line)
    for path in done.kept:
        typer.echo(f"kept what was there: {path}  (remove it when you need it no more)")


def _content(file: Path) -> IO[bytes]:
    """An archive, open: root may read it where the owner of the data may not."""
    try:
        return file.open("rb")
    except OSError as error:
        raise StoreError(f"backup {file}: cannot be read: {error.strerror}") from error

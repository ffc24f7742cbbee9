"""`appliance version`, `rollback` and what install.sh calls to switch to a version. Thin."""

from __future__ import annotations

import importlib.metadata
from typing import Annotated

import typer

from appliance.cli.places import INSTALLED, ConfigOption
from appliance.errors import ConfigError
from appliance.versions import Places, Versions, activate, assert_acceptable

_DISTRIBUTION = "voice-appliance"


def version(
    installed: Annotated[
        bool, typer.Option("--installed", help="All that this box has, and which of them runs")
    ] = False,
) -> None:
    """Say which version this is."""
    if not installed:
        typer.echo(importlib.metadata.version(_DISTRIBUTION))
        return
    versions = Versions(Places())
    for each in versions.whole:
        marks = {versions.current: "current", versions.previous: "previous"}
        typer.echo(f"{each}  {marks.get(each, '')}".rstrip())


def rollback(config: ConfigOption = INSTALLED) -> None:
    """Go back to the version that ran before; calls end first, and the data stay as they are.

    Refused where that version cannot read what the present one has made of the data.
    """
    versions = Versions(Places())
    wanted = versions.previous
    if not wanted:
        raise ConfigError(f"no version to go back to in {versions.folder('')}")
    if config.is_file():
        assert_acceptable(versions, wanted, config)
    _activate(versions, wanted)


def activate_version(
    wanted: Annotated[str, typer.Argument(metavar="VERSION", help="One that is installed whole")],
) -> None:
    """Switch to a version: what install.sh does last. It has asked that version before."""
    _activate(Versions(Places()), wanted)


def _activate(versions: Versions, wanted: str) -> None:
    before = versions.current
    restarted = activate(versions, wanted)
    was = f", it was {before}" if before and before != wanted else ""
    typer.echo(f"version {wanted} is current{was}; restarted: {', '.join(restarted) or 'nothing'}")

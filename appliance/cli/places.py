"""Where the box's configuration is, for the commands that are given on an installed box."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

INSTALLED = Path("/etc/appliance/appliance.toml")
HERE = Path("appliance.toml")
BoxConfigOption = Annotated[
    Path | None,
    typer.Option(
        "--config", "-c", help=f"The TOML file; default: ./{HERE} if it is there, else {INSTALLED}"
    ),
]


def config_path(given: Path | None) -> Path:
    """The file that is meant."""
    return given or (HERE if HERE.is_file() else INSTALLED)

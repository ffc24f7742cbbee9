"""Which configuration a command is about, where none is named."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

HERE, INSTALLED = Path("appliance.toml"), Path("/etc/appliance/appliance.toml")
CONFIG = INSTALLED if INSTALLED.is_file() and not HERE.is_file() else HERE
"""The one of this folder, else that of an installed box."""
ConfigOption = Annotated[
    Path, typer.Option("--config", "-c", help="The TOML file", show_default=True)
]

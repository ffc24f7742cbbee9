"""How a script that measures is run, and what its exit code says."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import typer

from appliance.errors import ApplianceError

KEPT, MISSED, BROKEN = 0, 1, 2
"""The limits were kept; one was missed; wrong usage or set-up."""


def run_command(command: Callable[..., Any], examples: str) -> None:
    """Run a command with the process's arguments; what the appliance cannot do is told, not traced.

    Args:
        command: a function with Typer's parameters; it ends by `typer.Exit`.
        examples: what `--help` ends with.
    """
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
    app.command(epilog=examples)(command)
    try:
        app()
    except ApplianceError as error:
        typer.echo(f"{Path(sys.argv[0]).stem}: {error}", err=True)
        sys.exit(BROKEN)

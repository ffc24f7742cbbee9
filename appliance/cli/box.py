"""What the commands share that look into the database of a box: its configuration and tables."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from appliance.cli.owner import load_as_owner
from appliance.config import Config
from appliance.store.database import Database

_PIPE_WIDTH = 400


@dataclass(frozen=True, slots=True)
class Box:
    """An appliance as it is configured; it may be running."""

    config: Config
    database: Database


@contextmanager
def opened(path: Path) -> Iterator[Box]:
    """Open the database that a configuration names, as its owner: read other files before.

    Raises:
        ConfigError: the file cannot be used, or root may not become the owner.
        StoreError: the database cannot be opened.
    """
    config = load_as_owner(path)
    database = Database(config.record.store)
    try:
        yield Box(config, database)
    finally:
        database.close()


def printable(text: str) -> str:
    """A text from elsewhere on one line, without signs by which a terminal does something."""
    return "".join(each if each.isprintable() else " " for each in text)


def print_table(columns: Sequence[str], rows: Sequence[Sequence[str]], empty: str) -> None:
    """Print rows under their columns, or what is said where there are none."""
    if not rows:
        typer.echo(empty)
        return
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*(Text(printable(each)) for each in row))
    width = None if sys.stdout.isatty() else _PIPE_WIDTH  # a key must not be broken for programs
    Console(highlight=False, width=width).print(table)

"""Fills the tables of a model card from figures that were measured; nobody types a figure.

A table stands between `<!-- figures: NAME KEY -->` and `<!-- end -->`. NAME is one of the card's
tables, KEY says whose figures: a language, a voice. What lies between is replaced, unless there
are no figures of that key.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

Figures = dict[str, Any]
Tables = Mapping[str, Callable[[Figures], list[str]]]
"""By name: figures → lines of Markdown."""

_BLOCK = re.compile(r"(<!-- figures: (\S+) (\S+) -->\n)(.*?)(<!-- end -->)", re.DOTALL)


def fill(card: str, tables: Tables, figures: Mapping[str, Figures]) -> str:
    """The card with its tables made anew.

    Args:
        card: Markdown.
        tables: that it may ask for.
        figures: by key.

    Raises:
        ValueError: it asks for a table that there is none of.
    """

    def table(match: re.Match[str]) -> str:
        begin, name, key, _, end = match.groups()
        if name not in tables:
            raise ValueError(f"no table {name!r}; there are {', '.join(tables)}")
        if key not in figures:
            return match.group()
        made = "\n".join(tables[name](figures[key]))
        return f"{begin}\n{made}\n\n{end}"

    return _BLOCK.sub(table, card)


def run(description: str | None, tables: Tables, key: str) -> None:
    """The command line of a card: CARD FIGURES… [--check].

    Args:
        description: for --help.
        tables: of the card.
        key: of the figures' JSON, whose value the card calls them by.
    """
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("card", type=Path)
    parser.add_argument("figures", type=Path, nargs="+", help="JSON of the measurement")
    parser.add_argument("--check", action="store_true", help="write nothing")
    args = parser.parse_args()
    read = [json.loads(path.read_text(encoding="utf-8")) for path in args.figures]
    card = args.card.read_text(encoding="utf-8")
    made = fill(card, tables, {each[key]: each for each in read})
    if args.check:
        sys.exit(int(made != card))
    args.card.write_text(made, encoding="utf-8")

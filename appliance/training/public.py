"""Reads BANKING77 and CLINC150 as their authors publish them.

*.csv    columns text, category; "train" or "test" in the name       (BANKING77)
*.json   {"train": [[text, label], ...], "val", "test", and the same with "oos_" before: what is
         out of scope                                                  (CLINC150)
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from appliance.errors import ConfigError
from appliance.training.examples import Example

_HELD_BACK = 10
"""Without a test and a validation part, every tenth training example becomes the test."""


@dataclass(slots=True)
class PublicSet:
    """One set: what to train on, to calibrate on (maybe nothing) and to be judged by."""

    name: str
    train: list[Example] = field(default_factory=list)
    val: list[Example] = field(default_factory=list)
    test: list[Example] = field(default_factory=list)
    held_back: bool = False

    def split(self) -> None:
        """Hold back a test part where there is none, of the validation or of the training."""
        if self.test:
            return
        self.held_back = True
        if self.val:
            self.val, self.test = self.val[::2], self.val[1::2]
        else:
            self.test = self.train[::_HELD_BACK]
            self.train = [each for n, each in enumerate(self.train) if n % _HELD_BACK]


def read_public(folder: Path) -> list[PublicSet]:
    """The sets in a folder: all CSV files are one, all JSON files are another.

    Raises:
        ConfigError: there is none, or a file is not of the form.
    """
    sets = [
        found
        for found in (
            _of_csv(sorted(folder.glob("*.csv"))),
            _of_json(sorted(folder.glob("*.json"))),
        )
        if found and (found.train or found.test)
    ]
    if not sets:
        raise ConfigError(
            f"{folder}: no set of examples: expected CSV files with the columns text,category and "
            "train or test in their names, or JSON with the keys train, val, test"
        )
    for each in sets:
        if not each.train:
            raise ConfigError(f"{folder}: {each.name} has no training part")
        each.split()
    return sets


def _of_csv(paths: list[Path]) -> PublicSet | None:
    found = PublicSet(_name(paths)) if paths else None
    for path in paths:
        part = next((part for part in ("train", "val", "test") if part in path.stem), None)
        if found and part:
            with path.open(encoding="utf-8-sig", newline="") as rows:
                getattr(found, part).extend(_rows(path, csv.DictReader(rows)))
    return found


def _rows(path: Path, rows: csv.DictReader[str]) -> Iterator[Example]:
    try:
        for row in rows:
            yield Example(row["text"].strip(), (row["category"].strip(),))
    except (KeyError, AttributeError, csv.Error, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: needs the columns text,category") from error


def _of_json(paths: list[Path]) -> PublicSet | None:
    found = PublicSet(_name(paths)) if paths else None
    for path in paths:
        try:
            stored = json.loads(path.read_text("utf-8"))
            for part in ("train", "val", "test") if found else ():
                examples = getattr(found, part)
                examples += [Example(*each) for each in _pairs(stored.get(part, ()))]
                outside = _pairs(stored.get(f"oos_{part}", ()))
                examples += [Example(text, ()) for text, _ in outside]
        except (ValueError, TypeError, AttributeError) as error:
            raise ConfigError(
                f"{path}: expected pairs of text and label under train, val and test"
            ) from error
    return found


def _pairs(rows: Sequence[object]) -> Iterator[tuple[str, tuple[str]]]:
    for row in rows:
        if not isinstance(row, list) or list(map(type, row)) != [str, str]:
            raise TypeError(row)
        yield row[0], (row[1],)


def _name(paths: list[Path]) -> str:
    return paths[0].stem.split("_")[0]

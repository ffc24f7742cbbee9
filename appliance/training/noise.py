"""What a recognizer makes of words: a table of its confusions, drawn from at random.

    said <tab> heard <tab> count        "heard" may be empty (lost) or several words

The table comes from examples that were spoken and recognized (models/intent/recipe/confusions.py).
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

from appliance.errors import ConfigError
from appliance.types import Language

_Heard = list[tuple[str, int]]


class Noise:
    """Replaces words by what a recognizer has heard for them. Without a table it drops a few."""

    def __init__(self, tables: Mapping[Language, Mapping[str, _Heard]] | None = None) -> None:
        self._tables = dict(tables or {})

    @classmethod
    def load(cls, folder: Path) -> Noise:
        """Read `confusions.LANGUAGE.tsv`; a language without a file only loses words.

        Raises:
            ConfigError: a line is not of the form.
        """
        tables: dict[Language, dict[str, _Heard]] = {}
        for language in ("en", "es"):
            path = folder / f"confusions.{language}.tsv"
            if path.is_file():
                tables["es" if language == "es" else "en"] = _read(path)
        return cls(tables)

    def heard(self, text: str, language: Language, draw: random.Random) -> str:
        """The words as they might be recognized; never nothing."""
        table = self._tables.get(language, {})
        rate = draw.choice((0.5, 1.0, 2.0))  # some lines are worse than others
        words = [self._word(word, table, rate, draw) for word in text.split()]
        return " ".join(filter(None, words)) or text

    @staticmethod
    def _word(word: str, table: Mapping[str, _Heard], rate: float, draw: random.Random) -> str:
        said = word.lower().strip(".,!?")
        found = table.get(said)
        if found is None:
            return "" if draw.random() < _LOST * rate else word
        total = sum(count for _, count in found)
        wrong = [(heard, count) for heard, count in found if heard != said]
        if not wrong or draw.random() > rate * sum(count for _, count in wrong) / total:
            return word
        return draw.choices([heard for heard, _ in wrong], [count for _, count in wrong])[0]


_LOST = 0.04
"""How often a word without an entry is lost."""


def _read(path: Path) -> dict[str, _Heard]:
    table: dict[str, _Heard] = defaultdict(list)
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: cannot be read: {error}") from error
    for number, line in enumerate(lines, 1):
        try:
            said, heard, count = line.split("\t")
            table[said].append((heard, _counted(count)))
        except ValueError as error:
            raise ConfigError(f"{path}:{number}: expected said, heard and count") from error
    return dict(table)


def _counted(said: str) -> int:
    count = int(said)
    if count < 1:
        raise ValueError(said)
    return count

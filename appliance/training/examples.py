"""Reads examples of intents: YAML files, a row for each intent and context.

    LANGUAGE_*.yaml   - intent: stop_request
                        slot: yes_no              what had been asked, where the meaning hangs on it
                        also: [angry]             what is said besides
                        says: ["[please|] (stop|quit) calling me"]

`(a|b)` is either, `[a|b]` and `[a]` may be left out: one line stands for all its readings.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import get_args

from pydantic import BaseModel, ConfigDict, Field, RootModel

from appliance.dialogue.schema import Slot
from appliance.dialogue.yamlfile import read_document
from appliance.errors import ConfigError
from appliance.types import Language

OUT_OF_SCOPE = "out_of_scope"
"""The label of what is none of the intents; no model has it as a class."""
MOST_READINGS = 200
"""A line with more is a mistake."""

_GROUP = re.compile(r"\(([^()\[\]]*)\)|\[([^()\[\]]*)\]")


@dataclass(frozen=True, slots=True)
class Example:
    """One utterance.

    Attributes:
        text: the words.
        intents: what it means, the first before all; none for out of scope.
        slot: what had been asked, if the meaning hangs on it.
        language: of the words.
        line: which line it is a reading of, as `FOLDER/FILE:NUMBER`: no two files share one.
    """

    text: str
    intents: tuple[str, ...]
    slot: Slot | None = None
    language: Language = "en"
    line: str = ""


class _Row(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    intent: str
    slot: Slot | None = None
    also: tuple[str, ...] = ()
    says: tuple[str, ...] = Field(min_length=1)


class _Table(RootModel[tuple[_Row, ...]]):
    pass


def read_examples(folder: Path, language: Language | None = None) -> list[Example]:
    """Every reading of every line in the YAML files of a folder (or of one file).

    Args:
        folder: where they are; a file's name begins with its language ("en_status.yaml").
        language: only these.

    Raises:
        ConfigError: there are none, a file is not of the form, or a line stands for too many.
    """
    paths = [folder] if folder.is_file() else sorted(folder.glob("*.yaml"))
    found: list[Example] = []
    for path in paths:
        spoken = re.split(r"[_.]", path.name)[0]
        if spoken not in get_args(Language):
            raise ConfigError(
                f"{path}: the name must begin with a language, {' or '.join(get_args(Language))}"
            )
        if language is None or spoken == language:
            found += _examples(path, "es" if spoken == "es" else "en")
    if not found:
        raise ConfigError(f"{folder}: no examples (files like en_status.yaml)")
    return found


def _examples(path: Path, language: Language) -> Iterator[Example]:
    document = read_document(path, _Table)
    for number, row in enumerate(document.content.root):
        intents = tuple(dict.fromkeys((row.intent, *row.also)))
        if row.intent == OUT_OF_SCOPE:
            intents = ()
        for place, says in enumerate(row.says):
            line = f"{path}:{document.lines.get((str(number), 'says', str(place)), 0)}"
            for text in readings(says, line):
                yield Example(text, intents, row.slot, language, line)


def readings(line: str, where: str = "") -> list[str]:
    """Everything that a line with alternatives stands for.

    Raises:
        ConfigError: brackets do not match, it stands for more than `MOST_READINGS`, or all of it
            may be left out.
    """
    parts: list[Sequence[str]] = []
    at = 0
    for match in _GROUP.finditer(line):
        either, maybe = match.groups()
        parts.append([line[at : match.start()]])
        parts.append(["", *maybe.split("|")] if either is None else either.split("|"))
        at = match.end()
    parts.append([line[at:]])
    count = 1
    for part in parts:
        count *= len(part)
    if count > MOST_READINGS or any(mark in "".join(map("".join, parts)) for mark in "()[]|"):
        raise ConfigError(
            f"{where}: {line!r}: brackets that do not match, are nested, or stand for more than "
            f"{MOST_READINGS} utterances"
        )
    found = list(dict.fromkeys(" ".join("".join(each).split()) for each in product(*parts)))
    if "" in found:
        raise ConfigError(
            f"{where}: {line!r}: nothing is left of it where all that may is left out"
        )
    return found


def one_reading(examples: Sequence[Example]) -> list[Example]:
    """The last reading of each line: for what is counted by line."""
    return list({each.line: each for each in examples}.values())

"""Reads the rule tables (`rules.*.yaml`): which words mean which intent, with what confidence.

A table is data, so that it can be reviewed and extended without code; here it becomes compiled
patterns, once, when the understander is made.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from appliance.dialogue.intents import INTENTS
from appliance.errors import ConfigError
from appliance.types import Language

_FOLDER = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Rule:
    """One entry of the table, compiled."""

    intent: str
    confidence: float
    pattern: re.Pattern[str]
    unless: re.Pattern[str] | None

    def matches(self, words: str) -> bool:
        """Whether a normalized utterance says it, with what is taken back cut out."""
        if not self.pattern.search(words):
            return False
        return self.unless is None or bool(self.pattern.search(self.unless.sub(" ; ", words)))


class _Entry(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    intent: str
    confidence: float = Field(gt=0, le=1)
    any: tuple[str, ...]
    unless: tuple[str, ...] = ()
    whole: bool = False


class Table(BaseModel):
    """What every table has: named groups of words, used as `<name>` in patterns."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    language: Language
    words: dict[str, tuple[str, ...]]

    def any_of(self, patterns: tuple[str, ...]) -> str:
        """One pattern for any of several, with the groups of words filled in.

        Raises:
            KeyError: a group is not there.
        """
        filled = (
            re.sub(r"<([a-z_]+)>", lambda match: f"({'|'.join(self.words[match[1]])})", pattern)
            for pattern in patterns
        )
        return f"({'|'.join(filled)})"


class _Rules(Table):
    rules: tuple[_Entry, ...]


TableT = TypeVar("TableT", bound=Table)


def load_table(name: str, language: Language, model: type[TableT]) -> TableT:
    """Read a shipped table, e.g. `rules.en.yaml`.

    Raises:
        ConfigError: there is none in this language, or it is malformed.
    """
    path = _FOLDER / f"{name}.{language}.yaml"
    try:
        return model.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))
    except (OSError, yaml.YAMLError, ValidationError) as error:
        raise ConfigError(f"{path}: {error}") from error


def load_rules(language: Language) -> tuple[Rule, ...]:
    """The rules of a language, compiled, in the table's order.

    Raises:
        ConfigError: there is no table, or an entry of it is wrong.
    """
    table = load_table("rules", language, _Rules)
    return tuple(_compile(entry, table) for entry in table.rules)


def _compile(entry: _Entry, table: _Rules) -> Rule:
    if entry.intent not in INTENTS:
        raise ConfigError(f"rules.{table.language}.yaml: {entry.intent} is not an intent")
    try:
        said, polite = table.any_of(entry.any), table.any_of(("<polite>",))
        pattern = rf"^({polite} )*{said}( {polite})*$" if entry.whole else rf"\b{said}\b"
        unless = re.compile(rf"\b{table.any_of(entry.unless)}\b") if entry.unless else None
        return Rule(entry.intent, entry.confidence, re.compile(pattern), unless)
    except (re.error, KeyError) as error:
        raise ConfigError(f"rules.{table.language}.yaml: {entry.intent}: {error}") from error

"""Reads the rule table (`rules.en.yaml`): which words mean which intent, with what confidence.

The table is data, so that it can be reviewed and extended without code; here it becomes compiled
patterns, once, when the understander is made.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from appliance.dialogue.intents import INTENTS
from appliance.errors import ConfigError

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


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    language: Literal["en"]
    words: dict[str, tuple[str, ...]]
    rules: tuple[_Entry, ...]


def load_rules(language: str = "en") -> tuple[Rule, ...]:
    """Read and compile the shipped table of a language, in the table's order.

    Raises:
        ConfigError: there is none, or an entry of it is wrong.
    """
    path = _FOLDER / f"rules.{language}.yaml"
    try:
        table = _Table.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))
    except (OSError, yaml.YAMLError, ValidationError) as error:
        raise ConfigError(f"{path}: {error}") from error
    return tuple(_compile(entry, table.words, path) for entry in table.rules)


def _compile(entry: _Entry, words: dict[str, tuple[str, ...]], path: Path) -> Rule:
    if entry.intent not in INTENTS:
        raise ConfigError(f"{path}: {entry.intent} is not an intent")
    try:
        said = _alternatives(entry.any, words)
        polite = _alternatives(("<polite>",), words)
        pattern = rf"^({polite} )*{said}( {polite})*$" if entry.whole else rf"\b{said}\b"
        unless = rf"\b{_alternatives(entry.unless, words)}\b" if entry.unless else None
        return Rule(
            entry.intent,
            entry.confidence,
            re.compile(pattern),
            re.compile(unless) if unless else None,
        )
    except (re.error, KeyError) as error:
        raise ConfigError(f"{path}: {entry.intent}: {error}") from error


def _alternatives(patterns: tuple[str, ...], words: dict[str, tuple[str, ...]]) -> str:
    filled = (
        re.sub(r"<([a-z_]+)>", lambda match: f"({'|'.join(words[match[1]])})", pattern)
        for pattern in patterns
    )
    return f"({'|'.join(filled)})"

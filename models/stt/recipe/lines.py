"""The intent model's training lines and the general sentences as texts to speak.

Intent lines (models/intent/data/train) are text with ``(a|b)`` choices and ``[optional]`` words.
Held-out lines of that data are never read here: they judge the recognizer.
"""

from __future__ import annotations

import functools
import random
import re
from collections.abc import Callable, Container, Sequence
from pathlib import Path

import yaml

from appliance.training import examples

_INTENT = Path(__file__).parents[2] / "intent" / "data" / "train"


@functools.cache
def intent_lines(language: str) -> tuple[str, ...]:
    """The training lines of a language, as written, with those that hold numerals left out."""
    found: list[str] = []
    for path in sorted(_INTENT.glob(f"{language}_*.yaml")):
        for entry in yaml.safe_load(path.read_text(encoding="utf-8")):
            found += [str(line) for line in entry["says"]]
    return tuple(line for line in found if not re.search(r"[0-9@#%$&+]", line))


def general_sentences(language: str) -> tuple[str, ...]:
    """The sentences of ``general.<language>.txt``, none where the file is missing."""
    path = Path(__file__).with_name(f"general.{language}.txt")
    if not path.exists():
        return ()
    lines = (line.strip() for line in path.read_text(encoding="utf-8").splitlines())
    return tuple(line for line in lines if line and line[0] != "#" and not re.search(r"\d", line))


def expand(rng: random.Random, line: str) -> str:
    """One reading of an intent line."""
    return " ".join(rng.choice(_readings(line)).split())


@functools.cache
def _readings(line: str) -> tuple[str, ...]:
    return tuple(examples.readings(line))


def vocabulary(language: str, normalize: Callable[[str], str]) -> set[str]:
    """Every word of the language's lines and sentences, once."""
    patterns = (re.sub(r"[\[\]()|]", " ", line) for line in intent_lines(language))
    return {
        word
        for line in (*patterns, *general_sentences(language))
        for word in normalize(line).split()
    }


def replace_words(
    rng: random.Random, text: str, groups: Sequence[Sequence[str]], keep: Container[str]
) -> str:
    """The text with each word of a group (names, months) turned into another of that group.

    Args:
        rng: source of the choices.
        text: a normalized sentence.
        groups: words that can stand for each other; a word of two counts for the first.
        keep: words that stay although a group has them: they mean something else as well.
    """
    words = []
    for word in text.split():
        group = next((group for group in groups if word in group), ())
        words.append(rng.choice(group) if group and word not in keep else word)
    return " ".join(words)

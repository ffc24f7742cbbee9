"""Which heard utterances still mean what was said, and how they are written as examples."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import yaml

from appliance.training.examples import OUT_OF_SCOPE, Example
from appliance.training.lint import leaks, words_of
from models.intent.recipe.confusions import errors

MOST_WRONG = 0.6
"""Word error rate above which a label may no longer be true of what was heard."""
_NEGATIONS = frozenset("no not never none nothing nobody cannot without nope".split())  # noqa: SIM905


def keeps_meaning(said: str, heard: str) -> bool:
    """Whether enough words are left, and a "not" was neither lost nor added."""
    before, after = said.split(), heard.split()
    return (
        bool(after)
        and negated(before) == negated(after)
        and (errors(before, after) <= MOST_WRONG * len(before))
    )


def negated(words: Sequence[str]) -> bool:
    """Whether there is a "not" of any form."""
    return any(word in _NEGATIONS or word.endswith("n't") for word in words)


def trainable(
    heard: Sequence[tuple[Example, str, str]],
    train: Sequence[Example],
    heldout: Sequence[Example],
) -> list[Example]:
    """What may be trained on: heard wrongly but with its meaning, and nowhere else.

    Args:
        heard: examples with what was said and what was heard.
        train: all training examples: what one of them says is left out.
        heldout: what is like one of these is left out.
    """
    taken = {words_of(each.text) for each in train}
    found: dict[str, Example] = {}
    for example, said, text in heard:
        words = words_of(text)
        if text != said and words not in taken and keeps_meaning(said, text):
            found.setdefault(words, replace(example, text=text, line=str(len(found))))
    leaking = {flaw.where for flaw in leaks(heldout, list(found.values()))}
    return [each for each in found.values() if each.line not in leaking]


def write_examples(path: Path, examples: Sequence[Example], title: str) -> None:
    """As `appliance.training.examples` reads them: a row for the same intents and slot.

    Nothing is written where there are none: that would be no file of examples.
    """
    if not examples:
        return
    rows: dict[tuple[tuple[str, ...], str], list[str]] = defaultdict(list)
    for each in examples:
        rows[each.intents, each.slot or ""].append(each.text)
    document = []
    for (intents, slot), says in sorted(rows.items()):
        row: dict[str, object] = {"intent": intents[0] if intents else OUT_OF_SCOPE}
        row |= {"slot": slot} if slot else {}
        row |= {"also": list(intents[1:])} if intents[1:] else {}
        document.append(row | {"says": says})
    path.parent.mkdir(exist_ok=True)
    body = yaml.safe_dump(document, sort_keys=False, width=1000)
    path.write_text(f"# {title} Made by models/intent/recipe/heard.py.\n\n{body}", "utf-8")

"""How words are said that a voice cannot know: names of people, companies and places.

    lexicon:
      en:
        Xfinity: ex finity        another spelling, read instead
        Nguyen: /nwˈɛn/           or IPA between slashes

A flow has one for each language, and an account may say how its own fields are said (`say`).
The written word stays in every text; only the voice gets the other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from appliance.dialogue.markup import assert_ipa, mark
from appliance.dialogue.readout import Rule
from appliance.types import Language

SAY = "say"
"""The account's key whose value maps its fields to how they are said."""
_IPA = re.compile(r"/([^/]+)/")
_FORBIDDEN = re.compile(r"[<>&{}\[\]|/\\]")
_MOST_SIGNS = 80


def assert_sayable(said: object) -> None:
    """Whether it is a way to say something: a spelling, or IPA between slashes.

    Raises:
        ValueError: it is not; tells what is wrong and the remedy, but not the text.
    """
    if not isinstance(said, str) or not said.strip() or len(said) > _MOST_SIGNS:
        raise ValueError(f"is said as a text of at most {_MOST_SIGNS} letters, or IPA as /nwˈɛn/")
    found = _IPA.fullmatch(said.strip())
    if found is None and _FORBIDDEN.search(said):
        raise ValueError("a spelling has letters and spaces alone; IPA stands as /nwˈɛn/")
    if found is not None:
        assert_ipa(found[1])


def marked(text: str, said: str) -> str:
    """A plain text with a mark for how it is said; `said` as `assert_sayable` wants it."""
    found = _IPA.fullmatch(said.strip())
    return mark("phoneme", found[1].strip(), text) if found else mark("sub", said.strip(), text)


def lexicon_rules(entries: Mapping[str, str]) -> tuple[Rule, ...]:
    """Rules that say words of a lexicon so, longest first.

    A word with a capital is found only as it is written; any other in every way.
    """
    ordered = sorted(entries.items(), key=lambda each: -len(each[0]))
    return tuple(_rule(" ".join(word.split()), said.strip()) for word, said in ordered)


def find_lexicon_problems(
    lexicon: Mapping[Language, Mapping[str, str]], languages: tuple[Language, ...]
) -> Iterator[tuple[tuple[str, ...], str]]:
    """Entries that cannot be said, with the place in flow.yaml."""
    for language, entries in lexicon.items():
        if language not in languages:
            yield ("lexicon", language), f"there is no prompts.{language}.yaml"
        for word, said in entries.items():
            at = ("lexicon", language, word)
            if not re.search(r"[^\W_]", word) or _FORBIDDEN.search(word):
                yield at, "a word has letters or figures, and no marks"
            try:
                assert_sayable(said)
            except ValueError as error:
                yield at, str(error)


def said_of(account: Mapping[str, Any], name: str, language: Language) -> str | None:
    """How an account wants one of its fields said, None if it does not tell."""
    ways = account.get(SAY)
    given = ways.get(name) if isinstance(ways, Mapping) else None
    found = given.get(language) if isinstance(given, Mapping) else given
    return found.strip() if isinstance(found, str) else None


def check_account_ways(account: Mapping[str, Any], fields: Mapping[str, bool]) -> None:
    """Whether what an account tells under `say` can be used.

    Args:
        account: as it was read.
        fields: the account fields that prompts say, and whether `say` may change how: those of
            text and names.

    Raises:
        ValueError: names the field and the remedy.
    """
    ways = account.get(SAY)
    if not isinstance(ways, Mapping):
        if ways is None or SAY in fields:
            return
        raise ValueError(f"{SAY}: must map fields to how they are said")
    for name, given in ways.items():
        if name in fields and not fields[name]:
            raise ValueError(f"{SAY}.{name}: only text and names may be said otherwise")
        for said in given.values() if isinstance(given, Mapping) else (given,):
            try:
                assert_sayable(said)
            except ValueError as error:
                raise ValueError(f"{SAY}.{name}: {error}") from error


def _rule(word: str, said: str) -> Rule:
    flags = re.NOFLAG if word != word.lower() else re.IGNORECASE
    pattern = re.compile(rf"(?<!\w){re.escape(word)}(?!\w)", flags)
    found = _IPA.fullmatch(said)
    if found:
        ipa = found[1].strip()
        return Rule(pattern, lambda _: ipa, "phoneme")
    return Rule(pattern, lambda _: said)

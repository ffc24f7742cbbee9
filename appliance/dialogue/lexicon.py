"""How words are said that a voice cannot know: names of people, companies and places.

    lexicon:
      en:
        Xfinity: ex finity        another spelling, read instead
        Nguyen: /nwˈɛn/           or IPA between slashes

A flow has one for each language, and an account may say how its own fields are said (`say`, see
`ways`). The written word stays in every text; only the voice gets the other. So it may be no more
than that word: not longer than a way to say it can be, no sentence, and no word that a property
of the flow is about. IPA cannot be read by a proof; its length is held alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from appliance.dialogue.honesty import announces, denies_automation
from appliance.dialogue.markup import assert_ipa, mark
from appliance.dialogue.properties import Property, conditional_words, finds_word
from appliance.dialogue.readout import Rule
from appliance.types import Language

SAY = "say"
"""The account's key whose value maps its fields to how they are said."""
_IPA = re.compile(r"/([^/]+)/")
_FORBIDDEN = re.compile(r"[<>&{}\[\]|/\\?!…:;]|\.(?=\s|$)(?<!\b\w\.)")
"""Marks, and what ends a sentence; the full stop of an initial does not."""
_MOST_SIGNS = 80
_MOST_SOUNDS, _FEWEST_PARTS = 4, 3


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


def assert_like(written: str, said: str) -> None:
    """Whether a way to say a word is about as long as the word.

    Capitals and figures may be said sign by sign, or as what they stand for; of other words, each
    second letter may begin a syllable that is written apart.

    Raises:
        ValueError: it says more; tells neither of them.
    """
    words = re.findall(r"[^\W_]+", written)
    short = [word.isupper() or not word.isalpha() for word in words]
    if is_ipa(said):
        signs = 4 + sum(_MOST_SOUNDS * len(word) for word in words)
        most = max(1, sum(len(w) if s else 1 for w, s in zip(words, short, strict=True)))
        fits = len(said) <= signs and len(said.split()) <= most
    else:
        parts = sum(
            max(_FEWEST_PARTS, len(word) if signs else (len(word) + 1) // 2)
            for word, signs in zip(words, short, strict=True)
        )
        letters = 4 + sum(
            len(word) * (8 if signs else 1.5) for word, signs in zip(words, short, strict=True)
        )
        fits = len(said.split()) <= parts and len(re.findall(r"[^\W_]", said)) <= letters
    if not fits:
        raise ValueError("is much longer than the word: say how the word sounds, nothing else")


def is_ipa(said: str) -> bool:
    """Whether it is IPA between slashes."""
    return _IPA.fullmatch(said.strip()) is not None


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
    lexicon: Mapping[Language, Mapping[str, str]],
    languages: tuple[Language, ...],
    properties: Iterable[Property] = (),
) -> Iterator[tuple[tuple[str, ...], str]]:
    """Entries that cannot be said, with the place in flow.yaml.

    Args:
        lexicon: by language and word.
        languages: those that have prompts.
        properties: of the flow; their words are said where a text has them, and nowhere else.
    """
    properties = tuple(properties)
    for language, entries in lexicon.items():
        if language not in languages:
            yield ("lexicon", language), f"there is no prompts.{language}.yaml"
        kept = conditional_words(properties, language)
        for word, said in entries.items():
            at = ("lexicon", language, word)
            if not re.search(r"[^\W_]", word) or re.search(r"[<>&{}\[\]|/\\]", word):
                yield at, "a word has letters or figures, and no marks"
            try:
                assert_sayable(said)
                _assert_honest(word, said, language, kept)
            except ValueError as error:
                yield at, str(error)


def _assert_honest(word: str, said: str, language: Language, kept: Iterable[str]) -> None:
    """Refuse an entry that changes what is said; `kept`: words of properties."""
    if announces(word, language):
        raise ValueError("tells that the call is automated: it is said as it is written")
    assert_like(word, said)
    if is_ipa(said):
        return
    if denies_automation(said, language):
        raise ValueError("denies being automated; it never may")
    for each in kept:
        if finds_word(each, said) and not finds_word(each, word):
            raise ValueError(f"says {each!r}, which a property is about: write it in the text")


def said_of(account: Mapping[str, Any], name: str, language: Language) -> str | None:
    """How an account wants one of its fields said, None if it does not tell."""
    ways = account.get(SAY)
    given = ways.get(name) if isinstance(ways, Mapping) else None
    found = given.get(language) if isinstance(given, Mapping) else given
    return found.strip() if isinstance(found, str) else None


def _rule(word: str, said: str) -> Rule:
    flags = re.NOFLAG if word != word.lower() else re.IGNORECASE
    pattern = re.compile(rf"(?<!\w){re.escape(word)}(?!\w)", flags)
    found = _IPA.fullmatch(said)
    if found:
        ipa = found[1].strip()
        return Rule(pattern, lambda _: ipa, "phoneme")
    return Rule(pattern, lambda _: said)

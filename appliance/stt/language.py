"""What the phone head may hear: words with their phones, and how words follow each other.

A `language.npz` (version 2) holds

    words   one entry a line: the word as written ("the"); a word said in several ways has several
            entries, and a name that is also a word ("mark") has one for each meaning
    phones  the phones of each entry, by name, a line an entry
    token   which token of the trigram each entry is [E]; entries of a class (first names, streets)
            share the token of the class
    inside  log-probability of the entry within its token [E]; 0 where the token is the word
    first, first_back                       one per token [N]: log-probability, back-off weight
    pair_starts [N + 1], pair_tokens, pair_costs, pair_back [B]     tokens seen after a token
    triple_starts [B + 1], triple_tokens, triple_costs [C]          tokens seen after a pair
    SLOT.first, SLOT.pair_starts …          the same once more, of answers to one question

which is a back-off trigram (Katz 1987) in rows: the followers of token t are
`pair_tokens[pair_starts[t]:pair_starts[t + 1]]`, sorted, and place p among them owns the triples
`triple_starts[p]:triple_starts[p + 1]`. Tokens 0 and 1 are the sentence's start and end. Natural
logarithms. The recipe `models/stt/recipe/language.py` writes it; `stt.search` reads it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from appliance.stt.archive import Arrays, arrays_of, indices, numbers, starts

Floats = NDArray[np.float32]
Ints = NDArray[np.int32]

START, END = 0, 1
"""The tokens of a sentence's start and end."""
_VERSION = 2


class Trigram(NamedTuple):
    """How tokens follow each other; the arrays of the module's docstring.

    A named tuple, because compiled code (`stt.beam`) takes it as it is.
    """

    first: Floats
    first_back: Floats
    pair_starts: Ints
    pair_tokens: Ints
    pair_costs: Floats
    pair_back: Floats
    triple_starts: Ints
    triple_tokens: Ints
    triple_costs: Floats


@dataclass(frozen=True, eq=False)
class Language:
    """The words of one language and their order.

    Attributes:
        words: each entry as it is written.
        phones: each entry's phones, by name.
        token: each entry's token in `order` [E].
        inside: log-probability of each entry within its token [E].
        order: how tokens follow each other.
        classes: the tokens of classes by name ("first": first names, "last": last names).
        slots: how tokens follow each other in answers to a question ("zip"), over the same tokens.
    """

    words: tuple[str, ...]
    phones: tuple[tuple[str, ...], ...]
    token: Ints
    inside: Floats
    order: Trigram
    classes: dict[str, int]
    slots: dict[str, Trigram]

    def with_words(
        self, words: Sequence[tuple[str, tuple[str, ...]]], classes: Sequence[str], cost: float
    ) -> Language:
        """The same language with more words in some of its classes.

        Args:
            words: each word with its phones.
            classes: each word joins all of these that the language has.
            cost: log-probability of each within its class.
        """
        tokens = [self.classes[name] for name in classes if name in self.classes]
        more = [(word, phones, token) for word, phones in words for token in tokens]
        return Language(
            words=self.words + tuple(word for word, _, _ in more),
            phones=self.phones + tuple(phones for _, phones, _ in more),
            token=np.concatenate([self.token, np.array([t for *_, t in more], np.int32)]),
            inside=np.concatenate([self.inside, np.full(len(more), cost, np.float32)]),
            order=self.order,
            classes=self.classes,
            slots=self.slots,
        )


def load_language(path: Path) -> Language:
    """Read a `language.npz`.

    Every index and length is checked: compiled code follows them without looking.

    Raises:
        ConfigError: the file is no such thing, or of another version; names it and the remedy.
    """
    with arrays_of(path, "a language for the phone head") as stored:
        _check(int(stored["version"]))
        words, phones = (_lines(stored[name]) for name in ("words", "phones"))
        if len(words) != len(phones):
            raise ValueError(f"{len(words)} words, but {len(phones)} pronunciations")
        slots = {name.split(".")[0] for name in stored if "." in name}
        tokens = len(stored["first"])
        if tokens <= END:
            raise ValueError(f"{tokens} tokens")
        return Language(
            words=words,
            phones=tuple(tuple(line.split()) for line in phones),
            token=_one_each(indices(stored["token"], tokens, "token"), len(words)),
            inside=numbers(stored["inside"], (len(words),), "inside"),
            order=_read_order(stored, "", tokens),
            classes=dict(_read_classes(stored["classes"], tokens)),
            slots={slot: _read_order(stored, f"{slot}.", tokens) for slot in sorted(slots)},
        )


def save_language(path: Path, language: Language) -> None:
    """Write a `language.npz`; costs as half floats, whose error of 0.1% costs no word."""
    orders = {"": language.order, **{f"{slot}.": order for slot, order in language.slots.items()}}
    arrays = {
        prefix + name: array.astype(np.float16) if array.dtype.kind == "f" else array
        for prefix, order in orders.items()
        for name, array in order._asdict().items()
    }
    np.savez_compressed(
        path,
        version=np.int32(_VERSION),
        words=np.array("\n".join(language.words)),
        phones=np.array("\n".join(" ".join(phones) for phones in language.phones)),
        token=language.token,
        inside=language.inside,
        classes=np.array("\n".join(f"{name} {token}" for name, token in language.classes.items())),
        allow_pickle=False,
        **arrays,
    )


def _check(version: int) -> None:
    if version != _VERSION:
        raise ValueError(f"version {version}, not {_VERSION}")


def _lines(text: NDArray[Any]) -> tuple[str, ...]:
    return tuple(str(text).split("\n"))


def _one_each(token: Ints, words: int) -> Ints:
    if len(token) != words:
        raise ValueError(f"{words} words, but token has {len(token)} places")
    return token


def _read_classes(text: NDArray[Any], tokens: int) -> Iterator[tuple[str, int]]:
    for line in filter(None, _lines(text)):
        name, token = line.split()
        if not 0 <= int(token) < tokens:
            raise ValueError(f"the class {name} has the token {token} of {tokens}")
        yield name, int(token)


def _read_order(stored: Arrays, prefix: str, tokens: int) -> Trigram:
    """One trigram, over so many tokens. Raises ValueError where it contradicts itself."""
    pairs, triples = (len(stored[f"{prefix}{name}_tokens"]) for name in ("pair", "triple"))

    def floats(name: str, count: int) -> Floats:
        return numbers(stored[prefix + name], (count,), prefix + name)

    def rows(name: str, count: int, size: int) -> Ints:
        return starts(stored[prefix + name], count, size, prefix + name)

    def places(name: str) -> Ints:
        return indices(stored[prefix + name], tokens, prefix + name)

    return Trigram(
        first=floats("first", tokens),
        first_back=floats("first_back", tokens),
        pair_starts=rows("pair_starts", tokens, pairs),
        pair_tokens=places("pair_tokens"),
        pair_costs=floats("pair_costs", pairs),
        pair_back=floats("pair_back", pairs),
        triple_starts=rows("triple_starts", pairs, triples),
        triple_tokens=places("triple_tokens"),
        triple_costs=floats("triple_costs", triples),
    )

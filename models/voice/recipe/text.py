"""From text to the tokens of the voice, for training and for the shipped JSON alike.

Why: `piper.PiperVoice` phonemizes with espeak-ng, merges the `vowel_clusters` of the voice's JSON
and looks each token up in `phoneme_id_map`. Training has to see exactly those tokens, so both
sides take them from here. A token is a phone with its stress mark ("ˈaɪ", "k"), a space or a
punctuation mark; the networks see it as two numbers, base phone and stress, because most stressed
forms are rare in an hour of speech.

Must not import torch: the tests and the evaluation use this module without it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

STRESS_MARKS = "ˈˌ"
PAUSES = (" ", ".", ",")
"""Tokens at which a speaker may be silent; every other punctuation mark is read as one of them."""

_AFFRICATES = ("tʃ", "dʒ")


@dataclass(frozen=True)
class PhoneSet:
    """What espeak-ng says in a language.

    Attributes:
        espeak: name of espeak-ng's voice. code: of the language, in the voice's JSON.
        long: vowels and syllables that espeak writes with several code points.
        vowels: the single ones.
        stand_ins: what to say for a token that the recordings never contain: the nearest phone.
    """

    espeak: str
    code: str
    long: tuple[str, ...]
    vowels: str
    stand_ins: dict[str, str]


_MARKS = {"?": ".", "!": ".", ":": ",", ";": ",", "g": "ɡ"}

PHONE_SETS = {
    "en": PhoneSet(
        espeak="en-us",
        code="en_US",
        long=("aɪ", "aʊ", "ɔɪ", "eɪ", "oʊ", "ɜː", "iː", "uː", "ɑː", "ɔː", "oː", "n̩"),
        vowels="aeiouæɐɑɒɔəɚɛɜɪʊʌᵻ",
        stand_ins=_MARKS | {
            "a": "æ", "e": "ɛ", "o": "oʊ", "ɒ": "ɑː", "oː": "ɔː", "ɔ": "ɔː", "u": "uː", "r": "ɹ",
            "x": "k", "ɬ": "l", "ɫ": "l", "ɜ": "ɜː", "ɑ": "ɑː", "n̩": "n",
        },
    ),
    "es": PhoneSet(
        espeak="es-419",
        code="es_419",
        long=("aɪ", "aʊ", "eɪ", "eʊ", "oɪ", "oʊ"),
        vowels="aeiouɛɪʊ",
        stand_ins=_MARKS | {
            "ɛ": "e", "ɪ": "i", "ʊ": "u", "ɔ": "o", "ə": "e", "æ": "a", "ɑ": "a", "ʌ": "a",
            "ɫ": "l", "ʎ": "ʝ", "ŋ": "n", "dʒ": "ʝ", "ʒ": "ʝ", "h": "x", "z": "s", "v": "β",
            "θ": "s", "ɹ": "ɾ", "ʃ": "tʃ", "oʊ": "o", "eʊ": "e",
        },
    ),
}  # fmt: skip
"""By language."""

_SILENT = ("ˈ", "ˌ", "ː", "ʲ", "'", '"', "(", ")", "-", "#")
"""Code points that espeak-ng may emit alone and that have no sound of their own here."""


def vowel_clusters(phones: PhoneSet) -> frozenset[tuple[str, ...]]:
    """Code point sequences that piper merges into one token (the JSON's `vowel_clusters`)."""
    clusters = {tuple(phone) for phone in phones.long + _AFFRICATES}
    for mark in STRESS_MARKS:
        clusters |= {(mark, vowel) for vowel in phones.vowels}
        clusters |= {(mark, *phone) for phone in phones.long}
    return frozenset(clusters)


def phonemize(text: str, phones: PhoneSet) -> list[str]:
    """Tokens of `text`, sentences joined by a space, always ending in a mark.

    Loads espeak-ng through piper (GPL-3.0) on first use.
    """
    from piper.phonemize_espeak import EspeakPhonemizer

    sentences = EspeakPhonemizer().phonemize(phones.espeak, text, set(vowel_clusters(phones)))
    tokens: list[str] = []
    for sentence in sentences:
        if tokens and tokens[-1] != " ":
            tokens.append(" ")
        tokens += [token for token in sentence if token not in _SILENT]
    while tokens and tokens[-1] == " ":
        tokens.pop()
    if tokens and tokens[-1] not in ".,;:?!":
        tokens.append(".")
    return tokens


def split_stress(token: str) -> tuple[str, int]:
    """("ˈaɪ" → "aɪ", 1), ("ˌaɪ" → "aɪ", 2), ("aɪ" → "aɪ", 0)."""
    if len(token) > 1 and token[0] in STRESS_MARKS:
        return token[1:], STRESS_MARKS.index(token[0]) + 1
    return token, 0


@dataclass(frozen=True)
class Vocabulary:
    """The tokens that the voice knows.

    Attributes:
        bases: the distinct phones and marks; the position is the index of its embedding.
        ids: token → id in the ONNX input. Id 0 is unused, so that it can pad.
        parts: for each id, (index into `bases`, stress 0–2).
    """

    bases: tuple[str, ...]
    ids: dict[str, int]
    parts: tuple[tuple[int, int], ...]

    @classmethod
    def build(cls, utterances: Iterable[Sequence[str]], phones: PhoneSet) -> Vocabulary:
        """Every token of the recordings, and every one that espeak may say in their place."""
        seen = {split_stress(token)[0] for tokens in utterances for token in tokens}
        fixed = ("^", "$", *PAUSES)
        # A question's tone is learnt where the recordings have questions; Kathleen's have none.
        bases = fixed + tuple(sorted(seen - set(fixed) - set("!:;")))
        ids: dict[str, int] = {}
        parts: list[tuple[int, int]] = [(0, 0)]
        known = {base: index for index, base in enumerate(bases)}
        for token in _candidates(bases, phones):
            base, stress = split_stress(token)
            if base not in known:
                base = phones.stand_ins.get(base, base)
            if base in known and token not in ids:
                ids[token] = len(parts)
                parts.append((known[base], stress))
        return cls(bases, ids, tuple(parts))

    def encode(self, tokens: Iterable[str]) -> list[int]:
        """Ids of `tokens`; raises KeyError on one that the voice cannot say."""
        return [self.ids[token] for token in tokens]

    def decode(self, ids: Iterable[int]) -> list[str]:
        """The tokens that have these ids."""
        names = {index: token for token, index in self.ids.items()}
        return [names[index] for index in ids]

    def phoneme_id_map(self) -> dict[str, list[int]]:
        """The map of piper's JSON: no padding between phones, soundless code points dropped."""
        table: dict[str, list[int]] = {"_": []}
        table |= {token: [index] for token, index in self.ids.items()}
        for token in _SILENT:
            table.setdefault(token, [])
        return table

    def to_json(self) -> dict[str, Any]:
        """Plain data for `json.dump`; `from_json` is the inverse."""
        return {"bases": self.bases, "ids": self.ids, "parts": self.parts}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Vocabulary:
        """Inverse of `to_json`."""
        parts = tuple((int(base), int(stress)) for base, stress in data["parts"])
        return cls(tuple(data["bases"]), dict(data["ids"]), parts)


def _candidates(bases: Sequence[str], phones: PhoneSet) -> list[str]:
    """Tokens in the order in which they get ids: phones, stressed phones, clusters, stand-ins."""
    clusters = sorted("".join(cluster) for cluster in vowel_clusters(phones))
    stressed = [mark + base for mark in STRESS_MARKS for base in bases if mark + base in clusters]
    return [*bases, *stressed, *clusters, *phones.stand_ins]

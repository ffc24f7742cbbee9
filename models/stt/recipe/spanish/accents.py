"""Puts back the accents that writers of Spanish lines left out.

Half of the intent lines are written as people type ("mi numero"). The recognizer should write one
form of a word, so a bare word takes the accents that the same word mostly has elsewhere.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

# Two words of their own each: only the sentence tells them apart.
_BOTH = frozenset(
    """
    si el tu mi que como cuando donde quien cual cuanto cuanta cuantos esta estas este esa ese eso
    se de te aun solo porque hablo llamo pago pagare cobro mando dejo paso marco cambio entro hable
    pague llame mande deje pase cobre gano trabajo corto bajo anos ano papa mama compro espere
    quedo termino firmo deposito intento
    """.split()  # noqa: SIM905 (words are data)
)
_RATIO = 2.0


def bare(word: str) -> str:
    """A word without accents; ñ stays a letter of its own."""
    parts = unicodedata.normalize("NFD", word.replace("ñ", "\0"))
    plain = "".join(part for part in parts if not unicodedata.combining(part))
    return plain.replace("\0", "ñ")


def learn(lines: Iterable[str]) -> dict[str, str]:
    """Which bare words to write with accents, by how the lines mostly write them."""
    forms: dict[str, Counter[str]] = defaultdict(Counter)
    for line in lines:
        for word in re.findall(r"[a-záéíóúüñ]+", line.lower()):
            forms[bare(word).replace("ñ", "n")][word] += 1
    table: dict[str, str] = {}
    for plain, counts in forms.items():
        best, count = counts.most_common(1)[0]
        accented = [(n, word) for word, n in counts.items() if word != plain]
        if plain not in _BOTH and accented:
            count, best = max(accented)
            # "pague" and "pagué" are both words; "asi" is none.
            needed = 2 * _RATIO if best[-1] in "éó" else _RATIO
            if count >= needed * counts[plain]:
                table[plain] = best
    return table | _by_ending(forms)


def _by_ending(plains: Iterable[str]) -> dict[str, str]:
    """Words that their ending gives away: "informacion", "quedaria" beside "quedar"."""
    known = set(plains)
    table: dict[str, str] = {}
    for plain in known:
        if re.search(r"(?:[cs]|nex|flex)ion$", plain):
            table[plain] = f"{plain[:-2]}ón"
        elif (match := re.fullmatch(r"(\w+[aei]r)i(a|as|an|amos)", plain)) and match[1] in known:
            table[plain] = f"{match[1]}í{match[2]}"
    return table


def restore(text: str, table: Mapping[str, str]) -> str:
    """The normalized text with the accents of the table."""
    return " ".join(table.get(word, word) for word in text.split())

"""Phones as espeak-ng names them, made one alphabet for the phone head and for names at run time.

English keeps espeak-ng's phones as they are. In Spanish the voice writes finer shades than callers
keep apart, and some so seldom that a head could not learn them: these fold into the common phones.
"""

from __future__ import annotations

_DROP = str.maketrans("", "", "ˈˌ‿ʲ̩")
_FOLDED: dict[str, dict[str, list[str]]] = {
    "en": {},
    "es": {
        "ɛ": ["e"], "ŋ": ["n"], "ʎ": ["ʝ"], "pː": ["p"], "ts": ["t", "s"], "θ": ["s"],
        "eɪ": ["e", "j"], "aɪ": ["a", "j"], "oɪ": ["o", "j"], "eʊ": ["e", "w"], "aʊ": ["a", "w"],
        "oʊ": ["o", "w"],
    },
}  # fmt: skip


def split_phones(line: str, language: str) -> list[str]:
    """Phones of one espeak-ng line (``--ipa --sep=_``) without stress and joining marks.

    Raises:
        KeyError: another language than "en" or "es".
    """
    folded = _FOLDED[language]
    parts = (part.translate(_DROP).strip() for part in line.replace(" ", "_").split("_"))
    return [phone for part in parts if part for phone in folded.get(part, [part])]

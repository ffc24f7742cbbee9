"""What can be told from words alone: how many digits they write, and whether they are a loop.

A search over words always finds some. Whether the sound was speech is for `stt.confidence`; here is
what no caller says, however well it fits: one word over and over.
"""

from __future__ import annotations

from collections.abc import Sequence

from appliance.stt.grammars import DIGITS

_MOST_REPEATS = 6
_PAIRS = {"en": {"double": 1, "triple": 2}, "es": {"doble": 1, "triple": 2}}
_TENS = {
    "en": "twenty thirty forty fifty sixty seventy eighty ninety",
    "es": "veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa",
}
_TEENS = {
    "en": "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen",
    "es": "diez once doce trece catorce quince dieciséis diecisiete dieciocho diecinueve",
}


def is_repeated(words: Sequence[str]) -> bool:
    """Whether one word comes so often in a row that a search must be looping."""
    return _longest_run(words) >= _MOST_REPEATS


def count_digits(words: Sequence[str], spoken: str) -> int:
    """How many digits the words write: "double two" and "twenty two" have two."""
    tens, teens = _TENS[spoken].split(), _TEENS[spoken].split()
    count = 0
    for place, word in enumerate(words):
        after = words[place + 1] if place + 1 < len(words) else ""
        if word in DIGITS[spoken]:
            count += 1
        elif word in tens:
            count += 1 if after in DIGITS[spoken] and after not in ("zero", "oh", "cero") else 2
        elif word in teens:
            count += 2
        else:
            count += _PAIRS[spoken].get(word, 0)
    return count


def _longest_run(words: Sequence[str]) -> int:
    longest = run = 0
    for place, word in enumerate(words):
        run = run + 1 if place and words[place - 1] == word else 1
        longest = max(longest, run)
    return longest

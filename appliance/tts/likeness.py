"""Which phones of a sentence say what the head of it said, where the two are spoken otherwise.

    head      …ɹˈaɪt nˈʌmbɚ fɔːɹ␣               rendered before "Maria"
    sentence  …ɹˈaɪt nˈʌmbɚ fɚ|ðə kˈɪtʃən        "for the": other sounds, and no border of words

A small word before a slot takes its sound from what follows, and may become one with it. So the
place is found by the least change from the one row of phones to the other; time would not do, for
"for the" takes as long as "for" alone.
"""

from __future__ import annotations

from collections.abc import Sequence

from appliance.tts.phones import VOWELS

BORDERS = frozenset(" ,.;:!?…")
"""Signs that end a word."""
_SILENT = frozenset("ˈˌː^_$")  # stress, length, and the voice's own signs: no sounds
_TAPS = frozenset("tdɾʔ")  # one sound of English, by its neighbours
_SWALLOWED = frozenset({*BORDERS, "ɹ"})  # "for" is fɔːɹ or fɚ
_SOUND, _NEARLY = 1.0, 0.5
"""What it costs to leave out a sound or to put one in, and one that is nearly the same."""


def counterpart(head: Sequence[str], sentence: Sequence[str]) -> int:
    """How many phones at the start of `sentence` are as good as the whole `head`.

    Args:
        head: symbols, from where the two begin to differ.
        sentence: symbols from the same place, and on.
    """
    costs = [0.0]
    for symbol in sentence:
        costs.append(costs[-1] + _alone(symbol))
    for said in head:
        row = [costs[0] + _alone(said)]
        for at, symbol in enumerate(sentence):
            exchanged = costs[at] + _difference(said, symbol)
            row.append(min(exchanged, costs[at + 1] + _alone(said), row[at] + _alone(symbol)))
        costs = row
    return min(range(len(costs)), key=costs.__getitem__)


def _alone(symbol: str) -> float:
    if symbol in _SILENT:
        return 0.0
    return _NEARLY if symbol in _SWALLOWED else _SOUND


def _difference(one: str, other: str) -> float:
    if one == other or {one, other} <= BORDERS:
        return 0.0
    if {one, other} <= _TAPS or {one[:1], other[:1]} <= VOWELS:
        return _NEARLY
    return 2 * _SOUND if _is_sign(one) or _is_sign(other) else _SOUND


def _is_sign(symbol: str) -> bool:
    return symbol in _SILENT or symbol in BORDERS

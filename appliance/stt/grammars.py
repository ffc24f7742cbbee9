"""What a reply to a certain question may be, as a small language for the phone head.

A ZIP code is five digits, perhaps with a few words before and a courtesy after. Where the dialogue
asked for one, the search may use that: five digits are found that a general language would lose.
Whether the caller gave a ZIP at all is decided by the sound (`stt.reader`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from appliance.stt.phones import Language

_FORBIDDEN = np.float32(-1e9)
DIGITS = ("zero", "oh", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_LEAD = (
    "it's it is my the zip code yes yeah sure okay uh um that's so i said no".split()  # noqa: SIM905
)
_TAIL = ("please", "thanks", "thank", "you", "okay")
_ZIP_DIGITS = 5

Step = tuple[Sequence[str], bool]
"""Words, of which one is said; or, where True, any number of them."""


def zip_language(general: Language) -> Language:
    """Five digits; the words' phones are those of the general language."""
    digits: list[Step] = [(DIGITS, False)] * _ZIP_DIGITS
    return _chain(general, [(_LEAD, True), *digits, (_TAIL, True)])


def _chain(general: Language, steps: Sequence[Step]) -> Language:
    """A language whose sentences are these steps in order; all of them equally likely."""
    entries = [
        (index, word, phones)
        for index, (words, _) in enumerate(steps)
        for word, phones in zip(general.words, general.phones, strict=True)
        if word in words
    ]
    followers: list[int] = []
    starts = [0]
    for before in [*(entry[0] for entry in entries), -1]:
        allowed = _next_steps(steps, before)
        followers += [place for place, (step, _, _) in enumerate(entries) if step in allowed]
        starts.append(len(followers))
    count = len(entries)
    last = [
        0.0 if len(steps) in _next_steps(steps, step) else float(_FORBIDDEN)
        for step, _, _ in entries
    ]
    return Language(
        words=tuple(word for _, word, _ in entries),
        phones=tuple(phones for _, _, phones in entries),
        first=np.full(count, _FORBIDDEN, np.float32),
        back_off=np.zeros(count + 1, np.float32),
        starts=np.array(starts, np.int32),
        followers=np.array(followers, np.int32),
        costs=np.zeros(len(followers), np.float32),
        last=np.array(last, np.float32),
    )


def _next_steps(steps: Sequence[Step], before: int) -> set[int]:
    """Steps that may follow a word of step `before`; len(steps) stands for the end."""
    found = {before} if before >= 0 and steps[before][1] else set()
    for step in range(before + 1, len(steps) + 1):
        found.add(step)
        if step == len(steps) or not steps[step][1]:
            break
    return found

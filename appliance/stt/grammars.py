"""What a reply to a certain question may be, as a small language for the phone head.

A ZIP code is five digits, perhaps with a few words before and a courtesy after. Where the dialogue
asked for so many digits, the search may use that: digits are found that a general language would
lose. Whether the caller gave a number at all is decided by the sound (`stt.reader`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from appliance.stt.language import END, START, Language, Trigram

_FORBIDDEN = np.float32(-1e9)
DIGITS = {
    "en": ("zero", "oh", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"),
    "es": ("cero", "uno", "dos", "tres", "cuatro", "cinco", "seis", "siete", "ocho", "nueve"),
}
_LEAD = {
    "en": "it's it is my the zip code yes yeah sure okay uh um that's so i said no",
    "es": "es el mi código postal sí claro eh pues bueno son dije no",
}
_TAIL = {"en": "please thanks thank you okay", "es": "por favor gracias"}

_BESIDE = np.float32(-3.0)  # log-probability of each word that is none of the digits

Step = tuple[Sequence[str], bool]
"""Words, of which one is said; or, where True, any number of them."""


def digit_language(general: Language, spoken: str, count: int) -> Language:
    """So many digits; the words' phones are those of the general language.

    Args:
        general: where the words are.
        spoken: the language's code.
        count: how many digits, 1 to 16.
    """
    digits: list[Step] = [(DIGITS[spoken], False)] * count
    if count == 1:  # nothing beside it: "sure, oh" sounds like "zero"
        return _chain(general, digits)
    return _chain(general, [(_LEAD[spoken].split(), True), *digits, (_TAIL[spoken].split(), True)])


def _chain(general: Language, steps: Sequence[Step]) -> Language:
    """A language whose sentences are these steps in order; words that may be left out cost.

    Its tokens are the sentence's ends and the steps: a word belongs to each step that has it.
    """
    entries = [
        (index, word, phones)
        for index, (words, _) in enumerate(steps)
        for word, phones in dict.fromkeys(zip(general.words, general.phones, strict=True))
        if word in words
    ]
    first_step = max(START, END) + 1
    followers: list[int] = []
    starts = [0]
    for token in range(first_step + len(steps)):
        if token != END:
            after = _next_steps(steps, -1 if token == START else token - first_step)
            followers += sorted(END if s == len(steps) else first_step + s for s in after)
        starts.append(len(followers))
    count, pairs = first_step + len(steps), len(followers)
    return Language(
        words=tuple(word for _, word, _ in entries),
        phones=tuple(phones for _, _, phones in entries),
        token=np.array([first_step + step for step, _, _ in entries], np.int32),
        inside=np.array([_BESIDE if steps[step][1] else 0 for step, *_ in entries], np.float32),
        order=Trigram(
            first=np.full(count, _FORBIDDEN, np.float32),
            first_back=np.zeros(count, np.float32),
            pair_starts=np.array(starts, np.int32),
            pair_tokens=np.array(followers, np.int32),
            pair_costs=np.zeros(pairs, np.float32),
            pair_back=np.zeros(pairs, np.float32),
            triple_starts=np.zeros(pairs + 1, np.int32),
            triple_tokens=np.zeros(0, np.int32),
            triple_costs=np.zeros(0, np.float32),
        ),
        classes={},
        slots={},
    )


def _next_steps(steps: Sequence[Step], before: int) -> set[int]:
    """Steps that may follow a word of step `before`; len(steps) stands for the end."""
    found = {before} if before >= 0 and steps[before][1] else set()
    for step in range(before + 1, len(steps) + 1):
        found.add(step)
        if step == len(steps) or not steps[step][1]:
            break
    return found

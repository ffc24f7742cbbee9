"""How close a passage is to a question, by meaning and by words, and what of it is quoted.

    question ── encoder ──> likeness to the passage, and to each of its sentences ──┐
             └─ words ────> FTS5 bm25 ──────────────────────────────────────────────┴─> closeness
    closeness ──> score, from 0 to 1

Likeness by meaning decides; words in common add to it, so that a name or a number that the encoder
does not know still counts. Adding the two was better than reciprocal ranks, because a rank does not
say by how much (`scripts/bench_retrieval.py` prints both). All numbers here were chosen on the
`tune` questions of tests/knowledge/document_questions.yaml.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from appliance.dialogue.templates import count_sentences

THRESHOLD = 0.5
"""Scores below this answer nothing."""

QUOTED_SENTENCES = 3
"""An excerpt is read on the telephone: so many sentences at most."""

_QUOTED_WORDS = 60  # about 25 seconds
_WORDS_WEIGHT, _WORDS_HALF = 0.15, 6.0
_MIDDLE, _STEEPNESS = 0.44, 12.0
_ASIDE, _BEHIND = 0.5, 0.1
_REFERS = re.compile(
    r"(?:It|Its|They|Them|Their|This|That|These|Those|He|She|Both|Then|But|And|So|Otherwise|There"
    r"|After that|Before that|If not|In that case)\b"
)
"""A sentence that begins so is not understood without the one before it."""

_WORD = re.compile(r"[a-z0-9]+")
_SAID_BY_ALL = frozenset(
    """a about am an and any are as at be been but by can could d did do does doing done don for
    from get got had has have he her here him his how i if in into is it its just know ll let m me
    my no not now of off on one or our out please re s she should so some something t tell than
    that the their them then there they this those to too up us ve was we well were what when where
    which who whom whose why will with would yes you your yours""".split()  # noqa: SIM905
)


def match_expression(question: str) -> str:
    """The question's words for FTS5, any of which may be there; empty if it has none."""
    words = dict.fromkeys(_WORD.findall(question.lower().replace("\u2019", "'")))
    return " OR ".join(f'"{word}"' for word in words if word not in _SAID_BY_ALL)


def closeness(likeness: float, best_sentence: float, bm25: float) -> float:
    """One number of a passage's likeness (cosine), its best sentence's, and its words'.

    `bm25` is positive, 0 where no word is shared; half of what words can add is reached at 6.
    """
    words = bm25 / (bm25 + _WORDS_HALF) if bm25 > 0 else 0.0
    return (likeness + best_sentence) / 2 + _WORDS_WEIGHT * words


def score_of(close: float) -> float:
    """A closeness as a score from 0 to 1; one half is where answers and chance meet."""
    return 1.0 / (1.0 + math.exp(-_STEEPNESS * (close - _MIDDLE)))


def quoted(sentences: Sequence[str], likeness: npt.NDArray[np.float32]) -> tuple[int, int]:
    """Which sentences in a row are quoted: the first, and the one after the last.

    Up to three: the one that is most like the question, the one before it if it is not understood
    without, and then neighbours, rather those behind it, as far as they speak of the same.
    """
    best = int(likeness.argmax())
    first, last = best, best + 1
    while first > 0 and _REFERS.match(sentences[first]) and _fits(sentences[first - 1 : last]):
        first -= 1
    floor = _ASIDE * float(likeness[best])
    while True:
        sides = []
        if last < len(sentences) and likeness[last] + _BEHIND >= floor:
            sides.append((float(likeness[last]) + _BEHIND, first, last + 1))
        if first > 0 and likeness[first - 1] >= floor:
            sides.append((float(likeness[first - 1]), first - 1, last))
        fitting = [each for each in sides if _fits(sentences[each[1] : each[2]])]
        if not fitting:
            return first, last
        _, first, last = max(fitting)


def _fits(sentences: Sequence[str]) -> bool:
    """Whether so much may be said in one breath."""
    text = " ".join(sentences)
    return (
        len(sentences) <= QUOTED_SENTENCES
        and count_sentences(text) <= QUOTED_SENTENCES
        and len(text.split()) <= _QUOTED_WORDS
    )

"""A marked sentence as what a Piper voice reads: runs of one speed, with the pauses between.

    "Your code is <break time="250ms"/><prosody rate="slow">one two</prosody>."
        ── runs_of ──> Run("Your code is,", 1.0, 250), Run("one two.", 0.8, 0)

A network reads one run at one speed, so where the speed changes or a pause stands, a run ends:
with a comma, for the voice is to stay up there. Given phones stand in double brackets (`phones`);
brackets of the text itself are taken out, so no value can be phones, and control characters too,
which espeak takes as commands.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, replace

from appliance.dialogue.markup import Piece, parse
from appliance.tts.phones import given_phones

_ENDS = re.compile(r"[.,;:?!…]\s*$")
_STOPS = re.compile(r"\.(?=[.,;:?!])")
"""A full stop before another sign, as after an abbreviation: the sign counts. Of two full stops
espeak says the second one aloud, in the *next* text that it is given."""
_BORDER_MS = 60
"""Where the speed changes in the middle of a clause, nobody pauses for longer."""
_WORD = re.compile(r"\w")


@dataclass(frozen=True, slots=True)
class Run:
    """A text for the voice at `rate` times its own speed, then silence.

    With no `pause_ms` the next run follows as the voice ends this one: at a comma, after a while.
    """

    text: str
    rate: float = 1.0
    pause_ms: int = 0


def runs_of(speech: str) -> tuple[Run, ...]:
    """What the voice reads, run by run.

    Raises:
        ValueError: the marks are faulty; see `markup.parse`.
    """
    runs = [Run("")]
    for piece in parse(speech):
        if piece.pause_ms:
            runs[-1] = replace(runs[-1], pause_ms=runs[-1].pause_ms + piece.pause_ms)
        elif piece.text:
            other = piece.rate != runs[-1].rate and _WORD.search(piece.said)
            open_end = _WORD.search(runs[-1].text) and not _ENDS.search(runs[-1].text)
            if other and not runs[-1].pause_ms and open_end:
                runs[-1] = replace(runs[-1], pause_ms=_BORDER_MS)
            if other or runs[-1].pause_ms:
                runs.append(Run("", piece.rate))
            runs[-1] = replace(runs[-1], text=_joined(runs[-1].text, _read(piece)))
    return _ended(runs)


def cleaned(text: str) -> str:
    """A text without what piper or espeak would take for more than words."""
    plain = re.sub(r"[\[\]{}<>|\\^~]", " ", text)
    return "".join(" " if unicodedata.category(sign)[0] in "CZ" else sign for sign in plain)


def _joined(text: str, more: str) -> str:
    """Two stretches as one; what stands close in writing ("5pm") is two words when said."""
    close = _WORD.match(text[-1:] if text[-2:] != "]]" else "x") and _WORD.match(
        more.lstrip("[")[:1]
    )
    return f"{text} {more}" if close else text + more


def _read(piece: Piece) -> str:
    said = cleaned(piece.said)
    return given_phones(cleaned(piece.phones), said) if piece.phones else said


def _ended(runs: list[Run]) -> tuple[Run, ...]:
    """Every run with words in it, and each but the last with the sign of a pause."""
    found: list[Run] = []
    for run in runs:
        text = _STOPS.sub("", " ".join(run.text.split()))
        if _WORD.search(text):
            rate = run.rate
            found.append(Run(text, rate, run.pause_ms))
        elif found:  # the full stop after a mark that ends the sentence
            last = found[-1]
            said = re.sub(r"[,;:]*$", "", last.text) + text if text else last.text
            found[-1] = Run(said, last.rate, last.pause_ms + run.pause_ms)
        elif run.pause_ms:
            found.append(Run("", 1.0, run.pause_ms))
    return tuple(
        run if run is found[-1] or not run.text or _ENDS.search(run.text)
        else replace(run, text=f"{run.text},")
        for run in found
    )  # fmt: skip

"""Puts together the digits of one number that was said in parts and taken back in places.

    runs and marks, in the order of the words  ->  the digits that are meant

    "nine oh two … no, one oh"      the rest, where that makes a whole; else the tail is replaced
    "five, not nine"                the nine that was said is a five
    "the last one is a four"        replaces the last one
    "scratch that"                  nothing said before it counts

What was said in the turns before is the beginning of the number, or a whole one that is mended.
Pure, and of no language: `numbers` finds the runs and the marks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

_BEGINS_ALIKE = 2
"""So many digits like the first ones say that the number is said again, not gone on with."""

MarkKind = Literal["restart", "place", "denial", "correction", "doubt"]


@dataclass(frozen=True, slots=True)
class Run:
    """Digits said in one go."""

    digits: str


@dataclass(frozen=True, slots=True)
class Mark:
    """What takes digits back; see `DigitRepairs`.

    Attributes:
        kind: how.
        place: the index of the first digit that a `place` names, from the end where negative.
    """

    kind: MarkKind
    place: int = 0


Piece = Run | Mark


def put_together(pieces: Sequence[Piece], *, length: int | None, before: str = "") -> str:
    """The digits that are meant; "" where none were said now.

    Args:
        pieces: what was said, in order.
        length: of a whole number; None where it is not known.
        before: what was said in the turns before.
    """
    draft = _Draft(length, before)
    for piece in pieces:
        if isinstance(piece, Mark):
            draft.take_mark(piece)
        else:
            draft.take_run(piece.digits)
    return draft.held if draft.last else ""


class _Draft:
    """The number as far as it was said."""

    def __init__(self, length: int | None, before: str) -> None:
        self._length = length
        self.held = before
        self.last = ""  # the last run
        self._base = before  # what was held before the last run
        self._denied = ""  # a run that is not meant; the next one is
        self._mark: Mark | None = None  # said since the last run
        self._earlier = True  # whether all that is held is of the turns before

    def take_mark(self, mark: Mark) -> None:
        """Note what takes digits back; of several the one that says most counts."""
        if mark.kind == "restart":
            self.held = self.last = self._base = self._denied = ""
            self._mark, self._earlier = None, False
        elif self._mark is None or self._mark.kind in ("correction", "doubt"):
            self._mark = mark

    def take_run(self, run: str) -> None:
        """Add digits, as the mark before them says."""
        mark, self._mark = self._mark, None
        if mark and (mark.kind == "denial" or (mark.kind == "doubt" and self._was_said(run))):
            self._deny(run)
            return
        self._base, before = self.held, self.held
        if self._denied:
            self.held, self._denied = self._swapped(before, self._denied, run), ""
        elif self._length is not None and len(run) >= self._length:
            self.held = run
        elif mark and mark.kind == "place":
            self.held = self._placed(before, run, mark.place)
        elif mark:
            self.held = self._mended(before, run)
        else:
            self.held = self._gone_on(before, run)
        self.last, self._earlier = run, False

    def _was_said(self, run: str) -> bool:
        """Whether a run is one that the last one corrects: "cinco, no nueve" after a nine."""
        return len(run) == len(self.last) and run in self._base

    def _gone_on(self, held: str, run: str) -> str:
        """Without a mark: the next part, the whole from its beginning, or another number."""
        if self._earlier and (self._is_whole(held) or _begins_alike(run, held)):
            return run
        if self._length is None:
            return held + run if self._earlier else max(held, run, key=len)
        if len(held) + len(run) <= self._length:
            return held + run
        return run if self._earlier or len(run) > len(held) else held

    def _mended(self, held: str, run: str) -> str:
        """After a correction: the rest of the number, or the end of it in other digits."""
        if _begins_alike(run, held):
            return run
        if self._length is not None and len(held) + len(run) >= self._length:
            return held[: self._length - len(run)] + run
        return held[: -len(run)] + run

    def _placed(self, held: str, run: str, place: int) -> str:
        """Digits at a place that was named; missing ones are added there."""
        if len(run) > len(held):
            return run
        if self._length is not None and len(held) + len(run) == self._length:
            return held + run if place < 0 else run + held
        start = place + len(held) if place < 0 else place
        start = max(0, min(start, len(held) - len(run)))
        return held[:start] + run + held[start + len(run) :]

    def _deny(self, run: str) -> None:
        """The run is not meant: "five, not nine"; of "not nine, five" only the end is."""
        half = len(run) // 2
        if self.last and len(self.last) == len(run):
            self.held = self._swapped(self._base, run, self.last)
        elif (
            not self.last
            and len(run) % 2 == 0
            and (run[:half] in self.held or half == self._length)
        ):
            self.held, self.last = self._swapped(self.held, run[:half], run[half:]), run[half:]
        elif not self.last:
            self._denied = run

    def _swapped(self, held: str, wrong: str, right: str) -> str:
        """The last `wrong` is `right`; where there is none, the end is."""
        head, found, tail = held.rpartition(wrong)
        return head + right + tail if found else self._mended(held, right)

    def _is_whole(self, digits: str) -> bool:
        return self._length is not None and len(digits) >= self._length


def _begins_alike(run: str, held: str) -> bool:
    """Whether a run says the number again from its beginning."""
    alike = len(held) >= _BEGINS_ALIKE and run[:_BEGINS_ALIKE] == held[:_BEGINS_ALIKE]
    return alike or run.startswith(held)

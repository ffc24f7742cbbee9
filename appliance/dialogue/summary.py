"""The summary of a call that is over: turns, transfers, who handed over to whom, takeaways.

    turns, notes, takeaways ──> CallSummary ──┬─> values for the store (`to_json`)
                                              └─> lines for people     (`lines`)

Pure. It holds what the caller said, so it is personal: for the store and the operator's eyes, never
for logs or call records.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from appliance.dialogue.turn import HandoffNote


@dataclass(frozen=True, slots=True)
class Handoff:
    """One note as it is summed up; facts and questions by the names that the flow gives them."""

    by: str
    to: str
    summary: str
    key_facts: tuple[tuple[str, str], ...]
    open_questions: tuple[str, ...]
    recommendations: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CallSummary:
    """What became of a call.

    Attributes:
        turns: turns of the caller.
        handoffs: the trail, in order; as many as there were transfers.
        takeaways: the flow's `takeaways`, rendered.
    """

    turns: int
    handoffs: tuple[Handoff, ...] = ()
    takeaways: tuple[str, ...] = ()

    @property
    def transfers(self) -> int:
        """How often the caller was handed over."""
        return len(self.handoffs)

    def to_json(self) -> dict[str, Any]:
        """As values for JSON."""
        body = asdict(self) | {"transfers": self.transfers}
        for handoff in body["handoffs"]:
            handoff["key_facts"] = dict(handoff["key_facts"])
        return body

    def lines(self) -> Iterator[str]:
        """As text for people."""
        yield f"{_counted(self.turns, 'turn')}, {_counted(self.transfers, 'transfer')}"
        for number, each in enumerate(self.handoffs, 1):
            yield f"{number}. {_name(each.by)} -> {_name(each.to)}: {each.summary or 'no summary'}"
            if each.open_questions:
                yield f"   open: {', '.join(_words(name) for name in each.open_questions)}"
            if each.recommendations:
                yield f"   recommended: {' '.join(each.recommendations)}"
        if self.takeaways:
            yield "takeaways:"
            yield from (f"- {text}" for text in self.takeaways)


def sum_up(turns: int, notes: Iterable[HandoffNote], takeaways: Iterable[str]) -> CallSummary:
    """Sum up a call from what its state holds at the end."""
    handoffs = (
        Handoff(
            by=note.by,
            to=note.to,
            summary=note.summary,
            key_facts=tuple((name, str(value)) for name, value in note.key_facts.items()),
            open_questions=note.open_questions,
            recommendations=note.recommendations,
        )
        for note in notes
    )
    return CallSummary(turns, tuple(handoffs), tuple(takeaways))


def parse_summary(body: Mapping[str, Any]) -> CallSummary:
    """Read back what `to_json` gave.

    Raises:
        ValueError: it is no summary.
    """
    try:
        handoffs = (
            Handoff(
                by=str(each["by"]),
                to=str(each["to"]),
                summary=str(each["summary"]),
                key_facts=tuple(each["key_facts"].items()),
                open_questions=tuple(each["open_questions"]),
                recommendations=tuple(each["recommendations"]),
            )
            for each in body["handoffs"]
        )
        return CallSummary(int(body["turns"]), tuple(handoffs), tuple(body["takeaways"]))
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError("not a summary of a call") from error


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def _name(who: str) -> str:
    return who.capitalize()


def _words(name: str) -> str:
    return name.replace("_", " ")

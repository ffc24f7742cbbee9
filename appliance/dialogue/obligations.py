"""What a caller must have heard: prompts marked `must_hear`, and what the flow still owes of them.

    Event.unheard ── owed ──> Owed ──> walk: said again, then the question; the reply waits

Terms that are read back before an agreement and disclosures are obligations. A caller who talks
over one has not heard it, so what he says then leads nowhere yet: the dialogue says it again and
asks its question again. What was heard only the host of a call knows; it tells it with each event
(`unheard`), so the dialogue stays a pure function and a call replays from its log.

- What is *said* stays owed until it was heard. Said again, it cannot be talked over any more.
- What is *asked* is owed as long as that question stands: another one asks for something else.
- Universal intents ("stop calling", "a person, please") are followed at once, as ever. Silence, a
  failure and what was not understood go their usual ways. Before the next question, wherever it
  is asked, what is owed is said.
- A question that nobody could know when he said "yes" is owed too, whether it must be heard or not.
- What must be heard but need not come before the answer (`must_hear: later`, such as the notice
  that a call is recorded) lets answers lead on, and is said before the next question too.
- A route with `anyway` is taken all the same: who corrects the terms that he is being read need
  not hear the wrong ones to the end.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from appliance.dialogue.routes import asked_prompts
from appliance.dialogue.schema import FlowSpec
from appliance.dialogue.templates import Template
from appliance.types import Language


@dataclass(frozen=True, slots=True)
class Owed:
    """What was not heard yet: prompts to be said, in this order, and the question, if it is one.

    `waits`: an answer leads nowhere before that.
    """

    said: tuple[str, ...] = ()
    question: str | None = None
    waits: bool = False

    def __bool__(self) -> bool:
        return bool(self.said or self.question)


NOTHING_OWED = Owed()


@dataclass(frozen=True, slots=True)
class Obligations:
    """A flow's: those that are said, in the order of the prompt file, and those that are asked.

    Answers do not wait for those that may come `later`.
    """

    said: tuple[str, ...] = ()
    asked: frozenset[str] = frozenset()
    later: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.said or self.asked)

    @property
    def all(self) -> tuple[str, ...]:
        """All of them, in a fixed order."""
        return (*self.said, *sorted(self.asked))

    def owed(self, unheard: Iterable[str], question: str | None) -> Owed:
        """What of the prompts that were not heard is owed where this question stands."""
        lacking = set(unheard)
        if not lacking:
            return NOTHING_OWED
        asked = question if question in lacking else None
        said = tuple(name for name in self.said if name in lacking)
        return Owed(said, asked, bool(asked) or not self.later.issuperset(said))


def obligations_of(
    spec: FlowSpec, templates: Mapping[Language, Mapping[str, Template]]
) -> Obligations:
    """The obligations of a flow; a prompt that is asked anywhere is a question."""
    every = dict.fromkeys(
        name for texts in templates.values() for name, each in texts.items() if each.must_hear
    )
    asked = frozenset(asked_prompts(spec)) & every.keys()
    waiting = {name for texts in templates.values() for name, each in texts.items() if each.waits}
    said = tuple(name for name in every if name not in asked)
    return Obligations(said, asked, frozenset(said) - waiting)

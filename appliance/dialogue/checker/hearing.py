"""What a caller has heard of what he must hear, as the checker sees it: he may talk over anything.

An obligation is a register: nothing is owed, it was said (OWED), or it was also heard (HEARD,
where a property asks for that). Each event tells how it stands, so at each the walk is taken for
both: he has heard it, and he has not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from appliance.dialogue.checker.choices import Choices
from appliance.dialogue.checker.registers import Registers
from appliance.dialogue.checker.watch import HEARD, OWED, Watch
from appliance.dialogue.obligations import NOTHING_OWED, Owed
from appliance.dialogue.schema import Route
from appliance.dialogue.signals import Signal

_TELLS_NOTHING = ("start", "hung_up")
"""Nothing was said before, or it matters no more."""


class Hearing:
    """The obligations of one walk."""

    def __init__(self, watch: Watch, registers: Registers, choices: Choices) -> None:
        self._watch, self._registers, self._choices = watch, registers, choices
        self._obligations = watch.flow.obligations
        self._owed = NOTHING_OWED
        self.unheard: tuple[str, ...] = ()
        """What the event tells."""

    def owed(self, signal: Signal, question: str | None) -> Owed:
        """What is owed when a signal comes, while this question stands."""
        if self._obligations and signal.kind not in _TELLS_NOTHING:
            self.unheard = tuple(self._not_heard(signal))
            self._owed = self._obligations.owed(self.unheard, question)
        return self._owed

    def _not_heard(self, signal: Signal) -> Iterator[str]:
        """What a tool's outcome does not tell may still be being said: that stays owed."""
        for name in self._obligations.all:
            if self._registers.read(f"heard {name}") == OWED:
                if self._choices.choose(2):
                    yield name
                elif signal.kind != "tool":
                    self._put(name, HEARD)

    def due(
        self, signal: Signal, route: Route | None, asked: str | None, said: Sequence[str]
    ) -> list[str]:
        """What had to be said in this walk, and was not: it may not apply any more.

        Args:
            signal: what came.
            route: the one that it would take.
            asked: the question that the walk came to, if it did.
            said: what was said.
        """
        waits = self._owed.waits and signal.answers and not (route and route.anyway)
        due = list(self._owed.said) if waits or asked in said else []
        if waits and self._owed.question:
            due.append(self._owed.question)
        return [name for name in due if name not in said]

    def asked(self, question: str) -> None:
        """A question is asked: another one is not owed any more, nor does it count as heard."""
        for other in self._obligations.asked - {question}:
            self._put(other, 0)

    def said(self, prompt: str) -> None:
        """A prompt is said; what a property wants heard is only the last of its prompts."""
        if prompt not in self._obligations.all:
            return
        for names in self._watch.hearings:
            for other in names if prompt in names else ():
                self._put(other, 0)
        texts = self._watch.flow.templates.values()
        protected = all(each[prompt].uninterruptible for each in texts)
        self._put(prompt, HEARD if protected else OWED)

    def insisted(self, prompt: str) -> None:
        """It was said so that nobody could talk over it."""
        self._put(prompt, HEARD)

    def _put(self, name: str, stands: int) -> None:
        register = f"heard {name}"
        highest = self._watch.monitors[register]
        self._registers.write(register, stands if stands <= highest else 0)

"""What a call writes to its event log, and how a turn's time is told apart.

    caller's last sound ── endpoint_ms ──> turn over ── decision_ms ──> first frame to the line
                                              recognition + understanding + dialogue + rendering

Everything passes through here, so this is where it is seen that no digit, no rendered prompt and
no account value is ever logged.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import takewhile
from typing import Any

from appliance.clock import Clock
from appliance.dialogue.events import Event, Heard, serialize_event
from appliance.dialogue.flow import CallFlow, words_of
from appliance.dialogue.redact import PRIVATE, redact
from appliance.dialogue.schema import Slot
from appliance.dialogue.turn import Action, State, Turn
from appliance.nlu.introductions import introduced
from appliance.session.ear import Reading
from appliance.session.heard import HeardPart
from appliance.session.playout import Said
from appliance.store.events import EventLog
from appliance.stt.agreement import Partial
from appliance.types import SpeechEnded

Tell = Callable[[str, float, Mapping[str, Any]], None]
"""Told of an event: its kind, milliseconds since the start of the call, its fields."""

_NS_PER_MS = 1_000_000
_PERSONAL: frozenset[Slot | None] = frozenset({"name", "address", "phone", "email", "text"})


@dataclass(slots=True)
class TurnTiming:
    """When the parts of one turn happened; nanoseconds of the monotonic clock.

    `voice_ms`: from the decision to the first frame. `prepared`: the dialogue had decided before
    the turn was over. `asked`: the kind of thing that the question was for.
    """

    over_ns: int
    speech_end_ns: int | None = None
    recognition_ms: float = 0.0
    understanding_ms: float = 0.0
    dialogue_ms: float = 0.0
    voice_ms: float = 0.0
    prepared: bool = False
    asked: str = "open"


def timing_of(end: SpeechEnded, reading: Reading) -> TurnTiming:
    """The timing of a spoken turn, as far as it is known when the turn has been read."""
    return TurnTiming(
        over_ns=end.at_ns,
        speech_end_ns=end.ended_ns,
        recognition_ms=reading.transcript.decode_ms,
        understanding_ms=reading.understanding_ms,
    )


class Journal:
    """One call's log, in the words of the dialogue."""

    def __init__(
        self, log: EventLog, clock: Clock, flow: CallFlow, tell: Tell = lambda *_: None
    ) -> None:
        """Begin a log.

        Args:
            log: where it is written.
            clock: tells how long the call lasts.
            flow: knows what is private: words of the account, and facts of personal types.
            tell: is told of every event as it is written.
        """
        self._private: frozenset[str] = frozenset()
        self.follow(flow)
        self._log, self._tell = log, tell
        self._clock = clock
        self._start_ns = clock.monotonic_ns()
        self._turns = 0
        self._silent: tuple[Turn, TurnTiming | None, int] | None = None

    def follow(self, flow: CallFlow) -> None:
        """The call goes on in this flow; what was private stays so."""
        self._private |= flow.private_words()
        self._hidden = flow.flow.private_facts

    def note(self, kind: str, **fields: Any) -> None:
        """Write a plain event; `fields` must hold nothing personal."""
        ms = self._ms(self._clock.monotonic_ns())
        self._log.write(kind, ms, **fields)
        self._tell(kind, ms, fields)

    def event(self, event: Event, turn: Turn, now: datetime, asked: Slot | None) -> None:
        """Write what happened and which checks it passed: enough to replay the step.

        Where a ZIP was `asked` for, every number is masked: it may come in pieces. What answers a
        question for something personal is masked altogether, and so are its words from then on;
        those of a name or an address too that was given away unasked.
        """
        self._private |= self._learned(turn.state)
        if isinstance(event, Heard):
            self._private |= _given_away(event.understanding.text)
        body = serialize_event(event, turn.checked, self._private, self._hidden)
        if "text" in body and asked in _PERSONAL:
            body["text"] = PRIVATE
        elif "text" in body and asked == "zip":
            body["text"] = redact(body["text"], limit=1)
        kind = body.pop("type")
        intents = body.get("intents")
        if intents:
            body["intent"] = intents[0][0]
        self.note(kind, at=now.isoformat(), **body)

    def masked(self, partial: Partial, asked: Slot | None) -> Partial:
        """What a caller is saying, fit to be shown: as in the log, and without any number.

        A number comes in pieces, of which the first would already have been shown.
        """
        if asked in _PERSONAL:
            return Partial(rest=PRIVATE) if partial.text else Partial()
        private = self._private | _given_away(partial.text)
        whole = redact(partial.text, private, limit=1).split()
        stable = redact(partial.stable, private, limit=1).split()
        same = sum(
            1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(whole, stable, strict=False))
        )
        return Partial(" ".join(whole[:same]), " ".join(whole[same:]))

    def _learned(self, state: State) -> frozenset[str]:
        """The words of the private facts that the call knows."""
        known = (str(state.facts[name]) for name in self._hidden if name in state.facts)
        return frozenset(word for text in known for word in words_of(text))

    def said(self, said: Said, part: HeardPart) -> None:
        """Write how much of a prompt was heard, in its words: values are their names in brackets.

        `cut` are those that were not heard; `must_hear` whether an obligation was heard by now.
        """
        more: dict[str, Any] = {"cut": part.cut} if part.cut else {}
        if part.must_hear:
            more["must_hear"] = "heard" if part.whole else "owed"
        self.note(
            "said", prompt=said.prompt, heard_ms=said.heard_ms, total_ms=said.total_ms,
            interrupted=said.interrupted, words=part.words, **more,
        )  # fmt: skip

    def end(self, state: State, **fields: Any) -> None:
        """Write how the call ended and what it learned, without what is personal."""
        facts = {name: value for name, value in state.facts.items() if name not in self._hidden}
        self.note("end", outcome=state.outcome, facts=facts, **fields)

    def begun(self, action: Action) -> None:
        """Write that an action is executed now: a crash may keep its outcome from the log."""
        self.note("begun", name=action.name, key=action.key)

    def action(self, action: Action, outcome: str) -> None:
        """Write that an action was executed; its arguments lie in the store, not here."""
        self.note("action", name=action.name, key=action.key, outcome=outcome)

    def turn(self, turn: Turn, timing: TurnTiming | None = None) -> None:
        """Write a turn now: it says nothing, or its first audio went out."""
        self.sounded()
        self._turns += 1
        fields: dict[str, Any] = {
            "turn": self._turns,
            "state": turn.state.current,
            "phase": turn.state.phase,
            "prompts": [prompt.id for prompt in turn.say],
        }
        if timing is not None:
            fields |= self._measures(timing)
        self.note("turn", **fields)

    def turn_to_sound(self, turn: Turn, timing: TurnTiming | None) -> None:
        """A turn is being said; it is written when its first audio goes out."""
        self._silent = turn, timing, self._clock.monotonic_ns()

    def sounded(self) -> None:
        """The first audio of what is being said went out, or it never will: write that turn."""
        if self._silent is not None:
            (turn, timing, decided_ns), self._silent = self._silent, None
            if timing is not None:
                timing.voice_ms = _between(decided_ns, self._clock.monotonic_ns())
            self.turn(turn, timing)

    def _measures(self, timing: TurnTiming) -> dict[str, Any]:
        now = self._clock.monotonic_ns()
        measures: dict[str, Any] = {
            "decision_ms": _between(timing.over_ns, now),
            "recognition_ms": round(timing.recognition_ms, 2),
            "understanding_ms": round(timing.understanding_ms, 2),
            "dialogue_ms": round(timing.dialogue_ms, 2),
            "voice_ms": timing.voice_ms,
            "asked": timing.asked,
            "prepared": timing.prepared,
        }
        if timing.speech_end_ns is not None:
            measures["speech_end_ns"] = timing.speech_end_ns
            measures["endpoint_ms"] = _between(timing.speech_end_ns, timing.over_ns)
            measures["first_audio_ms"] = _between(timing.speech_end_ns, now)
        return measures

    def _ms(self, at_ns: int) -> float:
        return (at_ns - self._start_ns) / _NS_PER_MS


def _given_away(text: str) -> frozenset[str]:
    """The words of a name or an address that nobody had asked for."""
    return frozenset(word for each in introduced(text) for word in words_of(each))


def _between(start_ns: int, end_ns: int) -> float:
    return round((end_ns - start_ns) / _NS_PER_MS, 2)

"""Judges a flow by playing every dialogue on the engine: slow, simple, and no part of the checker.

For small flows only. It knows nothing of signals, registers or liveness: it gives `step` real
events with everything that a check might find, remembers what was said and done, and looks.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import chain, combinations, product

from appliance.dialogue.checker import watch
from appliance.dialogue.checker.script import NOON
from appliance.dialogue.engine import step
from appliance.dialogue.events import (
    CallStarted,
    Checked,
    Digits,
    EngineFailed,
    Event,
    Heard,
    HungUp,
    NoInput,
    ToolDone,
)
from appliance.dialogue.faults import EndlessError, LockedError, UnknownError
from appliance.dialogue.flow import CallFlow, Flow
from appliance.dialogue.properties import Condition, Never, Past
from appliance.dialogue.rehearsal import KNOWN, given, recorded, sample_call
from appliance.dialogue.schema import Decision
from appliance.dialogue.turn import State, Turn
from appliance.testing.turn_trace import turn_trace
from appliance.types import Intent, Understanding

_FORGOTTEN = {"step": 0, "awaiting": None, "last_intent": None, "notes": (), "phase": ""}


@dataclass(frozen=True)
class _History:
    """What properties need to know of the past."""

    said: frozenset[str] = frozenset()
    done: frozenset[str] = frozenset()
    counts: tuple[int, ...] = ()
    owed: frozenset[str] = frozenset()
    heard: frozenset[str] = frozenset()

    def told(self, event: Event) -> _History:
        """With what an event tells of what was heard."""
        if isinstance(event, CallStarted | ToolDone | HungUp):
            return self
        unheard = frozenset(event.unheard)
        return replace(self, owed=unheard, heard=self.heard | (self.owed - unheard))


@dataclass
class Judgement:
    """What was found: the titles that failed, what was passed, and how many states there were."""

    failed: set[str] = field(default_factory=set)
    broke: bool = False
    taken: set[str] = field(default_factory=set)
    said: set[str] = field(default_factory=set)
    outcomes: set[str] = field(default_factory=set)
    called: set[str] = field(default_factory=set)
    states: int = 0


def judge(flow: Flow, limit: int) -> Judgement | None:
    """Play everything; None if there are more states than `limit`."""
    return _Judge(flow).run(limit)


class _Judge:
    def __init__(self, flow: Flow) -> None:
        self._flow, self._spec = flow, flow.spec
        self._found = Judgement()
        mosts = [(each.title, each.at_most) for each in flow.spec.properties if each.at_most]
        self._mosts = [(title, most) for title, most in mosts if most]
        self._nevers = [(e.title, e.never) for e in flow.spec.properties if e.never]
        self._tool_edges: dict[tuple[str, _History], set[tuple[str, _History]]] = {}

    def run(self, limit: int) -> Judgement | None:
        """Breadth does not matter: every state is visited."""
        for call in self._calls():
            start = (call.open(), _History(counts=(0,) * len(self._mosts)))
            pending, seen = [start], {self._key(*start)}
            self._found.states += 1
            while pending:
                if self._found.states > limit:
                    return None
                state, history = pending.pop()
                for after, later in self._follow(call, state, history):
                    if self._key(after, later) not in seen:
                        seen.add(self._key(after, later))
                        self._found.states += 1
                        pending.append((after, later))
        if self._circles():
            self._found.failed.add(watch.ENDS)
        return self._found

    def _calls(self) -> Iterator[CallFlow]:
        languages = self._flow.languages
        entries = [
            [None, True] if self._spec.facts[name] == "flag" else [None, "known"]
            for name in self._spec.entry
        ]
        for language, spoken, entry in product(
            languages, {(each,) for each in languages} | {languages}, product(*entries)
        ):
            if language in spoken:
                known = {n: v for n, v in zip(self._spec.entry, entry, strict=True) if v}
                yield sample_call(self._flow, language, spoken, known)

    @staticmethod
    def _key(state: State, history: _History) -> tuple[str, _History]:
        return state.model_copy(update=_FORGOTTEN).model_dump_json(), history

    def _follow(
        self, call: CallFlow, state: State, history: _History
    ) -> Iterator[tuple[State, _History]]:
        if state.ended:
            return
        for event in self._heard_or_not(state, history):
            for turn, each in self._turns(call, state, event):
                later = self._look(state, each, turn, history)
                if isinstance(event, ToolDone) and turn.taken and not turn.state.ended:
                    edges = self._tool_edges.setdefault(self._key(state, history), set())
                    edges.add(self._key(turn.state, later))
                if isinstance(event, HungUp):
                    continue
                if turn.state.turns >= self._spec.max_turns and turn.listen.expects_reply:
                    continue  # out_of_turns asks: it was seen, and nothing is proven beyond
                # Turns go on counting while a tool is waited for; past the limit all is the same.
                turns = min(turn.state.turns, self._spec.max_turns)
                yield turn.state.model_copy(update={"turns": turns}), later

    def _heard_or_not(self, state: State, history: _History) -> Iterator[Event]:
        """Every event, with everything that was said and may not have been heard."""
        owed = sorted(history.owed)
        for event in self._events(state):
            tells = not isinstance(event, CallStarted | HungUp)
            for count in range(len(owed) + 1 if tells else 1):
                yield from (replace(event, unheard=each) for each in combinations(owed, count))

    def _events(self, state: State) -> Iterator[Event]:
        if not state.current:
            yield CallStarted()
        names = {*self._spec.universal, "affirmation", "negation", "greeting", "filler"}
        yield from (Heard(Understanding(n, (Intent(n, 1.0),))) for n in sorted(names))
        yield from (NoInput(), EngineFailed("stt"), HungUp(), Digits("1"), Digits("7"))
        for name, tool in self._spec.tools.items():
            for outcome in tool.outcomes:
                always, maybe = tool.produces.get(outcome, ()), tool.may_produce.get(outcome, ())
                for facts in self._valued(always, maybe):
                    gave = given(self._flow, name, outcome, facts)
                    yield ToolDone(name, outcome, facts=gave)

    def _turns(self, call: CallFlow, state: State, event: Event) -> Iterator[tuple[Turn, Event]]:
        """The turns of an event, over all that the checks which it asks can find."""
        pending: list[dict[str, Checked]] = [{}]
        while pending:
            given = pending.pop()
            rest = [
                c for name in self._flow.checks if name not in given for c in self._all(name)[:1]
            ]
            each = replace(event, checked=(*given.values(), *rest))
            turn = self._stepped(call, state, each)
            asked = [c.check for c in turn.checked if c.check not in given] if turn else []
            if turn is None and rest:
                asked = [rest[0].check]  # it broke: perhaps by what one of these found
            if asked:
                pending += [given | {asked[0]: found} for found in self._all(asked[0])]
            elif turn is not None:
                yield turn, each

    def _all(self, name: str) -> list[Checked]:
        """All that a check can find."""
        check = self._flow.checks[name]
        return [
            recorded(self._flow, name, outcome, facts)
            for outcome in map(str, check.outcomes)
            for facts in self._valued(
                check.produces.get(outcome, ()), check.may_produce.get(outcome, ())
            )
        ]

    def _valued(self, always: tuple[str, ...], maybe: tuple[str, ...]) -> Iterator[dict[str, str]]:
        """Facts that come with an outcome, in every combination."""
        for some in chain.from_iterable(combinations(maybe, n) for n in range(len(maybe) + 1)):
            names = (*always, *some)
            kinds = [self._spec.facts[n] for n in names]
            for chosen in product(*(k if isinstance(k, tuple) else (KNOWN,) for k in kinds)):
                yield dict(zip(names, chosen, strict=True))

    def _stepped(self, call: CallFlow, state: State, event: Event) -> Turn | None:
        try:
            return step(call, state, event, NOON)
        except LockedError:
            self._found.failed.add(watch.CONDITIONS)
        except UnknownError as error:
            reason = "reason" in str(error)
            self._found.failed.add(watch.ENDS if reason else watch.KNOWN_FIRST)
        except EndlessError:
            self._found.failed.add(watch.ROUTED)
        self._found.broke = True
        return None

    # What must hold

    def _look(self, before: State, event: Event, turn: Turn, history: _History) -> _History:
        state, here = turn.state, self._spec.states.get(turn.state.current)
        self._found.taken.update(turn.taken)
        self._found.said.update(prompt.id for prompt in turn.say)
        self._found.called.update(action.name for action in turn.actions)
        failed = self._found.failed
        if state.outcome is not None:
            self._found.outcomes.add(state.outcome)
            if state.outcome not in self._spec.outcomes:
                failed.add(watch.ENDS)
        elif isinstance(event, HungUp):
            failed.add(watch.ENDS)
            self._found.broke = True  # what comes after that is nobody's call any more
        elif here is not None:
            if not isinstance(here, Decision) and not state.doing:
                failed.add(watch.ROUTED)
            if state.turns >= self._spec.max_turns and turn.listen.expects_reply:
                failed.add(watch.ENDS)
                self._found.broke = True  # the checker looks no further than this
            for each in self._spec.properties:
                limit = each.always_ends_within
                if limit and limit < self._spec.max_turns and state.turns >= limit:
                    failed.add(each.title)
            listens = turn.taken or turn.say
            if isinstance(here, Decision) and listens and not turn.say:
                failed.add(watch.ANSWERED)
        self._asked_if_automated(before, event, turn)
        return self._happened(before, event, turn, history.told(event))

    def _asked_if_automated(self, before: State, event: Event, turn: Turn) -> None:
        asked = isinstance(event, Heard) and event.understanding.text == "robot_question"
        forced = turn.taken[:1] == ("out_of_turns",)
        said = {prompt.id for prompt in turn.say}
        asking = isinstance(self._spec.states.get(before.current), Decision)
        if not asked:
            return
        if asking and not forced and "robot" not in said:
            self._found.failed.add(watch.AUTOMATION)
        heard = asking or turn.taken[:1] == ("universal.robot_question",)
        for each in self._spec.properties:
            if each.whenever and heard and not set(each.whenever.say) <= said:
                self._found.failed.add(each.title)

    def _happened(self, before: State, event: Event, turn: Turn, history: _History) -> _History:
        """Go through a turn in its order: tools done, then routes and states, prompts, tools.

        Where the order within a turn matters, the trace of the walk is followed.
        """
        said, done = set(history.said), set(history.done)
        counts = list(history.counts)
        owed, heard = set(history.owed), set(history.heard)
        if isinstance(event, ToolDone) and turn.taken:
            done.add(f"{event.tool}.{event.outcome}")
        gave = event.facts if isinstance(event, ToolDone) else ()
        for kind, name, facts, current in turn_trace(self._flow, before, turn, gave):
            past = _History(frozenset(said), frozenset(done), heard=frozenset(heard))
            for title, never in self._nevers:
                if self._concerns(never, kind, name, turn) and self._broken(
                    never, past, facts, current
                ):
                    self._found.failed.add(title)
            for index, (title, most) in enumerate(self._mosts):
                if watch.counted(most) == (kind, name):
                    counts[index] = min(counts[index] + 1, most.times + 1)
                    if counts[index] > most.times:
                        self._found.failed.add(title)
            if kind == "say":
                said.add(name)
                self._owe(name, turn, owed, heard)
        if turn.state.last_question not in (None, before.last_question):
            others = self._flow.obligations.asked - {turn.state.last_question}
            owed, heard = owed - others, heard - others
        kept = (frozenset(owed), frozenset(heard))
        return _History(frozenset(said), frozenset(done), tuple(counts), *kept)

    @staticmethod
    def _owe(name: str, turn: Turn, owed: set[str], heard: set[str]) -> None:
        """A prompt was said: it is owed, or heard where nobody can talk over it."""
        [*_, prompt] = (each for each in turn.say if each.id == name)
        if prompt.must_hear and prompt.uninterruptible:
            owed.discard(name)
            heard.add(name)
        elif prompt.must_hear:
            owed.add(name)
            heard.discard(name)

    def _concerns(self, never: Never, kind: str, name: str, turn: Turn) -> bool:
        if kind != "say":
            return name in getattr(never, kind)
        prompt = next(p for p in turn.say if p.id == name)
        slots = {name, *(part.slot for part in prompt.parts if part.slot)}
        words = bool(never.words) and "else" in prompt.redacted.lower()  # the one pattern
        return bool(slots & set(never.say)) or words

    @staticmethod
    def _broken(never: Never, past: _History, facts: dict[str, bool | str], current: str) -> bool:
        def holds(condition: Condition) -> bool:
            if isinstance(condition, Past):
                heard = bool(past.heard.intersection(condition.heard))
                return heard or condition.said in past.said or condition.done in past.done
            return facts.get(condition) is True

        if never.inside and current not in never.inside:
            return False
        if never.before is not None and holds(never.before):
            return False
        return never.after is None or holds(never.after)

    def _circles(self) -> bool:
        """Whether tools can call each other without end."""
        grey: set[tuple[str, _History]] = set()
        black: set[tuple[str, _History]] = set()

        def visit(node: tuple[str, _History]) -> bool:
            if node in black:
                return False
            if node in grey:
                return True
            grey.add(node)
            if any(visit(after) for after in self._tool_edges.get(node, ())):
                return True
            grey.discard(node)
            black.add(node)
            return False

        return any(visit(node) for node in list(self._tool_edges))

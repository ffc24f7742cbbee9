"""Visits every state that a flow can reach, over every event, turn by turn.

    roots (languages, entry facts) ── start ──> layer 0 ── one turn ──> layer 1 ── … ──> max_turns

Layer n holds the states in which a call can be after exactly n turns. A state's successors do not
depend on the turn, so each state is expanded once; the layers make the limit of turns exact.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from appliance.dialogue.checker.moves import Move, Moves
from appliance.dialogue.checker.steps import Location, Root, Step
from appliance.dialogue.checker.watch import ENDS, Alarm, Watch
from appliance.dialogue.flow import Flow
from appliance.dialogue.signals import Signal


@dataclass(frozen=True, slots=True)
class Moment:
    """A state after so many turns."""

    state: int
    turn: int


@dataclass(slots=True)
class Found:
    """An alarm, and how a call comes to it: the state before, and the last step (if any)."""

    alarm: Alarm
    at: Moment | None
    root: Root | None
    step: Step | None


class Explorer:
    """Explores one flow; `run` is called once, then everything else can be asked."""

    def __init__(self, flow: Flow) -> None:
        self.flow = flow
        self.watch = Watch(flow)
        self._moves = Moves(self.watch)
        self._after: dict[int, tuple[frozenset[int], frozenset[int]]] = {}
        self.starts: dict[int, tuple[Root, Step]] = {}
        self.layers: list[set[int]] = []
        self.within: dict[Moment, int] = {}
        """Moments that follow another one of the same turn, and the state they follow."""
        self.late: dict[int, tuple[Moment, Step]] = {}
        self.found: dict[Alarm, Found] = {}
        self.taken: set[int | str] = set()
        self.transitions = 0
        self.ended: set[int] = set()

    @property
    def states(self) -> int:
        """How many states were found, ended ones too."""
        return len(self._after) + len(self.ended)

    def run(self) -> None:
        """Visit everything."""
        layer = self._closed(self._start(), 0)
        self.layers = [layer]
        for turn in range(1, self.flow.spec.max_turns):
            if turn > 1 and layer == self.layers[-2]:
                self.layers.append(layer)  # it will not change any more
                continue
            after: set[int] = set()
            for state in layer:
                after |= self._expanded(state, turn - 1)[1]
            layer = self._closed(after, turn)
            self.layers.append(layer)
        self._last_turn(layer)
        self._circles()
        for title, limit in self.watch.ends_within():
            self._ends_within(title, limit)

    def _start(self) -> set[int]:
        states: set[int] = set()
        for root, outcome, state in self._moves.starts():
            self.transitions += 1
            self.taken |= outcome.taken
            for alarm in outcome.alarms:
                self.found.setdefault(alarm, Found(alarm, None, root, outcome.step))
            if state is not None:
                self.starts.setdefault(state, (root, outcome.step))
                (self.ended if outcome.ended else states).add(state)
        return states

    def location(self, state: int) -> Location:
        """Where a state is."""
        return self._moves.location(state)

    def moves(self, state: int) -> Iterator[tuple[int, Move]]:
        """Every state that can follow a state, with the move to it."""
        return self._moves.of(state)

    def _expanded(self, state: int, turn: int) -> tuple[frozenset[int], frozenset[int]]:
        """A state's successors without and with a turn, ended ones apart."""
        known = self._after.get(state)
        if known is not None:
            return known
        same: set[int] = set()
        later: set[int] = set()
        left = self.flow.spec.max_turns - turn
        for after, move in self.moves(state):
            self.transitions += 1
            takes_turn = move.outcome.step.signal.takes_turn
            # On the last turn another question is not asked: out_of_turns is taken instead.
            if not move.noted and not (move.asks and left <= takes_turn):
                self._note(move, Moment(state, turn), move.outcome.step)
            if move.outcome.ended:
                self.ended.add(after)
            else:
                (later if takes_turn else same).add(after)
        self._after[state] = frozenset(same), frozenset(later)
        return self._after[state]

    def _note(self, move: Move, at: Moment, step: Step) -> None:
        """Keep what a move shows, when it can first be made."""
        move.noted = True
        self.taken |= move.outcome.taken
        for alarm in move.outcome.alarms:
            if alarm not in self.found:
                self.found[alarm] = Found(alarm, at, None, step)

    def _closed(self, states: set[int], turn: int) -> set[int]:
        """With all that follows without a turn (tools come to their outcomes)."""
        pending, closed = list(states), set(states)
        while pending:
            state = pending.pop()
            for after in self._expanded(state, turn)[0]:
                if after not in closed:
                    closed.add(after)
                    pending.append(after)
                    self.within[Moment(after, turn)] = state
        return closed

    def _last_turn(self, layer: Iterable[int]) -> None:
        """The last turn: what would ask another question takes out_of_turns instead.

        States that then still wait for a tool are in no layer; `late` says how they are reached.
        """
        last = self.flow.spec.max_turns - 1
        for state in layer:
            self._force(Moment(state, last))
        pending = list(self.late)
        while pending:
            state = pending.pop()
            self._expanded(state, last + 1)
            known = set(self.late)
            self._force(Moment(state, last + 1))
            pending += set(self.late) - known

    def _force(self, at: Moment) -> None:
        """What follows a state when the turns are used up."""
        for after, move, step in self._last_moves(at):
            self.transitions += 1
            if not move.noted:
                self._note(move, at, step)
            if move.outcome.ended:
                self.ended.add(after)
            elif not move.asks:  # out_of_turns that asks is alarmed
                self.late.setdefault(after, (at, step))

    def _last_moves(self, at: Moment) -> Iterator[tuple[int, Move, Step]]:
        """The moves with which the turns are used up, each with its step.

        Where a move would ask, out_of_turns is taken; its step says what checks found for both.
        """
        asking: dict[Signal, list[Step]] = {}
        over = at.turn >= self.flow.spec.max_turns
        for after, move in self.moves(at.state):
            step = move.outcome.step
            if step.signal.takes_turn or over:
                if move.asks:
                    asking.setdefault(step.signal, []).append(step)
                else:
                    yield after, move, step
        for after, move in self._moves.of(at.state, forced=True):
            forced = move.outcome.step
            both = (each.joined(forced) for each in asking.get(forced.signal, ()))
            joined = next((step for step in both if step is not None), None)
            if joined is not None:
                yield after, move, joined

    def _circles(self) -> None:
        """Tools whose outcomes lead round in a circle: such a call would not end by itself."""
        timely: set[int] = set().union(*self.layers)
        limit = self.flow.spec.max_turns
        for states, late in ((timely, False), (set(self.late), True)):
            lead = {state: tuple(self._tools_lead(state, late=late)) for state in states}
            state = _on_a_circle(lead)
            if state is not None:
                detail = f"tools call each other without end in {self.location(state).current}"
                alarm = Alarm(ENDS, detail)
                at = Moment(state, limit) if late else self.first(state)
                self.found.setdefault(alarm, Found(alarm, at, None, None))

    def _tools_lead(self, state: int, *, late: bool) -> Iterator[int]:
        """Where the outcomes of tools lead to; `late`: when the turns are used up."""
        if self.location(state).doing:
            at = Moment(state, self.flow.spec.max_turns)
            last = ((after, move) for after, move, _ in self._last_moves(at))
            for after, move in last if late else self.moves(state):
                tool = move.outcome.step.signal.kind == "tool" and not move.outcome.ended
                if tool and not (late and move.asks):
                    yield after

    def _ends_within(self, title: str, limit: int) -> None:
        if limit >= self.flow.spec.max_turns:
            return  # out_of_turns ends it: ENDS
        for state in self.layers[limit]:
            alarm = Alarm(title, f"after {limit} turns the call can still go on")
            self.found[alarm] = Found(alarm, Moment(state, limit), None, None)
            return

    def first(self, state: int) -> Moment:
        """The earliest moment at which a call is in a state."""
        for turn, layer in enumerate(self.layers):
            if state in layer:
                return Moment(state, turn)
        return Moment(state, self.flow.spec.max_turns)  # one of `late`

    def successors(self, state: int) -> tuple[frozenset[int], frozenset[int]]:
        """The states that follow one that was visited: without a turn, and with one."""
        return self._after[state]


def _on_a_circle(lead: Mapping[int, Iterable[int]]) -> int | None:
    """A state from which one can come back to it; depth first, without recursion."""
    done: set[int] = set()
    for start in lead:
        path = {} if start in done else {start: iter(lead[start])}
        while path:
            after = next((each for each in next(reversed(path.values())) if each not in done), None)
            if after is None:
                done.add(path.popitem()[0])
            elif after in path:
                return after
            else:
                path[after] = iter(lead[after])
    return None

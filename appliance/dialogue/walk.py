"""The way of one signal through a flow: which states it passes, what is said, counted and called.

    Signal ──> route ──> set · count · branch · say · goto ──> … until a question, a tool or an end

This is the only code that moves a call. The engine walks with a host that renders prompts; the
checker walks every signal in every reachable `Control` with a host that watches. It reads nothing
but the control and what the host answers, and it changes nothing but the control.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

from appliance.dialogue.control import Control
from appliance.dialogue.faults import EndlessError
from appliance.dialogue.obligations import NOTHING_OWED, Owed
from appliance.dialogue.schema import (
    REASON,
    ActionState,
    Decision,
    FlowSpec,
    Route,
    Terminal,
)
from appliance.dialogue.signals import Signal, route_for

_LONGEST = 100  # routes and states in one walk; no sensible flow has a tenth of it


class Host(Protocol):
    """What a walk asks of whoever takes it."""

    def check(self, name: str) -> str:
        """The outcome of a check; its facts are put into the control."""
        ...

    def learn(self, tool: str, outcome: str) -> None:
        """A tool has come to this outcome; its facts are put into the control."""
        ...

    def speaks(self, language: str) -> bool:
        """Whether the box can go on in a language."""
        ...

    def took(self, route: Route) -> None:
        """A route was taken."""
        ...

    def entered(self, state: str) -> None:
        """A state was come to."""
        ...

    def say(self, prompt: str) -> None:
        """A prompt is said."""
        ...

    def ask(self, prompt: str) -> None:
        """A prompt is asked: it is said, and the dialogue listens."""
        ...

    def insist(self, prompt: str) -> None:
        """What must be heard is said again, and cannot be talked over."""
        ...

    def withheld(self) -> None:
        """An answer leads nowhere yet: something must be heard first."""
        ...

    def call(self, state: ActionState | Terminal, position: int) -> None:
        """A tool is called: the one at this position, from 0, of the state's list."""
        ...

    def write(self, note: str) -> None:
        """A note is written."""
        ...

    def end(self, state: Terminal, outcome: str) -> None:
        """The flow has come to its outcome."""
        ...


class Walk:
    """One signal's way; `take` is called once."""

    def __init__(
        self, spec: FlowSpec, control: Control, host: Host, owed: Owed = NOTHING_OWED
    ) -> None:
        """`owed`: what the caller must have heard and has not (see `obligations`)."""
        self._spec = spec
        self._control = control
        self._host = host
        self._owed = owed
        self._leads_in = False
        self._steps = 0
        self._giving_way = False
        self._gone = False

    def take(self, signal: Signal, forced: Route | None = None) -> None:
        """Walk; with `forced`, on that route (the caller is out of turns).

        Raises:
            EndlessError: the flow goes round in circles without asking.
        """
        if signal.kind == "start":
            self._enter(self._spec.start, None)
            return
        self._gone = signal.kind == "hung_up"
        self._reset(signal)
        here = self._spec.states.get(self._control.current)  # none before the start
        if isinstance(here, Terminal) and self._gone:
            self._proceed(here)  # what it has begun is finished without the caller
            return
        route = forced or route_for(self._spec, self._control.current, signal)
        if forced is None and isinstance(here, Decision) and self._must_wait(signal, route):
            self._make_good(here)
            return
        if signal.kind == "check":
            self._host.check(signal.name.partition(".")[0])
        elif signal.kind == "tool":
            self._host.learn(*signal.name.split("."))
        if route is None:
            return
        moved = self._follow(route)
        if signal.kind == "tool" and not moved and isinstance(here, ActionState | Terminal):
            self._proceed(here)

    def _must_wait(self, signal: Signal, route: Route | None) -> bool:
        """Whether a reply leads nowhere yet, because something was not heard before it."""
        return self._owed.waits and signal.answers and not (route and route.anyway)

    def _make_good(self, here: Decision) -> None:
        """Say what was not heard, and ask again what is asked."""
        self._leads_in = True
        self._host.withheld()
        question = self._owed.question or self._control.question
        if question is None:
            self._inquire(here, again=False)
        else:
            self._ask(question)

    def _catch_up(self) -> None:
        """Before a question: what is owed of what was said, now so that it is heard."""
        owed, self._owed = self._owed.said, replace(self._owed, said=())
        if self._spec.in_full and (owed or self._leads_in):
            self._say((self._spec.in_full,))
        for prompt in owed:
            self._host.insist(prompt)

    def _reset(self, signal: Signal) -> None:
        for name, counter in self._spec.counters.items():
            if (signal.heard and counter.reset == "heard") or (
                signal.understood and counter.reset == "understood"
            ):
                self._control.put_count(name, 0)

    def _follow(self, route: Route) -> bool:
        """Do what a route says, in the order of `schema.Route`; whether it leaves the state."""
        self._step()
        self._host.took(route)
        for fact in route.forget:
            self._control.forget(fact)
        for fact, value in route.set.items():
            self._control.put_fact(fact, value)
        if route.reason:
            self._control.reason = route.reason
        turned = self._turned(route)
        if turned is not None:
            return self._follow(turned)
        if route.note:
            self._host.write(route.note)
        self._say(route.say)
        if route.goto:
            self._enter(route.goto, route.ask or None)
            return True
        here = self._spec.states.get(self._control.current)
        if isinstance(here, Decision) and route.ask is not False:
            return self._ask(route.ask) if route.ask else self._inquire(here, again=True)
        return False

    def _turned(self, route: Route) -> Route | None:
        """The route that is taken instead, after a count, a language, a check or a branch."""
        if route.count:
            counter = self._spec.counters[route.count]
            count = min(self._control.count(route.count) + 1, counter.limit)
            self._control.put_count(route.count, count)
            past = route.past or counter.past
            if count >= counter.limit and past is not None:
                return past
        if route.language:
            if not self._host.speaks(route.language):
                return route.otherwise
            if self._control.language != route.language:
                self._forget_question()  # in other words it is another question
            self._control.language = route.language
        if route.check:
            return route.on[f"{route.check}.{self._host.check(route.check)}"]
        if route.branch:
            return route.on[f"{route.branch}.{self._value(route.branch)}"]
        return None

    def _value(self, fact: str) -> str:
        """A fact as a branch names it: yes/no, one of its choices or unset, set/unset."""
        declared, value = self._spec.facts[fact], self._control.fact(fact)
        if declared == "flag":
            return "yes" if value is True else "no"
        if value is None:
            return "unset"
        return "set" if isinstance(declared, str) else str(value)

    def _enter(self, name: str, ask: str | None) -> None:
        """Go to a state: speak its lines, then ask, act, or end."""
        self._step()
        self._control.current, self._control.doing = name, 0
        self._host.entered(name)
        state = self._spec.states[name]
        self._say(state.say)
        if isinstance(state, Decision):
            if ask:
                self._ask(ask)
            else:
                self._inquire(state, again=False)
        else:
            self._forget_question()  # something is done: the next question is a new one
            self._proceed(state)

    def _say(self, prompts: tuple[str, ...]) -> None:
        if not self._gone:  # nobody is there to hear it
            for prompt in prompts:
                self._host.say(prompt)
            left = tuple(each for each in self._owed.said if each not in prompts)
            self._owed = replace(self._owed, said=left)

    def _inquire(self, state: Decision, *, again: bool) -> bool:
        """Ask what a state asks, or go on where nothing is missing; whether that left the state.

        A question that was not heard is asked again in its own words.
        """
        owed = self._owed.question if again else None
        if owed is not None and (state.ask is not None or self._is_open(state, owed)):
            return self._ask(owed)
        if state.ask is not None:
            return self._ask((state.again if again else None) or state.ask)
        for each in state.asks:
            if self._control.fact(each.fact) in (None, False):
                repeats = again and self._control.question in each.prompts
                return self._ask((each.again if repeats else None) or each.ask)
        assert state.then is not None
        return self._follow(state.then)

    def _is_open(self, form: Decision, question: str) -> bool:
        """Whether a form still asks for what this question asks for."""
        missing = (each for each in form.asks if self._control.fact(each.fact) in (None, False))
        return question in next((each.prompts for each in missing), ())

    def _ask(self, question: str) -> bool:
        """Ask, unless that would be once too often: then the flow's way out.

        Returns whether that way out left the state.
        """
        control = self._control
        if question == control.question and control.asked >= self._spec.repeat_limit:
            if self._giving_way:
                raise EndlessError(f"{question} is asked again by the way out of repeating it")
            self._giving_way = True
            here = self._spec.states[control.current]
            assert isinstance(here, Decision)
            return self._follow(here.on.get("repeated", self._spec.fallbacks.repeated))
        control.asked = control.asked + 1 if question == control.question else 1
        control.question = question
        if not self._gone:
            self._catch_up()
            self._host.ask(question)
        return False

    def _forget_question(self) -> None:
        self._control.question, self._control.asked = None, 0

    def _proceed(self, state: ActionState | Terminal) -> None:
        """Call the next tool and wait for it; after the last one, go on or end.

        A caller who has hung up waits for nothing: all tools are called at once.
        """
        for position in range(self._control.doing, len(state.do)):
            if self._control.holds(state.do[position].when):
                self._control.doing = position + 1
                self._host.call(state, position)
                if not self._gone:
                    return
        self._control.doing = 0
        if isinstance(state, Terminal):
            self._end(state)
        elif state.then is not None:
            self._follow(state.then)

    def _end(self, state: Terminal) -> None:
        outcome = self._control.reason if state.outcome == REASON else state.outcome
        self._control.outcome = outcome or REASON
        self._host.end(state, self._control.outcome)

    def _step(self) -> None:
        self._steps += 1
        if self._steps > _LONGEST:
            raise EndlessError(f"{self._control.current} is never left")

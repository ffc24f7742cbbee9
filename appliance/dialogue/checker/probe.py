"""One walk of the checker: the engine's own walk, with a host that watches instead of speaking."""

from __future__ import annotations

from appliance.dialogue.checker.choices import Choices
from appliance.dialogue.checker.hearing import Hearing
from appliance.dialogue.checker.liveness import variable_reads
from appliance.dialogue.checker.registers import Registers, TrackedControl
from appliance.dialogue.checker.steps import Location, Outcome, Step
from appliance.dialogue.checker.watch import (
    ANSWERED,
    AUTOMATION,
    CONDITIONS,
    ENDS,
    KNOWN_FIRST,
    OBLIGED,
    ROUTED,
    Alarm,
    Watch,
    counted,
    describe,
    monitors_of,
)
from appliance.dialogue.checks import NOTHING
from appliance.dialogue.faults import EndlessError
from appliance.dialogue.intents import ROBOT_QUESTION
from appliance.dialogue.properties import Condition, Never, Past
from appliance.dialogue.rehearsal import KNOWN
from appliance.dialogue.schema import REASON, ActionState, Decision, Route, Terminal
from appliance.dialogue.signals import START, Signal, route_for
from appliance.dialogue.turn import END_CALL
from appliance.dialogue.walk import Walk
from appliance.types import Language

_AFTER_CHECK = ("intent", "key", "unclear")  # the state's check was run, and found nothing


class Probe:
    """The host of a walk that watches; `take` is called once."""

    def __init__(self, watch: Watch, at: Location, registers: Registers, choices: Choices) -> None:
        self._flow, self._spec, self._watch = watch.flow, watch.flow.spec, watch
        self._at, self._registers, self._choices = at, registers, choices
        self._control = TrackedControl(
            at.current, at.language, at.doing, at.question, at.asked, at.reason
        )
        self._control.registers = registers
        self._alarms: list[Alarm] = []
        self._taken: set[int | str] = set()
        self._checked: dict[str, tuple[str, tuple[tuple[str, str], ...]]] = {}
        self._gave: tuple[tuple[str, str], ...] = ()
        self._signal = START
        self._said: list[str] = []
        self._called: list[str] = []
        self._entered: list[str] = []
        self._hearing = Hearing(watch, registers, choices)

    def take(self, signal: Signal, *, forced: bool) -> Outcome:
        """Walk, and see what came of it."""
        control, self._signal = self._control, signal
        here = self._spec.states.get(self._at.current)
        if signal.kind == "check":
            name, _, outcome = signal.name.partition(".")
            self._find(name, outcome)
        elif isinstance(here, Decision) and here.listen.check and signal.kind in _AFTER_CHECK:
            self._checked[here.listen.check] = (NOTHING, ())
        if signal.kind == "tool":
            self._mark(f"done {signal.name}")
        owed = self._hearing.owed(signal, control.question)
        endless = False
        try:
            Walk(self._spec, control, self, owed).take(
                signal, self._spec.out_of_turns if forced else None
            )
        except EndlessError as error:
            endless = True
            self._alarm(ROUTED, str(error))
        self._look_back(signal, here, forced=forced)
        checked = tuple((name, *found) for name, found in self._checked.items())
        location = Location(
            control.current, "es" if control.language == "es" else "en", self._at.spoken,
            control.doing, control.question, control.asked, control.reason,
        )  # fmt: skip
        return Outcome(
            Step(signal, checked, forced, self._gave, self._hearing.unheard), location,
            self._registers.keep_mask, self._registers.put_bits, control.outcome is not None,
            endless, tuple(self._alarms), frozenset(self._taken),
        )  # fmt: skip

    def _look_back(
        self, signal: Signal, before: Decision | ActionState | Terminal | None, *, forced: bool
    ) -> None:
        """What can be said only when the walk is over."""
        control = self._control
        here = self._spec.states.get(control.current)  # none: hung up before the start
        ended = control.outcome is not None
        if not ended and isinstance(here, ActionState | Terminal) and not control.doing:
            self._alarm(ROUTED, f"{control.current} waits for nothing: it needs `then`")
        if not ended and signal.kind == "hung_up":
            self._alarm(ENDS, "the call goes on after the caller has hung up")
        if not ended and forced and not control.doing:
            self._alarm(ENDS, f"out_of_turns leads to the question {control.question}")
        asked = signal == Signal("universal", ROBOT_QUESTION)
        if (
            asked
            and not forced
            and isinstance(before, Decision)
            and self._spec.automation not in self._said
        ):
            self._alarm(
                AUTOMATION, f"in {self._at.current} it does not say {self._spec.automation}"
            )
        if signal.kind == "universal":
            self._follows(signal.name, before)
        asks = not ended and isinstance(here, Decision)
        if asks and not self._said:
            told = signal.name or signal.kind
            self._alarm(ANSWERED, f"in {self._at.current} nothing is said to {told}")
        if isinstance(before, Decision) and not forced:
            self._keeps_obligations(signal, before, control.question if asks else None)

    def _keeps_obligations(self, signal: Signal, before: Decision, asked: str | None) -> None:
        """See whether what was not heard was said again, unless it was asked too often."""
        if id(before.on.get("repeated", self._spec.fallbacks.repeated)) in self._taken:
            return
        route = route_for(self._spec, self._at.current, signal)
        due = self._hearing.due(signal, route, asked, self._said)
        lacking = [name for name in due if self._applies(name)]
        if lacking:
            self._alarm(OBLIGED, f"in {self._at.current} it does not say {', '.join(lacking)}")

    def _follows(self, intent: str, before: Decision | ActionState | Terminal | None) -> None:
        at_work = set()
        if isinstance(before, ActionState) and self._at.doing:
            at_work = {before.do[self._at.doing - 1].tool}
        for title, wanted in self._watch.whenevers:
            if wanted.intent != intent:
                continue
            lacking = [f"say {name}" for name in wanted.say if name not in self._said]
            lacking += [f"do {t}" for t in wanted.do if t not in {*self._called, *at_work}]
            if wanted.outcome and self._control.outcome != wanted.outcome:
                lacking.append(f"end with {wanted.outcome}")
            if wanted.enter and wanted.enter not in self._entered:
                lacking.append(f"come to {wanted.enter}")
            if lacking:
                self._alarm(title, f"in {self._at.current} it does not {', '.join(lacking)}")

    # What the walk asks for

    def check(self, name: str) -> str:
        """One outcome after the other."""
        if name not in self._checked:
            outcomes = [str(each) for each in self._flow.checks[name].outcomes]
            self._find(name, outcomes[self._choices.choose(len(outcomes))])
        outcome, facts = self._checked[name]
        for fact, value in facts:
            self._control.put_fact(fact, value)
        return outcome

    def _find(self, name: str, outcome: str) -> None:
        """Choose what a check finds with an outcome."""
        check = self._flow.checks[name]
        facts = self._given(check.produces.get(outcome, ()), check.may_produce.get(outcome, ()))
        self._checked[name] = (outcome, facts)

    def _given(
        self, always: tuple[str, ...], sometimes: tuple[str, ...]
    ) -> tuple[tuple[str, str], ...]:
        """Facts that come with an outcome, in every combination."""
        names = [*always, *(fact for fact in sometimes if self._choices.choose(2))]
        return tuple((fact, self._valued(fact)) for fact in names)

    def _valued(self, fact: str) -> str:
        kind = self._spec.facts[fact]
        return kind[self._choices.choose(len(kind))] if isinstance(kind, tuple) else KNOWN

    def learn(self, tool: str, outcome: str) -> None:
        """Take what a tool gives with an outcome."""
        listed = self._spec.tools[tool]
        always, sometimes = listed.produces.get(outcome, ()), listed.may_produce.get(outcome, ())
        self._gave = self._given(always, sometimes)
        for fact, value in self._gave:
            self._control.put_fact(fact, value)

    def speaks(self, language: str) -> bool:
        """Whether this box does."""
        return language in self._at.spoken

    def took(self, route: Route) -> None:
        """Note that a route is alive."""
        self._taken.add(id(route))

    def entered(self, state: str) -> None:
        """Note that a state is reached."""
        self._taken.add(f"state {state}")
        self._entered.append(state)
        for title, never in self._watch.nevers:
            if state in never.state and self._broken(never):
                self._alarm(title, f"{state} is entered{self._when(never)}")
        self._count("state", state)

    def ask(self, prompt: str) -> None:
        """A question is said; other questions are not owed any more."""
        self._hearing.asked(prompt)
        self.say(prompt)

    def withheld(self) -> None:
        """What must be said instead is looked at when the walk is over."""

    def insist(self, prompt: str) -> None:
        """It cannot be talked over, so it is heard."""
        self.say(prompt)
        self._hearing.insisted(prompt)

    def _applies(self, prompt: str) -> bool:
        language: Language = "es" if self._control.language == "es" else "en"
        return self._flow.templates[language][prompt].applies(self._control.fact)

    def say(self, prompt: str) -> None:
        """See whether a prompt may be said here, where it applies."""
        language: Language = "es" if self._control.language == "es" else "en"
        if not self._applies(prompt):
            return
        self._taken.add(f"prompt {prompt}")
        self._said.append(prompt)
        self._needs(f"prompt {prompt}", prompt, language)
        for title, never, hit in self._watch.saying(language, prompt):
            if self._broken(never):
                self._alarm(title, f"{hit}{self._when(never)}")
        self._mark(f"said {prompt}")
        self._hearing.said(prompt)
        self._count("say", prompt)

    def _needs(self, what: str, prompt: str, language: Language) -> None:
        template = self._flow.templates[language][prompt]
        for fact in sorted(template.after):
            if self._control.fact(fact) is not True:
                self._alarm(CONDITIONS, f"{what} before {fact}")
        for variable in template.variables:
            if self._spec.variables[variable].source == "fact":
                self._known(what, variable)

    def _known(self, what: str, fact: str) -> None:
        if self._control.fact(fact) is None:
            self._alarm(KNOWN_FIRST, f"{what} before {fact} is known")

    def call(self, state: ActionState | Terminal, position: int) -> None:
        """See whether a tool may be called here, with what it is given."""
        listed = state.do[position]
        self._called.append(listed.tool)
        self._taken.add(f"tool {listed.tool}")
        for name, value in listed.given(self._control.fact):
            what = f"{listed.tool}: {name}"
            if value == REASON:
                if self._control.reason is None:
                    self._alarm(ENDS, f"{what}: no reason was given on the way to here")
            elif value[1:] in self._spec.texts:
                self._written(f"{what}: {value}", self._spec.texts[value[1:]])
            elif value.startswith("$"):
                for register in variable_reads(self._flow, value[1:]):
                    fact = register.removeprefix("fact ")
                    if fact == value[1:]:
                        self._known(what, fact)
                    elif self._control.fact(fact) is not True:
                        self._alarm(CONDITIONS, f"{what} before {fact}")
        self._tool(listed.tool)

    def _tool(self, tool: str) -> None:
        for title, never in self._watch.nevers:
            if tool in never.tool and self._broken(never):
                self._alarm(title, f"{tool} is called{self._when(never)}")
        self._count("tool", tool)

    def write(self, note: str) -> None:
        """What a note says is rendered like prompts."""
        declared = self._spec.notes[note]
        self._taken.add(f"note {note}")
        self._written(f"note {note}", (*declared.summary, *declared.recommendations))

    def _written(self, what: str, prompts: tuple[str, ...]) -> None:
        """Prompts that are rendered and not said need what they would need to be said."""
        language: Language = "es" if self._control.language == "es" else "en"
        for prompt in prompts:
            if self._flow.templates[language][prompt].applies(self._control.fact):
                self._taken.add(f"prompt {prompt}")
                self._needs(f"{what}: {prompt}", prompt, language)

    def end(self, state: Terminal, outcome: str) -> None:
        """See whether the call may end so."""
        self._taken.add(f"outcome {outcome}")
        if outcome == REASON:
            self._alarm(ENDS, f"{self._control.current}: no reason was given on the way to here")
        gone = self._signal.kind == "hung_up"
        if state.handover and state.handover.note and not gone:
            self.write(state.handover.note)
        if not state.handover or gone:
            self._called.append(END_CALL)
            self._tool(END_CALL)
        for title, never in self._watch.nevers:
            if outcome in never.outcome and self._broken(never):
                self._alarm(title, f"the call ends as {outcome}{self._when(never)}")

    # What is remembered

    def _alarm(self, title: str, detail: str) -> None:
        self._alarms.append(Alarm(title, detail))

    def _mark(self, monitor: str) -> None:
        if monitor in self._watch.monitors:
            self._registers.write(monitor, 1)

    def _count(self, kind: str, name: str) -> None:
        for title, most in self._watch.mosts:
            if counted(most) == (kind, name):
                before = self._registers.read(f"times {title}")
                assert isinstance(before, int)
                self._registers.write(f"times {title}", min(before + 1, most.times + 1))
                if before >= most.times:
                    self._alarm(title, f"{kind} {name} comes more than {most.times} times")

    def _broken(self, never: Never) -> bool:
        if never.inside and self._control.current not in never.inside:
            return False
        if never.before is not None and self._holds(never.before):
            return False
        return never.after is None or self._holds(never.after)

    def _holds(self, condition: Condition) -> bool:
        if isinstance(condition, Past):
            wanted = monitors_of(condition).items()
            return any(self._registers.read(name) == value for name, value in wanted)
        return self._control.fact(condition) is True

    @staticmethod
    def _when(never: Never) -> str:
        before = f" before {describe(never.before)}" if never.before else ""
        return before + (f" after {describe(never.after)}" if never.after else "")

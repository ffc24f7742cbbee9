"""Small flows made at random, sound and faulty ones, to hold the checker against the engine."""

from __future__ import annotations

from enum import StrEnum
from random import Random
from typing import Any

from appliance.dialogue.checks import NOTHING, Check, CheckInput, CheckResult
from appliance.dialogue.flow import Flow
from appliance.dialogue.names import find_name_problems
from appliance.dialogue.prompt_names import find_prompt_problems
from appliance.dialogue.schema import FlowSpec, PromptSpec
from appliance.dialogue.templates import parse_template
from appliance.types import Language

INTENTS = ("affirmation", "negation", "greeting")
UNIVERSAL = ("stop_request", "busy")
OUTCOMES = ("won", "lost", "gone")
PROMPTS = {
    "plain": {"text": "Something plain."},
    "other": {"text": ["Something else.", "Something else again."]},
    "robot": {"text": "I am a machine."},
    "guarded": {"text": "You owe.", "after": "known"},
    "secret": {"text": "The sum is {sum}."},
    "learned": {"text": "On {day}."},
    "if_learned": {"text": "Else on {day}.", "only_if": "day"},
    "unless_cross": {"text": "You owe.", "after": "known", "unless": {"mood": "cross"}},
    "if_known": {"text": "The sum is {sum}.", "only_if": "known", "unless": "here"},
    "noted": {"text": "It was about {sum}.", "only_if": "known"},
    "noted_day": {"text": "On {day}."},
    "noted_mood": {"text": "Cross.", "only_if": {"mood": "cross"}},
    "ask_a": {"text": "What?"},
    "ask_b": {"text": "And now?"},
}
_MUST_HEAR = {
    "plain": {"text": "Something plain.", "must_hear": True},
    "if_learned": {"text": "Else on {day}.", "only_if": "day", "must_hear": True},
    "other": {"text": "Something else.", "must_hear": "later"},
    "ask_a": {"text": "What?", "must_hear": True},
}
"""What these prompts are in a flow in which something must be heard."""
_SAID = (
    *["plain", "other"] * 4, "guarded", "secret", "learned",
    "if_learned", "if_known", "unless_cross",
)  # fmt: skip


class _Found(StrEnum):
    A = "a"
    B = "b"
    NONE = NOTHING


def _never_run(_: CheckInput) -> CheckResult:
    raise AssertionError("what this check finds is always given")


CHECKS = {
    check.name: check
    for check in (
        Check("look", _Found, _never_run, {"a": ("day",)}, {"b": ("day",)}),
        Check("judge", _Found, _never_run, {"a": ("mood",)}),
    )
}


def random_flow(random: Random, *, newest: bool = True) -> Flow | None:
    """A flow whose names fit; None if this one's do not (a few in a hundred).

    Without the `newest` parts of the language the same seed gives the same flow as ever.
    """
    languages: tuple[Language, ...] = ("en", "es") if random.random() < 0.2 else ("en",)
    maker = _Maker(random, languages, newest)
    spec = FlowSpec.model_validate(maker.flow())
    prompts = PROMPTS | {name: _MUST_HEAR[name] for name in maker.must_hear}
    templates = {
        language: {
            name: parse_template(name, PromptSpec.model_validate(body), spec)
            for name, body in prompts.items()
        }
        for language in languages
    }
    if any(find_name_problems(spec, CHECKS, languages)) or any(
        find_prompt_problems(spec, templates)
    ):
        return None
    return Flow(spec, templates, CHECKS, f"random {random.random()}")


class _Maker:
    def __init__(self, random: Random, languages: tuple[Language, ...], newest: bool) -> None:
        self._random, self._languages, self._newest = random, languages, newest
        self._decisions = [f"s{n}" for n in range(random.randint(1, 3))]
        self._actions = [f"a{n}" for n in range(random.randint(0, 2))]
        self._ends = ["t0", "t1"]
        some = newest and random.random() < 0.3
        self.must_hear = random.sample(sorted(_MUST_HEAR), random.randint(1, 2)) if some else []
        """Prompts that the caller must hear."""

    def flow(self) -> dict[str, Any]:
        """A whole flow.yaml."""
        some, choice = self._random.random, self._random.choice
        return {
            "flow": "random",
            "version": 1,
            "start": self._random.choice([*self._decisions, *self._actions]),
            "automation": "robot",
            "outcomes": OUTCOMES,
            "max_turns": self._random.randint(1, 3),
            "repeat_limit": self._random.randint(1, 2),
            "out_of_turns": {"goto": "t1"} if some() < 0.97 else self._route(),
            "facts": {"known": "flag", "day": "date", "mood": ["calm", "cross"], "here": "flag"},
            "entry": {"here": "optional"} if some() < 0.3 else {},
            "variables": {
                "sum": {"type": "money", "source": "account"},
                "day": {"type": "date", "source": "fact"},
            },
            "secrets": {"sum": {"after": "known"}},
            "tools": {
                "note": {"args": ["day"], "produces": {"done": "day"} if some() < 0.3 else {}},
                "mail": {"may_produce": {"done": ["mood", "day"]} if some() < 0.3 else {}},
            },
            "texts": {"letter": ["noted", "noted_mood", "noted_day"]} if self._newest else {},
            "notes": {
                "told": {
                    "to": "whoever",
                    "summary": ["noted", choice(["noted_mood", "noted_mood", "noted_day"])],
                    "recommendations": [],
                }
            },
            "counters": {
                "tries": {
                    "limit": self._random.randint(1, 2),
                    "reset": choice(["never", "heard", "understood"]),
                    "past": {"goto": "t1"},
                }
            },
            "universal": {
                "robot_question": {"say": "robot"} if some() < 0.97 else self._route(),
                **{name: self._route() for name in UNIVERSAL if some() < 0.5},
            },
            "fallbacks": {
                "unclear": self._route(),
                "silence": self._route(),
                "engine_failed": {"count": "tries"},
                "repeated": {"goto": "t0"} if some() < 0.97 else self._route(),
                "hung_up": {"goto": "t1"} if some() < 0.97 else self._route(),
            },
            "states": {
                **{name: self._decision() for name in self._decisions},
                **{name: self._action() for name in self._actions},
                **{name: self._end() for name in self._ends},
            },
            "properties": [self._property() for _ in range(self._random.randint(0, 2))],
        }

    def _route(self, depth: int = 0) -> dict[str, Any]:
        some, choice = self._random.random, self._random.choice
        route: dict[str, Any] = self._forgetting()
        if some() < 0.25:
            route["set"] = choice(["known", "here", {"mood": "cross"}])
        if some() < 0.2:
            route["reason"] = choice(OUTCOMES)
        if some() < 0.2:
            route["count"] = "tries"
        if some() < 0.3 and len(self._languages) > 1:
            route |= {"language": "es", "otherwise": self._route(2)}
        if depth < 1 and some() < 0.28:
            return route | self._turning()
        if some() < 0.3:
            route["say"] = choice(_SAID)
        if some() < 0.1:
            route["note"] = "told"
        if some() < 0.7:
            route["goto"] = choice([*self._decisions, *self._actions, *self._ends, *self._ends])
        if some() < 0.15:
            route["ask"] = choice(["ask_a", "ask_b", False])
        return route

    def _forgetting(self) -> dict[str, Any]:
        if self._newest and self._random.random() < 0.1:
            return {"forget": self._random.choice(["known", "mood", "day", "here"])}
        return {}

    def _turning(self) -> dict[str, Any]:
        """The part of a route that takes another, by a check or a fact."""
        if self._random.random() < 0.5:
            check = self._random.choice(list(CHECKS))
            on = {f"{check}.{outcome}": self._route(1) for outcome in _Found}
            return {"check": check, "on": on}
        values = {"known": ("yes", "no"), "mood": ("calm", "cross", "unset"),
                  "day": ("set", "unset")}  # fmt: skip
        fact = self._random.choice(list(values))
        on = {f"{fact}.{value}": self._route(1) for value in values[fact]}
        return {"branch": fact, "on": on}

    def _decision(self) -> dict[str, Any]:
        some, choice = self._random.random, self._random.choice
        on = {name: self._answer() for name in INTENTS if some() < 0.5}
        listen = {}
        if some() < 0.4:
            check = choice(list(CHECKS))
            listen = {"check": check}
            on |= {f"{check}.{outcome}": self._answer() for outcome in ("a", "b")}
        if some() < 0.2:
            on["key.1"] = self._route()
        if some() < 0.2:
            on["repeated"] = self._route()
        if some() < 0.1:
            on["hung_up"] = {"goto": choice(self._ends)}
        return {
            "kind": "decision",
            "phase": "talk",
            "say": choice(_SAID) if some() < 0.2 else [],
            **(self._form() if some() < 0.3 else self._question()),
            "listen": listen,
            "on": on,
        }

    def _answer(self) -> dict[str, Any]:
        """What is done on an answer; some of it even if something was not heard."""
        anyway = self.must_hear and self._random.random() < 0.3
        return self._route() | ({"anyway": True} if anyway else {})

    def _question(self) -> dict[str, Any]:
        choice = self._random.choice
        asked = ["ask_a", "ask_b"]
        return {"ask": choice(asked), "again": choice([None, *asked])}

    def _form(self) -> dict[str, Any]:
        facts = self._random.sample(["known", "day", "mood", "here"], self._random.randint(1, 2))
        some = self._random.random()
        then = self._route() if some < 0.2 else {"goto": self._random.choice(self._ends)}
        return {"asks": [{"fact": fact, **self._question()} for fact in facts], "then": then}

    def _tools(self) -> dict[str, Any]:
        tools = self._random.sample(["note", "mail"], self._random.choice([0, 1, 1, 1, 2]))
        do = []
        for tool in tools:
            call: dict[str, Any] = {"tool": tool}
            if tool == "note" and self._random.random() < 0.4:
                letter = ["$letter"] if self._newest else []
                call["args"] = {
                    "day": self._random.choice(
                        ["$day", "$day?", "$sum", "today", "$reason", *letter]
                    )
                }
            if self._random.random() < 0.2:
                call["when"] = self._random.choice([{"known": True}, {"mood": "cross"}])
            do.append(call)
        on = {
            f"{tool}.{outcome}": self._route() if self._random.random() < 0.5 else {}
            for tool in tools
            for outcome in ("done", "failed")
        }
        return {"do": do, "on": on}

    def _action(self) -> dict[str, Any]:
        some, choice = self._random.random, self._random.choice
        action = {"kind": "action", "phase": "work", **self._tools()}
        if some() < 0.3:
            action["say"] = choice(_SAID)
        if some() < 0.97:
            action["then"] = self._route() if some() < 0.3 else {"goto": choice(self._ends)}
        if some() < 0.3:
            action["hears"] = []
        return action

    def _end(self) -> dict[str, Any]:
        end = {"kind": "terminal", "outcome": self._random.choice(OUTCOMES)}
        if self._random.random() < 0.05:
            end["outcome"] = "$reason"
        if self._random.random() < 0.3:
            end["say"] = self._random.choice(_SAID)
        return end | (self._tools() if self._random.random() < 0.35 else {})

    def _property(self) -> dict[str, Any]:
        return self._random.choice(
            [
                {"never": {"say": "plain", "before": "known"}},
                {"never": {"say": "sum", "before": {"said": "robot"}}},
                {"never": {"words": ["els*"], "after": {"done": "note.done"}}},
                {"never": {"tool": "note", "before": "known"}},
                {"never": {"tool": "end_call", "in": "t0"}},
                {"never": {"outcome": "won", "before": {"done": "mail.done"}}},
                {"never": {"state": "t0", "after": {"said": "other"}}},
                {"at_most": {"times": 1, "say": "other"}},
                {"at_most": {"times": 1, "tool": "note"}},
                {"at_most": {"times": 2, "state": "s0"}},
                {"whenever": {"intent": "robot_question", "say": "robot"}},
                {"always_ends_within": self._random.randint(1, 4)},
                *(
                    {"never": {"tool": "note", "before": {"heard": name}}}
                    for name in self.must_hear
                ),
            ]
        )

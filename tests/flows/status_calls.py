"""A call or a message of the status flow with its tools played by contract, from given systems.

    Run(systems, guides, MARIA).begin("text").says("where is my payment")

The tools are played by their contract: `gather` looks up what the plan says in `systems` (by tool:
a function of its arguments that gives data, or raises), and adds to what it was given.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from appliance.dialogue.events import ToolDone
from appliance.dialogue.turn import Turn
from appliance.flows.registry import load_flow
from appliance.flows.textcall import TextCall
from appliance.nlu.rules import RuleUnderstander
from appliance.nlu.understander import Context

NOW = datetime.fromisoformat("2026-11-11T10:30:00-05:00")
FLOW = load_flow("status")
ACCOUNT = {"company": "Northfield Talent"}
NLU = RuleUnderstander()
MARIA = {"person_id": "p-1001", "name": "Maria Lopez", "email": "maria.lopez@example.com"}

Systems = Mapping[str, Callable[[dict[str, str]], Any]]


def listed(*applications: tuple[str, str, str], as_of: str = "2026-11-11T10:00:00-05:00") -> Any:
    """What list_applications says: id, job, status."""
    return {
        "as_of": as_of,
        "applications": [
            {
                "application_id": number,
                "job_title": job,
                "applied_on": "2026-10-01",
                "status": status,
                "updated_on": f"2026-11-0{9 - place}",
            }
            for place, (number, job, status) in enumerate(applications)
        ],
    }


def detailed(number: str, job: str, status: str, **more: Any) -> Any:
    """What get_application says."""
    return {
        "as_of": "2026-11-11T10:00:00-05:00",
        "application_id": number,
        "job_title": job,
        "status": status,
        "updated_on": "2026-11-09",
        "can_withdraw": True,
        **more,
    }


def paid(*payments: dict[str, Any]) -> Any:
    """What list_payments says."""
    return {
        "as_of": "2026-11-11T10:00:00-05:00",
        "payments": [
            {"payment_id": f"pay-{place}", "period": "October", **each}
            for place, each in enumerate(payments)
        ],
    }


@dataclass
class Run:
    """Plays the tools; `did` is what was called, with its arguments."""

    systems: Systems = field(default_factory=dict)
    guides: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    person: Mapping[str, str] | None = None
    zip: str = "90210"
    history: list[dict[str, str]] = field(default_factory=list)
    outcomes: dict[str, list[str]] = field(default_factory=dict)
    did: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    said: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.talk = TextCall(FLOW.bind("run-1", ACCOUNT), self._understand, lambda: NOW)

    @staticmethod
    def _understand(text: str, listen: Any) -> Any:
        return NLU.understand(text, Context.of(listen))

    def begin(self, channel: str = "phone") -> Run:
        """Begin, and open the inquiry."""
        entry = {"channel": channel, **({"conversation": "c-7"} if channel == "text" else {})}
        flow = FLOW.bind("run-1", ACCOUNT, entry=entry)
        self.talk = TextCall(flow, self._understand, lambda: NOW)
        self._play(self.talk.starts())
        return self

    def says(self, text: str) -> str:
        """The user says or writes something; what is said until the next question, or the end."""
        before = len(self.said)
        self._play(self.talk.says(text))
        return " ".join(self.said[before:])

    def types(self, digits: str) -> str:
        """The caller types digits."""
        before = len(self.said)
        self._play(self.talk.types(digits))
        return " ".join(self.said[before:])

    def hangs_up(self) -> None:
        """The caller is gone."""
        self._note(self.talk.hangs_up())

    @property
    def status(self) -> str | None:
        """The outcome; None while it goes on."""
        return self.talk.state.outcome

    @property
    def facts(self) -> Mapping[str, bool | str]:
        """What the run has learned."""
        return self.talk.state.facts

    def of(self, tool: str) -> list[dict[str, str]]:
        """The arguments of every call of a tool."""
        return [args for name, args in self.did if name == tool]

    @property
    def delivered(self) -> str:
        """The last reply."""
        return self.of("deliver_reply")[-1]["reply"]

    def _note(self, turn: Turn) -> None:
        self.said += [prompt.text for prompt in turn.say]
        self.did += [(action.name, dict(action.args)) for action in turn.actions]

    def _play(self, turn: Turn) -> None:
        self._note(turn)
        while turn.actions and not turn.state.ended and turn.actions[-1].name != "end_call":
            action = turn.actions[-1]
            outcome, facts = self._tool(action.name, dict(action.args))
            turn = self.talk.take(ToolDone(action.name, outcome, facts=facts))
            self._note(turn)

    def _tool(self, name: str, args: dict[str, str]) -> tuple[str, tuple[tuple[str, str], ...]]:
        forced = self.outcomes.get(name, [])
        if forced:
            outcome = forced.pop(0)
            return outcome, (
                ("error", "refused"),
            ) if outcome == "failed" and name in _ERRORS else ()
        facts: dict[str, str] = {}
        if name == "open_inquiry":
            facts = {"conversation": args.get("conversation", "c-1")}
            facts |= {"person": json.dumps(self.person)} if self.person else {}
            facts |= {"history": json.dumps(self.history)} if self.history else {}
            return "opened", tuple(facts.items())
        if name == "verify_caller":
            return ("match" if args["digits"] == self.zip else "mismatch"), ()
        if name == "gather":
            return "done", tuple(self._gathered(args).items())
        return ("passed" if name == "validate_reply" else "done"), ()

    def _gathered(self, args: dict[str, str]) -> dict[str, str]:
        plan = json.loads(args["plan"])
        tools = json.loads(args.get("tool_data", "{}"))
        docs = json.loads(args.get("docs_data", "{}"))
        for each in plan["tools"]:
            result: dict[str, Any] = {"at": NOW.isoformat(), "args": each["args"]}
            try:
                data = self.systems[each["tool"]](each["args"])
                tools[each["tool"]] = {"ok": True, "data": data, **result}
            except (KeyError, OSError) as error:
                tools[each["tool"]] = {"ok": False, "error": str(error), **result}
        for query in plan["docs"]:
            found = [
                {"id": title, "document": "x.md", "title": title, "heading": "", "text": text,
                 "score": 0.8}
                for word, (title, text) in self.guides.items() if word in query
            ]  # fmt: skip
            docs[query] = {"ok": True, "excerpts": found}
        return {"tool_data": json.dumps(tools), "docs_data": json.dumps(docs)}


_ERRORS = frozenset({"open_inquiry", "gather", "validate_reply"})

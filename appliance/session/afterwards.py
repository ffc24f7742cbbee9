"""What is told of a call when it is over: by the session that held it, or by its record.

CallSession ──┐
              ├──> CallOver ──> the wrap-ups that its flows name
record ───────┘    (after a crash: what the call learned is lost, what it did is not)
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any

from appliance.actions.tools import FAILED
from appliance.actions.wrapup import CallOver, WrapUps
from appliance.dialogue.flow import CallFlow
from appliance.dialogue.turn import State
from appliance.errors import StoreError
from appliance.store.events import EventLog
from appliance.store.records import INTERRUPTED, write_record


@dataclass
class Story:
    """What a call learns and does on its way, through all of its flows."""

    facts: dict[str, bool | str] = field(default_factory=dict)
    deeds: list[tuple[str, str]] = field(default_factory=list)
    wrap_up: list[str] = field(default_factory=list)
    takeaways: list[str] = field(default_factory=list)
    ended_by: str = "appliance"
    turns: int = 0

    def leaves(self, flow: CallFlow, state: State) -> None:
        """The call leaves a flow, for another or because it is over."""
        self.facts |= state.facts
        self.turns += state.turns
        self.takeaways += flow.takeaways(state)
        self.wrap_up += [n for n in flow.flow.spec.wrap_up if n not in self.wrap_up]

    def over(self, flow: CallFlow, state: State, number: str, started: datetime) -> CallOver:
        """The whole call, once it has left its last flow."""
        return CallOver(
            call=flow.call_id.partition("/")[0],
            number=number,
            flow=flow.flow.name,
            outcome=state.outcome or INTERRUPTED,
            ended_by=self.ended_by,
            started=started,
            language=state.language,
            turns=self.turns,
            facts=self.facts,
            deeds=tuple(self.deeds),
            notes=state.notes,
            takeaways=tuple(self.takeaways),
        )


def finish_call(log: EventLog, wrap_ups: WrapUps, names: tuple[str, ...], over: CallOver) -> None:
    """Make the log durable, do what follows the call, then write its record.

    In this order: whatever a crash cuts off is done again, for a log without a record is found at
    the next start. What a full disk refuses is tried again.
    """
    with suppress(StoreError):  # again before the record is written, and told then
        log.close()
    wrap_ups.run(names, over, partial(_record, log))


def _record(log: EventLog) -> None:
    log.close()
    write_record(log.path)


def over_of_record(record: Mapping[str, Any]) -> CallOver:
    """A call that a crash has cut off, from its record."""
    return CallOver(
        call=str(record.get("call", "")),
        number=str(record.get("number", "")),
        flow=str(record.get("flow", "")),
        outcome=str(record["outcome"]),
        ended_by=str(record["ended_by"]),
        started=datetime.fromisoformat(record["started"]),
        language="es" if record.get("language") == "es" else "en",
        turns=int(record["turns"]),
        facts=record["facts"],
        deeds=tuple((str(each["name"]), str(each["outcome"])) for each in record["actions"]),
        recovered=True,
        unsettled=tuple(
            (str(each["name"]), str(each["key"]))
            for each in record["actions"]
            if each["outcome"] in (FAILED, INTERRUPTED)
        ),
    )

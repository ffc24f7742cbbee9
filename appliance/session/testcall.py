"""The box's call to itself: a real call in all but what it leaves behind.

`appliance doctor` calls the own extension. It is heard, understood and answered as any other; but
its account is invented, none of its actions is done, nothing follows it, and its record says
`"test": true`, so that it counts in no statistics. Such a call is known by its caller's number,
which no other call to the box has: an extension does not call itself.
"""

from __future__ import annotations

from dataclasses import replace

from appliance.actions.tools import Request
from appliance.dialogue.flow import CallFlow, Flow
from appliance.dialogue.rehearsal import sample_call, sample_fact
from appliance.session.services import Services
from appliance.types import Language


def bind_test(flow: Flow, call_id: str, language: Language) -> CallFlow:
    """A flow for a test call: all that an account would hold is invented."""
    entry = {name: sample_fact(flow, name) for name in flow.spec.entry}
    return sample_call(flow, language, (language,), entry, call_id)


def without_deeds(services: Services) -> Services:
    """The same engines, and tools with nothing behind them."""
    return replace(services, actions=services.actions.idle(_Nothing()))


class _Nothing:
    """A ledger that keeps nothing."""

    def add(self, request: Request) -> bool:  # noqa: ARG002 (see `actions.host.Ledger`)
        """Say that it is kept."""
        return True

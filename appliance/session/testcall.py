"""The box's call to itself: a real call in all but what it leaves behind.

    appliance doctor ── announces it, calls ──> PBX ──> the agent: announced, and from that number?

Such a call is heard, understood and answered as any other; but its account is invented, its tools
answer as in a rehearsal and do nothing, nothing follows it, and its record says `"test": true`, so
that it counts in no statistics. A customer's call must never be taken for one, or a promise to him
would be lost: so the number alone does not make a test, nor does the announcement alone.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from appliance.actions.tools import Request, Result
from appliance.config import Config
from appliance.dialogue.flow import CallFlow, Flow
from appliance.dialogue.rehearsal import given, sample_call, sample_fact
from appliance.errors import StoreError
from appliance.session.services import Services
from appliance.types import Language

_LONGEST_S = 60.0
"""From the announcement to the call; a doctor that was killed leaves nothing that lasts."""


@contextmanager
def announced(config: Config) -> Iterator[None]:
    """For as long as this lasts, and a minute at most, a call from the test's number is a test.

    Raises:
        StoreError: the folder of the store cannot be written by this user.
    """
    place = _place(config)
    try:
        place.unlink(missing_ok=True)
        os.close(os.open(place, os.O_CREAT | os.O_EXCL, 0o644))  # never through another's link
    except OSError as error:
        raise StoreError(f"{place.parent}: {error.strerror}: run this as root") from error
    try:
        yield
    finally:
        place.unlink(missing_ok=True)


def is_test(config: Config, number: str) -> bool:
    """Whether a call from this number that comes now is the box's own."""
    if number != config.test_caller:
        return False
    try:
        age_s = time.time() - _place(config).stat().st_mtime
    except OSError:
        return False
    return abs(age_s) <= _LONGEST_S


def bind_test(flow: Flow, call_id: str, language: Language) -> CallFlow:
    """A flow for a test call: all that an account would hold is invented."""
    entry = {name: sample_fact(flow, name) for name in flow.spec.entry}
    return sample_call(flow, language, (language,), entry, call_id)


def without_deeds(services: Services, flow: Flow) -> Services:
    """The same engines, and tools that answer as if all went well, with nothing behind them."""
    return replace(services, actions=services.actions.idle(Nothing(), rehearsed(flow)))


def rehearsed(flow: Flow) -> dict[str, Result]:
    """Each tool's first outcome, which is the good one, with invented facts."""
    firsts = {name: tool.outcomes[0] for name, tool in flow.spec.tools.items() if tool.outcomes}
    return {name: Result(first, dict(given(flow, name, first))) for name, first in firsts.items()}


class Nothing:
    """A ledger that keeps nothing."""

    def add(self, request: Request) -> bool:  # noqa: ARG002 (see `actions.host.Ledger`)
        """Say that it is kept."""
        return True


def _place(config: Config) -> Path:
    return config.record.store.parent / ".test-call"

"""The event log of the test's call, found among those that calls left meanwhile."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from appliance.errors import StoreError
from appliance.store.events import EVENTS_SUFFIX, read_events

Events = list[dict[str, Any]]
_LOG_S = 10.0
"""How long a call's log may take to be whole."""


def logs_in(folder: Path) -> Iterable[Path]:
    """All event logs.

    Raises:
        StoreError: this user may not see them.
    """
    if folder.exists() and not os.access(folder, os.R_OK | os.X_OK):
        raise StoreError(f"{folder}: may not be read: run this as root")
    return folder.glob(f"*/*{EVENTS_SUFFIX}")


async def log_of_test(folder: Path, known: set[Path]) -> Events:
    """The whole event log of the call that was just made; empty if no call came to this box.

    Other calls may have come meanwhile: the test's is the one that says so, else one of the
    number that calls came from.
    """
    for _ in range(int(_LOG_S / 0.2)):
        fresh = [read_events(path) for path in set(logs_in(folder)) - known]
        over = [each for each in fresh if of_kind(each, "call") and of_kind(each, "end")]
        over.sort(key=lambda each: not is_test(each))
        if over and (is_test(over[0]) or len(fresh) == len(over)):
            return over[0]
        await asyncio.sleep(0.2)
    return []


def is_test(events: Events) -> bool:
    """Whether the agent took the call for a test."""
    return bool(of_kind(events, "call")[0].get("test"))


def of_kind(events: Iterable[Mapping[str, Any]], kind: str) -> list[Mapping[str, Any]]:
    """The events of one kind, in order."""
    return [each for each in events if each["t"] == kind]

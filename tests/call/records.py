"""The records of calls, as an operator finds them after a call."""

import asyncio
import json
from typing import Any

from appliance.testing.served import Trial

_WRITTEN_S = 20
"""A record is written a moment after the call, when its wrap-ups are done."""


def records(trial: Trial) -> dict[str, dict[str, Any]]:
    """Finished calls by SIP call id."""
    found = (json.loads(path.read_text()) for path in trial.calls.glob("*/*.record.json"))
    return {record["sip_call_id"]: record for record in found}


async def record_of(trial: Trial, call_id: str) -> dict[str, Any]:
    """The record of a call, once it is written."""
    async with asyncio.timeout(_WRITTEN_S):
        while call_id not in records(trial):
            await asyncio.sleep(0.05)
    return records(trial)[call_id]


def said(record: dict[str, Any]) -> list[str]:
    """The prompts that the caller heard, in order."""
    return [line["prompt"] for line in record["dialogue"] if line["kind"] == "said"]

"""The booking flow by telephone: a booking in the calendar, and a callback where it is full.

The caller says what the recognizer was made for (models/stt/recipe/english/phrases.py).
"""

import json
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from appliance.cli.chat import example_accounts
from appliance.clock import SystemClock
from appliance.store.calendar import Calendar
from appliance.store.calendar_bookings import Bookings
from appliance.store.database import Database
from appliance.store.outbox import Outbox
from appliance.store.requests import Requests
from appliance.testing.caller import ScriptedCaller
from appliance.testing.served import Served, Trial, write_trial_config
from appliance.testing.speech import CallerVoice

from .records import record_of, said

pytestmark = [pytest.mark.anyio, pytest.mark.slow, pytest.mark.timeout(300)]
QUIET_MS = 1500
"""Longer than the gaps between the sentences of one reply."""

WORDS = (
    "my water heater is leaking",
    "no",
    "90210",
    "my address is seventy five park avenue",
    "my name is michael johnson",
    "yes that's right",
    "as soon as possible please",
    "yes",
)
"""The happy path; digits are typed."""


def make_trial(folder: Path) -> Trial:
    call = {"flow": "booking", "no_input_ms": 6000}
    return write_trial_config(folder, example_accounts("booking"), {"call": call})


async def talk(trial: Trial, voice: CallerVoice, words: Sequence[str]) -> dict[str, Any]:
    """Call, say each after the reply to the one before, and wait for the record."""
    async with ScriptedCaller(trial.target) as caller:
        await caller.call()
        await caller.wait_reply(timeout_s=40, quiet_ms=QUIET_MS)
        for text in words[:-1]:
            if text.isdigit():
                await caller.digits(text)
            else:
                await caller.say(voice.speak(text))
            await caller.wait_reply(timeout_s=40, quiet_ms=QUIET_MS)
        await caller.say(voice.speak(words[-1]))
        await caller.wait_hangup()
        return await record_of(trial, caller.call_id)


def assert_nothing_personal_is_logged(trial: Trial, served: Served) -> None:
    text = "".join(path.read_text() for path in trial.calls.glob("*/*"))
    text += json.dumps(served.log)
    # "It's about your water heater" is a prompt, whose words the log has; these are the caller's.
    for private in ("michael", "Johnson", "park avenue", "Park", "90210", "my water heater"):
        assert private not in text, private


async def test_a_new_caller_is_booked(tmp_path: Path, voice: CallerVoice) -> None:
    trial = make_trial(tmp_path)
    with Served(trial.config) as served:
        record = await talk(trial, voice, WORDS)
        assert_nothing_personal_is_logged(trial, served)
    assert record["outcome"] == "booked", record["dialogue"]
    assert said(record) == [
        "greeting", "offer_help", "one_moment", "ask_safety", "ask_zip", "ask_address", "ask_name",
        "about_water_heater", "confirm_details", "ask_when", "wish_soonest", "consent",
        "booking_it", "booked",
    ]  # fmt: skip
    database = Database(trial.store)
    today = SystemClock().now().date()
    [booking] = Bookings(database).between(today, today + timedelta(days=60))
    notices = [parcel.notice.kind for parcel in Outbox(database).all()]
    asked = Requests(database).all()
    database.close()
    assert booking.begins.date() >= today
    assert dict(booking.details) == {
        "name": "Michael Johnson",
        "address": "75 Park Avenue",
        "zip": "90210",
        "problem": "my water heater is leaking",
        "preferred_time": "soonest",
    }
    assert notices == ["booking"]
    assert asked == []


async def test_a_full_calendar_leaves_a_callback(tmp_path: Path, voice: CallerVoice) -> None:
    trial = make_trial(tmp_path)
    database = Database(trial.store)
    Calendar(database).set_hours(range(7), [])
    database.close()
    with Served(trial.config):
        record = await talk(trial, voice, WORDS)
    assert record["outcome"] == "booking_full", record["dialogue"]
    assert said(record)[-3:] == ["booking_it", "no_slot", "callback_promised"]
    database = Database(trial.store)
    [asked] = Requests(database).all()
    notices = [parcel.notice.kind for parcel in Outbox(database).all()]
    today = SystemClock().now().date()
    bookings = Bookings(database).between(today, today + timedelta(days=60))
    database.close()
    assert bookings == []
    assert asked.details["callback_type"] == "booking_failed"
    assert asked.details["reason"] == "booking_full"
    assert asked.details["name"] == "Michael Johnson"
    assert asked.details["address"] == "75 Park Avenue"
    assert notices == ["callback"]


async def test_an_emergency_is_heard_and_told_to_call_911(
    tmp_path: Path, voice: CallerVoice
) -> None:
    trial = make_trial(tmp_path)
    with Served(trial.config):
        record = await talk(trial, voice, ["i smell gas in the kitchen"])
    assert record["outcome"] == "safety_emergency", record["dialogue"]
    assert said(record) == ["greeting", "offer_help", "call_911"]

"""The status flow with a validation service that cannot be relied on."""

import json
from collections.abc import Callable

import pytest
from structlog.testing import capture_logs

from appliance.config import Config
from appliance.sections import SourceConfig, SourcesConfig, ValidationConfig
from tests.actions.servers import serving, web
from tests.fault.broken_store import locked
from tests.fault.company import People
from tests.fault.status_box import (
    NUMBERS,
    StatusBox,
    asked,
    assert_nothing_personal,
)

Start = Callable[..., StatusBox]

HOPS = "Exceeded maximum hops (2). Unable to gather sufficient data."
GUIDE = "How long does a background check take?"
PAID = "Where is my payment?"
HELD = "Why is my payment on hold?"
MINE = "What is the status of my application?"


SERVICE = "Validation error: validation service: "
PASSED = '{"overall_passed": true, "by": "them"}'
VERDICTS = {
    "passes": (f"says:{PASSED}", "success", "", PASSED),
    "refuses the reply": (
        'says:{"overall_passed": false}', "VALIDATION_FAILED",
        "Validation failed - see validation note for details", '{"overall_passed": false}',
    ),
    "HTTP 500": ("busy", "error", f"{SERVICE}HTTP 500", ""),
    "HTTP 404": ("refuse", "error", f"{SERVICE}HTTP 404", ""),
    "redirects": ("move", "error", f"{SERVICE}HTTP 302", ""),
    "hangs": ("hang", "error", f"{SERVICE}timed out", ""),
    "drips": ("drip", "error", f"{SERVICE}timed out", ""),
    "closes": ("drop", "error", SERVICE, ""),
    "is no JSON": ("says:<html>", "error", f"{SERVICE}its answer is not JSON", "<html>"),
    "is nested without end": (
        "says:" + "[" * 90_000, "error", f"{SERVICE}its answer is not JSON", "[" * 90_000,
    ),
    "is no object": ("says:[]", "error", f"{SERVICE}its answer has no overall_passed", "[]"),
    "does not say": (
        'says:{"passed": true}', "error", f"{SERVICE}its answer has no overall_passed",
        '{"passed": true}',
    ),
    "says it as text": (
        'says:{"overall_passed": "true"}', "error",
        f"{SERVICE}its answer has no overall_passed", '{"overall_passed": "true"}',
    ),
    "is too long": ("says:" + "x" * 300_000, "error", f"{SERVICE}answers with more than", ""),
}  # fmt: skip


def judged_by(config: Config, port: int) -> Config:
    service = ValidationConfig(url=f"http://127.0.0.1:{port}/", deadline_s=0.4)
    return config.model_copy(update={"validation": service})


@pytest.mark.parametrize("name", VERDICTS)
def test_service_that(name: str, config: Config, start: Start) -> None:
    trick, status, reason, note = VERDICTS[name]
    with serving(web, trick) as server:
        outcome = asked(start(judged_by(config, server.port)), PAID)
        assert server.connections == 1
    assert outcome.status == status
    assert len(outcome.said) == int(status == "success")
    assert len(outcome.escalations) == int(bool(reason))
    assert all(each.startswith(reason) for each in outcome.escalations)
    (written,) = outcome.validations  # always, and raw where there is anything
    if note:
        assert written == note
    else:
        assert json.loads(written)["error"].startswith(SERVICE.removeprefix("Validation error: "))


def test_nobody_listens_and_nothing_is_said(config: Config, start: Start) -> None:
    with serving(web) as server:
        pass
    box = start(judged_by(config, server.port))
    with capture_logs() as logs:
        call = box.calls(NUMBERS["james"])
        call.says(PAID, "10001")
        over = call.is_over()
    outcome = box.outcome(call.conversation)
    assert over.outcome == outcome.status == "error"
    (reason,) = outcome.escalations
    assert reason.startswith(f"{SERVICE}Connection refused")
    assert len(outcome.validations) == 1
    assert not any(each.startswith("answer") for each in call.prompts)
    assert_nothing_personal(logs)


def test_service_gets_no_reply_that_goes_to_a_person(config: Config, start: Start) -> None:
    with serving(web, f"says:{PASSED}") as server:
        box = start(judged_by(config, server.port))
        asked(box, "I want to talk to a human")
        box.writes("robert", MINE, "k2")  # refused by the policy: it need not be asked
        box.answers()
        assert server.connections == 0


@pytest.mark.slow
def test_nobody_waits_long_in_silence(people: People, config: Config, start: Start) -> None:
    """With the deadlines that are the defaults, and every part at its slowest at once."""
    patient = SourceConfig(command=people.config().command)
    sources = SourcesConfig(mcp={"people": patient})
    with serving(web, "hang") as server:
        service = ValidationConfig(url=f"http://127.0.0.1:{server.port}/")
        box = start(config.model_copy(update={"sources": sources, "validation": service}))
        late = {"late": 1.4}  # each is just in time
        people.plays(find_person=late, verify_person=late, list_payments="hang")
        call = box.calls(NUMBERS["james"])
        call.says(PAID, "10001")
        assert call.is_over().outcome == "ROUTE_TO_TEAM"
        people.plays()
        call = box.calls(NUMBERS["james"], "call-2")
        with locked(box.database.path):
            call.says(PAID, "10001")
        assert call.is_over().outcome == "error"
    took_s = box.host.took_s
    assert took_s["gather"] > 2.5
    assert took_s["validate_reply"] > 2.5
    assert max(took_s.values()) < 6, took_s

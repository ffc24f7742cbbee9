"""The sample server, as the hub sees it: both transports, and the data that the flows rely on."""

import socket
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
import yaml

from appliance.clock import SystemClock
from appliance.samples.config import sample_sources
from appliance.samples.people import DATA
from appliance.samples.records import Application, Payment, Records, read_data
from appliance.sections import SourceConfig
from appliance.sources.hub import Hub
from tests.sources.rig import eventually, look, running

TOOLS = {"find_person", "verify_person", "list_applications", "get_application", "list_payments",
         "get_job"}  # fmt: skip
PEOPLE = {
    "p-1001": ("Maria Lopez", "+13105550101", "90210"),
    "p-1002": ("James Carter", "+13105550102", "10001"),
    "p-1003": ("Ana Silva", "+13105550103", "60601"),
    "p-1004": ("Robert King", "+13105550104", "73301"),
    "p-1005": ("Lily Chen", "+13105550105", "94105"),
}


@pytest.fixture(scope="module")
def hub() -> Iterator[Hub]:
    hub = Hub(sample_sources(), SystemClock())
    hub.start()
    hub.settle(30)
    yield hub
    hub.close()


def test_it_offers_its_tools(hub: Hub) -> None:
    assert {each.name for each in hub.status()["people"].tools} == TOOLS


@pytest.mark.parametrize("person_id", PEOPLE)
def test_everybody_is_found_by_number_and_address(hub: Hub, person_id: str) -> None:
    name, phone, _ = PEOPLE[person_id]
    email = f"{name.lower().replace(' ', '.')}@example.com"
    known = {"found": True, "person_id": person_id, "name": name, "email": email, "phone": phone}
    assert look(hub, "find_person", phone=phone).data == known
    assert look(hub, "find_person", email=email.upper()).data == known
    assert look(hub, "find_person", phone=phone, email="other@example.com").data["found"] is False


def test_who_is_unknown_is_not_found(hub: Hub) -> None:
    for asked in ({"phone": "+13105559999"}, {"email": "x@example.com"}, {}):
        assert look(hub, "find_person", **asked).data["found"] is False


@pytest.mark.parametrize("person_id", PEOPLE)
def test_only_the_right_zip_matches(hub: Hub, person_id: str) -> None:
    right = PEOPLE[person_id][2]
    for said in {each for _, _, each in PEOPLE.values()}:
        found = look(hub, "verify_person", person_id=person_id, zip=said).data
        assert found == {"match": said == right}


def test_a_long_list_the_newest_first(hub: Hub) -> None:
    found = look(hub, "list_applications", person_id="p-1001").data
    days = [each["applied_on"] for each in found["applications"]]
    assert len(days) == 7
    assert days == sorted(days, reverse=True)
    assert len(look(hub, "list_payments", person_id="p-1001").data["payments"]) == 4


def test_details_agree_with_the_list_but_for_the_contradictory_one(hub: Hub) -> None:
    for person_id in PEOPLE:
        for each in look(hub, "list_applications", person_id=person_id).data["applications"]:
            detail = look(hub, "get_application", person_id=person_id,
                          application_id=each["application_id"]).data  # fmt: skip
            agrees = detail["status"] == each["status"]
            assert agrees == (person_id != "p-1004")
            assert (detail["interview_on"] is not None) == (
                detail["status"] == "interview_scheduled"
            )


def test_contradictions_and_gaps_are_there_on_purpose(hub: Hub) -> None:
    paid = look(hub, "list_payments", person_id="p-1004").data["payments"][0]
    assert (paid["status"], paid["paid_on"]) == ("paid", None)
    held = look(hub, "list_payments", person_id="p-1002").data["payments"][0]
    assert held["hold_reason"] == "the timesheet is not approved"
    assert look(hub, "list_applications", person_id="p-1003").data["applications"] == []


def test_all_is_of_now_but_for_what_is_old_on_purpose(hub: Hub) -> None:
    now = datetime.now(UTC)
    for person_id in PEOPLE:
        for tool in ("list_applications", "list_payments"):
            age = now - datetime.fromisoformat(look(hub, tool, person_id=person_id).data["as_of"])
            is_old = age > timedelta(days=9)
            assert is_old == (person_id == "p-1005")


def test_every_job_applied_for_is_known(hub: Hub) -> None:
    titles = {
        each["job_title"]
        for person_id in PEOPLE
        for each in look(hub, "list_applications", person_id=person_id).data["applications"]
    }
    for title in titles:
        assert look(hub, "get_job", job_title=title.upper()).data["job_title"] == title


@pytest.mark.parametrize(
    ("tool", "args"),
    [
        ("list_payments", {"person_id": "p-9999"}),
        ("get_application", {"person_id": "p-1002", "application_id": "a-2001"}),
    ],
)
def test_what_does_not_exist_is_an_error(hub: Hub, tool: str, args: dict[str, str]) -> None:
    assert look(hub, tool, **args).error == "people: the tool reports an error"


def test_a_job_that_does_not_exist_is_an_answer(hub: Hub) -> None:
    assert look(hub, "get_job", job_title="astronaut").data["open"] is None


def test_dates_count_from_the_day_they_are_asked_for() -> None:
    data = read_data(DATA)
    for day in (datetime(2026, 1, 1, 12, tzinfo=UTC), datetime(2031, 7, 7, 12, tzinfo=UTC)):
        first = Records(data, day).applications("p-1001").applications[0]
        assert first.applied_on == day.date() - timedelta(days=4)


def test_the_data_holds_no_date_that_gets_old() -> None:
    def dates(each: object) -> list[object]:
        match each:
            case dict():
                return [found for value in each.values() for found in dates(value)]
            case list():
                return [found for value in each for found in dates(value)]
            case date():
                return [each]
        return []

    assert dates(yaml.safe_load(DATA.read_text())) == []


def test_every_status_of_the_contract_can_be_seen_or_is_declared() -> None:
    records = Records(read_data(DATA), datetime.now(UTC))
    seen = {each.status for who in PEOPLE for each in records.applications(who).applications}
    assert set(Application.model_fields["status"].annotation.__args__) - seen == {"hired"}  # type: ignore[union-attr]
    paid = {each.status for who in PEOPLE for each in records.payments(who).payments}
    assert set(Payment.model_fields["status"].annotation.__args__) == paid  # type: ignore[union-attr]


def test_by_http_with_a_token(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    token = tmp_path / "token"
    token.write_text("t0ken")
    wrong = tmp_path / "wrong"
    wrong.write_text("other")
    url = f"http://127.0.0.1:{port}/mcp"
    command = [sys.executable, "-m", "appliance.samples.people", "--http", str(port)]
    with (
        subprocess.Popen([*command, "--token-file", str(token)], stderr=subprocess.PIPE) as server,
        running(good=SourceConfig(url=url, token_file=token),
                bad=SourceConfig(url=url, token_file=wrong)) as hub,
    ):  # fmt: skip
        try:
            eventually(lambda: hub.status()["good"].state == "up")
            assert look(hub, "verify_person", person_id="p-1001", zip="90210").data["match"]
            eventually(lambda: "HTTP 401" in hub.status()["bad"].why)
        finally:
            server.terminate()


def test_help_has_an_example() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "appliance.samples.people", "--help"],
        capture_output=True, text=True, check=True, timeout=30,
    )  # fmt: skip
    assert "Example: python -m appliance.samples.people --http 8300" in done.stdout

"""`appliance serve` answers messages of the HTTP API from its sources; ended in the middle, too."""

import json
import os
import signal
import time
import urllib.request
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from appliance.conversations import STATUS
from appliance.store.database import Database
from appliance.store.papers import INQUIRY, Papers
from appliance.testing.served import Sections, Served, Trial, free_port, write_flow_trial
from tests.fault.company import People
from tests.fault.status_box import assert_nothing_personal
from tests.sources.rig import lives

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

TOKEN = "0123456789abcdef0123456789abcdef"
PAID = "Where is my payment?"
JAMES = {"email": "james.carter@example.com", "name": "James Carter"}
REPLY = (
    "Your payment of $480.00 is on hold. It is for last week. "
    "The timesheet has not been approved yet."
)


class Api:
    """The desk's API of a served box, as a program of the operator's uses it."""

    def __init__(self, folder: Path, people: People | None = None) -> None:
        folder.mkdir()
        (folder / "token").write_text(TOKEN)
        self.port = free_port()
        extra: Sections = {
            "desk": {"flow": "status", "port": self.port, "poll_s": 0.2,
                     "token_file": str(folder / "token")},
        }  # fmt: skip
        if people is not None:
            source = people.config().model_dump(mode="json", exclude_defaults=True)
            extra["sources.mcp.people"] = source
        self.trial: Trial = write_flow_trial(folder / "box", "status", extra)

    def ask(self, method: str, path: str, key: str = "", **body: Any) -> Any:
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/v1/conversations{path}", method=method,
            data=json.dumps(body).encode() if body else None,
            headers={"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json",
                     "Idempotency-Key": key or os.urandom(8).hex()},
        )  # fmt: skip
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.load(answer)

    def writes(self, text: str = PAID, **contact: str) -> str:
        return str(self.ask("POST", "", text=text, **(contact or JAMES))["conversation"])

    def thread(self, conversation: str) -> dict[str, Any]:
        return dict(self.ask("GET", f"/{conversation}?view=admin"))

    def status(self, conversation: str) -> str | None:
        with suppress(OSError):
            found = self.thread(conversation)["attributes"].get(STATUS)
            return None if found is None else str(found)
        return None

    def entries(self, conversation: str) -> tuple[list[str], list[str]]:
        """What the agent has said, and its notes."""
        entries = self.thread(conversation)["messages"]
        said = [each["text"] for each in entries if each["author"] == "agent" and not each["note"]]
        return said, [each["text"] for each in entries if each["note"]]


def is_answered_once(api: Api, conversation: str) -> bool:
    """With its note, its status and its rest; waits for it."""
    until(lambda: api.status(conversation) is not None)
    said, notes = api.entries(conversation)
    assert said == [REPLY]
    assert [json.loads(each)["overall_passed"] for each in notes] == [True]
    thread = api.thread(conversation)
    return thread["attributes"] == {STATUS: "success"} and bool(thread["snoozed_until"])


def until(is_so: Callable[[], bool], within_s: float = 30.0) -> None:
    ends = time.monotonic() + within_s
    while not is_so():
        assert time.monotonic() < ends, "it did not come about"
        time.sleep(0.1)


def ups(served: Served) -> int:
    return sum(each.get("event") == "source up" for each in served.log)


def papers(api: Api) -> list[dict[str, Any]]:
    database = Database(api.trial.store)
    try:
        return [dict(each) for _, _, each in Papers(database, INQUIRY).latest(99)]
    finally:
        database.close()


def test_sigterm_and_kill_lose_no_message(tmp_path: Path, people: People) -> None:
    api = Api(tmp_path / "api", people)
    with Served(api.trial.config) as first:
        conversations = [api.writes()]
        assert is_answered_once(api, conversations[0])
        people.plays(list_payments={"late": 0.4})
        conversations.append(api.writes())
        time.sleep(0.35)  # it is looked up now, or about to be
        assert first.stop() == 0
        assert_nothing_personal(first.log)
    assert not any(lives(pid) for pid in people.pids)
    with Served(api.trial.config) as second:
        assert all(is_answered_once(api, each) for each in conversations)
        people.plays(list_payments={"late": 0.5})
        conversations.append(api.writes())
        time.sleep(0.35)
        os.kill(second.pid, signal.SIGKILL)
        second.wait()
        assert_nothing_personal(second.log)
    until(lambda: not any(lives(pid) for pid in people.pids))
    people.plays()
    with Served(api.trial.config) as third:
        assert all(is_answered_once(api, each) for each in conversations)
        time.sleep(1)  # some polls later
        assert all(is_answered_once(api, each) for each in conversations)
        assert_nothing_personal(third.log)
    kept = papers(api)
    assert [each["status"] for each in kept] == ["success"] * len(conversations)


def test_source_that_comes_back(tmp_path: Path, people: People) -> None:
    people.plays(start="die")
    api = Api(tmp_path / "api", people)
    with Served(api.trial.config) as served:
        conversation = api.writes()
        until(lambda: api.status(conversation) == "error")
        said, (note,) = api.entries(conversation)
        assert said == []
        assert note.startswith("🚨 Escalation: Initialization failed: ")
        people.plays()
        until(lambda: ups(served) == 1)
        api.ask("POST", f"/{conversation}/messages", text=PAID, author="user")
        time.sleep(1)
        assert api.entries(conversation) == ([], [note])  # it is the people's
        api.ask("POST", f"/{conversation}/hand-back")
        until(lambda: api.status(conversation) == "success")
        assert api.entries(conversation)[0] == [REPLY]
        os.kill(people.pids[-1], signal.SIGKILL)
        until(lambda: ups(served) == 2, 45)  # the pauses before have made this one long
        assert is_answered_once(api, api.writes())
        assert_nothing_personal(served.log)

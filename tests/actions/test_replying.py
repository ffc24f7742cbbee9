import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from appliance.actions.inquiry import Judge
from appliance.actions.owed import Owed
from appliance.actions.replying import (
    DeliverReply,
    EscalateConversation,
    FinalizeConversation,
    SendCopy,
    ValidateReply,
)
from appliance.actions.tools import Claim, Result
from appliance.actions.validation import HttpJudge
from appliance.clock import SystemClock
from appliance.conversations import STATUS
from appliance.errors import SourceError, StoreError
from appliance.sections import ValidationConfig
from appliance.store.conversations import Conversations
from appliance.store.database import Database
from tests.actions.inquiries import AT, request
from tests.actions.servers import Server, serving, web

GOOD = json.dumps({"overall_passed": True, "checks": []})
BAD = json.dumps({"overall_passed": False, "checks": [{"name": "promise", "passed": False}]})


@pytest.fixture
def desk(tmp_path: Path) -> Conversations:
    return Conversations(Database(tmp_path / "x.sqlite"), SystemClock())


@pytest.fixture
def about(desk: Conversations) -> Callable[..., Any]:
    """A request about a conversation by telephone."""
    conversation = desk.begin("c1", "+13105550101", "Call")
    return lambda tool, **args: request(tool, conversation=conversation, **args)


def notes(desk: Conversations) -> list[str]:
    return [each.text for each in desk.thread("1").entries if each.is_note]


class SaidBy:
    """A validation service that says this."""

    def __init__(self, answer: str | SourceError) -> None:
        self.answer = answer
        self.asked = 0

    def judge(self, conversation: str, reply: str, verdict: str) -> str:
        self.asked += 1
        if isinstance(self.answer, SourceError):
            raise self.answer
        return self.answer


@pytest.mark.parametrize(
    ("verdict", "judge", "outcome", "note"),
    [
        (GOOD, None, "passed", GOOD),
        (BAD, None, "rejected", BAD),
        (GOOD, '{"overall_passed": true, "x": 1}', "passed", '{"overall_passed": true, "x": 1}'),
        (GOOD, '{"overall_passed": false}', "rejected", '{"overall_passed": false}'),
        (GOOD, "<html>", "failed", "<html>"),  # the note is written though it cannot be read
        (GOOD, "[]", "failed", "[]"),
        (GOOD, '{"overall_passed": "yes"}', "failed", '{"overall_passed": "yes"}'),
        (GOOD, "[" * 100_000, "failed", "[" * 100_000),
    ],
)
def test_the_note_about_a_reply_is_always_written(
    desk: Conversations, about: Any, verdict: str, judge: str | None, outcome: str, note: str
) -> None:
    tool = ValidateReply(desk, SaidBy(judge) if judge is not None else None)
    result = tool(about("validate_reply", reply="It was paid.", verdict=verdict), Claim())
    assert result.outcome == outcome
    assert bool(result.facts.get("error")) == (outcome == "failed")
    assert notes(desk) == [note]


def test_what_the_policy_rejects_is_not_sent_to_the_service(
    desk: Conversations, about: Any
) -> None:
    judge = SaidBy(GOOD)
    ValidateReply(desk, judge)(about("validate_reply", reply="x", verdict=BAD), Claim())
    assert judge.asked == 0


def test_a_service_that_cannot_be_reached_is_noted_and_told(
    desk: Conversations, about: Any
) -> None:
    judge: Judge = SaidBy(SourceError("validation service: timed out"))
    result = ValidateReply(desk, judge)(about("validate_reply", reply="x", verdict=GOOD), Claim())
    assert result == Result("failed", {"error": "validation service: timed out"})
    (note,) = notes(desk)
    assert json.loads(note)["error"] == "validation service: timed out"


def test_without_its_note_a_reply_does_not_pass(
    desk: Conversations, about: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise StoreError("store: locked")

    monkeypatch.setattr(desk, "note", refuse)
    result = ValidateReply(desk, None)(about("validate_reply", reply="x", verdict=GOOD), Claim())
    assert result == Result("failed", {"error": "store: locked"})


def test_what_the_desk_refuses_is_owed(
    desk: Conversations, about: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise StoreError("store: locked")

    owed = Owed()
    judge = SaidBy('{"overall_passed": true, "by": "service"}')
    with monkeypatch.context() as patched:
        for write in ("note", "reply"):
            patched.setattr(desk, write, refuse)
        asked = about("validate_reply", reply="It was paid.", verdict=GOOD)
        assert ValidateReply(desk, judge, owed)(asked, Claim()).outcome == "failed"
        asked = about("escalate_conversation", reason="Validation error: store: locked")
        assert EscalateConversation(desk, owed)(asked, Claim()).outcome == "failed"
        for channel in ("phone", "text"):
            asked = about("deliver_reply", reply=f"By {channel}.", channel=channel)
            assert DeliverReply(desk, owed)(asked, Claim()).outcome == "failed"
    owed.pay("c1")
    assert notes(desk) == [judge.answer, "🚨 Escalation: Validation error: store: locked"]
    assert judge.asked == 1
    assert [each.text for each in desk.fetch("1").messages] == ["By phone."]  # who writes got none


def test_an_escalation_that_came_too_late_is_owed(desk: Conversations, about: Any) -> None:
    owed, claim = Owed(), Claim()
    claim.give_up()
    asked = about("escalate_conversation", reason="User requested to talk to a human")
    assert EscalateConversation(desk, owed)(asked, claim) == Result("failed")
    owed.pay("c1")
    assert len(notes(desk)) == 1


def judged(server: Server, tmp_path: Path, deadline_s: float = 2.0) -> str:
    token = tmp_path / "token"
    token.write_text("t0ken\n")
    url = f"http://127.0.0.1:{server.port}/validate"
    config = ValidationConfig(url=url, token_file=token, deadline_s=deadline_s)
    return HttpJudge(config, url).judge("1", "It was paid.", GOOD)


def test_the_service_gets_reply_and_verdict(tmp_path: Path) -> None:
    with serving(web, 'says:{"overall_passed": true}') as server:
        assert judged(server, tmp_path) == '{"overall_passed": true}'
    (post,) = server.posts
    assert post.headers["Authorization"] == "Bearer t0ken"
    assert json.loads(post.body) == {
        "conversation": "1",
        "reply": "It was paid.",
        "policy": {"overall_passed": True, "checks": []},
    }


@pytest.mark.parametrize(
    ("trick", "said"),
    [("busy", "HTTP 500"), ("refuse", "HTTP 404"), ("move", "HTTP 302"), ("hang", "timed out"),
     ("drip", "timed out"), ("drop", "RemoteDisconnected"), ("says:" + "x" * 300_000, "more than")],
)  # fmt: skip
def test_a_service_that_does_not_answer(tmp_path: Path, trick: str, said: str) -> None:
    with serving(web, trick) as server, pytest.raises(SourceError, match=said):
        judged(server, tmp_path, 0.4)


def test_nobody_listens(tmp_path: Path) -> None:
    with serving(web) as server:
        pass
    with pytest.raises(SourceError, match="Connection refused"):
        judged(server, tmp_path)


def test_a_spoken_reply_is_kept_with_its_question(desk: Conversations, about: Any) -> None:
    asked = about(
        "deliver_reply", reply="It was paid.", channel="phone", question="is 90210 my payment there"
    )
    assert DeliverReply(desk)(asked, Claim()) == Result("done")
    assert DeliverReply(desk)(asked, Claim()) == Result("done")  # once
    thread = [(each.role, each.text) for each in desk.fetch("1").messages]
    assert thread == [("user", "is [digits] my payment there"), ("assistant", "It was paid.")]


def test_a_copy_needs_an_address(desk: Conversations, about: Any) -> None:
    asked = about("send_copy", reply="It was paid.")
    assert SendCopy(desk)(asked, Claim()) == Result("unavailable")
    desk.identify("1", "Maria Lopez", "maria@example.com")
    assert SendCopy(desk)(asked, Claim()) == Result("unavailable")  # the box sends no e-mails
    desk = Conversations(desk._database, SystemClock(), ("email",))
    desk.identify("1", "Maria Lopez", "maria@example.com")
    assert SendCopy(desk)(asked, Claim()) == Result("done")
    assert [each.text for each in desk.fetch("1").messages] == ["It was paid."]


def test_an_escalation_is_a_note_with_its_reason(desk: Conversations, about: Any) -> None:
    reason = "User requested to talk to a human"
    asked = about("escalate_conversation", reason=reason)
    for _ in range(2):
        assert EscalateConversation(desk)(asked, Claim()) == Result("done")
    assert notes(desk) == [f"🚨 Escalation: {reason}"]


def test_finalizing_sets_the_status_and_snoozes(desk: Conversations, about: Any) -> None:
    tool = FinalizeConversation(desk, 300)
    assert tool(about("finalize_conversation", status="success"), Claim()) == Result("done")
    conversation = desk.fetch("1")
    assert conversation.attributes[STATUS] == "success"
    assert conversation.snoozed_until == AT + timedelta(seconds=300)


def test_a_call_that_could_not_be_opened_is_escalated_in_its_conversation(
    desk: Conversations,
) -> None:
    reason = "Initialization failed: no source is up"
    for _ in range(2):
        EscalateConversation(desk)(request("escalate_conversation", reason=reason), Claim())
    FinalizeConversation(desk, 300)(request("finalize_conversation", status="error"), Claim())
    assert notes(desk) == [f"🚨 Escalation: {reason}"]
    assert desk.fetch("1").attributes[STATUS] == "error"


def test_what_was_given_up_is_not_done(desk: Conversations, about: Any) -> None:
    claim = Claim()
    claim.give_up()
    asked = about("deliver_reply", reply="It was paid.", channel="phone")
    assert DeliverReply(desk)(asked, claim) == Result("failed")
    assert not desk.fetch("1").messages

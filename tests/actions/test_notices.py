import json
from datetime import UTC, datetime

from appliance.actions.notices import as_json, body, subject, write_email
from appliance.config import EmailConfig
from appliance.store.outbox import Notice

CONFIG = EmailConfig(host="localhost", sender="box@example.com", to=("a@example.com", "b@x.org"))
AT = datetime(2026, 11, 23, 7, 0, tzinfo=UTC)


def notice(kind: str = "callback", **details: str) -> Notice:
    return Notice(f"{kind}:c1:7:x", kind, "c1", AT, details)


def test_subject_says_what_is_to_be_done() -> None:
    booked = notice("booking", date="2026-11-23", begins="10:00")
    assert subject(booked) == "New booking: Mon 23 Nov 2026, 10:00"
    assert subject(notice(callback_type="booking_failed")) == "Please call back: booking failed"
    assert subject(notice("lead")) == "Sales lead: please call"
    assert subject(notice()) == "Please call back: no reason known"


def test_body_holds_what_is_known_line_by_line() -> None:
    told = notice(problem="no heat", name="José Núñez", number="+1310", zip="", confirmed="true")
    assert body(told) == (
        "Number: +1310\nName: José Núñez\nProblem: no heat\n\nCall c1, 2026-11-23 07:00\n"
    )


def test_what_a_caller_said_cannot_write_the_head() -> None:
    evil = notice(callback_type="x\r\nBcc: c@example.com", name="a\r\n\r\nFrom: nobody")
    message = write_email(evil, CONFIG)
    assert message["Bcc"] is None
    assert message["To"] == "a@example.com, b@x.org"
    assert "Name: a From: nobody" in message.get_content()


def test_copy_goes_to_the_user_and_holds_the_answer_alone() -> None:
    copied = notice("copy", recipient="maria.lopez@example.com", text="It was paid.\nOn Friday.")
    message = write_email(copied, CONFIG)
    assert message["To"] == "maria.lopez@example.com"
    assert message["Subject"] == "The answer to your question"
    assert message.get_content() == "It was paid.\nOn Friday.\n"


def test_message_id_is_that_of_the_notice() -> None:
    first, again = (write_email(notice(name="A"), CONFIG) for _ in range(2))
    assert first["Message-ID"] == again["Message-ID"]
    assert first["Message-ID"].endswith("@example.com>")
    assert write_email(notice("lead"), CONFIG)["Message-ID"] != first["Message-ID"]


def test_json_is_the_same_each_time() -> None:
    told = notice(name="José", problem="no heat", confirmed="true")
    assert as_json(told) == as_json(told)
    assert json.loads(as_json(told)) == {
        "key": "callback:c1:7:x", "kind": "callback", "call": "c1",
        "at": "2026-11-23T07:00:00+00:00", "details": {"name": "José", "problem": "no heat"},
    }  # fmt: skip

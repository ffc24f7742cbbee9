"""A Request Tracker that is down, slow, broken or somebody else: one clear error, and in time.

What a whole one does is in tests/contract/test_desks.py, with the real program.
"""

from __future__ import annotations

import contextlib
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from appliance.conversations import Contact, NoConversationError
from appliance.desks.request_tracker import RequestTracker
from appliance.desks.rt_ticket import parse_ticket, sayings
from appliance.errors import ConfigError, SourceError
from appliance.sections import RequestTrackerConfig
from tests.actions.servers import Server, serving

TOKEN = "1-27-0123456789abcdef"
TICKET = {
    "id": 1, "Status": "open", "Requestor": [{"id": "maria"}], "Starts": "1970-01-01T00:00:00Z",
    "LastUpdated": "2026-11-22T09:00:00Z", "CustomFields": [],
}  # fmt: skip

ANSWERS = {
    "500": (b"500 Oh", b"{}"),
    "502": (b"502 Bad Gateway", b"<html>proxy</html>"),
    "401": (b"401 No", b'{"message":"Unauthorized"}'),
    "403": (b"403 No", b'{"message":"Forbidden"}'),
    "404": (b"404 No", b'{"message":"Not Found"}'),
    "429": (b"429 No", b"{}"),
    "302": (b"302 Found", b""),
    "login": (b"200 OK", b"<html>please log in</html>"),
    "garbage": (b"200 OK", b"\xff\xfe{"),
    "deep": (b"200 OK", b"[" * 100_000),
    "list": (b"200 OK", b"[1, 2]"),
    "null": (b"200 OK", b"null"),
    "undated": (b"200 OK", b"null"),
    "items": (b"200 OK", b'{"items": [1, null]}'),
    "half": (b"200 OK", b'{"items": [{"id": "1"}]}'),
}


def tracker(server: Server, link: socket.socket, trick: str) -> None:
    """Answers every request of a connection as the trick says."""
    if trick == "drop":
        return
    file = link.makefile("rb")
    while file.readline():
        length = 0
        while line := file.readline().strip():
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        file.read(length)
        server.connections += 1
        if trick == "hang":
            server.closing.wait(5)
            return
        if trick in ("drip", "flood"):
            link.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 90000000\r\n\r\n")
            while not server.closing.wait(0.02 if trick == "drip" else 0):
                link.sendall(b" " if trick == "drip" else b" " * 65536)
            return
        status, body = ANSWERS[trick]
        heads = {
            "302": f"Location: http://127.0.0.1:{server.port}/elsewhere\r\n",
            "undated": "Date: some day\r\n",
        }
        head = heads.get(trick, "")
        link.sendall(b"HTTP/1.1 %b\r\n%bContent-Length: %d\r\n\r\n%b"
                     % (status, head.encode(), len(body), body))  # fmt: skip


@contextlib.contextmanager
def desk(folder: Path, trick: str, deadline_s: float = 2.0) -> Iterator[RequestTracker]:
    token = folder / "token"
    token.write_text(TOKEN)
    with serving(tracker, trick) as server:
        url = f"http://127.0.0.1:{server.port}/rt"
        desk = RequestTracker(
            RequestTrackerConfig(url=url, token_file=token, deadline_s=deadline_s)
        )
        try:
            yield desk
        finally:
            desk.close()


@pytest.mark.parametrize(
    ("trick", "said"),
    [
        ("500", "HTTP 500: see its own log"),
        ("502", "HTTP 502"),
        ("401", "the token is refused"),
        ("403", "lacks a right: docs/desk.md"),
        ("429", "raise desk.poll_s"),
        ("302", "HTTP 302"),
        ("login", "not JSON: is desk.request_tracker.url right"),
        ("garbage", "not JSON"),
        ("deep", "not JSON"),
        ("undated", "no resource"),
        ("list", "no resource"),
        ("null", "no resource"),
        ("items", "a ticket without"),
        ("drop", "request tracker: "),
    ],
)
def test_broken_server_is_one_clear_error(tmp_path: Path, trick: str, said: str) -> None:
    with desk(tmp_path, trick) as broken:
        for act in (lambda: broken.fetch("1"), lambda: broken.reply("1", "k", "Maria Lopez")):
            with pytest.raises(SourceError, match=said) as error:
                act()
            assert not isinstance(error.value, NoConversationError)
            assert TOKEN not in str(error.value)
            assert "Maria" not in str(error.value)
        with pytest.raises(SourceError):
            broken.waiting()


@pytest.mark.parametrize("trick", ["items", "half", "list", "null"])
def test_lists_that_are_none(tmp_path: Path, trick: str) -> None:
    with desk(tmp_path, trick) as broken, pytest.raises(SourceError):
        broken.waiting()


def test_unknown_ticket(tmp_path: Path) -> None:
    with desk(tmp_path, "404") as empty, pytest.raises(NoConversationError):
        empty.fetch("7")


@pytest.mark.parametrize(("trick", "said"), [
    ("hang", "timed out"), ("drip", "timed out"), ("flood", "more than"),
])  # fmt: skip
def test_slow_and_endless_servers_end_at_the_deadline(
    tmp_path: Path, trick: str, said: str
) -> None:
    begun = time.monotonic()
    with desk(tmp_path, trick, 0.3) as slow, pytest.raises(SourceError, match=said):
        slow.fetch("1")
    assert time.monotonic() - begun < 10


def test_nobody_there(tmp_path: Path) -> None:
    with desk(tmp_path, "500") as gone:
        pass
    token = tmp_path / "token"
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    gone = RequestTracker(RequestTrackerConfig(url=f"http://127.0.0.1:{port}", token_file=token))
    with pytest.raises(SourceError, match="cannot be reached"):
        gone.waiting()
    gone.close()


def test_secrets_and_certificates_are_named(tmp_path: Path) -> None:
    token = tmp_path / "token"
    url = "http://127.0.0.1:9"
    with pytest.raises(ConfigError, match=r"desk\.request_tracker\.token_file: .* cannot be read"):
        RequestTracker(RequestTrackerConfig(url=url, token_file=token))
    token.write_text("\n")
    with pytest.raises(ConfigError, match="is empty"):
        RequestTracker(RequestTrackerConfig(url=url, token_file=token))
    token.write_text(TOKEN)
    with pytest.raises(ConfigError, match=r"desk\.request_tracker\.ca_file"):
        RequestTracker(
            RequestTrackerConfig(url=url, token_file=token, ca_file=tmp_path / "none.pem")
        )


def test_a_token_that_is_none_of_rt_5(tmp_path: Path) -> None:
    with desk(tmp_path, "500") as odd:
        odd._rest.token = "plain"
        with pytest.raises(SourceError, match="whose token is it"):
            odd._tickets.agent()


# What is read of a ticket


def told(*history: dict[str, object], parts: dict[str, dict[str, str]]) -> list[tuple[object, ...]]:
    found = sayings(parse_ticket(TICKET), "agent", history, parts)
    return [(each.role, each.text, each.by_agent, each.key) for each in found]


def transaction(number: int, kind: str, creator: str) -> dict[str, object]:
    created = f"2026-11-22T09:00:0{number}Z"
    return {"id": number, "Type": kind, "Creator": {"id": creator}, "Created": created}


def test_roles() -> None:
    part = {"Content": "text", "ContentType": "text/plain", "Subject": ""}
    html = {"Content": "<p>Hello <b>you</b></p><script>x</script>", "ContentType": "text/html"}
    assert told(
        transaction(1, "Create", "maria"), transaction(2, "Correspond", "clerk"),
        transaction(3, "Correspond", "agent"), transaction(4, "Comment", "clerk"),
        transaction(5, "Comment", "agent"), transaction(6, "Comment", "clerk"),
        transaction(7, "Status", "agent"), transaction(8, "Correspond", "maria"),
        parts={
            "1": part, "2": part, "3": part, "4": part,
            "5": {**part, "Subject": "user by telephone [c:1 [x]]"},
            "6": {**part, "Subject": "user by telephone [forged]"},
            "7": part, "8": html,
        },
    ) == [
        ("user", "text", False, ""), ("assistant", "text", False, ""),
        ("assistant", "text", True, ""), (None, "text", False, ""),
        ("user", "text", False, "c:1 [x]"), (None, "text", False, ""),
        ("user", "Hello\nyou", False, ""),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("<style>p {}</style><!-- <p>no</p> --><p>Fish &amp; chips</p>", "Fish & chips"),
        ("<STYLE>p {}</Style >Hello<SCRIPT>x</sCript> you", "Hello\n you"),
        ("a <b", "a"),
        ("<script>" * 1_000_000, ""),
        ("<a " * 1_000_000, ""),
        ("<!--" * 1_000_000, ""),
        ("<p>&lt;script&gt;</p>", "<script>"),
    ],
)
def test_hostile_html_is_read_in_one_pass(content: str, text: str) -> None:
    part = {"Content": content, "ContentType": "text/html"}
    ((_, said, _, _),) = told(transaction(1, "Create", "maria"), parts={"1": part})
    assert said == text


def test_what_cannot_be_read_is_not_quoted() -> None:
    with pytest.raises(SourceError, match="a ticket without what can be read") as error:
        parse_ticket({**TICKET, "Starts": "Maria Lopez 90210"})
    assert "Maria" not in str(error.value)


def test_nobody_is_told_about_another_requestor(tmp_path: Path) -> None:
    both = parse_ticket({**TICKET, "Requestor": [{"id": "maria"}, {"id": "mallory"}]})
    with desk(tmp_path, "500") as broken:
        assert broken._tickets.contact(both) == Contact()
        with pytest.raises(SourceError):  # of one alone it asks who that is
            broken._tickets.contact(parse_ticket(TICKET))


@pytest.mark.parametrize("lacks", sorted(TICKET))
def test_ticket_that_lacks_something(lacks: str) -> None:
    with pytest.raises(SourceError, match="a ticket without"):
        parse_ticket({name: value for name, value in TICKET.items() if name != lacks})

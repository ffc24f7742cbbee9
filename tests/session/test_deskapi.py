"""The own desk by HTTP: the real server on 127.0.0.1, with clients that behave and others."""

from __future__ import annotations

import asyncio
import re
import socket
import threading
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx2
import pytest
from jsonschema import Draft202012Validator
from starlette.routing import Route
from structlog.testing import capture_logs

from appliance.clock import SystemClock
from appliance.conversations import STATUS
from appliance.errors import ConfigError
from appliance.sections import DeskConfig
from appliance.session import deskapi, deskserver
from appliance.session.deskapi import DeskRoutes
from appliance.session.deskopenapi import OPERATIONS, describe
from appliance.session.deskrates import BURST, Rates
from appliance.session.deskserver import DeskServer
from appliance.store import database as database_module
from appliance.store.conversations import Conversations
from appliance.store.database import Database
from appliance.testing.line import InlineExecutor
from tests.fault.test_store_contention import locked

TOKEN = "s3cret-for-tests"
MARIA = {"email": "maria.lopez@example.com", "name": "Maria Lopez", "text": "Where is my payment?"}


class Served:
    """A server in a thread of its own, and a client of it."""

    def __init__(self, path: Path, rates: Rates | None = None) -> None:
        token = path / "token"
        token.write_text(TOKEN + "\n")
        self.store = path / "x.sqlite"
        self.database = Database(self.store)
        self.desk = Conversations(self.database, SystemClock())
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        config = DeskConfig(port=self.port, token_file=token)
        self.server = DeskServer(config, self.desk, SystemClock())
        if rates is not None:
            object.__setattr__(self.server._app, "rates", rates)
        self._loop = asyncio.new_event_loop()
        self._task = self._loop.create_task(self.server.run())
        self._thread = threading.Thread(target=self._run)
        self._thread.start()
        self.client = httpx2.Client(
            base_url=f"http://127.0.0.1:{self.port}/v1",
            headers={"Authorization": f"Bearer {TOKEN}"},
        )

    def _run(self) -> None:
        self._loop.run_until_complete(asyncio.gather(self._task, return_exceptions=True))
        self._loop.close()

    def post(self, path: str, key: str = "k", **body: Any) -> httpx2.Response:
        return self.client.post(path, json=body, headers={"Idempotency-Key": key})

    def close(self) -> None:
        self.client.close()
        self._loop.call_soon_threadsafe(self._task.cancel)
        self._thread.join(10)
        assert not self._thread.is_alive()
        self.database.close()


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    served = Served(tmp_path)
    yield served
    served.close()


def test_a_conversation_from_both_sides(served: Served) -> None:
    made = served.post("/conversations", "k1", subject="Payment", **MARIA)
    assert made.status_code == 201
    one = f"/conversations/{made.json()['conversation']}"
    assert served.post(f"{one}/messages", "k2", text="Hello?").status_code == 201
    assert served.post(f"{one}/notes", "k3", text="a regular").status_code == 201
    assert served.post(f"{one}/messages", "k4", text="Soon.", author="admin").status_code == 201
    served.client.put(f"{one}/attributes/vip", json={"value": "yes"})
    user = served.client.get(one).json()
    assert [(each["role"], each["text"]) for each in user["messages"]] == [
        ("user", "Where is my payment?"), ("user", "Hello?"), ("assistant", "Soon."),
    ]  # fmt: skip
    assert set(user) == {"id", "subject", "status", "created", "updated", "messages"}
    assert not any({"author", "note"} & set(each) for each in user["messages"])
    admin = served.client.get(one, params={"view": "admin"}).json()
    assert [each["text"] for each in admin["messages"] if each["note"]] == ["a regular"]
    assert admin["attributes"] == {"vip": "yes"}
    assert (admin["email"], admin["name"]) == (MARIA["email"], MARIA["name"])


def test_the_same_key_makes_nothing_twice(served: Served) -> None:
    first = served.post("/conversations", "k1", **MARIA)
    again = served.post("/conversations", "k1", **MARIA)
    assert (again.status_code, again.json()) == (201, first.json())
    one = f"/conversations/{first.json()['conversation']}"
    a, b = (served.post(f"{one}/messages", "k2", text="Hello?").json() for _ in range(2))
    assert a == b
    served.post(f"{one}/notes", "k3", text="once")
    served.post(f"{one}/notes", "k3", text="once")
    assert len(served.client.get(one, params={"view": "admin"}).json()["messages"]) == 3
    other = served.post(f"{one}/messages", "k2", text="Something else")
    assert other.status_code == 409
    assert "new Idempotency-Key" in other.json()["remedy"]
    assert served.post(f"{one}/notes", "k3", text="Something else").status_code == 409
    assert served.post("/conversations", "k1", text="x", email="a@b").status_code == 409


def test_snooze_attributes_handing_back_and_closing(served: Served) -> None:
    id_ = served.post("/conversations", "k1", **MARIA).json()["conversation"]
    one = f"/conversations/{id_}"
    until = (SystemClock().now() + timedelta(hours=1)).isoformat()
    snoozed = served.client.put(f"{one}/snooze", json={"until": until}).json()
    assert snoozed["snoozed_until"][:16] == until[:16]
    ids = lambda **query: [  # noqa: E731
        each["id"]
        for each in served.client.get("/conversations", params=query).json()["conversations"]
    ]
    assert (ids(snoozed="true"), ids(snoozed="false")) == ([id_], [])
    assert served.client.delete(f"{one}/snooze").json()["snoozed_until"] is None
    served.client.put(f"{one}/attributes/{STATUS}", json={"value": "ROUTE_TO_TEAM"})
    assert (ids(status="ROUTE_TO_TEAM"), ids(status="success")) == ([id_], [])
    assert served.desk.waiting() == []
    assert served.client.post(f"{one}/hand-back").json()["attributes"] == {}
    assert [each[0] for each in served.desk.waiting()] == [id_]
    assert served.client.post(f"{one}/close").json()["status"] == "closed"
    assert (ids(open="true"), ids(open="false")) == ([], [id_])
    served.post(f"{one}/messages", "k5", text="Still there?")
    assert ids(open="true") == [id_]
    assert ids(updated_since="2020-01-01T00:00:00Z") == [id_]
    assert ids(updated_since="2120-01-01T00:00:00Z") == []


def test_lists_come_in_pages(served: Served) -> None:
    for number in range(5):
        served.post("/conversations", f"k{number}", text="Hello")
    first = served.client.get("/conversations", params={"limit": 3}).json()
    rest = served.client.get("/conversations", params={"after": first["next"]}).json()
    assert [each["id"] for each in first["conversations"]] == ["1", "2", "3"]
    assert [each["id"] for each in rest["conversations"]] == ["4", "5"]
    assert "next" not in rest


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One server for requests that leave nothing behind."""
    served = Served(tmp_path_factory.mktemp("shared"))
    object.__setattr__(served.server._app, "rates", Rates(burst=10_000))
    served.post("/conversations", "first", text="Hello")
    yield served
    served.close()


BAD = [
    ("POST", "/conversations", {"json": {"text": "x"}}, 400, "Idempotency-Key is missing"),
    ("POST", "/conversations", {"json": {}}, 422, "text: Field required"),
    ("POST", "/conversations", {"json": {"text": "  "}}, 422, "text: "),
    ("POST", "/conversations", {"json": {"text": "x" * 8001}}, 422, "at most 8000"),
    ("POST", "/conversations", {"json": {"text": "x", "email": "a b@c"}}, 422, "email: "),
    ("POST", "/conversations", {"json": {"text": "x", "phone": "1"}}, 422, "phone: Extra"),
    ("POST", "/conversations", {"content": b"{"}, 422, "body: Invalid JSON"),
    ("POST", "/conversations", {"content": b'{"text":"\\ud800"}'}, 422, "body: Invalid JSON"),
    ("POST", "/conversations", {"content": b"\xff\x00"}, 422, "body: Invalid JSON"),
    ("POST", "/conversations", {"json": ["text"]}, 422, "body: "),
    ("POST", "/conversations", {"content": b"[" * 60_000}, 422, "body: "),
    ("POST", "/conversations", {"content": b" " * 70_000}, 413, "too large"),
    ("POST", "/conversations", {"json": {"text": "x", "email": "a\x1b[2Jb@c.d"}}, 422, "email: "),
    ("GET", "/conversations?open=perhaps", {}, 422, "open: cannot be read"),
    ("GET", "/conversations?limit=0", {}, 422, "limit: cannot be read"),
    ("GET", "/conversations?limit=201", {}, 422, "limit: cannot be read"),
    ("GET", "/conversations?colour=red", {}, 422, "colour: no such filter"),
    ("GET", "/conversations?updated_since=0001-01-01T00:00:00%2B23:59", {}, 422, "updated_since"),
    ("GET", "/conversations/1?view=god", {}, 422, "view: cannot be read"),
    ("GET", "/conversations/99", {}, 404, "no conversation 99"),
    ("GET", "/conversations/x'--", {}, 404, "no conversation"),
    ("GET", f"/conversations/{'9' * 5000}", {}, 404, "no conversation"),
    ("PUT", "/conversations/1/attributes/a-b", {"json": {"value": "x"}}, 422, "attribute"),
    ("PUT", "/conversations/1/snooze", {"json": {"until": "2026-11-22T10:00:00"}}, 422, "until"),
    (
        "PUT",
        "/conversations/1/snooze",
        {"json": {"until": "9999-12-31T23:59:59-23:00"}},
        422,
        "until: Value error, is too far away",
    ),
    ("PATCH", "/conversations/1", {}, 405, "Method Not Allowed"),
    ("GET", "/nothing", {}, 404, "Not Found"),
    ("GET", "/conversations/", {}, 404, "Not Found"),
]


@pytest.mark.parametrize(("method", "path", "sent", "status", "said"), BAD)
def test_what_is_wrong_is_said(
    shared: Served, method: str, path: str, sent: dict[str, Any], status: int, said: str
) -> None:
    headers = {"Content-Type": "application/json"}
    if status != 400:
        headers["Idempotency-Key"] = "k"
    answer = shared.client.request(method, path, headers=headers, **sent)
    assert answer.status_code == status, answer.text
    assert set(answer.json()) == {"error", "remedy"}
    assert said in answer.json()["error"], answer.json()
    assert answer.json()["remedy"]


def test_websocket_is_none(shared: Served) -> None:
    asked = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
             "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ=="}  # fmt: skip
    answer = shared.client.get("/conversations", headers=asked)
    assert answer.status_code == 200
    assert answer.json()["conversations"]


def test_other_content_is_refused(shared: Served) -> None:
    answer = shared.client.post("/conversations", data={"text": "x"})
    assert answer.status_code == 415


def test_attributes_are_not_without_end(served: Served) -> None:
    served.post("/conversations", text="Hello")
    puts = [served.client.put(f"/conversations/1/attributes/a{n}", json={"value": ""})
            for n in range(51)]  # fmt: skip
    assert [each.status_code for each in puts] == [200] * 50 + [409]


@pytest.mark.parametrize(
    "given", ["", "Bearer", "Bearer wrong", f"Basic {TOKEN}", f"Bearer {TOKEN}x"]
)
def test_wrong_token(shared: Served, given: str) -> None:
    for path in ("conversations", "openapi.json"):
        answer = httpx2.get(
            f"http://127.0.0.1:{shared.port}/v1/{path}", headers={"Authorization": given}
        )
        assert (answer.status_code, set(answer.json())) == (401, {"error", "remedy"})
        assert TOKEN not in answer.text


def test_a_flood_is_held_back_and_ends(tmp_path: Path) -> None:
    served = Served(tmp_path, Rates(per_s=0.1, burst=30))
    codes = [served.client.get("/conversations").status_code for _ in range(60)]
    assert codes == [200] * 30 + [429] * 30
    served.close()


def test_rates_are_each_clients_own_and_come_back() -> None:
    rates = Rates(per_s=10, burst=2)
    assert [rates.allows("a", 0) for _ in range(3)] == [True, True, False]
    assert rates.allows("b", 0)
    assert rates.allows("a", 0.11)
    assert not rates.allows("a", 0.12)
    for number in range(5000):
        rates.allows(str(number), 1)
    assert len(rates._left) <= 1000
    assert BURST > 1


def test_locked_store_says_so_and_the_same_key_works_later(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database_module, "_LOCKED_S", 0.02)
    served.database._engine.dispose()
    fresh = Database(served.store)
    object.__setattr__(served.desk, "_database", fresh)
    with locked(served.store):
        answer = served.post("/conversations", "k1", **MARIA)
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "2")
    assert served.post("/conversations", "k1", **MARIA).status_code == 201
    fresh.close()


def test_a_bug_is_one_json_error_and_the_next_request_is_served(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(served.desk, "all", lambda _: 1 // 0)
    with capture_logs() as logs:
        answer = served.client.get("/conversations")
        ends = time.monotonic() + 10
        while not logs and time.monotonic() < ends:  # it is logged after the answer
            time.sleep(0.01)
    assert (answer.status_code, set(answer.json())) == (500, {"error", "remedy"})
    assert [each["event"] for each in logs] == ["desk request failed by a bug"]
    assert served.post("/conversations", text="Hello").status_code == 201


def test_nothing_personal_is_logged(served: Served, caplog: pytest.LogCaptureFixture) -> None:
    with capture_logs() as logs:
        served.post("/conversations", "k1", **MARIA)
        served.post("/conversations", "k2", text="Maria", email="not an address Lopez")
        served.client.get("/conversations/maria.lopez")
    assert "lopez" not in (str(logs) + caplog.text).lower()


def test_slow_and_silent_clients_are_cut_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deskserver, "_REQUEST_S", 0.1)
    monkeypatch.setattr(deskapi, "_BODY_S", 0.1)
    served = Served(tmp_path)
    head = (
        f"POST /v1/conversations HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {TOKEN}\r\n"
        "Idempotency-Key: k\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{"
    )
    for sent, said in ((b"", b""), (b"GET /v1/conv", b""), (head.encode(), b"408")):
        with socket.create_connection(("127.0.0.1", served.port), timeout=5) as link:
            link.sendall(sent)
            assert said in link.recv(4096), sent
    for begun in ("GET /v1/x HTTP/1.1\r\nHost: x\r\n\r\n", head.replace("Bearer", "Basic")):
        with socket.create_connection(("127.0.0.1", served.port), timeout=5) as link:
            link.sendall(begun.encode())
            answer = b""
            while b"}" not in answer:
                answer += link.recv(4096)
            assert b"401" in answer
            link.sendall(b"G")  # the next request, or more of the body: begun and never ended
            assert link.recv(4096) == b""
    with socket.create_connection(("127.0.0.1", served.port), timeout=5) as link:
        link.sendall(b"\x16\x03\x01garbage\r\n\r\n")
        assert b"400" in link.recv(4096)
    with socket.create_connection(("127.0.0.1", served.port), timeout=5) as link:
        link.sendall(head.encode())  # and gone, in the middle of the body
    assert served.post("/conversations", text="Hello").status_code == 201
    served.close()


def test_more_connections_than_allowed_are_turned_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deskserver, "AT_ONCE", 3)
    served = Served(tmp_path)
    links = [socket.create_connection(("127.0.0.1", served.port)) for _ in range(4)]
    assert served.client.get("/conversations").status_code == 503
    for each in links:
        each.close()
    served.client.close()
    served.client = httpx2.Client(base_url=served.client.base_url, headers=served.client.headers)
    assert served.client.get("/conversations").status_code in (200, 503)
    served.close()


def test_port_in_use_is_a_mistake_of_the_configuration(served: Served, tmp_path: Path) -> None:
    config = DeskConfig(port=served.port, token_file=tmp_path / "token")
    with pytest.raises(ConfigError, match=r"desk: 127\.0\.0\.1:\d+: Address already in use"):
        DeskServer(config, served.desk, SystemClock())


# The description


def test_description_has_every_route_and_no_other(served: Served) -> None:
    described = served.client.get("/openapi.json").json()
    assert described == describe()
    assert described["openapi"].startswith("3.1")
    there = {
        (route.path, method.lower())
        for route in DeskRoutes(served.desk, InlineExecutor()).routes()
        if isinstance(route, Route)
        for method in (route.methods or set()) - {"HEAD"}
    }
    assert there == {(each.path, each.method) for each in OPERATIONS}
    assert there == {
        (path, m) for path, operations in described["paths"].items() for m in operations
    }


def test_schemas_are_schemas_and_answers_fit_them(served: Served) -> None:
    document = describe()
    for name, schema in document["components"]["schemas"].items():
        Draft202012Validator.check_schema(schema)
        for reference in re.findall(r"#/components/schemas/(\w+)", str(schema)):
            assert reference in document["components"]["schemas"], name
    made = served.post("/conversations", "k1", **MARIA)
    one = "/conversations/1"
    note = served.post(f"{one}/notes", "k2", text="a note")
    for answer, form in (
        (made, "Created"), (note, "Note"), (served.client.get(one), "ConversationView"),
        (served.client.get(one, params={"view": "admin"}), "ConversationView"),
        (served.client.get("/conversations"), "ConversationList"),
        (served.client.get("/conversations/77"), "Trouble"),
    ):  # fmt: skip
        schema = {"$ref": f"#/components/schemas/{form}", **document}
        Draft202012Validator(schema).validate(answer.json())


def test_every_route_is_documented() -> None:
    text = (Path(__file__).parents[2] / "docs/desk.md").read_text()
    for each in OPERATIONS:
        assert f"`{each.method.upper()} {each.path}`" in text
    for code in (400, 401, 404, 405, 408, 409, 413, 415, 422, 429, 503):
        assert re.search(rf"^\|[^|]*\b{code}\b", text, re.MULTILINE), code

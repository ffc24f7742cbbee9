"""The loop of the agent that answers text: several at once, and what goes wrong in one alone."""

import asyncio
import socket
import threading
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from structlog.testing import capture_logs

from appliance.clock import SystemClock
from appliance.conversations import STATUS, Contact
from appliance.errors import SourceError
from appliance.sections import DeskConfig
from appliance.session import textdesk as textdesk_module
from appliance.session.deskserver import DeskServer
from appliance.session.textdesk import AT_ONCE, TextDesk
from tests.session.test_textmessage import ANSWER, Failing
from tests.session.texting import Box

pytestmark = pytest.mark.anyio
SECRET = "Is the office for 90210 open? My name is Maria Lopez"


@asynccontextmanager
async def running(box: Box) -> AsyncIterator[TextDesk]:
    desk = TextDesk(box.messages, poll_s=0.01)
    task = asyncio.create_task(desk.run())
    try:
        yield desk
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        box.close()


async def until(is_so: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not is_so():
            await asyncio.sleep(0.01)


async def test_several_conversations_are_answered_at_once(tmp_path: Path) -> None:
    together = threading.Barrier(AT_ONCE, timeout=15)

    def meet(moment: str) -> None:
        if moment == "before reply":
            together.wait()  # passes only where so many are under way

    pool = ThreadPoolExecutor(AT_ONCE)
    box = Box(tmp_path / "x.sqlite", threads=pool, desk=lambda own: Failing(own, meet))
    ids = [
        box.own.open(f"k{n}", Contact(f"user{n}@example.com"), "", SECRET)[0]
        for n in range(AT_ONCE)
    ]
    async with running(box):
        await until(lambda: all(box.said(each) for each in ids))
        assert [box.said(each) for each in ids] == [[ANSWER]] * AT_ONCE
    pool.shutdown()


async def test_a_bug_touches_no_other_and_is_handed_over_once(tmp_path: Path) -> None:
    box = Box(tmp_path / "x.sqlite")
    bad, good = box.writes("bug 90210", "k1"), box.writes(SECRET, "k2")
    with capture_logs() as logs:
        async with running(box):
            await until(lambda: bool(box.said(good)) and STATUS in box.own.fetch(bad).attributes)
            await asyncio.sleep(0.1)
            assert len(box.notes(bad)) == 1
            assert box.own.fetch(bad).attributes == {STATUS: "error"}
            assert box.said(bad) == []
    assert [each["event"] for each in logs] == ["text message failed by a bug"]


async def test_desk_that_is_down_is_left_alone_longer_and_longer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    box = Box(tmp_path / "x.sqlite")
    conversation = box.writes(SECRET)
    down, waiting = [4], box.own.waiting

    def failing() -> Any:
        if down[0]:
            down[0] -= 1
            raise SourceError("request tracker: connection refused")
        return waiting()

    monkeypatch.setattr(box.own, "waiting", failing)
    with capture_logs() as logs:
        async with running(box):
            await until(lambda: bool(box.said(conversation)))
            assert box.said(conversation) == [ANSWER]
    pauses = [each["retry_in_s"] for each in logs if each["event"] == "helpdesk not usable"]
    assert pauses == [0.01, 0.02, 0.04, 0.08]


async def test_one_conversation_that_fails_waits_alone_and_nothing_personal_is_logged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(textdesk_module, "_LONGEST_PAUSE_S", 0.05)
    box = Box(tmp_path / "x.sqlite")
    bad, good = box.writes(SECRET, "k1"), box.writes(SECRET, "k2")
    broken, fetch = [True], box.own.fetch

    def failing(conversation: str) -> Any:
        if broken[0] and conversation == bad and threading.current_thread().name.startswith("text"):
            raise SourceError("HTTP 502")
        return fetch(conversation)

    monkeypatch.setattr(box.own, "fetch", failing)
    with capture_logs() as logs:
        async with running(box):
            await until(lambda: bool(box.said(good)))
            await until(lambda: len(logs) > 1)
            assert box.said(bad) == []
            broken[0] = False
            await until(lambda: bool(box.said(bad)))
    assert {each["event"] for each in logs} == {"text message waits"}
    assert "Maria" not in str(logs)
    assert "90210" not in str(logs)


async def test_cancelled_it_ends_what_is_under_way(tmp_path: Path) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def hold(moment: str) -> None:
        if moment == "before reply":
            begun.set()
            go_on.wait(15)

    pool = ThreadPoolExecutor(1)
    box = Box(tmp_path / "x.sqlite", threads=pool, desk=lambda own: Failing(own, hold))
    conversation = box.writes(SECRET)
    task = asyncio.create_task(TextDesk(box.messages, 0.01).run())
    await until(begun.is_set)
    task.cancel()
    await asyncio.sleep(0.05)
    assert not task.done()
    go_on.set()
    await asyncio.gather(task, return_exceptions=True)
    assert box.said(conversation) == [ANSWER]
    assert box.own.fetch(conversation).attributes == {STATUS: "success"}
    pool.shutdown()
    box.close()


async def test_calls_go_on_while_it_waits_for_the_helpdesk_at_its_end(tmp_path: Path) -> None:
    box = Box(tmp_path / "x.sqlite")
    asked, answered, in_time = threading.Event(), threading.Event(), []

    def slow() -> list[tuple[str, str]]:
        asked.set()
        in_time.append(answered.wait(10))
        return []

    box.messages.waiting = slow  # type: ignore[method-assign]
    async with running(box):
        await until(asked.is_set)
        asyncio.get_running_loop().call_later(0.05, answered.set)  # after it was cancelled
    assert in_time == [True]


async def test_message_comes_by_http_and_so_does_the_answer(tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("secret")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    box = Box(tmp_path / "x.sqlite")
    server = DeskServer(DeskConfig(port=port, token_file=token), box.own, SystemClock())
    serving = asyncio.create_task(server.run())
    async with running(box), httpx2.AsyncClient(
        base_url=f"http://127.0.0.1:{port}/v1",
        headers={"Authorization": "Bearer secret", "Idempotency-Key": "k1"},
    ) as client:  # fmt: skip
        made = (await client.post("/conversations", json={"text": SECRET})).json()["conversation"]
        said: list[Any] = []
        async with asyncio.timeout(20):
            while len(said) < 2:
                await asyncio.sleep(0.02)
                said = (await client.get(f"/conversations/{made}")).json()["messages"]
        assert [(each["role"], each["text"]) for each in said] == [
            ("user", SECRET), ("assistant", ANSWER),
        ]  # fmt: skip
    serving.cancel()
    await asyncio.gather(serving, return_exceptions=True)

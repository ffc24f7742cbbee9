"""What a call does at once, whatever the dialogue decides meanwhile."""

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

from appliance.actions.tools import Claim, Request, Result
from appliance.dialogue.declarations import Tool
from appliance.session.deeds import Deeds


def test_a_tool_is_done_for_the_flow_that_asked_though_another_has_taken_over() -> None:
    asked: list[Request] = []
    came: list[tuple[str, str]] = []

    def perform(request: Request, claim: Claim) -> Result:
        asked.append(request)
        return Result("done")

    async def call() -> None:
        begun: list[Coroutine[Any, Any, None]] = []  # a task runs when the loop comes to it
        owner = SimpleNamespace(
            spawn=begun.append,
            deed_done=lambda action, result: came.append((action.name, result.outcome)),
        )
        services = SimpleNamespace(
            call=SimpleNamespace(human=None),
            actions=SimpleNamespace(perform=perform, waits=lambda _: False),
            store_worker=worker, clock=SimpleNamespace(now=lambda: datetime.now(UTC)),
        )  # fmt: skip
        journal = SimpleNamespace(action=lambda *_: None, begun=lambda _: None)
        deeds = Deeds(SimpleNamespace(key="c"), services, journal, owner, "")  # type: ignore[arg-type]
        deeds.take(_turn("keep"), _flow("first", {"keep": Tool()}))
        deeds.take(_turn(), _flow("second", {}))
        await asyncio.gather(*begun)

    with ThreadPoolExecutor(1) as worker:
        asyncio.run(call())
    assert [(each.tool, each.flow) for each in asked] == [("keep", "first")]
    assert came == [("keep", "done")]


def _turn(*tools: str) -> Any:
    actions = [SimpleNamespace(name=tool, key=f"c:1:{tool}", args={}) for tool in tools]
    return SimpleNamespace(state=SimpleNamespace(current="here"), actions=actions)


def _flow(name: str, tools: dict[str, Tool]) -> Any:
    spec = SimpleNamespace(tools=tools)
    return SimpleNamespace(account_id="", flow=SimpleNamespace(name=name, spec=spec))

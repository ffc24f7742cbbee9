"""Calls from a PBX through the rendered edge to the lines."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from appliance.telephony.messages import CallDown, CallUp
from appliance.testing.caller import ScriptedCaller

from .box import PBX, box_config, running_edge

Play = Callable[[Callable[[], Awaitable[None]]], None]


def test_a_call_is_heard_both_ways(rig: Any, play: Play, tmp_path: Path) -> None:
    async def scenario() -> None:
        config = box_config(tmp_path)
        async with (
            running_edge(config, tmp_path) as edge,
            rig.agent(config.line, rig.echo) as agent,
            ScriptedCaller(edge.uri, PBX) as caller,
        ):
            await caller.call()
            up = await agent.until_event(CallUp)
            print(up)
            await caller.hang_up()
            assert (await agent.until_event(CallDown)).by == "peer"

    play(scenario)

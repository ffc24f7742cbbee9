"""The line registers at kamailio with digest, is reached through it, and unregisters."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from appliance.errors import ConfigError
from appliance.telephony.messages import CallDown, CallUp
from appliance.testing.caller import CallRefused, ScriptedCaller

from . import kamailio

Play = Callable[[Callable[[], Awaitable[None]]], None]
SECRET = "correct horse"


class Registrar:
    """A kamailio of our own."""

    def __init__(self, folder: Path, rig: Any) -> None:
        self.port: int = rig.free_port()
        self._folder = folder
        self._binary = rig.need_tool("kamailio")

    @contextlib.asynccontextmanager
    async def running(self, secret: str = SECRET, expires_s: int = 3600) -> AsyncIterator[None]:
        values = {"SECRET": secret, "EXPIRES": str(expires_s)}
        config = Path(__file__).parent / "kamailio.cfg"
        async with kamailio.running(self._binary, config, self._folder, self.port, values):
            yield

    def extension(self, password: str = SECRET) -> dict[str, Any]:
        """The `line.registrar` section of extension 200 here."""
        secret = self._folder / "password"
        secret.write_text(password + "\n")
        return {
            "server": f"sip:127.0.0.1:{self.port}",
            "user": "200",
            "password_file": secret,
            "expires_s": 60,
        }

    @property
    def uri(self) -> str:
        return f"sip:200@127.0.0.1:{self.port}"


@pytest.fixture
def registrar(tmp_path: Path, rig: Any) -> Registrar:
    return Registrar(tmp_path, rig)


async def registered(agent: Any) -> Any:
    await agent.until(lambda: agent.switch.registration is not None, "the registrar's answer")
    return agent.switch.registration


async def refusal(uri: str) -> int:
    async with ScriptedCaller(uri) as caller:
        try:
            await caller.call(10)
        except CallRefused as refused:
            return refused.code
    return 200


def test_registers_takes_a_call_and_unregisters(rig: Any, registrar: Registrar, play: Play) -> None:
    async def scenario() -> None:
        async with registrar.running():
            assert await refusal(registrar.uri) == 404
            async with rig.agent(rig.config(registrar=registrar.extension()), rig.echo) as agent:
                answer = await registered(agent)
                assert answer.code == 200
                assert 0 < answer.expires_s <= 60
                async with ScriptedCaller(registrar.uri) as caller:
                    await caller.call()
                    await agent.until_event(CallUp)
                assert (await agent.until_event(CallDown)).by == "peer"
            assert await refusal(registrar.uri) == 404

    play(scenario)


def test_wrong_password_is_reported_and_calls_go_on(
    rig: Any, registrar: Registrar, play: Play
) -> None:
    async def scenario() -> None:
        async with registrar.running():
            config = rig.config(registrar=registrar.extension("wrong"))
            async with rig.agent(config) as agent:
                answer = await registered(agent)
                assert (answer.code // 100, answer.expires_s) == (4, 0)
                assert await refusal(registrar.uri) == 404
                assert await refusal(agent.uri) == 200

    play(scenario)


@pytest.mark.slow
def test_registration_is_kept(rig: Any, registrar: Registrar, play: Play) -> None:
    async def scenario() -> None:
        config = rig.config(registrar=registrar.extension())
        async with registrar.running(expires_s=7), rig.agent(config) as agent:
            assert (await registered(agent)).expires_s == 7
            await asyncio.sleep(9)  # past the lifetime of the first
            assert await refusal(registrar.uri) == 200

    play(scenario)


@pytest.mark.slow
def test_refused_registration_is_tried_again(rig: Any, registrar: Registrar, play: Play) -> None:
    async def scenario() -> None:
        config = rig.config(registrar=registrar.extension())
        async with contextlib.AsyncExitStack() as stack:
            async with registrar.running(secret="not yet"):
                agent = await stack.enter_async_context(rig.agent(config))
                assert (await registered(agent)).expires_s == 0
            async with registrar.running():
                await agent.until(lambda: agent.switch.registration.expires_s, "success", 45)
                assert await refusal(registrar.uri) == 200

    play(scenario)


def test_registers_again_after_the_line_died(rig: Any, registrar: Registrar, play: Play) -> None:
    async def scenario() -> None:
        async with registrar.running():
            config = rig.config(registrar=registrar.extension())
            async with rig.agent(config) as agent:
                await registered(agent)
                rig.kill(agent.switch.line_pid)
                await agent.until(lambda: agent.switch.restarts == 1, "the restart")
                assert (await registered(agent)).code == 200
                assert await refusal(registrar.uri) == 200

    play(scenario)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"password_file": Path("/nonexistent/secret")}, "password_file: /nonexistent/secret"),
        ({"server": "sip:"}, "registrar.server"),
    ],
)
def test_unusable_registrar_is_named(
    rig: Any, registrar: Registrar, play: Play, change: dict[str, Any], said: str
) -> None:
    async def scenario() -> None:
        config: BaseModel = rig.config(registrar=registrar.extension() | change)
        with pytest.raises(ConfigError, match=said):
            async with rig.agent(config):
                pass

    play(scenario)


def test_port_in_use_is_named(rig: Any, play: Play) -> None:
    async def scenario() -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as holder:
            holder.bind(("127.0.0.1", 0))
            config = rig.config(port=holder.getsockname()[1])
            with pytest.raises(ConfigError, match=r"line\.port: .*in use"):
                async with rig.agent(config):
                    pass

    play(scenario)

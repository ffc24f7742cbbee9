"""How PBXes answer a registration, and how long the line is then registered."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from .box import PBX, box_config, running_edge

Play = Callable[[Callable[[], Awaitable[None]]], None]
Answering = Callable[[str], list[str]]
OTHER = "<sip:200@192.0.2.1:5060>;expires=99"


class Registrar(asyncio.DatagramProtocol):
    """Answers every REGISTER with 200, and with the contacts that a test wants."""

    def __init__(self, answering: Answering) -> None:
        self._answering = answering
        self._transport: Any = None
        self.asked: list[str] = []

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport

    def datagram_received(self, data: bytes, source: tuple[str, int]) -> None:
        headers = data.decode().partition("\r\n\r\n")[0].split("\r\n")[1:]
        by_name = {line.partition(":")[0]: line.partition(": ")[2] for line in headers}
        self.asked.append(by_name["Contact"])
        leaves = by_name["Expires"] == "0"
        kept = [line for line in headers if line.startswith(("Via", "From", "Call-ID", "CSeq"))]
        said = [f"Contact: {OTHER}"] if leaves else self._answering(by_name["Contact"])
        lines = ["SIP/2.0 200 OK", *kept, f"To: {by_name['To']};tag=9", *said, "Content-Length: 0"]
        self._transport.sendto(("\r\n".join(lines) + "\r\n\r\n").encode(), source)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("answering", "expires_s"),
    [
        (lambda own: [f"Contact: {own};expires=50"], 50),
        (lambda own: [f"Contact: {OTHER}, {own};q=1;expires=44,<sip:200@192.0.2.8>;expires=9"], 44),
        (lambda own: [f"Contact: {OTHER}", f"Contact: {own};expires=45"], 45),
        (lambda own: ["Contact: <sip:200-0x12@127.0.0.2>;expires=46"], 46),
        (lambda own: [f"Contact: {own}", "Expires: 48"], 48),
        (lambda own: ["Expires: 47"], 47),
        (lambda own: [], 60),
    ],
    ids=["own", "one-header", "two-headers", "rewritten", "expires", "no-contact", "nothing"],
)
def test_how_long_it_lasts(
    rig: Any, play: Play, tmp_path: Path, answering: Answering, expires_s: int
) -> None:
    async def scenario() -> None:
        transport, registrar = await asyncio.get_running_loop().create_datagram_endpoint(
            lambda: Registrar(answering), local_addr=(PBX, 0)
        )
        (tmp_path / "password").write_text("secret\n")
        line = {
            "server": "sip:{}:{}".format(*transport.get_extra_info("sockname")),
            "user": "200",
            "password_file": tmp_path / "password",
            "expires_s": 60,
        }
        config = box_config(tmp_path, line={"registrar": line}, processes=1)
        async with running_edge(config, tmp_path):
            async with rig.agent(config.line) as agent:
                await agent.until(lambda: agent.switch.registration, "the registrar's answer")
                assert agent.switch.registration.expires_s == expires_s
            assert len(registrar.asked) == 2  # and left again
        edge = config.edge
        assert set(registrar.asked) == {f"<sip:200@{edge.address}:{edge.port};transport=udp>"}
        transport.close()

    play(scenario)

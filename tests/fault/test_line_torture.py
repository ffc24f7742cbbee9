"""Messages of RFC 4475's kinds, one by one: the line goes on and takes the calls it should."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from appliance.telephony.call import LineCall
from appliance.testing.caller import ScriptedCaller

Play = Callable[[Callable[[], Awaitable[None]]], None]
PACKETS = {
    path.stem: path.read_bytes() for path in sorted(Path(__file__).parent.glob("torture/*.sip"))
}


CALLS = {
    "compact", "deep_sdp", "esc01", "inv2543", "long_header", "longreq", "many_codecs",
    "many_via", "mpart_sdp", "sdp01", "utf8", "wsinv",
}  # fmt: skip
"""Well-formed INVITEs with a description: each is a call."""

TAKEN_ALL_THE_SAME = {
    "baddate_invalid",  # nobody reads the Date of an INVITE
    "clerr_invalid",  # over UDP the packet ends the body
    "escruri_invalid",  # headers in the Request-URI are ignored
    "lwsstart_invalid",
    "multi01_invalid",  # one of each header counts
    "sdp_no_version_invalid",
    "sdp_wrong_order_invalid",
}
"""Malformed INVITEs that pjsip reads leniently: also calls, and no more than that."""

ANSWERED = {
    "badaspec_invalid", "bext01", "escnull", "invut", "lwsdisp", "mpart01", "semiuri",
    "transports", "zeromf",
}  # fmt: skip
"""Requests outside calls that must be answered in some way."""


async def exchange(sock: socket.socket, port: int, packet: bytes, call_id: bytes) -> set[int]:
    """Send a packet; the status codes that came back for it within a moment."""
    sock.sendto(packet, ("127.0.0.1", port))
    await asyncio.sleep(0.12)
    codes = set()
    with contextlib.suppress(BlockingIOError):
        while True:
            answer = sock.recv(9000)
            if answer.startswith(b"SIP/2.0 ") and b" " + call_id + b"\r" in answer:
                codes.add(int(answer[8:11]))
    return codes


@pytest.mark.slow  # the parser is pjsip's, in one fixed build
def test_torture(rig: Any, play: Play) -> None:
    arrived: set[str] = set()
    answered: dict[str, set[int]] = {}

    def answer_the_caller(call: LineCall) -> None:
        if "+1310555" in call.from_uri:
            call.answer()
        else:
            arrived.add(call.sip_call_id.rpartition("id.")[2])
            call.reject(486)

    async def scenario() -> None:
        async with rig.agent(rig.config(), on_arrival=answer_the_caller) as agent:
            pid = agent.switch.line_pid
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
                sock.bind(("127.0.0.1", 0))
                sock.setblocking(False)
                own = str(sock.getsockname()[1]).encode()
                for name, template in PACKETS.items():
                    call_id = f"id.{name}".encode()
                    packet = template.replace(b"@LINE@", str(agent.config.port).encode())
                    packet = packet.replace(b"@OWN@", own).replace(b"@ID@", call_id)
                    answered[name] = await exchange(sock, agent.config.port, packet, call_id)
                    assert agent.switch.line_pid == pid, f"the line died of {name}"
            async with ScriptedCaller(agent.uri) as caller:
                await caller.call()
                await caller.pause(200)
                assert caller.hung_up_ns is None

    play(scenario)
    assert arrived == CALLS | TAKEN_ALL_THE_SAME
    assert {name for name in CALLS if 486 not in answered[name]} == set()
    assert {name for name in ANSWERED if not answered[name]} == set()


def test_every_file_has_its_expectation_or_is_ignored() -> None:
    assert set(PACKETS) >= CALLS | TAKEN_ALL_THE_SAME | ANSWERED
    assert not {name for name in CALLS if name.endswith("_invalid")}
    assert len(PACKETS) >= 60

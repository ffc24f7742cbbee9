"""Floods stop at the edge: no process dies, and the next call is taken.

Two of them kill a line process that faces the network bare: 33 refused INVITEs within half a
second, and the third INVITE with 16 audio lines (docs/security.md).
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from .attacks import AUDIO, answers, offer, request, send_all
from .boxes import Box, running_box
from .hosts import PBX, STRANGER, Host, Hosts, udp_from

Play = Callable[[Callable[[], Awaitable[None]]], None]
FLOOD_S = 3
SIPP = Path(__file__).parent / "sipp"
ADDRESSES: dict[Host, str] = {"pbx": PBX, "stranger": STRANGER}


async def flood(
    box: Box, host: Host, make: Callable[[int, tuple[str, int]], bytes], count: int
) -> Any:
    """Send so many; what was answered within a moment."""
    with box.hosts.inside(host):
        sock = udp_from(ADDRESSES[host])
    with sock:
        await send_all(sock, [make(n, sock.getsockname()) for n in range(count)], box.sip)
        await asyncio.sleep(0.5)
        return answers(sock)


def invites(box: Box, media: str) -> Callable[[int, tuple[str, int]], bytes]:
    return lambda n, own: request("INVITE", n, own, box.sip, offer(own[0], media) if media else "")


@pytest.mark.slow
def test_calls_are_refused_faster_than_a_line_survives(
    rig: Any, play: Play, hosts: Hosts, tmp_path: Path
) -> None:
    """sipp as the PBX: 400 calls within a second, each refused."""
    sipp = rig.need_tool("sipp")

    async def scenario() -> None:
        async with running_box(hosts, rig, tmp_path) as box:
            host, port = box.sip
            process = await asyncio.create_subprocess_exec(
                *hosts.at(
                    "pbx", sipp, f"{host}:{port}", "-sf", str(SIPP / "flood.xml"), "-i", PBX,
                    "-r", "400", "-m", "400", "-l", "400", "-nd", "-nostdin",
                ),
                cwd=tmp_path, stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL,
            )  # fmt: skip
            await asyncio.sleep(FLOOD_S)  # it would wait for answers to all
            process.kill()
            await process.wait()
            box.assert_alive()
            # One share a second, and one for the second that was begun.
            assert 0 < len(box.arrived) <= (FLOOD_S + 1) * box.config.edge.invites_per_s
            await box.assert_takes_a_call()
            box.assert_alive()

    play(scenario)


def test_offers_of_many_media_lines_reach_no_line(
    rig: Any, play: Play, hosts: Hosts, tmp_path: Path
) -> None:
    async def scenario() -> None:
        async with running_box(hosts, rig, tmp_path) as box:
            for lines in (3, 16, 40):
                answered = await flood(box, "pbx", invites(box, AUDIO * lines), 5)
                assert answered == {488: 5}, lines
            assert box.arrived == []
            await box.assert_takes_a_call()
            box.assert_alive()

    play(scenario)


STREAMS = {
    "invites": lambda box: invites(box, AUDIO),
    "late_offers": lambda box: invites(box, ""),
    "offers_of_16": lambda box: invites(box, AUDIO * 16),
    "options": lambda box: lambda n, own: request("OPTIONS", n, own, box.sip),
    "registrations": lambda box: lambda n, own: request("REGISTER", n, own, box.sip),
    "byes": lambda box: lambda n, own: request("BYE", n, own, box.sip),
    "cancels": lambda box: lambda n, own: request("CANCEL", n, own, box.sip),
    "acks": lambda box: lambda n, own: request("ACK", n, own, box.sip),
    "answers": lambda _: lambda n, own: b"SIP/2.0 200 OK\r\n" + request("X", n, own, own)[9:],
    "zeros": lambda _: lambda n, own: bytes(1 + n % 1400),
    "noise": lambda _: lambda n, own: os.urandom(1 + n % 1400),
    "huge": lambda box: lambda n, own: request("INVITE", n, own, box.sip, "x" * 60000),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", STREAMS)
def test_the_pbx_gone_mad(rig: Any, play: Play, hosts: Hosts, tmp_path: Path, kind: str) -> None:
    """Two thousand packets from the one address that may speak."""

    async def scenario() -> None:
        async with running_box(hosts, rig, tmp_path) as box:
            await flood(box, "pbx", STREAMS[kind](box), 2000)
            box.assert_alive()
            assert len(box.arrived) <= 3 * box.config.edge.invites_per_s
            await box.assert_takes_a_call()
            box.assert_alive()

    play(scenario)


@pytest.mark.slow
@pytest.mark.parametrize("kind", STREAMS)
def test_a_stranger_is_not_even_answered(
    rig: Any, play: Play, hosts: Hosts, tmp_path: Path, kind: str
) -> None:
    """And a call of the PBX's goes on meanwhile."""

    async def scenario() -> None:
        async with running_box(hosts, rig, tmp_path) as box, box.caller() as caller:
            await caller.call()
            assert await flood(box, "stranger", STREAMS[kind](box), 2000) == {}
            assert len(box.arrived) == 1
            assert caller.hung_up_ns is None
            await box.assert_takes_a_call()
            box.assert_alive()

    play(scenario)

"""Hostile peers: broken messages, forged sources, guessed passwords, sound put into calls."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
import struct
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from appliance.edge.certificate import make_certificate
from appliance.testing.caller import CallRefused
from tests.edge.box import EdgeBox, box_config

from .attacks import AUDIO, answers, offer, request, send_all
from .boxes import running_box
from .hosts import BOX, BOX_OFFICE, PBX, STRANGER, Host, Hosts, forged, udp_from

Play = Callable[[Callable[[], Awaitable[None]]], None]
TORTURE = sorted((Path(__file__).parents[1] / "fault/torture").glob("*.sip"))
PBX_PORT = 5060
LOUD = bytes([0x80]) * 160
"""20 ms of the loudest G.711 µ-law."""


def socket_at(hosts: Hosts, host: Host, address: str, port: int = 0) -> socket.socket:
    """A UDP socket of that host."""
    with hosts.inside(host):
        if not port:
            return udp_from(address)
        made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        made.bind((address, port))
        made.setblocking(False)
        return made


@pytest.mark.slow
def test_torture(rig: Any, play: Play, hosts: Hosts, tmp_path: Path) -> None:
    """RFC 4475's kinds of messages, from the PBX and from a stranger."""

    async def scenario() -> None:
        async with running_box(hosts, rig, tmp_path) as box:
            for host, address in (("pbx", PBX), ("stranger", STRANGER)):
                with socket_at(hosts, host, address) as sock:
                    own = str(sock.getsockname()[1]).encode()
                    for path in TORTURE:
                        packet = path.read_bytes().replace(b"@OWN@", own)
                        packet = packet.replace(b"@LINE@", str(box.sip[1]).encode())
                        packet = packet.replace(b"@ID@", f"{host}.{path.stem}".encode())
                        sock.sendto(packet, box.sip)
                        await asyncio.sleep(0.06)
                        box.assert_alive()
                    await asyncio.sleep(0.3)
                    assert bool(answers(sock)) == (host == "pbx")
            assert box.arrived, "well-formed ones are calls"
            assert not [call for call in box.arrived if "stranger" in call]
            for call in box.agent.calls:
                call.hang_up()
            await box.assert_takes_a_call()
            box.assert_alive()

    play(scenario)


def test_a_forged_source_does_not_pass_the_kernel(
    rig: Any, play: Play, hosts: Hosts, tmp_path: Path
) -> None:
    """The stranger says that he is the PBX, whose packets the edge takes."""

    async def scenario() -> None:
        async with running_box(hosts, rig, tmp_path) as box:
            before = hosts.forged_dropped()
            own = (PBX, PBX_PORT)
            invites = [request("INVITE", n, own, box.sip, offer(PBX, AUDIO)) for n in range(10)]
            with (
                socket_at(hosts, "pbx", PBX, PBX_PORT) as pbx,
                raw_socket(hosts, "stranger") as stranger,
            ):
                for invite in invites:
                    stranger.sendto(forged(own, box.sip, invite), (BOX_OFFICE, 0))
                await asyncio.sleep(0.5)
                assert hosts.forged_dropped() - before == len(invites)
                assert (box.arrived, answers(pbx)) == ([], {})
                pbx.sendto(invites[0], box.sip)
                await asyncio.sleep(0.5)
                assert len(box.arrived) == 1, "the same packet from the PBX itself is a call"

    play(scenario)


@pytest.mark.slow
def test_sound_from_elsewhere_is_in_no_call(
    rig: Any, play: Play, hosts: Hosts, tmp_path: Path
) -> None:
    """RTP to the relay's port from a stranger, and from another port of the PBX's host."""

    async def scenario() -> None:
        async with running_box(hosts, rig, tmp_path) as box, box.caller() as caller:
            await caller.call()
            await caller.pause(4000)  # the relay has learned where the caller is (3 s)
            call = box.agent.calls[0]
            before = len(box.agent.audio[call.key])
            relay = caller._stream.remote
            for host, address in (("stranger", STRANGER), ("pbx", PBX)):
                with socket_at(hosts, host, address) as sock:
                    for number in range(50):
                        head = struct.pack("!BBHII", 0x80, 0, number, number * 160, 7)
                        sock.sendto(head + LOUD, relay)
                        await asyncio.sleep(0.01)
            heard = np.frombuffer(bytes(box.agent.audio[call.key][before:]), np.int16)
            assert len(heard) > 4000, "the call goes on"
            assert np.abs(heard.astype(int)).max() < 1000

    play(scenario)


@pytest.mark.slow
def test_passwords_cannot_be_guessed(rig: Any, play: Play, hosts: Hosts, tmp_path: Path) -> None:
    """Nobody registers at the box, whatever he sends along."""

    async def scenario() -> None:
        async with running_box(hosts, rig, tmp_path) as box:
            for host, address, said in (("pbx", PBX, {405}), ("stranger", STRANGER, set())):
                with socket_at(hosts, host, address) as sock:
                    proof = b'\r\nAuthorization: Digest username="200", realm="a", response="%d"'
                    packets = [
                        request("REGISTER", n, sock.getsockname(), box.sip).replace(
                            b"\r\nMax", proof % n + b"\r\nMax", 1
                        )
                        for n in range(20)
                    ]
                    await send_all(sock, packets, box.sip)
                    await asyncio.sleep(0.3)
                    assert set(answers(sock)) == said
            assert box.arrived == []
            box.assert_alive()

    play(scenario)


@pytest.mark.slow
def test_a_wrong_password_of_ours_is_not_tried_again_and_again(
    rig: Any, play: Play, hosts: Hosts, tmp_path: Path
) -> None:
    """A PBX locks an extension that does; and calls go on meanwhile."""
    (tmp_path / "password").write_text("wrong\n")
    server = {"server": f"sip:{PBX}:{PBX_PORT}", "user": "200"}
    line = {"registrar": server | {"password_file": tmp_path / "password"}}

    async def scenario() -> None:
        with socket_at(hosts, "pbx", PBX, PBX_PORT) as pbx:
            asked = 0

            def challenge() -> None:
                nonlocal asked
                packet, source = pbx.recvfrom(65535)
                if packet.startswith(b"REGISTER"):
                    asked += 1
                    pbx.sendto(refusal(packet), source)

            asyncio.get_running_loop().add_reader(pbx, challenge)
            async with running_box(hosts, rig, tmp_path, line=line) as box:
                await asyncio.sleep(6)
                state = box.agent.switch.registration
                assert (state.code, state.expires_s) == (401, 0)
                assert 2 <= asked <= 4
                await box.assert_takes_a_call()
                box.assert_alive()
            asyncio.get_running_loop().remove_reader(pbx)

    play(scenario)


@pytest.mark.slow
def test_twelve_calls_and_a_line_that_dies(
    rig: Any, play: Play, hosts: Hosts, tmp_path: Path
) -> None:
    """The calls of the dead line end at the PBX too; the others go on."""

    async def scenario() -> None:
        async with (
            running_box(hosts, rig, tmp_path, processes=4) as box,
            contextlib.AsyncExitStack() as stack,
        ):
            callers = [await stack.enter_async_context(box.caller()) for _ in range(12)]
            for caller in callers:
                await caller.call()
            lines = box.agent.switch.lines
            assert [line.open_calls for line in lines] == [3, 3, 3, 3]
            thirteenth = await stack.enter_async_context(box.caller())
            with pytest.raises(CallRefused, match="486"):
                await thirteenth.call()
            rig.kill(lines[1].pid)
            await wait_for(lambda: sum(each.hung_up_ns is not None for each in callers) == 3)
            await wait_for(lambda: box.agent.switch.restarts == 1)
            await box.assert_takes_a_call()
            assert sum(each.hung_up_ns is not None for each in callers) == 3

    play(scenario)


@pytest.mark.slow
def test_new_calls_pass_by_a_dead_line(rig: Any, play: Play, hosts: Hosts, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with (
            running_box(hosts, rig, tmp_path, processes=4) as box,
            contextlib.AsyncExitStack() as stack,
        ):
            rig.kill(box.agent.switch.lines[2].pid)
            for _ in range(6):
                caller = await stack.enter_async_context(box.caller())
                await caller.call()

    play(scenario)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:ssl.TLSVersion:DeprecationWarning")
@pytest.mark.parametrize(
    ("version", "spoken"),
    [(ssl.TLSVersion.TLSv1, False), (ssl.TLSVersion.TLSv1_1, False),
     (ssl.TLSVersion.TLSv1_2, True), (ssl.TLSVersion.TLSv1_3, True)],
)  # fmt: skip
def test_tls_of_today_only(
    play: Play, hosts: Hosts, tmp_path: Path, version: ssl.TLSVersion, spoken: bool
) -> None:
    async def scenario() -> None:
        tls = {"certificate": "edge.crt", "key": "edge.key"}
        at = {"address": BOX, "peers": [f"{PBX}/32"], "transport": "tls", "tls": tls}
        config = box_config(tmp_path, at, None, 1)
        make_certificate(config.edge)
        edge = EdgeBox(config, tmp_path)
        try:
            await edge.start_sip()
            assert speaks(hosts, (BOX, config.edge.port), version) == spoken
        finally:
            await edge.close()

    play(scenario)


def speaks(hosts: Hosts, where: tuple[str, int], version: ssl.TLSVersion) -> bool:
    """Whether a client of the PBX's that knows only this version gets a connection."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.set_ciphers("ALL:@SECLEVEL=0")  # the client would not even try
    context.minimum_version = context.maximum_version = version
    with hosts.inside("pbx"):
        plain = socket.create_connection(where, timeout=5)
    with plain:
        try:
            context.wrap_socket(plain).close()
        except (ssl.SSLError, ConnectionError):
            return False
    return True


@contextlib.contextmanager
def raw_socket(hosts: Hosts, host: Host) -> Iterator[socket.socket]:
    """For whole IPv4 packets."""
    with hosts.inside(host):
        made = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)
    with made:
        yield made


def refusal(register: bytes) -> bytes:
    """A PBX's answer to every REGISTER: no."""
    kept = [
        line for line in register.split(b"\r\n")
        if line.split(b":")[0] in {b"Via", b"From", b"To", b"Call-ID", b"CSeq"}
    ]  # fmt: skip
    head = [b"SIP/2.0 401 Unauthorized", *kept]
    head += [b'WWW-Authenticate: Digest realm="pbx", nonce="n", algorithm=MD5']
    return b"\r\n".join([*head, b"Content-Length: 0", b"", b""])


async def wait_for(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(15):
        while not condition():
            await asyncio.sleep(0.05)

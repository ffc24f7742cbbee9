"""Malformed SIP, SDP and RTP from an allowed peer: the agent survives, a dead line comes back.

Every packet comes from a seed, so a failure repeats. After each batch the line must answer
OPTIONS (restarted if it died), so that no batch goes to a closed port.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import socket
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from appliance.errors import PeerError
from appliance.telephony.call import LineCall
from appliance.testing.caller import ScriptedCaller

Play = Callable[[Callable[[], Awaitable[None]]], None]
TORTURE = Path(__file__).parent / "torture"
SDP = (
    "v=0\r\no=fuzz 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\n"
    "m=audio {port} RTP/AVP 0 8 9 101\r\na=rtpmap:0 PCMU/8000\r\na=rtpmap:9 G722/8000\r\n"
    "a=rtpmap:101 telephone-event/8000\r\na=fmtp:101 0-16\r\na=ptime:20\r\na=sendrecv\r\n"
)
METHODS = (
    *("INVITE", "OPTIONS", "REGISTER", "SUBSCRIBE", "NOTIFY", "MESSAGE", "REFER"),
    *("UPDATE", "PRACK", "INFO", "BYE", "CANCEL", "ACK", "PUBLISH"),
)
NASTY = [
    b"", b"\0", b"\r\n", b"\r\n\r\n", b"%00", b"%", b"\xff\xfe", b"\xc3\x28", b"-1", b"0",
    b"4294967296", b"99999999999999999999", b"2147483648", b"1e9", b";", b",", b'"', b"<", b">",
    b"@", b":", b"=", b"sip:", b"SIP/2.0", b"[::1]", b"0.0.0.0", b"255.255.255.255", b"a" * 300,
    b"%s%n%x" * 20, b" " * 500, b"(" * 200, b";x" * 100, b"m=audio 1 RTP/AVP 0\r\n" * 3,
    b"\t \r\n ", b"application/sdp", b"multipart/mixed;boundary=x", b"*",
]  # fmt: skip


SEED = 20260101


class Fuzzer:
    """Makes packets from a seed and sends them from an allowed address."""

    def __init__(self, seed: int, target: tuple[str, int]) -> None:
        self._random = random.Random(seed)
        self._target = target
        self._count = 0
        self._tag = f"{seed}x{time.monotonic_ns()}"
        self._sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._sock.bind(("127.0.0.1", 0))
        self._sock.setblocking(False)
        self.port = self._sock.getsockname()[1]
        self._seen = b""
        self.sent = 0

    def close(self) -> None:
        asyncio.get_running_loop().remove_reader(self._sock)
        self._sock.close()

    def request(self, method: str, body: str = "", call: ScriptedCaller | None = None) -> bytes:
        """A well-formed request, outside or inside the scripted caller's call."""
        self._count += 1
        name = f"{self._tag}.{self._count}"
        dialog = call._dialog if call is not None else None
        if dialog is not None:
            headers = dialog.request(method, "SIP/2.0/UDP x;branch=z9hG4bKx", (), b"")
            fields = [f"From: {headers.get('From')}", f"To: {headers.get('To')}"]
            fields.append(f"Call-ID: {headers.get('Call-ID')}")
            sequence = str(headers.get("CSeq")).split()[0]
        else:
            fields = [f"From: <sip:fuzz@127.0.0.1>;tag=f{name}", "To: <sip:x@127.0.0.1>"]
            fields.append(f"Call-ID: c{name}")
            sequence = "1"
        fields += [
            f"CSeq: {sequence} {method}",
            f"Contact: <sip:fuzz@127.0.0.1:{self.port}>",
            "Max-Forwards: 70",
            "Allow: INVITE, ACK, BYE",
            "Supported: 100rel, timer, replaces",
        ]
        if method in {"REFER", "NOTIFY", "SUBSCRIBE"}:
            fields += ["Event: refer", "Refer-To: <sip:y@127.0.0.1>", "Subscription-State: active"]
        if body:
            fields.append("Content-Type: application/sdp")
        head = (
            f"{method} sip:x@127.0.0.1:{self._target[1]} SIP/2.0\r\n"
            f"Via: SIP/2.0/UDP 127.0.0.1:{self.port};branch=z9hG4bK{name}\r\n"
        )
        text = head + "\r\n".join(fields) + f"\r\nContent-Length: {len(body)}\r\n\r\n{body}"
        return text.encode()

    def mutate(self, packet: bytes) -> bytes:
        """One to four damages."""
        r = self._random
        for _ in range(r.randint(1, 4)):
            if not packet:
                break
            at = r.randrange(len(packet))
            kind = r.randrange(9)
            if kind == 0:
                packet = packet[:at] + bytes([r.randrange(256)]) + packet[at + 1 :]
            elif kind == 1:
                packet = packet[:at]
            elif kind == 2:
                packet = packet[:at] + r.choice(NASTY) + packet[at:]
            elif kind == 3:
                packet = packet[:at] + packet[at + r.randint(1, 40) :]
            elif kind == 4:
                packet = packet[:at] + packet[at : at + r.randint(1, 200)] * 2 + packet[at:]
            else:
                packet = self._mutate_line(packet, kind)
        return packet[:9000]

    def _mutate_line(self, packet: bytes, kind: int) -> bytes:
        """Drop, double or move a line, or spoil the value in it."""
        r = self._random
        lines = packet.split(b"\r\n")
        at = r.randrange(len(lines))
        if kind == 5:
            del lines[at]
        elif kind == 6:
            lines.insert(r.randrange(len(lines)), lines[at])
        elif kind == 7:
            other = r.randrange(len(lines))
            lines[at], lines[other] = lines[other], lines[at]
        else:
            for mark in (b":", b"=", b" "):
                name, found, _ = lines[at].partition(mark)
                if found:
                    lines[at] = name + mark + r.choice(NASTY)
                    break
        return b"\r\n".join(lines)

    def sip(self, count: int, call: ScriptedCaller | None) -> Iterator[bytes]:
        """Damaged requests and responses, in and outside the call."""
        for _ in range(count):
            method = self._random.choice(METHODS)
            body = SDP.format(port=4000) if method in {"INVITE", "UPDATE"} else ""
            packet = self.request(method, body, call if self._random.random() < 0.3 else None)
            if self._random.random() < 0.2:
                code = self._random.choice([100, 180, 183, 200, 302, 401, 407, 422, 487, 491, 999])
                packet = b"SIP/2.0 %d Fuzz\r\n" % code + packet.split(b"\r\n", 1)[1]
            yield self.mutate(packet)

    def sdp(self, count: int, call: ScriptedCaller | None) -> Iterator[bytes]:
        """Sound requests with damaged descriptions."""
        for _ in range(count):
            body = self.mutate(SDP.format(port=4000).encode()).decode("latin-1")
            inside = self._random.random() < 0.3
            packet = self.request("INVITE", "BODY", call if inside else None)
            raw = body.encode("latin-1")
            packet = packet.replace(b"Content-Length: 4", b"Content-Length: %d" % len(raw))
            yield packet[: -len("BODY")] + raw

    def rtp(self, count: int) -> Iterator[bytes]:
        """Damaged RTP and RTCP, telephone events among it, and noise."""
        r = self._random
        for number in range(count):
            kind = r.randrange(4)
            header = bytes([r.choice([0x80, 0x90, 0xA0, 0xBF, 0x8F, r.randrange(256)])])
            header += bytes([r.choice([0, 8, 9, 101, 0x80, 0xE5, 200, 201, 203, r.randrange(256)])])
            header += (number * r.choice([1, 1, 1, 9999]) & 0xFFFF).to_bytes(2, "big")
            header += r.randbytes(8)
            payload = r.randbytes(r.choice([0, 1, 3, 4, 160, 160, 320, 1400]))
            yield self.mutate(header + payload) if kind else r.randbytes(r.randrange(1, 2000))

    def send(self, packet: bytes, port: int | None = None) -> None:
        """One datagram; a full or refused socket loses it, as networks do."""
        self.sent += 1
        with contextlib.suppress(OSError):
            self._sock.sendto(packet, (self._target[0], port or self._target[1]))

    def listen(self) -> None:
        """Read what comes: requests get 200 and answers to INVITE their ACK."""
        asyncio.get_running_loop().add_reader(self._sock, self._take_answers)

    def _take_answers(self) -> None:
        with contextlib.suppress(BlockingIOError):
            while True:
                with contextlib.suppress(ConnectionRefusedError):
                    packet = self._sock.recv(9000)
                    self._seen = (self._seen + packet)[-20_000:]
                    self._finish_transaction(packet)

    def _finish_transaction(self, packet: bytes) -> None:
        lines = packet.split(b"\r\n\r\n")[0].split(b"\r\n")
        kept = [
            line
            for line in lines
            if line.split(b":")[0].lower() in {b"via", b"from", b"to", b"call-id", b"cseq"}
        ]
        head = b""
        if not packet.startswith(b"SIP/2.0"):
            head = b"SIP/2.0 200 OK"
        elif packet[8:9] >= b"2" and b"INVITE" in packet.split(b"CSeq:")[-1][:20]:
            head = b"ACK sip:x@127.0.0.1:%d SIP/2.0" % self._target[1]
            kept = [line.replace(b" INVITE", b" ACK") for line in kept]
        if head:
            reply = b"\r\n".join([head, *kept, b"Content-Length: 0", b"", b""])
            self._sock.sendto(reply, self._target)

    async def until_line_answers(self, timeout_s: float = 20) -> None:
        """OPTIONS until it is answered."""
        deadline = time.monotonic() + timeout_s
        while time.monotonic() < deadline:
            packet = self.request("OPTIONS")
            name = packet.split(b"branch=", 1)[1].split(b"\r\n", 1)[0]
            self.send(packet)
            for _ in range(20):
                await asyncio.sleep(0.01)
                if name in self._seen:
                    return
        raise AssertionError("the line answers no OPTIONS")


def answer_scripted_callers() -> Callable[[LineCall], None]:
    """An agent that refuses fuzzed calls at once: without ACK each would hold a slot for 32 s."""
    known: set[str] = set()

    def decide(call: LineCall) -> None:
        if "+1310555" in call.from_uri and call.sip_call_id not in known:
            known.add(call.sip_call_id)
            call.answer()
        else:
            call.reject(486)

    return decide


@contextlib.asynccontextmanager
async def normal_call(agent: Any) -> Any:
    async with ScriptedCaller(agent.uri) as caller:
        await caller.call()
        yield caller


async def normal_call_works(agent: Any) -> None:
    deadline = time.monotonic() + 15
    while True:
        try:
            async with normal_call(agent) as caller:
                await caller.pause(200)
                assert caller.hung_up_ns is None
                return
        except Exception:
            if time.monotonic() > deadline:
                raise
            await asyncio.sleep(0.2)


BATCHES = {"sip": (20, 160), "sdp": (40, 15), "rtp": (15, 140)}
"""Batches and packets in each: 5,900 in all. INVITEs go at the rate that `admission` lets in."""


def test_fuzz_is_large_enough() -> None:
    assert sum(batches * packets for batches, packets in BATCHES.values()) >= 5000


@pytest.mark.parametrize(
    "kind",
    [pytest.param(kind, marks=[pytest.mark.slow] if kind == "sdp" else []) for kind in BATCHES],
)
def test_fuzz(rig: Any, play: Play, kind: str) -> None:
    batches, packets = BATCHES[kind]

    async def scenario() -> None:
        async with rig.agent(rig.config(), on_arrival=answer_scripted_callers()) as agent:
            with contextlib.closing(
                Fuzzer(20260101, (agent.config.address, agent.config.port))
            ) as fuzzer:
                fuzzer.listen()
                for _ in range(batches):
                    await fuzzer.until_line_answers()
                    await one_batch(agent, fuzzer, kind, packets)
                await fuzzer.until_line_answers()
                assert fuzzer.sent > batches * packets
                await normal_call_works(agent)
                print(f"{kind}: {fuzzer.sent} packets, {agent.switch.restarts} restarts")

    play(scenario)


async def breathe(number: int) -> None:
    """Now and then let the line read, so that packets are not lost in a full socket."""
    if number % 20 == 19:
        await asyncio.sleep(0.01)


async def one_batch(agent: Any, fuzzer: Fuzzer, kind: str, count: int) -> None:
    """Damaged packets around a call that is up; where none can be had, around none."""
    async with contextlib.AsyncExitStack() as stack:
        caller = None
        with contextlib.suppress(PeerError):
            caller = await stack.enter_async_context(normal_call(agent))
        if kind == "rtp":
            port = caller.media.remote[1] if caller else agent.config.rtp_port
            for number, packet in enumerate(fuzzer.rtp(count)):
                fuzzer.send(packet, port + (number % 5 == 0))
                await breathe(number)
        else:
            for number, packet in enumerate(getattr(fuzzer, kind)(count, caller)):
                fuzzer.send(packet)
                await breathe(number)
        await asyncio.sleep(0.5 if kind == "sdp" else 0.1)
        if caller is not None:
            agent.calls[-1].hang_up()  # BYE from the far end may come with a spoilt CSeq
            await asyncio.sleep(0.05)

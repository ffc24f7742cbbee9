"""SIP over UDP for a test peer: one socket, client and server transactions on asyncio.

    datagram -> parse -> response -> the waiting client transaction
                      -> request  -> seen before? the same response again : `on_request`

Follows RFC 3261, section 17, for UDP: requests are repeated after T1, 2 T1, ... up to T2 until
they are answered; final responses to INVITE are acknowledged, and acknowledged again when they
come again. What a request means is for `peer.py` to know; nothing here knows of calls or audio.
"""

from __future__ import annotations

import asyncio
import secrets
import socket
from collections.abc import Callable
from dataclasses import dataclass, field

from appliance.errors import PeerError
from appliance.testing.sip import SipRequest, SipResponse, parse_message, serialize_message

Destination = tuple[str, int]
RequestHandler = Callable[[SipRequest, Destination], None]

T1_S = 0.5
T2_S = 4.0
"""Timers of RFC 3261, table 4: first repetition, longest interval."""


class SipTimeout(PeerError):  # noqa: N818 (a timeout reads better than TimeoutError's shadow)
    """A request was not answered in time; `rang` tells whether there were provisional answers."""

    def __init__(self, message: str, rang: bool = False) -> None:
        super().__init__(message)
        self.rang = rang


@dataclass(slots=True)
class _ClientTransaction:
    """A request under way. `ringing` is set by the first provisional response."""

    request: SipRequest
    destination: Destination
    final: asyncio.Future[SipResponse]
    ringing: asyncio.Event = field(default_factory=asyncio.Event)
    on_provisional: Callable[[SipResponse], None] | None = None


class SipEndpoint(asyncio.DatagramProtocol):
    """One UDP socket that sends and answers SIP messages.

    `malformed` counts datagrams that were no SIP message; `on_request` gets each new request
    once, with the address it came from, and answers through `respond`.
    """

    def __init__(self, on_request: RequestHandler, t1_s: float = T1_S) -> None:
        self.malformed = 0
        self.retransmitted = 0
        self._on_request = on_request
        self._t1_s = t1_s
        self._transport: asyncio.DatagramTransport | None = None
        self._clients: dict[tuple[str, str], _ClientTransaction] = {}
        self._acks: dict[str, tuple[SipRequest, Destination]] = {}
        self._answered: dict[tuple[str, str], SipResponse | None] = {}
        self._unacknowledged: dict[tuple[str, int], asyncio.Task[None]] = {}
        self.address: Destination = ("", 0)

    async def open(self, address: str, port: int = 0) -> None:
        """Bind; port 0 takes a free one, which `address` then tells."""
        loop = asyncio.get_running_loop()
        transport, _ = await loop.create_datagram_endpoint(
            lambda: self, local_addr=(address, port), family=socket.AF_INET
        )
        self._transport = transport
        host, bound = transport.get_extra_info("sockname")[:2]
        self.address = (str(host), int(bound))

    async def close(self) -> None:
        """Stop repeating and release the socket. May be called twice."""
        tasks = list(self._unacknowledged.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self._transport is not None:
            self._transport.close()
            self._transport = None

    def new_via(self) -> str:
        """A Via value with a fresh branch."""
        host, port = self.address
        return f"SIP/2.0/UDP {host}:{port};branch=z9hG4bK{secrets.token_hex(8)};rport"

    async def request(
        self,
        request: SipRequest,
        destination: Destination,
        timeout_s: float,
        on_provisional: Callable[[SipResponse], None] | None = None,
    ) -> SipResponse:
        """Send a request and wait for its final response.

        Raises:
            SipTimeout: there was none within `timeout_s`.
        """
        key = (request.branch, request.method)
        final = asyncio.get_running_loop().create_future()
        client = _ClientTransaction(request, destination, final, on_provisional=on_provisional)
        self._clients[key] = client
        repeat = asyncio.create_task(self._repeat(client))
        try:
            return await asyncio.wait_for(final, timeout_s)
        except TimeoutError as error:
            heard = "only provisional answers" if client.ringing.is_set() else "no answer"
            host, port = destination
            raise SipTimeout(
                f"{request.method} to {host}:{port}: {heard} within {timeout_s:g} s",
                rang=client.ringing.is_set(),
            ) from error
        finally:
            repeat.cancel()
            del self._clients[key]

    async def wait_provisional(self, request: SipRequest) -> None:
        """Wait until a request under way was answered provisionally (CANCEL may go out)."""
        client = self._clients.get((request.branch, request.method))
        if client is not None:
            await client.ringing.wait()

    def acknowledge(self, ack: SipRequest, destination: Destination, branch: str) -> None:
        """Send an ACK, and again whenever the final response to the INVITE comes again."""
        self._acks[branch] = (ack, destination)
        self._send(ack, destination)

    def respond(self, request: SipRequest, response: SipResponse, source: Destination) -> None:
        """Answer a request; a repetition of the request gets the same answer.

        A 2xx to an INVITE is repeated until its ACK comes (RFC 3261, 13.3.1.4).
        """
        self._answered[request.branch, request.method] = response
        self._send(response, source)
        if request.method == "INVITE" and 200 <= response.code < 300:
            key = (request.need("Call-ID"), request.cseq[0])
            task = asyncio.create_task(self._repeat_answer(response, source))
            self._unacknowledged[key] = task

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """See `asyncio.DatagramProtocol`."""

    def datagram_received(self, data: bytes, addr: Destination) -> None:
        """See `asyncio.DatagramProtocol`. Blank keep-alives are read over."""
        if not data.strip(b"\r\n\0 "):
            return
        try:
            message = parse_message(data)
        except ValueError:
            self.malformed += 1
            return
        if isinstance(message, SipResponse):
            self._take_response(message)
        else:
            self._take_request(message, addr)

    def error_received(self, exc: Exception) -> None:
        """A refused port shows as a timeout of the request; nothing to do here."""

    def _take_response(self, response: SipResponse) -> None:
        branch, method = response.branch, response.cseq[1]
        client = self._clients.get((branch, method))
        if client is None or client.final.done():
            if response.code >= 200 and branch in self._acks:
                self._send(*self._acks[branch])
            return
        client.ringing.set()
        if response.code < 200:
            if client.on_provisional is not None:
                client.on_provisional(response)
            return
        if method == "INVITE" and response.code >= 300:
            self.acknowledge(_ack_refusal(client.request, response), client.destination, branch)
        client.final.set_result(response)

    def _take_request(self, request: SipRequest, source: Destination) -> None:
        if request.method == "ACK":
            task = self._unacknowledged.pop((request.need("Call-ID"), request.cseq[0]), None)
            if task is not None:
                task.cancel()
            self._on_request(request, source)
            return
        key = (request.branch, request.method)
        if key in self._answered:
            answer = self._answered[key]
            if answer is not None:
                self._send(answer, source)
            return
        self._answered[key] = None
        self._on_request(request, source)

    def _send(self, message: SipRequest | SipResponse, destination: Destination) -> None:
        if self._transport is not None and not self._transport.is_closing():
            self._transport.sendto(serialize_message(message), destination)

    async def _repeat(self, client: _ClientTransaction) -> None:
        """Timers A and E: send until answered; an INVITE rests after a provisional answer."""
        interval_s = self._t1_s
        self._send(client.request, client.destination)
        while not client.final.done():
            await asyncio.sleep(interval_s)
            if client.request.method == "INVITE" and client.ringing.is_set():
                return
            self.retransmitted += 1
            self._send(client.request, client.destination)
            interval_s = min(2 * interval_s, T2_S)

    async def _repeat_answer(self, response: SipResponse, destination: Destination) -> None:
        """Repeat a 2xx for 64 T1 or until cancelled by the ACK."""
        interval_s, waited_s = self._t1_s, 0.0
        while waited_s < 64 * self._t1_s:
            await asyncio.sleep(interval_s)
            waited_s += interval_s
            self._send(response, destination)
            interval_s = min(2 * interval_s, T2_S)


def _ack_refusal(invite: SipRequest, response: SipResponse) -> SipRequest:
    """The ACK of a refusal: same branch and routes as the INVITE (RFC 3261, 17.1.1.3)."""
    headers = [("Via", invite.need("Via")), ("Max-Forwards", "70")]
    headers += [("Route", route) for route in invite.get_all("Route")]
    headers += [
        ("From", invite.need("From")),
        ("To", response.need("To")),
        ("Call-ID", invite.need("Call-ID")),
        ("CSeq", f"{invite.cseq[0]} ACK"),
    ]
    return SipRequest("ACK", invite.uri, tuple(headers))

"""One SIP call of a test peer: its dialog, its offers and answers, and what the far end asks.

    SipEndpoint -> CallLeg -> RtpStream
    (messages)     (this)     (audio)

Knows who may say what when in a call, and nothing of speech or scripts: that is `peer.py`.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Coroutine
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

import numpy as np

from appliance.errors import PeerError
from appliance.testing.dialog import ALLOW, Dialog, respond
from appliance.testing.digest import Credentials, answer_challenge
from appliance.testing.endpoint import T1_S, Destination, SipEndpoint, SipTimeout
from appliance.testing.g711 import PAYLOAD_TYPES, Codec, Samples
from appliance.testing.media import CallEnded, RtpStream
from appliance.testing.sdp import (
    AudioDescription,
    PayloadFormat,
    parse_description,
    serialize_description,
)
from appliance.testing.sip import SipRequest, SipResponse

_REQUEST_TIMEOUT_S = 8.0
_ANSWERS = {
    "sendrecv": "sendrecv",
    "sendonly": "recvonly",
    "recvonly": "sendonly",
    "inactive": "inactive",
}
"""Direction of an answer by the offer's (RFC 3264, section 6.1)."""


@dataclass(frozen=True, slots=True)
class PeerOptions:
    """What seldom differs from call to call.

    `noise_dbm0` adds a noise floor (None: silence), `noise_seed` fixes it; `transfer_result` is
    the status that a REFER to this peer reports; `sip_port` 0 takes a free port; `credentials`
    answer a PBX that wants a password.
    """

    noise_dbm0: float | None = None
    noise_seed: int = 1
    transfer_result: int = 200
    sip_port: int = 0
    t1_s: float = T1_S
    credentials: Credentials | None = None


class CallLeg:
    """One side of one call. Use as an async context manager; leaving it hangs up.

    Attributes:
        info_digits: keys that came by INFO.
        transfers: the Refer-To value of each REFER that came.
        hung_up_ns: when the call ended, monotonic; None while it is up.
        remote_hung_up: whether the far end ended it.
        remote_on_hold: whether the far end holds us.
    """

    def __init__(self, address: str, codec: Codec, user: str, options: PeerOptions) -> None:
        self.transfers: list[str] = []
        self.connected_ns: int | None = None
        self.hung_up_ns: int | None = None
        self.remote_hung_up = False
        self.remote_on_hold = False
        self._address = address
        self._user = user
        self._options = options
        self._codec: Codec = codec
        self._endpoint = SipEndpoint(self._on_request, options.t1_s)
        self._stream = RtpStream(address, codec, self._on_tick)
        self._tasks: set[asyncio.Task[None]] = set()
        self._dialog: Dialog | None = None
        self._version = 0
        self.info_digits = ""

    async def __aenter__(self) -> Self:
        """Bind the SIP port."""
        await self._endpoint.open(self._address, self._options.sip_port)
        if self._options.noise_dbm0 is not None:
            self._stream.noise = _noise(self._options.noise_dbm0, self._options.noise_seed)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Hang up where the call is still up, and release everything."""
        with contextlib.suppress(SipTimeout):
            await self.hang_up()
        self._over()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._endpoint.close()

    @property
    def uri(self) -> str:
        """Where this peer takes requests."""
        host, port = self._endpoint.address
        return f"sip:{self._user}@{host}:{port}"

    @property
    def media(self) -> RtpStream:
        """The audio stream, with every packet's time and the pacing's own figures."""
        return self._stream

    @property
    def call_id(self) -> str:
        """The SIP Call-ID; empty before the call."""
        return self._dialog.call_id if self._dialog else ""

    async def hold(self, direction: str = "sendonly") -> None:
        """Put the far end on hold by a re-INVITE; direction as in SDP."""
        await self._renegotiate(direction)

    async def resume(self) -> None:
        """End the hold."""
        await self._renegotiate("sendrecv")

    async def hang_up(self) -> None:
        """Send BYE where the call is up; otherwise do nothing.

        Raises:
            SipTimeout: BYE was not answered.
        """
        if self.connected_ns is None or self.hung_up_ns is not None:
            return
        self.hung_up_ns = time.monotonic_ns()
        try:
            await self._in_dialog("BYE", (), b"")
        finally:
            self._over()

    # --- what the far end asks for -------------------------------------------------------------

    def _on_request(self, request: SipRequest, source: Destination) -> None:
        """Every new request, in the event loop."""
        dialog = self._dialog
        if dialog is not None and dialog.owns(request):
            self._in_call(dialog, request, source)
        elif request.method == "OPTIONS":
            self._answer(request, 200, "OK", source)
        elif request.method != "ACK":
            self._outside_call(request, source)

    def _outside_call(self, request: SipRequest, source: Destination) -> None:
        """A request that belongs to no call of ours; a callee takes INVITEs here."""
        known = request.method in ALLOW.split(", ")
        code, reason = (481, "Call Does Not Exist") if known else (405, "Method Not Allowed")
        if request.method == "INVITE":
            code, reason = 486, "Busy Here"
        self._answer(request, code, reason, source)

    def _in_call(self, dialog: Dialog, request: SipRequest, source: Destination) -> None:
        """A request within our call."""
        method = request.method
        if method == "ACK":
            self._on_ack()
        elif method in {"INVITE", "UPDATE"}:
            self._take_offer(dialog, request, source)
        elif method == "BYE":
            self._answer(request, 200, "OK", source)
            self.remote_hung_up = True
            self._over()
        elif method == "INFO":
            self._take_info(request)
            self._answer(request, 200, "OK", source)
        elif method == "REFER":
            self._answer(request, 202, "Accepted", source)
            self.transfers.append(request.get("Refer-To") or "")
            self._spawn(self._report_transfer())
        elif method in {"OPTIONS", "NOTIFY", "MESSAGE"}:
            self._answer(request, 200, "OK", source)
        else:
            self._answer(request, 405, "Method Not Allowed", source)

    def _on_ack(self) -> None:
        """The far end has our answer."""

    def _take_offer(self, dialog: Dialog, request: SipRequest, source: Destination) -> None:
        """A re-INVITE or UPDATE: follow its direction and address, answer with ours."""
        body, direction = b"", "sendrecv"
        if request.body:
            try:
                offer = parse_description(request.body)
                self._connect_media(offer)
            except ValueError:
                self._answer(request, 488, "Not Acceptable Here", source)
                return
            self.remote_on_hold, direction = offer.on_hold, offer.direction
            self._stream.sending = not offer.on_hold
        if request.body or request.method == "INVITE":
            body = self._description(_ANSWERS[direction])
        if request.get("Contact"):
            dialog.target = Dialog.for_invite(request, "sip:unused@0.0.0.0").target
        self._endpoint.respond(request, dialog.respond(request, 200, "OK", body), source)

    def _take_info(self, request: SipRequest) -> None:
        for line in request.body.decode("utf-8", "replace").splitlines():
            name, _, value = line.partition("=")
            if name.strip().lower() == "signal":
                self.info_digits += value.strip()

    async def _report_transfer(self) -> None:
        """NOTIFY twice, as a peer that carried the transfer out does (RFC 3515, 2.4.5)."""
        result = self._options.transfer_result
        steps = (("active;expires=60", "100 Trying"), ("terminated;reason=noresource", f"{result}"))
        for state, status in steps:
            headers = (
                ("Event", "refer"),
                ("Subscription-State", state),
                ("Content-Type", "message/sipfrag;version=2.0"),
            )
            with contextlib.suppress(PeerError):  # the referrer may have hung up: its right
                await self._in_dialog("NOTIFY", headers, f"SIP/2.0 {status}\r\n".encode())

    def _answer(self, request: SipRequest, code: int, reason: str, source: Destination) -> None:
        more = [("Allow", ALLOW)] if code in {200, 405} else []
        self._endpoint.respond(request, respond(request, (code, reason), more=more), source)

    # --- what this side asks for ---------------------------------------------------------------

    async def _in_dialog(
        self, method: str, headers: tuple[tuple[str, str], ...], body: bytes
    ) -> SipResponse:
        """Send a request within the call.

        Raises:
            PeerError: there is no call, or the request was refused.
        """
        dialog = self._dialog
        if dialog is None or self.connected_ns is None:
            raise CallEnded(f"{method}: there is no call")
        request = dialog.request(method, self._endpoint.new_via(), headers, body)
        response = await self._endpoint.request(request, dialog.destination, _REQUEST_TIMEOUT_S)
        proof = self._proof(request, response)
        if proof is not None:
            request = dialog.request(method, self._endpoint.new_via(), (*headers, proof), body)
            response = await self._endpoint.request(request, dialog.destination, _REQUEST_TIMEOUT_S)
        if method == "INVITE" and response.code < 300:
            dialog.accept(response)
            ack = dialog.ack(self._endpoint.new_via(), request)
            self._endpoint.acknowledge(ack, dialog.destination, request.branch)
        if response.code >= 300 and method != "BYE":
            raise PeerError(f"{method} was refused: {response.code} {response.reason}")
        return response

    def _proof(self, request: SipRequest, response: SipResponse) -> tuple[str, str] | None:
        """The header that answers a PBX which asks who we are; None where nothing is asked.

        Raises:
            PeerError: it asks in a way that cannot be answered.
        """
        credentials = self._options.credentials
        if credentials is None or response.code not in (401, 407):
            return None
        try:
            return answer_challenge(request, response, credentials)
        except ValueError as error:
            raise PeerError(f"{request.method}: {error}") from error

    async def _renegotiate(self, direction: str) -> None:
        headers = (("Content-Type", "application/sdp"),)
        body = self._description(direction)
        response = await self._in_dialog("INVITE", headers, body)
        self._stream.sending = direction in {"sendrecv", "sendonly"}
        self._connect_media(parse_description(response.body))

    def _description(self, direction: str) -> bytes:
        """Our SDP, with a version of its own."""
        self._version += 1
        formats = [PayloadFormat(PAYLOAD_TYPES[self._codec], self._codec)]
        if self._stream.event_type is not None:
            formats.append(PayloadFormat(self._stream.event_type, "telephone-event"))
        return serialize_description(
            AudioDescription(
                address=self._address,
                port=self._stream.port,
                formats=tuple(formats),
                direction=direction,
                version=self._version,
            )
        )

    def _connect_media(self, remote: AudioDescription) -> None:
        """Send to where the far end listens, with its payload types.

        Raises:
            ValueError: the far end does not take our codec.
        """
        if remote.payload_type(self._codec) is None or remote.port == 0:
            raise ValueError(f"the far end does not take {self._codec}")
        self._stream.event_type = remote.payload_type("telephone-event")
        if remote.address != "0.0.0.0":  # noqa: S104 (the old way to say hold)
            self._stream.remote = (remote.address, remote.port)
        self._stream.start()

    def _over(self) -> None:
        """The call has ended, whoever ended it."""
        if self.hung_up_ns is None:
            self.hung_up_ns = time.monotonic_ns()
        self._stream.close()

    def _on_tick(self) -> None:
        """In the pacing thread, after each packet."""

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def _noise(level_dbm0: float, seed: int) -> Samples:
    """Two seconds of white noise at a level."""
    rms = 10 ** ((level_dbm0 - 6.18 + 90.31) / 20)
    noise = np.random.default_rng(seed).normal(0.0, rms, 16000)
    return np.clip(noise, -32768, 32767).astype(np.int16)

"""The scripted callee: takes one SIP call at a time.

Serves as a transfer's target, and lets the caller be tested without the appliance.
"""

from __future__ import annotations

import time

from appliance.testing.dialog import Dialog, respond
from appliance.testing.endpoint import Destination
from appliance.testing.g711 import Codec
from appliance.testing.leg import PeerOptions
from appliance.testing.peer import CallPeer
from appliance.testing.sdp import parse_description
from appliance.testing.sip import SipRequest

_REASONS = {
    403: "Forbidden",
    404: "Not Found",
    480: "Temporarily Unavailable",
    486: "Busy Here",
    488: "Not Acceptable Here",
    503: "Service Unavailable",
    603: "Decline",
}


class ScriptedCallee(CallPeer):
    """Answers the first call; a second at the same time gets 486.

    Args:
        answer: 200 answers at once, 180 rings for ever (until CANCEL), another code refuses.
    """

    def __init__(
        self,
        address: str = "127.0.0.1",
        codec: Codec = "PCMU",
        user: str = "callee",
        answer: int = 200,
        options: PeerOptions | None = None,
    ) -> None:
        super().__init__(address, codec, user, options or PeerOptions())
        self._answer_code = answer
        self._invite: tuple[SipRequest, Destination] | None = None
        self.cancelled = False
        self.invites = 0

    async def wait_call(self, timeout_s: float = 15.0) -> None:
        """Wait until a call is up (its ACK has come).

        Raises:
            PeerError: none came within `timeout_s`.
        """
        await self._until(lambda: self.connected_ns is not None, timeout_s, "a call")

    async def wait_ringing(self, timeout_s: float = 15.0) -> None:
        """Wait until a call was offered, whatever became of it.

        Raises:
            PeerError: none was within `timeout_s`.
        """
        await self._until(lambda: self.invites > 0, timeout_s, "an INVITE")

    def _outside_call(self, request: SipRequest, source: Destination) -> None:
        if request.method == "CANCEL" and self._invite is not None:
            self._take_cancel(request, source)
        elif request.method == "INVITE" and self._dialog is None:
            self._take_invite(request, source)
        else:
            super()._outside_call(request, source)

    def _take_invite(self, request: SipRequest, source: Destination) -> None:
        """Ring, answer or refuse, as told."""
        self.invites += 1
        self._check_waiters()
        code = self._answer_code
        if code > 200:
            self._answer(request, code, _REASONS.get(code, "Refused"), source)
            return
        try:
            dialog = Dialog.for_invite(request, self.uri)
            if code == 200:
                self._connect_media(parse_description(request.body))
        except ValueError:
            self._answer(request, 488, _REASONS[488], source)
            return
        self._dialog = dialog
        if code == 180:
            self._invite = (request, source)
            self._endpoint.respond(request, dialog.respond(request, 180, "Ringing"), source)
            return
        body = self._description("sendrecv")
        self._endpoint.respond(request, dialog.respond(request, 200, "OK", body), source)

    def _take_cancel(self, request: SipRequest, source: Destination) -> None:
        """200 to the CANCEL, 487 to the INVITE (RFC 3261, 9.2)."""
        invite = self._invite
        self._answer(request, 200, "OK", source)
        if invite is None or invite[0].branch != request.branch:
            return
        tag_from = self._dialog.local if self._dialog else None
        ended = respond(invite[0], (487, "Request Terminated"), tag_from=tag_from)
        self._endpoint.respond(invite[0], ended, invite[1])
        self._invite, self._dialog, self.cancelled = None, None, True
        self._check_waiters()

    def _on_ack(self) -> None:
        if self.connected_ns is None and self._stream.remote is not None:
            self.connected_ns = self._mark_ns = time.monotonic_ns()
            self._check_waiters()

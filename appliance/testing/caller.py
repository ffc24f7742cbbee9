"""The scripted caller: places one SIP call and does what a script says.

    async with ScriptedCaller("sip:appliance@127.0.0.1:5060") as caller:
        await caller.call()
        await caller.wait_reply()
        await caller.say(speech)

Used by the demo, the tests and the benchmark alike; needs no SIP library.
"""

from __future__ import annotations

import asyncio
import contextlib
import time

from appliance.errors import PeerError
from appliance.testing.dialog import Dialog
from appliance.testing.endpoint import SipTimeout
from appliance.testing.g711 import Codec
from appliance.testing.leg import PeerOptions
from appliance.testing.media import CallEnded
from appliance.testing.peer import CallPeer
from appliance.testing.sdp import parse_description
from appliance.testing.sip import SipRequest, SipResponse, parse_uri

ANSWER_TIMEOUT_S = 32.0
"""Timer B of RFC 3261."""

_WITHDRAW_TIMEOUT_S = 2.0


class CallRefused(PeerError):  # noqa: N818 (what happened, not a failure of this code)
    """The far end refused the call; `code` is its status, e.g. 486."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(f"the call was refused: {code} {reason}")
        self.code = code


class ScriptedCaller(CallPeer):
    """A caller with one call. See `CallPeer` for what it can do during the call."""

    def __init__(
        self,
        target: str,
        address: str = "127.0.0.1",
        codec: Codec = "PCMU",
        number: str = "+13105550100",
        options: PeerOptions | None = None,
    ) -> None:
        parse_uri(target)
        super().__init__(address, codec, number, options or PeerOptions())
        self._target = target
        self._invite: SipRequest | None = None

    async def call(self, timeout_s: float = ANSWER_TIMEOUT_S) -> None:
        """Place the call; returns when it is answered and audio flows.

        Raises:
            CallRefused: a final answer other than 2xx; 487 after `cancel`.
            SipTimeout: no final answer within `timeout_s`.
            PeerError: the answer is unusable.
        """
        dialog = Dialog.for_call(self._target, self._own_uri(), self.uri)
        self._dialog = dialog
        headers = (("Content-Type", "application/sdp"),)
        body = self._description("sendrecv")
        invite = dialog.request("INVITE", self._endpoint.new_via(), headers, body)
        self._invite = invite
        try:
            response = await self._endpoint.request(
                invite, dialog.destination, timeout_s, self._on_provisional
            )
        except SipTimeout as timeout:
            if timeout.rang:
                await self._withdraw(dialog, invite)
            raise
        finally:
            self._invite = None
        if response.code >= 300:
            raise CallRefused(response.code, response.reason)
        dialog.accept(response)
        self.connected_ns = self._mark_ns = time.monotonic_ns()
        ack = dialog.ack(self._endpoint.new_via(), invite)
        self._endpoint.acknowledge(ack, dialog.destination, invite.branch)
        try:
            self._connect_media(parse_description(response.body))
        except ValueError as error:
            await self.hang_up()
            raise PeerError(f"unusable answer: {error}") from error

    async def cancel(self, timeout_s: float = 5.0) -> None:
        """Take back a call that was not answered yet; `call` then raises 487.

        Waits for a provisional answer first, before which CANCEL may not be sent (RFC 3261, 9.1).
        """
        dialog, invite = self._dialog, self._invite
        if dialog is None or invite is None:
            raise CallEnded("there is no call to cancel")
        await asyncio.wait_for(self._endpoint.wait_provisional(invite), timeout_s)
        await self._endpoint.request(dialog.cancel(invite), dialog.destination, timeout_s)

    async def _withdraw(self, dialog: Dialog, invite: SipRequest) -> None:
        """Have a far end that rang for too long stop ringing."""
        with contextlib.suppress(SipTimeout):  # the timeout of the call itself is reported
            await self._endpoint.request(
                dialog.cancel(invite), dialog.destination, _WITHDRAW_TIMEOUT_S
            )

    def _own_uri(self) -> str:
        return f"sip:{self._user}@{self._address}"

    def _on_provisional(self, response: SipResponse) -> None:
        """Early media (183 with SDP) is played and recorded as audio of the call."""
        if response.body:
            with contextlib.suppress(ValueError):  # a broken early answer: wait for the final one
                self._connect_media(parse_description(response.body))

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
import secrets
import time

from appliance.errors import PeerError
from appliance.testing.dialog import Dialog
from appliance.testing.endpoint import SipTimeout
from appliance.testing.g711 import Codec
from appliance.testing.leg import PeerOptions
from appliance.testing.media import CallEnded
from appliance.testing.peer import CallPeer
from appliance.testing.sdp import parse_description
from appliance.testing.sip import Headers, SipRequest, SipResponse, parse_uri

ANSWER_TIMEOUT_S = 32.0
"""Timer B of RFC 3261."""

_WITHDRAW_TIMEOUT_S = 2.0


class CallRefused(PeerError):  # noqa: N818 (what happened, not a failure of this code)
    """The far end refused the call; `code` is its status, e.g. 486."""

    def __init__(
        self,
        code: int,
        reason: str,
        contacts: tuple[str, ...] = (),
        retry_after_s: int | None = None,
    ) -> None:
        """`contacts`: where a 3xx sends the caller, Contact values as they came."""
        super().__init__(f"the call was refused: {code} {reason}")
        self.code = code
        self.contacts = contacts
        self.retry_after_s = retry_after_s


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
        invite, response = await self._invite_by(dialog, (), timeout_s)
        proof = self._proof(invite, response)
        if proof is not None:
            invite, response = await self._invite_by(dialog, (proof,), timeout_s)
        if response.code >= 300:
            contacts = tuple(response.get_all("Contact"))
            later = next((int(each) for each in response.get_all("Retry-After")), None)
            raise CallRefused(response.code, response.reason, contacts, later)
        dialog.accept(response)
        self.connected_ns = self._mark_ns = time.monotonic_ns()
        ack = dialog.ack(self._endpoint.new_via(), invite)
        self._endpoint.acknowledge(ack, dialog.destination, invite.branch)
        try:
            self._connect_media(parse_description(response.body))
        except ValueError as error:
            await self.hang_up()
            raise PeerError(f"unusable answer: {error}") from error

    async def register(self, expires_s: int = 120) -> None:
        """Register at the target's host, for a PBX that takes calls from known phones only.

        Raises:
            PeerError: it was refused, or not answered.
        """
        host = parse_uri(self._target)
        registrar = f"sip:{host.host}:{host.port}"
        account = self._options.credentials.user if self._options.credentials else self._user
        owner = f"sip:{account}@{host.host}"
        tag = secrets.token_hex(6)
        dialog = Dialog(f"<{owner}>;tag={tag}", f"<{owner}>", registrar, f"<{self.uri}>")
        wanted = (("Expires", str(expires_s)),)
        request = dialog.request("REGISTER", self._endpoint.new_via(), wanted)
        response = await self._endpoint.request(request, dialog.destination, ANSWER_TIMEOUT_S)
        proof = self._proof(request, response)
        if proof is not None:
            request = dialog.request("REGISTER", self._endpoint.new_via(), (*wanted, proof))
            response = await self._endpoint.request(request, dialog.destination, ANSWER_TIMEOUT_S)
        if response.code >= 300:
            raise PeerError(f"registration was refused: {response.code} {response.reason}")

    async def cancel(self, timeout_s: float = 5.0) -> None:
        """Take back a call that was not answered yet; `call` then raises 487.

        Waits for a provisional answer first, before which CANCEL may not be sent (RFC 3261, 9.1).
        """
        dialog, invite = self._dialog, self._invite
        if dialog is None or invite is None:
            raise CallEnded("there is no call to cancel")
        await asyncio.wait_for(self._endpoint.wait_provisional(invite), timeout_s)
        await self._endpoint.request(dialog.cancel(invite), dialog.destination, timeout_s)

    async def _invite_by(
        self, dialog: Dialog, more: Headers, timeout_s: float
    ) -> tuple[SipRequest, SipResponse]:
        """Send an INVITE and wait for its final answer; see `call`."""
        headers = (("Content-Type", "application/sdp"), *more)
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
        return invite, response

    async def _withdraw(self, dialog: Dialog, invite: SipRequest) -> None:
        """Have a far end that rang for too long stop ringing."""
        with contextlib.suppress(SipTimeout):  # the timeout of the call itself is reported
            await self._endpoint.request(
                dialog.cancel(invite), dialog.destination, _WITHDRAW_TIMEOUT_S
            )

    def _own_uri(self) -> str:
        known_to_pbx = self._options.credentials is not None
        host = parse_uri(self._target).host if known_to_pbx else self._address
        return f"sip:{self._user}@{host}"

    def _on_provisional(self, response: SipResponse) -> None:
        """Early media (183 with SDP) is played and recorded as audio of the call."""
        if response.body:
            with contextlib.suppress(ValueError):  # a broken early answer: wait for the final one
                self._connect_media(parse_description(response.body))

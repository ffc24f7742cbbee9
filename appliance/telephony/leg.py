"""One call as pjsip sees it: its state, media, digits and transfer, turned into messages.

A `pj.Call` that outlives its call is dangerous: collected after its slot was taken again, it
hangs up the new call. So the line's table holds the only reference, and it goes inside the
DISCONNECTED callback; everybody else knows the call by its number.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Protocol

import pjsua2 as pj
import structlog

from appliance.telephony.messages import (
    CallDown,
    CallUp,
    Digit,
    EndedBy,
    FromLine,
    Held,
    Resumed,
    TransferResult,
)
from appliance.telephony.port import CallPort
from appliance.telephony.texts import clean_text, is_sip_uri

log = structlog.get_logger()

TRANSFER_TIMEOUT_S = 40.0
"""A transfer target may ring for long; RFC 3515 sets no limit, so we do."""

BAD_REQUEST = 400
DECLINE = 603
REQUEST_TIMEOUT = 408
ACCEPTED = 202
MOVED_TEMPORARILY = 302
UNAVAILABLE = 503
RETRY_AFTER_S = 10
"""What a caller is told who is refused because the box starts or ends (RFC 3261, 20.33)."""


class LegOwner(Protocol):
    """What a leg needs of the line."""

    emit: Callable[[FromLine], None]
    """Sends to the agent."""

    def forget(self, call: int) -> None:
        """Drop the leg: its call is over."""
        ...


class Leg(pj.Call):  # type: ignore[misc]  # pjsua2 has no types
    """A call in progress. `number` is what agent and line call it."""

    def __init__(
        self,
        owner: LegOwner,
        account: pj.Account,
        number: int,
        port: CallPort | None,
        call_id: int = pj.PJSUA_INVALID_ID,
    ) -> None:
        super().__init__(account, call_id)
        self._owner = owner
        self._is_incoming = call_id != pj.PJSUA_INVALID_ID
        self._confirmed = False
        self._codec = ""
        self._media: int | None = None
        self._packets = -1
        self._transfer_deadline: float | None = None
        self._transfer_accepted = False
        self.number = number
        self.port = port
        self.ended_by: EndedBy = "peer"
        self.is_up = False

    @property
    def announced(self) -> bool:
        """Whether the agent knows this call; calls refused by the line itself have no port."""
        return self.port is not None

    @property
    def is_transferring(self) -> bool:
        """Whether the caller is on the way elsewhere."""
        return self._transfer_deadline is not None

    def start_transfer(self, target: str) -> None:
        """Send REFER; the result comes as `TransferResult`."""
        if not is_sip_uri(target):
            self._owner.emit(TransferResult(self.number, BAD_REQUEST, "the target is no SIP URI"))
            return
        try:
            self.xfer(f"<{target}>", pj.CallOpParam(True))
        except pj.Error as error:
            self._owner.emit(TransferResult(self.number, BAD_REQUEST, clean_text(error.reason)))
            return
        self._transfer_accepted = False
        self._transfer_deadline = time.monotonic() + TRANSFER_TIMEOUT_S

    def check_transfer(self, now_s: float) -> None:
        """Give up a transfer that nobody reports on any more."""
        if self._transfer_deadline is not None and now_s > self._transfer_deadline:
            self._end_transfer(REQUEST_TIMEOUT, "no result of the transfer")

    def check_reception(self) -> None:
        """See whether packets have come since the last look; to be called once a second."""
        port = self.port
        if port is None or self._media is None or not self.is_up or port.held:
            return
        packets = self.getStreamStat(self._media).rtcp.rxStat.pkt
        port.receiving = packets != self._packets
        self._packets = packets

    def end(self, code: int, by: EndedBy) -> None:
        """Hang up, or refuse with `code` where the call is not answered."""
        self.ended_by = by
        operation = pj.CallOpParam(True)
        operation.statusCode = code
        if code == UNAVAILABLE and self._is_incoming:  # `hangup` would leave the header out
            operation.txOption.headers.append(_header("Retry-After", str(RETRY_AFTER_S)))
            self.answer(operation)
        else:
            self.hangup(operation)

    def redirect(self, target: str, by: EndedBy) -> None:
        """Refuse with 302 (RFC 3261, section 21.3.3); `target` is a checked SIP URI."""
        self.ended_by = by
        operation = pj.CallOpParam(True)
        operation.statusCode = MOVED_TEMPORARILY
        operation.txOption.headers.append(_header("Contact", f"<{target}>"))
        self.answer(operation)

    def onCallState(self, _prm: Any) -> None:  # noqa: N802 - pjsua2's name
        """Confirmed, or over."""
        try:
            info = self.getInfo()
            if info.state == pj.PJSIP_INV_STATE_CONFIRMED:
                self._confirmed = True
                self._announce_up()
            elif info.state == pj.PJSIP_INV_STATE_DISCONNECTED:
                self._finish(info.lastStatusCode, clean_text(info.lastReason))
        except Exception:  # boundary: SIP callback
            log.exception("call state failed", call=self.number)

    def onCallMediaState(self, _prm: Any) -> None:  # noqa: N802 - pjsua2's name
        """Audio starts, stops or starts anew after a re-INVITE."""
        try:
            self._connect_media()
        except Exception:  # boundary: SIP callback
            log.exception("media state failed", call=self.number)

    def onDtmfDigit(self, prm: Any) -> None:  # noqa: N802 - pjsua2's name
        """A digit, by RFC 4733 or INFO."""
        try:
            by_info = prm.method == pj.PJSUA_DTMF_METHOD_SIP_INFO
            if self.is_up and prm.digit:
                digit = clean_text(prm.digit)
                self._owner.emit(Digit(self.number, digit, "info" if by_info else "rfc4733"))
        except Exception:  # boundary: SIP callback
            log.exception("digit failed", call=self.number)

    def onCallTransferStatus(self, prm: Any) -> None:  # noqa: N802 - pjsua2's name
        """What the peer says about the transfer we asked for."""
        try:
            if prm.finalNotify or prm.statusCode >= 300:
                self._end_transfer(prm.statusCode, clean_text(prm.reason))
        except Exception:  # boundary: SIP callback
            log.exception("transfer status failed", call=self.number)

    def onCallTsxState(self, prm: Any) -> None:  # noqa: N802 - pjsua2's name
        """Notices that the peer took our REFER, which no other callback says."""
        try:
            transaction = prm.e.body.tsxState.tsx
            if transaction.method == "REFER" and transaction.statusCode // 100 == 2:
                self._transfer_accepted = True
        except Exception:  # boundary: SIP callback
            log.exception("transaction state failed", call=self.number)

    def onCallTransferRequest(self, prm: Any) -> None:  # noqa: N802 - pjsua2's name
        """Nobody may make us place calls."""
        prm.statusCode = DECLINE

    def onCallReplaceRequest(self, prm: Any) -> None:  # noqa: N802 - pjsua2's name
        """Nobody may take a call over past the peer list."""
        prm.statusCode = DECLINE

    def _connect_media(self) -> None:
        port = self.port
        if port is None:
            return
        held = True
        info = self.getInfo()  # kept: its media list points into it
        for index, media in enumerate(info.media):
            if media.type != pj.PJMEDIA_TYPE_AUDIO:
                continue
            if media.status == pj.PJSUA_CALL_MEDIA_ACTIVE:
                audio = self.getAudioMedia(index)
                audio.startTransmit(port)
                port.startTransmit(audio)
                self._media = index
                self._codec = self.getStreamInfo(index).codecName
                held = False
                break
        if not self.is_up:
            self._announce_up()
        elif held != port.held:
            port.held = held
            self._owner.emit(Held(self.number) if held else Resumed(self.number))

    def _announce_up(self) -> None:
        if self.is_up or not self._confirmed or not self._codec or self.port is None:
            return
        self.is_up = True
        self._owner.emit(CallUp(self.number, self._codec))
        self.port.open(self.number)

    def _end_transfer(self, code: int, reason: str) -> None:
        if self._transfer_deadline is None:
            return
        self._transfer_deadline = None
        self._owner.emit(TransferResult(self.number, code, reason))
        if code // 100 == 2 and self.isActive():
            self.end(0, by="agent")

    def _finish(self, code: int, reason: str) -> None:
        if self._transfer_deadline is not None and self._transfer_accepted:
            self._transfer_deadline = None
            self._owner.emit(TransferResult(self.number, ACCEPTED, "the peer ended the call"))
        if self.announced:
            self._owner.emit(CallDown(self.number, code, reason, self.ended_by))
        self._owner.forget(self.number)


def _header(name: str, value: str) -> pj.SipHeader:
    header = pj.SipHeader()
    header.hName, header.hValue = name, value
    return header

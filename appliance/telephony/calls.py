"""The calls of one line process: numbering, admission, and what the agent wants done with them.

Knows legs and ports, not the socket and not the stack's start and end: those are `line`'s.
"""

from __future__ import annotations

import contextlib
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import pjsua2 as pj
import structlog

from appliance.telephony.leg import UNAVAILABLE, Leg
from appliance.telephony.messages import (
    Answer,
    CallArrived,
    CallDown,
    Dial,
    Flush,
    FromLine,
    HangUp,
    Message,
    Part,
    Play,
    Redirect,
    Reject,
    SendDigits,
    Transfer,
    TransferResult,
)
from appliance.telephony.parting import Farewell, Partings
from appliance.telephony.port import CallPort
from appliance.telephony.texts import clean_text, is_sip_uri

log = structlog.get_logger()

RINGING, OK, BAD_REQUEST, GONE, BUSY, DECLINE = 180, 200, 400, 481, 486, 603


class Calls:
    """All calls by number. Holds the only reference to each `Leg`.

    Args:
        ports: idle audio ports, one for each of pjsip's slots.
        max_calls: calls at once, arrived and dialled together; the next gets 486.
        emit: sends to the agent.
        farewell: what is said in calls that cannot go on.

    Attributes:
        emit: sends to the agent.
        refused: calls of which the agent never heard, by what they were answered (SIP).
    """

    def __init__(
        self,
        ports: list[CallPort],
        max_calls: int,
        emit: Callable[[FromLine], None],
        farewell: Farewell,
    ) -> None:
        self._ports = ports
        self._max_calls = max_calls
        self._legs: dict[int, Leg] = {}
        self._next_number = 1
        self._partings = Partings(farewell)
        self._orphans: set[int] = set()
        self._turned_away: dict[int, Callable[[Leg], None]] = {}
        self.emit = emit
        self.refused: Counter[int] = Counter()
        self._commands: dict[type, Callable[[Any], None]] = {
            Answer: self._answer,
            Reject: self._reject,
            Redirect: self._redirect,
            Play: self._play,
            Flush: self._flush,
            HangUp: self._hang_up,
            Part: self._part,
            Transfer: self._transfer,
            SendDigits: self._send_digits,
        }

    def __len__(self) -> int:
        return len(self._legs)

    @property
    def full(self) -> bool:
        """Whether the next call must be refused."""
        return sum(leg.announced for leg in self._legs.values()) >= self._max_calls

    def refuse(self, account: pj.Account, call_id: int, code: int) -> None:
        """Answer an INVITE with a refusal that the agent never hears of; see `tend`."""
        self.refused[code] += 1
        number = self._add(account, None, call_id).number
        self._turned_away[number] = lambda leg: leg.end(code, by="line")

    def send_elsewhere(self, account: pj.Account, call_id: int, target: str) -> None:
        """Answer an INVITE with 302 to a SIP URI; the agent never hears of it; see `tend`."""
        number = self._add(account, None, call_id).number
        self._turned_away[number] = lambda leg: leg.redirect(target, by="line")

    def take(self, account: pj.Account, call_id: int, peer: str) -> None:
        """Ring, and tell the agent of an INVITE from `peer` (an IP address)."""
        leg = self._add(account, self._ports.pop(), call_id)
        info = leg.getInfo()
        texts = map(clean_text, (peer, info.remoteUri, info.localUri, info.callIdString))
        self.emit(CallArrived(leg.number, *texts))
        leg.answer(_operation(RINGING))

    def dial(self, message: Dial, account: pj.Account) -> None:
        """Place a call; `CallUp` or `CallDown` follows."""
        call = message.call
        if self.full or call in self._legs:
            self.emit(CallDown(call, BUSY, "no free line", "line"))
        elif not is_sip_uri(message.uri):
            self.emit(CallDown(call, BAD_REQUEST, "the target is no SIP URI", "line"))
        else:
            leg = self._legs[call] = Leg(self, account, call, self._ports.pop())
            try:
                leg.makeCall(message.uri, pj.CallOpParam(True))
            except pj.Error as error:
                if call in self._legs:  # else its callback has said it already
                    self.emit(CallDown(call, BAD_REQUEST, clean_text(error.reason), "line"))
                    self.forget(call)

    def carry_out(self, message: Message) -> None:
        """Do what the agent asks; a call that has just ended is no error.

        Raises:
            ValueError: the message is none that an agent sends about a call.
        """
        command = self._commands.get(type(message))
        if command is None:
            raise ValueError(f"{type(message).__name__} is no message for a line")
        call = getattr(message, "call", 0)
        if call not in self._legs:
            return
        try:
            command(message)
        except pj.Error as error:  # e.g. the peer hung up a moment ago
            what = type(message).__name__
            log.warning("not carried out", message=what, call=call, why=error.reason)

    def forget(self, call: int) -> None:
        """Drop a call that is over and take its port back; see `leg` for why at once."""
        leg = self._legs.pop(call, None)
        self._partings.forget(call)
        self._orphans.discard(call)
        if leg is not None and leg.port is not None:
            leg.port.close()
            self._ports.append(leg.port)
            leg.port = None

    def end_all(self) -> None:
        """Hang up every call."""
        for number in list(self._legs):
            self._end(number)

    def part_all(self, reason: str) -> None:
        """Nobody leads these calls any more: end each, with the parting words where it is up.

        For the agent, if there is one, they are over. They get numbers of their own, so that no
        agent can mean one of them.
        """
        known = [number for number, leg in self._legs.items() if leg.announced]
        for before in known:
            number = self._new_number()
            leg = self._legs[number] = self._legs.pop(before)
            leg.number = number
            self._orphans.discard(before)
            self.emit(CallDown(before, UNAVAILABLE, reason, "line"))
            if before in self._partings:
                self._partings.renumber(before, number)
            elif leg.port is not None:
                leg.port.mute()
                self._orphans.add(number)

    def tend(self, now_s: float) -> None:
        """To be called after pjsip's events: what must wait until its callbacks are over.

        Refusals do: a call without a session description that ends in the callback of its INVITE
        is gone when pjsua2 comes back to it, and an assertion ends the process. And it goes on
        with what `part_all` and `Part` began. `now_s` is monotonic.
        """
        while self._turned_away:
            number, refuse = self._turned_away.popitem()
            self._turn_away(number, refuse)
        for number in list(self._orphans):
            if not self._legs[number].is_transferring:
                self._orphans.discard(number)
                self._begin_parting(number, now_s)
        for number in self._partings.over(now_s):
            self._end(number)

    def look_after(self, now_s: float) -> None:
        """Once a second: give up transfers that nobody reports on, see whose packets come.

        `now_s` is monotonic.
        """
        for number in list(self._legs):
            self._legs[number].check_transfer(now_s)
        for number in list(self._legs):
            with contextlib.suppress(pj.Error):  # its media is ending or being set up anew
                self._legs[number].check_reception()

    def _turn_away(self, number: int, refuse: Callable[[Leg], None]) -> None:
        """Refuse one call; a function of its own for the reason of `_end`."""
        leg = self._legs.get(number)
        if leg is not None:
            with contextlib.suppress(pj.Error):  # the caller has given up already
                refuse(leg)

    def _add(self, account: pj.Account, port: CallPort | None, call_id: int) -> Leg:
        number = self._new_number()
        leg = self._legs[number] = Leg(self, account, number, port, call_id)
        return leg

    def _new_number(self) -> int:
        number = self._next_number
        self._next_number += 1
        return number

    def _begin_parting(self, number: int, now_s: float) -> None:
        port = self._port_if_up(number)
        if port is None or not self._partings.begin(number, port, now_s):
            self._end(number)

    def _port_if_up(self, number: int) -> CallPort | None:
        leg = self._legs[number]
        return leg.port if leg.is_up else None

    def _end(self, number: int) -> None:
        """Hang up one call; a function of its own, so that no name outlives it (see `leg`)."""
        leg = self._legs.get(number)
        if leg is not None:
            with contextlib.suppress(pj.Error):  # it is ending already
                leg.end(0 if leg.is_up else UNAVAILABLE, by="line")

    def _answer(self, message: Answer) -> None:
        self._legs[message.call].answer(_operation(OK))

    def _reject(self, message: Reject) -> None:
        code = message.code if 300 <= message.code <= 699 else DECLINE
        self._legs[message.call].end(code, by="agent")

    def _redirect(self, message: Redirect) -> None:
        leg = self._legs[message.call]
        if is_sip_uri(message.target):
            leg.redirect(message.target, by="agent")
        else:
            log.warning("not redirected: the target is no SIP URI", call=message.call)
            leg.end(BUSY, by="agent")

    def _play(self, message: Play) -> None:
        port = self._port_of(message.call)
        if port is not None:
            port.queue.push(message.pcm)

    def _flush(self, message: Flush) -> None:
        port = self._port_of(message.call)
        if port is not None:
            port.queue.flush()

    def _port_of(self, call: int) -> CallPort | None:
        """Where the agent's frames for a call go; nowhere once its last words are said."""
        return None if call in self._partings else self._legs[call].port

    def _part(self, message: Part) -> None:
        if message.call not in self._partings:
            self._begin_parting(message.call, time.monotonic())

    def _hang_up(self, message: HangUp) -> None:
        leg = self._legs[message.call]
        leg.end(0 if leg.is_up else DECLINE, by="agent")

    def _transfer(self, message: Transfer) -> None:
        leg = self._legs[message.call]
        if leg.is_up:
            leg.start_transfer(message.target)
        else:
            self.emit(TransferResult(message.call, GONE, "the call is not up"))

    def _send_digits(self, message: SendDigits) -> None:
        self._legs[message.call].dialDtmf(message.digits)


def _operation(code: int) -> pj.CallOpParam:
    operation = pj.CallOpParam(True)
    operation.statusCode = code
    return operation

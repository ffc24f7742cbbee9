"""The line process: SIP and RTP on one side, the agent's socket on the other, nothing else.

    python -m appliance.telephony.line --socket FD --config LINE_CONFIG_JSON

One thread runs everything but the media clock: it waits for the agent's socket or the SIP
socket, carries out the agent's messages and lets pjsip handle its events, whose callbacks come
in this same thread. No model, no dialogue, nothing that blocks. A crash loses its own calls and
nothing else: the agent starts the next one. If the agent goes away, the line hangs up,
unregisters and ends.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import select
import signal
import socket
import sys
import time
from collections.abc import Callable
from typing import Any

import pjsua2 as pj
import structlog
from pjsua2 import _pjsua2

from appliance.config import LineConfig
from appliance.errors import ConfigError
from appliance.telephony.account import Account, make_local_account, make_registered_account
from appliance.telephony.admission import Admission
from appliance.telephony.endpoint import make_ports, start_endpoint
from appliance.telephony.frames import open_frames
from appliance.telephony.gate import install_gate
from appliance.telephony.leg import Leg
from appliance.telephony.link import AgentLink
from appliance.telephony.messages import (
    VERSION,
    Alive,
    Answer,
    CallArrived,
    CallDown,
    Dial,
    Failed,
    Flush,
    FromLine,
    HangUp,
    Hello,
    Message,
    Play,
    Registration,
    Reject,
    SendDigits,
    Shutdown,
    Transfer,
    TransferResult,
)
from appliance.telephony.port import CallPort
from appliance.telephony.realtime import claim_realtime
from appliance.telephony.texts import clean_text, is_sip_uri

log = structlog.get_logger()

POLL_S = 0.005
"""Longest wait of pjsip's timers and of RTP-borne digits; SIP and agent packets wake at once."""

ALIVE_EVERY_S = 1.0
HANG_UP_S = 0.3
UNREGISTER_S = 0.4
"""Together with `libDestroy` (20 ms) the end takes less than a second."""

BAD_REQUEST, FORBIDDEN, BUSY, OK, RINGING, UNAVAILABLE, DECLINE = 400, 403, 486, 200, 180, 503, 603


class Line:
    """The calls of this process and what agent and peers want of them."""

    def __init__(self, config: LineConfig, link: AgentLink) -> None:
        self._config = config
        self._link = link
        self._legs: dict[int, Leg] = {}
        self._next_number = 1
        self._next_alive_s = 0.0
        self._registered = False
        self._stopping = False
        self._admission = Admission(config.peers)
        self._frames = open_frames()
        self._endpoint = start_endpoint(config)
        self._ports: list[CallPort] = make_ports(self._endpoint, self._frames, link.send)
        self._gate = install_gate(
            _pjsua2.__file__,
            lambda source, text: self._admission.admits(source, text, time.monotonic_ns()),
            (config.address, config.port),
            lambda: self._pump(10),
        )
        if not self._gate.proved:
            log.warning("requests are not limited before pjsip: unknown layout of this build")
        self._account = make_local_account(config, self)
        self._registered_account: Account | None = None
        if config.registrar is not None:
            self._registered_account = make_registered_account(config, config.registrar, self)
        self._commands: dict[type, Callable[[Any], None]] = {
            Answer: self._answer,
            Reject: self._reject,
            Play: self._play,
            Flush: self._flush,
            HangUp: self._hang_up,
            Transfer: self._transfer,
            SendDigits: self._send_digits,
            Dial: self._dial,
            Shutdown: self._shut_down,
        }

    def run(self, realtime: bool) -> None:
        """Serve until the agent says `Shutdown` or goes away."""
        self.emit(Hello(VERSION, os.getpid(), realtime, self._frames.fast))
        while not (self._stopping or self._link.closed):
            self._turn()
        self.stop()

    def stop(self) -> None:
        """Hang up, unregister, destroy the stack: under a second."""
        self._stopping = True
        for number in list(self._legs):
            self._end_leg(number)
        self._pump_until(lambda: not self._legs, HANG_UP_S)
        if self._registered_account is not None and self._registered:
            self._registered_account.setRegistration(False)
            self._pump_until(lambda: not self._registered, UNREGISTER_S)
        self._link.flush()
        self._endpoint.libDestroy(pj.PJSUA_DESTROY_NO_RX_MSG)

    def emit(self, message: FromLine) -> None:
        """See `LegOwner.emit`."""
        self._link.send(message)

    def forget(self, call: int) -> None:
        """See `LegOwner.forget`."""
        leg = self._legs.pop(call, None)
        if leg is not None and leg.port is not None:
            leg.port.close()
            self._ports.append(leg.port)
            leg.port = None

    def on_incoming(self, account: pj.Account, call_id: int, source: str) -> None:
        """See `AccountOwner.on_incoming`."""
        number = self._next_number
        self._next_number += 1
        refusal = self._refusal(source)
        port = None if refusal else self._ports.pop()
        leg = self._legs[number] = Leg(self, account, number, port, call_id)
        if refusal:
            leg.end(refusal, by="line")
            return
        info = leg.getInfo()
        texts = (source.partition(":")[0], info.remoteUri, info.localUri, info.callIdString)
        self.emit(CallArrived(number, *map(clean_text, texts)))
        ringing = pj.CallOpParam(True)
        ringing.statusCode = RINGING
        leg.answer(ringing)

    def on_registration(self, state: Registration) -> None:
        """See `AccountOwner.on_registration`."""
        self._registered = state.expires_s > 0
        self.emit(state)

    def _end_leg(self, number: int) -> None:
        """Hang up one call; a function of its own, so that no name outlives it (see `leg`)."""
        leg = self._legs.get(number)
        if leg is not None:
            with contextlib.suppress(pj.Error):  # it is ending already
                leg.end(0 if leg.is_up else UNAVAILABLE, by="line")

    def _refusal(self, source: str) -> int:
        """The status that refuses a call from `source`, or 0."""
        if not self._admission.is_peer(source):
            return FORBIDDEN
        taken = sum(leg.announced for leg in self._legs.values())
        if taken >= self._config.max_calls or self._stopping or not self._ports:
            return BUSY
        return 0

    def _turn(self) -> None:
        """One round of the loop."""
        select.select([self._link], [], [], POLL_S)
        for message in self._link.receive():
            self._carry_out(message)
        self._pump(0)
        self._link.flush()
        now_s = time.monotonic()
        if now_s >= self._next_alive_s:
            self._next_alive_s = now_s + ALIVE_EVERY_S
            self.emit(Alive(self._link.dropped_frames, self._admission.dropped))
            for number in list(self._legs):
                self._legs[number].check_transfer(now_s)

    def _pump(self, wait_ms: int) -> None:
        self._endpoint.libHandleEvents(wait_ms)

    def _pump_until(self, done: Callable[[], bool], limit_s: float) -> None:
        deadline = time.monotonic() + limit_s
        while not done() and time.monotonic() < deadline:
            self._pump(5)

    def _carry_out(self, message: Message) -> None:
        """Do what the agent asks; a call that has just ended is no error."""
        command = self._commands.get(type(message))
        if command is None:
            raise ValueError(f"{type(message).__name__} is no message for a line")
        call = getattr(message, "call", 0)
        if call and call not in self._legs and not isinstance(message, Dial):
            return
        try:
            command(message)
        except pj.Error as error:  # e.g. the peer hung up a moment ago
            log.warning(
                "not carried out", message=type(message).__name__, call=call, why=error.reason
            )

    def _answer(self, message: Answer) -> None:
        operation = pj.CallOpParam(True)
        operation.statusCode = OK
        self._legs[message.call].answer(operation)

    def _reject(self, message: Reject) -> None:
        code = message.code if 300 <= message.code <= 699 else DECLINE
        self._legs[message.call].end(code, by="agent")

    def _play(self, message: Play) -> None:
        port = self._legs[message.call].port
        if port is not None:
            port.queue.push(message.pcm)

    def _flush(self, message: Flush) -> None:
        port = self._legs[message.call].port
        if port is not None:
            port.queue.flush()

    def _hang_up(self, message: HangUp) -> None:
        leg = self._legs[message.call]
        leg.end(0 if leg.is_up else DECLINE, by="agent")

    def _transfer(self, message: Transfer) -> None:
        leg = self._legs[message.call]
        if leg.is_up:
            leg.start_transfer(message.target)
        else:
            self.emit(TransferResult(message.call, 481, "the call is not up"))

    def _send_digits(self, message: SendDigits) -> None:
        self._legs[message.call].dialDtmf(message.digits)

    def _dial(self, message: Dial) -> None:
        if message.call in self._legs or not self._ports:
            self.emit(CallDown(message.call, BUSY, "no free line", "line"))
            return
        if not is_sip_uri(message.uri):
            self.emit(CallDown(message.call, BAD_REQUEST, "the target is no SIP URI", "line"))
            return
        account = self._registered_account or self._account
        port = self._ports.pop()
        leg = self._legs[message.call] = Leg(self, account, message.call, port)
        try:
            leg.makeCall(message.uri, pj.CallOpParam(True))
        except pj.Error as error:
            if message.call in self._legs:  # else the callback has said it already
                self.emit(CallDown(message.call, BAD_REQUEST, clean_text(error.reason), "line"))
                self.forget(message.call)

    def _shut_down(self, _message: Shutdown) -> None:
        self._stopping = True


def main() -> None:
    """Run until told to stop; ends by `os._exit` because pjsip's threads outlive Python's."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--socket", type=int, required=True, help="inherited SOCK_SEQPACKET fd")
    parser.add_argument("--config", required=True, help="LineConfig as JSON")
    arguments = parser.parse_args()
    structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))
    sys.setswitchinterval(0.0005)  # the clock thread waits for the GIL at most so long
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the agent's to handle
    link = AgentLink(socket.socket(fileno=arguments.socket))
    config = LineConfig.model_validate_json(arguments.config)
    realtime = config.realtime and claim_realtime()
    try:
        line = Line(config, link)
    except ConfigError as error:
        link.send(Failed(str(error)))
        os._exit(1)
    signal.signal(signal.SIGTERM, lambda *_: line._shut_down(Shutdown()))
    try:
        line.run(realtime)
    except Exception:  # boundary: main
        log.exception("the line broke")
        os._exit(1)
    os._exit(0)


if __name__ == "__main__":
    main()

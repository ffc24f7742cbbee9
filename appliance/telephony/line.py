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
import math
import os
import select
import signal
import socket
import sys
import time
from collections.abc import Callable

import pjsua2 as pj
import structlog
from pjsua2 import _pjsua2

from appliance.config import LineConfig
from appliance.errors import ConfigError
from appliance.telephony.account import Account, make_local_account, make_registered_account
from appliance.telephony.admission import Admission
from appliance.telephony.calls import Calls
from appliance.telephony.endpoint import make_ports, sip_sockets, start_endpoint
from appliance.telephony.frames import open_frames
from appliance.telephony.gate import install_gate
from appliance.telephony.link import AgentLink
from appliance.telephony.messages import (
    VERSION,
    Alive,
    Dial,
    Elsewhere,
    Failed,
    Hello,
    Registration,
    Shutdown,
)
from appliance.telephony.outlet import comfort_noise
from appliance.telephony.realtime import claim_realtime
from appliance.telephony.texts import is_sip_uri

log = structlog.get_logger()

POLL_S = 0.01
"""Longest wait of pjsip's timers and of RTP-borne digits; SIP and agent packets wake at once."""

ALIVE_EVERY_S = 1.0
HANG_UP_S = 0.3
UNREGISTER_S = 0.4
"""Together with `libDestroy` (20 ms) the end takes less than a second."""

REFUSED_RETRY_S = 30.0
FORBIDDEN, REQUEST_TIMEOUT, BUSY = 403, 408, 486


class Line:
    """The stack, the socket and the loop between them."""

    def __init__(self, config: LineConfig, link: AgentLink) -> None:
        self._link = link
        self._next_alive_s = 0.0
        self._registered = False
        self._register_at_s = math.inf
        self._stopping = False
        self._elsewhere = ""
        self._admission = Admission(config.peers)
        self._frames = open_frames()
        self._endpoint = start_endpoint(config)
        self._wake_by: list[AgentLink | int] = [link, *sip_sockets(config)]
        ports = make_ports(
            self._endpoint, self._frames, link.send, comfort_noise(config.comfort_noise_dbm0)
        )
        self._calls = Calls(ports, config.max_calls, link.send)
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

    def run(self, realtime: bool) -> None:
        """Serve until the agent says `Shutdown` or goes away, or `ask_to_stop`."""
        self._link.send(Hello(VERSION, os.getpid(), realtime, self._frames.fast))
        while not (self._stopping or self._link.closed):
            self._turn()
        self._stop()

    def ask_to_stop(self) -> None:
        """End after this round of the loop."""
        self._stopping = True

    def on_incoming(self, account: pj.Account, call_id: int, source: str) -> None:
        """See `AccountOwner.on_incoming`."""
        if not self._admission.is_peer(source):
            self._calls.refuse(account, call_id, FORBIDDEN)
        elif self._calls.full and self._elsewhere and not self._stopping:
            self._calls.send_elsewhere(account, call_id, self._elsewhere)
        elif self._calls.full or self._stopping:
            self._calls.refuse(account, call_id, BUSY)
        else:
            self._calls.take(account, call_id, source.partition(":")[0])

    def on_registration(self, state: Registration) -> None:
        """See `AccountOwner.on_registration`."""
        self._registered = state.expires_s > 0
        refused = state.code // 100 == 4 and state.code != REQUEST_TIMEOUT
        if refused and not self._stopping:  # pjsip tries again after all else, but not after this
            self._register_at_s = time.monotonic() + REFUSED_RETRY_S
        self._link.send(state)

    def _turn(self) -> None:
        """One round of the loop."""
        select.select(self._wake_by, [], [], POLL_S)
        for message in self._link.receive():
            if isinstance(message, Shutdown):
                self.ask_to_stop()
            elif isinstance(message, Dial):
                self._calls.dial(message, self._registered_account or self._account)
            elif isinstance(message, Elsewhere):
                self._elsewhere = message.target if is_sip_uri(message.target) else ""
            else:
                self._calls.carry_out(message)
        self._pump(0)
        self._link.flush()
        now_s = time.monotonic()
        if now_s >= self._next_alive_s:
            self._next_alive_s = now_s + ALIVE_EVERY_S
            self._link.send(Alive(self._link.dropped_frames, self._admission.dropped))
            self._calls.look_after(now_s)
            self._register_again(now_s)

    def _register_again(self, now_s: float) -> None:
        """Once the time has come, try anew: the PBX may have been set right meanwhile."""
        if self._registered_account is not None and now_s >= self._register_at_s:
            self._register_at_s = math.inf
            with contextlib.suppress(pj.Error):  # one is under way
                self._registered_account.setRegistration(True)

    def _stop(self) -> None:
        """Hang up, unregister, destroy the stack: under a second."""
        self._calls.end_all()
        self._pump_until(lambda: not self._calls, HANG_UP_S)
        if self._registered_account is not None and self._registered:
            with contextlib.suppress(pj.Error):  # a REGISTER is under way
                self._registered_account.setRegistration(False)
            self._pump_until(lambda: not self._registered, UNREGISTER_S)
        self._link.flush()
        self._endpoint.libDestroy(pj.PJSUA_DESTROY_NO_RX_MSG)

    def _pump(self, wait_ms: int) -> None:
        self._endpoint.libHandleEvents(wait_ms)

    def _pump_until(self, done: Callable[[], bool], limit_s: float) -> None:
        deadline = time.monotonic() + limit_s
        while not done() and time.monotonic() < deadline:
            self._pump(5)


def configure_logging() -> None:
    """Events on stderr. Tracebacks without the values of variables: a digit may be one."""
    shown = structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.dev.set_exc_info,
            structlog.processors.TimeStamper(fmt="iso"),
            shown,
        ],
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )


def main() -> None:
    """Run until told to stop; ends by `os._exit` because pjsip's threads outlive Python's."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--socket", type=int, required=True, help="inherited SOCK_SEQPACKET fd")
    parser.add_argument("--config", required=True, help="LineConfig as JSON")
    arguments = parser.parse_args()
    configure_logging()
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
    signal.signal(signal.SIGTERM, lambda *_: line.ask_to_stop())
    try:
        line.run(realtime)
    except Exception:  # boundary: main
        log.exception("the line broke")
        os._exit(1)
    os._exit(0)


if __name__ == "__main__":
    main()

"""The loop of a line process: one thread between the SIP stack and the link to the agent.

    agent ⇄ link ─ messages ─> calls, farewell, …        every 10 ms at the latest: `_turn`
    pjsip ─ callbacks, in this same thread ─> calls      once a second: `_look_after`

It waits for the agent's socket or the SIP socket, carries out the agent's messages and lets pjsip
handle its events. No model, no dialogue, nothing that blocks.
"""

from __future__ import annotations

import math
import os
import select
import time
from collections.abc import Callable

import pjsua2 as pj
import structlog
from pjsua2 import _pjsua2

from appliance.config import LineConfig
from appliance.notify import Notifier
from appliance.telephony.account import make_local_account, make_registered_account
from appliance.telephony.admission import Admission
from appliance.telephony.attachment import Attachment, Listener
from appliance.telephony.calls import Calls
from appliance.telephony.edge_notice import tell_edge
from appliance.telephony.endpoint import make_ports, sip_sockets, start_endpoint
from appliance.telephony.extension import Extension
from appliance.telephony.frames import open_frames
from appliance.telephony.gate import install_gate
from appliance.telephony.leg import UNAVAILABLE
from appliance.telephony.link import AgentLink
from appliance.telephony.messages import (
    VERSION,
    Alive,
    Dial,
    Drain,
    Elsewhere,
    Hello,
    Message,
    PartingWords,
    Pulse,
    Refused,
    Registration,
    Shutdown,
)
from appliance.telephony.outlet import comfort_noise
from appliance.telephony.parting import Farewell
from appliance.telephony.texts import is_sip_uri

log = structlog.get_logger()

POLL_S = 0.01
"""Longest wait of pjsip's timers and of RTP-borne digits; SIP and agent packets wake at once."""

ALIVE_EVERY_S = 1.0
HANG_UP_S = 0.3
UNREGISTER_S = 0.4
"""Together with `libDestroy` (20 ms) the end takes less than a second."""

END_S = 3.0
"""For that, and what the last calls take to be hung up."""

FORBIDDEN, BUSY = 403, 486


class Line:
    """The stack, the link to the agent and the loop between them.

    Args:
        config: the line's own section (`LineConfig.of_process`).
        index: its place among all lines.
        link: to the agent, if there is one already.
        attachment: how another agent is found.
    """

    def __init__(
        self, config: LineConfig, index: int, link: AgentLink, attachment: Attachment
    ) -> None:
        self._index, self._drain_s = index, config.drain_s
        self._link, self._attachment, self._listener = link, attachment, Listener()
        self._next_look_s = 0.0
        self._led = not link.closed
        self._drained_to: str | None = None
        self._leave_by_s = math.inf
        self._parted = False
        self._stopping = False
        self._elsewhere = ""
        self._farewell = Farewell()
        self._admission = Admission(config.peers)
        self._frames = open_frames()
        tell_edge(config)
        self._endpoint = start_endpoint(config)
        self._sip_sockets = sip_sockets(config)
        ports = make_ports(
            self._endpoint, self._frames, link.send, comfort_noise(config.comfort_noise_dbm0)
        )
        self._ports, self._ticks = tuple(ports), 0
        self._calls = Calls(ports, config.max_calls, link.send, self._farewell)
        self._gate = install_gate(
            _pjsua2.__file__,
            lambda source, text: self._admission.admits(source, text, time.monotonic_ns()),
            (config.address, config.port),
            lambda: self._pump(10),
        )
        if not self._gate.proved:
            log.warning("requests are not limited before pjsip: unknown layout of this build")
        self._account = make_local_account(config, self)
        self._extension = Extension()
        if config.registrar is not None:
            self._extension.account = make_registered_account(config, config.registrar, self)

    def run(self, realtime: bool, notifier: Notifier) -> None:
        """Serve until told to stop, or, where there can be no other agent, until it is gone.

        Raises:
            ValueError: the agent speaks another format; the calls are ended by then.
        """
        self._hello = Hello(VERSION, self._index, os.getpid(), realtime, self._frames.fast)
        if not self._link.closed:
            self._greet()
        notifier.ready(self._status)
        fault: ValueError | None = None
        while not self._stopping:
            try:
                self._turn(notifier)
            except ValueError as error:
                fault = error
                self._link.disconnect()
                self._leave_by_s = -math.inf
        self._stop()
        if fault is not None:
            raise fault

    def ask_to_stop(self) -> None:
        """End once the calls are over, at most `drain_s` from now; asked again, end at once."""
        self._stopping = self._leaves or not self._drain_s
        self._leave_by_s = min(self._leave_by_s, time.monotonic() + self._drain_s)

    def on_incoming(self, account: pj.Account, call_id: int, source: str) -> None:
        """See `AccountOwner.on_incoming`."""
        target = self._elsewhere if self._drained_to is None else self._drained_to
        closed = not self._led or self._leaves
        if not self._admission.is_peer(source):
            self._calls.refuse(account, call_id, FORBIDDEN)
        elif closed:
            self._calls.refuse(account, call_id, UNAVAILABLE)
        elif self._drained_to is None and not self._calls.full:
            self._calls.take(account, call_id, source.partition(":")[0])
        elif target:
            self._calls.send_elsewhere(account, call_id, target)
        else:
            self._calls.refuse(account, call_id, BUSY if self._drained_to is None else UNAVAILABLE)

    def on_registration(self, state: Registration) -> None:
        """See `AccountOwner.on_registration`."""
        self._extension.answered(state, time.monotonic())
        self._link.send(state)

    def _turn(self, notifier: Notifier) -> None:
        """One round of the loop."""
        waits_for: list[AgentLink | int] = [*self._sip_sockets]
        if not self._link.closed:
            waits_for.append(self._link)
        select.select(waits_for, [], [], POLL_S)
        for message in self._link.receive():
            self._obey(message)
        self._pump(0)
        self._link.flush()
        now_s = time.monotonic()
        self._calls.tend(now_s)
        self._mind_agent(now_s)
        self._mind_end(now_s, notifier)
        if now_s >= self._next_look_s:
            self._next_look_s = now_s + ALIVE_EVERY_S
            self._look_after(now_s, notifier)

    def _obey(self, message: Message) -> None:
        match message:
            case Shutdown():
                self._stopping = True
            case Dial():
                self._calls.dial(message, self._extension.account or self._account)
            case Elsewhere():
                self._elsewhere = _checked(message.target)
            case Drain():
                self._drained_to = _checked(message.target)
            case PartingWords():
                self._farewell.hear(message)
            case Refused():
                log.error("the agent does not take this line", why=message.reason)
                self._attachment.hold_off(time.monotonic())
                return
            case Pulse():
                pass
            case _:
                self._calls.carry_out(message)
        self._led = True

    def _mind_agent(self, now_s: float) -> None:
        """Notice that it is gone; then look for the next one, if there can be one.

        One that has the connection and says nothing yet leads no calls: it may hang.
        """
        if not self._link.closed:
            return
        if self._led:
            self._led = False
            log.warning("the agent is gone", calls=len(self._calls))
            self._calls.part_all("the agent is gone")
            if not self._attachment.can_seek:
                self._leave_by_s = -math.inf
        elif not self._leaves and self._attachment.seek(self._link, now_s):
            self._elsewhere, self._drained_to = "", None
            self._listener.start_anew()
            self._greet()

    @property
    def _leaves(self) -> bool:
        """Whether the line is about to end."""
        return self._leave_by_s < math.inf or self._stopping

    def _mind_end(self, now_s: float, notifier: Notifier) -> None:
        """Where the line is to end: not before its calls are over, or their time is."""
        if self._stopping or self._leave_by_s == math.inf:
            return
        if now_s >= self._leave_by_s and not self._parted:
            self._parted = True
            self._calls.part_all("the line ends")
        last_s = max(0.0, self._leave_by_s - now_s) + self._farewell.seconds + END_S
        notifier.stopping(f"ends once {len(self._calls)} calls are over", last_s)
        self._stopping = self._stopping or not self._calls

    def _greet(self) -> None:
        self._link.send(self._hello)
        if self._extension.state is not None:
            self._link.send(self._extension.state)

    def _look_after(self, now_s: float, notifier: Notifier) -> None:
        """Once a second."""
        cpu_ms = round(1000 * time.process_time())
        refused = (self._calls.refused[BUSY], self._calls.refused[UNAVAILABLE])
        self._link.send(Alive(self._link.dropped_frames, self._admission.dropped, cpu_ms, *refused))
        if not self._link.closed and self._listener.hangs(self._link.heard):
            log.error("the agent hangs")
            self._link.disconnect()
        self._calls.look_after(now_s)
        self._extension.look_after(now_s)
        if not self._leaves:
            notifier.status(self._status)
        ticks, self._ticks = self._ticks, sum(port.ticks for port in self._ports)
        if self._ticks != ticks:  # the clock turns without calls too
            notifier.alive()

    @property
    def _status(self) -> str:
        agent = "there" if self._led else "away: calls are refused (503)"
        return f"{len(self._calls)} calls; agent {agent}; {self._extension.summary}"

    def _stop(self) -> None:
        """Hang up, unregister, destroy the stack: under a second."""
        self._calls.end_all()
        self._pump_until(lambda: not self._calls, HANG_UP_S)
        self._extension.leave()
        self._pump_until(lambda: not self._extension.is_registered, UNREGISTER_S)
        self._link.flush()
        self._endpoint.libDestroy(pj.PJSUA_DESTROY_NO_RX_MSG)

    def _pump(self, wait_ms: int) -> None:
        self._endpoint.libHandleEvents(wait_ms)

    def _pump_until(self, done: Callable[[], bool], limit_s: float) -> None:
        deadline = time.monotonic() + limit_s
        while not done() and time.monotonic() < deadline:
            self._pump(5)


def _checked(target: str) -> str:
    return target if is_sip_uri(target) else ""

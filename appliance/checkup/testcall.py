"""A real call to the own extension, through the PBX, answered by the box that runs.

    our voice, our caller ── SIP, RTP ──> PBX ──> the box
        greeting <──────────────────────────────── heard, and read by the recognizer
        "say that again, please" ────────────────> in its event log
        answer <────────────────────────────────── how late, on the wire

The caller's words come of the box's own voice, since an installed box has no other. It asks to
hear the question again, which no flow acts on, and hangs up after one answer. The agent knows the
call for a test (`session.testcall`): nothing is stored, done or told for it.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

import numpy as np

from appliance.checkup.box import EVERY_ADDRESS, Box, read_secret
from appliance.checkup.exchange import local_address
from appliance.errors import ConfigError, PeerError
from appliance.testing.activity import level_dbm0
from appliance.testing.caller import ScriptedCaller
from appliance.testing.digest import Credentials
from appliance.testing.g711 import Samples
from appliance.testing.gaps import response_gaps_ms
from appliance.testing.leg import PeerOptions
from appliance.testing.recording import place
from appliance.types import LINE_RATE_HZ, Language

PHRASES: dict[Language, str] = {
    "en": "Could you say that again, please?",
    "es": "¿Me lo puede repetir, por favor?",
}
"""What the caller says: every shipped flow asks its question again."""
_GREETING_S, _ANSWER_S = 40.0, 20.0


@dataclass(frozen=True, slots=True)
class Dialled:
    """Who is called, by whom. `register`: a PBX takes calls from registered phones only."""

    target: str
    address: str
    number: str
    credentials: Credentials | None = None
    register: bool = False


@dataclass(frozen=True, slots=True)
class Heard:
    """What the caller's side of the call saw.

    Attributes:
        greeting: all that was heard until the question, int16 at 8 kHz.
        greeting_dbm0: its level while somebody spoke; -inf for silence.
        answered_ms: from the dialling to the answer.
        gap_ms: from the last packet of the phrase to the first of the answer; None: no answer.
        problem: why the call did not go on, empty where it did.
    """

    greeting: Samples
    greeting_dbm0: float
    answered_ms: float
    gap_ms: float | None
    problem: str = ""


def dialled(box: Box) -> Dialled:
    """Who calls whom as this box is configured.

    Raises:
        ConfigError: the account's password cannot be read, or the PBX is reached by TCP or TLS
            only, which the caller does not speak.
        PeerError: there is no route to the PBX.
    """
    checkup, registrar = box.config.checkup, box.registrar
    if registrar is None:
        host, port = box.shown.split(":")
        here = "127.0.0.1" if host == EVERY_ADDRESS else host
        return Dialled(f"sip:appliance@{here}:{port}", here, box.config.test_caller)
    peer = box.pbx
    if peer.transport != "udp":
        raise ConfigError(
            f"{peer}: the test's caller speaks UDP only; call {registrar.user} from a phone"
        )
    user, password_file = registrar.user, registrar.password_file
    if checkup.user and checkup.password_file:
        user, password_file = checkup.user, checkup.password_file
    return Dialled(
        target=f"sip:{registrar.user}@{peer.host}:{peer.port}",
        address=local_address(peer.host),
        number=user,
        credentials=Credentials(user=user, password=read_secret(password_file)),
        register=user != registrar.user,
    )


async def place_call(call: Dialled, phrase: bytes) -> Heard:
    """Call, hear the question, ask to hear it again, hear that, hang up.

    Args:
        call: who is called.
        phrase: s16le at 8 kHz.

    Raises:
        CallRefused: the PBX or the box refused it.
        PeerError: nobody answered, or the answer is unusable.
    """
    options = PeerOptions(credentials=call.credentials)
    async with ScriptedCaller(
        call.target, call.address, number=call.number, options=options
    ) as caller:
        if call.register:
            await caller.register(expires_s=60)
        try:
            return await _converse(caller, phrase)
        finally:
            if call.register:
                await _unregister(caller)


async def _unregister(caller: ScriptedCaller) -> None:
    """The test's own account is nobody's phone: no call must be sent to it afterwards."""
    try:
        await caller.register(expires_s=0)
    except PeerError:
        return  # it ends by itself a minute later


async def _converse(caller: ScriptedCaller, phrase: bytes) -> Heard:
    dialled_ns = time.monotonic_ns()
    await caller.call()
    answered_ms = (time.monotonic_ns() - dialled_ns) / 1e6
    gap_ms, problem = None, ""
    greeting = np.zeros(0, np.int16)
    try:
        await caller.wait_reply(_GREETING_S)
        greeting = _received(caller)
        await caller.say(phrase)
        await caller.wait_reply(_ANSWER_S)
        gap_ms = next(iter(response_gaps_ms(caller.sent, caller.received)), None)
    except PeerError as error:
        problem = str(error)
    if not greeting.size:
        greeting = _received(caller)
    await caller.hang_up()
    return Heard(greeting, _speech_level_dbm0(greeting), answered_ms, gap_ms, problem)


def _received(caller: ScriptedCaller) -> Samples:
    packets = caller.packets_received
    return place(packets, packets[0].at_ns) if packets else np.zeros(0, np.int16)


def _speech_level_dbm0(samples: Samples) -> float:
    """The level of the loudest second."""
    seconds = [samples[at : at + LINE_RATE_HZ] for at in range(0, samples.size, LINE_RATE_HZ)]
    return max((level_dbm0(each) for each in seconds), default=-math.inf)

"""The words between a line process and the agent; `packets` says how they look on the socket.

    line → agent    Hello Failed Alive · CallArrived CallUp Audio Digit Held Resumed
                    TransferResult CallDown · Registration
    agent → line    Answer Reject Redirect Play Flush HangUp Part Transfer SendDigits Dial
                    Elsewhere · Pulse PartingWords Refused Drain Shutdown

Values only: no socket, no SIP, no clock. `KIND` is the byte that names a message in its packet
and never changes its meaning; 1 to 63 come from the line, 64 to 127 from the agent.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

VERSION = 3
"""Of words and packets together; both ends run the same release and check it."""

EndedBy = Literal["peer", "agent", "line"]


@dataclass(frozen=True, slots=True)
class Hello:
    """The line is up: SIP port bound, codecs set, ready for calls.

    The first message on every connection. `index` is the line's place among all, from 0.
    """

    KIND: ClassVar[int] = 1
    version: int
    index: int
    pid: int
    realtime: bool
    fast_frames: bool


@dataclass(frozen=True, slots=True)
class Failed:
    """The line could not start and exits; `reason` names cause and remedy."""

    KIND: ClassVar[int] = 2
    reason: str


@dataclass(frozen=True, slots=True)
class CallArrived:
    """An allowed peer calls; `peer` is its IP address."""

    KIND: ClassVar[int] = 3
    call: int
    peer: str
    from_uri: str
    to_uri: str
    sip_call_id: str


@dataclass(frozen=True, slots=True)
class CallUp:
    """The call is answered and audio flows; `codec` is PCMU, PCMA or G722."""

    KIND: ClassVar[int] = 4
    call: int
    codec: str


@dataclass(frozen=True, slots=True)
class Audio:
    """One tick of the 20 ms clock: what the caller sent, or silence where nothing came.

    `at_ns` is `time.monotonic_ns()` when the line had the frame; `played` counts the agent's
    frames that really went out to the caller so far. `ours` is what went out at this tick, comfort
    noise and fades included, empty where we said nothing: what an echo is an echo of. `received`
    tells a caller who is silent from one of whom nothing comes any more: once a second the line
    looks whether packets have come since; False until the next look where none have, True on hold.
    """

    KIND: ClassVar[int] = 5
    call: int
    at_ns: int
    played: int
    pcm: bytes
    ours: bytes = b""
    received: bool = True


@dataclass(frozen=True, slots=True)
class Digit:
    """A key was pressed. Personal data: it goes to the dialogue and into no log."""

    KIND: ClassVar[int] = 6
    call: int
    digit: str
    method: Literal["rfc4733", "info"]


@dataclass(frozen=True, slots=True)
class Held:
    """The peer put the call on hold; `Audio` goes on as silence, `Play` frames wait."""

    KIND: ClassVar[int] = 7
    call: int


@dataclass(frozen=True, slots=True)
class Resumed:
    """The peer took the call off hold."""

    KIND: ClassVar[int] = 8
    call: int


@dataclass(frozen=True, slots=True)
class TransferResult:
    """How a `Transfer` ended: 2xx, then the line hangs up by itself; else the call goes on."""

    KIND: ClassVar[int] = 9
    call: int
    code: int
    reason: str


@dataclass(frozen=True, slots=True)
class CallDown:
    """The last word about a call. `code` is the SIP status that ended it, 200 for a BYE."""

    KIND: ClassVar[int] = 10
    call: int
    code: int
    reason: str
    by: EndedBy


@dataclass(frozen=True, slots=True)
class Registration:
    """What the registrar answered; `expires_s` is 0 where we are not registered."""

    KIND: ClassVar[int] = 11
    code: int
    reason: str
    expires_s: int


@dataclass(frozen=True, slots=True)
class Alive:
    """The line's loop still turns; once a second.

    `dropped_frames` never reached the agent because it did not read; `dropped_requests` never
    reached pjsip because they exceeded what a line takes (see `admission`). `cpu_ms`: CPU time of
    the process so far, which the agent may not be allowed to see for itself. `refused_full` and
    `refused_closed` count calls that the line refused by itself: for want of room; and because
    there was no agent, or one of both was about to end. All are counted from the line's start.
    """

    KIND: ClassVar[int] = 12
    dropped_frames: int
    dropped_requests: int
    cpu_ms: int
    refused_full: int = 0
    refused_closed: int = 0


@dataclass(frozen=True, slots=True)
class Answer:
    """Accept a call that arrived."""

    KIND: ClassVar[int] = 64
    call: int


@dataclass(frozen=True, slots=True)
class Reject:
    """Refuse a call that arrived, with a SIP status from 300 to 699."""

    KIND: ClassVar[int] = 65
    call: int
    code: int


@dataclass(frozen=True, slots=True)
class Play:
    """The next 20 ms to say."""

    KIND: ClassVar[int] = 66
    call: int
    pcm: bytes


@dataclass(frozen=True, slots=True)
class Flush:
    """Barge-in: drop every frame that has not gone out yet."""

    KIND: ClassVar[int] = 67
    call: int


@dataclass(frozen=True, slots=True)
class HangUp:
    """End the call."""

    KIND: ClassVar[int] = 68
    call: int


@dataclass(frozen=True, slots=True)
class Transfer:
    """Send the caller to `target`, a SIP URI (blind, RFC 3515)."""

    KIND: ClassVar[int] = 69
    call: int
    target: str


@dataclass(frozen=True, slots=True)
class SendDigits:
    """Press keys towards the peer (RFC 4733)."""

    KIND: ClassVar[int] = 70
    call: int
    digits: str


@dataclass(frozen=True, slots=True)
class Dial:
    """Place a call; the agent chooses the number, from DIALLED_CALLS up."""

    KIND: ClassVar[int] = 71
    call: int
    uri: str


@dataclass(frozen=True, slots=True)
class Shutdown:
    """Hang up everything, unregister and exit."""

    KIND: ClassVar[int] = 72


@dataclass(frozen=True, slots=True)
class Redirect:
    """Refuse a call that arrived by sending it to `target`, a SIP URI (302)."""

    KIND: ClassVar[int] = 73
    call: int
    target: str


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """What calls are told that come to a full line, from now on.

    `target` is a SIP URI that they are redirected to (302); empty: busy (486), as at the start.
    """

    KIND: ClassVar[int] = 74
    target: str


@dataclass(frozen=True, slots=True)
class Part:
    """End the call with the parting words, without waiting for anything else of the agent's."""

    KIND: ClassVar[int] = 75
    call: int


@dataclass(frozen=True, slots=True)
class PartingWords:
    """A piece of what callers hear before a call that cannot go on is ended.

    The agent sends them when it takes the line up, so that they can be said when it is gone.
    The piece with `last` ends them; they take the place of those before. s16le, 8 kHz.
    """

    KIND: ClassVar[int] = 76
    last: bool
    pcm: bytes


@dataclass(frozen=True, slots=True)
class Pulse:
    """The agent's loop still turns; once a second, also where there is nothing to say."""

    KIND: ClassVar[int] = 77


@dataclass(frozen=True, slots=True)
class Refused:
    """The agent does not take this line, and closes the connection; `reason` names the remedy."""

    KIND: ClassVar[int] = 78
    reason: str


@dataclass(frozen=True, slots=True)
class Drain:
    """The agent is about to end: no new calls on this connection.

    They are told 503 and to come back later, or are redirected to `target` (302), a SIP URI.
    """

    KIND: ClassVar[int] = 79
    target: str


DIALLED_CALLS = 0x80000000
"""Calls that the agent places are numbered from here, those that arrive from 1."""

FromLine = (
    Hello
    | Failed
    | CallArrived
    | CallUp
    | Audio
    | Digit
    | Held
    | Resumed
    | TransferResult
    | CallDown
    | Registration
    | Alive
)
FromAgent = (
    Answer
    | Reject
    | Play
    | Flush
    | HangUp
    | Transfer
    | SendDigits
    | Dial
    | Shutdown
    | Redirect
    | Elsewhere
    | Part
    | PartingWords
    | Pulse
    | Refused
    | Drain
)
Message = FromLine | FromAgent

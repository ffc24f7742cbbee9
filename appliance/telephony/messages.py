"""The words between a line process and the agent, one per packet of a SOCK_SEQPACKET socket.

    byte  0        1       2..5             6..
          version  kind    call (u32, BE)   payload

    Audio    at_ns (u64, BE), played (u32, BE), 320 bytes s16le
    Play     320 bytes s16le
    others   a compact JSON object: exactly the fields of the dataclass, less `call`

The socket keeps packet boundaries, so there is no length field. Both ends run the same release;
the version byte turns a mixed installation into a clear error instead of noise on the line.
Values only: no socket, no SIP, no clock.
"""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Literal, get_args, get_type_hints

from appliance.types import FRAME_BYTES

VERSION = 1
MAX_PACKET_BYTES = 8192
"""Longest packet either side sends or accepts; texts from SIP are cut long before."""

_HEADER = struct.Struct(">BBI")
_AUDIO = struct.Struct(">QI")
_U32_MAX = 0xFFFFFFFF

EndedBy = Literal["peer", "agent", "line"]


@dataclass(frozen=True, slots=True)
class Hello:
    """The line is up: SIP port bound, codecs set, ready for calls."""

    KIND: ClassVar[int] = 1
    version: int
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
    """An allowed peer calls (or, after `Dial`, is being called); `peer` is its IP address."""

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
    frames that really went out to the caller so far.
    """

    KIND: ClassVar[int] = 5
    call: int
    at_ns: int
    played: int
    pcm: bytes


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
)
FromAgent = Answer | Reject | Play | Flush | HangUp | Transfer | SendDigits | Dial | Shutdown
Message = FromLine | FromAgent

_CLASSES: dict[int, type[Message]] = {cls.KIND: cls for cls in get_args(Message)}
_TYPES: dict[int, dict[str, Any]] = {
    kind: {
        name: hint
        for name, hint in get_type_hints(cls).items()
        if name not in {"KIND", "call"} and name in {f.name for f in fields(cls)}
    }
    for kind, cls in _CLASSES.items()
}


def serialize_message(message: Message) -> bytes:
    """One packet for the socket.

    Raises:
        ValueError: a field does not fit the format (frame length, range, unpaired surrogate).
    """
    call = getattr(message, "call", 0)
    if not 0 <= call <= _U32_MAX:
        raise ValueError(f"call {call} is not an unsigned 32 bit number")
    header = _HEADER.pack(VERSION, message.KIND, call)
    if isinstance(message, Audio):
        _check_frame(message.pcm)
        return header + _AUDIO.pack(message.at_ns, message.played & _U32_MAX) + message.pcm
    if isinstance(message, Play):
        _check_frame(message.pcm)
        return header + message.pcm
    body = {name: getattr(message, name) for name in _TYPES[message.KIND]}
    _check_fields(message.KIND, body)
    packet = header + (json.dumps(body, separators=(",", ":")).encode() if body else b"")
    if len(packet) > MAX_PACKET_BYTES:
        raise ValueError(f"packet of {len(packet)} bytes is longer than {MAX_PACKET_BYTES}")
    return packet


def parse_message(packet: bytes) -> Message:
    """The message in one packet.

    Raises:
        ValueError: the packet is malformed; the text says how.
    """
    if len(packet) < _HEADER.size:
        raise ValueError(f"packet of {len(packet)} bytes is shorter than its header")
    if len(packet) > MAX_PACKET_BYTES:
        raise ValueError(f"packet of {len(packet)} bytes is longer than {MAX_PACKET_BYTES}")
    version, kind, call = _HEADER.unpack_from(packet)
    if version != VERSION:
        raise ValueError(f"version {version} is not {VERSION}: mixed releases")
    if kind not in _CLASSES:
        raise ValueError(f"kind {kind} is unknown")
    payload = packet[_HEADER.size :]
    if kind == Audio.KIND:
        if len(payload) != _AUDIO.size + FRAME_BYTES:
            raise ValueError(f"audio payload of {len(payload)} bytes")
        at_ns, played = _AUDIO.unpack_from(payload)
        return Audio(call, at_ns, played, payload[_AUDIO.size :])
    if kind == Play.KIND:
        _check_frame(payload)
        return Play(call, payload)
    return _build(kind, call, _parse_body(payload))


def _parse_body(payload: bytes) -> dict[str, Any]:
    """The JSON object of a payload; an empty payload is an empty object."""
    if not payload:
        return {}
    try:
        body = json.loads(payload.decode("ascii"))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"payload is not JSON: {error}") from error
    if not isinstance(body, dict) or not body:
        raise ValueError("payload is not an object with fields")
    return body


def _build(kind: int, call: int, body: dict[str, Any]) -> Message:
    """Make the dataclass after checking that the body has exactly its fields."""
    _check_fields(kind, body)
    cls: Any = _CLASSES[kind]
    if any(f.name == "call" for f in fields(cls)):
        message: Message = cls(call=call, **body)
        return message
    if call:
        raise ValueError(f"{cls.__name__} belongs to no call, but names {call}")
    about_line: Message = cls(**body)
    return about_line


def _check_fields(kind: int, body: dict[str, Any]) -> None:
    name = _CLASSES[kind].__name__
    types = _TYPES[kind]
    if body.keys() != types.keys():
        raise ValueError(f"{name} has fields {sorted(types)}, not {sorted(body)}")
    for key, hint in types.items():
        value = body[key]
        allowed = get_args(hint)
        if (value not in allowed) if allowed else (type(value) is not hint):
            raise ValueError(f"{name}.{key} is not {hint}: {type(value).__name__}")
        if isinstance(value, str) and any("\ud800" <= char <= "\udfff" for char in value):
            raise ValueError(f"{name}.{key} holds an unpaired surrogate")


def _check_frame(pcm: bytes) -> None:
    if len(pcm) != FRAME_BYTES:
        raise ValueError(f"frame of {len(pcm)} bytes, not {FRAME_BYTES}")

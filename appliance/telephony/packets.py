"""Messages as packets of a SOCK_SEQPACKET socket.

    byte  0        1       2..5             6..
          version  kind    call (u32, BE)   payload

    Audio         at_ns (u64, BE), played (u32, BE), received (0 or 1), 320 bytes s16le of the
                  caller's, 320 bytes of ours where we said something
    Play          320 bytes s16le
    PartingWords  last (0 or 1), 0 to 25 times 320 bytes s16le
    others        a compact JSON object: exactly the fields of the dataclass, less `call`;
                  nothing where there are none

The socket keeps packet boundaries, so there is no length field. The version byte turns a mixed
installation into a clear error instead of noise on the line.
"""

from __future__ import annotations

import json
import struct
from dataclasses import fields
from typing import Any, get_args, get_type_hints

from appliance.telephony.messages import VERSION, Audio, Message, PartingWords, Play
from appliance.types import FRAME_BYTES

MAX_PACKET_BYTES = 8192
"""Longest packet either side sends or accepts; texts from SIP are cut long before."""

_HEADER = struct.Struct(">BBI")
_AUDIO = struct.Struct(">QI?")
_PARTING = struct.Struct(">?")
FRAMES_A_PIECE = 25
"""Most frames in one piece of the parting words; longer packets are refused."""

_AUDIO_SIZES = (_AUDIO.size + FRAME_BYTES, _AUDIO.size + 2 * FRAME_BYTES)
_U32_MAX = 0xFFFFFFFF

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
        if message.ours:
            _check_frame(message.ours)
        facts = _AUDIO.pack(message.at_ns, message.played & _U32_MAX, message.received)
        return header + facts + message.pcm + message.ours
    if isinstance(message, Play):
        _check_frame(message.pcm)
        return header + message.pcm
    if isinstance(message, PartingWords):
        _check_piece(message.pcm)
        return header + _PARTING.pack(message.last) + message.pcm
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
        if len(payload) not in _AUDIO_SIZES:
            raise ValueError(f"audio payload of {len(payload)} bytes")
        at_ns, played, received = _AUDIO.unpack_from(payload)
        ours = _AUDIO.size + FRAME_BYTES
        return Audio(call, at_ns, played, payload[_AUDIO.size : ours], payload[ours:], received)
    if kind == Play.KIND:
        _check_frame(payload)
        return Play(call, payload)
    if kind == PartingWords.KIND:
        return _parse_parting(call, payload)
    return _build(kind, call, _parse_body(payload))


def _parse_parting(call: int, payload: bytes) -> PartingWords:
    if call or len(payload) < _PARTING.size:
        raise ValueError(f"parting words of {len(payload)} bytes for call {call}")
    (last,) = _PARTING.unpack_from(payload)
    pcm = payload[_PARTING.size :]
    _check_piece(pcm)
    return PartingWords(last, pcm)


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


def _check_piece(pcm: bytes) -> None:
    if len(pcm) % FRAME_BYTES or len(pcm) > FRAMES_A_PIECE * FRAME_BYTES:
        raise ValueError(f"piece of {len(pcm)} bytes is not up to {FRAMES_A_PIECE} frames")


def _check_frame(pcm: bytes) -> None:
    if len(pcm) != FRAME_BYTES:
        raise ValueError(f"frame of {len(pcm)} bytes, not {FRAME_BYTES}")

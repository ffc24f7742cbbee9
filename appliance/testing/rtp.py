"""RTP packets (RFC 3550) and telephone events (RFC 4733), parsed and serialized.

Pure: no socket, no clock. Whoever receives a malformed packet catches `ValueError` and counts it.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

_HEADER = struct.Struct("!BBHII")
_EVENT = struct.Struct("!BBH")
_VERSION = 2

DIGITS = "0123456789*#ABCD"
"""Event codes 0 to 15 (RFC 4733, section 3.2)."""


@dataclass(frozen=True, slots=True)
class RtpPacket:
    """One RTP packet without its CSRC list, header extension and padding.

    `sequence` is 0..65535, `timestamp` and `ssrc` 0..2**32-1, `payload_type` 0..127.
    """

    payload_type: int
    sequence: int
    timestamp: int
    ssrc: int
    payload: bytes
    marker: bool = False


@dataclass(frozen=True, slots=True)
class TelephoneEvent:
    """A key press in progress: `duration` in timestamp units, `volume` in -dBm0 (0..63)."""

    digit: str
    duration: int
    end: bool = False
    volume: int = 10


def parse_packet(data: bytes) -> RtpPacket:
    """Read one datagram.

    Raises:
        ValueError: it is truncated, of another version, or its padding does not fit.
    """
    if len(data) < _HEADER.size:
        raise ValueError(f"RTP header needs {_HEADER.size} bytes, got {len(data)}")
    first, second, sequence, timestamp, ssrc = _HEADER.unpack_from(data)
    if first >> 6 != _VERSION:
        raise ValueError(f"RTP version is {first >> 6}, not {_VERSION}")
    start = _HEADER.size + 4 * (first & 0x0F)
    if len(data) < start:
        raise ValueError("RTP CSRC list is truncated")
    if first & 0x10:
        start = _skip_extension(data, start)
    end = len(data)
    if first & 0x20:
        padding = data[-1] if end > start else 0
        if not 0 < padding <= end - start:
            raise ValueError(f"RTP padding of {padding} bytes does not fit the packet")
        end -= padding
    return RtpPacket(
        payload_type=second & 0x7F,
        sequence=sequence,
        timestamp=timestamp,
        ssrc=ssrc,
        payload=data[start:end],
        marker=bool(second & 0x80),
    )


def serialize_packet(packet: RtpPacket) -> bytes:
    """Write one datagram.

    Raises:
        ValueError: a field is out of its range.
    """
    if not 0 <= packet.payload_type <= 127:
        raise ValueError(f"RTP payload type {packet.payload_type} is not in 0..127")
    second = packet.payload_type | (0x80 if packet.marker else 0)
    try:
        header = _HEADER.pack(_VERSION << 6, second, packet.sequence, packet.timestamp, packet.ssrc)
    except struct.error as error:
        raise ValueError(f"RTP field out of range: {error}") from error
    return header + packet.payload


def parse_event(payload: bytes) -> TelephoneEvent:
    """Read the payload of a telephone-event packet.

    Raises:
        ValueError: it is truncated, or the event is no key.
    """
    if len(payload) < _EVENT.size:
        raise ValueError(f"telephone event needs {_EVENT.size} bytes, got {len(payload)}")
    code, flags, duration = _EVENT.unpack_from(payload)
    if code >= len(DIGITS):
        raise ValueError(f"telephone event {code} is no key")
    return TelephoneEvent(DIGITS[code], duration, end=bool(flags & 0x80), volume=flags & 0x3F)


def serialize_event(event: TelephoneEvent) -> bytes:
    """Write the payload of a telephone-event packet.

    Raises:
        ValueError: the digit is unknown, or a field is out of its range.
    """
    code = DIGITS.find(event.digit)
    if code < 0 or len(event.digit) != 1:
        raise ValueError(f"{event.digit!r} is not one of the keys {DIGITS}")
    if not (0 <= event.volume <= 63 and 0 <= event.duration <= 0xFFFF):
        raise ValueError("telephone event needs volume 0..63 and duration 0..65535")
    return _EVENT.pack(code, (0x80 if event.end else 0) | event.volume, event.duration)


def _skip_extension(data: bytes, start: int) -> int:
    """Where the payload begins behind the header extension at `start`."""
    if len(data) < start + 4:
        raise ValueError("RTP header extension is truncated")
    words = int.from_bytes(data[start + 2 : start + 4], "big")
    end = start + 4 + 4 * words
    if len(data) < end:
        raise ValueError("RTP header extension is truncated")
    return end

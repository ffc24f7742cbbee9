"""Both sides of a call as one stereo WAV, on the wire's own time.

A packet's samples stand where RTP's timestamp puts them behind the packet that anchors their
stretch, so jitter leaves no clicks; a packet more than `REANCHOR_MS` from there (a new stretch,
lost packets, a slipping clock) is put at the time of its arrival instead.
"""

from __future__ import annotations

import wave
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from appliance.testing.g711 import Samples
from appliance.testing.media import WirePacket
from appliance.types import LINE_RATE_HZ

REANCHOR_MS = 60


def write_recording(path: Path, left: Sequence[WirePacket], right: Sequence[WirePacket]) -> None:
    """Write a stereo WAV, 8 kHz, 16 bit, that begins with the earliest packet of either side.

    Raises:
        ValueError: there is no packet at all.
    """
    if not left and not right:
        raise ValueError("nothing was sent or received: there is no recording to save")
    start_ns = min(side[0].at_ns for side in (left, right) if side)
    sides = [place(left, start_ns), place(right, start_ns)]
    length = max(len(side) for side in sides)
    stereo = np.stack([np.pad(side, (0, length - len(side))) for side in sides], axis=1)
    path.parent.mkdir(parents=True, exist_ok=True)
    with wave.open(str(path), "wb") as file:
        file.setnchannels(2)
        file.setsampwidth(2)
        file.setframerate(LINE_RATE_HZ)
        file.writeframes(stereo.astype("<i2").tobytes())


def place(packets: Sequence[WirePacket], start_ns: int) -> Samples:
    """Samples of one side from `start_ns` on; int16, silence where no packet was."""
    positions = _positions(packets, start_ns)
    ends = [at + len(packet.samples) for at, packet in zip(positions, packets, strict=True)]
    track = np.zeros(max(ends, default=0), np.int16)
    for at, packet in zip(positions, packets, strict=True):
        track[at : at + len(packet.samples)] = packet.samples
    return track


def _positions(packets: Sequence[WirePacket], start_ns: int) -> list[int]:
    """Index of each packet's first sample."""
    positions: list[int] = []
    anchor_at, anchor_timestamp = 0, 0
    for packet in packets:
        arrived = round((packet.at_ns - start_ns) * LINE_RATE_HZ / 1e9)
        ahead = (packet.timestamp - anchor_timestamp + 2**31) % 2**32 - 2**31
        at = anchor_at + ahead
        if not positions or abs(arrived - at) > REANCHOR_MS * LINE_RATE_HZ // 1000:
            anchor_at, anchor_timestamp, at = arrived, packet.timestamp, arrived
        positions.append(max(at, 0))
    return positions

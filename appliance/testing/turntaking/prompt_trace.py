"""Where did a prompt break off? What a caller received, against the same prompt undisturbed.

    undisturbed:  ####  ########  ######     (packets in which the prompt sounds)
    received:     ####  ####                 broke off: it sounds there and not here, for 240 ms

A pause between two words is no stop, so a silence counts only where the undisturbed prompt goes on.
Times are those of packets: nothing is added for what is within them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from appliance.testing.activity import ACTIVE_DBM0, level_dbm0
from appliance.testing.media import WirePacket
from appliance.types import FRAME_MS, FRAME_SAMPLES

Sounding = NDArray[np.bool_]
"""Packet by packet, from the first one in which a prompt sounds: does it? [packets]."""

_GONE_PACKETS = 12  # silence of a prompt that has stopped: 240 ms
_SOUNDING_PACKETS = 9  # of those, in the undisturbed one
_STEADY_PACKETS = 25  # from a moment on in which the caller can interrupt: half a second
_STEADY_PAUSE = 3  # at most so many of them silent in a row: 60 ms


@dataclass(frozen=True, slots=True)
class Trace:
    """A prompt as it was received; `at_ns` holds the arrival of each of its packets."""

    sounding: Sounding
    at_ns: NDArray[np.int64]


def trace(packets: Sequence[WirePacket], from_ns: int = 0, until_ns: int | None = None) -> Trace:
    """What sounds, from the first packet at or after `from_ns` in which anything does.

    Raises:
        ValueError: nothing sounds.
    """
    kept = [packet for packet in packets if packet.at_ns >= from_ns]
    if until_ns is not None:
        kept = [packet for packet in kept if packet.at_ns <= until_ns]
    loud = [level_dbm0(packet.samples) >= ACTIVE_DBM0 for packet in kept]
    if not any(loud):
        raise ValueError("nothing was heard")
    first = loud.index(True)
    start = kept[first].timestamp
    count = (kept[-1].timestamp - start) // FRAME_SAMPLES + 1
    sounding, at_ns = np.zeros(count, np.bool_), np.zeros(count, np.int64)
    for packet, is_loud in zip(kept[first:], loud[first:], strict=True):
        place = (packet.timestamp - start) // FRAME_SAMPLES
        if 0 <= place < count:
            sounding[place], at_ns[place] = is_loud, packet.at_ns
    return Trace(sounding, at_ns)


def moments(undisturbed: Sounding, after_ms: int) -> NDArray[np.int64]:
    """Packets, `after_ms` or more from the beginning, from which on it sounds for half a second.

    Where a caller begins to speak at one of them, the end of the prompt is not a pause of its own.
    """
    found = []
    for start in range(after_ms // FRAME_MS, len(undisturbed) - _STEADY_PACKETS):
        stretch = undisturbed[start : start + _STEADY_PACKETS]
        if stretch[-1] and _longest_pause(stretch) <= _STEADY_PAUSE:
            found.append(start)
    return np.array(found, np.int64)


def broke_off(undisturbed: Sounding, received: Trace, since: int = 0) -> int | None:
    """The last packet in which an interrupted prompt sounds; None if it was not interrupted.

    `since`: the packet from which on it may have been.
    """
    end = min(len(undisturbed), len(received.sounding)) - _GONE_PACKETS
    for start in range(since, end):
        both = slice(start, start + _GONE_PACKETS)
        if received.sounding[both].any() or undisturbed[both].sum() < _SOUNDING_PACKETS:
            continue
        before = np.flatnonzero(received.sounding[:start])
        return int(before[-1]) if len(before) else 0
    return None


def _longest_pause(stretch: Sounding) -> int:
    longest = current = 0
    for sounds in stretch:
        current = 0 if sounds else current + 1
        longest = max(longest, current)
    return longest

"""What one call of the benchmark came to, as its caller saw it on the wire.

    CallPeer + Spoken… -> CallReport  (JSON, from the caller's process to the benchmark)

Times are `time.monotonic_ns()` of the caller's machine: on the machine of the appliance the
agent's event log has the same clock, elsewhere they only give differences.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict

from appliance.testing.activity import Span
from appliance.testing.dialogue_script import Spoken
from appliance.testing.gaps import response_gaps
from appliance.testing.media import WirePacket
from appliance.testing.peer import CallPeer
from appliance.types import FRAME_SAMPLES

_LATE_MS = 20.0
"""A packet that comes so much later than the promptest of its call missed its place."""
_REANCHOR_SAMPLES = 8000
"""A larger jump of the timestamp is a new stretch (hold, transfer), not lost packets."""
_NS_PER_SAMPLE = 125_000
OPEN = "open"
"""The kind of an utterance for which the script does not tell what was asked."""

Outcome = Literal["done", "diverged", "refused", "failed"]
"""Diverged: the dialogue went another way than the script, and so the appliance hung up sooner, or
not at the script's end. Failed: no answer, no reply, or a call that broke."""


class _Fact(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Utterance(_Fact):
    """One utterance of the caller.

    Attributes:
        kind: what had been asked: the flow's slot, or `OPEN`.
        pauses: places where the caller paused within it.
        gap_ms: last speech packet out to first speech packet in; None where there was no answer,
            or the appliance was speaking at its end.
        cut_off: the appliance began to speak before its end.
    """

    kind: str
    pauses: int
    first_ns: int
    last_ns: int
    gap_ms: float | None = None
    cut_off: bool = False
    over_prompt: bool = False


class Frames(_Fact):
    """Packets of 20 ms from the appliance, and how exact this caller itself was.

    `own_late` counts packets that this caller sent more than 5 ms late: the figures of a call are
    as good as this is small.
    """

    received: int = 0
    missing: int = 0
    late: int = 0
    worst_late_ms: float = 0.0
    sent: int = 0
    own_late: int = 0
    own_worst_late_ms: float = 0.0


class CallReport(_Fact):
    """One call. `outcome` is the call's own fate; what the dialogue came to is in its log."""

    number: int
    script: str
    outcome: Outcome
    why: str = ""
    call_id: str = ""
    expect: str | None = None
    connected_ns: int = 0
    ended_ns: int = 0
    answered_ms: float = 0.0
    utterances: tuple[Utterance, ...] = ()
    frames: Frames = Frames()

    @property
    def seconds(self) -> float:
        """From answer to end."""
        return (self.ended_ns - self.connected_ns) / 1e9


def utterances_of(spoken: Sequence[Spoken], received: Sequence[Span]) -> tuple[Utterance, ...]:
    """Each utterance with the answer to it."""
    asked = [(float(each.span.first_ns), float(each.span.last_ns)) for each in spoken]
    answered = [(float(span.first_ns), float(span.last_ns)) for span in received]
    gaps = {end: (start - end) / 1e6 for end, start in response_gaps(asked, answered)}
    return tuple(
        Utterance(
            kind=each.asked or OPEN,
            pauses=each.pauses,
            first_ns=each.span.first_ns,
            last_ns=each.span.last_ns,
            gap_ms=gaps.get(float(each.span.last_ns)),
            cut_off=not each.over_prompt and began_within(each.span, received),
            over_prompt=each.over_prompt,
        )
        for each in spoken
    )


def began_within(said: Span, received: Sequence[Span]) -> bool:
    """Whether the other side began to speak while this was being said."""
    return any(said.first_ns < span.first_ns < said.last_ns for span in received)


def frames_of(peer: CallPeer) -> Frames:
    """How the packets of a call came and went."""
    missing, delays = arrivals(peer.packets_received)
    promptest = min(delays, default=0.0)
    late = [delay - promptest for delay in delays]
    media = peer.media
    return Frames(
        received=len(delays),
        missing=missing,
        late=sum(1 for each in late if each > _LATE_MS),
        worst_late_ms=round(max(late, default=0.0), 1),
        sent=len(media.sent),
        own_late=media.late_ticks,
        own_worst_late_ms=round(media.worst_late_ms, 1),
    )


def arrivals(packets: Sequence[WirePacket]) -> tuple[int, list[float]]:
    """Frames that are missing, and each packet's arrival against its timestamp, in ms.

    The clock is anchored anew where the timestamp jumps; the delay there starts from that of the
    packet before, so that stretches can be compared.
    """
    missing, delays = 0, list[float]()
    anchor: WirePacket | None = None
    shift_ms, before = 0.0, 0
    for packet in packets:
        step = (packet.timestamp - before + 2**31) % 2**32 - 2**31
        if anchor is None or not 0 < step < _REANCHOR_SAMPLES:
            anchor, shift_ms = packet, delays[-1] if delays else 0.0
        else:
            missing += max(0, round(step / FRAME_SAMPLES) - 1)
        ahead = (packet.timestamp - anchor.timestamp + 2**31) % 2**32 - 2**31
        expected_ns = anchor.at_ns + ahead * _NS_PER_SAMPLE
        delays.append((packet.at_ns - expected_ns) / 1e6 + shift_ms)
        before = packet.timestamp
    return missing, delays

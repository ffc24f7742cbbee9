"""A call's `Timeline` from both of its witnesses: the caller's wire and the appliance's log.

Both count on the same machine's monotonic clock. A turn's log line holds `speech_end_ns` and how
long after it the first audio went out, which ties the log's own milliseconds to that clock.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from appliance.testing.activity import Span
from appliance.testing.peer import CallPeer
from appliance.testing.timeline import Bar, Mark, Timeline
from appliance.types import FRAME_MS

Events = Sequence[Mapping[str, Any]]

_SLACK_MS = 400.0
"""How far the two witnesses may disagree about the end of an utterance or the start of audio."""


def picture_call(
    peer: CallPeer, events: Events, title: str, facts: tuple[tuple[str, str], ...] = ()
) -> Timeline:
    """The timeline of a call that is over, from its answer on.

    Args:
        peer: the caller.
        events: the call's event log; what was heard and said is taken from it, redacted as it is.
        title: the page's heading.
        facts: label/value pairs for the head.

    Raises:
        ValueError: the call was never answered.
    """
    if peer.connected_ns is None:
        raise ValueError("the call was never answered: there is nothing to draw")
    start_ns = peer.connected_ns
    end_ns = peer.hung_up_ns or max((span.last_ns for span in peer.received), default=start_ns)
    turns = [event for event in events if event["t"] == "turn"]
    first_ms = _first_audio_ms(turns, start_ns)
    said = [_interval(span, start_ns) for span in peer.sent]
    heard = [_interval(span, start_ns) for span in peer.received]
    asked = _label_asked(said, peer.sent, _words(events, start_ns))
    prompts = [" · ".join(turn.get("prompts", ())) for turn in turns]
    answered = _label_answered(heard, list(zip(first_ms, prompts, strict=True)))
    marks = tuple(
        Mark(at_ms, turn["decision_ms"], _parts(turn))
        for at_ms, turn in zip(first_ms, turns, strict=True)
        if "first_audio_ms" in turn
    )
    return Timeline(title, (end_ns - start_ns) / 1e6, (*asked, *answered), marks, facts)


def _interval(span: Span, start_ns: int) -> tuple[float, float]:
    """Start and end in ms; a packet's samples last for one frame after its time."""
    return (span.first_ns - start_ns) / 1e6, (span.last_ns - start_ns) / 1e6 + FRAME_MS


def _first_audio_ms(turns: Events, start_ns: int) -> list[float]:
    """When each turn's first audio went out; the log's own time where no speech ended."""
    timed = next((turn for turn in turns if "first_audio_ms" in turn), None)
    offset_ms = _spoken_ms(timed, start_ns) - timed["ms"] if timed else 0.0
    return [
        _spoken_ms(turn, start_ns) if "first_audio_ms" in turn else turn["ms"] + offset_ms
        for turn in turns
    ]


def _spoken_ms(turn: Mapping[str, Any], start_ns: int) -> float:
    return float((turn["speech_end_ns"] - start_ns) / 1e6 + turn["first_audio_ms"])


def _words(events: Events, start_ns: int) -> list[tuple[float, str]]:
    """What was heard, with the end of the speech it was heard in."""
    words, text = [], ""
    for event in events:
        if event["t"] == "heard":
            text = str(event.get("text", ""))
        elif event["t"] == "turn" and "speech_end_ns" in event:
            words.append(((event["speech_end_ns"] - start_ns) / 1e6, text))
            text = ""
    return words


def _label_asked(
    said: Sequence[tuple[float, float]], spans: Sequence[Span], words: list[tuple[float, str]]
) -> list[Bar]:
    """The caller's bars with what the appliance heard in them, or else with what was said."""
    bars = []
    for (start_ms, end_ms), span in zip(said, spans, strict=True):
        heard = [text for at_ms, text in words if start_ms <= at_ms <= end_ms + _SLACK_MS]
        label = f"“{heard[-1]}”" if heard else span.text
        bars.append(Bar("caller", start_ms, end_ms, label))
    return bars


def _label_answered(
    heard: Sequence[tuple[float, float]], prompts: list[tuple[float, str]]
) -> list[Bar]:
    """The appliance's bars; each turn's prompts stand at the bar that begins next after it."""
    labels: dict[int, str] = {}
    for at_ms, label in prompts:
        later = (i for i, (start_ms, _) in enumerate(heard) if start_ms >= at_ms - _SLACK_MS)
        index = next((i for i in later if i not in labels), None)
        if index is not None and label:
            labels[index] = label
    return [Bar("appliance", *span, labels.get(index, "")) for index, span in enumerate(heard)]


def _parts(turn: Mapping[str, Any]) -> str:
    """A turn's times in words."""
    named = (
        ("endpointing", "endpoint_ms"),
        ("recognition", "recognition_ms"),
        ("understanding", "understanding_ms"),
        ("dialogue", "dialogue_ms"),
    )
    return ", ".join(f"{name} {turn[key]:.1f} ms" for name, key in named if key in turn)

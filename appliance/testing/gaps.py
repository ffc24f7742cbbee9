"""Response gaps: how long a caller waited for each answer. One definition for all reports.

Unit-free: intervals are (start, end) pairs in whatever unit and clock the caller of this uses.
"""

from __future__ import annotations

from collections.abc import Sequence

from appliance.testing.activity import Span

Interval = tuple[float, float]


def response_gaps(asked: Sequence[Interval], answered: Sequence[Interval]) -> list[Interval]:
    """From the end of each utterance to the beginning of its answer.

    An utterance has no gap where the other side was speaking at its end (it was talked over), or
    where the next utterance, or the end of the call, came before an answer.
    """
    gaps = []
    for index, (_, end) in enumerate(asked):
        limit = asked[index + 1][0] if index + 1 < len(asked) else float("inf")
        if any(start <= end <= until for start, until in answered):
            continue
        starts = [start for start, _ in answered if end < start < limit]
        if starts:
            gaps.append((end, min(starts)))
    return gaps


def response_gaps_ms(sent: Sequence[Span], received: Sequence[Span]) -> list[float]:
    """The gaps of a call in milliseconds, on the wire: last speech packet out to first one in."""
    asked = [(float(span.first_ns), float(span.last_ns)) for span in sent]
    answered = [(float(span.first_ns), float(span.last_ns)) for span in received]
    return [(start - end) / 1e6 for end, start in response_gaps(asked, answered)]

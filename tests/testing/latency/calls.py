"""Made-up calls with known figures, for the tests of what is computed from them."""

from collections.abc import Sequence

from appliance.testing.latency.agent_logs import Decision, Logged
from appliance.testing.latency.figuring import Material
from appliance.testing.latency.observed import CallReport, Frames, Utterance
from appliance.testing.latency.processor import Busy

S = 1_000_000_000
LENGTH_NS = 2 * S


def utterance(
    at_s: float, gap_ms: float | None, kind: str = "yes_no", *, pauses: int = 0, cut: bool = False
) -> Utterance:
    """Two seconds of speech that begin at a time."""
    first_ns = round(at_s * S)
    return Utterance(
        kind=kind, pauses=pauses, first_ns=first_ns, last_ns=first_ns + LENGTH_NS, gap_ms=gap_ms,
        cut_off=cut,
    )  # fmt: skip


def report(number: int, said: Sequence[Utterance], outcome: str = "done") -> CallReport:
    """A call of a minute that began at 0."""
    return CallReport.model_validate(
        {
            "number": number, "script": "made", "outcome": outcome, "call_id": f"id{number}",
            "expect": "ptp_set", "connected_ns": 1, "ended_ns": 60 * S, "answered_ms": 10.0,
            "utterances": said, "frames": Frames(received=990, missing=10, late=33, sent=1000),
        }
    )  # fmt: skip


def decision(kind: str, decision_ms: float, at_s: float = 10) -> Decision:
    """A turn that ended at a time."""
    parts = {
        "endpoint_ms": 200.0, "recognition_ms": 12.0, "understanding_ms": 1.0, "dialogue_ms": 0.5,
        "decision_ms": decision_ms,
    }  # fmt: skip
    return Decision(kind, round(at_s * S), parts)


def material(concurrency: int, reports: Sequence[CallReport], decision_ms: float = 4.0) -> Material:
    """A level with logs: each call decided twice and reached what its script expects."""
    logs = {
        each.number: Logged(
            (decision("yes_no", decision_ms), decision("zip", decision_ms * 2)),
            outcome="ptp_set",
        )
        for each in reports
    }
    busy = Busy(seconds=60, appliance=0.3 * concurrency, callers=0.1, others=0.2, cores=2)
    return Material(concurrency, reports, logs, [busy])

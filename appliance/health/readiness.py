"""Why the box takes no calls now, if it takes none: what `/readyz` and an operator are told.

    agent, in its loop ── hold(reason), release(reason) ──> Readiness ──> reasons ── HTTP thread

A box begins as one that is loading. Reasons are a closed set, since alerts and runbooks go by them;
what is said beside a reason must hold nothing of a caller.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Literal, get_args

Reason = Literal[
    "loading", "draining", "no_line", "not_registered", "disk_full", "model_broken"
]  # fmt: skip
REASONS: tuple[Reason, ...] = get_args(Reason)


class Readiness:
    """Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._why: dict[Reason, str] = {"loading": "models and prompts are being loaded"}

    def hold(self, reason: Reason, detail: str) -> None:
        """No calls for this reason; `detail` says more, for people."""
        with self._lock:
            self._why[reason] = detail

    def release(self, reason: Reason) -> None:
        """This is no reason any more."""
        with self._lock:
            self._why.pop(reason, None)

    def set(self, reason: Reason, detail: str) -> None:
        """Hold for this reason where there is a detail, release it where that is empty."""
        if detail:
            self.hold(reason, detail)
        else:
            self.release(reason)

    @property
    def reasons(self) -> Mapping[Reason, str]:
        """Each reason with its detail, in the order of `REASONS`; empty if calls are taken."""
        with self._lock:
            return {reason: self._why[reason] for reason in REASONS if reason in self._why}

"""How many requests a client of the desk's API may send: a bucket of tokens for each address."""

from __future__ import annotations

from collections import OrderedDict

PER_S = 20.0
BURST = 60.0
_CLIENTS = 1000  # addresses that are remembered


class Rates:
    """Token buckets; used from the event loop only."""

    def __init__(self, per_s: float = PER_S, burst: float = BURST) -> None:
        self._per_s, self._burst = per_s, burst
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def allows(self, client: str, now_s: float) -> bool:
        """Whether it may send one more now; that one is counted."""
        left, seen = self._left.pop(client, (self._burst, now_s))
        left = min(self._burst, left + (now_s - seen) * self._per_s)
        is_allowed = left >= 1
        self._left[client] = (left - 1 if is_allowed else left, now_s)
        while len(self._left) > _CLIENTS:
            self._left.popitem(last=False)
        return is_allowed

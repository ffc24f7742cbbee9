"""The tools that leave something for people to do: `create_callback_request`, sales leads.

They are kept as they come, whether or not the caller still waits for the answer: somebody who was
promised a call back, or was told that it failed, is called back. The host tries again what the
store refuses (see `host`).
"""

from __future__ import annotations

from typing import Protocol

from appliance.actions.tools import DONE, Claim, Request, Result

CALLBACK = "callback"
LEAD = "lead"


class RequestBook(Protocol):
    """Where they are kept: `store.requests.Requests`."""

    def add(self, asked: Request, kind: str) -> bool:
        """Store a request and its notification; False if it was there. Raises StoreError."""
        ...


class KeepRequest:
    """A tool and a ledger: what it is asked for is stored, now or later."""

    def __init__(self, requests: RequestBook, kind: str) -> None:
        """`kind`: `callback` or `lead`."""
        self._requests = requests
        self._kind = kind

    def __call__(self, request: Request, claim: Claim) -> Result:  # noqa: ARG002 (always wanted)
        """See `Tool`."""
        self.add(request)
        return Result(DONE)

    def add(self, request: Request) -> bool:
        """See `host.Ledger`."""
        return self._requests.add(request, self._kind)

"""What a faulty flow makes the engine do: none of these can come from a flow that was proven.

    FaultyFlowError ── LockedError    something is to be said before its condition holds
                    ── UnknownError   a value is to be used before it is known
                    ── EndlessError   a walk comes to no question, tool or end

They are bugs of the flow, so they end the call; the checker finds every flow that raises one.
"""

from __future__ import annotations


class FaultyFlowError(Exception):
    """A flow that the checker refuses was run all the same."""


class LockedError(FaultyFlowError, PermissionError):
    """Something sealed was to be read before its condition held."""


class UnknownError(FaultyFlowError):
    """A fact or a reason was to be used before it was known."""


class EndlessError(FaultyFlowError):
    """A walk does not come to a question, a tool or an end."""

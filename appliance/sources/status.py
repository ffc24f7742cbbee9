"""How a server is, for people and for the programs that show it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from appliance.sources.tools import Tool

State = Literal["starting", "up", "down", "left alone"]


@dataclass(frozen=True, slots=True)
class SourceStatus:
    """How a server is.

    Attributes:
        state: `left alone` while the breaker is open, whether it is connected or not.
        tools: what it offers; of one that is down, what it offered.
        why: why it is not `up`; empty if it is.
        remedy: what the operator can do; may be empty.
        missing: tools that the configuration names and the server does not have.
    """

    name: str
    state: State
    tools: tuple[Tool, ...] = ()
    why: str = ""
    remedy: str = ""
    missing: tuple[str, ...] = ()

"""What the status flow's tools need of the operator's systems, as small protocols.

    Sources (MCP servers) · Library (documents) · Desk (helpdesk) · Judge (validation service)

`session.outside` puts the real ones behind them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol

from appliance.conversations import Conversation
from appliance.findings import Excerpt, Finding, Lookup

SUBJECT = "Telephone call"
"""Of a conversation that a call has begun."""


class Sources(Protocol):
    """The operator's systems: `sources.hub.Hub`."""

    def look_up(self, lookups: Sequence[Lookup]) -> Mapping[str, Finding]:
        """Call all of them at once; by tool, what came of each. Blocking; never raises.

        No tool is in the list twice. It takes no longer than the longest deadline of their servers.
        """
        ...

    def trouble(self) -> str:
        """Why nothing can be asked; empty while at least one server is up."""
        ...


class Library(Protocol):
    """The operator's documents: `session.library.Library`."""

    def search(self, question: str, limit: int = 3) -> Sequence[Excerpt]:
        """The passages that may answer a question, best first; empty if none is close enough.

        Blocking. Raises StoreError (no index, or it cannot be read) and EngineError.
        """
        ...


class Desk(Protocol):
    """A helpdesk. Blocking; every method raises SourceError or StoreError if it was not done.

    What has a `key` is done once: with the same key again, nothing happens.
    """

    def fetch(self, conversation: str) -> Conversation:
        """A conversation as it is now. Raises SourceError if there is none of that id."""
        ...

    def begin(self, key: str, phone: str, subject: str) -> str:
        """Begin a conversation for a telephone call; its id."""
        ...

    def identify(self, conversation: str, name: str, email: str) -> None:
        """Say whose conversation it is, once that is known."""
        ...

    def hear(self, conversation: str, key: str, text: str) -> None:
        """Keep what the user said on the telephone as a message of the user's."""
        ...

    def reply(self, conversation: str, key: str, text: str, *, spoken: bool = False) -> None:
        """Send a message to the user; `spoken`: keep it only, he has heard it."""
        ...

    def reaches(self, conversation: str) -> bool:
        """Whether a reply that is not spoken gets to the user: he reads here, or has an address."""
        ...

    def note(self, conversation: str, key: str, text: str) -> None:
        """Write an internal note, which the user does not see."""
        ...

    def put_attribute(self, conversation: str, name: str, value: str) -> None:
        """Set a custom attribute."""
        ...

    def snooze(self, conversation: str, until: datetime) -> None:
        """Hide it from the desk's people until then."""
        ...


class Judge(Protocol):
    """The operator's validation service: `actions.validation.HttpJudge`."""

    def judge(self, conversation: str, reply: str, verdict: str) -> str:
        """Its answer, as it came. Blocking. Raises SourceError: unreachable, refused, too late."""
        ...

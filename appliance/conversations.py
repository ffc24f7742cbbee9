"""Conversations of a helpdesk: the words that desks, tools and the agent share.

user writes ──> Conversation(messages, contact, attributes) ──> agent: reply, note, snooze …
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from appliance.errors import SourceError

Role = Literal["user", "assistant"]
"""Who a message counts as: people of the desk and the appliance are both the assistant."""

STATUS = "melvin_status"
"""The attribute of a conversation that says what the agent came to."""

HANDED_OVER = frozenset(
    {"ROUTE_TO_TEAM", "VALIDATION_FAILED", "RESPONSE_FAILED", "error", "MESSAGE_FAILED"}
)
"""Values of it with which a conversation is the desk's people's until they hand it back."""

COPY, RECIPIENT = "copy", "recipient"
"""The kind of a notice that goes to the user, and the name of his address in its details."""


_ADDRESS = re.compile(r"[\w!#$%&'*+/=?^`{|}~-][\w.!#$%&'*+/=?^`{|}~-]{0,63}@\w[\w.-]{0,180}")


def is_address(text: str) -> bool:
    """Whether it is one plain e-mail address; what systems say is not always.

    Two in one line would send an answer to somebody else too, and Python's e-mail package fails on
    quotes and brackets.
    """
    return _ADDRESS.fullmatch(text) is not None


class NoConversationError(SourceError):
    """The desk has no conversation of that id."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation; internal notes are none.

    `by_agent`: written by the appliance, not by a person of the desk.
    """

    id: str
    role: Role
    text: str
    at: datetime
    by_agent: bool = False


@dataclass(frozen=True, slots=True)
class Contact:
    """Whose conversation it is, as far as the desk knows; personal."""

    email: str = ""
    name: str = ""
    phone: str = ""


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation as its desk has it.

    Attributes:
        id: the desk's own id.
        contact: the user.
        messages: oldest first, without internal notes.
        attributes: the desk's custom attributes by name.
        snoozed_until: when it comes back to the people of the desk; None if it is not snoozed.
    """

    id: str
    contact: Contact
    messages: tuple[Message, ...]
    attributes: Mapping[str, str] = field(default_factory=dict)
    snoozed_until: datetime | None = None

    @property
    def belongs_to_people(self) -> bool:
        """Whether the agent has handed it over, and has to stay out of it."""
        return self.attributes.get(STATUS) in HANDED_OVER

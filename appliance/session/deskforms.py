"""What the HTTP API of the own desk takes and gives, as JSON; `deskopenapi` is made of it."""

from __future__ import annotations

import unicodedata
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
)

from appliance.store.conversation_rows import Entry, Heading, Thread

LONGEST_TEXT = 8000
"""Characters of a message or a note."""


def _printable(text: str) -> str:
    """Without control characters, which databases and terminals make something of."""
    return "".join(each for each in text if each in "\n\t" or unicodedata.category(each) != "Cc")


def _said(text: str) -> str:
    said = _printable(text).strip()
    if not said:
        raise ValueError("is empty")
    return said


Line = Annotated[str, AfterValidator(lambda text: " ".join(_printable(text).split()))]
Text = Annotated[
    str, StringConstraints(min_length=1, max_length=LONGEST_TEXT), AfterValidator(_said)
]
_EMAIL = r"^[^\s@<>,;\x00-\x1f\x7f-\x9f]{1,64}@[^\s@<>,;\x00-\x1f\x7f-\x9f]{1,180}$"


def _storable(moment: datetime) -> datetime:
    try:
        return moment.astimezone(UTC)
    except OverflowError as error:
        raise ValueError("is too far away") from error


class Form(BaseModel):
    """A body: unknown keys are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class NewConversation(Form):
    """A user begins a conversation."""

    email: str = Field("", pattern=rf"{_EMAIL}|^$", description="The user's address")
    name: Line = Field("", max_length=200, description="The user's name")
    subject: Line = Field("", max_length=200)
    text: Text = Field(description="The first message")


class NewMessage(Form):
    """A message of the user's, or of a person of the desk."""

    text: Text
    author: Literal["user", "admin"] = "user"


class NewNote(Form):
    """An internal note; the user does not see it."""

    text: Text


class Attribute(Form):
    """The value of a custom attribute."""

    value: Line = Field(max_length=500)


class Snooze(Form):
    """Until when the people of the desk do not see it."""

    until: Annotated[AwareDatetime, AfterValidator(_storable)] = Field(
        description="With its zone, e.g. 2026-11-22T15:00:00Z"
    )


class Created(Form):
    """What was made, or had been made under the same key."""

    conversation: str
    message: str


class Note(Form):
    """A note that was written."""

    conversation: str


class MessageView(Form):
    """A message. `author` is told in the admin view only, `note` likewise."""

    id: str
    role: Literal["user", "assistant"] | None = Field(None, description="None for a note")
    text: str
    at: datetime
    author: Literal["user", "agent", "admin"] | None = None
    note: bool | None = None
    by_phone: bool | None = None


class ConversationView(Form):
    """A conversation. What only people of the desk see is left out in the user view."""

    id: str
    subject: str
    status: Literal["open", "closed"]
    created: datetime
    updated: datetime
    messages: list[MessageView] | None = None
    email: str | None = None
    name: str | None = None
    phone: str | None = None
    attributes: dict[str, str] | None = None
    snoozed_until: datetime | None = None


class ConversationList(Form):
    """A page of conversations; `next` is the value of `after` for the next one."""

    conversations: list[ConversationView]
    next: str | None = None


class Trouble(Form):
    """Every error: what it was, and what helps."""

    error: str
    remedy: str


def user_view(thread: Thread) -> dict[str, Any]:
    """What the user may read: no notes, no attributes."""
    messages = [_shown(each, {}) for each in thread.entries if not each.is_note]
    return {**_head(thread), "messages": messages}


def admin_view(thread: Thread) -> dict[str, Any]:
    """All of it."""
    messages = [
        _shown(each, {"author": each.author, "note": each.is_note, "by_phone": each.by_phone})
        for each in thread.entries
    ]
    return {**_head(thread), **_inside(thread), "messages": messages}


def list_view(headings: list[Heading], limit: int) -> dict[str, Any]:
    """A page for people of the desk, without messages."""
    shown = [{**_head(each), **_inside(each)} for each in headings]
    last = headings[-1].conversation.id if len(headings) == limit else None
    return {"conversations": shown, **({"next": last} if last else {})}


def _head(of: Thread | Heading) -> dict[str, Any]:
    return {
        "id": of.conversation.id,
        "subject": of.subject,
        "status": "closed" if of.is_closed else "open",
        "created": of.created.isoformat(),
        "updated": of.updated.isoformat(),
    }


def _inside(of: Thread | Heading) -> dict[str, Any]:
    contact, until = of.conversation.contact, of.conversation.snoozed_until
    return {
        "email": contact.email, "name": contact.name, "phone": contact.phone,
        "attributes": dict(of.conversation.attributes),
        "snoozed_until": until.isoformat() if until else None,
    }  # fmt: skip


def _shown(entry: Entry, more: dict[str, Any]) -> dict[str, Any]:
    role = None if entry.is_note else ("user" if entry.author == "user" else "assistant")
    shown = {"id": entry.id, "text": entry.text, "at": entry.at.isoformat(), **more}
    return shown if role is None else {**shown, "role": role}

"""The tables of the box's own helpdesk, and how their rows become what others read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import JSON, ForeignKey, Index, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from appliance.conversations import Contact, Conversation, Message, Role
from appliance.store.database import Base
from appliance.store.instants import Instant


class Author(StrEnum):
    """Who wrote; agent and admin both count as the assistant."""

    USER = "user"
    AGENT = "agent"
    ADMIN = "admin"


class ConversationRow(Base):
    """A conversation; `key` is what began it, so that it is begun once.

    `waiting` is the user's last message, until a person answers or the agent is done with it.
    """

    __tablename__ = "conversations"

    id: Mapped[int] = mapped_column(primary_key=True)
    key: Mapped[str] = mapped_column(String(200), unique=True)
    subject: Mapped[str] = mapped_column(String(200))
    email: Mapped[str] = mapped_column(String(254))
    name: Mapped[str] = mapped_column(String(200))
    phone: Mapped[str] = mapped_column(String(64))
    by_phone: Mapped[bool]
    attributes: Mapped[dict[str, Any]] = mapped_column(JSON)
    snoozed_until: Mapped[datetime | None] = mapped_column(Instant)
    closed: Mapped[bool]
    waiting: Mapped[int | None] = mapped_column(index=True)
    created: Mapped[datetime] = mapped_column(Instant)
    updated: Mapped[datetime] = mapped_column(Instant, index=True)


class MessageRow(Base):
    """A message, or a note that the user does not see; `spoken`: by telephone."""

    __tablename__ = "conversation_messages"
    __table_args__ = (Index("message_once", "conversation", "key", unique=True),)

    id: Mapped[int] = mapped_column(primary_key=True)
    conversation: Mapped[int] = mapped_column(ForeignKey("conversations.id"))
    key: Mapped[str] = mapped_column(String(200))
    author: Mapped[str] = mapped_column(String(8))
    note: Mapped[bool]
    spoken: Mapped[bool]
    text: Mapped[str] = mapped_column(Text)
    at: Mapped[datetime] = mapped_column(Instant)


@dataclass(frozen=True, slots=True)
class Entry:
    """A message or a note, as the people of the desk see it; `text` is personal."""

    id: str
    author: Author
    text: str
    at: datetime
    is_note: bool = False
    by_phone: bool = False


@dataclass(frozen=True, slots=True)
class Thread:
    """A conversation, as the people of the desk see it: with its notes.

    `conversation` is what the agent sees of the same.
    """

    conversation: Conversation
    subject: str
    is_closed: bool
    by_phone: bool
    created: datetime
    updated: datetime
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Heading:
    """A conversation in a list: without what was said in it."""

    conversation: Conversation
    subject: str
    is_closed: bool
    created: datetime
    updated: datetime


def conversation_of(row: ConversationRow, messages: Iterable[MessageRow] = ()) -> Conversation:
    """The words that all desks share; notes are left out."""
    return Conversation(
        id=str(row.id),
        contact=Contact(row.email, row.name, row.phone),
        messages=tuple(_message(each) for each in messages if not each.note),
        attributes={name: str(value) for name, value in row.attributes.items()},
        snoozed_until=row.snoozed_until,
    )


def heading_of(row: ConversationRow) -> Heading:
    """What a list shows."""
    return Heading(conversation_of(row), row.subject, row.closed, row.created, row.updated)


def thread_of(row: ConversationRow, messages: list[MessageRow]) -> Thread:
    """All of it."""
    entries = tuple(
        Entry(str(each.id), Author(each.author), each.text, each.at, each.note, each.spoken)
        for each in messages
    )
    return Thread(
        conversation_of(row, messages), row.subject, row.closed, row.by_phone, row.created,
        row.updated, entries,
    )  # fmt: skip


def _message(row: MessageRow) -> Message:
    role: Role = "user" if row.author == Author.USER else "assistant"
    return Message(str(row.id), role, row.text, row.at, row.author == Author.AGENT)

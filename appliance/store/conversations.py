"""The box's own helpdesk: conversations, messages, internal notes, attributes, snooze.

    telephone: begin, identify, hear, reply(spoken) ─┐
    text:      open, write (user) ── waiting() ──> agent: reply, note, put_attribute, snooze
    people:    write (admin), note, hand_back ───────┘

`Conversations` is the `Desk` of the tools and the `Inbox` of the agent that answers text. What has
a key is done once; every method is one transaction.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from appliance.clock import Clock
from appliance.conversations import (
    COPY,
    HANDED_OVER,
    RECIPIENT,
    STATUS,
    Contact,
    Conversation,
    NoConversationError,
    is_address,
)
from appliance.store.conversation_lists import Wanted, chosen, for_the_agent
from appliance.store.conversation_rows import (
    Author,
    ConversationRow,
    Heading,
    MessageRow,
    Thread,
    heading_of,
    thread_of,
)
from appliance.store.database import Database
from appliance.store.outbox import Notice, NoticeRow, enqueue

MAX_ATTRIBUTES = 50
MAX_ENTRIES = 2000
"""Messages and notes that users and people may write; the agent may always."""

_ID_DIGITS = 18  # always fits into SQLite's integers
_COPIES = "email"


class FullError(ValueError):
    """A conversation holds no more of that kind."""


class KeyTakenError(ValueError):
    """A key was used before, for something else."""


class Conversations:
    """The helpdesk in the box's database. Blocking.

    Every method raises StoreError if the database cannot be used, and NoConversationError if there
    is no conversation of the id.
    """

    def __init__(self, database: Database, clock: Clock, channels: Sequence[str] = ()) -> None:
        """With `email` among the channels of notices, users of the telephone get copies by it."""
        self._database, self._clock = database, clock
        self._copies = (_COPIES,) if _COPIES in channels else ()
        database.prepare(ConversationRow, MessageRow, NoticeRow)

    # What the tools of a call do: see `actions.inquiry.Desk`

    def fetch(self, conversation: str) -> Conversation:
        """A conversation as it is now, without notes."""
        return self.thread(conversation).conversation

    def begin(self, key: str, phone: str, subject: str) -> str:
        """Begin a conversation for a telephone call; its id."""
        with self._database.writing() as session:
            row = _begun(session, key) or self._new(session, key, Contact(phone=phone), subject)
            row.by_phone = True
            return str(row.id)

    def identify(self, conversation: str, name: str, email: str) -> None:
        """Say whose conversation it is, once that is known."""
        with self._database.writing() as session:
            row = _row(session, conversation)
            row.name, row.email, row.updated = name, email, self._clock.now()

    def hear(self, conversation: str, key: str, text: str) -> None:
        """Keep what the user said on the telephone: nobody has to answer it by text."""
        with self._database.writing() as session:
            row = _row(session, conversation)
            self._add(session, row, MessageRow(key=key, author=Author.USER, text=text, spoken=True))

    def reply(self, conversation: str, key: str, text: str, *, spoken: bool = False) -> None:
        """A message of the agent's, which the user reads by the API; `spoken`: he has heard it.

        One that is not spoken, in a conversation by telephone, also goes out as an e-mail if the
        user's address is known and the box sends e-mails.
        """
        with self._database.writing() as session:
            row = _row(session, conversation)
            message = MessageRow(key=key, author=Author.AGENT, text=text, spoken=spoken)
            is_new = self._add(session, row, message)
            can_copy = self._copies and is_address(row.email)
            if is_new and row.by_phone and not spoken and can_copy:
                enqueue(session, _copy(row, key, text, self._clock.now()), self._copies)

    def reaches(self, conversation: str) -> bool:
        """Who writes reads answers here; who calls gets them by e-mail, if the box sends any."""
        with self._database.reading() as session:
            row = _row(session, conversation)
            return not row.by_phone or bool(self._copies and is_address(row.email))

    def note(
        self, conversation: str, key: str, text: str, *, author: Author = Author.AGENT
    ) -> None:
        """Write an internal note, which the user does not see.

        Raises:
            KeyTakenError: the key of a person's note wrote something else.
            FullError: there are too many, and it is a person's.
        """
        with self._database.writing() as session:
            row = _row(session, conversation)
            before = None if author is Author.AGENT else _said(session, row, key)
            if before is not None and (before.note, before.text) != (True, text):
                raise KeyTakenError("the key wrote something else")
            if before is None and author is not Author.AGENT:
                _assert_room(session, row)
            self._add(session, row, MessageRow(key=key, author=author, text=text, note=True))

    def put_attribute(self, conversation: str, name: str, value: str) -> None:
        """Set a custom attribute.

        Raises:
            FullError: it would be one too many.
        """
        with self._database.writing() as session:
            row = _row(session, conversation)
            is_new = name not in row.attributes and name != STATUS  # the agent's own always fits
            if is_new and len(row.attributes) >= MAX_ATTRIBUTES:
                raise FullError(f"a conversation has at most {MAX_ATTRIBUTES} attributes")
            row.attributes, row.updated = {**row.attributes, name: value}, self._clock.now()

    def snooze(self, conversation: str, until: datetime | None) -> None:
        """Hide it from the desk's people until then; None: show it again."""
        with self._database.writing() as session:
            row = _row(session, conversation)
            row.snoozed_until, row.updated = until, self._clock.now()

    # What users and people write

    def open(self, key: str, contact: Contact, subject: str, text: str) -> tuple[str, str]:
        """Begin a conversation with its first message; the ids of both.

        Raises:
            KeyTakenError: the key began another.
        """
        with self._database.writing() as session:
            row = _begun(session, key)
            if row is None:
                row = self._new(session, key, contact, subject)
            elif (row.email, row.name) != (contact.email, contact.name):
                raise KeyTakenError("the key began a conversation of another contact")
            return str(row.id), self._write(session, row, Author.USER, key, text)

    def write(self, conversation: str, author: Author, key: str, text: str) -> str:
        """A message of the user's or of a person of the desk; its id.

        The user's ends a snooze, opens what was closed, and waits for the agent.

        Raises:
            KeyTakenError: the key wrote another message.
            FullError: there are too many.
        """
        with self._database.writing() as session:
            return self._write(session, _row(session, conversation), author, key, text)

    def close(self, conversation: str) -> None:
        """Nothing more is to be done, until the user writes again."""
        with self._database.writing() as session:
            row = _row(session, conversation)
            row.closed, row.waiting, row.updated = True, None, self._clock.now()

    def hand_back(self, conversation: str) -> bool:
        """Give it to the agent again; False if it was not the people's.

        A message of the user's that no person has answered, the agent answers now.
        """
        with self._database.writing() as session:
            row = _row(session, conversation)
            if row.attributes.get(STATUS) not in HANDED_OVER:
                return False
            row.attributes = {n: v for n, v in row.attributes.items() if n != STATUS}
            row.updated = self._clock.now()
            return True

    # What is read

    def thread(self, conversation: str) -> Thread:
        """All of a conversation, with its notes."""
        with self._database.reading() as session:
            row = _row(session, conversation)
            messages = session.scalars(
                select(MessageRow).where(MessageRow.conversation == row.id).order_by(MessageRow.id)
            )
            return thread_of(row, list(messages))

    def all(self, wanted: Wanted) -> list[Heading]:
        """Conversations in the order of their ids."""
        rows = chosen(wanted, self._clock.now())
        with self._database.reading() as session:
            return [heading_of(row) for row in session.scalars(rows)]

    # What the agent that answers text looks for: see `session.textdesk.Inbox`

    def waiting(self) -> list[tuple[str, str]]:
        """Conversations that wait for the agent, each with the user's last message; by ids."""
        with self._database.reading() as session:
            return [(str(each.id), str(each.waiting)) for each in session.execute(for_the_agent())]

    def settled(self, conversation: str, message: str) -> None:
        """The agent is done with a message, whatever came of it."""
        with self._database.writing() as session:
            row = _row(session, conversation)
            if str(row.waiting) == message:
                row.waiting = None

    def wake(self) -> None:
        """A snooze here ends by itself."""

    def _new(self, session: Session, key: str, contact: Contact, subject: str) -> ConversationRow:
        now = self._clock.now()
        row = ConversationRow(
            key=key, subject=subject, email=contact.email, name=contact.name, phone=contact.phone,
            by_phone=False, attributes={}, closed=False, created=now, updated=now,
        )  # fmt: skip
        session.add(row)
        session.flush()
        return row

    def _write(
        self, session: Session, row: ConversationRow, author: Author, key: str, text: str
    ) -> str:
        before = _said(session, row, key)
        if before is not None:
            if (before.author, before.text, before.note) != (author, text, False):
                raise KeyTakenError("the key wrote another message")
            return str(before.id)
        _assert_room(session, row)
        message = MessageRow(key=key, author=author, text=text)
        self._add(session, row, message)
        if author == Author.USER:
            row.waiting, row.snoozed_until, row.closed = message.id, None, False
        else:
            row.waiting = None  # a person has answered
        return str(message.id)

    def _add(self, session: Session, row: ConversationRow, message: MessageRow) -> bool:
        """Whether it was not there before."""
        if _said(session, row, message.key) is not None:
            return False
        message.conversation, message.at = row.id, self._clock.now()
        message.note, message.spoken = bool(message.note), bool(message.spoken)
        row.updated = message.at
        session.add(message)
        session.flush()
        return True


def _row(session: Session, conversation: str) -> ConversationRow:
    is_number = conversation.isascii() and conversation.isdigit()
    fits = is_number and len(conversation) <= _ID_DIGITS
    row = session.get(ConversationRow, int(conversation)) if fits else None
    if row is None:
        raise NoConversationError(f"the desk has no conversation {conversation[:40]}")
    return row


def _begun(session: Session, key: str) -> ConversationRow | None:
    return session.scalars(select(ConversationRow).where(ConversationRow.key == key)).first()


def _said(session: Session, row: ConversationRow, key: str) -> MessageRow | None:
    wanted = select(MessageRow).where(MessageRow.conversation == row.id, MessageRow.key == key)
    return session.scalars(wanted).first()


def _assert_room(session: Session, row: ConversationRow) -> None:
    wanted = select(func.count(MessageRow.id)).where(MessageRow.conversation == row.id)
    if session.scalars(wanted).one() >= MAX_ENTRIES:
        raise FullError(f"a conversation has at most {MAX_ENTRIES} messages and notes")


def _copy(row: ConversationRow, key: str, text: str, now: datetime) -> Notice:
    """What `actions.notices` writes to the user instead of the operator."""
    details = {RECIPIENT: row.email, "text": text}
    return Notice(f"copy:{row.id}:{key}", COPY, f"conversation {row.id}", now, details)

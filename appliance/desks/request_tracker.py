"""Request Tracker 5 as the helpdesk, through its REST 2 interface.

    fetch   ticket + history + texts of it      reply       correspond
    begin   a ticket without a requestor        note        comment
    identify  requestor                         attribute   ticket custom field of that name
    snooze  status stalled, Starts = until (RT has no timer): `wake` opens it again

RT has no keys that make a request once. So whatever may have been done before (every request may
have come in though its answer did not) is looked for in the ticket first: comments carry their key
in the subject, replies are compared word by word with those since the user's last message. What
remains: a request that RT works off later than the look at its history, after a time-out here.
"""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Callable
from datetime import UTC, datetime

from appliance.conversations import HANDED_OVER, STATUS, Conversation, is_address
from appliance.desks.rest2 import Rest2
from appliance.desks.rt_reader import MOMENT, TicketReader, path, quoted
from appliance.desks.rt_ticket import (
    HEARD,
    NOTE,
    SPOKEN,
    STALLED,
    Saying,
    Ticket,
    conversation,
    subject,
)
from appliance.errors import SourceError
from appliance.sections import RequestTrackerConfig

_LOOKS, _STALE_S = 4, 2.0  # DBIx::SearchBuilder keeps a row for 5 s
_RIGHTS = "see the rights of the agent's user (docs/desk.md)"
_PLAIN_KEY = re.compile(r"[A-Za-z0-9:._-]{1,100}")
_REMEDY = (
    "make a custom field of that name (for tickets, one value) and apply it to the queue; see"
    " docs/desk.md"
)


class RequestTracker:
    """A `Desk` and an `Inbox`; several threads may use it. Blocking, raises SourceError."""

    def __init__(self, config: RequestTrackerConfig) -> None:
        """Nothing is reached yet.

        Raises:
            ConfigError: the token or the certificates cannot be read.
        """
        self._rest, self._queue = Rest2(config), config.queue
        self._tickets = TicketReader(self._rest)
        self._active: list[Ticket] = []
        self._settled: dict[str, str] = {}

    def close(self) -> None:
        """End the connections."""
        self._rest.close()

    # The desk: see `actions.inquiry.Desk`

    def fetch(self, conversation_id: str) -> Conversation:
        """See `Desk.fetch`."""
        ticket = self._tickets.read(conversation_id)
        return conversation(ticket, self._tickets.contact(ticket), self._tickets.told(ticket))

    def begin(self, key: str, phone: str, subject_: str) -> str:
        """See `Desk.begin`: a ticket whose subject ends with the key."""
        mark = f"[{_plain_key(key)}]"
        query = (
            f"Queue = {quoted(self._queue)} AND Creator = '__CurrentUser__'"
            f" AND Subject LIKE {quoted(mark)}"
        )
        for found in self._rest.items("tickets", {"query": query, "fields": "Subject"}):
            if str(found.get("Subject", "")).endswith(mark):
                return str(found["id"])
        body = {"Queue": self._queue, "Subject": f"{subject_} {phone} {mark}".replace("  ", " ")}
        made = self._rest.post("ticket", body)
        if not isinstance(made, dict) or "id" not in made:
            raise SourceError("request tracker: made no ticket: may the agent's user create them?")
        return str(made["id"])

    def identify(self, conversation_id: str, name: str, email: str) -> None:
        """See `Desk.identify`: the requestor."""
        if not is_address(email):  # RT takes a name or two addresses for users as well
            return
        is_plain = name.isascii() and name.replace(" ", "").isalpha()
        whose = f'"{name}" <{email}>' if is_plain else email
        self._rest.put(path(conversation_id), {"Requestor": [whose]})
        if not self._shows(conversation_id, lambda it: bool(it.requestors)):
            raise SourceError(f"request tracker: took no requestor: {_RIGHTS}")

    def hear(self, conversation_id: str, key: str, text: str) -> None:
        """See `Desk.hear`: a comment, so that RT does not send the user his own words."""
        self._comment(conversation_id, HEARD, key, text)

    def reply(self, conversation_id: str, key: str, text: str, *, spoken: bool = False) -> None:
        """See `Desk.reply`; RT itself sends it to the requestor by e-mail."""
        if spoken:
            self._comment(conversation_id, SPOKEN, key, text)
            return
        told = self._tickets.told(self._tickets.read(conversation_id))
        written = (n for n, each in enumerate(told) if each.role == "user" and not each.key)
        last = max(written, default=-1)
        if any(_is_reply(each, text) for each in told[last + 1 :]):
            return
        self._rest.post(f"{path(conversation_id)}/correspond", _message(text))

    def reaches(self, conversation_id: str) -> bool:
        """See `Desk.reaches`: RT sends an e-mail to the requestor."""
        return is_address(self.fetch(conversation_id).contact.email)

    def note(self, conversation_id: str, key: str, text: str) -> None:
        """See `Desk.note`: a comment."""
        self._comment(conversation_id, NOTE, key, text)

    def put_attribute(self, conversation_id: str, name: str, value: str) -> None:
        """See `Desk.put_attribute`."""
        if name not in self._tickets.read(conversation_id).fields:
            raise SourceError(f"request tracker: no custom field {name}: {_REMEDY}")
        self._rest.put(path(conversation_id), {"CustomFields": {name: value}})
        if not self._shows(conversation_id, lambda it: (it.fields.get(name) or "") == value):
            raise SourceError(f"request tracker: {name} was not set: {_RIGHTS}")

    def snooze(self, conversation_id: str, until: datetime) -> None:
        """See `Desk.snooze`."""
        starts = until.astimezone(UTC).replace(microsecond=0)
        body = {"Status": STALLED, "Starts": starts.strftime(MOMENT)}
        self._rest.put(path(conversation_id), body)
        if not self._shows(conversation_id, lambda it: it.snoozed_until == starts):
            raise SourceError(f"request tracker: was not stalled: {_RIGHTS}")

    # What waits: see `session.textmessage.Inbox`

    def waiting(self) -> list[tuple[str, str]]:
        """See `Inbox.waiting`: tickets of the last days; those first that rest longest."""
        found = []
        self._active = self._tickets.active(self._queue)
        for ticket in self._active:
            if ticket.fields.get(STATUS) in HANDED_OVER:
                continue
            message = self._tickets.look(ticket).waiting
            if message and self._settled.get(ticket.id) != message:
                found.append((ticket.id, message))
        return found

    def settled(self, conversation_id: str, message: str) -> None:
        """See `Inbox.settled`. It is remembered until the box stops."""
        self._settled[conversation_id] = message

    def wake(self) -> None:
        """See `Inbox.wake`: open tickets of the last search that the agent has stalled.

        Those whose time is over, and those in which the user has written since: RT itself opens
        only what is resolved.
        """
        now = datetime.now(UTC)
        for ticket in self._active:
            if ticket.status != STALLED:
                continue
            look = self._tickets.look(ticket)
            is_due = look.written_since or _is_over(ticket, now)
            if look.stalled_by_agent and is_due:
                self._rest.put(path(ticket.id), {"Status": "open"})

    def _shows(self, conversation_id: str, holds: Callable[[Ticket], bool]) -> bool:
        """Whether a change was made: RT answers 200 to one that it has not made.

        Each of its processes may show a ticket as it was some seconds ago, so it is asked again.
        """
        for _ in range(_LOOKS):
            if holds(self._tickets.read(conversation_id)):
                return True
            time.sleep(_STALE_S)
        return False

    def _comment(self, conversation_id: str, kind: str, key: str, text: str) -> None:
        """Comment once: its subject carries the key."""
        told = self._tickets.told(self._tickets.read(conversation_id))
        if all(each.key != key for each in told):
            body = {**_message(text), "Subject": subject(kind, key)}
            self._rest.post(f"{path(conversation_id)}/comment", body)


def _is_over(ticket: Ticket, now: datetime) -> bool:
    return ticket.snoozed_until is not None and ticket.snoozed_until <= now


def _is_reply(each: Saying, text: str) -> bool:
    return each.role == "assistant" and each.by_agent and not each.key and (
        each.text.split() == text.split()
    )  # fmt: skip


def _message(text: str) -> dict[str, str]:
    return {"Content": text, "ContentType": "text/plain"}


def _plain_key(key: str) -> str:
    """A key as a subject can hold it and a search finds it."""
    return key if _PLAIN_KEY.fullmatch(key) else hashlib.sha256(key.encode()).hexdigest()[:32]

"""Reads tickets of a Request Tracker: one with its history, or all that may wait for the agent."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import quote

from appliance.conversations import Contact, NoConversationError
from appliance.desks.rest2 import Rest2
from appliance.desks.rt_ticket import STALLED, Saying, Ticket, parse_ticket, role_of, sayings
from appliance.errors import SourceError

MOMENT = "%Y-%m-%d %H:%M:%S"
"""UTC. RT 5.0.3 stores other forms as they are, and then cannot read them."""

_DAYS = 7  # tickets that rested for longer are not looked at for new messages
_SETTLED_S = 2.0  # RT's times are whole seconds: what changed just now may change again in it
_TEXTS_AT_ONCE = 50
_SAID = ("Create", "Correspond", "Comment")


@dataclass(slots=True)
class Look:
    """What the history of a ticket says without its texts.

    Attributes:
        waiting: the requestor's last message, if no person has answered it.
        stalled_by_agent: whether it was the agent who stalled it last.
        written_since: whether the requestor has written after that.
    """

    waiting: str = ""
    stalled_by_agent: bool = False
    written_since: bool = False

    def see(self, ticket: Ticket, agent: str, transaction: Any) -> None:
        """The next transaction, oldest first."""
        try:
            creator = str(transaction["Creator"]["id"])
            if transaction["Type"] == "Status":
                self.stalled_by_agent = transaction["NewValue"] == STALLED and creator == agent
                self.written_since = False
            role = role_of(ticket, agent, transaction)
            if role == "user":
                self.waiting, self.written_since = str(transaction["id"]), True
            elif role is not None and creator != agent:
                self.waiting = ""
        except (KeyError, TypeError) as error:
            raise SourceError(f"request tracker: a transaction without {error}") from error


class TicketReader:
    """Several threads may use it. Blocking, raises SourceError."""

    def __init__(self, rest: Rest2) -> None:
        self._rest = rest
        self._lock = threading.Lock()
        self._agent = ""
        self._looks: dict[str, tuple[datetime, Look]] = {}

    def active(self, queue: str) -> list[Ticket]:
        """Tickets of a queue that are not resolved and changed within the last days."""
        since = (datetime.now(UTC) - timedelta(days=_DAYS)).strftime(MOMENT)
        query = {
            "query": f"Queue = {quoted(queue)} AND Status = '__Active__'"
            f" AND LastUpdated > '{since}'",
            "fields": "Status,Requestor,Starts,LastUpdated,CustomFields",
            "orderby": "LastUpdated",
        }
        found = [parse_ticket(each) for each in self._rest.items("tickets", query)]
        self._looks = {each.id: self._looks[each.id] for each in found if each.id in self._looks}
        return found

    def look(self, ticket: Ticket) -> Look:
        """What a ticket's history says; from memory if it has not changed since."""
        before = self._looks.get(ticket.id)
        if before is not None and before[0] == ticket.updated:
            return before[1]
        query = {"fields": "Type,Creator,Field,NewValue"}
        look = Look()
        for each in self._rest.items(f"{path(ticket.id)}/history", query):
            look.see(ticket, self.agent(), each)
        now = self._rest.date
        if now is not None and now - ticket.updated > timedelta(seconds=_SETTLED_S):
            self._looks[ticket.id] = (ticket.updated, look)
        return look

    def read(self, conversation_id: str) -> Ticket:
        """A ticket; NoConversationError if there is none."""
        return parse_ticket(self._rest.get(path(conversation_id)))

    def told(self, ticket: Ticket) -> list[Saying]:
        """What was said and noted in it, oldest first."""
        query = {"fields": "Type,Creator,Created"}
        history = list(self._rest.items(f"{path(ticket.id)}/history", query))
        wanted = [str(each["id"]) for each in history
                  if each.get("Type") in _SAID]  # fmt: skip
        return sayings(ticket, self.agent(), history, self._texts(wanted))

    def _texts(self, transactions: list[str]) -> dict[str, Any]:
        """The first text of each, plain before HTML; other attachments are not fetched."""
        texts: dict[str, Any] = {}
        query = {"fields": "Content,ContentType,TransactionId,Subject"}
        for start in range(0, len(transactions), _TEXTS_AT_ONCE):
            wanted: list[dict[str, str]] = [
                {"field": "TransactionId", "value": each}
                for each in transactions[start : start + _TEXTS_AT_ONCE]
            ]
            wanted.append({"field": "ContentType", "operator": "STARTSWITH", "value": "text/"})
            for part in self._rest.items("attachments", query, wanted):
                transaction = str(part.get("TransactionId"))
                there = texts.get(transaction)
                if there is None or (_is_html(there) and not _is_html(part)):
                    texts[transaction] = part
        return texts

    def contact(self, ticket: Ticket) -> Contact:
        """The requestor; nobody where there are several: what is his own is not for the others."""
        if len(ticket.requestors) != 1:
            return Contact()
        user = self._rest.get(f"user/{quote(ticket.requestors[0], safe='')}")
        return Contact(str(user.get("EmailAddress") or ""), str(user.get("RealName") or ""))

    def agent(self) -> str:
        """The agent's user: its number is the middle of the token (RT::AuthToken)."""
        with self._lock:
            if not self._agent:
                number = self._rest.token.split("-")[1:2]
                user = self._rest.get(f"user/{number[0]}") if number else {}
                self._agent = str(user.get("Name", ""))
                if not self._agent:
                    raise SourceError("request tracker: whose token is it? make one in RT 5")
            return self._agent


def path(conversation_id: str) -> str:
    """Where a ticket is; NoConversationError if it can be none."""
    if not (conversation_id.isascii() and conversation_id.isdigit()):
        raise NoConversationError("request tracker: there is no such ticket")
    return f"ticket/{conversation_id}"


def quoted(text: str) -> str:
    """A text in TicketSQL."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _is_html(part: Any) -> bool:
    return bool(part.get("ContentType") == "text/html")

"""A ticket of Request Tracker as a conversation: who said what, and what only people see.

Create, Correspond ── by a requestor ──> user
                   └─ by others ───────> assistant (by the agent's user: by_agent)
Comment ── by the agent, "… by telephone [key]" ──> what was said in a call
        └─ else ──────────────────────────────────> internal note
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from html import unescape
from typing import Any

from appliance.conversations import Contact, Conversation, Message
from appliance.errors import SourceError

HEARD, SPOKEN, NOTE = "user by telephone", "agent by telephone", "note"
"""Subjects of the agent's comments; the key of what they tell stands behind them."""

_SUBJECT = re.compile(rf"({HEARD}|{SPOKEN}|{NOTE}) \[(.*)\]", re.DOTALL)
_NEVER = 86400  # RT writes 1970-01-01 for a date that is not set
STALLED = "stalled"
_LONGEST = 100_000  # characters of a message that are read
_TAG_ENDS = re.compile(">")
_UNSEEN_ENDS = {
    "<!--": re.compile("-->"),
    "<script": re.compile("(?=</script)", re.IGNORECASE),
    "<style": re.compile("(?=</style)", re.IGNORECASE),
}


@dataclass(frozen=True, slots=True)
class Saying:
    """One message or comment of a ticket's history; `role` is None for a note."""

    id: str
    role: str | None
    text: str
    at: datetime
    by_agent: bool
    key: str = ""


@dataclass(frozen=True, slots=True)
class Ticket:
    """What the adapter reads of a ticket."""

    id: str
    status: str
    requestors: tuple[str, ...]
    starts: datetime | None
    updated: datetime
    fields: Mapping[str, str | None]

    @property
    def snoozed_until(self) -> datetime | None:
        """Until when it is stalled."""
        return self.starts if self.status == STALLED else None


def subject(kind: str, key: str) -> str:
    """The subject of a comment that is found again by its key."""
    return f"{kind} [{key}]"


def parse_ticket(body: Any) -> Ticket:
    """A ticket's JSON.

    Raises:
        SourceError: it lacks something.
    """
    try:
        fields = {
            each["name"]: next((value for value in each["values"] if value is not None), None)
            for each in body["CustomFields"]
        }
        starts = parse_moment(body["Starts"])
        return Ticket(
            id=str(body["id"]),
            status=str(body["Status"]),
            requestors=tuple(str(each["id"]) for each in body["Requestor"]),
            starts=starts if starts.timestamp() >= _NEVER else None,
            updated=parse_moment(body["LastUpdated"]),
            fields=fields,
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise SourceError(f"request tracker: a ticket without {_what(error)}") from error


def parse_moment(text: str) -> datetime:
    """A moment as RT writes it, in local time; ValueError if it is none."""
    moment = datetime.fromisoformat(text)
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone()


def sayings(
    ticket: Ticket, agent: str, history: Iterable[Mapping[str, Any]],
    parts: Mapping[str, Mapping[str, Any]],
) -> list[Saying]:  # fmt: skip
    """What was said and noted, oldest first.

    Args:
        ticket: whose history it is.
        agent: name of the agent's user.
        history: the ticket's transactions.
        parts: the text of each transaction, by its id; one without text is left out.

    Raises:
        SourceError: a transaction lacks something.
    """
    told = []
    try:
        for each in history:
            part = parts.get(str(each["id"]))
            if each["Type"] in ("Create", "Correspond", "Comment") and part is not None:
                told.append(_saying(ticket, agent, each, part))
    except (KeyError, TypeError, ValueError) as error:
        raise SourceError(f"request tracker: a transaction without {_what(error)}") from error
    return told


def _what(error: Exception) -> str:
    """What is missing; of another fault only its kind, for its text may quote what was read."""
    return (
        str(error) if isinstance(error, KeyError) else f"what can be read ({type(error).__name__})"
    )


def _saying(ticket: Ticket, agent: str, each: Mapping[str, Any], part: Mapping[str, Any]) -> Saying:
    creator = str(each["Creator"]["id"])
    by_agent = creator == agent
    role, key = role_of(ticket, agent, each), ""
    marked = _SUBJECT.fullmatch(str(part.get("Subject") or ""))
    if each["Type"] == "Comment" and by_agent and marked:
        role = {HEARD: "user", SPOKEN: "assistant", NOTE: None}[marked.group(1)]
        by_agent, key = marked.group(1) != HEARD, marked.group(2)
    at = parse_moment(str(each["Created"]))
    return Saying(str(each["id"]), role, _plain(part), at, by_agent, key)


def role_of(ticket: Ticket, agent: str, transaction: Mapping[str, Any]) -> str | None:
    """Whose message a transaction is; None for none, as far as it tells without its text."""
    if transaction["Type"] not in ("Create", "Correspond"):
        return None
    creator = str(transaction["Creator"]["id"])
    return "user" if creator in ticket.requestors and creator != agent else "assistant"


def conversation(ticket: Ticket, contact: Contact, told: Iterable[Saying]) -> Conversation:
    """The words that all desks share."""
    messages = tuple(
        Message(each.id, "user" if each.role == "user" else "assistant", each.text, each.at,
                each.by_agent)
        for each in told
        if each.role is not None
    )  # fmt: skip
    fields = {name: value for name, value in ticket.fields.items() if value is not None}
    return Conversation(ticket.id, contact, messages, fields, ticket.snoozed_until)


def _plain(part: Mapping[str, Any]) -> str:
    text = str(part.get("Content") or "")[:_LONGEST]
    if part.get("ContentType") == "text/html":
        text = unescape("\n".join(_between_tags(text)))
    return "\n".join(line.rstrip() for line in text.splitlines()).strip()


def _between_tags(markup: str) -> Iterator[str]:
    """The words of HTML, in one pass.

    Whoever can write an e-mail writes this: Python's parser takes 27 s for 60 kB of `<a <a <a`, and
    calls would wait for that.
    """
    place = 0
    while (begin := markup.find("<", place)) >= 0:
        if markup[place:begin].strip():
            yield markup[place:begin]
        tag = markup[begin : begin + 10].lower()
        ends = (each for start, each in _UNSEEN_ENDS.items() if tag.startswith(start))
        end = next(ends, _TAG_ENDS).search(markup, begin)
        if end is None:
            return
        place = end.end()
    if markup[place:].strip():
        yield markup[place:]

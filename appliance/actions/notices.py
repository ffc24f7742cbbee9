"""What the operator is told of a booking, a callback or a lead, as an e-mail and as JSON.

Both hold what the caller said. They go to the operator and nowhere else; logs name the key only.
One kind is not for him: a copy of an answer goes to the address of whoever asked.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from datetime import date, datetime
from email.message import EmailMessage
from email.utils import format_datetime
from typing import Protocol

from appliance.config import EmailConfig
from appliance.conversations import COPY, RECIPIENT


class Notice(Protocol):
    """What is told: `store.outbox.Notice`."""

    @property
    def key(self) -> str:
        """Names it and no other."""
        ...

    @property
    def kind(self) -> str:
        """`booking`, `callback`, `lead` or `copy`."""
        ...

    @property
    def call(self) -> str:
        """Key of the call."""
        ...

    @property
    def at(self) -> datetime:
        """When it happened, with its zone."""
        ...

    @property
    def details(self) -> Mapping[str, str]:
        """By name; personal."""
        ...


_SUBJECTS = {
    "booking": "New booking: {when}",
    "callback": "Please call back: {callback_type}",
    "lead": "Sales lead: please call",
    COPY: "The answer to your question",
}
_LABELS = {
    "number": "Number", "name": "Name", "address": "Address", "zip": "ZIP", "problem": "Problem",
    "preferred_time": "Preferred time", "callback_type": "Kind", "reason": "Reason",
    "urgency": "Urgency", "date": "Date", "begins": "From", "ends": "To",
}  # fmt: skip
_NOT_TOLD = ("confirmed",)


def write_email(notice: Notice, config: EmailConfig) -> EmailMessage:
    """The e-mail; the same notice always has the same Message-ID.

    Nothing that the caller said gets into its head.
    """
    message = EmailMessage()
    message["Subject"] = subject(notice)
    message["From"] = config.sender
    message["To"] = notice.details[RECIPIENT] if is_copy(notice) else ", ".join(config.to)
    message["Date"] = format_datetime(notice.at)
    name = hashlib.sha256(notice.key.encode()).hexdigest()[:32]
    message["Message-ID"] = f"<{name}@{config.sender.rpartition('@')[2]}>"
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(body(notice))
    return message


def is_copy(notice: Notice) -> bool:
    """Whether it goes to the user and not to the operator."""
    return notice.kind == COPY


def subject(notice: Notice) -> str:
    """One line that says what is to be done."""
    details = notice.details
    kind = details.get("callback_type", "")
    plain = kind.replace("_", " ") if kind.isidentifier() else "no reason known"
    return _SUBJECTS.get(notice.kind, "Notification").format(
        when=_when(details), callback_type=plain
    )


def body(notice: Notice) -> str:
    """Each thing that is known on a line of its own; of a copy, the answer and no more."""
    if is_copy(notice):
        return notice.details["text"] + "\n"
    known = {name: value for name, value in notice.details.items()
             if value and name not in _NOT_TOLD}  # fmt: skip
    ordered = [name for name in _LABELS if name in known]
    ordered += [name for name in known if name not in _LABELS]
    lines = [f"{_LABELS.get(name, name)}: {' '.join(known[name].split())}" for name in ordered]
    lines += ["", f"Call {notice.call}, {notice.at:%Y-%m-%d %H:%M}"]
    return "\n".join(lines) + "\n"


def as_json(notice: Notice) -> bytes:
    """The same for programs; the bytes are the same each time."""
    told = {
        "key": notice.key,
        "kind": notice.kind,
        "call": notice.call,
        "at": notice.at.isoformat(),
        "details": {k: v for k, v in notice.details.items() if k not in _NOT_TOLD},
    }
    return json.dumps(told, ensure_ascii=False, sort_keys=True).encode()


def _when(details: Mapping[str, str]) -> str:
    day = date.fromisoformat(details["date"]) if "date" in details else None
    return f"{day:%a %d %b %Y}, {details.get('begins', '')}" if day else "time unknown"

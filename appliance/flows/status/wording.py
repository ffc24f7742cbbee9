"""The approved sentences of answers: the file `wording.yaml`, and how values stand in them.

By telephone a day, a sum or a figure in a quote is words; in writing it is figures.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, time
from decimal import Decimal
from string import Formatter
from typing import Self, get_args

from pydantic import Field, model_validator

from appliance.dialogue.declarations import FlowPart
from appliance.dialogue.speech import speak_date, speak_money, speak_number, speak_time, speak_year
from appliance.flows.status.records import ApplicationStatus, PaymentStatus

SENTENCES: Mapping[str, frozenset[str]] = {
    "no_applications": frozenset(),
    "no_such_application": frozenset(),
    "application_changed": frozenset({"day"}),
    "interview_on": frozenset({"day"}),
    "interview_on_at": frozenset({"day", "time"}),
    "no_interview": frozenset(),
    "can_withdraw": frozenset(),
    "cannot_withdraw": frozenset(),
    "which_application": frozenset({"count"}),
    "applications_count": frozenset({"count"}),
    "applications_first": frozenset({"items"}),
    "applications_all": frozenset({"items"}),
    "applications_next": frozenset({"items"}),
    "applications_last": frozenset({"items"}),
    "application_item": frozenset({"title", "status"}),
    "no_payments": frozenset(),
    "no_such_payment": frozenset(),
    "payment_due": frozenset({"day"}),
    "payment_marked_paid": frozenset({"amount"}),
    "payment_paid": frozenset({"day"}),
    "payment_period": frozenset({"period"}),
    "payments_count": frozenset({"count"}),
    "payments_first": frozenset({"items"}),
    "payments_all": frozenset({"items"}),
    "payments_next": frozenset({"items"}),
    "payments_last": frozenset({"items"}),
    "payment_item": frozenset({"amount", "status"}),
    "payment_item_due": frozenset({"amount", "status", "day"}),
    "payment_item_paid": frozenset({"amount", "status", "day"}),
    "no_such_job": frozenset(),
    "job_open": frozenset({"title"}),
    "job_open_until": frozenset({"title", "day"}),
    "job_closed": frozenset({"title"}),
    "job_pay": frozenset({"amount"}),
    "one_more": frozenset(),
    "more": frozenset({"count"}),
    "guide": frozenset({"title", "quote"}),
    "gap": frozenset({"gaps"}),
    "records_disagree_withdrawal": frozenset(),
    "paid_without_date": frozenset(),
}
"""The sentences that there must be, with what can stand in them."""


class StatusWording(FlowPart):
    """How a status is named and told."""

    name: str = Field(description="In a list, and as it is searched for in the documents")
    says: str


class WordingFile(FlowPart):
    """A whole wording.yaml."""

    applications: dict[ApplicationStatus, StatusWording]
    payments: dict[PaymentStatus, StatusWording]
    hold_reasons: dict[str, str] = Field({}, description="What is told, by the reason on record")
    sentences: dict[str, str]

    @model_validator(mode="after")
    def _complete(self) -> Self:
        for kind, found, wanted in (
            ("applications", set[str](self.applications), set(get_args(ApplicationStatus))),
            ("payments", set[str](self.payments), set(get_args(PaymentStatus))),
            ("sentences", set(self.sentences), set(SENTENCES)),
        ):
            if found != wanted:
                raise ValueError(
                    f"{kind}: {', '.join(sorted(found ^ wanted))}: missing, or unknown"
                )
        texts = {name: (text, SENTENCES[name]) for name, text in self.sentences.items()}
        texts |= {name: (text, frozenset()) for name, text in self.hold_reasons.items()}
        texts |= {n: (s.says, frozenset({"title"})) for n, s in self.applications.items()}
        texts |= {n: (s.says, frozenset({"amount"})) for n, s in self.payments.items()}
        for name, (text, allowed) in texts.items():
            if _braced(text) - allowed:
                raise ValueError(
                    f"{name}: can only have {', '.join(sorted(allowed)) or 'no braces'}"
                )
        return self

    @property
    def status_names(self) -> dict[str, str]:
        """The name of every status of an application."""
        return {status: wording.name for status, wording in self.applications.items()}


@dataclass(frozen=True, slots=True)
class Wording:
    """Sentences with values in them, for one channel."""

    file: WordingFile
    spoken: bool
    today: date

    def say(self, sentence: str, **values: object) -> str:
        """A sentence of the file with its values."""
        return self._fill(self.file.sentences[sentence], values)

    def application(self, status: ApplicationStatus, title: str) -> str:
        """What is said of an application's status."""
        return self._fill(self.file.applications[status].says, {"title": title})

    def hold_reason(self, reason: str) -> str:
        """What is told of why a payment is held; empty for a reason that has no sentence."""
        return self.file.hold_reasons.get(reason.strip().lower(), "")

    def payment(self, status: PaymentStatus, amount: Decimal) -> str:
        """What is said of a payment's status."""
        return self._fill(self.file.payments[status].says, {"amount": amount})

    def value(self, value: object) -> str:
        """A value as it stands in a sentence."""
        if isinstance(value, date):
            return self._day(value)
        if isinstance(value, time):
            clock = f"{value.hour % 12 or 12}:{value:%M %p}"
            return speak_time(value) if self.spoken else clock
        if isinstance(value, Decimal):
            return speak_money(value) if self.spoken else f"${value:,.2f}"
        if isinstance(value, int):
            return speak_number(value) if self.spoken else str(value)
        return figures_as_words(str(value)) if self.spoken else str(value)

    def _day(self, day: date) -> str:
        """A day; of another year with that."""
        told = speak_date(day) if self.spoken else f"{day:%A, %B} {day.day}"
        if day.year == self.today.year:
            return told
        return f"{told}, {speak_year(day.year) if self.spoken else day.year}"

    def listed(self, items: Sequence[str]) -> str:
        """Items of a list in one sentence."""
        joined = "; ".join(items[:-1])
        return f"{joined}; and {items[-1]}" if joined else items[-1]

    def _fill(self, text: str, values: Mapping[str, object]) -> str:
        return text.format_map({name: self.value(value) for name, value in values.items()})


_MONEY = re.compile(r"\$(\d{1,3}(?:,\d{3})*|\d+)(\.\d{2})?(?![\d.,]*\d)")
_RANGE = re.compile(r"(?<![\w-])(\d{1,3}) ?[-–] ?(?=\d{1,3}(?![\w-]))")
_NUMBER = re.compile(r"(?<![\w.])\d{1,6}(?:,\d{3})*(?![\w]|[.,]\d)")


def figures_as_words(text: str) -> str:
    """A text with sums and whole numbers in words, for a voice to say: "5 days", "$20"."""
    text = _RANGE.sub(r"\1 to ", text)
    text = _MONEY.sub(lambda m: speak_money(Decimal(m[0][1:].replace(",", ""))), text)
    text = _NUMBER.sub(lambda m: speak_number(int(m[0].replace(",", ""))), text)
    return text.replace("%", " percent").replace(" & ", " and ")


def _braced(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}

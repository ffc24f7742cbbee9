"""The sample people: what the answers of the tools hold, and where they are read from.

people.yaml ── days from today ──> dates ──> Person, Applications, Payments, Job …
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any, Literal

import yaml
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import BaseModel, ConfigDict

ApplicationState = Literal[
    "received", "under_review", "shortlisted", "interview_scheduled", "offer_made", "hired",
    "rejected", "withdrawn",
]  # fmt: skip
PaymentState = Literal["scheduled", "processing", "paid", "on_hold", "failed"]
_AGO = re.compile(r"(?P<days>[+-]\d+) days?(?: at (?P<time>\d\d:\d\d))?")


class Answer(BaseModel):
    """What all answers have in common: nothing in them that is not declared."""

    model_config = ConfigDict(extra="forbid")


class Person(Answer):
    """Who has a telephone number or an e-mail address, if anybody has."""

    found: bool
    person_id: str | None = None
    name: str | None = None
    email: str | None = None
    phone: str | None = None


class Match(Answer):
    """Whether what a caller said is right; what would be right is not told."""

    match: bool


class Application(Answer):
    """One line of a list."""

    application_id: str
    job_title: str
    applied_on: date
    status: ApplicationState
    updated_on: date


class Applications(Answer):
    """The newest first."""

    as_of: datetime
    applications: list[Application]


class ApplicationDetail(Answer):
    """All about one application."""

    as_of: datetime
    application_id: str
    job_title: str
    status: ApplicationState
    updated_on: date
    next_step: str | None = None
    interview_on: date | None = None
    interview_at: str | None = None
    can_withdraw: bool


class Payment(Answer):
    """An amount in US dollars, as text: 123.45."""

    payment_id: str
    amount: str
    status: PaymentState
    period: str
    due_on: date | None = None
    paid_on: date | None = None
    hold_reason: str | None = None


class Payments(Answer):
    """The newest first."""

    as_of: datetime
    payments: list[Payment]


class Job(Answer):
    """A job, and whether it can still be applied for; `open` is null where there is no such job."""

    as_of: datetime
    job_title: str | None = None
    open: bool | None = None
    closes_on: date | None = None
    pay: str | None = None


def read_data(path: Path) -> Mapping[str, Any]:
    """The file as it is, its dates still counted in days."""
    data: Mapping[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return data


class Records:
    """The data of the file, with its dates counted from a day."""

    def __init__(self, data: Mapping[str, Any], now: datetime) -> None:
        """`data`: as `read_data` gives it."""
        dated: Mapping[str, Any] = _dated(data, now)
        self._people: Mapping[str, Any] = dated["people"]
        self._jobs: Mapping[str, Any] = dated["jobs"]
        self._now = now

    def find(self, phone: str | None, email: str | None) -> Person:
        """Who has this number or address; both must fit where both are given."""
        for person_id, each in self._people.items():
            wanted = {"phone": phone and _digits(phone), "email": email and email.lower()}
            has = {"phone": _digits(each["phone"]), "email": each["email"].lower()}
            asked = {key: value for key, value in wanted.items() if value}
            if asked and all(has[key] == value for key, value in asked.items()):
                return Person(
                    found=True, person_id=person_id, name=each["name"], email=each["email"],
                    phone=each["phone"],
                )  # fmt: skip
        return Person(found=False)

    def has_zip(self, person_id: str, zip_code: str) -> bool:
        """Whether a person lives there."""
        return str(self._person(person_id)["zip"]) == zip_code

    def applications(self, person_id: str) -> Applications:
        """All applications of a person."""
        fields = set(Application.model_fields)
        return Applications(
            as_of=self._as_of(person_id),
            applications=[
                Application(application_id=key, **{name: value for name, value in each.items()
                                                   if name in fields})
                for key, each in self._person(person_id)["applications"].items()
            ],
        )  # fmt: skip

    def application(self, person_id: str, application_id: str) -> ApplicationDetail:
        """One application of a person."""
        every = self._person(person_id)["applications"]
        if application_id not in every:
            raise ToolError("no such application")
        found = every[application_id]
        listed = {key: found[key] for key in ("job_title", "status", "updated_on")}
        return ApplicationDetail(
            as_of=self._as_of(person_id), application_id=application_id,
            **(listed | found["detail"]),
        )  # fmt: skip

    def payments(self, person_id: str) -> Payments:
        """All payments to a person."""
        return Payments(
            as_of=self._as_of(person_id),
            payments=[
                Payment(payment_id=key, **each)
                for key, each in self._person(person_id)["payments"].items()
            ],
        )

    def job(self, job_title: str) -> Job:
        """A job by its title."""
        for title, each in self._jobs.items():
            if title.casefold() == job_title.strip().casefold():
                return Job(as_of=self._now, job_title=title, **each)
        return Job(as_of=self._now)

    def _as_of(self, person_id: str) -> datetime:
        as_of: datetime = self._person(person_id).get("as_of", self._now)
        return as_of

    def _person(self, person_id: str) -> Mapping[str, Any]:
        if person_id not in self._people:
            raise ToolError("no such person")
        found: Mapping[str, Any] = self._people[person_id]
        return found


def _dated(data: Any, now: datetime) -> Any:
    """Every text like `-3 days` as a date, and `-3 days at 09:00` as a time."""
    match data:
        case dict():
            return {key: _dated(each, now) for key, each in data.items()}
        case list():
            return [_dated(each, now) for each in data]
        case str() if (found := _AGO.fullmatch(data)) is not None:
            day = now + timedelta(days=int(found["days"]))
            if found["time"] is None:
                return day.date()
            hour, minute = map(int, found["time"].split(":"))
            return day.replace(hour=hour, minute=minute, second=0)
    return data


def _digits(number: str) -> str:
    return re.sub(r"\D", "", number)

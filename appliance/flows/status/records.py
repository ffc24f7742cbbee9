"""What the operator's systems say, as records: nothing is used that is not of this form.

    JSON of a tool ── read_record ──> Application, Payment, Job, …  or UnreadableError

An error names the tool, the place and what is wrong there, and never the value: it may be personal.
"""

from __future__ import annotations

from datetime import date, datetime, time
from decimal import Decimal
from typing import Annotated, Any, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, StringConstraints, ValidationError
from pydantic_core import PydanticCustomError

from appliance.dialogue.speech import parse_money

ApplicationStatus = Literal[
    "received",
    "under_review",
    "shortlisted",
    "interview_scheduled",
    "offer_made",
    "hired",
    "rejected",
    "withdrawn",
]
PaymentStatus = Literal["scheduled", "processing", "paid", "on_hold", "failed"]

_MOST_DIGITS = 6  # of a year and a week; a telephone number has more


def _without_number(name: str) -> str:
    if sum(char.isdigit() for char in name) > _MOST_DIGITS:
        raise PydanticCustomError("string_pattern_mismatch", "has a number")
    return name


Label = Annotated[
    str,
    StringConstraints(
        strip_whitespace=True, min_length=1, max_length=80, pattern=r"^[A-Za-z0-9À-ɏ &/,'()+#:–-]+$"
    ),
    AfterValidator(_without_number),
]
"""A short name that is said as it stands: a job title, a period.

No second sentence fits in, no address of the web, and no telephone number.
"""

Amount = Annotated[Decimal, AfterValidator(parse_money)]


class UnreadableError(ValueError):
    """Data cannot be read; the message holds none of it."""


class Record(BaseModel):
    """What all records have in common. More than they name may be there; it is not used."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class Person(Record):
    """Who a conversation is with."""

    person_id: str
    name: str = ""
    email: str = ""


class Listed(Record):
    """One application as planning needs it: which one it is."""

    application_id: str
    job_title: str
    status: str = ""
    updated_on: str = ""


class Dated(Record):
    """What a tool says of the moment `as_of`."""

    as_of: datetime


class ApplicationIndex(Dated):
    """The list of a person's applications, before what it says of each is read."""

    applications: tuple[Listed, ...]


class PaymentIndex(Dated):
    """The list of a person's payments, before what it says of each is read."""

    payments: tuple[dict[str, Any], ...]


class Application(Record):
    """One application of a list."""

    application_id: str
    job_title: Label
    status: ApplicationStatus
    updated_on: date


class Applications(Dated):
    """The list of a person's applications."""

    applications: tuple[Application, ...]


class ApplicationDetail(Dated):
    """One application with its details."""

    application_id: str
    job_title: Label
    status: ApplicationStatus
    updated_on: date
    interview_on: date | None = None
    interview_at: time | None = None
    can_withdraw: bool


class Payment(Record):
    """One payment of a list; money in dollars."""

    payment_id: str
    amount: Amount
    status: PaymentStatus
    period: Label | None = None
    due_on: date | None = None
    hold_reason: str | None = None
    paid_on: date | None = None


class Payments(Dated):
    """The list of a person's payments."""

    payments: tuple[Payment, ...]


class Job(Dated):
    """A job that is or was offered; `open` is None where there is none of that name.

    Pay is in dollars an hour.
    """

    job_title: Label | None = None
    open: bool | None = None
    closes_on: date | None = None
    pay: Amount | None = None


RecordT = TypeVar("RecordT", bound=Record)

_WRONG = {
    "missing": "is missing",
    "literal_error": "is not a word that is known here",
    "string_pattern_mismatch": "has characters that no name has",
    "string_too_long": "is too long",
    "string_too_short": "is empty",
    "value_error": "is not an amount of money",
    "decimal_parsing": "is not an amount of money",
    "finite_number": "is not an amount of money",
}


def read_record(model: type[RecordT], data: object, source: str) -> RecordT:
    """Read what a source says as a record.

    Args:
        model: the record.
        data: a JSON value.
        source: what the message calls the source, such as a tool's name.

    Raises:
        UnreadableError: it is not of that form.
    """
    try:
        return model.model_validate(data)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        kind = str(first["type"])
        said = _WRONG.get(kind) or f"is no {_kind_of(kind)}"
        place = ".".join(str(part) for part in first["loc"])
        where = f"{source}: {place}" if place else source
        raise UnreadableError(f"{where} {said}") from None


def _kind_of(error: str) -> str:
    """A pydantic error's type in words: "date_from_datetime_parsing" is about a date."""
    first = error.split("_", maxsplit=1)[0]
    return {"datetime": "date and time", "bool": "yes or no", "string": "text", "model": "record",
            "dict": "record", "tuple": "list"}.get(first, first)  # fmt: skip

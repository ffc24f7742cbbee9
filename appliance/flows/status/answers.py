"""What is told of applications, payments, jobs and guides: approved sentences with their values.

Each function takes data that were found and gives what is told of them, with the fields that the
rules on contradictions look at. Nothing is told that is not in the data.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from appliance.flows.status.evidence import Case, Found
from appliance.flows.status.parts import SPOKEN, WRITTEN, Part, part_of
from appliance.flows.status.planning import latest_first
from appliance.flows.status.quotes import quote
from appliance.flows.status.records import (
    Application,
    ApplicationDetail,
    Applications,
    Job,
    Payment,
    Payments,
)
from appliance.flows.status.selection import at_place, choose
from appliance.flows.status.wording import Wording

INTERVIEWS = frozenset({"interview", "next_step"})
WITHDRAWALS = frozenset({"withdraw_request"})

Fields = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Answer:
    """What is told of one thing.

    Attributes:
        sentences: in their order.
        fields: what the data are, for the rules; one mapping for each record that is told of.
        statuses: statuses of applications that it tells.
        subject: the application that it tells of, if it is one.
        left: items of a list that are left.
        told: items of it that were told, with these.
        asks: whether it asks back, so that nothing may follow it.
    """

    sentences: tuple[str, ...]
    fields: tuple[Fields, ...] = ()
    statuses: tuple[str, ...] = ()
    subject: str = ""
    left: int = 0
    told: int = 0
    asks: bool = False

    @property
    def text(self) -> str:
        """All of it."""
        return " ".join(self.sentences)


@dataclass(frozen=True, slots=True)
class Quoted:
    """A quote from a guide, with its title as it stands in the text."""

    text: str
    title: str
    words: str = field(repr=False)


def tell_applications(
    case: Case, found: Applications, detail: ApplicationDetail | None, wording: Wording
) -> Answer:
    """Where a person's applications stand: the one that is meant, or a part of the list."""
    items = latest_first(found.applications)
    if not items:
        return Answer((wording.say("no_applications"),))
    chosen = choose(items, case.inquiry)
    if chosen is not None:
        own = detail if detail and detail.application_id == chosen.application_id else None
        return _one_application(case, chosen, own, wording)
    if case.inquiry.place:
        return Answer((wording.say("no_such_application"),))
    if WITHDRAWALS & set(case.inquiry.topics):
        return Answer((wording.say("which_application", count=len(items)),), asks=True)
    part = part_of(items, case.inquiry.offset, _size(case))
    told = [
        wording.say("application_item", title=each.job_title, status=_name(wording, each))
        for each in part.items
    ]
    statuses = tuple(each.status for each in part.items)
    sentences = tuple(_listed("applications", part, told, wording))
    return Answer(sentences, (), statuses, "", part.left, part.before + len(part.items))


def tell_payments(case: Case, found: Payments, wording: Wording) -> Answer:
    """Where a person's payments stand: the one that is meant, or a part of the list."""
    items = found.payments
    if not items:
        return Answer((wording.say("no_payments"),))
    chosen = items[0] if len(items) == 1 else at_place(items, _payment_place(case))
    if chosen is not None:
        return Answer(tuple(_one_payment(chosen, wording)), (_payment_fields(chosen, case),))
    if _payment_place(case):
        return Answer((wording.say("no_such_payment"),))
    part = part_of(items, case.inquiry.offset, _size(case))
    told = [_payment_item(each, wording) for each in part.items]
    fields = tuple(_payment_fields(each, case) for each in part.items)
    sentences = tuple(_listed("payments", part, told, wording))
    return Answer(sentences, fields, (), "", part.left, part.before + len(part.items))


def tell_job(job: Job, wording: Wording) -> Answer:
    """Whether a job is open, and what it pays."""
    if job.open is None or job.job_title is None:
        return Answer((wording.say("no_such_job"),))
    if not job.open:
        return Answer((wording.say("job_closed", title=job.job_title),))
    until = job.closes_on
    sentences = [
        wording.say("job_open_until", title=job.job_title, day=until)
        if until
        else wording.say("job_open", title=job.job_title)
    ]
    if job.pay is not None:
        sentences.append(wording.say("job_pay", amount=job.pay))
    return Answer(tuple(sentences))


def tell_guide(case: Case, excerpt: Found, wording: Wording) -> Quoted:
    """What a guide says, with its title."""
    words = quote(excerpt, case.inquiry.searched)
    text = wording.say("guide", title=excerpt.title, quote=words)
    return Quoted(text, wording.value(excerpt.title), words)


def _one_application(
    case: Case, listed: Application, detail: ApplicationDetail | None, wording: Wording
) -> Answer:
    told = detail or listed
    sentences = [
        wording.application(told.status, told.job_title),
        wording.say("application_changed", day=told.updated_on),
    ]
    fields: dict[str, str] = {"application.listed_status": listed.status}
    topics = set(case.inquiry.topics)
    if detail is not None:
        fields["application.status"] = detail.status
        sentences += _interview(detail, wording, asked=bool(topics & INTERVIEWS))
        if topics & WITHDRAWALS:  # else nothing of it is told, so nothing can be contradicted
            fields["application.can_withdraw"] = "yes" if detail.can_withdraw else "no"
            sentences.append(wording.say(_withdrawal(detail)))
    return Answer(tuple(sentences), (fields,), (told.status,), listed.application_id)


def _interview(detail: ApplicationDetail, wording: Wording, *, asked: bool) -> Iterator[str]:
    if detail.status == "interview_scheduled" and detail.interview_on and detail.interview_at:
        yield wording.say("interview_on_at", day=detail.interview_on, time=detail.interview_at)
    elif detail.status == "interview_scheduled" and detail.interview_on:
        yield wording.say("interview_on", day=detail.interview_on)
    elif asked and "interview" in detail.status:
        yield wording.say("no_interview")


def _withdrawal(detail: ApplicationDetail) -> str:
    return "can_withdraw" if detail.can_withdraw else "cannot_withdraw"


def _one_payment(payment: Payment, wording: Wording) -> Iterator[str]:
    if payment.status == "paid" and not payment.paid_on:
        yield wording.say("payment_marked_paid", amount=payment.amount)
    else:
        yield wording.payment(payment.status, payment.amount)
    if payment.status == "paid" and payment.paid_on:
        yield wording.say("payment_paid", day=payment.paid_on)
    elif payment.status in ("scheduled", "processing") and payment.due_on:
        yield wording.say("payment_due", day=payment.due_on)
    if payment.period:
        yield wording.say("payment_period", period=payment.period)
    reason = wording.hold_reason(payment.hold_reason or "")
    if payment.status == "on_hold" and reason:
        yield reason


def _payment_item(payment: Payment, wording: Wording) -> str:
    name = wording.file.payments[payment.status].name
    if payment.status == "paid" and payment.paid_on:
        day, sentence = payment.paid_on, "payment_item_paid"
    elif payment.status in ("scheduled", "processing") and payment.due_on:
        day, sentence = payment.due_on, "payment_item_due"
    else:
        return wording.say("payment_item", amount=payment.amount, status=name)
    return wording.say(sentence, amount=payment.amount, status=name, day=day)


def _payment_fields(payment: Payment, case: Case) -> Fields:
    fields = {"payment.status": str(payment.status)}
    if payment.paid_on is not None:
        is_ahead = payment.paid_on > case.now.date()
        fields["payment.paid_on"] = "future" if is_ahead else str(payment.paid_on)
    return fields


def _payment_place(case: Case) -> int:
    """A place that is named with applications asked about too is one of theirs."""
    both = any(not topic.startswith("payment") for topic in case.inquiry.topics)
    return 0 if both else case.inquiry.place


def _listed(
    kind: str, part: Part[Application] | Part[Payment], told: Sequence[str], wording: Wording
) -> Iterator[str]:
    """A part of a list: how many there are, these, and how many are left."""
    if part.before == 0:
        yield wording.say(f"{kind}_count", count=len(part.items) + part.left)
    if told:
        how = _which(part)
        yield wording.say(f"{kind}_{how}", items=wording.listed(told))
    if part.left:
        yield wording.say("one_more") if part.left == 1 else wording.say("more", count=part.left)


def _which(part: Part[Application] | Part[Payment]) -> str:
    """Which part of a list it is: all of it, the first, one more, or just the last."""
    if part.before == 0:
        return "first" if part.left else "all"
    return "last" if len(part.items) == 1 else "next"


def _name(wording: Wording, application: Application) -> str:
    return wording.file.applications[application.status].name


def _size(case: Case) -> int:
    return SPOKEN if case.spoken else WRITTEN

"""The checks of the status flow: what is asked, what it needs, what to say.

    message ── read ──> inquiry ── plan ──> (gather) ── cover ──> draft ── judge ──> verdict

They work on JSON facts and the files needs.yaml, policy.yaml and wording.yaml, and do no I/O:
looking up, validating and delivering is the tools' work.
"""

from __future__ import annotations

import json
import re

from appliance.dialogue.checks import Check, CheckInput, CheckResult
from appliance.flows.status.coverage import cover as cover_case
from appliance.flows.status.drafting import make_draft
from appliance.flows.status.evidence import read_case
from appliance.flows.status.gathered import Files
from appliance.flows.status.hops import covered, planned
from appliance.flows.status.inquiries import Inquiry, heard, read_inquiry
from appliance.flows.status.needs import NeedsFile
from appliance.flows.status.outcomes import (
    Covered,
    Drafting,
    FollowUp,
    General,
    Judged,
    Message,
    Planned,
    Question,
    Zip,
)
from appliance.flows.status.phrases import plain
from appliance.flows.status.planning import make_plan
from appliance.flows.status.policy import Draft, PolicyFile, parse_draft
from appliance.flows.status.policy import judge as judge_draft
from appliance.flows.status.records import UnreadableError
from appliance.flows.status.wording import WordingFile

DATA = {"needs": NeedsFile, "policy": PolicyFile, "wording": WordingFile}

_ZIP = 5
_MORE = re.compile(
    r"^(?:(?:yes|yeah|sure|okay|ok|please|and) )*(?:go on|more|the next(?: ones?)?|the rest|next"
    r"|continue|keep going|tell me (?:the )?(?:more|others|rest)|what are the others)(?: please)?$"
)
_YES = frozenset({"affirmation", "more_request"})
_COURTESIES = {
    "greeting": "greeting",
    "thanks": "thanks",
    "affirmation": "thanks",
    "filler": "thanks",
}


def read_question(given: CheckInput) -> CheckResult:
    """Read a question by telephone."""
    inquiry = _asked(given)
    if inquiry is None:
        return CheckResult(Question.NONE)
    personal = _needs(given).is_personal(inquiry.topics)
    outcome = Question.PERSONAL if personal else Question.GENERAL
    return CheckResult(outcome, _facts_of(inquiry))


def read_follow_up(given: CheckInput) -> CheckResult:
    """Read what comes after an answer: go on with the list, another question, or neither."""
    if given.facts.get("more") is True and _wants_more(given):
        before = Inquiry.model_validate_json(str(given.facts["inquiry"]))
        offset = parse_draft(str(given.facts["draft"])).offset
        more = before.model_copy(update={"offset": offset})
        return CheckResult(FollowUp.MORE, _facts_of(more))
    found = read_question(given)
    return CheckResult(FollowUp(str(found.outcome)), found.facts)


def read_message(given: CheckInput) -> CheckResult:
    """Read a written message; there is always something to do with it."""
    inquiry = _asked(given)
    if inquiry is not None:
        return CheckResult(Message.QUESTION, _facts_of(inquiry))
    for each in given.understanding.intents:
        if each.name in _COURTESIES:
            return CheckResult(Message(_COURTESIES[each.name]))
    return CheckResult(Message.UNCLEAR)


def read_zip(given: CheckInput) -> CheckResult:
    """Read a ZIP code, said or typed."""
    digits = given.typed or given.understanding.slots.get("digits", "")
    waits = any(each.name == "wait_request" for each in given.understanding.intents)
    if not digits or (waits and len(digits) != _ZIP):  # "one moment" is no digit
        return CheckResult(Zip.NONE)
    if len(digits) != _ZIP:
        return CheckResult(Zip.INCOMPLETE)
    return CheckResult(Zip.GIVEN, {"digits": digits})


def plan_hop(given: CheckInput) -> CheckResult:
    """Plan what to look up; what cannot be read is looked up anew, and coverage tells of it."""
    try:
        case = read_case(given)
        found = make_plan(case, _needs(given), _wording(given).status_names)
    except UnreadableError:
        return CheckResult(Planned.NOTHING)
    if not found:
        return CheckResult(Planned.NOTHING)
    facts = {"plan": found.to_json(), "hops": planned(given, case, found)}
    return CheckResult(Planned.FETCH, facts)


def cover(given: CheckInput) -> CheckResult:
    """Judge whether there is enough to answer."""
    try:
        if "courtesy" in given.facts:
            return CheckResult(Covered.SUFFICIENT, {"coverage": "100", "gaps": _NO_GAPS})
        case = read_case(given)
        found = cover_case(case, _needs(given), _wording(given).status_names)
    except UnreadableError as error:
        return CheckResult(Covered.FAILED, {"error": str(error)})
    outcome = Covered.SUFFICIENT if found.sufficient else Covered.INSUFFICIENT
    gaps = ", ".join(found.gaps) or _NO_GAPS
    facts = {"coverage": str(found.score), "gaps": gaps, "hops": covered(given, case, found)}
    return CheckResult(outcome, facts)


def draft_personal(given: CheckInput) -> CheckResult:
    """Draft a reply for somebody whose personal data may be told."""
    try:
        if "courtesy" in given.facts:
            return CheckResult(Drafting.REPLY, {"draft": _courtesy()})
        case = read_case(given)
        found = make_draft(case, Files(_needs(given), _policy(given), _wording(given)))
    except UnreadableError as error:
        return CheckResult(Drafting.FAILED, {"error": str(error)})
    if found.draft.response_type == "ROUTE_TO_TEAM":
        return CheckResult(Drafting.ROUTE_TO_TEAM)
    part = found.draft.left > 0 and case.spoken
    outcome = Drafting.REPLY_PART if part else Drafting.REPLY
    sections = {"personal_answer": found.personal, "general_answer": found.general}
    told = {name: text for name, text in sections.items() if text}
    return CheckResult(outcome, {**told, "draft": json.dumps(found.draft.model_dump())})


def draft_general(given: CheckInput) -> CheckResult:
    """Draft a reply for anybody: what is personal has not been looked up, and is no part of it."""
    found = draft_personal(given)
    return CheckResult(General(str(found.outcome)), found.facts)


def judge(given: CheckInput) -> CheckResult:
    """Hold the reply, as it will be said, against the policy."""
    drafted = parse_draft(str(given.facts["draft"]))
    verdict = judge_draft(_policy(given), drafted.model_copy(update={"text": given.texts["reply"]}))
    outcome = Judged.PASSED if verdict.overall_passed else Judged.FAILED
    return CheckResult(outcome, {"verdict": verdict.to_json()})


_NO_GAPS = "none"
_PERSONAL = ("personal_answer",)
_GENERAL = ("general_answer",)


def _facts_of(inquiry: Inquiry) -> dict[str, str]:
    return {"inquiry": inquiry.to_json(), "question": inquiry.question}


def _asked(given: CheckInput) -> Inquiry | None:
    return read_inquiry(given, _needs(given), _wording(given).status_names)


def _wants_more(given: CheckInput) -> bool:
    intents = {each.name for each in given.understanding.intents}
    return bool(intents & _YES) or bool(_MORE.search(plain(heard(given))))


def _courtesy() -> str:
    return json.dumps(Draft(intents=("courtesy",)).model_dump())


def _needs(given: CheckInput) -> NeedsFile:
    found: NeedsFile = given.data["needs"]
    return found


def _policy(given: CheckInput) -> PolicyFile:
    found: PolicyFile = given.data["policy"]
    return found


def _wording(given: CheckInput) -> WordingFile:
    found: WordingFile = given.data["wording"]
    return found


_ASKED = ("inquiry", "question")
_COVERED = ("coverage", "gaps")

CHECKS = (
    Check(
        "read_question",
        Question,
        read_question,
        {Question.PERSONAL: _ASKED, Question.GENERAL: _ASKED},
    ),
    Check(
        "read_follow_up",
        FollowUp,
        read_follow_up,
        {FollowUp.PERSONAL: _ASKED, FollowUp.GENERAL: _ASKED, FollowUp.MORE: _ASKED},
    ),
    Check("read_message", Message, read_message, {Message.QUESTION: _ASKED}),
    Check("read_zip", Zip, read_zip, {Zip.GIVEN: ("digits",)}),
    Check("plan_hop", Planned, plan_hop, {Planned.FETCH: ("plan", "hops")}),
    Check(
        "cover",
        Covered,
        cover,
        {Covered.SUFFICIENT: _COVERED, Covered.INSUFFICIENT: _COVERED, Covered.FAILED: ("error",)},
        {Covered.SUFFICIENT: ("hops",), Covered.INSUFFICIENT: ("hops",)},
    ),
    Check(
        "draft_personal",
        Drafting,
        draft_personal,
        {Drafting.REPLY: ("draft",), Drafting.REPLY_PART: ("draft",), Drafting.FAILED: ("error",)},
        {
            Drafting.REPLY: (*_PERSONAL, *_GENERAL),
            Drafting.REPLY_PART: (*_PERSONAL, *_GENERAL),
        },
    ),
    Check(
        "draft_general",
        General,
        draft_general,
        {General.REPLY: ("draft",), General.FAILED: ("error",)},
        {General.REPLY: _GENERAL},
    ),
    Check(
        "judge",
        Judged,
        judge,
        {Judged.PASSED: ("verdict",), Judged.FAILED: ("verdict",)},
    ),
)

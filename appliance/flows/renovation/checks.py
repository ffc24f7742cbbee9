"""The checks of the renovation flow: what of a reply is an answer, and what is something else.

    reply ──> a request for somebody? ──> a question with an approved answer? ──> facts of the plan?

A question's answer is the id of a passage; the flow says its text. Whose question it is says the
passage's topic. Nothing here says anything.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

from appliance.dialogue.checks import Check, CheckInput, CheckResult, Produced
from appliance.flows.renovation.cues import (
    CHECKLIST,
    FINISHED,
    IT_DOES,
    IT_DOES_NOT,
    NOT_SURE,
    WHO,
    WORKERS,
)
from appliance.flows.renovation.intake import own_words, read_plan
from appliance.flows.renovation.personas import ALICE, BOB, PERSONAS
from appliance.flows.renovation.questions import (
    close_answer,
    find_answer,
    intends,
    is_open_question,
    is_question,
    with_question,
    with_topic,
)
from appliance.flows.renovation.transfers import TransferReader, Wanted

_TRANSFERS = TransferReader(PERSONAS)


class Person(StrEnum):
    """Whether a request for a person means one of the personas, or a worker."""

    ASIDE = "aside"
    NONE = "none"


class Reply(StrEnum):
    """A reply to a question of the intake."""

    LEARNED = "learned"
    NOTED = "noted"
    ASIDE = "aside"
    NONE = "none"


class Open(StrEnum):
    """A reply to an open question."""

    NOTED = "noted"
    ASIDE = "aside"
    FINISHED = "finished"
    NONE = "none"


class Wall(StrEnum):
    """Whether the wall carries load, as far as the caller knows."""

    CARRIES = "carries"
    DOES_NOT = "does_not"
    UNSURE = "unsure"
    ASIDE = "aside"
    NONE = "none"


class Offer(StrEnum):
    """A reply to "shall I connect you?"."""

    ACCEPTED = "accepted"
    ASIDE = "aside"
    NONE = "none"


class Aside(StrEnum):
    """What a caller wants who does not answer what was asked."""

    TO_OTHER = "to_other"
    TO_SELF = "to_self"
    TO_UNKNOWN = "to_unknown"
    WHO = "who"
    ANSWER = "answer"
    FOR_OTHER = "for_other"
    UNANSWERED = "unanswered"


class BobsAside(StrEnum):
    """The same, with what only Bob does."""

    TO_OTHER = "to_other"
    TO_SELF = "to_self"
    TO_UNKNOWN = "to_unknown"
    WHO = "who"
    ANSWER = "answer"
    FOR_OTHER = "for_other"
    UNANSWERED = "unanswered"
    CHECKLIST = "checklist"


def read_person(given: CheckInput) -> CheckResult:
    """Read a request for a person once more: "someone else" is the other persona."""
    if _asks_for_somebody(given) or WORKERS.search(_text(given)):
        return CheckResult(Person.ASIDE)
    return CheckResult(Person.NONE)


def _intake(fact: str, *, freely: bool = False) -> Callable[[CheckInput], CheckResult]:
    """A check for a question that asks for this fact; `freely`: in words of the caller's own."""

    def read(given: CheckInput) -> CheckResult:
        if _asks_for_somebody(given) or _asks_what_is_known(given):
            return CheckResult(Reply.ASIDE)
        facts = read_plan(given, asked=fact)
        said = own_words(given) if freely and not is_question(given) else facts.get(fact)
        if said:
            return CheckResult(Reply.LEARNED, {**facts, fact: said})
        if facts:
            return CheckResult(Reply.NOTED, facts)
        return CheckResult(Reply.ASIDE if is_open_question(given) else Reply.NONE)

    return read


def read_open(given: CheckInput) -> CheckResult:
    """Read what comes when nothing particular was asked: questions before facts."""
    if _is_aside(given):
        return CheckResult(Open.ASIDE)
    if FINISHED.search(_text(given)):
        return CheckResult(Open.FINISHED)
    facts = read_plan(given)
    return CheckResult(Open.NOTED, facts) if facts else CheckResult(Open.NONE)


def read_wall(given: CheckInput) -> CheckResult:
    """Read the reply to "does the wall carry load?"."""
    intents, text = intends(given), _text(given)
    if _asks_for_somebody(given):
        return CheckResult(Wall.ASIDE)
    if "does_not_know" in intents or NOT_SURE.search(text):
        return CheckResult(Wall.UNSURE, {"load_bearing": "not known yet"})
    if "negation" in intents or IT_DOES_NOT.search(text):
        return CheckResult(Wall.DOES_NOT, {"load_bearing": "it carries none, as far as you know"})
    if "affirmation" in intents or IT_DOES.search(text):
        return CheckResult(Wall.CARRIES, {"load_bearing": "it carries load"})
    return CheckResult(Wall.ASIDE if _is_aside(given) else Wall.NONE)


def read_offer(given: CheckInput) -> CheckResult:
    """Read the reply to "shall I connect you?": only a yes, or asking for it, takes it."""
    if "affirmation" in intends(given) or _wanted(given) is Wanted.TO_OTHER:
        return CheckResult(Offer.ACCEPTED, _taken_up(given))
    if "negation" in intends(given) and not is_question(given) and not _asks_for_somebody(given):
        return CheckResult(Offer.NONE)
    return CheckResult(Offer.ASIDE if _is_aside(given) else Offer.NONE)


def read_aside(given: CheckInput) -> CheckResult:
    """Read what the caller wants of Alice."""
    return _aside(given, Aside)


def read_bobs_aside(given: CheckInput) -> CheckResult:
    """Read what the caller wants of Bob."""
    if not _asks_for_somebody(given) and CHECKLIST.search(_text(given)):
        return CheckResult(BobsAside.CHECKLIST)
    return _aside(given, BobsAside)


def _aside(given: CheckInput, outcomes: type[Aside] | type[BobsAside]) -> CheckResult:
    wanted = _wanted(given)
    if wanted is not Wanted.NONE:
        facts = _taken_up(given) if wanted is Wanted.TO_OTHER else {}
        return CheckResult(outcomes(wanted.value), facts)
    if WHO.search(_text(given)):
        return CheckResult(outcomes.WHO)
    passage = find_answer(given)
    if passage is None:
        return CheckResult(outcomes.UNANSWERED, with_question(given))
    other = BOB if _persona(given) == ALICE.name else ALICE
    if passage.topic in other.topics:
        facts = {"answer": passage.id, "topic": other.topics[passage.topic]}
        return CheckResult(outcomes.FOR_OTHER, facts)
    topics = with_topic(given, passage.id) if passage.topic in ALICE.topics else {}
    return CheckResult(outcomes.ANSWER, {"answer": passage.id, **topics})


def _taken_up(given: CheckInput) -> dict[str, str]:
    """What Alice is asked where a transfer takes up the offer of her answer."""
    offered = given.facts.get("offer") == "open" and "answer" in given.facts
    return with_topic(given, given.facts["answer"]) if offered and _persona(given) == "bob" else {}


def _text(given: CheckInput) -> str:
    return given.understanding.text.lower()


def _persona(given: CheckInput) -> str:
    """Who speaks; nothing is noted until the first transfer."""
    return str(given.facts.get("persona", BOB.name))


def _wanted(given: CheckInput) -> Wanted:
    return _TRANSFERS.read(given.understanding.text, _persona(given))


def _asks_for_somebody(given: CheckInput) -> bool:
    return _wanted(given) is not Wanted.NONE


def _asks_what_is_known(given: CheckInput) -> bool:
    """Whether it is a question, or a request for the checklist, that something can be said to."""
    asked = is_question(given) and close_answer(given) is not None
    text = _text(given)
    return asked or bool(CHECKLIST.search(text) or WHO.search(text))


def _is_aside(given: CheckInput) -> bool:
    """Whether a reply to an open question asks for something."""
    if _asks_for_somebody(given) or _asks_what_is_known(given) or is_open_question(given):
        return True
    return close_answer(given) is not None and not read_plan(given)


_PLAN = ("project", "budget", "timeline", "wall")


def _reply(name: str, fact: str, *, freely: bool = False) -> Check:
    others = tuple(each for each in _PLAN if each != fact)
    maybe: Produced = {Reply.LEARNED: others, Reply.NOTED: others}
    return Check(name, Reply, _intake(fact, freely=freely), {Reply.LEARNED: (fact,)}, maybe)


_FOUND: Produced = {Aside.FOR_OTHER: ("answer", "topic"), Aside.UNANSWERED: ("unanswered",)}
_KNOWN = (Wall.CARRIES, Wall.DOES_NOT, Wall.UNSURE)

CHECKS = (
    Check("read_person", Person, read_person),
    _reply("read_project", "project"),
    _reply("read_goals", "goals", freely=True),
    _reply("read_budget", "budget"),
    _reply("read_timeline", "timeline"),
    _reply("read_household", "household", freely=True),
    Check("read_open", Open, read_open, {}, {Open.NOTED: _PLAN}),
    Check("read_wall", Wall, read_wall, dict.fromkeys(_KNOWN, ("load_bearing",))),
    Check("read_offer_of_alice", Offer, read_offer, {}, {Offer.ACCEPTED: ("topics",)}),
    Check("read_offer_of_bob", Offer, read_offer),
    Check("read_aside", Aside, read_aside, {**_FOUND, Aside.ANSWER: ("answer", "topics")}),
    Check(
        "read_bobs_aside",
        BobsAside,
        read_bobs_aside,
        {**_FOUND, BobsAside.ANSWER: ("answer",)},
        {BobsAside.TO_OTHER: ("topics",)},
    ),
)

"""What a message asks: its topics, which one of a list it means, and from which part on.

    words + intents + what was asked before ──> Inquiry

Earlier questions count: "and my payments?", "the second one", "what does that mean?".
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping

from appliance.dialogue.checks import CONFIDENT, CheckInput
from appliance.dialogue.intents import COURTESIES
from appliance.flows.status.mentions import is_only_a_job, job_in, jobs_meant, place_in, thing_in
from appliance.flows.status.needs import NeedsFile
from appliance.flows.status.phrases import finds, plain
from appliance.flows.status.records import Record
from appliance.knowledge.terms import terms

_QUESTION = re.compile(
    r"^(?:(?:and|so|but|okay|um|uh|well|hi|hello|please|yes|no) )*(?:what|when|where|who|why|how"
    r"|which|can|could|do|does|did|is|are|am|will|would|should|may|tell me"
    r"|i (?:need|want|have a question|would like|forgot|lost))\b"
)
STATUS, JOB, APPLIED = "application_status", "job_question", "applied_job"
MEANING = "status_meaning"
"""The topic of "what does that mean?", which needs to know what was spoken of."""

_ABOUT_THE_CALL = re.compile(r"^(?:my name is|this is|it is|it's|can you hear|are you there)\b")

GOES_ON = frozenset({"next_step", "interview", "withdraw_request", "applied_job"})
"""Topics that are about the application that was told of last, unless another one is named."""

_NO_QUESTION = frozenset(
    {
        "identity_question",
        "repeat_request",
        "slower_request",
        "send_request",
        "more_request",
        "wait_request",
        "wrong_party",
        "goodbye",
    }
)
"""Intents with a way of their own here: "who is this?" is no question to the documents."""

_FEW = 2
"""Words that matter, below which a sentence that is no plain question asks nothing."""

_POINTS_BACK = re.compile(r"\b(?:it|that|this|they|them|those)\b")
"""What a short question may have instead of the thing that it is about."""

_LONGEST = 200
_RECENT = 6
"""Messages of the past in which a topic is looked for, the latest first."""


class Inquiry(Record):
    """One question.

    Attributes:
        question: the words, at most 200 characters.
        topics: names of topics in needs.yaml.
        place: which one of a list, from 1; -1 is the last, 0 none is named.
        job_title: a job that is named, as it was said.
        status: a status that is spoken of.
        subject: the application that was told of before, if this goes on about it.
        offset: how many items of a list were told before.
        about: what "it" stands for in the question, in words to search for.
    """

    question: str = ""
    topics: tuple[str, ...] = ()
    place: int = 0
    job_title: str = ""
    status: str = ""
    subject: str = ""
    offset: int = 0
    about: str = ""

    @property
    def searched(self) -> str:
        """The question as documents are searched for it."""
        return f"{self.question} {self.about}".strip()

    def to_json(self) -> str:
        """As a fact."""
        return json.dumps(self.model_dump())


def read_inquiry(given: CheckInput, file: NeedsFile, statuses: Mapping[str, str]) -> Inquiry | None:
    """What a message asks; None where it asks nothing that can be told.

    Args:
        given: the message with the facts of the call.
        file: the topics.
        statuses: the names of statuses as they are said, by status.
    """
    words = plain(heard(given))
    intents = {each.name for each in given.understanding.intents if each.confidence >= CONFIDENT}
    found = topics_in(words, intents, file)
    place, named = place_in(words), job_in(words)
    own = _own_job(words, named, given.facts)
    if not found and (place or own or thing_in(words)):
        found = previous_topics(given.facts, file)
        if (own or is_only_a_job(words)) and not file.is_about_applications(found):
            found = (STATUS,)
    if not found and is_only_a_job(words):
        found = (STATUS,)
    if found == (JOB,) and not (own or named):
        found, named = _same_job(given.facts)
        if not found:
            return None
    if not found and _is_question(words, intents):
        found = (file.otherwise,)
    status = _status(words, given.facts, statuses)
    if not found or (found == (MEANING,) and not status):
        return None
    return Inquiry(
        question=words[:_LONGEST],
        topics=found,
        place=place,
        status=status,
        subject=_subject(found, given.facts),
        job_title="" if place else (own or named)[:60],
        about=_about(words, given.facts, statuses) if found == (file.otherwise,) else "",
    )


def heard(given: CheckInput) -> str:
    """The words; none where they were not heard well enough to be looked up."""
    return "" if given.understanding.unsure else given.understanding.text


def _is_question(words: str, intents: set[str]) -> bool:
    """Whether words that no topic claims may still be a question to the documents."""
    about = len(terms(words))
    if intents & _NO_QUESTION or _ABOUT_THE_CALL.search(words):
        return False
    if _QUESTION.search(words):
        return about >= (_FEW if intents & COURTESIES else 1)
    return not intents and about >= _FEW


def topics_in(words: str, intents: Iterable[str], file: NeedsFile) -> tuple[str, ...]:
    """The topics that words and intents claim, in the order of the file."""
    meant = set(intents)
    claimed = [
        name
        for name, topic in file.topics.items()
        if meant & set(topic.intents) or finds(topic.phrases, words)
    ]
    superfluous = {each for name in claimed for each in file.topics[name].instead_of}
    team = [name for name in claimed if file.topics[name].team]
    return tuple(team[:1] or (name for name in claimed if name not in superfluous))


def previous_topics(facts: Mapping[str, bool | str], file: NeedsFile) -> tuple[str, ...]:
    """What was asked about before: in this call, else in the messages before this one."""
    if "inquiry" in facts:
        return tuple(topic for topic in _before(facts).topics if topic in file.topics)
    asked = [each for each in _history(facts)[-_RECENT:] if each.get("role") == "user"]
    for message in reversed(asked):  # what was answered names more than was asked about
        found = topics_in(plain(str(message.get("content", ""))), (), file)
        if found:
            return found
    return ()


def _history(facts: Mapping[str, bool | str]) -> list[Mapping[str, object]]:
    try:
        history = json.loads(str(facts.get("history", "[]")))
    except json.JSONDecodeError:
        return []
    return [each for each in history if isinstance(each, dict)] if isinstance(history, list) else []


def _subject(topics: tuple[str, ...], facts: Mapping[str, bool | str]) -> str:
    """The application that "what happens next?" is about, once one was told of."""
    if "draft" not in facts or not GOES_ON & set(topics):
        return ""
    return str(json.loads(str(facts["draft"])).get("subject", ""))


def _own_job(words: str, named: str, facts: Mapping[str, bool | str]) -> str:
    """The job of one of his applications, if these words name it and the list of them is known."""
    found = json.loads(str(facts.get("tool_data", "{}"))).get("list_applications", {})
    listed = found.get("data", {}).get("applications", ()) if found.get("ok") else ()
    titles = [str(each.get("job_title", "")) for each in listed]
    meant = jobs_meant(titles, words, named)
    return titles[meant[0]] if len(meant) == 1 else ""


def _same_job(facts: Mapping[str, bool | str]) -> tuple[tuple[str, ...], str]:
    """The job that "what does it pay?" is about, with its topic: asked about, or applied for."""
    before = _before(facts)
    if before.job_title and JOB in before.topics:
        return (JOB,), before.job_title
    return ((APPLIED,) if _subject((APPLIED,), facts) else ()), ""


def _about(words: str, facts: Mapping[str, bool | str], statuses: Mapping[str, str]) -> str:
    """What "how long does it take?" is about: what was spoken of before, in words to search for."""
    if len(terms(words)) >= _FEW or not _POINTS_BACK.search(words):
        return ""
    before = _before(facts)
    said = [str(m.get("content", "")) for m in _history(facts) if m.get("role") == "user"]
    asked = plain(before.question or (said[-1] if said else ""))
    status = statuses.get(_status("", facts, statuses), "")
    return " ".join(
        [status or before.about, *(each for each in asked.split() if terms(each))]
    ).strip()


def _before(facts: Mapping[str, bool | str]) -> Inquiry:
    return Inquiry.model_validate_json(str(facts.get("inquiry", "{}")))


def _status(words: str, facts: Mapping[str, bool | str], statuses: Mapping[str, str]) -> str:
    """The status that is spoken of: in these words, else the only one in what was said before."""
    named = [status for status, name in statuses.items() if finds([name], words)]
    if named:
        return named[0]
    if "draft" in facts:
        told = json.loads(str(facts["draft"])).get("statuses", [])
    else:
        said = [m for m in _history(facts) if m.get("role") == "assistant"]
        before = plain(str(said[-1].get("content", ""))) if said else ""
        told = [status for status, name in statuses.items() if finds([name], before)]
    return str(told[0]) if len(set(told)) == 1 else ""

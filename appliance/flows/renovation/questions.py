"""Which questions callers ask, what approved answer there is, and whose it is.

question ── a passage is close enough ──> its id
         ── only its topic was understood ──> the overview of that topic
         ── neither ──> it is noted, for people to answer
"""

from __future__ import annotations

import re

from appliance.dialogue.checks import CONFIDENT, CheckInput
from appliance.dialogue.passages import Passage
from appliance.flows.renovation.personas import ALICE
from appliance.knowledge.ranking import index_of
from appliance.knowledge.terms import terms

_OVERVIEWS = {
    "permit_question": "permits_overview",
    "structure_question": "structure_overview",
    "material_question": "materials_overview",
    "cost_question": "costs_overview",
    "timeline_question": "timeline_overview",
    "planning_question": "planning_overview",
}
"""The passage that speaks of an intent's topic."""

_QUESTION = re.compile(
    r"\b(do|does|did|can|could|should|will|would|is|are|may|must|has|have) (i|we|it|there|you|the"
    r"|my|our|that|this|they)\b|^((and|so|but|well|okay) )?(does|can|should|will|would|is) (a|an)\b"
    r"|\b(questions?|wonder\w*|explain|tell me|recommend|how (much|long|many|do|does|big|early))\b"
    r"|^(\w+ ){0,2}(what|which|how|when|where|who|why)\b"
)
_OF_THE_CALL = frozenset(
    {"why_question", "identity_question", "does_not_know", "refuse_information", "repeat_request",
     "greeting"}
)  # fmt: skip
"""Questions about what was just said: the state's own routes answer them."""

_KEPT = 3
_LONGEST = 80
_JOINT = " | "


def intends(given: CheckInput) -> list[str]:
    """The intents that count, best first."""
    return [each.name for each in given.understanding.intents if each.confidence >= CONFIDENT]


def is_question(given: CheckInput) -> bool:
    """Whether it is put as a question."""
    return bool(_QUESTION.search(given.understanding.text.lower()))


def close_answer(given: CheckInput) -> Passage | None:
    """The passage that is close enough to what was said."""
    found = index_of(given.passages).best(given.understanding.text)
    return found.passage if found else None


def find_answer(given: CheckInput) -> Passage | None:
    """The passage that answers; where only the topic was understood, its overview."""
    topics = (_OVERVIEWS[name] for name in intends(given) if name in _OVERVIEWS)
    return close_answer(given) or next((given.passages[name] for name in topics), None)


def is_open_question(given: CheckInput) -> bool:
    """Whether it asks for something, be there an answer or not."""
    if is_question(given) and not _OF_THE_CALL.intersection(intends(given)):
        return bool(terms(given.understanding.text))
    return not _OVERVIEWS.keys().isdisjoint(intends(given))


def with_topic(given: CheckInput, answer: object) -> dict[str, str]:
    """The fact `topics`: what Alice was asked about, with the topic of this answer."""
    said = ALICE.topics[given.passages[str(answer)].topic]
    before = str(given.facts.get("topics", "")).replace(" and ", ", ").split(", ")
    *head, last = dict.fromkeys((*(each for each in before if each), said))
    return {"topics": f"{', '.join(head)} and {last}" if head else last}


def with_question(given: CheckInput) -> dict[str, str]:
    """The fact `unanswered`: the last few questions without an answer, each cut to a length."""
    before = str(given.facts.get("unanswered", "")).split(_JOINT)
    asked = given.understanding.text.replace("|", " ").strip()[:_LONGEST].strip() or "not clear"
    return {"unanswered": _JOINT.join([*(each for each in before if each), asked][-_KEPT:])}

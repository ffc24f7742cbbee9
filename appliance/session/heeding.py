"""What of what a caller said counts as a turn, and how much of it.

    Reading ─┬─ over a protected prompt, no universal intent ──> ignored
             ├─ "mhm" over a prompt: he only listens ──────────> ignored
             ├─ not heard well enough ─> its universal intents
             └─ else all of it

Universal intents (stop, a person, goodbye) count at any time and however unclear.
"""

from __future__ import annotations

from appliance.dialogue.flow import CallFlow
from appliance.nlu.acknowledgements import only_hums
from appliance.session.ear import Reading
from appliance.session.interruptions import Talk, is_acknowledgement
from appliance.types import Intent, Understanding

PROTECTED, ACKNOWLEDGEMENT = "spoken over a protected prompt", "acknowledgement"
"""Why something is ignored, as the log says it."""
_YES_OR_NO = frozenset({"affirmation", "negation"})


def ignored(meant: Understanding, flow: CallFlow, talk: Talk) -> str | None:
    """Why what was said in this talk is no turn, if it is none."""
    universal, humming = universal_in(meant, flow), only_hums(meant.text)
    if talk.protected and not universal:
        return PROTECTED
    if universal and not humming:
        return None
    acknowledges = is_acknowledgement(talk, meant.text, humming=humming)
    return ACKNOWLEDGEMENT if acknowledges else None


def says_only_yes_or_no(meant: Understanding) -> bool:
    """Whether its sense is all in the question; values say themselves what they answer."""
    return not meant.slots and {each.name for each in meant.intents} <= _YES_OR_NO


def heard_surely(reading: Reading, flow: CallFlow, min_confidence: float) -> Understanding:
    """What was said, as far as it was heard well enough to be acted on."""
    meant = reading.understanding
    if reading.transcript.confidence >= min_confidence:
        return meant
    return Understanding(meant.text, universal_in(meant, flow), unsure=True)


def universal_in(meant: Understanding, flow: CallFlow) -> tuple[Intent, ...]:
    """The universal intents in it."""
    universal = flow.flow.spec.universal
    return tuple(intent for intent in meant.intents if intent.name in universal)

"""What the checks of the status flow can find: each outcome has a route in flow.yaml."""

from __future__ import annotations

from enum import StrEnum


class Question(StrEnum):
    """What somebody asks by telephone."""

    PERSONAL = "personal"
    GENERAL = "general"
    NONE = "none"


class General(StrEnum):
    """What came of drafting a reply for somebody who is not verified."""

    REPLY = "reply"
    ROUTE_TO_TEAM = "route_to_team"
    FAILED = "failed"


class FollowUp(StrEnum):
    """What somebody wants after an answer."""

    PERSONAL = "personal"
    GENERAL = "general"
    MORE = "more"
    NONE = "none"


class Message(StrEnum):
    """What somebody writes."""

    QUESTION = "question"
    GREETING = "greeting"
    THANKS = "thanks"
    UNCLEAR = "unclear"


class Zip(StrEnum):
    """A reply to the question for the ZIP code."""

    GIVEN = "given"
    INCOMPLETE = "incomplete"
    NONE = "none"


class Planned(StrEnum):
    """Whether there is anything to look up."""

    FETCH = "fetch"
    NOTHING = "nothing"


class Covered(StrEnum):
    """Whether there is enough to answer."""

    SUFFICIENT = "sufficient"
    INSUFFICIENT = "insufficient"
    FAILED = "failed"


class Drafting(StrEnum):
    """What came of drafting a reply."""

    REPLY = "reply"
    REPLY_PART = "reply_part"
    ROUTE_TO_TEAM = "route_to_team"
    FAILED = "failed"


class Judged(StrEnum):
    """What the policy says of a reply."""

    PASSED = "passed"
    FAILED = "failed"

"""The tools that end an inquiry: the reply is judged, sent, or handed to a person; then it rests.

    validate_reply ──> note (always) ──┬─ passed ──> deliver_reply ──┐
                                       └─ rejected, failed ─┐        ├──> finalize_conversation
    escalate_conversation <── note "🚨 Escalation: …" <─────┘ ───────┘     status, snooze

Each writes to the operator's desk under the key of its request, so that nothing is written twice.
A note that the desk refuses is owed: it is written when the run is over.
"""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from datetime import timedelta
from functools import partial

from appliance.actions.inquiry import SUBJECT, Desk, Judge
from appliance.actions.owed import Owed
from appliance.actions.tools import DONE, FAILED, Claim, Request, Result
from appliance.conversations import STATUS
from appliance.dialogue.redact import redact
from appliance.errors import ApplianceError, SourceError

PASSED = "passed"
REJECTED = "rejected"
UNAVAILABLE = "unavailable"

ESCALATION = "🚨 Escalation: "


class _OnDesk(ABC):
    """A tool that writes to the desk; what it could not write has failed."""

    waits = True

    def __init__(self, desk: Desk, owed: Owed | None = None) -> None:
        self._desk, self._owed = desk, owed or Owed()

    def __call__(self, request: Request, claim: Claim) -> Result:
        """See `Tool`. Nothing is begun any more for who has given up."""
        if not claim.take():
            self._owe(request)
            return Result(FAILED)
        try:
            return self._do(request)
        except ApplianceError as error:
            self._owe(request)
            return Result(FAILED, self._why(error))

    def _do(self, request: Request) -> Result:
        return self._done(request, self._conversation(request))

    def _owe(self, request: Request) -> None:  # noqa: B027 (most owe nothing)
        """What it could not do is done when the run is over, where that still makes sense."""

    def _conversation(self, request: Request) -> str:
        """That of the request; a call that could not be opened has one by its key all the same."""
        known = request.args.get("conversation")
        return known or self._desk.begin(request.call, request.number, SUBJECT)

    @abstractmethod
    def _done(self, request: Request, conversation: str) -> Result:
        """Do it. Raises ApplianceError."""

    def _why(self, error: ApplianceError) -> dict[str, str]:  # noqa: ARG002 (for those that tell)
        return {}


class ValidateReply(_OnDesk):
    """`validate_reply`: the policy's verdict, the operator's service, and the note about both.

    The note is the raw JSON, also where it cannot be read. Without the note there is no reply: what
    was judged must be there to be looked at.
    """

    def __init__(self, desk: Desk, judge: Judge | None, owed: Owed | None = None) -> None:
        super().__init__(desk, owed)
        self._judge = judge

    def _done(self, request: Request, conversation: str) -> Result:
        verdict = request.args["verdict"]
        answer, trouble = verdict, None
        if json.loads(verdict)["overall_passed"] and self._judge is not None:
            try:
                answer = self._judge.judge(conversation, request.args["reply"], verdict)
            except SourceError as error:
                trouble = error
                answer = json.dumps({"error": str(error), "policy": json.loads(verdict)})
        self._note(conversation, request, answer)
        if trouble is not None:
            raise trouble
        return Result(PASSED if _passed(answer) else REJECTED)

    def _note(self, conversation: str, request: Request, answer: str) -> None:
        """Once for each reply: of a message that is answered anew it may be another one."""
        reply = hashlib.sha256(request.args["reply"].encode()).hexdigest()[:12]
        key = f"{request.key}:{reply}"
        try:
            self._desk.note(conversation, key, answer)
        except ApplianceError:
            self._owed.owe(request.call, lambda: self._desk.note(conversation, key, answer))
            raise

    def _why(self, error: ApplianceError) -> dict[str, str]:
        return {"error": str(error)}


class DeliverReply(_OnDesk):
    """`deliver_reply`: as a message of the conversation; a caller has heard it already.

    What a caller asked is kept before it, without its numbers.
    """

    def _done(self, request: Request, conversation: str) -> Result:
        spoken = request.args.get("channel") != "text"
        question = request.args.get("question")
        if spoken and question:
            self._desk.hear(conversation, f"{request.key}:question", redact(question))
        self._desk.reply(conversation, request.key, request.args["reply"], spoken=spoken)
        return Result(DONE)

    def _owe(self, request: Request) -> None:
        if request.args.get("channel") != "text":  # he has heard it; only the desk has not
            self._owed.owe(request.call, partial(self._do, request))


class SendCopy(_OnDesk):
    """`send_copy`: what a caller was told, in writing, where the desk knows how to reach him."""

    def _done(self, request: Request, conversation: str) -> Result:
        if not self._desk.reaches(conversation):
            return Result(UNAVAILABLE)
        self._desk.reply(conversation, request.key, request.args["reply"])
        return Result(DONE)


class EscalateConversation(_OnDesk):
    """`escalate_conversation`: the note for the people of the desk that says why it is theirs."""

    def _done(self, request: Request, conversation: str) -> Result:
        question = request.args.get("question")
        if question and request.args.get("channel") != "text":
            self._desk.hear(conversation, f"{request.key}:question", redact(question))
        self._desk.note(conversation, request.key, ESCALATION + request.args["reason"])
        return Result(DONE)

    def _owe(self, request: Request) -> None:
        self._owed.owe(request.call, partial(self._do, request))


class FinalizeConversation(_OnDesk):
    """`finalize_conversation`: the status, and rest for a while."""

    def __init__(self, desk: Desk, snooze_s: int) -> None:
        super().__init__(desk)
        self._snooze_s = snooze_s

    def _done(self, request: Request, conversation: str) -> Result:
        self._desk.put_attribute(conversation, STATUS, request.args["status"])
        self._desk.snooze(conversation, request.at + timedelta(seconds=self._snooze_s))
        return Result(DONE)


def _passed(answer: str) -> bool:
    """What a service says in its JSON.

    Raises:
        SourceError: it says no such thing.
    """
    try:
        body = json.loads(answer)
    except (ValueError, RecursionError) as error:
        raise SourceError("validation service: its answer is not JSON") from error
    passed = body.get("overall_passed") if isinstance(body, dict) else None
    if not isinstance(passed, bool):
        raise SourceError("validation service: its answer has no overall_passed")
    return passed

"""The tools that begin an inquiry: whose is it, and is it really he.

    open_inquiry    telephone number, or a conversation ──> conversation, person, history
    verify_caller   person, five digits ──> match | mismatch

Who a person is, and whether the digits are his, only the operator's systems know.
"""

from __future__ import annotations

import json
from typing import Any

from appliance.actions.inquiry import SUBJECT, Desk, Sources
from appliance.actions.owed import Owed
from appliance.actions.tools import FAILED, Claim, Request, Result
from appliance.errors import ApplianceError, SourceError
from appliance.findings import Lookup

FIND = "find_person"
VERIFY = "verify_person"
OPENED = "opened"
MATCH = "match"
MISMATCH = "mismatch"

_RECENT, _LONGEST = 50, 2000  # messages, and characters of each: the history is read at every turn


class OpenInquiry:
    """`open_inquiry`: the conversation that this is about, and the person whose it is."""

    waits = True

    def __init__(self, desk: Desk, sources: Sources) -> None:
        self._desk, self._sources = desk, sources

    def __call__(self, request: Request, claim: Claim) -> Result:  # noqa: ARG002 (see below)
        """See `Tool`.

        Who is late has begun a conversation all the same: the call's, which its end finds again.
        """
        try:
            return self._opened(request)
        except ApplianceError as error:
            return Result(FAILED, {"error": str(error)})

    def _opened(self, request: Request) -> Result:
        if request.args.get("channel") == "text":
            conversation = self._desk.fetch(request.args["conversation"])
            key, known = conversation.id, {"email": conversation.contact.email}
            said = conversation.messages[-1 - _RECENT : -1]
            facts = {"history": json.dumps([
                {"role": each.role, "content": each.text[:_LONGEST]} for each in said
            ])}  # fmt: skip
        else:
            key = self._desk.begin(request.call, request.number, SUBJECT)
            known, facts = {"phone": request.number}, {}
        person = self._person({name: value for name, value in known.items() if value})
        if person is not None:
            facts["person"] = json.dumps(person)
            if person.get("name"):
                facts["caller_name"] = str(person["name"])
        return Result(OPENED, {"conversation": key, **facts})

    def _person(self, known: dict[str, str]) -> dict[str, Any] | None:
        if not known:  # a number that is withheld: but the sources must be there
            trouble = self._sources.trouble()
            if trouble:
                raise SourceError(trouble)
            return None
        found = self._sources.look_up([Lookup(FIND, known)])[FIND]
        if not found.ok:
            raise SourceError(found.error)
        if not isinstance(found.data, dict) or not isinstance(found.data.get("found"), bool):
            raise SourceError(f"{FIND}: it does not say whether anybody was found")
        if not found.data["found"]:
            return None
        if not isinstance(found.data.get("person_id"), str):
            raise SourceError(f"{FIND}: person_id is missing")
        return found.data


class VerifyCaller:
    """`verify_caller`: whether digits are those that the operator's system has for a person."""

    waits = True

    def __init__(self, desk: Desk, sources: Sources, owed: Owed | None = None) -> None:
        self._desk, self._sources, self._owed = desk, sources, owed or Owed()

    def __call__(self, request: Request, claim: Claim) -> Result:  # noqa: ARG002 (it only reads)
        """See `Tool`. Where they are, the desk is told whose conversation it is; now or later."""
        try:
            person = json.loads(request.args["person"])
            asked = {"person_id": person["person_id"], "zip": request.args["digits"]}
            found = self._sources.look_up([Lookup(VERIFY, asked)])[VERIFY]
            if not found.ok:
                raise SourceError(found.error)
            if not isinstance(found.data, dict) or not isinstance(found.data.get("match"), bool):
                raise SourceError(f"{VERIFY}: it does not say whether they match")
            if not found.data["match"]:
                return Result(MISMATCH)
            self._identify(request, person)
        except ApplianceError as error:
            return Result(FAILED, {"error": str(error)})
        return Result(MATCH)

    def _identify(self, request: Request, person: dict[str, Any]) -> None:
        conversation = request.args.get("conversation")
        if not conversation:
            return
        name, email = str(person.get("name") or ""), str(person.get("email") or "")
        try:
            self._desk.identify(conversation, name, email)
        except ApplianceError:  # that the desk is down takes nothing from who has proven it
            self._owed.owe(request.call, lambda: self._desk.identify(conversation, name, email))

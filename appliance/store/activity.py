"""When something last happened with a person or an account: what ages are counted from.

Records of a debt are kept from the last activity on it (12 CFR 1006.100), not from each call; so a
call of long ago stays as long as its caller, or the account it was about, is still heard of.
"""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime, time
from pathlib import Path

from sqlalchemy import select
from sqlalchemy.orm import Session

from appliance.store.actions import ActionRow
from appliance.store.calendar_bookings import BookingRow
from appliance.store.call_files import CallFiles, all_calls
from appliance.store.conversation_rows import ConversationRow
from appliance.store.people import same_number
from appliance.store.requests import RequestRow


class Activity:
    """As of one look at the store and at all files of calls."""

    def __init__(self, session: Session, folder: Path) -> None:
        self._numbers: dict[str, datetime] = {}
        self._accounts: dict[str, datetime] = {}
        self._accounts_of: defaultdict[str, set[str]] = defaultdict(set)
        for call in all_calls(folder):
            self._note(self._numbers, same_number(call.number), call.started)
        for action in session.scalars(select(ActionRow)):
            at = action.at.astimezone()
            self._note(self._numbers, same_number(action.number), at)
            self._note(self._accounts, action.account, at)
            self._accounts_of[action.call].add(action.account)
        for request in session.scalars(select(RequestRow)):
            number = same_number(request.number)
            self._note(self._numbers, number, request.closed or request.at)
        for booking in session.scalars(select(BookingRow)):
            day = datetime.combine(booking.day, time()).astimezone()
            self._note(self._numbers, same_number(booking.number), max(booking.at, day))
        for talk in session.scalars(select(ConversationRow)):
            self._note(self._numbers, same_number(talk.phone), talk.updated)

    def of_call(self, call: CallFiles) -> datetime:
        """The last activity of its caller, and of the accounts that it was about."""
        accounts = self._accounts_of.get(call.key, set())
        known = [self._accounts[each] for each in accounts if each]
        return max(call.started, self.of_number(call.number, call.started), *known)

    def of_number(self, number: str, otherwise: datetime) -> datetime:
        """The last activity of a number; `otherwise` where none is known, or no number."""
        return self._numbers.get(same_number(number), otherwise)

    @staticmethod
    def _note(known: dict[str, datetime], name: str, at: datetime) -> None:
        if name:
            known[name] = max(at, known.get(name, at))

"""Our extension at the PBX: is registered, tries again where it was refused, leaves at the end."""

from __future__ import annotations

import contextlib
import math

import pjsua2 as pj

from appliance.telephony.account import Account
from appliance.telephony.messages import Registration

REFUSED_RETRY_S = 30.0
REQUEST_TIMEOUT = 408


class Extension:
    """One line's registration; without an account there is none.

    Attributes:
        account: the one that registers.
        state: what the registrar answered last.
    """

    def __init__(self) -> None:
        self.account: Account | None = None
        self._again_at_s = math.inf
        self._leaves = False
        self.state: Registration | None = None

    @property
    def is_registered(self) -> bool:
        """Whether the registrar knows us."""
        return self.state is not None and self.state.expires_s > 0

    @property
    def summary(self) -> str:
        """How it is, in a word or two."""
        if self.account is None:
            return "no registrar"
        return "registered" if self.is_registered else "not registered"

    def answered(self, state: Registration, now_s: float) -> None:
        """The registrar answered, or did not; `now_s` is monotonic."""
        self.state = state
        refused = state.code // 100 == 4 and state.code != REQUEST_TIMEOUT
        if refused and not self._leaves:  # pjsip tries again after all else, but not after this
            self._again_at_s = now_s + REFUSED_RETRY_S

    def look_after(self, now_s: float) -> None:
        """Once the time has come, try anew: the PBX may have been set right meanwhile."""
        if self.account is not None and now_s >= self._again_at_s:
            self._again_at_s = math.inf
            with contextlib.suppress(pj.Error):  # one is under way
                self.account.setRegistration(True)

    def leave(self) -> None:
        """Ask to be forgotten; the answer comes as `answered`."""
        self._leaves = True
        if self.account is not None and self.is_registered:
            with contextlib.suppress(pj.Error):  # a REGISTER is under way
                self.account.setRegistration(False)

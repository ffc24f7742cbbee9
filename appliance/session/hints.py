"""What a call tells the recognizer of the words to come."""

from __future__ import annotations

import re

from appliance.dialogue.flow import CallFlow
from appliance.dialogue.turn import Listen, State
from appliance.stt.recognizer import Hint

ZIP_DIGITS = 5
_NAME = re.compile(r"[^\W\d_]+")
_SPOKEN = ("text", "name")


def hint_of(listen: Listen, names: tuple[str, ...] = ()) -> Hint:
    """The hint for a reply to what the dialogue listens for; `names` as of `names_in`."""
    return Hint(slot=listen.slot, words=names, digits=_digits(listen))


def names_in(flow: CallFlow, state: State) -> tuple[str, ...]:
    """Names that a call is about, lower case: of the account's holder, the companies, the caller.

    They are what prompts say and callers say back ("this is Maria"), and no general vocabulary
    has them all. Words without a capital are no names ("Plumbing and Heating").
    """
    spec, account = flow.flow.spec, flow.vault.for_checks()
    texts = [
        account.get(name)
        for name, variable in spec.variables.items()
        if variable.source == "account" and variable.type in _SPOKEN
    ]
    texts += [state.facts.get(name) for name, kind in spec.facts.items() if kind == "name"]
    words = (word for text in texts if isinstance(text, str) for word in _NAME.findall(text))
    return tuple(dict.fromkeys(word.lower() for word in words if word[0].isupper()))


def _digits(listen: Listen) -> int | None:
    """How many digits are asked for; unknown once a part of them was said."""
    if listen.said_digits:
        return None
    if listen.slot == "zip":
        return ZIP_DIGITS
    fixed = listen.min_digits == listen.max_digits > 1
    return listen.max_digits if fixed else None

"""Secrets as a type: what is sealed can be read only with a key, and keys come from facts alone.

    facts ── Keyring.held ──> Keyring ── Sealed.open ──> the value

A renderer takes a plain value, and there is no way from a `Sealed` to one but `open` with a
keyring that holds every condition. A secret that is said too early is thus a type error, or, if
the facts are wrong, a `LockedError`; never a sentence.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Generic, TypeVar, final

from appliance.dialogue.faults import LockedError

T = TypeVar("T")


@final
class Keyring:
    """The conditions that hold in a call. Made from its facts and in no other way."""

    __slots__ = ("_held",)

    def __init__(self, facts: Mapping[str, bool | str]) -> None:
        self._held = frozenset(name for name, value in facts.items() if value is True)

    def lacks(self, conditions: Iterable[str]) -> list[str]:
        """Which of these do not hold."""
        return sorted(set(conditions) - self._held)


@final
class Sealed(Generic[T]):
    """A value behind conditions. It shows itself in no text, log or traceback."""

    __slots__ = ("_after", "_content", "_name")

    def __init__(self, name: str, content: T, after: frozenset[str]) -> None:
        self._name, self._content, self._after = name, content, after

    def open(self, keys: Keyring) -> T:
        """The value.

        Raises:
            LockedError: one of its conditions does not hold.
        """
        missing = keys.lacks(self._after)
        if missing:
            raise LockedError(f"{self._name} before {', '.join(missing)}")
        return self._content

    def __repr__(self) -> str:
        return f"Sealed({self._name})"


class Vault:
    """An account's data in one call: its secrets sealed, the rest to be had."""

    __slots__ = ("_account", "_sealed")

    def __init__(self, account: Mapping[str, Any], after: Mapping[str, frozenset[str]]) -> None:
        """`after`: the conditions of each variable that is secret."""
        self._account = account
        self._sealed = {
            name: Sealed(name, value, after.get(name, frozenset()))
            for name, value in account.items()
        }

    def open(self, name: str, keys: Keyring) -> object:
        """A variable's value, for who holds the keys to it."""
        return self._sealed[name].open(keys)

    def for_checks(self) -> Mapping[str, Any]:
        """Everything, for checks alone: they compare, and what they produce is no account data."""
        return self._account

    def texts(self) -> list[str]:
        """All texts in it, to be masked wherever they turn up."""
        return [value for value in self._account.values() if isinstance(value, str)]

    def __repr__(self) -> str:
        return "Vault(…)"

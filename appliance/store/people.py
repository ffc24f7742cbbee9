"""Whose data something is: a person by number, and by account or e-mail address where given.

Numbers are compared by their digits, and with or without the country code 1: the telephone system
may show +1 310 555 0100 on one line and 310 555 0100 on another, and it is one person.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from appliance.store.customers import digits_of

_SURE = 7
"""Fewer digits may be an amount, or an extension of the house."""
_NATIONAL = 10
"""Digits of a number in North America, without its country code."""


def same_number(number: str) -> str:
    """The digits by which two ways of writing a number are compared; empty for no number."""
    digits = digits_of(number)
    return digits[1:] if len(digits) == _NATIONAL + 1 and digits.startswith("1") else digits


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody whose data are to be found; each part may be empty.

    Attributes:
        number: as `same_number` gives it.
        accounts: the operator's ids of accounts that are this person's.
        emails: lower case.
    """

    number: str = ""
    accounts: tuple[str, ...] = ()
    emails: tuple[str, ...] = ()

    def calls_from(self, number: str) -> bool:
        """Whether this is the person's number."""
        return bool(self.number) and same_number(number) == self.number

    def writes_from(self, email: str) -> bool:
        """Whether this is an address of the person's."""
        return email.strip().lower() in self.emails

    def is_in(self, details: Any) -> bool:
        """Whether a value in them, at any depth, is the number or an address."""
        match details:
            case Mapping():
                return any(self.is_in(each) for each in details.values())
            case list() | tuple():
                return any(self.is_in(each) for each in details)
            case str():
                is_number = len(self.number) >= _SURE and self.calls_from(details)
                return is_number or self.writes_from(details)
        return False

    @property
    def identifiers(self) -> list[str]:
        """All of them, each with its kind: what tombstones are made of."""
        number = [f"number:{self.number}"] if self.number else []
        return [*number, *(f"account:{each}" for each in self.accounts),
                *(f"email:{each}" for each in self.emails)]  # fmt: skip


def person(number: str, accounts: tuple[str, ...] = (), emails: tuple[str, ...] = ()) -> Person:
    """A person as an operator names him.

    Raises:
        ValueError: nothing names anybody.
    """
    found = Person(
        same_number(number),
        tuple(each.strip() for each in accounts if each.strip()),
        tuple(each.strip().lower() for each in emails if each.strip()),
    )
    if not found.identifiers:
        raise ValueError("give a telephone number, an account or an e-mail address")
    return found

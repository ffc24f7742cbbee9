"""Who has called before: name and address by telephone number.

A completed booking writes the customer, so the second call of a number is that of somebody known.
Values are personal: they reach the dialogue and the operator, never a log.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import String, select
from sqlalchemy.orm import Mapped, Session, mapped_column

from appliance.store.database import Base, Database
from appliance.store.instants import Instant


class CustomerRow(Base):
    """One customer; the key is the number's digits, as the telephone system shows them."""

    __tablename__ = "customers"

    number: Mapped[str] = mapped_column(String(32), primary_key=True)
    name: Mapped[str] = mapped_column(String(200))
    address: Mapped[str] = mapped_column(String(300))
    zip: Mapped[str] = mapped_column(String(5))
    seen: Mapped[datetime | None] = mapped_column(Instant)
    """The last activity that `retention` has seen; None: it has not looked yet."""


@dataclass(frozen=True, slots=True)
class Customer:
    """What is known of a number; empty where it is not."""

    number: str
    name: str = ""
    address: str = ""
    zip: str = ""


class Customers:
    """The table of customers; every method is one transaction. Blocking."""

    def __init__(self, database: Database) -> None:
        self._database = database
        database.prepare(CustomerRow)

    def find(self, number: str) -> Customer | None:
        """Who calls from this number; None if nobody known does.

        Raises:
            StoreError: the database cannot be read.
        """
        digits = digits_of(number)
        if not digits:  # a caller who hides his number is nobody
            return None
        with self._database.reading() as session:
            row = session.get(CustomerRow, digits)
            return None if row is None else _customer(row)

    def all(self) -> list[Customer]:
        """Every customer, by name."""
        with self._database.reading() as session:
            rows = session.scalars(select(CustomerRow).order_by(CustomerRow.name))
            return [_customer(row) for row in rows]

    def put(self, customers: Iterable[Customer]) -> int:
        """Write these, all or none; returns how many. What is empty changes nothing.

        Raises:
            ValueError: one has no number.
            StoreError: the database cannot be written.
        """
        given = list(customers)
        with self._database.writing() as session:
            for each in given:
                if not digits_of(each.number):
                    raise ValueError(f"{each.number!r} is no telephone number")
                remember(session, each)
        return len(given)


def remember(session: Session, customer: Customer) -> None:
    """Create or complete a customer in a transaction; without a number there is none."""
    digits = digits_of(customer.number)
    if not digits:
        return
    row = session.get(CustomerRow, digits)
    if row is None:
        row = CustomerRow(number=digits, name="", address="", zip="")
        session.add(row)
        session.flush()  # the same number may come again in this transaction
    row.name = customer.name or row.name
    row.address = customer.address or row.address
    row.zip = customer.zip or row.zip


def digits_of(number: str) -> str:
    """A number however written as its digits; empty for "anonymous" and the like."""
    return "".join(char for char in number if char in "0123456789")


def _customer(row: CustomerRow) -> Customer:
    return Customer(row.number, row.name, row.address, row.zip)

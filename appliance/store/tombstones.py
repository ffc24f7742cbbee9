"""What was erased, without saying of whom: the audit log of erasures.

    begun (with the person's identifiers, so that what is cut off is gone on with)
      └─> still owed, or kept by law: identifiers stay ──> done: only marks, counts and dates

A mark is a slow hash of an identifier. It proves afterwards that this person was erased, and finds
him again in a backup from before, which would bring him back. A telephone number can be found from
its mark by trying all of them, which takes years of one processor; see `mark_of`.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import JSON, String, select
from sqlalchemy.orm import Mapped, Session, mapped_column

from appliance.store.database import Base
from appliance.store.instants import Instant

_COST = 2**12  # 4 MB an identifier, and milliseconds of a core


class ErasureRow(Base):
    """An erasure; `subject` is empty once nothing of the person is left."""

    __tablename__ = "erasures"

    id: Mapped[int] = mapped_column(primary_key=True)
    at: Mapped[datetime] = mapped_column(Instant)
    salt: Mapped[str] = mapped_column(String(32))
    marks: Mapped[list[str]] = mapped_column(JSON)
    subject: Mapped[dict[str, Any]] = mapped_column(JSON)
    removed: Mapped[dict[str, Any]] = mapped_column(JSON)
    kept: Mapped[list[Any]] = mapped_column(JSON)
    done: Mapped[datetime | None] = mapped_column(Instant)


def mark_of(identifier: str, salt: str) -> str:
    """A slow hash (scrypt, RFC 7914) of an identifier such as `number:13105550100`.

    Milliseconds each: trying all 10^10 numbers of North America takes years of one core.
    """
    hashed = hashlib.scrypt(
        identifier.encode(), salt=bytes.fromhex(salt), n=_COST, r=8, p=1, dklen=16
    )
    return hashed.hex()


def salt_of(session: Session) -> str:
    """One salt for all of a store, so that a number is hashed once to be looked for in all."""
    known = session.scalars(select(ErasureRow.salt).limit(1)).first()
    return known or secrets.token_hex(16)


def marks_of(identifiers: Sequence[str], salt: str) -> list[str]:
    """The marks of a person, in order."""
    return sorted(mark_of(each, salt) for each in identifiers)

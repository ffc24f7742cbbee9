"""What retention has removed, run by run."""

from __future__ import annotations

from alembic.operations import Operations
from sqlalchemy import JSON, Column, DateTime, Integer


def upgrade(op: Operations) -> None:
    """Adds only: the program before runs on with it."""
    op.create_table(
        "sweeps",
        Column("id", Integer, primary_key=True),
        Column("at", DateTime, nullable=False),
        Column("removed", JSON, nullable=False),
    )

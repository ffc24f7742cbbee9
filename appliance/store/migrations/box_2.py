"""Whose an action was, whom nobody may call again, and what was erased."""

from __future__ import annotations

from alembic.operations import Operations
from sqlalchemy import JSON, Column, DateTime, Integer, String


def upgrade(op: Operations) -> None:
    """Adds only: the program before runs on with it."""
    op.add_column("actions", Column("number", String(32), nullable=False, server_default=""))
    op.create_index("ix_actions_number", "actions", ["number"])
    op.add_column("customers", Column("seen", DateTime))
    op.create_table(
        "stops",
        Column("key", String(128), primary_key=True),
        Column("number", String(32), nullable=False, index=True),
        Column("account", String(64), nullable=False, index=True),
        Column("tool", String(64), nullable=False),
        Column("at", DateTime, nullable=False),
    )
    op.create_table(
        "erasures",
        Column("id", Integer, primary_key=True),
        Column("at", DateTime, nullable=False),
        Column("salt", String(32), nullable=False),
        Column("marks", JSON, nullable=False),
        Column("subject", JSON, nullable=False),
        Column("removed", JSON, nullable=False),
        Column("kept", JSON, nullable=False),
        Column("done", DateTime, nullable=True),
    )

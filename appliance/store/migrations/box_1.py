"""The tables of the box as they were when versions began to be counted."""

from __future__ import annotations

from alembic.operations import Operations

_DDL = (
    """
    CREATE TABLE IF NOT EXISTS actions (
        "key" VARCHAR(128) NOT NULL,
        call VARCHAR(64) NOT NULL,
        name VARCHAR(64) NOT NULL,
        account VARCHAR(64) NOT NULL,
        args JSON NOT NULL,
        at DATETIME NOT NULL,
        PRIMARY KEY ("key")
    )
    """,
    """
    CREATE INDEX IF NOT EXISTS ix_actions_account ON actions (account)
    """,
    """
    CREATE INDEX IF NOT EXISTS ix_actions_call ON actions (call)
    """,
    """
    CREATE INDEX IF NOT EXISTS ix_actions_name ON actions (name)
    """,
    """
    CREATE TABLE IF NOT EXISTS bookings (
        "key" VARCHAR(128) NOT NULL,
        call VARCHAR(64) NOT NULL,
        day DATE NOT NULL,
        begins TIME NOT NULL,
        minutes INTEGER NOT NULL,
        seat INTEGER NOT NULL,
        number VARCHAR(32) NOT NULL,
        name VARCHAR(200) NOT NULL,
        address VARCHAR(300) NOT NULL,
        zip VARCHAR(5) NOT NULL,
        problem VARCHAR(1000) NOT NULL,
        wished VARCHAR(64) NOT NULL,
        at DATETIME NOT NULL,
        cancelled DATETIME,
        PRIMARY KEY ("key")
    )
    """,
    """
    CREATE UNIQUE INDEX IF NOT EXISTS bookings_number ON bookings (day, begins, number)
        WHERE cancelled IS NULL AND number <> ''
    """,
    """
    CREATE UNIQUE INDEX IF NOT EXISTS bookings_seat ON bookings (day, begins, seat)
        WHERE cancelled IS NULL
    """,
    """
    CREATE INDEX IF NOT EXISTS ix_bookings_call ON bookings (call)
    """,
    """
    CREATE TABLE IF NOT EXISTS calendar_closed (
        day DATE NOT NULL,
        reason VARCHAR(200) NOT NULL,
        PRIMARY KEY (day)
    )
    """,
    """
    CREATE TABLE IF NOT EXISTS calendar_hours (
        weekday INTEGER NOT NULL,
        opens TIME NOT NULL,
        closes TIME NOT NULL,
        minutes INTEGER NOT NULL,
        capacity INTEGER NOT NULL,
        PRIMARY KEY (weekday, opens)
    )
    """,
    """
    CREATE TABLE IF NOT EXISTS calendar_rules (
        id INTEGER NOT NULL,
        lead_minutes INTEGER NOT NULL,
        horizon_days INTEGER NOT NULL,
        PRIMARY KEY (id)
    )
    """,
    """
    CREATE TABLE IF NOT EXISTS campaigns (
        name VARCHAR(64) NOT NULL,
        version INTEGER NOT NULL,
        config JSON NOT NULL,
        changed DATETIME NOT NULL,
        PRIMARY KEY (name)
    )
    """,
    """
    CREATE TABLE IF NOT EXISTS conversations (
        id INTEGER NOT NULL,
        "key" VARCHAR(200) NOT NULL,
        subject VARCHAR(200) NOT NULL,
        email VARCHAR(254) NOT NULL,
        name VARCHAR(200) NOT NULL,
        phone VARCHAR(64) NOT NULL,
        by_phone BOOLEAN NOT NULL,
        attributes JSON NOT NULL,
        snoozed_until DATETIME,
        closed BOOLEAN NOT NULL,
        waiting INTEGER,
        created DATETIME NOT NULL,
        updated DATETIME NOT NULL,
        PRIMARY KEY (id),
        UNIQUE ("key")
    )
    """,
    """
    CREATE INDEX IF NOT EXISTS ix_conversations_updated ON conversations (updated)
    """,
    """
    CREATE INDEX IF NOT EXISTS ix_conversations_waiting ON conversations (waiting)
    """,
    """
    CREATE TABLE IF NOT EXISTS customers (
        number VARCHAR(32) NOT NULL,
        name VARCHAR(200) NOT NULL,
        address VARCHAR(300) NOT NULL,
        zip VARCHAR(5) NOT NULL,
        PRIMARY KEY (number)
    )
    """,
    """
    CREATE TABLE IF NOT EXISTS outbox (
        "key" VARCHAR(160) NOT NULL,
        channel VARCHAR(16) NOT NULL,
        kind VARCHAR(32) NOT NULL,
        call VARCHAR(64) NOT NULL,
        details JSON NOT NULL,
        at DATETIME NOT NULL,
        standing VARCHAR(16) NOT NULL,
        attempts INTEGER NOT NULL,
        due DATETIME NOT NULL,
        leased_until DATETIME,
        settled DATETIME,
        why VARCHAR(300) NOT NULL,
        PRIMARY KEY ("key", channel)
    )
    """,
    """
    CREATE INDEX IF NOT EXISTS ix_outbox_call ON outbox (call)
    """,
    """
    CREATE INDEX IF NOT EXISTS outbox_due ON outbox (standing, channel, due)
    """,
    """
    CREATE TABLE IF NOT EXISTS papers (
        call VARCHAR(160) NOT NULL,
        kind VARCHAR(16) NOT NULL,
        at DATETIME NOT NULL,
        content JSON NOT NULL,
        PRIMARY KEY (call, kind)
    )
    """,
    """
    CREATE INDEX IF NOT EXISTS papers_latest ON papers (kind, at)
    """,
    """
    CREATE TABLE IF NOT EXISTS requests (
        "key" VARCHAR(128) NOT NULL,
        call VARCHAR(64) NOT NULL,
        kind VARCHAR(16) NOT NULL,
        origin VARCHAR(16) NOT NULL,
        number VARCHAR(32) NOT NULL,
        details JSON NOT NULL,
        at DATETIME NOT NULL,
        closed DATETIME,
        PRIMARY KEY ("key")
    )
    """,
    """
    CREATE INDEX IF NOT EXISTS ix_requests_call ON requests (call)
    """,
    """
    CREATE INDEX IF NOT EXISTS ix_requests_closed ON requests (closed)
    """,
    """
    CREATE TABLE IF NOT EXISTS text_runs (
        "key" VARCHAR(160) NOT NULL,
        conversation VARCHAR(64) NOT NULL,
        message VARCHAR(64) NOT NULL,
        call VARCHAR(160) NOT NULL,
        stage VARCHAR(8) NOT NULL,
        at DATETIME NOT NULL,
        question TEXT NOT NULL,
        state TEXT NOT NULL,
        deeds JSON NOT NULL,
        PRIMARY KEY ("key")
    )
    """,
    """
    CREATE INDEX IF NOT EXISTS ix_text_runs_conversation ON text_runs (conversation)
    """,
    """
    CREATE INDEX IF NOT EXISTS ix_text_runs_stage ON text_runs (stage)
    """,
    """
    CREATE TABLE IF NOT EXISTS conversation_messages (
        id INTEGER NOT NULL,
        conversation INTEGER NOT NULL,
        "key" VARCHAR(200) NOT NULL,
        author VARCHAR(8) NOT NULL,
        note BOOLEAN NOT NULL,
        spoken BOOLEAN NOT NULL,
        text TEXT NOT NULL,
        at DATETIME NOT NULL,
        PRIMARY KEY (id),
        FOREIGN KEY(conversation) REFERENCES conversations (id)
    )
    """,
    """
    CREATE UNIQUE INDEX IF NOT EXISTS message_once ON conversation_messages (conversation, "key")
    """,
)


def upgrade(op: Operations) -> None:
    """What is there already stays as it is."""
    for statement in _DDL:
        op.execute(statement)

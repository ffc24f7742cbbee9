"""The index of documents as it was when versions began to be counted."""

from __future__ import annotations

from alembic.operations import Operations

_DDL = (
    """
    CREATE TABLE IF NOT EXISTS documents (
        id INTEGER NOT NULL,
        folder VARCHAR(4096) NOT NULL,
        path VARCHAR(4096) NOT NULL,
        sha256 VARCHAR(64) NOT NULL,
        size INTEGER NOT NULL,
        changed_ns INTEGER NOT NULL,
        title VARCHAR(500) NOT NULL,
        added DATETIME NOT NULL,
        encoder VARCHAR(64) NOT NULL,
        version INTEGER NOT NULL,
        PRIMARY KEY (id),
        UNIQUE (folder, path)
    )
    """,
    """
    CREATE TABLE IF NOT EXISTS documents_state (
        id INTEGER NOT NULL,
        version INTEGER NOT NULL,
        PRIMARY KEY (id)
    )
    """,
    """
    CREATE TABLE IF NOT EXISTS passages (
        id INTEGER NOT NULL,
        document_id INTEGER NOT NULL,
        place INTEGER NOT NULL,
        heading VARCHAR(2000) NOT NULL,
        sentences JSON NOT NULL,
        vector BLOB NOT NULL,
        sentence_vectors BLOB NOT NULL,
        PRIMARY KEY (id),
        FOREIGN KEY(document_id) REFERENCES documents (id)
    )
    """,
    """
    CREATE INDEX IF NOT EXISTS ix_passages_document_id ON passages (document_id)
    """,
)


def upgrade(op: Operations) -> None:
    """What is there already stays as it is."""
    for statement in _DDL:
        op.execute(statement)

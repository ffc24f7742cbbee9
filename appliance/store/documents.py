"""The index of the operator's documents: an SQLite database of its own, one transaction a document.

    documents ─< passages (sentences, vectors)      documents_fts (words of passages)
    documents_state: a number that goes up with every change, so that a reader notices

A process that is killed leaves whole documents: the one it was at is there as it was before, or as
it is now. Texts are the operator's and may be quoted; nothing of a caller is in here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from sqlalchemy import (
    JSON,
    ForeignKey,
    LargeBinary,
    MetaData,
    String,
    UniqueConstraint,
    func,
    select,
    text,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column

from appliance.errors import StoreError
from appliance.store.database import Database
from appliance.store.instants import Instant
from appliance.store.versions import DOCUMENTS

_CREATE_WORDS = (
    "CREATE VIRTUAL TABLE IF NOT EXISTS documents_fts USING fts5(title, heading, body,"
    ' tokenize = "porter unicode61 remove_diacritics 2")'
)
_ADD_WORDS = (
    "INSERT INTO documents_fts(rowid, title, heading, body) VALUES (:id, :title, :heading, :body)"
)
_FORGET_WORDS = (
    "DELETE FROM documents_fts WHERE rowid IN"
    " (SELECT id FROM passages WHERE document_id = :document)"
)
_CHECK_WORDS = "INSERT INTO documents_fts(documents_fts) VALUES ('integrity-check')"


class Index(DeclarativeBase):
    """What the tables of the index are declared on: they are migrated by themselves."""

    metadata = MetaData(info={"chain": DOCUMENTS})


class DocumentRow(Index):
    """A file as it was read; `version` is the state of the index that it came with."""

    __tablename__ = "documents"
    __table_args__ = (UniqueConstraint("folder", "path"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    folder: Mapped[str] = mapped_column(String(4096))
    path: Mapped[str] = mapped_column(String(4096))
    sha256: Mapped[str] = mapped_column(String(64))
    size: Mapped[int]
    changed_ns: Mapped[int]
    title: Mapped[str] = mapped_column(String(500))
    added: Mapped[datetime] = mapped_column(Instant)
    encoder: Mapped[str] = mapped_column(String(64))
    version: Mapped[int]


class PassageRow(Index):
    """Some sentences of a document; vectors are float16, one for all and one for each sentence."""

    __tablename__ = "passages"

    id: Mapped[int] = mapped_column(primary_key=True)
    document_id: Mapped[int] = mapped_column(ForeignKey("documents.id"), index=True)
    place: Mapped[int]
    heading: Mapped[str] = mapped_column(String(2000))
    sentences: Mapped[list[str]] = mapped_column(JSON)
    vector: Mapped[bytes] = mapped_column(LargeBinary)
    sentence_vectors: Mapped[bytes] = mapped_column(LargeBinary)


class StateRow(Index):
    """One row: how often the index was changed."""

    __tablename__ = "documents_state"

    id: Mapped[int] = mapped_column(primary_key=True)
    version: Mapped[int]


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage to be stored or as it is; vectors are float16 as bytes."""

    heading: str
    sentences: tuple[str, ...]
    vector: bytes
    sentence_vectors: bytes


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """A document of the index.

    Attributes:
        folder: the folder that was added; an absolute path.
        path: of the file below it, with "/".
        sha256: of the file's bytes.
        size: of the file in bytes.
        changed_ns: when the file was changed, as its file system says.
        title: as it is quoted.
        encoder: identity of the encoder of its vectors.
        added: when it was indexed.
        passages: how many it has.
    """

    folder: str
    path: str
    sha256: str
    size: int
    changed_ns: int
    title: str
    encoder: str
    added: datetime
    passages: int = 0

    @property
    def file(self) -> Path:
        """Where the file is."""
        return Path(self.folder) / self.path


class DocumentStore:
    """What is indexed; every method is one transaction. Blocking."""

    def __init__(self, database: Database) -> None:
        self.database = database
        database.prepare(DocumentRow, PassageRow, StateRow)
        with database.reading() as session:
            there = session.scalar(
                text("SELECT 1 FROM sqlite_master WHERE name = :name"), {"name": "documents_fts"}
            )
        if not there:
            with database.writing() as session:
                session.execute(text(_CREATE_WORDS))

    def put(self, document: StoredDocument, passages: Sequence[Passage]) -> bool:
        """Store a document in place of what its file was before.

        Returns:
            False if another process has stored just this meanwhile.

        Raises:
            StoreError: it could not be stored; what was there before still is.
        """
        with self.database.writing() as session:
            row = _row(session, document.folder, document.path)
            if row is not None:
                if (row.sha256, row.encoder) == (document.sha256, document.encoder):
                    row.size, row.changed_ns = document.size, document.changed_ns
                    return False
                _forget(session, row)
            new = DocumentRow(
                folder=document.folder, path=document.path, sha256=document.sha256,
                size=document.size, changed_ns=document.changed_ns, title=document.title,
                added=document.added, encoder=document.encoder, version=_next_version(session),
            )  # fmt: skip
            session.add(new)
            session.flush()
            for place, passage in enumerate(passages):
                _add(session, new, place, passage)
            return True

    def touch(self, document: StoredDocument, size: int, changed_ns: int) -> None:
        """The file has another date, but is the same."""
        with self.database.writing() as session:
            row = _row(session, document.folder, document.path)
            if row is not None:
                row.size, row.changed_ns = size, changed_ns

    def remove(self, folder: str, path: str) -> bool:
        """Take a document out; False if it is not there."""
        with self.database.writing() as session:
            row = _row(session, folder, path)
            if row is not None:
                _forget(session, row)
                _next_version(session)
            return row is not None

    def all(self) -> list[StoredDocument]:
        """Every document, by folder and path."""
        counted = select(func.count()).where(PassageRow.document_id == DocumentRow.id)
        with self.database.reading() as session:
            rows = session.execute(
                select(DocumentRow, counted.scalar_subquery())
                .order_by(DocumentRow.folder, DocumentRow.path)
            )  # fmt: skip
            return [_document(row, count) for row, count in rows]

    def passages(self, folder: str, path: str) -> list[Passage]:
        """The passages of a document, in order; empty if it is not there."""
        with self.database.reading() as session:
            rows = session.scalars(
                select(PassageRow)
                .join(DocumentRow, DocumentRow.id == PassageRow.document_id)
                .where(DocumentRow.folder == folder, DocumentRow.path == path)
                .order_by(PassageRow.place)
            )
            return [_passage(row) for row in rows]

    def find_damage(self) -> list[str]:
        """What is wrong with the database itself; takes the write lock for a moment."""
        with self.database.writing() as session:
            said = session.scalars(text("PRAGMA integrity_check(10)")).all()
            damage = [str(each) for each in said if each != "ok"]
            passages = session.scalar(select(func.count()).select_from(PassageRow))
            words = session.scalar(text("SELECT count(*) FROM documents_fts"))
            if passages != words:
                damage.append(f"{passages} passages, but the words of {words}")
        try:
            with self.database.writing() as session:
                session.execute(text(_CHECK_WORDS))
        except StoreError as error:
            damage.append(f"words: {error}")
        return damage


def _row(session: Session, folder: str, path: str) -> DocumentRow | None:
    return session.scalars(
        select(DocumentRow).where(DocumentRow.folder == folder, DocumentRow.path == path)
    ).one_or_none()


def _next_version(session: Session) -> int:
    state = session.get(StateRow, 1)
    if state is None:
        state = StateRow(id=1, version=0)
        session.add(state)
    state.version += 1
    return state.version


def _forget(session: Session, row: DocumentRow) -> None:
    of_it = {"document": row.id}
    session.execute(text(_FORGET_WORDS), of_it)
    session.execute(text("DELETE FROM passages WHERE document_id = :document"), of_it)
    session.delete(row)
    session.flush()


def _add(session: Session, document: DocumentRow, place: int, passage: Passage) -> None:
    row = PassageRow(
        document_id=document.id, place=place, heading=passage.heading,
        sentences=list(passage.sentences), vector=passage.vector,
        sentence_vectors=passage.sentence_vectors,
    )  # fmt: skip
    session.add(row)
    session.flush()
    session.execute(
        text(_ADD_WORDS),
        {"id": row.id, "title": document.title, "heading": passage.heading,
         "body": " ".join(passage.sentences)},
    )  # fmt: skip


def _document(row: DocumentRow, passages: int) -> StoredDocument:
    return StoredDocument(
        row.folder, row.path, row.sha256, row.size, row.changed_ns, row.title, row.encoder,
        row.added, passages,
    )  # fmt: skip


def _passage(row: PassageRow) -> Passage:
    return Passage(row.heading, tuple(row.sentences), row.vector, row.sentence_vectors)

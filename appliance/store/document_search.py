"""Reads the index of documents for a search: vectors once into memory, the rest when it is found.

    searching() ── one reading transaction ──> Search: likeness of all passages, words, passages

Vectors are kept between searches and read again only for documents that have changed; 10,000
passages take about 15 MB. What a search reads is of one state of the index, whatever is written
meanwhile.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
from sqlalchemy import select, text
from sqlalchemy.orm import Session

from appliance.errors import StoreError
from appliance.store.database import Database
from appliance.store.documents import DocumentRow, PassageRow, StateRow

Vectors = npt.NDArray[np.float32]

_HALF = np.dtype("<f2")


@dataclass(frozen=True, slots=True)
class FoundPassage:
    """A passage with its document; `sentence_vectors` is float32 [sentences, width]."""

    id: int
    document: str
    sha256: str
    title: str
    heading: str
    place: int
    sentences: tuple[str, ...]
    sentence_vectors: Vectors


@dataclass(frozen=True, slots=True)
class _Part:
    """The vectors of a document as it was at one version."""

    version: int
    ids: npt.NDArray[np.int64]
    vectors: Vectors


@dataclass(frozen=True, slots=True)
class _Snapshot:
    """All vectors of one state of the index; never changed, only replaced."""

    version: int
    width: int
    parts: Mapping[int, _Part] = field(default_factory=dict)
    ids: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    vectors: Vectors = field(default_factory=lambda: np.zeros((0, 0), np.float32))


class VectorIndex:
    """The searchable side of the index, for one encoder. Safe from several threads."""

    def __init__(self, database: Database, encoder: str, width: int) -> None:
        """`encoder` is its identity: passages with another encoder's vectors are not searched."""
        self._database = database
        self._encoder = encoder
        self._lock = threading.Lock()
        self._snapshot = _Snapshot(-1, width)

    @contextmanager
    def searching(self) -> Iterator[Search]:
        """A search in the index as it is now.

        Raises:
            StoreError: it cannot be read, or holds something else than vectors.
        """
        with self._database.reading() as session:
            snapshot = self._snapshot
            version = session.scalar(select(StateRow.version)) or 0
            if version != snapshot.version:
                snapshot = _renewed(session, snapshot, version, self._encoder)
                with self._lock:
                    if snapshot.version > self._snapshot.version:
                        self._snapshot = snapshot
            yield Search(session, snapshot)


@dataclass(frozen=True, slots=True)
class Search:
    """What one search may ask; as long as its transaction lasts."""

    _session: Session
    _snapshot: _Snapshot

    @property
    def size(self) -> int:
        """How many passages can be found."""
        return len(self._snapshot.ids)

    def likeness(self, question: Vectors) -> tuple[npt.NDArray[np.int64], Vectors]:
        """The ids of all passages, and how like the question each is (cosine)."""
        return self._snapshot.ids, self._snapshot.vectors @ question

    def words(self, expression: str, limit: int) -> dict[int, float]:
        """The passages with most of these words (FTS5), and their bm25, positive."""
        if not expression:
            return {}
        rows = self._session.execute(
            text(
                "SELECT rowid, -bm25(documents_fts, 0.5, 2.0, 1.0) AS found FROM documents_fts"
                " WHERE documents_fts MATCH :words ORDER BY found DESC, rowid LIMIT :limit"
            ),
            {"words": expression, "limit": limit},
        )
        return {row.rowid: max(0.0, row.found) for row in rows}

    def passages(self, ids: Sequence[int]) -> list[FoundPassage]:
        """These passages, but for those with another encoder's vectors."""
        known = set(self._snapshot.ids.tolist()) & set(ids)
        wanted = (
            select(PassageRow, DocumentRow)
            .join(DocumentRow, DocumentRow.id == PassageRow.document_id)
            .where(PassageRow.id.in_(sorted(known)))
        )
        try:
            rows = self._session.execute(wanted).all()
        except ValueError as error:  # not JSON
            raise StoreError("documents: the index holds broken sentences") from error
        width = self._snapshot.width
        return [
            FoundPassage(
                row.id, document.path, document.sha256, document.title, row.heading, row.place,
                tuple(row.sentences), unpacked(row.sentence_vectors, len(row.sentences), width),
            )
            for row, document in rows
        ]  # fmt: skip


def packed(vectors: Vectors) -> bytes:
    """Vectors as they are stored: float16, which changes a likeness by less than 0.001."""
    return vectors.astype(_HALF).tobytes()


def unpacked(data: bytes, count: int, width: int) -> Vectors:
    """Stored vectors as float32 [count, width].

    Raises:
        StoreError: it is not so many, or they are not numbers.
    """
    values = np.frombuffer(data, _HALF) if len(data) % 2 == 0 else np.zeros(0, _HALF)
    if not count or values.size != count * width or not np.isfinite(values).all():
        raise StoreError("documents: the index holds broken vectors")
    return values.reshape(count, width).astype(np.float32)


def _renewed(session: Session, before: _Snapshot, version: int, encoder: str) -> _Snapshot:
    """The vectors of this state: what has not changed is taken over."""
    there = session.execute(
        select(DocumentRow.id, DocumentRow.version).where(DocumentRow.encoder == encoder)
    )
    parts = {}
    for document, written in there:
        part = before.parts.get(document)
        if part is None or part.version != written:
            part = _read(session, document, written, before.width)
        parts[document] = part
    every = [parts[document] for document in sorted(parts) if len(parts[document].ids)]
    if not every:
        return _Snapshot(
            version, before.width, parts, vectors=np.zeros((0, before.width), np.float32)
        )
    ids = np.concatenate([part.ids for part in every])
    return _Snapshot(version, before.width, parts, ids, np.concatenate([p.vectors for p in every]))


def _read(session: Session, document: int, version: int, width: int) -> _Part:
    rows = session.execute(
        select(PassageRow.id, PassageRow.vector)
        .where(PassageRow.document_id == document)
        .order_by(PassageRow.id)
    ).all()
    vectors = unpacked(b"".join(row.vector for row in rows), len(rows), width)
    return _Part(version, np.array([row.id for row in rows], np.int64), vectors)

"""The operator's documents, to be asked: the encoder, the index and how they are fused.

    question ──> vector, words ──> candidates ──> closeness ──> threshold ──> Excerpt, …

What comes back is quoted word for word; nothing is written here. Safe from several threads.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from appliance.errors import StoreError
from appliance.findings import Excerpt
from appliance.knowledge.encoder import SentenceEncoder, Vector
from appliance.knowledge.fusion import THRESHOLD, closeness, match_expression, quoted, score_of
from appliance.sections import DocumentsConfig
from appliance.store.database import Database
from appliance.store.document_search import FoundPassage, Search, VectorIndex
from appliance.store.documents import DocumentStore

_BY_MEANING, _BY_WORDS = 40, 40
"""So many candidates are looked at closely; more change nothing on the sets that were measured."""

_REMEDY = "appliance docs add FOLDER"


@dataclass(frozen=True, slots=True)
class _Close:
    """A passage with how close it is, and how like the question each of its sentences is."""

    passage: FoundPassage
    close: float
    sentences: npt.NDArray[np.float32] = field(repr=False)


@dataclass(frozen=True, slots=True)
class _Open:
    """An index that is open; `inode` tells whether its file is still the same."""

    inode: int
    database: Database
    index: VectorIndex


class Library:
    """See `actions.inquiry.Library`. The encoder is loaded here, the index at the first search."""

    def __init__(self, config: DocumentsConfig) -> None:
        """Load the encoder.

        Raises:
            ConfigError: `config.encoder` is no encoder.
        """
        self._path = config.store
        self._encoder = SentenceEncoder(config.encoder, config.threads)
        self._lock = threading.Lock()
        self._open: _Open | None = None

    def search(self, question: str, limit: int = 3, threshold: float = THRESHOLD) -> list[Excerpt]:
        """The passages that may answer a question, best first; empty if none is close enough.

        Blocking: about 5 ms. At most one excerpt of a section's part is among them.

        Raises:
            StoreError: there is no index, it cannot be read, or it is another encoder's.
            EngineError: the encoder failed on the question.
        """
        found = self.rank(question)
        best = [(score_of(each.close), each) for each in found[:limit]]
        return [_excerpt(each, score) for score, each in best if score >= threshold]

    def rank(self, question: str) -> list[_Close]:
        """All candidates, the closest first, whether they answer or not."""
        index = self._index()
        vector = self._encoder.encode(question)
        try:
            with index.searching() as search:
                found = list(_candidates(search, vector, question))
                size = search.size
        except StoreError as error:
            if "malformed" in str(error) or "broken" in str(error):
                raise StoreError(f"{error}: move {self._path} away, then {_REMEDY}") from error
            raise
        if not size:
            raise StoreError(f"documents: {self._path} has nothing of this encoder: {_REMEDY}")
        return sorted(found, key=lambda each: (-each.close, each.passage.id))

    def close(self) -> None:
        """Release the index."""
        with self._lock:
            if self._open is not None:
                self._open.database.close()
                self._open = None

    def _index(self) -> VectorIndex:
        """The index that is at the path now; one that was made anew is opened anew."""
        try:
            inode = self._path.stat().st_ino
        except OSError as error:
            raise StoreError(f"documents: no index at {self._path}: {_REMEDY}") from error
        with self._lock:
            if self._open is None or self._open.inode != inode:
                database = Database(self._path)
                DocumentStore(database)
                index = VectorIndex(database, self._encoder.identity, self._encoder.width)
                self._open = _Open(inode, database, index)  # a search may still use the one before
            return self._open.index


def _candidates(search: Search, vector: Vector, question: str) -> Iterable[_Close]:
    ids, likeness = search.likeness(vector)
    likely = ids[np.argsort(-likeness, kind="stable")[:_BY_MEANING]]
    words = search.words(match_expression(question), _BY_WORDS)
    near = dict(zip(ids.tolist(), likeness.tolist(), strict=True))
    for passage in search.passages([*likely.tolist(), *words]):
        sentences = passage.sentence_vectors @ vector
        close = closeness(near[passage.id], float(sentences.max()), words.get(passage.id, 0.0))
        yield _Close(passage, close, sentences)


def _excerpt(found: _Close, score: float) -> Excerpt:
    passage = found.passage
    first, last = quoted(passage.sentences, found.sentences)
    named = f"{passage.document}\n{passage.sha256}".encode()
    return Excerpt(
        id=f"{hashlib.sha256(named).hexdigest()[:10]}:{passage.place}:{first}-{last}",
        document=passage.document,
        title=passage.title,
        heading=passage.heading,
        text=" ".join(passage.sentences[first:last]),
        score=round(score, 4),
    )

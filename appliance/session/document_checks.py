"""Whether the index of documents is whole and up to date, and its texts are fit to be said."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from appliance.errors import StoreError
from appliance.knowledge.encoder import SentenceEncoder
from appliance.knowledge.speakable import find_speech_problems
from appliance.store.document_search import unpacked
from appliance.store.documents import DocumentStore, StoredDocument


class Weight(StrEnum):
    """A fault must be mended; advice may be taken."""

    FAULT = "fault"
    ADVICE = "advice"


@dataclass(frozen=True, slots=True)
class DocumentProblem:
    """What is wrong; `document` is its path, empty for the index itself."""

    weight: Weight
    document: str
    said: str
    sentence: str = ""


def find_document_problems(
    store: DocumentStore, encoder: SentenceEncoder
) -> Iterator[DocumentProblem]:
    """Everything that is to be said of an index.

    Raises:
        StoreError: it cannot be read at all, or another process writes to it for too long.
    """
    for damage in store.find_damage():
        yield DocumentProblem(Weight.FAULT, "", damage)
    for document in store.all():
        yield from _file(document)
        if document.encoder != encoder.identity:
            said = "has the vectors of another encoder: appliance docs add its folder"
            yield DocumentProblem(Weight.FAULT, document.path, said)
        yield from _texts(store, document, encoder)


def _file(document: StoredDocument) -> Iterator[DocumentProblem]:
    said = ""
    try:
        stat = document.file.stat()
        if (stat.st_size, stat.st_mtime_ns) != (document.size, document.changed_ns):
            now = hashlib.sha256(document.file.read_bytes()).hexdigest()
            if now != document.sha256:
                said = "has changed since it was read"
    except FileNotFoundError:
        said = "is gone, and is still quoted"
    except OSError as error:
        said = f"cannot be read any more: {error.strerror}"
    if said:
        again = f"{said}: appliance docs add {document.folder}"
        yield DocumentProblem(Weight.FAULT, document.path, again)


def _texts(
    store: DocumentStore, document: StoredDocument, encoder: SentenceEncoder
) -> Iterator[DocumentProblem]:
    for passage in store.passages(document.folder, document.path):
        if document.encoder == encoder.identity:
            try:
                unpacked(passage.vector, 1, encoder.width)
                unpacked(passage.sentence_vectors, len(passage.sentences), encoder.width)
            except StoreError:
                yield DocumentProblem(Weight.FAULT, document.path, "has broken vectors")
        for sentence in passage.sentences:
            for said in find_speech_problems(sentence):
                weight = Weight.FAULT if said.startswith("denies") else Weight.ADVICE
                yield DocumentProblem(weight, document.path, said, sentence)

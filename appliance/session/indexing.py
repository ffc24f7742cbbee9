"""Brings the index of documents up to date with folders of files.

    folder ── files ──> same size and date? ── no ──> text ──> chunks ──> vectors ──> DocumentStore
                              └ yes: left alone                       (one transaction a document)

It may be killed at any moment, and two of it may run at once: what is stored is whole, and the next
run does what is missing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

import numpy as np

from appliance.clock import Clock
from appliance.dialogue.honesty import denies_automation
from appliance.errors import ConfigError
from appliance.knowledge.chunks import chunk
from appliance.knowledge.encoder import SentenceEncoder
from appliance.knowledge.extraction import ENDINGS, MOST_BYTES, extract
from appliance.knowledge.outline import Document, UnreadableError
from appliance.store.document_search import packed
from appliance.store.documents import DocumentStore, Passage, StoredDocument


class Fate(StrEnum):
    """What came of a file."""

    ADDED = "added"
    CHANGED = "changed"
    UNCHANGED = "unchanged"
    ENCODED = "encoded anew"
    REMOVED = "removed"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Step:
    """One file done: `number` of `of` in its folder; `why` it was refused."""

    path: str
    fate: Fate
    number: int
    of: int
    why: str = ""


@dataclass(slots=True)
class Summary:
    """What came of all files, and how many files were no documents."""

    fates: dict[Fate, int] = field(default_factory=lambda: dict.fromkeys(Fate, 0))
    refused: list[tuple[str, str]] = field(default_factory=list)
    ignored: int = 0


Progress = Callable[[Step], None]


class Indexer:
    """Reads folders into a store."""

    def __init__(self, store: DocumentStore, encoder: SentenceEncoder, clock: Clock) -> None:
        self._store = store
        self._encoder = encoder
        self._clock = clock

    def add(self, folders: Sequence[Path], progress: Progress) -> Summary:
        """Index these folders: new and changed files are read, files that are gone are taken out.

        Raises:
            ConfigError: a folder is none, lies in another that is indexed, or has become empty.
            StoreError: the index cannot be written; what was done so far stays.
            EngineError: the encoder failed.
        """
        roots = list(dict.fromkeys(_root(folder) for folder in folders))
        known = self._store.all()
        for root in roots:
            _check_apart(root, {*roots, *(Path(each.folder) for each in known)})
        summary = Summary()
        for root in roots:
            before = {each.path: each for each in known if each.folder == str(root)}
            for step in self._bring_up(root, before, summary):
                summary.fates[step.fate] += 1
                if step.fate is Fate.REFUSED:
                    summary.refused.append((step.path, step.why))
                progress(step)
        return summary

    def _bring_up(
        self, root: Path, before: dict[str, StoredDocument], summary: Summary
    ) -> Iterator[Step]:
        try:
            files = sorted(path for path in _files(root) if _is_within(path, root))
        except OSError as error:
            raise ConfigError(f"{error.filename}: cannot be read: {error.strerror}") from error
        documents = [path for path in files if path.suffix.lower() in ENDINGS]
        summary.ignored += len(files) - len(documents)
        if not documents:
            raise ConfigError(_empty(root, len(before)))
        names = [path.relative_to(root).as_posix() for path in documents]
        gone = sorted(set(before) - set(names))
        total = len(names) + len(gone)
        for number, name in enumerate(names, 1):
            fate, why = self._index(root, name, before.get(name))
            yield Step(name, fate, number, total, why)
        for number, name in enumerate(gone, len(names) + 1):
            if not (root / name).exists():  # it may have come since, and another run indexed it
                self._store.remove(str(root), name)
                yield Step(name, Fate.REMOVED, number, total)

    def _index(self, root: Path, name: str, before: StoredDocument | None) -> tuple[Fate, str]:
        try:
            return self._look(root, name, before), ""
        except UnreadableError as error:
            if before is not None:  # what is not readable any more must not be quoted as it was
                self._store.remove(before.folder, before.path)
            return Fate.REFUSED, str(error)
        except UnicodeEncodeError:
            return Fate.REFUSED, "its name is not UTF-8: rename it"
        except OSError as error:
            return Fate.REFUSED, f"cannot be read: {error.strerror}"

    def _look(self, root: Path, name: str, before: StoredDocument | None) -> Fate:
        name.encode()
        stat = (root / name).stat()
        if before and (before.size, before.changed_ns) == (stat.st_size, stat.st_mtime_ns):
            return self._unchanged(before)
        data = _bytes(root / name, stat.st_size)
        sha256 = hashlib.sha256(data).hexdigest()
        if before and before.sha256 == sha256:
            self._store.touch(before, stat.st_size, stat.st_mtime_ns)
            return self._unchanged(before)
        document = extract(name, data)
        _check_honest(document)
        stored = StoredDocument(
            str(root), name, sha256, stat.st_size, stat.st_mtime_ns, document.title[:500],
            self._encoder.identity, self._clock.now(),
        )  # fmt: skip
        if not self._store.put(stored, self._passages(document)):
            return Fate.UNCHANGED  # another run has stored it meanwhile
        return Fate.CHANGED if before else Fate.ADDED

    def _unchanged(self, before: StoredDocument) -> Fate:
        """Left alone, unless its vectors are another encoder's: then made of the stored text."""
        if before.encoder == self._encoder.identity:
            return Fate.UNCHANGED
        passages = [
            self._passage(before.title, each.heading, each.sentences)
            for each in self._store.passages(before.folder, before.path)
        ]
        again = StoredDocument(
            before.folder, before.path, before.sha256, before.size, before.changed_ns,
            before.title, self._encoder.identity, before.added,
        )  # fmt: skip
        self._store.put(again, passages)
        return Fate.ENCODED

    def _passages(self, document: Document) -> list[Passage]:
        return [
            self._passage(document.title[:500], each.heading[:2000], each.sentences)
            for each in chunk(document)
        ]

    def _passage(self, title: str, heading: str, sentences: tuple[str, ...]) -> Passage:
        """A sentence is encoded under its heading: alone it may not say what it is about."""
        encode = self._encoder.encode
        whole = encode(". ".join(each for each in (title, heading, " ".join(sentences)) if each))
        single = np.stack([encode(f"{heading or title}: {sentence}") for sentence in sentences])
        return Passage(heading, sentences, packed(whole), packed(single))


def _root(folder: Path) -> Path:
    root = folder.resolve()
    if not root.is_dir():
        raise ConfigError(f"{folder}: is no folder: name the folder that the documents are in")
    return root


def _check_apart(root: Path, others: set[Path]) -> None:
    """A file that is in two folders would be quoted twice."""
    for other in others - {root}:
        if other in root.parents or root in other.parents:
            inner, outer = (root, other) if other in root.parents else (other, root)
            raise ConfigError(f"{inner} lies in {outer}, which is indexed: keep only one of them"
                              " (appliance docs remove FOLDER)")  # fmt: skip


def _empty(root: Path, before: int) -> str:
    none = f"{root}: holds no documents ({', '.join(ENDINGS)})"
    if not before:
        return none
    return (f"{none}, but {before} of it are indexed; is its disk there? If they are to go:"
            f" appliance docs remove {root}")  # fmt: skip


def _bytes(path: Path, size: int) -> bytes:
    if size > MOST_BYTES:  # known before it is read
        raise UnreadableError(f"is larger than {MOST_BYTES // 1_000_000} MB: split it")
    return path.read_bytes()


def _files(root: Path) -> Iterator[Path]:
    """Files below a folder; hidden ones and folders that are links are left out."""
    for path in root.iterdir():
        if path.name.startswith("."):
            continue
        if path.is_dir():
            if not path.is_symlink():
                yield from _files(path)
        elif path.is_file():
            yield path


def _is_within(path: Path, root: Path) -> bool:
    """Whether it is no link out of the folder: that would approve what nobody has put there."""
    return not path.is_symlink() or path.resolve().is_relative_to(root)


def _check_honest(document: Document) -> None:
    for section in document.sections:
        for sentence in section.sentences:
            if denies_automation(sentence):
                raise UnreadableError(
                    f"denies being automated ({sentence[:60]!r}): it may not be said"
                )

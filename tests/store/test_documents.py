"""The index of documents: one transaction a document, and a search sees one state of it."""

import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from appliance.errors import StoreError
from appliance.store import database as database_module
from appliance.store.database import Database
from appliance.store.document_search import VectorIndex, packed, unpacked
from appliance.store.documents import DocumentStore, Passage, StoredDocument

NOW = datetime(2026, 11, 11, 10, 30, tzinfo=UTC)
WIDTH = 4
DOCUMENT = StoredDocument("/docs", "pay.md", "a" * 64, 9, 5, "Pay", "e1", NOW)


def vector(*values: float) -> np.ndarray:
    return np.array(values, dtype=np.float32)


def passage(*sentences: str, near: int = 0, heading: str = "") -> Passage:
    one = np.eye(WIDTH, dtype=np.float32)[near]
    return Passage(heading, sentences, packed(one), packed(np.stack([one] * len(sentences))))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[DocumentStore]:
    database = Database(tmp_path / "x.sqlite")
    yield DocumentStore(database)
    database.close()


def words(store: DocumentStore, expression: str) -> set[int]:
    with VectorIndex(store.database, "e1", WIDTH).searching() as search:
        return set(search.words(expression, 99))


def test_a_document_is_kept_with_its_passages(store: DocumentStore) -> None:
    given = [passage("We pay.", "On Friday.", heading="When"), passage("Bye.", near=1)]
    assert store.put(DOCUMENT, given) is True
    again = DocumentStore(Database(store.database.path))
    assert again.all() == [replace(DOCUMENT, passages=2)]
    assert again.passages("/docs", "pay.md") == given
    assert again.passages("/docs", "no.md") == []
    assert again.find_damage() == []


def test_a_changed_document_takes_the_place_of_what_it_was(store: DocumentStore) -> None:
    store.put(DOCUMENT, [passage("Old words."), passage("More of them.")])
    store.put(replace(DOCUMENT, sha256="b" * 64, title="New"), [passage("Fresh text.")])
    assert [(each.title, each.passages) for each in store.all()] == [("New", 1)]
    assert words(store, '"old" OR "more"') == set()
    assert len(words(store, '"fresh"')) == 1
    assert store.find_damage() == []


def test_who_comes_second_with_the_same_changes_nothing(store: DocumentStore) -> None:
    store.put(DOCUMENT, [passage("We pay.")])
    later = replace(DOCUMENT, changed_ns=7, added=NOW.replace(year=2027))
    assert store.put(later, [passage("We pay.")]) is False
    (kept,) = store.all()
    assert (kept.changed_ns, kept.added) == (7, NOW)


def test_the_same_name_in_two_folders_are_two_documents(store: DocumentStore) -> None:
    store.put(DOCUMENT, [passage("One.")])
    store.put(replace(DOCUMENT, folder="/more"), [passage("Two.")])
    assert [each.file for each in store.all()] == [Path("/docs/pay.md"), Path("/more/pay.md")]
    assert store.remove("/docs", "pay.md") is True
    assert store.remove("/docs", "pay.md") is False
    assert [each.folder for each in store.all()] == ["/more"]
    assert words(store, '"one"') == set()


def test_touching_changes_only_the_date(store: DocumentStore) -> None:
    store.put(DOCUMENT, [passage("One.")])
    store.touch(DOCUMENT, 10, 11)
    store.touch(replace(DOCUMENT, path="no.md"), 1, 1)
    assert store.all() == [replace(DOCUMENT, size=10, changed_ns=11, passages=1)]


# --- searching ---


def test_words_are_found_in_title_heading_and_text_by_their_stems(store: DocumentStore) -> None:
    store.put(DOCUMENT, [passage("Transfers took days.", heading="Délays")])
    for expression in ('"pay"', '"delay"', '"transfer"', '"day" OR "zebra"'):
        assert len(words(store, expression)) == 1, expression
    assert words(store, '"zebra"') == words(store, "") == set()


def test_rarer_words_count_more(store: DocumentStore) -> None:
    store.put(
        DOCUMENT, [passage(f"Common word {n}.") for n in range(9)] + [passage("Rare common.")]
    )
    with VectorIndex(store.database, "e1", WIDTH).searching() as search:
        found = search.words('"rare" OR "common"', 99)
        assert max(found, key=found.__getitem__) == 10
        assert all(value >= 0 for value in found.values())
        assert len(search.words('"common"', 3)) == 3


def test_a_search_sees_one_state(store: DocumentStore) -> None:
    store.put(DOCUMENT, [passage("We pay.", near=2)])
    index = VectorIndex(store.database, "e1", WIDTH)
    with index.searching() as search:
        ids, likeness = search.likeness(vector(0, 0, 1, 0))
        store.put(replace(DOCUMENT, sha256="b" * 64), [passage("Fresh.", near=1)])
        (found,) = search.passages(ids.tolist())
        assert (found.sentences, likeness.tolist()) == (("We pay.",), [1.0])
        assert search.words('"fresh"', 9) == {}
    with index.searching() as search:
        ids, likeness = search.likeness(vector(0, 1, 0, 0))
        assert likeness.tolist() == [1.0]
        assert search.passages(ids.tolist())[0].sentences == ("Fresh.",)
        assert search.passages([99]) == []


def test_only_vectors_of_the_same_encoder_are_compared(store: DocumentStore) -> None:
    store.put(DOCUMENT, [passage("One.")])
    store.put(replace(DOCUMENT, path="b.md", encoder="e2"), [passage("Two.")])
    with VectorIndex(store.database, "e2", WIDTH).searching() as search:
        assert search.size == 1
        found = search.passages([*search.words('"one" OR "two"', 9)])
        assert [each.document for each in found] == ["b.md"]
    with VectorIndex(store.database, "e3", WIDTH).searching() as search:
        assert search.size == 0
        assert search.likeness(vector(1, 0, 0, 0))[1].tolist() == []


def test_packed_vectors_are_nearly_the_same() -> None:
    given = np.random.default_rng(5).normal(size=(7, 384)).astype(np.float32)
    given /= np.linalg.norm(given, axis=1, keepdims=True)
    back = unpacked(packed(given), 7, 384)
    assert np.abs(given @ given.T - back @ back.T).max() < 1e-3


@pytest.mark.parametrize(
    ("data", "count"),
    [(b"", 1), (b"\0" * 7, 1), (b"\0" * 8, 2), (b"\0" * 8, 0), (b"", 0), (b"\xff" * 8, 1)],
)
def test_what_is_no_vector_is_refused(data: bytes, count: int) -> None:
    with pytest.raises(StoreError, match="broken vectors"):
        unpacked(data, count, WIDTH)


# --- damage, locks ---


def test_damage_is_found(store: DocumentStore) -> None:
    store.put(DOCUMENT, [passage("One."), passage("Two.")])
    with store.database.writing() as session:
        session.connection().exec_driver_sql("delete from documents_fts where rowid = 1")
    assert store.find_damage() == ["2 passages, but the words of 1"]


def test_words_that_are_not_those_of_the_text_are_found(store: DocumentStore) -> None:
    store.put(DOCUMENT, [passage("One.")])
    with store.database.writing() as session:
        session.connection().exec_driver_sql("update documents_fts_content set c2 = 'Other.'")
    (damage,) = store.find_damage()
    assert damage.startswith("words: ")


def test_a_locked_index_can_be_searched_and_not_written(
    store: DocumentStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database_module, "_LOCKED_S", 0.05)
    database = Database(store.database.path)
    ours = DocumentStore(database)
    ours.put(DOCUMENT, [passage("We pay.")])
    other = sqlite3.connect(database.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreError, match="locked: another program writes"):
        ours.put(replace(DOCUMENT, sha256="b" * 64), [passage("Fresh.")])
    assert len(words(ours, '"pay"')) == 1
    other.close()
    assert [each.sha256 for each in ours.all()] == [DOCUMENT.sha256]
    database.close()

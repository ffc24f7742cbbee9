"""The library: what it finds, and what it says when the index cannot be used."""

import shutil
import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from appliance.actions import inquiry
from appliance.errors import ConfigError, StoreError
from appliance.sections import DocumentsConfig
from appliance.session.library import Library
from appliance.store import document_search
from tests.session.documents import MODEL, Shelf, shelf

PAYDAY = "when do you pay"


@pytest.fixture
def docs(tmp_path: Path) -> Shelf:
    docs = shelf(tmp_path)
    docs.add()
    return docs


@pytest.fixture
def library(docs: Shelf) -> Iterator[Library]:
    library = docs.library()
    yield library
    library.close()


def execute(path: Path, statement: str) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute(statement)
    connection.close()


def test_it_is_what_the_tools_ask_for(library: Library) -> None:
    asked: inquiry.Library = library
    assert asked.search(PAYDAY)


def test_an_excerpt_names_its_source(library: Library) -> None:
    first = library.search(PAYDAY)[0]
    assert (first.document, first.title, first.heading) == ("pay.md", "Pay", "Payday")
    assert first.text == "We pay every Friday. A transfer takes two days."
    assert 0.5 <= first.score <= 1


def test_the_same_question_gets_the_same_answer(library: Library, docs: Shelf) -> None:
    again = docs.library()
    assert library.search(PAYDAY) == library.search(PAYDAY) == again.search(PAYDAY)
    again.close()


@pytest.mark.parametrize("question", ["who won the game", "", "?!", "the of and", "日本"])
def test_what_no_document_speaks_of_finds_nothing(library: Library, question: str) -> None:
    assert library.search(question) == []


@pytest.mark.parametrize("question", ['"', "NEAR(a b) OR *", "pay' --", "^pay:", "pay " * 3000])
def test_any_question_can_be_asked(library: Library, question: str) -> None:
    library.search(question)


def test_no_more_than_asked_for(library: Library) -> None:
    assert len(library.search(PAYDAY, limit=1)) == 1
    assert len(library.search(PAYDAY, limit=9, threshold=0.0)) == 2


def test_a_change_is_noticed(library: Library, docs: Shelf) -> None:
    assert "Friday" in library.search(PAYDAY)[0].text
    before = library.search(PAYDAY)[0].id
    docs.write("pay.md", "# Pay\n\n## Payday\n\nWe pay every Monday.\n")
    docs.add()
    assert library.search(PAYDAY)[0].text == "We pay every Monday."
    assert library.search(PAYDAY)[0].id != before
    (docs.folder / "pay.md").unlink()
    docs.add()
    assert library.search(PAYDAY) == []


def test_vectors_are_read_only_once(
    library: Library, docs: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    library.search(PAYDAY)
    read: list[int] = []
    real = document_search._read

    def spy(session, document, version, width):  # type: ignore[no-untyped-def]
        read.append(document)
        return real(session, document, version, width)

    monkeypatch.setattr(document_search, "_read", spy)
    library.search(PAYDAY)
    assert read == []
    docs.write("new.md", "Something new.")
    docs.add()
    library.search(PAYDAY)
    assert len(read) == 1


# --- an index that cannot be used ---


def test_without_an_index_the_command_is_named(docs: Shelf, tmp_path: Path) -> None:
    path = tmp_path / "none.sqlite"
    library = Library(DocumentsConfig(store=path, encoder=MODEL))
    with pytest.raises(StoreError, match=r"no index at .*: appliance docs add FOLDER"):
        library.search(PAYDAY)
    assert not path.exists()


def test_an_index_that_comes_later_is_found(tmp_path: Path) -> None:
    docs = shelf(tmp_path)
    library = docs.library()
    with pytest.raises(StoreError, match="no index"):
        library.search(PAYDAY)
    docs.add()
    assert library.search(PAYDAY)
    library.close()


def test_an_index_that_is_made_anew_is_opened_anew(library: Library, docs: Shelf) -> None:
    assert library.search(PAYDAY)
    for path in docs.config.store.parent.glob("x.sqlite*"):
        path.unlink()
    with pytest.raises(StoreError, match="no index"):
        library.search(PAYDAY)
    (docs.folder / "pay.md").write_text("# Pay\n\nWe pay every Monday.\n")
    docs.add()
    assert "Monday" in library.search(PAYDAY)[0].text


def test_an_empty_index_is_said(library: Library, docs: Shelf) -> None:
    execute(docs.config.store, "delete from documents")
    execute(docs.config.store, "update documents_state set version = version + 1")
    with pytest.raises(StoreError, match=r"has nothing of this encoder: appliance docs add"):
        library.search(PAYDAY)


def test_another_encoder_s_vectors_are_not_compared(docs: Shelf, tmp_path: Path) -> None:
    other = tmp_path / "other"
    shutil.copytree(MODEL, other, ignore=shutil.ignore_patterns("recipe", "*.md"))
    with (other / "tokenizer.json").open("a") as file:
        file.write("\n")
    library = Library(docs.config.model_copy(update={"encoder": other}))
    with pytest.raises(StoreError, match="has nothing of this encoder"):
        library.search(PAYDAY)
    library.close()


def test_a_file_that_is_no_index(tmp_path: Path) -> None:
    path = tmp_path / "x.sqlite"
    path.write_bytes(b"no database" * 999)
    with pytest.raises(StoreError, match="not a database"):
        Library(DocumentsConfig(store=path, encoder=MODEL)).search(PAYDAY)


@pytest.mark.parametrize("sentences", ["'[]'", "'[1'", "x'ff'"])
def test_broken_sentences_are_said(docs: Shelf, sentences: str) -> None:
    execute(docs.config.store, f"update passages set sentences = {sentences}")
    library = docs.library()
    with pytest.raises(StoreError, match=r"move .* away, then appliance docs add"):
        library.search(PAYDAY)
    library.close()


@pytest.mark.parametrize("column", ["vector", "sentence_vectors"])
@pytest.mark.parametrize("value", ["x'0102'", "x'01'", "x''", "zeroblob(769)"])
def test_broken_vectors_are_said(docs: Shelf, column: str, value: str) -> None:
    execute(docs.config.store, f"update passages set {column} = {value}")
    library = docs.library()
    with pytest.raises(StoreError, match=r"broken vectors: move .* away, then appliance docs add"):
        library.search(PAYDAY)
    library.close()


def test_a_damaged_file_is_said(docs: Shelf) -> None:
    execute(docs.config.store, "pragma wal_checkpoint(truncate)")
    data = bytearray(docs.config.store.read_bytes())
    data[4096:] = b"\xa5" * (len(data) - 4096)  # all pages but the first
    docs.config.store.write_bytes(bytes(data))
    library = docs.library()
    with pytest.raises(StoreError, match=r"malformed"):
        library.search(PAYDAY)
    library.close()


def test_an_encoder_that_is_missing(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"documents\.encoder"):
        Library(DocumentsConfig(store=tmp_path / "x.sqlite", encoder=tmp_path))


# --- several threads ---


def test_threads_search_while_documents_come_and_go(library: Library, docs: Shelf) -> None:
    """Every answer is of one state of the index: of the old text or of the new one."""
    stop, wrong, searches = threading.Event(), list[object](), list[int]()

    def ask() -> None:
        while not stop.is_set():
            try:
                found = library.search(PAYDAY, 1)
                if not found or found[0].text not in allowed:
                    wrong.append(found)
            except Exception as error:  # noqa: BLE001
                wrong.append(error)
            searches.append(1)

    days = [f"We pay on day {word}. Always." for word in ("one", "two", "three", "four", "five")]
    allowed = {*days, "We pay every Friday. A transfer takes two days."}
    threads = [threading.Thread(target=ask) for _ in range(3)]
    for each in threads:
        each.start()
    try:
        for number, text in enumerate(days):
            docs.write("pay.md", f"# Pay\n\n## Payday\n\n{text}\n")
            docs.write(f"more{number}.md", "# Noise\n\nThe weather is fine.\n")
            docs.add()
    finally:
        stop.set()
        for each in threads:
            each.join()
    assert wrong == []
    assert len(searches) > 5
    assert library.search(PAYDAY)[0].text == days[-1]

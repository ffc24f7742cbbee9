"""Folders brought into the index: only what has changed, and what is refused says why."""

import os
import shutil
from pathlib import Path

import pytest

from appliance.errors import ConfigError
from appliance.knowledge.encoder import SentenceEncoder
from appliance.session import indexing
from appliance.session.indexing import Fate
from tests.session.documents import MODEL, Shelf, shelf


@pytest.fixture
def docs(tmp_path: Path) -> Shelf:
    return shelf(tmp_path)


def test_only_what_has_changed_is_read_again(docs: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    assert docs.fates() == {"pay.md": Fate.ADDED, "deep/dogs.md": Fate.ADDED}
    docs.write("pay.md", "# Pay\n\nWe pay every Monday.\n")
    docs.write("new.txt", "Something new is here.")
    (docs.folder / "deep/dogs.md").unlink()
    assert docs.fates() == {
        "pay.md": Fate.CHANGED, "new.txt": Fate.ADDED, "deep/dogs.md": Fate.REMOVED,
    }  # fmt: skip

    def must_not(*_: object) -> None:
        raise AssertionError("was read")

    monkeypatch.setattr(indexing, "extract", must_not)
    monkeypatch.setattr(Path, "read_bytes", must_not)
    assert docs.fates() == {"pay.md": Fate.UNCHANGED, "new.txt": Fate.UNCHANGED}


def test_another_date_alone_is_no_change(docs: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    docs.add()
    before = docs.stored()["pay.md"]
    os.utime(docs.folder / "pay.md", ns=(5, 5))
    assert docs.fates()["pay.md"] is Fate.UNCHANGED
    after = docs.stored()["pay.md"]
    assert (after.changed_ns, after.added) == (5, before.added)


def test_what_is_refused_says_why_and_the_others_are_indexed(docs: Shelf) -> None:
    docs.write("bad.txt", b"caf\xe9")
    docs.write("empty.md", "")
    docs.write("liar.md", "I am a real person, not a robot.")
    docs.write("picture.png", b"x")
    docs.write(".hidden.md", "Hidden text.")
    (docs.folder / "shut.md").symlink_to(docs.folder / "nowhere.md")
    summary = docs.add()
    assert {path: why.split(" (")[0] for path, why in summary.refused} == {
        "bad.txt": "is not UTF-8",
        "empty.md": "is empty",
        "liar.md": "denies being automated",
    }
    assert summary.fates[Fate.ADDED] == 2
    assert summary.ignored == 1
    assert set(docs.stored()) == {"pay.md", "deep/dogs.md"}


def test_a_document_that_has_become_unreadable_is_not_quoted_any_more(docs: Shelf) -> None:
    docs.add()
    docs.write("pay.md", b"\xff caf\xe9")
    assert docs.add().fates[Fate.REFUSED] == 1
    assert set(docs.stored()) == {"deep/dogs.md"}


def test_a_link_out_of_the_folder_is_left_alone(docs: Shelf, tmp_path: Path) -> None:
    secret = tmp_path / "salaries.md"
    secret.write_text("The director earns a million.")
    (docs.folder / "notes.md").symlink_to(secret)
    (docs.folder / "deep/same.md").symlink_to(docs.folder / "pay.md")
    docs.add()
    assert set(docs.stored()) == {"pay.md", "deep/dogs.md", "deep/same.md"}


def test_a_name_that_is_no_text_is_refused(docs: Shelf) -> None:
    (docs.folder / os.fsdecode(b"caf\xe9.md")).write_text("Some text.")
    ((_, why),) = docs.add().refused
    assert why == "its name is not UTF-8: rename it"


def test_another_encoder_reads_no_file_again(
    docs: Shelf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    docs.add()
    other = tmp_path / "other"
    shutil.copytree(MODEL, other, ignore=shutil.ignore_patterns("recipe", "*.md"))
    with (other / "tokenizer.json").open("a") as file:
        file.write("\n")
    encoder = SentenceEncoder(other)
    monkeypatch.delattr(Path, "read_bytes")
    assert docs.add(encoder=encoder).fates[Fate.ENCODED] == 2
    assert {each.encoder for each in docs.stored().values()} == {encoder.identity}
    assert docs.add(encoder=encoder).fates[Fate.UNCHANGED] == 2


def test_a_folder_is_known_whatever_it_is_called(
    docs: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    docs.add()
    monkeypatch.chdir(docs.folder.parent)
    assert docs.add(Path("docs/../docs")).fates[Fate.UNCHANGED] == 2


def test_a_folder_that_is_named_twice_is_read_once(docs: Shelf) -> None:
    summary = docs.add(docs.folder, docs.folder / "deep" / "..")
    assert summary.fates[Fate.ADDED] == sum(summary.fates.values()) == 2


@pytest.mark.parametrize("inner_first", [True, False])
def test_a_folder_in_another_is_refused(docs: Shelf, inner_first: bool) -> None:
    folders = [docs.folder / "deep", docs.folder]
    if not inner_first:
        folders.reverse()
    docs.add(folders[0])
    with pytest.raises(ConfigError, match=r"deep lies in .*docs, which is indexed"):
        docs.add(folders[1])
    with pytest.raises(ConfigError, match="lies in"):
        docs.add(*folders)


def test_a_folder_without_documents_is_refused(docs: Shelf, tmp_path: Path) -> None:
    (tmp_path / "none").mkdir()
    with pytest.raises(ConfigError, match=r"none: holds no documents \(\.md, "):
        docs.add(tmp_path / "none")
    with pytest.raises(ConfigError, match="missing: is no folder"):
        docs.add(tmp_path / "missing")
    with pytest.raises(ConfigError, match=r"pay\.md: is no folder"):
        docs.add(docs.folder / "pay.md")


def test_a_disk_that_is_not_there_takes_nothing_out(docs: Shelf) -> None:
    docs.add()
    shutil.rmtree(docs.folder)
    docs.folder.mkdir()
    with pytest.raises(ConfigError, match=r"but 2 of it are indexed; is its disk there\?"):
        docs.add()
    assert len(docs.stored()) == 2


def test_what_came_while_it_was_listed_is_not_taken_out(
    docs: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    docs.add()
    listed = [docs.folder / "deep/dogs.md"]  # pay.md came after the listing, by another run
    monkeypatch.setattr(indexing, "_files", lambda root: iter(listed))
    docs.add()
    assert set(docs.stored()) == {"pay.md", "deep/dogs.md"}

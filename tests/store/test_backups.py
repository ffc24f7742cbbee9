"""Backups: written while the agent runs, verified, pruned; restored whole, or not at all."""

import io
import json
import os
import resource
import shutil
import sqlite3
import tarfile
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from appliance.errors import StoreError
from appliance.store import archive_writing, restoring
from appliance.store.archive_reading import verify
from appliance.store.archive_writing import write_archive
from appliance.store.archives import archives, places_of, prune
from appliance.store.customers import Customer, Customers
from appliance.store.database import Database, give_to_owner, restore_mark
from appliance.store.documents import DocumentStore
from appliance.store.erasure import Eraser
from appliance.store.events import EventLog
from appliance.store.people import person
from appliance.store.restoring import restore
from appliance.store.stops import Stops
from tests.store.boxes import JOHN, MARIA, NOW, STOP, Box, box_at, live, opened, undo_migrations


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A box with one person, and an index of documents."""
    box = box_at(tmp_path_factory.mktemp("model"))
    live(box, MARIA, "Maria", 30)
    documents = Database(box.config.documents.store)
    DocumentStore(documents)
    documents.close()
    box.database.close()
    return box.folder


@pytest.fixture
def box(model: Path, tmp_path: Path) -> Iterator[Box]:
    shutil.copytree(model, tmp_path, dirs_exist_ok=True)
    box = opened(tmp_path)
    yield box
    box.database.close()


_TOLD = {"format": 1, "program": "x", "written": NOW.isoformat(), "calls": True, "files": {}}


def backup(box: Box, minutes: float = 0) -> Path:
    now = NOW + timedelta(minutes=minutes)
    return write_archive(places_of(box.config), box.config.backup.folder, now)


def names(box: Box) -> list[str]:
    return sorted(each.name for each in box.config.backup.folder.iterdir())


def restored(box: Box, archive: Path) -> restoring.Restored:
    """Restore; the box's own connection is the agent's, so it goes first."""
    box.database.close()
    done = restore(archive, box.config, NOW)
    box.database = Database(box.config.record.store)
    return done


def test_what_is_lost_is_there_again(box: Box) -> None:
    archive = backup(box)
    before = (box.counts(), box.files())
    log = box.config.record.folder.glob("*/*.jsonl").__next__().read_bytes()
    box.database.close()
    box.config.record.store.unlink()
    box.config.documents.store.unlink()
    for each in box.config.record.folder.glob("*/*"):
        each.unlink()
    done = restored(box, archive)
    assert done.calls == 1
    assert (box.counts(), box.files()) == before
    assert box.config.record.folder.glob("*/*.jsonl").__next__().read_bytes() == log
    documents = Database(box.config.documents.store)
    assert DocumentStore(documents).all() == []
    documents.close()


def test_what_was_there_is_kept(box: Box) -> None:
    archive = backup(box)
    Customers(box.database).put([Customer(JOHN, "John")])
    later = box.call("later", JOHN, 0)
    done = restored(box, archive)
    calls, documents, store = done.kept
    assert documents.name.startswith("documents.sqlite.before-restore-20261123T070000Z")
    assert (calls / later.parent.name / later.name).exists()
    assert not later.exists()
    there = Database(store)
    assert len(Customers(there).all()) == 2
    there.close()
    again = restored(box, archive)  # in the same second, too, nothing is written over
    assert not set(again.kept) & set(done.kept)


def test_a_backup_needs_no_pause_of_the_agent(box: Box) -> None:
    writer = sqlite3.connect(box.config.record.store, isolation_level=None)
    writer.execute("BEGIN IMMEDIATE")
    writer.execute("UPDATE customers SET name = 'half done'")
    going = EventLog(box.config.record.folder, "going", NOW)
    going.write("call", 0, call="going")
    archive = backup(box)
    writer.rollback()
    writer.close()
    going.close()
    restored(box, archive)
    assert [each.name for each in Customers(box.database).all()] == ["Maria"]
    assert "going.events.jsonl" in box.files()


def test_what_has_a_record_in_the_archive_has_its_rows_too(
    box: Box, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A call that ends while the archive is written: its files are read before the store."""
    add = archive_writing._add_database

    def ends_before(*args: object) -> None:
        box.call("late", JOHN, 0)
        Customers(box.database).put([Customer(JOHN, "John")])
        add(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(archive_writing, "_add_database", ends_before)
    archive = backup(box)
    restored(box, archive)
    assert "late.record.json" not in box.files()
    assert len(Customers(box.database).all()) == 2


def test_archives_are_for_their_owner_only(box: Box) -> None:
    archive = backup(box)
    assert archive.stat().st_mode & 0o777 == 0o600
    assert archive.parent.stat().st_mode & 0o777 == 0o700
    assert names(box) == [".lock", archive.name]


def test_old_archives_go_but_those_before_migrations_are_counted_apart(box: Box) -> None:
    places, folder = places_of(box.config), box.config.backup.folder
    write_archive(places, folder, NOW - timedelta(days=9), before_migration=True)
    for minutes in range(5):
        backup(box, minutes)
    assert len(prune(box.config.backup)) == 2
    kept = archives(folder)
    assert [each.before_migration for each in kept] == [True, False, False, False]
    assert kept[-1].written == NOW + timedelta(minutes=4)
    assert prune(box.config.backup) == []


def test_a_link_that_the_service_left_leads_root_nowhere(box: Box, tmp_path: Path) -> None:
    """A service that was broken into must not make root empty, make or give away a file."""
    backup(box)
    others = tmp_path / "another's"
    others.write_text("kept")
    lock = box.config.backup.folder / ".lock"
    lock.unlink()
    lock.symlink_to(others)
    with pytest.raises(StoreError, match="cannot be used"):
        backup(box, minutes=1)
    give_to_owner(lock)
    assert others.read_text() == "kept"
    lock.unlink()
    archive = backup(box, minutes=1)
    restore_mark(box.config.record.store).symlink_to(tmp_path / "made by root")
    with pytest.raises(StoreError):
        restored(box, archive)
    assert not (tmp_path / "made by root").exists()


def test_a_link_among_the_calls_brings_no_other_file_into_a_backup(
    box: Box, tmp_path: Path
) -> None:
    others = tmp_path / "another's"
    others.write_text("a secret")
    log = next(box.config.record.folder.glob("*/*.jsonl"))
    link = log.with_name("20261123-000000.events.jsonl")
    link.symlink_to(others)
    with tarfile.open(backup(box)) as content:
        names = [Path(each).name for each in content.getnames()]
    assert log.name in names
    assert link.name not in names


def test_only_one_is_written_at_a_time(box: Box, monkeypatch: pytest.MonkeyPatch) -> None:
    fill = archive_writing._fill

    def meanwhile(*args: object) -> None:
        with pytest.raises(StoreError, match="another one is being written"):
            backup(box, 1)
        fill(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(archive_writing, "_fill", meanwhile)
    verify(backup(box))


def test_what_a_killed_one_left_is_removed_by_the_next(box: Box) -> None:
    backup(box)
    part = box.config.backup.folder / ".appliance-20260101T000000Z.tar.gz.part"
    part.write_bytes(b"half")
    old = box.config.backup.folder / ".verify-abc"
    old.mkdir()
    os.utime(old, (0, 0))
    backup(box, 1)
    assert not part.exists()
    assert not old.exists()


def test_a_full_disk_leaves_nothing_behind(box: Box) -> None:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (5000, before[1]))
    try:
        with pytest.raises(StoreError, match="cannot be written"):
            backup(box)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert names(box) == [".lock"]


def test_a_disk_without_room_is_not_filled(box: Box, monkeypatch: pytest.MonkeyPatch) -> None:
    box.config.backup.folder.mkdir()
    usage = type("Usage", (), {"free": 1000})
    monkeypatch.setattr(archive_writing.shutil, "disk_usage", lambda _: usage)
    with pytest.raises(StoreError, match="0 MB free, the archive may need"):
        backup(box)


def test_a_damaged_store_is_not_backed_up_as_if_it_were_good(box: Box) -> None:
    box.database.close()
    path = box.config.record.store
    content = bytearray(path.read_bytes())
    content[8192:10192] = b"\xff" * 2000
    path.write_bytes(content)
    with pytest.raises(StoreError, match=r"store\.sqlite: "):
        backup(box)
    assert names(box) == [".lock"]


@pytest.mark.parametrize("at", [0.0, 0.3, 0.8, 0.999])
def test_any_changed_byte_is_found(box: Box, at: float) -> None:
    archive = backup(box)
    content = bytearray(archive.read_bytes())
    content[int(at * len(content))] ^= 0x40
    archive.write_bytes(content)
    _is_refused_and_changes_nothing(box, archive)


@pytest.mark.parametrize("share", [0.0, 0.5, 0.99])
def test_an_archive_that_is_cut_off_is_found(box: Box, share: float) -> None:
    archive = backup(box)
    content = archive.read_bytes()
    archive.write_bytes(content[: int(share * len(content))])
    _is_refused_and_changes_nothing(box, archive)


@pytest.mark.parametrize("name", ["../outside", "/etc/passwd", "calls/x/y.events.jsonl", "x.sh"])
def test_foreign_files_in_an_archive_are_refused(box: Box, tmp_path: Path, name: str) -> None:
    archive = _archive_of(tmp_path, {name: b"x"})
    with pytest.raises(StoreError, match="does not belong in it"):
        verify(archive)
    assert not (tmp_path.parent / "outside").exists()


def test_a_link_in_an_archive_is_refused(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "x.tar.gz", "w:gz") as archive:
        link = tarfile.TarInfo("appliance.sqlite")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    with pytest.raises(StoreError, match="does not belong in it"):
        verify(tmp_path / "x.tar.gz")


def test_a_file_that_the_manifest_does_not_name_is_refused(box: Box, tmp_path: Path) -> None:
    told = {**_TOLD, "files": {}}
    archive = _archive_of(
        tmp_path,
        {"calls/2026-01-01/a.record.json": b"{}", "manifest.json": json.dumps(told).encode()},
    )
    with pytest.raises(StoreError, match=r"a\.record\.json is not what was written"):
        verify(archive)


@pytest.mark.parametrize(
    ("told", "said"),
    [(b"{}", "manifest cannot be read"), (b"no", "manifest cannot be read"),
     (b'{"format": 7, "written": "2026-01-01", "calls": true, "files": {}}', "in format 7")],
)  # fmt: skip
def test_a_manifest_of_another_kind_is_refused(tmp_path: Path, told: bytes, said: str) -> None:
    with pytest.raises(StoreError, match=said):
        verify(_archive_of(tmp_path, {"manifest.json": told}))


def test_an_archive_without_a_store_is_not_restored(box: Box, tmp_path: Path) -> None:
    archive = _archive_of(tmp_path, {"manifest.json": json.dumps(_TOLD).encode()})
    box.database.close()
    with pytest.raises(StoreError, match="there is no store in it"):
        restore(archive, box.config, NOW)


def test_nothing_is_restored_while_the_agent_runs(box: Box) -> None:
    archive = backup(box)
    before = box.counts()
    with pytest.raises(StoreError, match="is in use: stop the agent first"):
        restore(archive, box.config, NOW)  # the box's own connection is open
    assert box.counts() == before
    assert not list(box.folder.glob("*before-restore*"))


def test_an_agent_cannot_start_in_the_middle(box: Box, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = backup(box)
    box.database.close()
    swap = restoring._swap

    def meanwhile(*args: object) -> object:
        with pytest.raises(StoreError, match="locked"):
            Customers(Database(box.config.record.store))
        return swap(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(restoring, "_swap", meanwhile)
    restore(archive, box.config, NOW)


@pytest.mark.parametrize("steps", [0, 1, 2])
def test_a_restore_that_is_cut_off_is_run_again(
    box: Box, monkeypatch: pytest.MonkeyPatch, steps: int
) -> None:
    archive = backup(box)
    box.act("c7", STOP, JOHN, 0)
    box.database.close()
    left, replaced = iter(range(steps)), restoring._replaced

    def power_cut(*args: object) -> object:
        if next(left, None) is None:
            raise KeyboardInterrupt
        return replaced(*args)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(restoring, "_replaced", power_cut)
        with pytest.raises(KeyboardInterrupt):
            restore(archive, box.config, NOW)
    with pytest.raises(StoreError, match="cut off in the middle: run `appliance restore` again"):
        Database(box.config.record.store)
    restored(box, archive)
    assert [each.name for each in Customers(box.database).all()] == ["Maria"]
    assert [each.number for each in Stops(box.database).all()] == ["12125550199"]
    assert len(box.files()) == 2
    assert not [each for each in box.folder.iterdir() if each.name.startswith(".")
                and each.name != ".lock"]  # fmt: skip


def test_one_before_a_migration_is_of_the_databases_only(box: Box) -> None:
    places, folder = places_of(box.config), box.config.backup.folder
    archive = write_archive(places, folder, NOW, before_migration=True)
    assert verify(archive).calls == 0
    Customers(box.database).put([Customer(JOHN, "John")])
    box.call("later", JOHN, 0)
    done = restored(box, archive)
    assert len(Customers(box.database).all()) == 1
    assert "later.events.jsonl" in box.files()  # the calls are as they were
    assert [each.name.partition(".before")[0] for each in done.kept] == [
        "documents.sqlite", "store.sqlite",
    ]  # fmt: skip


def test_a_backup_of_the_version_before_is_migrated(box: Box) -> None:
    undo_migrations(box)
    done = restored(box, backup(box))
    assert done.notes[-1].startswith("migrated appliance.sqlite to revision 3")
    assert len(Customers(box.database).all()) == 1


def test_a_backup_of_a_newer_program_is_refused(box: Box) -> None:
    with box.database.writing() as session:
        session.connection().exec_driver_sql("UPDATE store_version SET revision=9, readable_by=9")
    archive = backup(box)
    box.database.close()
    with pytest.raises(StoreError, match="a newer program has migrated it to revision 9"):
        restore(archive, box.config, NOW)


def test_after_an_upgrade_the_way_back_keeps_what_binds(box: Box) -> None:
    """The store is one that this program cannot use; its stop requests count all the same."""
    archive = backup(box)
    box.act("c7", STOP, JOHN, 0)
    with box.database.writing() as session:
        session.connection().exec_driver_sql("UPDATE store_version SET revision=9, readable_by=9")
    done = restored(box, archive)
    assert done.notes == ("1 stop requests from after the backup count",)
    assert [each.number for each in Stops(box.database).all()] == ["12125550199"]


def test_who_was_erased_does_not_come_back(box: Box) -> None:
    live(box, JOHN, "John", 31)
    archive = backup(box)
    work = Eraser(box.database, box.config.record.folder, box.config.retention, NOW)
    work.erase(person(MARIA, emails=("maria@example.com",)))
    done = restored(box, archive)
    assert done.notes == ("1 erasures from after the backup were done again",)
    assert [each.name for each in Customers(box.database).all()] == ["John"]
    assert [name.partition(".")[0] for name in box.files()] == ["call-John"] * 2
    assert box.count("conversations") == box.count("bookings") == 1
    assert box.count("erasures") == 1


def test_a_broken_store_is_replaced_and_what_is_lost_is_said(box: Box) -> None:
    archive = backup(box)
    box.database.close()
    box.config.record.store.write_bytes(b"no database" * 500)
    done = restored(box, archive)
    assert "stop requests and erasures from after the backup are lost" in done.notes[0]
    assert len(Customers(box.database).all()) == 1


def _is_refused_and_changes_nothing(box: Box, archive: Path) -> None:
    with pytest.raises(StoreError, match="backup "):
        verify(archive)
    before = (box.counts(), box.files())
    box.database.close()
    with pytest.raises(StoreError, match="backup "):
        restore(archive, box.config, NOW)
    box.database = Database(box.config.record.store)
    assert (box.counts(), box.files()) == before


def _archive_of(folder: Path, files: dict[str, bytes]) -> Path:
    path = folder / "made.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return path

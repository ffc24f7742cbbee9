"""The index of documents under kill -9, two writers at once, and a disk that is full."""

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from appliance.session.indexing import Fate
from appliance.store.database import Database
from appliance.store.documents import DocumentStore
from tests.session.documents import Shelf, shelf

ROOT = Path(__file__).resolve().parents[2]
SLOW = pytest.mark.slow

ADD = """
import json, os, resource, signal, sys
from pathlib import Path
from appliance.clock import SystemClock
from appliance.errors import StoreError
from appliance.knowledge.encoder import SentenceEncoder
from appliance.session.indexing import Indexer
from appliance.store import documents
from appliance.store.database import Database

store, folder, mode, number = sys.argv[1], Path(sys.argv[2]), sys.argv[3], int(sys.argv[4])
database = Database(Path(store))
index = documents.DocumentStore(database)
indexer = Indexer(index, SentenceEncoder(Path("models/encoder")), SystemClock())
if mode == "die":  # in the middle of a document's transaction
    real, left = documents._add, [number]
    def add(*args):
        real(*args)
        left[0] -= 1
        if not left[0]:
            os.kill(os.getpid(), signal.SIGKILL)
    documents._add = add
if mode == "full":
    resource.setrlimit(resource.RLIMIT_FSIZE, (number, number))
print("ready", flush=True)
sys.stdin.readline()
try:
    summary = indexer.add([folder], lambda step: print(step.path, flush=True))
    print(json.dumps({fate.value: count for fate, count in summary.fates.items()}))
except StoreError as error:
    print(json.dumps({"error": str(error)}))
"""


@pytest.fixture
def docs(tmp_path: Path) -> Shelf:
    docs = shelf(tmp_path)
    for number in range(12):
        sections = "".join(f"## Part {n}\n\nRule {number} {n}. It holds.\n\n" for n in range(4))
        docs.write(f"rule{number:02}.md", f"# Rule {number}\n\n{sections}")
    return docs


def run(docs: Shelf, mode: str = "plain", number: int = 0) -> subprocess.Popen[str]:
    started = subprocess.Popen(
        [sys.executable, "-c", ADD, str(docs.config.store), str(docs.folder), mode, str(number)],
        cwd=ROOT, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip
    assert started.stdout is not None
    assert started.stdout.readline() == "ready\n"
    return started


def assert_whole(docs: Shelf) -> int:
    """Every document that is there has all its passages; returns how many there are."""
    database = Database(docs.config.store)
    store = DocumentStore(database)
    assert store.find_damage() == []
    stored = store.all()
    for each in stored:
        assert each.passages == (4 if each.path.startswith("rule") else 1), each.path
    database.close()
    return len(stored)


def assert_finished_by_the_next(docs: Shelf, before: int) -> None:
    fates = docs.add().fates
    assert (fates[Fate.UNCHANGED], fates[Fate.ADDED]) == (before, 14 - before)
    assert assert_whole(docs) == 14
    library = docs.library()
    assert "Friday" in library.search("when do you pay")[0].text
    library.close()


@pytest.mark.parametrize("number", [3, *(pytest.param(n, marks=SLOW) for n in (1, 6, 30))])
def test_killed_in_the_middle_of_a_document(docs: Shelf, number: int) -> None:
    killed = run(docs, "die", number)
    killed.communicate("go\n", timeout=60)
    assert killed.returncode == -signal.SIGKILL
    before = assert_whole(docs)
    assert before < 14
    assert_finished_by_the_next(docs, before)


@pytest.mark.parametrize("after", [pytest.param(1, marks=SLOW), 5])
def test_killed_from_outside(docs: Shelf, after: int) -> None:
    killed = run(docs)
    assert killed.stdin is not None
    assert killed.stdout is not None
    killed.stdin.write("go\n")
    killed.stdin.flush()
    for _ in range(after):
        killed.stdout.readline()
    os.kill(killed.pid, signal.SIGKILL)
    killed.communicate(timeout=60)
    before = assert_whole(docs)
    assert before >= after
    assert_finished_by_the_next(docs, before)


def test_killed_while_it_replaces_a_document(docs: Shelf) -> None:
    """The old text or the new one, never both and never neither."""
    docs.add()
    docs.write("pay.md", "# Pay\n\n## Payday\n\nWe pay every Monday. Always.\n")
    killed = run(docs, "die", 1)
    killed.communicate("go\n", timeout=60)
    assert killed.returncode == -signal.SIGKILL
    assert assert_whole(docs) == 14
    library = docs.library()
    assert "Friday" in library.search("when do you pay")[0].text
    docs.add()
    assert "Monday" in library.search("when do you pay")[0].text
    library.close()


def test_two_at_once_index_everything_once(docs: Shelf) -> None:
    both = [run(docs), run(docs)]
    for each in both:
        assert each.stdin is not None
        each.stdin.write("go\n")
        each.stdin.flush()
    ends = [each.communicate(timeout=60)[0].splitlines()[-1] for each in both]
    assert all("error" not in json.loads(end) for end in ends), ends
    assert [each.returncode for each in both] == [0, 0]
    assert assert_whole(docs) == 14
    assert docs.add().fates[Fate.UNCHANGED] == 14


@pytest.mark.parametrize("room_kb", [60, *(pytest.param(n, marks=SLOW) for n in (0, 200))])
def test_a_full_disk_keeps_what_was_indexed(docs: Shelf, room_kb: int) -> None:
    shutil.copytree(docs.folder, docs.folder / "more")
    for number in range(40):
        docs.write(f"more/long{number}.txt", f"Long {number}.\n\n" * 30)
    Database(docs.config.store).close()
    full = run(docs, "full", room_kb * 1024 + docs.config.store.stat().st_size)
    said = json.loads(full.communicate("go\n", timeout=60)[0].splitlines()[-1])
    assert "make room on its disk" in said["error"] or "disk I/O error" in said["error"]
    database = Database(docs.config.store)
    assert DocumentStore(database).find_damage() == []
    database.close()
    assert docs.add().fates[Fate.REFUSED] == 0
    assert docs.add().fates[Fate.UNCHANGED] == 14 * 2 + 40

"""`appliance docs …`: what an operator types."""

import json
import sqlite3
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from appliance.cli.main import app
from appliance.errors import ApplianceError, ConfigError, StoreError

ROOT = Path(__file__).parents[2]
COMMANDS = ("add", "list", "search", "check", "remove")


@pytest.fixture
def box(tmp_path: Path) -> Path:
    path = tmp_path / "appliance.toml"
    path.write_text(f'[documents]\nstore = "x.sqlite"\nencoder = "{ROOT}/models/encoder"\n')
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "pay.md").write_text("# Pay\n\n## Payday\n\nWe pay every Friday.\n")
    (folder / "dogs.txt").write_text("Dogs may come to the office.\n")
    return path


def docs(box: Path, *args: object, code: int = 0) -> Result:
    """Run a command; an `ApplianceError`, which `main` reports, is raised."""
    command = ["docs", *(str(each) for each in args), "--config", str(box)]
    done = CliRunner(env={"COLUMNS": "200"}).invoke(app, command)
    if isinstance(done.exception, ApplianceError):
        raise done.exception
    assert done.exit_code == code, done.output
    return done


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_an_example(command: str) -> None:
    done = CliRunner().invoke(app, ["docs", command, "--help"])
    assert done.exit_code == 0
    assert f"Example: appliance docs {command}" in done.stdout


def test_help_says_that_adding_approves() -> None:
    said = " ".join(CliRunner().invoke(app, ["docs", "add", "--help"]).stdout.split())
    assert "Adding a document approves it to be quoted." in said


def test_add_says_what_came_of_each_file(box: Path) -> None:
    folder = box.parent / "docs"
    said = docs(box, "add", folder).stdout
    assert "[1/2] added dogs.txt\n[2/2] added pay.md\nDocuments: 2 added\n" in said
    (folder / "pay.md").write_text("# Pay\n\nWe pay every Monday.\n")
    (folder / "dogs.txt").unlink()
    (folder / "x.png").write_bytes(b"x")
    said = docs(box, "add", folder).stdout
    assert "Documents: 1 changed, 1 removed\n1 files of other kinds were left alone." in said
    assert docs(box, "add", folder).stdout.startswith("Documents: 1 unchanged\n")


def test_a_refused_file_is_exit_code_1_and_the_others_are_there(box: Path) -> None:
    (box.parent / "docs/bad.txt").write_bytes(b"caf\xe9")
    done = docs(box, "add", box.parent / "docs", code=1)
    assert "refused bad.txt: is not UTF-8 (line 1): save it as UTF-8" in done.stderr
    assert "Documents: 2 added, 1 refused" in done.stdout


def test_list(box: Path) -> None:
    with pytest.raises(ConfigError, match=r"no index: appliance docs add FOLDER"):
        docs(box, "list")
    docs(box, "add", box.parent / "docs")
    rows = docs(box, "list").stdout.splitlines()
    assert [row.split()[:3] for row in rows[1:]] == [
        ["dogs.txt", "Dogs", "1"],
        ["pay.md", "Pay", "1"],
    ]


def test_search_shows_what_would_be_quoted(box: Path) -> None:
    with pytest.raises(StoreError, match="no index"):
        docs(box, "search", "when do you pay")
    docs(box, "add", box.parent / "docs")
    said = docs(box, "search", "when do you pay").stdout
    assert "Pay > Payday  (pay.md)\n      We pay every Friday.\n" in said
    (found,) = json.loads(docs(box, "search", "when do you pay", "--json").stdout)
    assert found["text"] == "We pay every Friday."
    assert set(found) == {"id", "document", "title", "heading", "text", "score"}


def test_search_for_something_else_finds_nothing(box: Path) -> None:
    docs(box, "add", box.parent / "docs")
    done = docs(box, "search", "who won the game", "--json", code=1)
    assert json.loads(done.stdout) == []
    assert "Nothing is close enough to be quoted (0.5)." in done.stderr
    below = docs(box, "search", "who won the game", "--below", code=1).stdout
    assert "pay.md" in below


def test_check_of_a_good_index(box: Path) -> None:
    docs(box, "add", box.parent / "docs")
    assert docs(box, "check").stdout == "2 documents, 0 faults, 0 pieces of advice\n"


def test_check_names_faults_and_advice(box: Path) -> None:
    folder = box.parent / "docs"
    (folder / "long.md").write_text("See https://example.com now.\n\n" + "word " * 40 + ".\n")
    (folder / "gone.md").write_text("Soon gone.\n")
    docs(box, "add", folder)
    assert "0 faults, 2 pieces of advice" in docs(box, "check").stdout
    (folder / "pay.md").write_text("Changed text.\n")
    (folder / "gone.md").unlink()
    with sqlite3.connect(box.parent / "x.sqlite") as index:
        index.execute("update documents set encoder = 'old' where path = 'dogs.txt'")
        index.execute("update passages set vector = x'00' where id = 4")
        index.execute("""update passages set sentences = '["I am a real person."]' where id = 2""")
    index.close()
    said = docs(box, "check", code=1).stdout
    assert f"✗ gone.md: is gone, and is still quoted: appliance docs add {folder}" in said
    assert f"✗ pay.md: has changed since it was read: appliance docs add {folder}" in said
    assert "✗ dogs.txt: has the vectors of another encoder: appliance docs add its folder" in said
    assert "has broken vectors" in said
    assert "denies being automated; it never may: “I am a real person.”" in said
    assert "· long.md: has a web address: “See https://example.com now.”" in said
    assert "· long.md: has 41 words" in said
    assert "4 documents, 5 faults, 2 pieces of advice" in said


def test_the_samples_need_no_advice(box: Path) -> None:
    docs(box, "add", ROOT / "appliance/samples/documents")
    assert docs(box, "check").stdout == "15 documents, 0 faults, 0 pieces of advice\n"


def test_remove_a_document_or_a_folder(box: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = box.parent / "docs"
    docs(box, "add", folder)
    assert docs(box, "remove", "pay.md").stdout == "1 documents removed\n"
    with pytest.raises(ConfigError, match=r"pay\.md: neither an indexed folder nor a document"):
        docs(box, "remove", "pay.md")
    docs(box, "add", folder)
    monkeypatch.chdir(box.parent)
    assert docs(box, "remove", "docs").stdout == "2 documents removed\n"
    assert "No documents: appliance docs add FOLDER" in docs(box, "list").stdout
    with pytest.raises(StoreError, match="has nothing of this encoder"):
        docs(box, "search", "pay")

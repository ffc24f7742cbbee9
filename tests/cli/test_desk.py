"""`appliance desk`, as an operator types it."""

import shlex
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from appliance.cli.main import app
from appliance.clock import SystemClock
from appliance.conversations import STATUS, Contact
from appliance.store.conversations import Conversations
from appliance.store.database import Database

Run = Callable[[str], Result]


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Conversations]:
    (tmp_path / "appliance.toml").write_text('[record]\nstore = "x.sqlite"\n')
    database = Database(tmp_path / "x.sqlite")
    yield Conversations(database, SystemClock())
    database.close()


@pytest.fixture
def run(tmp_path: Path, desk: Conversations) -> Run:
    def _run(command: str) -> Result:
        words = ["desk", *shlex.split(command), "--config", str(tmp_path / "appliance.toml")]
        return CliRunner().invoke(app, words, env={"COLUMNS": "200"})

    return _run


def begin(desk: Conversations) -> str:
    contact = Contact("maria.lopez@example.com", "Maria Lopez")
    return desk.open("k1", contact, "Payment", "Where is my payment?\nPlease.")[0]


@pytest.mark.parametrize("command", ["list", "show", "write", "note", "snooze", "hand-back"])
def test_help_has_an_example(command: str) -> None:
    done = CliRunner().invoke(app, ["desk", command, "--help"], env={"COLUMNS": "200"})
    assert f"Example: appliance desk {command}" in done.output


def test_conversation_from_beginning_to_end(run: Run, desk: Conversations) -> None:
    assert "No conversations." in run("list").output
    conversation = begin(desk)
    assert "Maria Lopez  Payment" in run("list").output
    assert run(f"write {conversation} 'It was paid.'").exit_code == 0
    assert run(f"write {conversation} 'It was paid.'").exit_code == 0
    assert run(f"note {conversation} 'Called the bank.'").exit_code == 0
    shown = run(f"show {conversation}").output
    assert "user\n    Where is my payment?\n    Please." in shown
    assert shown.count("admin\n    It was paid.") == 2
    assert "note by admin\n    Called the bank." in shown
    assert [each.role for each in desk.fetch(conversation).messages] == [
        "user", "assistant", "assistant",
    ]  # fmt: skip


def test_what_others_wrote_does_nothing_to_the_terminal(run: Run, desk: Conversations) -> None:
    conversation = desk.begin("call", "+1\x1b[2J", "Telephone call")
    desk.identify(conversation, "Maria \\[/red]\x1b[31m", "")
    desk.hear(conversation, "k", "Hello\x1b]0;x\x07\nthere")
    for command in ("list", f"show {conversation}"):
        done = run(command)
        assert done.exit_code == 0
        assert not {"\x1b", "\x07"} & set(done.output)
        assert "Maria \\[/red] [31m" in done.output


def test_snooze(run: Run, desk: Conversations) -> None:
    conversation = begin(desk)
    assert "No conversations" in run("list --snoozed").output
    assert "is snoozed until" in run(f"snooze {conversation} --minutes 5").output
    assert "Maria" in run("list --snoozed").output
    assert "snoozed until" in run(f"show {conversation}").output
    assert "is not snoozed" in run(f"snooze {conversation} --minutes 0").output
    assert desk.fetch(conversation).snoozed_until is None


def test_hand_back(run: Run, desk: Conversations) -> None:
    conversation = begin(desk)
    desk.put_attribute(conversation, STATUS, "ROUTE_TO_TEAM")
    assert desk.waiting() == []
    assert "ROUTE_TO_TEAM" in run("list --status ROUTE_TO_TEAM").output
    assert "agent's again" in run(f"hand-back {conversation}").output
    assert [each[0] for each in desk.waiting()] == [conversation]
    desk.close(conversation)
    assert "No conversations" in run("list").output
    assert "(closed)" in run("list --all").output


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("show 99", "the desk has no conversation 99"),
        ("show x", "the desk has no conversation x"),
        ("write 1 ' '", "the text is empty"),
        ("hand-back 1", "was not handed over"),
    ],
)
def test_mistakes_are_named(run: Run, desk: Conversations, command: str, said: str) -> None:
    begin(desk)
    done = run(command)
    assert done.exit_code == 1
    assert said in str(done.exception)


def test_another_helpdesk_has_its_own_pages(run: Run, tmp_path: Path) -> None:
    (tmp_path / "appliance.toml").write_text(
        '[desk]\nkind = "request_tracker"\n'
        '[desk.request_tracker]\nurl = "http://127.0.0.1/rt"\ntoken_file = "token"\n'
    )
    assert "use its own pages" in str(run("list").exception)

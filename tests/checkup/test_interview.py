"""Setup's questions, with a PBX that is there, asked of a person and of a file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from appliance.checkup.draft import Draft
from appliance.checkup.finding import Finding, Status
from appliance.checkup.interview import Answers, interview, read_answers
from appliance.checkup.questions import QUESTIONS, Question
from appliance.config import parse_config
from appliance.errors import ConfigError
from tests.checkup.pbx import BOX, SECRETS, Pbx


@pytest.fixture(scope="module")
def pbx(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pbx]:
    with Pbx(tmp_path_factory.mktemp("pbx")) as running:
        yield running


@dataclass
class Person:
    """Types these lines; then Enter only."""

    lines: list[str]
    keeps: bool = False
    asked: list[tuple[str, str]] = field(default_factory=list)
    heard: list[str] = field(default_factory=list)

    def answer(self, question: Question, proposed: str) -> str:
        self.asked.append((question.key, "" if question.secret else proposed))
        return self.lines.pop(0) if self.lines else ""

    def tell(self, finding: Finding) -> None:
        self.heard.append(f"{finding.status} {finding.seen}")

    def say(self, text: str) -> None:
        self.heard.append(text)

    def refuse(self, question: Question, why: str) -> None:
        self.heard.append(why)

    def insists(self, question: Question, findings: Sequence[Finding]) -> bool:
        return self.keeps


def draft(tmp_path: Path) -> Draft:
    sections = {"call": {"flow": "campaign"}}
    path = tmp_path / "a.toml"
    return Draft(path, parse_config(sections, path))


def first(pbx: Pbx) -> list[str]:
    return [f"127.0.0.1:{pbx.port}", "no", "", "", BOX, SECRETS[BOX]]


def test_enter_takes_what_is_known(pbx: Pbx, tmp_path: Path) -> None:
    person = Person(first(pbx))
    done = interview(draft(tmp_path), person)
    assert (done.get("address"), done.get("peers")) == ("127.0.0.1", "127.0.0.1/32")
    assert (done.get("language"), done.get("flow")) == ("en", "campaign")
    keys = [key for key, _ in person.asked]
    assert "transport" not in keys  # only with the edge
    assert keys == [each.key for each in QUESTIONS if each.key in keys]
    assert any("takes the password of extension 200" in each for each in person.heard)
    assert not any(SECRETS[BOX] in each for each in person.heard)


def test_one_can_go_back_and_ask_why(pbx: Pbx, tmp_path: Path) -> None:
    lines = first(pbx)
    lines[4:4] = ["?", "299", "<"]  # at the extension; back from the password
    person = Person(lines)
    done = interview(draft(tmp_path), person)
    assert done.get("extension") == BOX
    assert ("extension", "299") in person.asked
    assert any("Create it in the PBX" in each for each in person.heard)


def test_back_at_the_first_question_stays_there(pbx: Pbx, tmp_path: Path) -> None:
    person = Person(["<", "<", *first(pbx)])
    interview(draft(tmp_path), person)
    assert [key for key, _ in person.asked[:3]] == ["pbx"] * 3


@pytest.mark.parametrize(
    ("at", "wrong", "said"),
    [
        (0, "not a host", "no address of a host"),
        (1, "maybe", "answer with yes or no"),
        (2, "here", "no IPv4 address"),
        (3, "nonsense", "give 192.0.2.10"),
        (4, "200@pbx", "name of the extension only"),
        (6, "Nowhere/City", "no time zone"),
        (7, "fr", "en or es"),
        (8, "nothing", "nothing"),
        (9, "accounts.yaml", "from / on"),
        (10, "operator", "give a SIP URI"),
    ],
)
def test_what_cannot_be_used_is_asked_again(
    pbx: Pbx, tmp_path: Path, at: int, wrong: str, said: str
) -> None:
    lines = [*first(pbx), "", "", "", ""]
    lines.insert(at, wrong)
    person = Person(lines)
    interview(draft(tmp_path), person)
    assert any(said in each for each in person.heard), person.heard


def test_wrong_password_is_kept_only_if_the_person_insists(pbx: Pbx, tmp_path: Path) -> None:
    lines = first(pbx)
    lines.insert(5, "wrong")
    person = Person(list(lines))
    assert interview(draft(tmp_path), person).get("password") == SECRETS[BOX]
    assert any(each.startswith(Status.FAIL) for each in person.heard)
    assert interview(draft(tmp_path), Person(list(lines), keeps=True)).get("password") == "wrong"


def test_nothing_is_an_answer_where_there_was_one(pbx: Pbx, tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    known = Draft(path, parse_config({"call": {"flow": "campaign", "human": "sip:1@p"}}, path))
    assert interview(known, Person(first(pbx))).get("human") == "sip:1@p"
    cleared = interview(known, Person([*first(pbx), "", "", "", "-", "-"]))
    assert cleared.changes()["call"]["human"] is None


def answers(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "answers.toml"
    path.write_text(text)
    path.chmod(0o600)
    return path


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604])
def test_a_password_that_others_can_read_is_refused(tmp_path: Path, mode: int) -> None:
    path = answers(tmp_path, 'password = "of the box"\n')
    assert read_answers(path) == {"password": "of the box"}
    path.chmod(mode)
    with pytest.raises(ConfigError, match=r"others can read .*chmod 600 .*password_file") as told:
        read_answers(path)
    assert "of the box" not in str(told.value)
    path.write_text('extension = "200"\n')
    assert read_answers(path) == {"extension": "200"}


def test_file_answers_and_what_it_leaves_out_is_proposed(pbx: Pbx, tmp_path: Path) -> None:
    (tmp_path / "pw").write_text(f"{SECRETS[BOX]}\n")
    text = f'pbx = "127.0.0.1:{pbx.port}"\nedge = false\nextension = 200\npassword_file = "pw"\n'
    path = answers(tmp_path, text)
    person = Person([])
    done = interview(draft(tmp_path), Answers(read_answers(path), path, person))
    assert (done.get("password"), done.get("flow")) == (SECRETS[BOX], "campaign")
    assert person.asked == []


def test_file_that_cannot_be_used_says_which_key(pbx: Pbx, tmp_path: Path) -> None:
    good = f'pbx = "127.0.0.1:{pbx.port}"\nedge = false\nextension = "200"\n'
    for text, said in (
        (good + 'password = "wrong"\n', "password: .*nothing was written"),
        (good + f'password = "{SECRETS[BOX]}"\nlanguage = "fr"\n', "language: "),
        (good + f'password = "{SECRETS[BOX]}"\nflow = "no-such"\n', "flow: "),
    ):
        path = answers(tmp_path, text)
        with pytest.raises(ConfigError, match=said):
            interview(draft(tmp_path), Answers(read_answers(path), path, Person([])))
    path = answers(tmp_path, good + 'password = "wrong"\n')
    forced = Answers(read_answers(path), path, Person([]), force=True)
    assert interview(draft(tmp_path), forced).get("password") == "wrong"


@pytest.mark.parametrize("text", ["pbx = ", 'pbxx = "1"\n', 'password_file = "none"\n'])
def test_file_of_answers_that_is_none(tmp_path: Path, text: str) -> None:
    with pytest.raises(ConfigError):
        read_answers(answers(tmp_path, text))

"""Asks the questions: on a terminal, where one can go back, or of a file, where one cannot.

    QUESTIONS ── ask ──> answer ── test ──┬─ fine ──────────> next question
         ^                                ├─ no answer ─────> the same again
         └──── "<" ───────────────────────┴─ a test failed ─> again, or kept all the same

Plain lines only: it must work on a serial console. Nothing is written here.
"""

from __future__ import annotations

import os
import stat
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from appliance.checkup.draft import NO, YES, Draft
from appliance.checkup.finding import Finding, Status, worst
from appliance.checkup.questions import QUESTIONS, Question
from appliance.errors import ApplianceError, ConfigError

BACK, HELP, NONE = "<", "?", "-"
_PASSWORD_FILE = "password_file"  # noqa: S105 (the name of a key)


class Respondent(Protocol):
    """Who answers."""

    def answer(self, question: Question, proposed: str) -> str:
        """An answer; empty means what is proposed, "-" nothing. "<" goes back, "?" asks why."""
        ...

    def tell(self, finding: Finding) -> None:
        """What came of a test."""
        ...

    def say(self, text: str) -> None:
        """Anything else."""
        ...

    def refuse(self, question: Question, why: str) -> None:
        """An answer cannot be used. Returns to have it asked again.

        Raises:
            ConfigError: there is nobody to ask again.
        """
        ...

    def insists(self, question: Question, findings: Sequence[Finding]) -> bool:
        """A test failed: is the answer kept all the same? Raises as `refuse`."""
        ...


def interview(draft: Draft, respondent: Respondent, *, from_last: bool = False) -> Draft:
    """All questions, until each has an answer that can be used.

    Args:
        draft: what was answered before is proposed.
        respondent: who answers.
        from_last: begin with the last question, for who comes back from the end.

    Raises:
        ConfigError: an answer cannot be used, and nobody can be asked again.
    """
    at = _before(len(QUESTIONS), draft) if from_last else 0
    while at < len(QUESTIONS):
        question = QUESTIONS[at]
        if not question.wanted(draft):
            at += 1
            continue
        proposed = draft.get(question.key) or _proposed(question, draft)
        answer = respondent.answer(question, proposed).strip()
        if answer == BACK:
            at = _before(at, draft)
        elif answer == HELP:
            respondent.say(question.why)
        elif (tried := _tried(question, draft, _meant(answer, proposed), respondent)) is not None:
            draft, at = tried, at + 1
    return draft


def _tried(question: Question, draft: Draft, answer: str, respondent: Respondent) -> Draft | None:
    """The draft with the answer, once it was tested; None: it is to be asked again."""
    having = draft.having(question.key, answer)
    try:
        findings = question.test(having)
    except ApplianceError as error:
        respondent.refuse(question, str(error))
        return None
    for each in findings:
        respondent.tell(each)
    if worst(findings) is Status.FAIL and not respondent.insists(question, findings):
        return None
    return having


def _proposed(question: Question, draft: Draft) -> str:
    try:
        return question.proposed(draft)
    except ApplianceError:  # then nothing is proposed
        return ""


def _meant(answer: str, proposed: str) -> str:
    return "" if answer == NONE else answer or proposed


def _before(at: int, draft: Draft) -> int:
    """The question before, of those that were asked."""
    asked = [index for index in range(at) if QUESTIONS[index].wanted(draft)]
    return asked[-1] if asked else 0


@dataclass(frozen=True, slots=True)
class Answers:
    """Answers of a file, by key.

    `force`: what fails its test is taken all the same, for a PBX that comes later.
    """

    by_key: Mapping[str, str]
    source: Path
    show: Respondent
    force: bool = False

    def answer(self, question: Question, proposed: str) -> str:
        """See `Respondent`."""
        return self.by_key.get(question.key, proposed)

    def tell(self, finding: Finding) -> None:
        """See `Respondent`."""
        self.show.tell(finding)

    def say(self, text: str) -> None:
        """See `Respondent`."""
        self.show.say(text)

    def refuse(self, question: Question, why: str) -> None:
        """See `Respondent`."""
        raise ConfigError(f"{self.source}: {question.key}: {why}")

    def insists(self, question: Question, findings: Sequence[Finding]) -> bool:
        """See `Respondent`."""
        if not self.force:
            seen = "; ".join(each.seen for each in findings if each.status is Status.FAIL)
            raise ConfigError(f"{self.source}: {question.key}: {seen}; nothing was written")
        return True


def read_answers(path: Path) -> dict[str, str]:
    """A file of answers: TOML, a key for each question.

    Raises:
        ConfigError: it cannot be read, has a key of no question, or a password for all to read.
    """
    try:
        with path.open("rb") as file:
            others_read = os.fstat(file.fileno()).st_mode & (stat.S_IRGRP | stat.S_IROTH)
            given = tomllib.load(file)
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: not TOML: {error}") from error
    keys = [each.key for each in QUESTIONS]
    if unknown := sorted(set(given) - {*keys, _PASSWORD_FILE}):
        raise ConfigError(f"{path}: {', '.join(unknown)}: no such question; there are "
                          f"{', '.join((*keys, _PASSWORD_FILE))}")  # fmt: skip
    if "password" in given and others_read:
        raise ConfigError(f"{path}: password: others can read this file: chmod 600 {path}, or name "
                          f"a file that they cannot read as {_PASSWORD_FILE}")  # fmt: skip
    answers = {key: _as_text(value) for key, value in given.items()}
    if kept := answers.pop(_PASSWORD_FILE, None):
        answers["password"] = _first_line(path.resolve().parent / kept)
    return answers


def _as_text(value: Any) -> str:
    if isinstance(value, bool):
        return YES if value else NO
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _first_line(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8").rstrip("\r\n")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"password_file: {path}: cannot be read: {error}") from error

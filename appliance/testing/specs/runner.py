"""Runs the external suites of a folder and tells how many of each file's cases are right."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from appliance.errors import ConfigError
from appliance.testing.specs import dates, numbers
from appliance.testing.specs.suites import FOLDERS, Case, Judge, Verdict
from appliance.types import Language

_PARTS = (numbers.suites, dates.suites)


@dataclass(slots=True)
class Score:
    """How one file went.

    Attributes:
        file: PART/LANGUAGE/MODEL.
        right: cases that were read as expected, of those `judged`.
        left_out: cases that are not for an appliance on the telephone.
        failures: the input of each other case, and what was read.
    """

    file: str
    right: int = 0
    judged: int = 0
    left_out: int = 0
    failures: list[tuple[str, str]] = field(default_factory=list)

    @property
    def rate(self) -> float:
        """The share of right cases among the judged ones; 0 where none was judged."""
        return self.right / self.judged if self.judged else 0.0

    def add(self, case: Case, verdict: Verdict | None) -> None:
        """Count a case."""
        if verdict is None:
            self.left_out += 1
            return
        self.judged += 1
        self.right += verdict.right
        if not verdict.right:
            self.failures.append((str(case["Input"]), verdict.found))


def run_specs(folder: Path) -> list[Score]:
    """Run every file of the folder that there is a judge for.

    Args:
        folder: a copy of the `Specs` folder.

    Raises:
        ConfigError: the folder is not there, holds no such file, or one that is no list of cases.
    """
    if not folder.is_dir():
        raise ConfigError(f"{folder}: no such folder")
    judges: dict[str, Judge] = {}
    for suites in _PARTS:
        judges |= suites()
    scores = [
        _run(path, folder, judge, language)
        for model, judge in judges.items()
        for path, language in _files(folder, model)
    ]
    if not scores:
        looked_for = ", ".join(f"{name.replace('/', '/English/')}.json" for name in judges)
        raise ConfigError(f"{folder}: holds no specs; looked for {looked_for} and the like")
    return scores


def _files(folder: Path, model: str) -> list[tuple[Path, Language]]:
    part, _, name = model.partition("/")
    paths = ((folder / part / spoken / f"{name}.json", code) for spoken, code in FOLDERS.items())
    return [(path, code) for path, code in paths if path.is_file()]


def _run(path: Path, folder: Path, judge: Judge, language: Language) -> Score:
    score = Score(str(path.relative_to(folder).with_suffix("")))
    for case in _cases(path):
        score.add(case, judge(case, language))
    return score


def _cases(path: Path) -> list[Case]:
    try:
        cases = json.loads(path.read_text(encoding="utf-8-sig"))
    except ValueError as error:
        raise ConfigError(f"{path}: not JSON: {error}") from error
    if not isinstance(cases, list) or not all(_is_case(case) for case in cases):
        raise ConfigError(f"{path}: not a list of cases with Input and Results")
    return cases


def _is_case(case: object) -> bool:
    return isinstance(case, Mapping) and "Input" in case and "Results" in case

"""What calls with known people leave behind: nothing of them where nothing of them belongs.

docs/monitoring.md says which place may hold what. Process logs and metrics hold nothing of a
caller. His event log and record hold his words, without what is personal in them; words that nobody
can know to be personal ("a wilhequist noise") are among them.
"""

import asyncio
import json
import re
import sys
from collections import Counter
from io import StringIO
from pathlib import Path
from random import Random
from typing import Any

import pytest
import structlog

from appliance.logs import configure_logging
from appliance.types import Language

from .busy_box import busy
from .people import Person, person
from .traces import CALL_FILES, texts_of, traces

_SEED = 10
_VALUE = re.compile(r'le="[^"]*"| [^ ]*$', re.MULTILINE)
"""The value of a sample, or the limit of a bucket."""


class Left:
    """What a number of calls left: the process log, metrics, files; and what was said in them."""

    def __init__(self) -> None:
        self.stderr, self.metrics = StringIO(), ""
        self.files: list[tuple[Person, Path]] = []
        self.said: list[tuple[Person, str]] = []

    def calls(self, folder: Path, flow: str, count: int, language: Language = "en") -> None:
        """Hold them."""
        random = Random(f"{_SEED} {flow} {language}")
        with busy(folder / f"{flow}-{language}", flow, random, language) as box:
            for number in range(count):
                who = person(random)
                asyncio.run(box.call(number, who))
                self.said.append((who, "\n".join(box.said)))
                mine = sorted(box.folder.glob(f"calls/*/call-{number}.*"))
                assert [path.suffixes[0] for path in mine] == [".events", ".record"]
                self.files += [(who, path) for path in mine]
            self.metrics += box.metrics()

    @property
    def log(self) -> list[dict[str, Any]]:
        """The process log; every line of it is JSON."""
        return [json.loads(line) for line in self.stderr.getvalue().splitlines()]

    def assert_nothing_personal(self) -> None:
        """Of nobody anything in the process log and the metrics; nor in the files of his call.

        There the words that nobody can know to be personal are his own words, and stay; and in the
        renovation flow, which knows no balance, a sum that he names is his budget.
        """
        labels = _VALUE.sub("", self.metrics)
        everywhere = f"{texts_of(self.stderr.getvalue())}\n{labels}"
        for who, _ in self.said:
            assert _lines_about(who, everywhere) == []
        for who, path in self.files:
            found = traces(who, texts_of(path.read_text("utf-8"), CALL_FILES))
            named = ("secret", "balance") if "renovation" in str(path) else ("secret",)
            assert [each for each in found if not each.startswith(named)] == [], path

    def assert_worth_it(self) -> None:
        """People told nearly all they have, engines failed, and there were bugs."""
        told = Counter(
            kind
            for who, said in self.said
            for kind in {each.partition(":")[0] for each in traces(who, said)}
        )
        for kind in ("zip", "card", "account", "phone", "first", "last", "street", "balance",
                     "birth", "secret", "email"):  # fmt: skip
            assert told[kind] >= len(self.said) / 25, (kind, told)
        events = Counter(entry["event"] for entry in self.log)
        assert events["call failed by a bug"]
        assert events["turn not read"]
        outcomes = {json.loads(path.read_text("utf-8"))["outcome"] for _, path in self.files
                    if path.name.endswith(".record.json")}  # fmt: skip
        assert len(outcomes) >= 3, outcomes


def _lines_about(who: Person, text: str) -> list[str]:
    """The lines in which something of him is left."""
    return [line for line in text.splitlines() if traces(who, line)] if traces(who, text) else []


@pytest.fixture
def left(monkeypatch: pytest.MonkeyPatch) -> Left:
    """With the log of this process written as a service writes it."""
    left = Left()
    monkeypatch.setattr(sys, "stderr", left.stderr)
    configure_logging()
    return left


def test_some_calls_leave_nothing_personal(left: Left, tmp_path: Path) -> None:
    left.calls(tmp_path, "collections", 25)
    left.assert_nothing_personal()
    left.assert_worth_it()


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_two_hundred_calls_of_all_kinds_leave_nothing_personal(left: Left, tmp_path: Path) -> None:
    for flow, language in (
        ("collections", "en"), ("collections", "es"), ("booking", "en"), ("renovation", "en"),
        ("campaign", "en"), ("campaign", "es"),
    ):  # fmt: skip
        left.calls(tmp_path, flow, 30, language)  # type: ignore[arg-type]
    left.assert_nothing_personal()
    left.assert_worth_it()


@pytest.mark.parametrize("where", ["log", "metrics", "file"])
def test_a_leak_would_be_seen(left: Left, tmp_path: Path, where: str) -> None:
    left.calls(tmp_path, "collections", 1)
    left.assert_nothing_personal()
    who = left.said[0][0]
    match where:
        case "log":
            structlog.get_logger().info("caller verified", zip=who.zip)
        case "metrics":
            left.metrics += f'appliance_calls_total{{flow="{who.last}"}} 1.0\n'
        case "file":
            with left.files[1][1].open("a") as record:
                record.write(json.dumps({"facts": {"birth": f"{who.birth[0]}"}}))
    with pytest.raises(AssertionError):
        left.assert_nothing_personal()

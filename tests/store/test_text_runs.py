from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from appliance.store.database import Database
from appliance.store.text_runs import Stage, TextRun, TextRuns

NOW = datetime(2026, 11, 23, 7, 0, tzinfo=UTC)
RUN = TextRun("desk:1:2", "1", "2", "desk:1:2", NOW)


@pytest.fixture
def runs(tmp_path: Path) -> Iterator[TextRuns]:
    database = Database(tmp_path / "x.sqlite")
    yield TextRuns(database)
    database.close()


def test_run_is_begun_asked_and_done(runs: TextRuns) -> None:
    assert runs.find(RUN.key) is None
    assert not runs.knows("1")
    runs.begin(RUN)
    assert runs.find(RUN.key) == RUN
    asked = runs.asked(RUN, "Which one?", '{"current": "plan"}')
    assert (asked.stage, runs.open("1")) == (Stage.ASKED, [asked])
    runs.done(RUN.key)
    found = runs.find(RUN.key)
    assert found is not None
    assert (found.stage, found.question, found.state) == (Stage.DONE, "", "")
    assert runs.open() == []
    assert runs.knows("1")


def test_run_that_goes_on_takes_the_place_of_the_one_before(runs: TextRuns) -> None:
    runs.begin(RUN)
    asked = runs.asked(RUN, "Which one?", "{}")
    following = TextRun("desk:1:4", "1", "4", asked.call, NOW, state=asked.state,
                        deeds=(("gather", "done"),))  # fmt: skip
    runs.begin(following, continues=asked.key)
    assert runs.open("1") == [following]
    assert runs.open("7") == []

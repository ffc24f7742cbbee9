from datetime import date, datetime, time
from pathlib import Path

import pytest

from appliance.store.calendar import DEFAULT_HOURS, Calendar, Rules, open_windows
from appliance.store.calendar_windows import Hours, overlap, windows_on
from appliance.store.database import Database

MONDAY = date(2026, 11, 23)
EARLY = datetime(2026, 11, 23, 5, 0)  # noqa: DTZ001 (local, as the calendar counts)


@pytest.fixture
def database(tmp_path: Path) -> Database:
    return Database(tmp_path / "x.sqlite")


def windows(database: Database, now: datetime = EARLY, day: date | None = None) -> list[str]:
    with database.reading() as session:
        found = open_windows(session, now, day)
        return [f"{each.begins:%d %H:%M}" for each, _ in zip(found, range(6), strict=False)]


def test_usual_week_at_first(database: Database) -> None:
    calendar = Calendar(database)
    assert calendar.hours() == sorted(DEFAULT_HOURS)
    assert windows(database, day=MONDAY) == ["23 08:00", "23 10:00", "23 13:00", "23 15:00"]
    assert windows(database, day=date(2026, 11, 28)) == []


def test_what_the_operator_set_survives_a_restart(database: Database) -> None:
    calendar = Calendar(database)
    calendar.set_hours(range(7), [])
    calendar.set_rules(Rules(lead_minutes=0, horizon_days=5))
    again = Calendar(database)
    assert again.hours() == []
    assert again.rules() == Rules(0, 5)


def test_hours_of_other_days_stay(database: Database) -> None:
    calendar = Calendar(database)
    saturday = Hours(5, time(9), time(12), minutes=60, capacity=1)
    calendar.set_hours([0, 5], [saturday])
    assert windows(database, day=MONDAY) == []
    assert windows(database, day=date(2026, 11, 28)) == ["28 09:00", "28 10:00", "28 11:00"]
    assert len(windows(database, day=date(2026, 11, 24))) == 4


def test_lead_time(database: Database) -> None:
    calendar = Calendar(database)
    at_eight = EARLY.replace(hour=8)
    assert windows(database, at_eight, MONDAY) == ["23 10:00", "23 13:00", "23 15:00"]
    calendar.set_rules(Rules(lead_minutes=24 * 60))
    assert windows(database, at_eight)[0] == "24 08:00"


def test_days_closed(database: Database) -> None:
    calendar = Calendar(database)
    calendar.close_day(MONDAY, "holiday")
    assert windows(database)[0] == "24 08:00"
    assert windows(database, day=MONDAY) == []
    assert calendar.closed_days(MONDAY) == {MONDAY: "holiday"}
    assert calendar.open_day(MONDAY) is True
    assert calendar.open_day(MONDAY) is False
    assert windows(database)[0] == "23 08:00"


def test_horizon(database: Database) -> None:
    Calendar(database).set_rules(Rules(horizon_days=1))
    assert windows(database, day=date(2026, 11, 25)) == []
    assert windows(database, day=date(2026, 11, 20)) == []
    assert len(windows(database, day=date(2026, 11, 24))) == 4


def test_what_is_left_over_is_no_window() -> None:
    hours = [Hours(0, time(13), time(16, 59), 120, 1), Hours(0, time(8), time(10), 60, 2)]
    assert [each.begins.hour for each in windows_on(MONDAY, hours)] == [8, 9, 13]


def test_hours_that_run_into_each_other(database: Database) -> None:
    first, second = Hours(0, time(8), time(12), 60, 1), Hours(0, time(11), time(13), 60, 1)
    assert overlap([second, first]) == (first, second)
    with pytest.raises(ValueError, match="08:00 to 12:00 and 11:00 to 13:00"):
        Calendar(database).set_hours([0], [first, second])
    with pytest.raises(ValueError, match="not to be set"):
        Calendar(database).set_hours([1], [first])


@pytest.mark.parametrize(
    "wrong",
    [(7, 8, 9, 60, 1), (0, 9, 9, 60, 1), (0, 8, 9, 5, 1), (0, 8, 9, 60, 0), (0, 8, 9, 60, 101)],
)
def test_hours_that_make_no_sense(wrong: tuple[int, int, int, int, int]) -> None:
    weekday, opens, closes, minutes, capacity = wrong
    with pytest.raises(ValueError, match=r"."):
        Hours(weekday, time(opens), time(closes), minutes, capacity)

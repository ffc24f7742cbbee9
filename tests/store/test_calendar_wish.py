from datetime import date, time

import pytest

from appliance.store.calendar_wish import Part, Wish, parse_wish

DAY = date(2026, 11, 23)


@pytest.mark.parametrize(
    ("text", "wish"),
    [
        ("soonest", Wish()),
        ("2026-11-23", Wish(DAY)),
        ("2026-11-23 morning", Wish(DAY, part=Part.MORNING)),
        ("2026-11-23 afternoon", Wish(DAY, part=Part.AFTERNOON)),
        ("2026-11-23 evening", Wish(DAY, part=Part.EVENING)),
        ("2026-11-23 10:30", Wish(DAY, at=time(10, 30))),
        ("morning", Wish(part=Part.MORNING)),
        (" evening ", Wish(part=Part.EVENING)),
    ],
)
def test_grammar(text: str, wish: Wish) -> None:
    assert parse_wish(text) == wish


@pytest.mark.parametrize(
    "text",
    ["", "tomorrow", "2026-13-01", "2026-11-23 noon", "2026-11-23 25:00", "10:30",
     "morning 2026-11-23", "soonest morning", "2026-11-23 morning 10:30"],
)  # fmt: skip
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse_wish(text)


@pytest.mark.parametrize(
    ("text", "begins", "ends", "fits"),
    [
        ("soonest", time(8), time(10), True),
        ("morning", time(11, 59), time(13), True),
        ("morning", time(12), time(14), False),
        ("afternoon", time(12), time(14), True),
        ("afternoon", time(17), time(19), False),
        ("evening", time(17), time(19), True),
        ("2026-11-23 10:30", time(10), time(12), True),
        ("2026-11-23 10:00", time(10), time(12), True),
        ("2026-11-23 12:00", time(10), time(12), False),
    ],
)
def test_what_a_window_fits(text: str, begins: time, ends: time, fits: bool) -> None:
    assert parse_wish(text).allows(begins, ends) is fits

"""`appliance calendar`: working hours, days closed and bookings. Thin."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from datetime import date, time, timedelta
from typing import Annotated

import typer

from appliance.cli.box import opened, print_table
from appliance.cli.places import CONFIG, ConfigOption
from appliance.clock import SystemClock
from appliance.errors import ConfigError
from appliance.store.calendar import Calendar
from appliance.store.calendar_bookings import Booking, Bookings
from appliance.store.calendar_windows import Hours

calendar_app = typer.Typer(
    help="Working hours, days closed and bookings of a box.", no_args_is_help=True
)

DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_SPAN = re.compile(r"(\d{1,2}:\d{2})-(\d{1,2}:\d{2})")
_SHOWN_DAYS = 7
_MINUTES, _CAPACITY = 120, 2

DayArgument = Annotated[str, typer.Argument(metavar="DAY", help="As 2026-12-25")]


@calendar_app.command("show", epilog="Example: appliance calendar show --config appliance.toml")
def show(config: ConfigOption = CONFIG) -> None:
    """Show the hours of the week, days closed, and what is free in the next seven days."""
    with opened(config) as box:
        calendar, bookings = Calendar(box.database), Bookings(box.database)
        rules, today = calendar.rules(), SystemClock().now().date()
        rows = [
            [DAYS[each.weekday], f"{each.opens:%H:%M}-{each.closes:%H:%M}",
             f"{each.minutes} min", str(each.capacity)]
            for each in calendar.hours()
        ]  # fmt: skip
        print_table(("day", "hours", "window", "at once"), rows, "No hours: nothing can be booked.")
        typer.echo(f"\nBooked at least {rules.lead_minutes} minutes and at most"
                   f" {rules.horizon_days} days ahead.")  # fmt: skip
        for day, reason in calendar.closed_days(today).items():
            typer.echo(f"Closed on {day}: {reason}")
        typer.echo("")
        free = [
            [f"{window.begins:%a %Y-%m-%d}", f"{window.begins:%H:%M}-{window.ends:%H:%M}",
             f"{room} of {window.capacity}"]
            for ahead in range(_SHOWN_DAYS)
            for window, room in bookings.room(today + timedelta(days=ahead))
        ]  # fmt: skip
        print_table(("window", "", "free"), free, "No windows in the next seven days.")


@calendar_app.command(
    "set", epilog="Example: appliance calendar set --days mon-fri --hours 8:00-12:00,13:00-17:00"
)
def set_hours(  # noqa: PLR0913, PLR0917 (a command line has as many options as it has)
    days: Annotated[
        str | None, typer.Option(help="Days that --hours are for: mon-fri,sun (default: all)")
    ] = None,
    hours: Annotated[
        str | None, typer.Option(help="8:00-12:00,13:00-17:00, or closed; replaces those days'")
    ] = None,
    minutes: Annotated[
        int | None, typer.Option(help="Length of a window (15 to 720; default: 120)")
    ] = None,
    capacity: Annotated[
        int | None, typer.Option(help="Bookings in one window (1 to 100; default: 2)")
    ] = None,
    lead_minutes: Annotated[
        int | None, typer.Option(help="From the call to the window, at least (0 to 10080)")
    ] = None,
    horizon_days: Annotated[
        int | None, typer.Option(help="How far ahead may be booked (1 to 365)")
    ] = None,
    config: ConfigOption = CONFIG,
) -> None:
    """Change hours of the week, or how soon and how far ahead may be booked.

    Bookings that are there stay. The appliance need not be started again.
    """
    if hours is None and lead_minutes is None and horizon_days is None:
        raise ConfigError("calendar set: give --hours, --lead-minutes or --horizon-days")
    if hours is None and (days, minutes, capacity) != (None, None, None):
        raise ConfigError("calendar set: --days, --minutes and --capacity belong to --hours")
    with opened(config) as box:
        calendar = Calendar(box.database)
        try:
            rules = calendar.rules()
            if lead_minutes is not None:
                rules = replace(rules, lead_minutes=lead_minutes)
            if horizon_days is not None:
                rules = replace(rules, horizon_days=horizon_days)
            calendar.set_rules(rules)
            if hours is not None:
                named = _days(days or "mon-sun")
                length = _MINUTES if minutes is None else minutes
                places = _CAPACITY if capacity is None else capacity
                spans = [_room_for(length, *span) for span in _spans(hours)]
                calendar.set_hours(named, [
                    Hours(day, opens, closes, length, places)
                    for day in named for opens, closes in spans
                ])  # fmt: skip
        except ValueError as error:
            raise ConfigError(f"calendar set: {error}") from error
    show(config)


@calendar_app.command(
    "close-day", epilog="Example: appliance calendar close-day 2026-12-25 --reason Christmas"
)
def close_day(
    day: DayArgument,
    reason: Annotated[str, typer.Option(help="For you")] = "holiday",
    undo: Annotated[bool, typer.Option("--open", help="Open a closed day again")] = False,
    config: ConfigOption = CONFIG,
) -> None:
    """Let nobody book a day. Bookings that are there already are listed: call them."""
    on = _day(day)
    with opened(config) as box:
        calendar = Calendar(box.database)
        if undo:
            if not calendar.open_day(on):
                raise ConfigError(f"calendar close-day: {on} is not closed")
            typer.echo(f"{on} is open again")
            return
        calendar.close_day(on, reason)
        there = Bookings(box.database).between(on, on)
    typer.echo(f"{on} is closed: {reason}")
    if there:
        typer.echo(f"{len(there)} bookings are there already:")
        _print(there)


@calendar_app.command("bookings", epilog="Example: appliance calendar bookings --days 14")
def bookings(
    since: Annotated[str | None, typer.Option(help="First day; default: today")] = None,
    days: Annotated[int, typer.Option(min=1, max=366, help="How many days")] = 60,
    config: ConfigOption = CONFIG,
) -> None:
    """List bookings with what is known of the customer."""
    first = _day(since) if since else SystemClock().now().date()
    with opened(config) as box:
        Calendar(box.database)
        _print(Bookings(box.database).between(first, first + timedelta(days=days - 1)))


@calendar_app.command("cancel", epilog="Example: appliance calendar cancel 1b4e28ba:4:book_service")
def cancel(
    key: Annotated[str, typer.Argument(metavar="KEY", help="As `calendar bookings` shows it")],
    config: ConfigOption = CONFIG,
) -> None:
    """Cancel a booking: its place is free again. The customer is not told."""
    with opened(config) as box:
        Calendar(box.database)
        if not Bookings(box.database).cancel(key, SystemClock().now()):
            raise ConfigError(f"calendar cancel: no booking {key}")
    typer.echo(f"{key} is cancelled")


def _print(found: Iterable[Booking]) -> None:
    rows = [
        [f"{each.begins:%a %Y-%m-%d %H:%M}-{each.ends:%H:%M}", each.number, each.name,
         f"{each.address} {each.zip}".strip(), each.problem, each.key]
        for each in found
    ]  # fmt: skip
    print_table(("when", "number", "name", "address", "problem", "key"), rows, "No bookings.")


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise ConfigError(f"calendar: {text!r} is no day: write it as 2026-12-25") from error


def _days(text: str) -> list[int]:
    """`mon-fri,sun` as weekdays."""
    found: list[int] = []
    for part in text.lower().split(","):
        first, _, last = part.strip().partition("-")
        ends = [first, last or first]
        if not set(ends) <= set(DAYS):
            raise ConfigError(f"--days: {part.strip()!r}: write {', '.join(DAYS)} or mon-fri")
        begin, end = (DAYS.index(each) for each in ends)
        if end < begin:
            raise ConfigError(f"--days: {part.strip()!r} ends before it begins")
        found += range(begin, end + 1)
    return sorted(set(found))


def _room_for(minutes: int, opens: time, closes: time) -> tuple[time, time]:
    """Hours that a window fits into: shorter ones would be a day that nobody can book."""
    there = (closes.hour - opens.hour) * 60 + closes.minute - opens.minute
    if 0 < there < minutes:
        raise ConfigError(
            f"calendar set: {opens:%H:%M} to {closes:%H:%M} is shorter than a window of"
            f" {minutes} minutes: give shorter --minutes, or longer --hours"
        )
    return opens, closes


def _spans(text: str) -> list[tuple[time, time]]:
    """`8:00-12:00,13:00-17:00` as pairs of times; `closed` as none."""
    if text.strip().lower() == "closed":
        return []
    found = []
    for part in text.split(","):
        span = _SPAN.fullmatch(part.strip())
        if span is None:
            raise ConfigError(f"--hours: {part.strip()!r}: write 8:00-12:00, or closed")
        opens, closes = (time.fromisoformat(each.zfill(5)) for each in span.groups())
        found.append((opens, closes))
    return found

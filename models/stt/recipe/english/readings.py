"""How English-speaking callers say dates, times and sums of money (see `numbers` for digits)."""

# ruff: noqa: SIM905  (lists of words are data)

from __future__ import annotations

import random

from models.stt.recipe.grammar import pick

from .numbers import cardinal, ordinal

WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
MONTHS = (
    "january february march april may june july august september october november december"
).split()
_SUM_FRAMES = """
{}|{}|{}|i can pay {}|i could do {}|how about {}|about {}|i can pay {} today|maybe {}
i only have {}|can i pay {}|it was {}|i want to pay {}|i owe {}|{} a month|{} a week|only {}
i paid {}|i can send {} now|they charged me {}|my balance is {}|{} is all i have|would you take {}
i can afford {} a month|let's do {}|the amount is {}
"""
_ROUND = (10, 20, 25, 30, 40, 50, 60, 75, 80, 100, 120, 150, 200, 250, 300, 400, 500, 600, 750, 800)
_ROUND += (1000, 1200, 1500, 2000, 5000)
_MINUTES = ("", "", "thirty", "fifteen", "forty five", "ten", "twenty", "oh five")
_HALF_DAYS = "|a m|p m|in the morning|in the afternoon|in the evening|at night|tonight|o'clock"
_OTHER_TIMES = """
noon|midnight|half past {0}|a quarter to {0}|around lunch time|quarter past {0}|between {0} and {1}
"""
_TIME_LEADS = "{}|at {}|around {}|after {}|before {}|by {}"
_DATE_FRAMES = """
{weekday}|on {weekday}|next {weekday}|this {weekday}|{weekday} {month} {day}|{month} {day}
{month} {day}|the {day} of {month}|the {day}|on the {day}|by the {day}|{weekday} the {day}
{weekday} morning|{weekday} afternoon|{weekday} night|a week from {weekday}|by {weekday}
in {count} days|in {count} weeks|{count} days from now|in {month}|{count} weeks from today|today
tomorrow|the day after tomorrow|tonight|tomorrow morning|tomorrow afternoon|next week|next month
this week|the end of the month|at the end of the month|by the end of the week
the end of next week|the first of the month|the beginning of next month|in a week|in two weeks
in a couple of weeks|in a few days|this weekend|payday|on payday|when i get paid|later this week
the middle of the month|{month} {day} twenty {year}|the week of {month} {day}|early {month}
the last {weekday} of the month|{weekday} or {other}|{month} {day} nineteen {past}
"""
_DATE_LEADS = """
|||i'll pay|i can pay|how about|can we do|maybe|i get paid|let's say|i can do it|what about
it was|i was born|it's due|um|probably
"""


def amount(rng: random.Random) -> str:
    """A sum of money as callers say it, alone or in an offer to pay."""
    return pick(rng, _SUM_FRAMES).format(bare_sum(rng))


def bare_sum(rng: random.Random) -> str:
    """A sum of money without words around it."""
    scale = rng.random()
    if scale < 0.3:
        dollars = rng.randrange(1, 100)
    elif scale < 0.6:
        dollars = rng.choice(_ROUND)
    elif scale < 0.9:
        dollars = rng.randrange(100, 1000)
    else:
        dollars = rng.randrange(1000, 20000)
    words = _spoken(rng, dollars)
    unit = "dollar" if dollars == 1 else rng.choice(("dollars", "dollars", "dollars", "bucks"))
    style = rng.random()
    if style < 0.55:
        return f"{words} {unit}"
    cents = rng.randrange(1, 100)
    if style < 0.85:
        return f"{words} {unit} and {cardinal(cents)} {'cent' if cents == 1 else 'cents'}"
    return f"{words} {cardinal(cents)}" if style < 0.93 and cents > 9 else words


def _spoken(rng: random.Random, dollars: int) -> str:
    """A number as money is said: "a hundred and twenty", "twelve hundred"."""
    if 1000 <= dollars < 10000 and dollars % 100 == 0 and dollars % 1000 and rng.random() < 0.5:
        return f"{cardinal(dollars // 100)} hundred"
    words = cardinal(dollars)
    if dollars >= 100 and rng.random() < 0.35:
        words = words.replace("one hundred", "a hundred", 1)
    if dollars >= 100 and "hundred " in words and rng.random() < 0.4:
        words = words.replace("hundred ", "hundred and ", 1)
    return words


def clock_time(rng: random.Random) -> str:
    """A time of day."""
    hour = cardinal(rng.randrange(1, 13))
    half_day = pick(rng, _HALF_DAYS)
    minute = "" if half_day == "o'clock" else rng.choice(_MINUTES)
    said = " ".join(part for part in (hour, minute, half_day) if part)
    if rng.random() < 0.2:
        said = pick(rng, _OTHER_TIMES).format(hour, cardinal(rng.randrange(1, 13)))
    return pick(rng, _TIME_LEADS).format(said)


def date(rng: random.Random) -> str:
    """A day as callers name it: weekday, calendar date or relative."""
    return pick(rng, _DATE_FRAMES).format(
        weekday=rng.choice(WEEKDAYS),
        other=rng.choice(WEEKDAYS),
        month=rng.choice(MONTHS),
        day=ordinal(rng.randrange(1, 32)),
        count=cardinal(rng.randrange(2, 11)),
        year=cardinal(rng.randrange(10, 40)),
        past=cardinal(rng.randrange(30, 100)),
    )


def call_date(rng: random.Random) -> str:
    """A date in the words around it that callers use, sometimes with a time."""
    said = f"{pick(rng, _DATE_LEADS)} {date(rng)}".strip()
    return f"{said} {clock_time(rng)}" if rng.random() < 0.12 else said

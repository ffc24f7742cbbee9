"""How callers read numbers aloud: digit strings, ZIP codes, amounts, dates and times.

Every function takes the caller's ``random.Random`` and returns lower-case words with no numerals,
so that the transcript a model learns is exactly what was said. Pure: no I/O, no global state.
"""

# ruff: noqa: SIM905  (lists of words are data)

from __future__ import annotations

import random

ONES = "zero one two three four five six seven eight nine".split()
TEENS = "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()
TENS = "_ _ twenty thirty forty fifty sixty seventy eighty ninety".split()
ORDINALS = (
    "_ first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth "
    "thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
).split()
WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
MONTHS = (
    "january february march april may june july august september october november december"
).split()


def cardinal(number: int) -> str:
    """Spells 0..999999 without "and": 1250 is "one thousand two hundred fifty"."""
    if number < 10:
        return ONES[number]
    if number < 20:
        return TEENS[number - 10]
    if number < 100:
        tens, ones = divmod(number, 10)
        return TENS[tens] + (f" {ONES[ones]}" if ones else "")
    if number < 1000:
        hundreds, rest = divmod(number, 100)
        return f"{ONES[hundreds]} hundred" + (f" {cardinal(rest)}" if rest else "")
    thousands, rest = divmod(number, 1000)
    return f"{cardinal(thousands)} thousand" + (f" {cardinal(rest)}" if rest else "")


def ordinal(number: int) -> str:
    """Spells 1..99 as an ordinal: 23 is "twenty third"."""
    if number <= 20:
        return ORDINALS[number]
    tens, ones = divmod(number, 10)
    return f"{TENS[tens]} {ORDINALS[ones]}" if ones else TENS[tens][:-1] + "ieth"


def digits(rng: random.Random, length: int) -> str:
    """Reads a random digit string of the given length, in one of the usual ways."""
    numbers = [rng.randrange(10) for _ in range(length)]
    if length >= 3 and rng.random() < 0.25:
        place = rng.randrange(length - 1)  # Repeated digits are what double and triple are for.
        numbers[place + 1] = numbers[place]
    return read_digits(rng, numbers)


def read_digits(rng: random.Random, numbers: list[int]) -> str:
    """Reads given digits: one by one, with oh or zero, double or triple, or in pairs."""
    zero = rng.choice(("zero", "oh", "oh"))
    style = rng.random()
    if style < 0.12 and len(numbers) >= 2:
        return _pairs(numbers, zero)
    grouped = style < 0.32
    words: list[str] = []
    place = 0
    while place < len(numbers):
        run = _run_length(numbers, place)
        name = zero if numbers[place] == 0 else ONES[numbers[place]]
        if grouped and run >= 3:
            words.append(f"triple {name}")
            place += 3
        elif grouped and run == 2:
            words.append(f"double {name}")
            place += 2
        else:
            words.append(name)
            place += 1
    return " ".join(words)


def _run_length(numbers: list[int], place: int) -> int:
    run = 1
    while place + run < len(numbers) and numbers[place + run] == numbers[place]:
        run += 1
    return run


def _pairs(numbers: list[int], zero: str) -> str:
    words = [] if len(numbers) % 2 == 0 else [ONES[numbers[0]] if numbers[0] else zero]
    for place in range(len(numbers) % 2, len(numbers), 2):
        pair = numbers[place] * 10 + numbers[place + 1]
        if pair >= 10:
            words.append(cardinal(pair))
        else:
            words += [zero, ONES[pair] if pair else zero]
    return " ".join(words)


def zip_code(rng: random.Random) -> str:
    """A five-digit code, alone or inside the words that callers put around it."""
    said = digits(rng, 5)
    if rng.random() < 0.72:
        return said
    frame = rng.choice(
        (
            "my zip code is {}",
            "zip code {}",
            "it's {}",
            "it is {}",
            "the zip is {}",
            "um {}",
            "that would be {}",
            "uh {}",
            "sure it's {}",
            "okay {}",
            "yes it's {}",
            "{} thank you",
            "i think it's {}",
            "my zip is {}",
            "the zip code is {}",
            "sorry it's {}",
            "{} i think",
            "no it's {}",
            "yeah {}",
            "so that's {}",
            "well it's {}",
            "my postal code is {}",
        )
    )
    return frame.format(said)


def digit_string(rng: random.Random) -> str:
    """A number of 1 to 16 digits, alone or as an account, telephone or reference number."""
    length = rng.choice((1, 1, 2, 3, 4, 4, 4, 5, 6, 7, 8, 9, 10, 10, 12, 16))
    said = digits(rng, length)
    if rng.random() < 0.75:
        return said
    frame = rng.choice(
        (
            "the last four are {}",
            "my number is {}",
            "my phone number is {}",
            "account number {}",
            "the number is {}",
            "it's {}",
            "reference number {}",
            "extension {}",
            "option {}",
            "you can reach me at {}",
            "call me at {}",
            "the code is {}",
            "press {}",
            "area code {}",
            "my account number is {}",
            "i'm at {}",
            "the order number is {}",
            "it ends in {}",
        )
    )
    return frame.format(said)


def amount(rng: random.Random) -> str:
    """A sum of money as callers say it, alone or in an offer to pay."""
    return rng.choice(
        (
            "{}",
            "{}",
            "{}",
            "i can pay {}",
            "i could do {}",
            "how about {}",
            "about {}",
            "i can pay {} today",
            "maybe {}",
            "i only have {}",
            "can i pay {}",
            "it was {}",
            "i want to pay {}",
            "i owe {}",
            "{} a month",
            "{} a week",
            "only {}",
            "i paid {}",
            "i can send {} now",
            "they charged me {}",
            "my balance is {}",
            "{} is all i have",
            "would you take {}",
            "i can afford {} a month",
            "let's do {}",
            "the amount is {}",
        )
    ).format(bare_sum(rng))


def bare_sum(rng: random.Random) -> str:
    """A sum of money without words around it."""
    scale = rng.random()
    if scale < 0.3:
        dollars = rng.randrange(1, 100)
    elif scale < 0.6:
        dollars = rng.choice(
            (
                10,
                20,
                25,
                30,
                40,
                50,
                60,
                75,
                80,
                100,
                120,
                150,
                200,
                250,
                300,
                400,
                500,
                600,
                750,
                800,
                1000,
                1200,
                1500,
                2000,
                5000,
            )
        )
    elif scale < 0.9:
        dollars = rng.randrange(100, 1000)
    else:
        dollars = rng.randrange(1000, 20000)
    words = cardinal(dollars)
    if dollars >= 100 and rng.random() < 0.35:
        words = words.replace("one hundred", "a hundred", 1)
    if dollars >= 100 and "hundred " in words and rng.random() < 0.4:
        words = words.replace("hundred ", "hundred and ", 1)
    if 1000 <= dollars < 10000 and dollars % 100 == 0 and dollars % 1000 and rng.random() < 0.5:
        words = f"{cardinal(dollars // 100)} hundred"
    unit = "dollar" if dollars == 1 else rng.choice(("dollars", "dollars", "dollars", "bucks"))
    style = rng.random()
    if style < 0.55:
        return f"{words} {unit}"
    cents = rng.randrange(1, 100)
    if style < 0.85:
        return f"{words} {unit} and {cardinal(cents)} {'cent' if cents == 1 else 'cents'}"
    return f"{words} {cardinal(cents)}" if style < 0.93 and cents > 9 else words


def clock_time(rng: random.Random) -> str:
    """A time of day."""
    hour = cardinal(rng.randrange(1, 13))
    minute = rng.choice(("", "", "thirty", "fifteen", "forty five", "ten", "twenty", "oh five"))
    half_day = rng.choice(
        (
            "",
            "",
            "a m",
            "p m",
            "in the morning",
            "in the afternoon",
            "in the evening",
            "at night",
            "tonight",
            "o'clock",
        )
    )
    if half_day == "o'clock":
        minute = ""
    said = " ".join(part for part in (hour, minute, half_day) if part)
    other = (
        "noon",
        "midnight",
        f"half past {hour}",
        f"a quarter to {hour}",
        "around lunch time",
        f"quarter past {hour}",
        f"between {hour} and {cardinal(rng.randrange(1, 13))}",
    )
    said = rng.choice(other) if rng.random() < 0.2 else said
    return rng.choice(("{}", "at {}", "around {}", "after {}", "before {}", "by {}")).format(said)


def date(rng: random.Random) -> str:
    """A day as callers name it: weekday, calendar date or relative."""
    day = ordinal(rng.randrange(1, 32))
    month, weekday = rng.choice(MONTHS), rng.choice(WEEKDAYS)
    count = cardinal(rng.randrange(2, 11))
    return rng.choice(
        (
            weekday,
            f"on {weekday}",
            f"next {weekday}",
            f"this {weekday}",
            f"{weekday} {month} {day}",
            f"{month} {day}",
            f"{month} {day}",
            f"the {day} of {month}",
            f"the {day}",
            f"on the {day}",
            f"by the {day}",
            f"{weekday} the {day}",
            f"{weekday} morning",
            f"{weekday} afternoon",
            f"{weekday} night",
            f"a week from {weekday}",
            f"by {weekday}",
            f"in {count} days",
            f"in {count} weeks",
            f"{count} days from now",
            f"in {month}",
            f"{count} weeks from today",
            "today",
            "tomorrow",
            "the day after tomorrow",
            "tonight",
            "tomorrow morning",
            "tomorrow afternoon",
            "next week",
            "next month",
            "this week",
            "the end of the month",
            "at the end of the month",
            "by the end of the week",
            "the end of next week",
            "the first of the month",
            "the beginning of next month",
            "in a week",
            "in two weeks",
            "in a couple of weeks",
            "in a few days",
            "this weekend",
            "payday",
            "on payday",
            "when i get paid",
            "later this week",
            "the middle of the month",
            f"{month} {day} twenty {cardinal(rng.randrange(10, 40))}",
            f"the week of {month} {day}",
            f"early {month}",
            f"the last {weekday} of the month",
            f"{weekday} or {rng.choice(WEEKDAYS)}",
        )
    )

"""English number words and digit strings as callers read them aloud.

Every function takes the caller's ``random.Random`` where it chooses; texts are lower-case words
with no numerals, so that the transcript a model learns is exactly what was said.
"""

# ruff: noqa: SIM905  (lists of words are data)

from __future__ import annotations

import random

from models.stt.recipe.grammar import pick

ONES = "zero one two three four five six seven eight nine".split()
TEENS = "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()
TENS = "_ _ twenty thirty forty fifty sixty seventy eighty ninety".split()
ORDINALS = (
    "_ first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth "
    "thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
).split()
_ZIP_FRAMES = """
my zip code is {}|zip code {}|it's {}|it is {}|the zip is {}|um {}|that would be {}|uh {}
sure it's {}|okay {}|yes it's {}|{} thank you|i think it's {}|my zip is {}|the zip code is {}
sorry it's {}|{} i think|no it's {}|yeah {}|so that's {}|well it's {}|my postal code is {}
"""
_DIGIT_FRAMES = """
the last four are {}|my number is {}|my phone number is {}|account number {}|the number is {}
it's {}|reference number {}|extension {}|option {}|you can reach me at {}|call me at {}
the code is {}|press {}|area code {}|my account number is {}|i'm at {}|the order number is {}
it ends in {}|my social is {}|the first three are {}|it starts with {}|the confirmation code is {}
"""
_PHONE_FRAMES = """
my number is {}|it's {}|you can reach me at {}|call me at {}|the best number is {}|my cell is {}
sure it's {}|my phone number is {}|the callback number is {}|{} is my cell|try {}
"""


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
    return said if rng.random() < 0.72 else pick(rng, _ZIP_FRAMES).format(said)


def digit_string(rng: random.Random) -> str:
    """A number of 1 to 16 digits, alone or as an account, telephone or reference number."""
    length = rng.choice((1, 1, 2, 3, 4, 4, 4, 5, 6, 7, 8, 9, 10, 10, 12, 16))
    said = digits(rng, length)
    return said if rng.random() < 0.75 else pick(rng, _DIGIT_FRAMES).format(said)


def phone_number(rng: random.Random) -> str:
    """Ten digits in the groups of a telephone number, sometimes with words around them."""
    numbers = [rng.randrange(2, 10)] + [rng.randrange(10) for _ in range(9)]
    zero = rng.choice(("zero", "oh"))
    style = rng.random()
    if style < 0.7:
        said = " ".join(ONES[number] if number else zero for number in numbers)
    elif style < 0.85:
        said = " ".join(
            (
                read_digits(rng, numbers[:3]),
                read_digits(rng, numbers[3:6]),
                _pairs(numbers[6:], zero),
            )
        )
    else:
        said = f"eight hundred {read_digits(rng, numbers[3:6])} {read_digits(rng, numbers[6:])}"
    if rng.random() < 0.1:
        said += f" extension {digits(rng, rng.choice((2, 3, 4)))}"
    return said if rng.random() < 0.6 else pick(rng, _PHONE_FRAMES).format(said)

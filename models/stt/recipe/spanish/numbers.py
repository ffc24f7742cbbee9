"""Spanish number words and digit strings as callers read them aloud.

Every function takes the caller's ``random.Random`` where it chooses; texts are lower-case words
with accents and no numerals, so that the transcript a model learns is exactly what was said.
"""

# ruff: noqa: SIM905  (lists of words are data)

from __future__ import annotations

import random

from models.stt.recipe.grammar import pick

ONES = "cero uno dos tres cuatro cinco seis siete ocho nueve".split()
TEENS = (
    "diez once doce trece catorce quince dieciséis diecisiete dieciocho diecinueve veinte "
    "veintiuno veintidós veintitrés veinticuatro veinticinco veintiséis veintisiete veintiocho "
    "veintinueve"
).split()
TENS = "_ _ veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa".split()
HUNDREDS = (
    "_ ciento doscientos trescientos cuatrocientos quinientos seiscientos setecientos ochocientos "
    "novecientos"
).split()


def cardinal(number: int) -> str:
    """Spells 0..999999: 1250 is "mil doscientos cincuenta"."""
    if number < 10:
        return ONES[number]
    if number < 30:
        return TEENS[number - 10]
    if number < 100:
        tens, ones = divmod(number, 10)
        return TENS[tens] + (f" y {ONES[ones]}" if ones else "")
    if number == 100:
        return "cien"
    if number < 1000:
        hundreds, rest = divmod(number, 100)
        return HUNDREDS[hundreds] + (f" {cardinal(rest)}" if rest else "")
    thousands, rest = divmod(number, 1000)
    head = "mil" if thousands == 1 else f"{before_noun(thousands)} mil"
    return head + (f" {cardinal(rest)}" if rest else "")


def before_noun(number: int, feminine: bool = False) -> str:
    """A cardinal as it stands before a noun: "veintiún dólares", "treinta y una cuotas"."""
    words = cardinal(number)
    if words.endswith("veintiuno"):
        return words[:-9] + ("veintiuna" if feminine else "veintiún")
    if words.endswith("uno"):
        return words[:-1] + ("a" if feminine else "")
    return words


def digits(rng: random.Random, length: int) -> str:
    """Reads a random digit string of the given length, in one of the usual ways."""
    numbers = [rng.randrange(10) for _ in range(length)]
    if length >= 3 and rng.random() < 0.25:
        place = rng.randrange(length - 1)  # Repeated digits are what "doble" is for.
        numbers[place + 1] = numbers[place]
    return read_digits(rng, numbers)


def read_digits(rng: random.Random, numbers: list[int]) -> str:
    """Reads given digits: one by one, with "doble" or "triple", in pairs, or in mixed groups."""
    style = rng.random()
    if style < 0.64 or len(numbers) < 2:
        return " ".join(ONES[number] for number in numbers)
    if style < 0.76:
        return _doubled(numbers)
    if style < 0.88:
        return _grouped(numbers, [len(numbers) % 2] + [2] * (len(numbers) // 2))
    sizes: list[int] = []
    while sum(sizes) < len(numbers):
        sizes.append(min(rng.choice((1, 1, 2, 2, 3)), len(numbers) - sum(sizes)))
    return _grouped(numbers, sizes)


def _doubled(numbers: list[int]) -> str:
    words: list[str] = []
    place = 0
    while place < len(numbers):
        run = 1
        while run < 3 and place + run < len(numbers) and numbers[place + run] == numbers[place]:
            run += 1
        words.append(("", "", "doble ", "triple ")[run] + ONES[numbers[place]])
        place += run
    return " ".join(words)


def _grouped(numbers: list[int], sizes: list[int]) -> str:
    """Each group as one number; zeros in front of it are said one by one."""
    words: list[str] = []
    place = 0
    for size in sizes:
        group = numbers[place : place + size]
        place += size
        while len(group) > 1 and group[0] == 0:
            words.append(ONES[0])
            group = group[1:]
        if group:
            words.append(cardinal(int("".join(map(str, group)))))
    return " ".join(words)


_ZIP_FRAMES = """
mi código postal es {}|el código postal es {}|es el {}|es {}|código postal {}|eh {}|este {}
mi zip code es {}|el zip es el {}|sería el {}|sí es {}|{} gracias|creo que es {}|no es {}
perdón es {}|pues {}|ajá es el {}|vivo en el {}|a ver es {}|claro es el {}|bueno {}|el código es {}
mi código es el {}|{} creo|sí {}|ponga {}|el mío es {}|anote {}|déjeme ver {}
"""
_DIGIT_FRAMES = """
los últimos cuatro son {}|mi número es {}|mi teléfono es {}|número de cuenta {}|el número es {}
es {}|es el {}|número de referencia {}|extensión {}|opción {}|me puede llamar al {}|llámeme al {}
el código es {}|marque {}|código de área {}|mi número de cuenta es {}|termina en {}
mi celular es el {}|el número de orden es {}|los últimos dígitos son {}|mi seguro social es {}
empieza con {}|la clave es {}|mi número de caso es {}|la factura es la {}|marco el {}
"""


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
    style = rng.random()
    if style < 0.5:
        said = " ".join(ONES[number] for number in numbers)
    elif style < 0.75:
        tail = _grouped(numbers[6:], [2, 2])
        said = " ".join([*(ONES[number] for number in numbers[:6]), tail])
    else:
        sizes = rng.choice(([2] * 5, [1, 2, 1, 2, 2, 2], [3, 1, 2, 2, 2], [3, 3, 2, 2]))
        said = _grouped(numbers, sizes)
    if rng.random() < 0.12:
        said += f" extensión {digits(rng, rng.choice((2, 3, 4)))}"
    if rng.random() < 0.6:
        return said
    return pick(rng, "es el {}|mi número es el {}|llámeme al {}|al {}|anote {}|sí es {}").format(
        said
    )

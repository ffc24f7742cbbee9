"""Callers whose every personal value is known, and the ways in which people say such values."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from num2words import num2words

FIRST = (
    "Wilhelmina", "Ignatius", "Philippa", "Bartholomew", "Guadalupe", "Thaddeus", "Henrietta",
    "Cornelius", "Josephine", "Zachariah", "Marguerite", "Leopold", "Rosalind", "Montgomery",
)  # fmt: skip
LAST = (
    "Featherstone", "Okonkwo", "Villanueva", "Abernathy", "Kowalczyk", "Thistlewood", "Delacroix",
    "Fitzgerald", "Santorini", "Weatherby", "Castellanos", "Hollingsworth", "Pemberton",
)  # fmt: skip
STREETS = ("Periwinkle", "Juniper", "Huckleberry", "Cottonwood", "Magnolia", "Sassafras")
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip
DIGITS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
SPANISH = (
    "cero", "uno", "dos", "tres", "cuatro", "cinco", "seis", "siete", "ocho", "nueve"
)  # fmt: skip


@dataclass(frozen=True)
class Person:
    """One caller; numbers are digits only, the balance is dollars and cents, birth is y, m, d."""

    first: str
    last: str
    zip: str
    birth: tuple[int, int, int]
    card: str
    account: str
    phone: str
    house: str
    street: str
    balance: str
    secret: str

    @property
    def name(self) -> str:
        return f"{self.first} {self.last}"

    @property
    def email(self) -> str:
        return f"{self.first}.{self.last}@{self.street}-mail.com".lower()

    @property
    def numbers(self) -> dict[str, str]:
        """Every number that is his, as digits."""
        year, month, day = self.birth
        return {
            "zip": self.zip, "card": self.card, "account": self.account, "phone": self.phone,
            "house": self.house, "birth": f"{month:02}{day:02}{year}", "year": str(year),
            "balance": self.balance.partition(".")[0],
        }  # fmt: skip

    @property
    def words(self) -> dict[str, str]:
        """Every word that is his alone."""
        return {
            "first": self.first, "last": self.last, "street": self.street, "secret": self.secret
        }  # fmt: skip

    def data(self, flow: str) -> dict[str, str]:
        """What the operator's account file has of him for a flow."""
        account = {"account_id": f"ACC-{self.account}"}
        company = {"company": "Northside"}
        match flow:
            case "collections":
                return account | {
                    "agency": "Example Agency", "full_name": self.name, "first_name": self.first,
                    "creditor": "Harbor Medical", "balance": self.balance,
                    "expected_zip": self.zip,
                }  # fmt: skip
            case "booking":
                offices = {"office_phone": "+13105550199", "service_zips": f"10001 {self.zip}"}
                return {"account_id": "northside"} | company | offices
            case "campaign":
                return account | {"first_name": self.first}
        return account | company


def person(random: Random) -> Person:
    """One of the many; no number has a short period, so that none is found by chance."""

    def number(length: int) -> str:
        while True:
            drawn = "".join(random.choice("123456789") for _ in range(length))
            if len(set(drawn)) >= min(length, 4) and "911" not in drawn:  # prompts say it
                return drawn

    return Person(
        first=random.choice(FIRST), last=random.choice(LAST), zip=number(5),
        birth=(random.randrange(1941, 1999), random.randrange(1, 13), random.randrange(1, 29)),
        card=number(16), account=number(9), phone=f"310555{number(4)}", house=number(4),
        street=random.choice(STREETS),
        balance=f"{random.randrange(201, 900)}.{random.randrange(11, 99)}",
        secret=f"{random.choice(FIRST[::-1])[:5].lower()}quist",
    )  # fmt: skip


def said(digits: str, random: Random) -> str:
    """A number as somebody says it: digit by digit, with "oh", in pairs, doubled, with fillers."""
    singly = [DIGITS[int(each)] for each in digits]
    match random.randrange(5):
        case 0:
            return " ".join(singly)
        case 1:
            return " ".join("oh" if each == "zero" else each for each in singly)
        case 2 if len(digits) % 2 == 0:
            pairs = [digits[at : at + 2] for at in range(0, len(digits), 2)]
            return " ".join(num2words(int(each)).replace("-", " ") for each in pairs)
        case 3:
            half = len(singly) // 2
            middle = random.choice(("uh", "i mean", "no wait", "then"))
            return " ".join([*singly[:half], middle, *singly[half:]])
    return digits


def amount_words(amount: str) -> str:
    """Dollars and cents in words."""
    dollars, _, cents = amount.partition(".")
    words = f"{num2words(int(dollars))} dollars and {num2words(int(cents))} cents"
    return words.replace("-", " ")


def birth_words(who: Person, random: Random) -> str:
    """A date of birth as people say it."""
    year, month, day = who.birth
    years = num2words(year, to="year").replace("-", " ")
    nth = num2words(day, to="ordinal").replace("-", " ")
    match random.randrange(4):
        case 0:
            return f"{MONTHS[month - 1]} {nth} {years}"
        case 1:
            return f"the {nth} of {MONTHS[month - 1]} {years}"
        case 2:
            return f"{month}/{day}/{year}"
    return f"{MONTHS[month - 1]} {day} {year}"

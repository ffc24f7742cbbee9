"""Amounts that callers offer in Spanish."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appliance.dialogue.speech import speak_money
from appliance.nlu.amounts import read_amount
from appliance.nlu.spanish.grammar import SPANISH


@pytest.mark.parametrize(
    ("said", "asked", "amount"),
    [
        ("doscientos dólares", False, "200.00"),
        ("doscientos cuarenta dólares con cincuenta", False, "240.50"),
        ("doscientos cuarenta con cincuenta", False, "240.50"),
        ("doscientos cuarenta dólares y cincuenta centavos", False, "240.50"),
        ("doscientos cuarenta dólares con cinco centavos", False, "240.05"),
        ("veinte dólares cincuenta", False, "20.50"),
        ("treinta y cinco dólares", False, "35.00"),
        ("treinta y cinco", True, "35.00"),
        ("ciento veinte", True, "120.00"),
        ("ciento veinte", False, "120.00"),
        ("cincuenta", True, "50.00"),
        ("cincuenta", False, ""),
        ("puedo pagar cincuenta", False, "50.00"),
        ("como unos ochenta", False, "80.00"),
        ("le doy veinte", False, "20.00"),
        ("cincuenta centavos", False, "0.50"),
        ("un dólar con cincuenta", False, "1.50"),
        ("cien", True, "100.00"),
        ("cien dólares", False, "100.00"),
        ("mil doscientos", True, "1200.00"),
        ("dos mil", True, "2000.00"),
        ("uno cincuenta", True, "150.00"),
        ("un par de cientos", True, "200.00"),
        ("$240.50", False, "240.50"),
        ("240 con 50", True, "240.50"),
        ("1,200 dólares", False, "1200.00"),
        ("la mitad", True, "half"),
        ("puedo dar la mitad", False, "half"),
        ("a mitad de mes", True, ""),
        ("todo", True, "full"),
        ("lo pago todo", False, "full"),
        ("el monto completo", False, "full"),
        ("el saldo total", False, "full"),
        ("el cien por ciento", False, "full"),
        ("todo lo que debo", False, "full"),
        ("cuánto es lo que debo", True, ""),
        ("eso es todo", True, ""),
        ("todo bien", True, ""),
        ("no puedo pagar todo", False, ""),
        ("no puedo pagar doscientos", False, ""),
        ("no puedo pagar doscientos pero cincuenta dólares sí", False, "50.00"),
        ("no puedo más de cincuenta", True, "50.00"),
        ("no tengo los cien", False, ""),
        ("treinta por ciento", True, ""),
        ("por ciento veinte dólares", True, "120.00"),
        ("tengo tres hijos", False, ""),
        ("a las cinco", False, ""),
        ("un momento", True, ""),
        ("cero", True, ""),
        ("1000000 dólares", True, ""),
        ("nada", True, ""),
        ("sí", True, ""),
    ],
)
def test_amounts(said: str, asked: bool, amount: str) -> None:
    assert read_amount(SPANISH.normalize(said).split(), SPANISH, asked=asked) == amount


@given(st.integers(1, 99_999_999))
def test_what_the_voice_says_is_understood_again(cents: int) -> None:
    amount = Decimal(cents) / 100
    said = SPANISH.normalize(speak_money(amount, "es")).split()
    assert Decimal(read_amount(said, SPANISH, asked=True)) == amount

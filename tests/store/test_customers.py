from pathlib import Path

import pytest

from appliance.store.customers import Customer, Customers
from appliance.store.database import Database

MARIA = Customer("13105550100", "Maria Lopez", "12 Oak Street", "90210")


@pytest.fixture
def customers(tmp_path: Path) -> Customers:
    return Customers(Database(tmp_path / "x.sqlite"))


def test_found_by_the_number_however_written(customers: Customers) -> None:
    customers.put([Customer("+1 (310) 555-0100", "Maria Lopez", "12 Oak Street", "90210")])
    assert customers.find("13105550100") == MARIA
    assert customers.find("+1-310-555-0100") == MARIA
    assert customers.find("13105550101") is None


@pytest.mark.parametrize("number", ["", "anonymous", "restricted"])
def test_hidden_number_is_nobody(customers: Customers, number: str) -> None:
    customers.put([MARIA])
    assert customers.find(number) is None


def test_what_is_not_known_changes_nothing(customers: Customers) -> None:
    customers.put([MARIA])
    customers.put([Customer(MARIA.number, address="7 Elm Road")])
    assert customers.all() == [Customer(MARIA.number, "Maria Lopez", "7 Elm Road", "90210")]


def test_same_number_twice_in_one_file(customers: Customers) -> None:
    assert customers.put([Customer("1", "A"), Customer("+1", "B")]) == 2
    assert customers.all() == [Customer("1", "B")]


def test_all_or_none(customers: Customers) -> None:
    with pytest.raises(ValueError, match="'anonymous' is no telephone number"):
        customers.put([MARIA, Customer("anonymous", "Nobody")])
    assert customers.all() == []

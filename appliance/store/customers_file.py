"""Customers from a file that the operator exports from elsewhere.

    CSV    number,name,address,zip        the first line names the columns, in any order
    YAML   "+13105550100": {name: Maria Lopez, address: 12 Oak Street, zip: "90210"}

Columns that are not known are an error: a misspelt one would be lost without a word.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from appliance.errors import ConfigError
from appliance.store.customers import Customer, digits_of

_FIELDS = ("number", "name", "address", "zip")
_ZIP = re.compile(r"(\d{5})(-\d{4})?")


def read_customers(path: Path) -> list[Customer]:
    """Read a `.csv`, `.yaml` or `.yml` file.

    Raises:
        ConfigError: names the file, the line or entry, and what is wrong.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")  # spreadsheets write a byte order mark
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: cannot be read: {error}") from error
    match path.suffix.lower():
        case ".csv":
            entries = _csv_entries(path, text)
        case ".yaml" | ".yml":
            entries = _yaml_entries(path, text)
        case _:
            raise ConfigError(f"{path}: give a .csv or a .yaml file")
    return [_customer(where, entry) for where, entry in entries]


def _csv_entries(path: Path, text: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    rows = csv.DictReader(io.StringIO(text), restkey="more", strict=True)
    try:
        for row in rows:
            yield f"{path}:{rows.line_num}", {k.strip(): v for k, v in row.items() if v}
    except csv.Error as error:
        raise ConfigError(f"{path}:{rows.line_num}: {error}") from error


def _yaml_entries(path: Path, text: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    try:
        data = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ConfigError(f"{path}: not YAML: {error}") from error
    if not isinstance(data, dict) or not all(isinstance(each, dict) for each in data.values()):
        raise ConfigError(f"{path}: must map each number to name, address and zip")
    for number, entry in data.items():
        yield f"{path}: {number}", {"number": number, **entry}


def _customer(where: str, entry: Mapping[str, Any]) -> Customer:
    unknown = [name for name in entry if name not in _FIELDS]
    if unknown:
        raise ConfigError(f"{where}: {unknown[0]!r} is not one of {', '.join(_FIELDS)}")
    given = {name: entry.get(name) or "" for name in _FIELDS}
    wrong = [name for name, value in given.items() if not isinstance(value, str)]
    if wrong:
        raise ConfigError(f"{where}: {wrong[0]}: must be text: put it in quotes")
    if not digits_of(given["number"]):
        raise ConfigError(f"{where}: {given['number']!r} is no telephone number")
    return Customer(
        given["number"], given["name"].strip(), given["address"].strip(),
        _zip(where, given["zip"].strip()),
    )  # fmt: skip


def _zip(where: str, text: str) -> str:
    """The five digits of a ZIP or ZIP+4; empty stays empty."""
    found = _ZIP.fullmatch(text)
    if found is None and text:
        raise ConfigError(f"{where}: zip: must have five digits; spreadsheets drop leading zeros")
    return found.group(1) if found else ""

"""The suites of numbers and sums of money, run against `nlu.quantities`.

A case is right if the same pieces of text are found with the same values, and with the same unit
where the case has one. Values are compared to twelve digits, for the files round to fifteen.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import isclose
from typing import Any

from appliance.nlu.grammar import Grammar
from appliance.nlu.languages import GRAMMARS
from appliance.nlu.quantities import (
    Quantity,
    find_currency,
    find_numbers,
    find_ordinals,
    find_percentages,
)
from appliance.testing.specs.suites import Case, Judge, Verdict
from appliance.types import Language

_Find = Callable[[str, Grammar], Sequence[Quantity]]
_PRECISION = 1e-12


def suites() -> Mapping[str, Judge]:
    """The models that are judged, as `PART/MODEL`."""
    return {
        "Number/NumberModel": _judge(find_numbers),
        "Number/OrdinalModel": _judge(find_ordinals),
        "Number/PercentModel": _judge(find_percentages),
        "NumberWithUnit/CurrencyModel": _judge(find_currency),
    }


def _judge(find: _Find) -> Judge:
    def judge(case: Case, language: Language) -> Verdict:
        found = find(case["Input"], GRAMMARS[language])
        expected = case["Results"]
        right = len(found) == len(expected) and all(map(_matches, found, expected))
        return Verdict(right, ", ".join(map(_shown, found)))

    return judge


def _matches(found: Quantity, expected: Mapping[str, Any]) -> bool:
    resolution = expected["Resolution"]
    same_unit = resolution.get("unit", found.unit) == found.unit
    same_text = expected["Text"].casefold() == found.text.casefold()
    value = _number(resolution["value"])
    return same_text and same_unit and value is not None and _same(float(found.value), value)


def _same(found: float, value: float) -> bool:
    return isclose(found, value, rel_tol=_PRECISION, abs_tol=0)


def _number(value: str | None) -> float | None:
    """The number that a file writes with a point or a comma; None for a unit without a number."""
    return None if value is None else float(value.removesuffix("%").replace(",", "."))


def _shown(found: Quantity) -> str:
    return f"{found.text!r} = {float(found.value):g} {found.unit}".rstrip()

"""The languages that the rule layer reads."""

from __future__ import annotations

from collections.abc import Mapping

from appliance.nlu.english.grammar import ENGLISH
from appliance.nlu.grammar import Grammar
from appliance.nlu.spanish.grammar import SPANISH
from appliance.types import Language

GRAMMARS: Mapping[Language, Grammar] = {"en": ENGLISH, "es": SPANISH}

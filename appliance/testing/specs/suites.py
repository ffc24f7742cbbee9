"""External suites of understanding: the files of microsoft/Recognizers-Text `Specs`, given a copy.

    FOLDER/Number/English/NumberModel.json      a list of cases
           |      |       `- model
           |      `- language
           `- part

A case has the `Input`, the `Results` that are expected, and for dates a `Context`. Nothing of these
files is part of this project. A part's module (`numbers`, `dates`) says for each of its models how
a case is judged; a model that none names is not run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from appliance.types import Language

Case = Mapping[str, Any]
"""One case as the file has it."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a case was read as its file expects, and what was read, for the list of failures."""

    right: bool
    found: str = ""


Judge = Callable[[Case, Language], "Verdict | None"]
"""Reads a case. None: it is not for an appliance on the telephone, and is counted apart."""

FOLDERS: Mapping[str, Language] = {"English": "en", "Spanish": "es"}
"""The languages of the files that are run, by their folder."""

"""Names, addresses, telephone numbers and e-mail: every case of the suites, all right."""

from pathlib import Path
from typing import get_args

import pytest
import yaml

from appliance.dialogue.schema import Slot
from appliance.nlu.rules import RuleUnderstander
from appliance.nlu.understander import Context
from appliance.types import Language

LANGUAGES: tuple[Language, ...] = get_args(Language)
SUITES: dict[str, Slot] = {
    "names": "name", "addresses": "address", "phones": "phone", "emails": "email",
}  # fmt: skip
NLU = RuleUnderstander()


def suite(name: str, language: Language) -> dict[str, list[str]]:
    path = Path(__file__).parent / f"cases/{name}.{language}.yaml"
    table = yaml.safe_load(path.read_text("utf-8"))
    return {str(value): says for value, says in table.items()}


CASES = [
    (language, slot, said, value)
    for name, slot in SUITES.items()
    for language in LANGUAGES
    for value, says in suite(name, language).items()
    for said in says
]


@pytest.mark.parametrize(("language", "slot", "said", "value"), CASES)
def test_what_was_asked_for_is_read(language: Language, slot: Slot, said: str, value: str) -> None:
    assert NLU.understand(said, Context(slot, language)).slots.get(slot, "") == value


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", SUITES)
def test_each_suite_is_large(language: Language, name: str) -> None:
    assert sum(map(len, suite(name, language).values())) >= 40


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", SUITES)
def test_what_was_read_is_read_again(language: Language, name: str) -> None:
    slot = SUITES[name]
    values = [value for value in suite(name, language) if value]
    read = [NLU.understand(value, Context(slot, language)).slots.get(slot, "") for value in values]
    # nobody hears a comma: "Colonia Centro, Monterrey"
    assert [value.replace(",", "") for value in read] == [
        value.replace(",", "") for value in values
    ]

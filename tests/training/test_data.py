"""The shipped examples: clean, complete, and enough of each."""

from collections import Counter, defaultdict
from pathlib import Path

import pytest

from appliance.dialogue.intents import INTENTS, first_in_rank
from appliance.nlu.model import CONTENT
from appliance.training.examples import OUT_OF_SCOPE, Example, read_examples
from appliance.training.lint import leaks, lint_examples

DATA = Path(__file__).parents[2] / "models/intent/data"
LANGUAGES = ("en", "es")


@pytest.fixture(scope="module")
def train() -> list[Example]:
    return read_examples(DATA / "train")


@pytest.fixture(scope="module")
def heldout() -> list[Example]:
    return read_examples(DATA / "heldout")


def first(example: Example) -> str:
    return example.intents[0] if example.intents else OUT_OF_SCOPE


def test_there_are_no_flaws(train: list[Example], heldout: list[Example]) -> None:
    flaws = [*lint_examples(train), *lint_examples(heldout), *leaks(train, heldout)]
    assert [str(flaw) for flaw in flaws] == []


@pytest.mark.parametrize("part", ["train", "heldout"])
def test_the_labels_are_the_intents(part: str, request: pytest.FixtureRequest) -> None:
    examples = request.getfixturevalue(part)
    for language in LANGUAGES:
        found = {first(each) for each in examples if each.language == language}
        assert found == {*INTENTS, CONTENT, OUT_OF_SCOPE}
    assert {name for each in examples for name in each.intents} == {*INTENTS, CONTENT}


def test_there_are_enough_to_judge_by(heldout: list[Example]) -> None:
    count = Counter((first(each), each.language) for each in heldout)
    assert {key: n for key, n in count.items() if n < 30} == {}


def test_there_are_enough_to_learn_from(train: list[Example]) -> None:
    lines: dict[tuple[str, str], set[str]] = defaultdict(set)
    for each in train:
        lines[first(each), each.language].add(each.line)
    assert {key: len(found) for key, found in lines.items() if len(found) < 60} == {}


def test_what_is_judged_by_is_one_utterance_a_line(heldout: list[Example]) -> None:
    assert len({each.line for each in heldout}) == len(heldout)


def test_what_is_acted_on_first_is_the_intent(train: list[Example], heldout: list[Example]) -> None:
    """The guide's precedence, for the two that come before all."""
    wrong = [
        f"{each.line}: {each.text!r} is {each.intents}"
        for each in (*train, *heldout)
        for ranked in (first_in_rank(each.intents),)
        if each.intents
        and ranked[0] != each.intents[0]
        and ranked[0] in ("emergency", "stop_request")
    ]
    assert wrong == []

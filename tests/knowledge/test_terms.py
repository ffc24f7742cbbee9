"""Words of a question as terms."""

import pytest

from appliance.knowledge.terms import terms


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("How much does a new kitchen usually cost?", ("cost", "kitchen", "cost")),
        ("do I need a permit", ("permit",)),
        ("Permits, permitted?", ("permit", "permit")),
        ("who gets the permit", ("who", "permit")),
        ("replacing and replaced windows", ("replac", "replac", "window")),
        ("how old are you", ("clock",)),
        ("what would you do", ()),
        ("", ()),
        ("don\u2019t you know", ()),
    ],
)
def test_terms(text: str, found: tuple[str, ...]) -> None:
    assert terms(text) == found


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("removing the walls", "remove a wall"),
        ("kids", "children"),
        ("inspectors", "inspection"),
        ("planning", "plan"),
        ("drying", "dry"),
        ("can I do it myself", "do it on my own"),
    ],
)
def test_words_that_mean_the_same_are_one_term(one: str, other: str) -> None:
    assert terms(one) == terms(other)

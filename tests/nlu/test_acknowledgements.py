"""Hums as recognizers write them."""

import pytest

from appliance.nlu.acknowledgements import affirmed, only_hums
from appliance.nlu.rules import RuleUnderstander
from appliance.nlu.understander import Context
from appliance.types import Language

YES = (
    "mhm", "Mm-hmm.", "mm hmm", "m-hm", "mhmm", "mmhm", "uh-huh", "Uh huh.", "uhhuh", "mjm",
    "mju", "ajá", "aja", "aha", "ajam", "ujum", "uhum", "mm hm, mm hm", "¡Ajá!", "¿Mhm?",
)  # fmt: skip
NOTHING = ("mm", "hm", "hmm", "Mmm...", "uh", "um", "eh", "em", "uhm", "hm hm", "ah")
WORDS = (
    "my", "me", "no", "him", "ham", "hum along", "uh no", "mhm yes", "mm stop", "am", "a ver",
    "haha no", "mum", "uh-uh", "nuh-uh", "mm-mm", "mm mm", "1", "", "I", "oh",
)  # fmt: skip


@pytest.mark.parametrize("text", YES)
@pytest.mark.parametrize("language", ["en", "es"])
def test_a_hum_that_affirms_is_a_yes_in_every_language(text: str, language: Language) -> None:
    top = RuleUnderstander().understand(text, Context(language=language)).top
    assert top is not None
    assert top.name == "affirmation"


@pytest.mark.parametrize("text", [*YES, *NOTHING])
def test_hums_and_hesitations_are_told_from_words(text: str) -> None:
    assert only_hums(text)


@pytest.mark.parametrize("text", WORDS)
def test_words_are_no_hums(text: str) -> None:
    assert not only_hums(text)


def test_only_the_hum_is_rewritten() -> None:
    assert affirmed("well mm-hmm that is him", "aja") == "well aja that is him"


@pytest.mark.parametrize("text", ["uh-uh", "nuh-uh"])
def test_its_opposite_is_a_no(text: str) -> None:
    top = RuleUnderstander().understand(text, Context(language="en")).top
    assert top is not None
    assert top.name == "negation"

"""A voice never passes for a person: in written words, and in those that are heard."""

import pytest

from appliance.dialogue.honesty import announces, denies_automation, loses_announcement
from appliance.types import Language


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("I'm not a robot.", "en"), ("I am a real person.", "en"), ("I'm an human assistant", "en"),
        ("I’m a human.", "en"), ("No soy una máquina.", "es"), ("Soy un asistente humano.", "es"),
    ],
)  # fmt: skip
def test_a_denial_is_found(text: str, language: Language) -> None:
    assert denies_automation(text, language)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("I am not a person.", "en"), ("I'm an automated assistant.", "en"),
        ("A human being will call you.", "en"), ("No soy una persona.", "es"),
        ("Soy un asistente automático.", "es"),
    ],
)  # fmt: skip
def test_the_truth_is_no_denial(text: str, language: Language) -> None:
    assert not denies_automation(text, language)


def test_what_is_announced_is_heard() -> None:
    assert announces("an automated call", "en")
    assert announces("una llamada automática", "es")
    for lost in ('an <sub alias="human">automated</sub> call',
                 'an <phoneme ph="x">automated</phoneme> call'):  # fmt: skip
        assert loses_announcement(lost, "en") == "automated"
    kept = 'a <prosody rate="slow"><sub alias="computer">machine</sub></prosody> calls'
    assert loses_announcement(kept, "en") == ""

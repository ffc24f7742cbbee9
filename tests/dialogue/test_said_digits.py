"""Digits over the turns of a call."""

from appliance.dialogue.said_digits import SaidDigits
from appliance.dialogue.turn import Listen
from appliance.types import Understanding

ZIP = Listen(slot="zip")


def _heard(digits: str = "") -> Understanding:
    return Understanding("", (), {"digits": digits} if digits else {})


def test_digits_are_kept_while_the_number_is_asked_for() -> None:
    said = SaidDigits()
    assert said.listen(ZIP).said_digits == ""
    said.heard(_heard("902"))
    said.heard(_heard())  # "why do you need that?"
    assert said.listen(ZIP).said_digits == "902"


def test_another_question_forgets_them() -> None:
    said = SaidDigits()
    said.listen(ZIP)
    said.heard(_heard("902"))
    assert said.listen(Listen(slot="yes_no")).said_digits == ""
    assert said.listen(ZIP).said_digits == ""


def test_typing_forgets_them() -> None:
    said = SaidDigits()
    said.listen(ZIP)
    said.heard(_heard("902"))
    said.typed()
    assert said.listen(ZIP).said_digits == ""


def test_digits_of_other_questions_are_not_kept() -> None:
    said = SaidDigits()
    said.listen(Listen(slot="amount"))
    said.heard(_heard("50"))
    assert said.listen(Listen(slot="amount")).said_digits == ""

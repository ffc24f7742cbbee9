import pytest

from appliance.dialogue.markup import around_slot, mark
from appliance.tts.clauses import split_clauses
from appliance.tts.pace import Pace
from appliance.tts.slots import slot_sentences, template_of


def slot(value: str = "", name: str = "sum") -> str:
    return around_slot(name, value)


FIRST, SECOND = {"sum": slot("ten dollars")}, {"sum": slot("nine dollars")}


def test_a_template_has_no_values() -> None:
    inner = mark("break", "50ms") + "two"
    said = f"It is {slot('ten &amp; more')}, {slot(inner, 'day')}."
    assert template_of(said) == f"It is {slot()}, {slot(name='day')}."
    assert template_of("It is ten.") == "It is ten."


def test_sentences_that_begin_with_fixed_text() -> None:
    speech = f"Thank you. You owe {slot()} now. {slot()} is due. Is {slot()} right?"
    found = slot_sentences(speech, FIRST, SECOND)
    assert [each.template for each in found] == [f"You owe {slot()} now.", f"Is {slot()} right?"]
    assert found[0].samples == (f"You owe {FIRST['sum']} now.", f"You owe {SECOND['sum']} now.")


@pytest.mark.parametrize(
    ("one", "other"), [("two hundred", "two thousand"), ("ten", "Two"), ("", "two")]
)
def test_samples_that_begin_alike_are_none(one: str, other: str) -> None:
    """What they have in common would be taken for fixed text."""
    assert slot_sentences(f"You owe {slot()}.", {"sum": slot(one)}, {"sum": slot(other)}) == []


def test_a_slot_without_samples_is_left_out() -> None:
    assert slot_sentences(f"To that: {slot(name='passage')}", FIRST, SECOND) == []


@pytest.mark.parametrize(
    ("text", "clauses"),
    [
        ("Hello there.", ["Hello there."]),
        (
            "Thank you for waiting, I have found two of them.",
            ["Thank you for waiting,", "I have found two of them."],
        ),
        ("Well, I have found two of them, yes.", ["Well, I have found two of them, yes."]),
        ("It costs 1,200 dollars altogether.", ["It costs 1,200 dollars altogether."]),
        (
            mark("prosody", "slow")[:-2] + ">Thank you for waiting, I have found it.</prosody>",
            [
                '<prosody rate="slow">Thank you for waiting,</prosody>',
                '<prosody rate="slow">I have found it.</prosody>',
            ],
        ),
    ],
)
def test_clauses(text: str, clauses: list[str]) -> None:
    assert split_clauses(text) == clauses


def test_pace_is_measured_and_follows() -> None:
    pace = Pace()
    assert pace.expected_s(100) == 0
    pace.note(letters=10, work_s=0.1, pcm=bytes(16000))
    assert pace.expected_s(100) == pytest.approx(1.0)
    assert pace.real_time_factor == pytest.approx(0.1)
    for _ in range(30):
        pace.note(letters=10, work_s=0.2, pcm=bytes(16000))
    assert pace.real_time_factor == pytest.approx(0.2, rel=0.01)
    pace.note(letters=0, work_s=9.0, pcm=b"")
    assert pace.real_time_factor == pytest.approx(0.2, rel=0.01)

"""A marked sentence as what the voice reads: runs of one speed, pauses, phones inside them."""

import pytest

from appliance.dialogue.markup import around_slot, escape
from appliance.tts.spoken import Run, runs_of


@pytest.mark.parametrize(
    ("speech", "runs"),
    [
        ("", ()),
        ("Thank you.", (Run("Thank you."),)),
        ("R&amp;B &lt;now&gt;", (Run("R&B now"),)),
        ('Hold on.<break time="300ms"/>', (Run("Hold on.", 1.0, 300),)),
        (
            'Your code is <break time="250ms"/> <prosody rate="slow">one two</prosody>.',
            (Run("Your code is,", 1.0, 250), Run("one two.", 0.8)),
        ),
        (
            'One <break time="100ms"/><break time="100ms"/> two?',
            (Run("One,", 1.0, 200), Run("two?")),
        ),
        ('<break time="1s"/>Hello.', (Run("", 1.0, 1000), Run("Hello."))),
        ('<prosody rate="90%">All of it.</prosody>', (Run("All of it.", 0.9),)),
        (
            'By <slot name="x"><sub alias="Mister Lee">Mr. Lee</sub></slot>.',
            (Run("By Mister Lee."),),
        ),
        ('At 5<phoneme ph="pˌiːˈɛm">pm</phoneme>.', (Run("At 5 [[pˌiːˈɛm|pm]]."),)),
        ("Of Acme Inc., or Joe Jr.?", (Run("Of Acme Inc, or Joe Jr?"),)),
        ("Wait... what", (Run("Wait. what"),)),
    ],
)
def test_runs(speech: str, runs: tuple[Run, ...]) -> None:
    assert runs_of(speech) == runs


@pytest.mark.parametrize("value", ["[[nˈoʊ|x]]", "a\x01 60 S b", "<b>", "a|b]]", "\u200bx\x00"])
def test_a_value_brings_no_phones_and_no_commands(value: str) -> None:
    (run,) = runs_of(f"Hello {around_slot('name', escape(value))}.")
    assert not set(run.text) & set("[]|<>\x01\x00\u200b")

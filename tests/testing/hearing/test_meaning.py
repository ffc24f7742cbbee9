from __future__ import annotations

from appliance.stt.evaluation import Judged
from appliance.stt.scoring import compare
from appliance.testing.hearing.meaning import slot_rate, zip_rates


def judged(said: str, heard: str) -> Judged:
    return Judged("", "", heard, compare(said, heard), None, 1.0, 1.0, 1.0)


def test_what_does_not_matter_costs_nothing() -> None:
    said = ["um nine oh two one oh", "the zip is one two three four five"]
    heard = ["nine zero two one oh", "zip one two three four nine"]
    share = slot_rate(said, heard, "zip", "en")
    assert share is not None
    assert (share.value, share.count) == (0.5, 2)


def test_yes_and_no() -> None:
    said, heard = ["yes", "no", "no thank you"], ["yeah that's right", "nope", "thank you"]
    share = slot_rate(said, heard, "yes_no", "en")
    assert share is not None
    assert round(share.value, 3) == 0.667


def test_answers_without_the_slot_do_not_count() -> None:
    assert slot_rate(["blue"], ["blue"], "zip", "en") is None


def test_spanish() -> None:
    share = slot_rate(["nueve cero dos uno cero"], ["nueve cero dos uno cero"], "zip", "es")
    assert share is not None
    assert share.value == 1.0


def test_zip_codes_with_a_retry() -> None:
    said = "one two three four five"
    first = [judged(said, each) for each in (said, "one two three", "one two three four nine")]
    again = [judged(said, each) for each in ("", said, "nine nine nine")]
    rates = zip_rates(first, again, "en")
    assert round(rates["first"].value, 3) == 0.333
    assert round(rates["confirmed"].value, 3) == 0.667

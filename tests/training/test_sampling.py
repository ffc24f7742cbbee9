from collections import Counter

import pytest

from appliance.training import sampling
from appliance.training.examples import Example, one_reading
from appliance.training.noise import Noise
from appliance.training.sampling import epoch

LINES = [
    Example(text, (intent,), None, "en", f"en.yaml:{number}")
    for number, (intent, texts) in enumerate(
        (
            ("busy", ("driving", "I am driving", "well I am driving")),
            ("callback_request", ("call me later", "ring me later")),
            ("thanks", ("thanks a lot",)),
        )
    )
    for text in texts
]
SLOTS = ("zip", "amount", "date", "yes no", "name", "address", "time", "text", "phone", "email")


@pytest.fixture
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing but the draw of readings."""
    for name in ("_IN_CONTEXT", "_PAIRED", "_NOISY"):
        monkeypatch.setattr(sampling, name, 0)


def test_an_epoch_is_the_same_for_its_number() -> None:
    many = [epoch(LINES * 20, number, Noise()) for number in (3, 3, 4)]
    assert many[0] == many[1] != many[2]


def test_two_readings_of_each_line_are_shown(plain: None) -> None:
    shown = [said.text for said in epoch(LINES, 1, Noise())]
    assert len(shown) == len(set(shown)) == 5
    assert {"call me later", "ring me later", "thanks a lot"} <= set(shown)
    ever = {said.text for number in range(20) for said in epoch(LINES, number, Noise())}
    assert ever == {each.text for each in LINES}


def test_examples_without_lines_are_all_shown_as_they_are() -> None:
    """Public sets are not ours to change."""
    examples = [Example(f"text {n}", ("x",) if n % 3 else ()) for n in range(300)]
    shown = epoch(examples, 1, Noise())
    assert sorted((each.text, each.intents) for each in shown) == sorted(
        (each.text, each.intents) for each in examples
    )


def test_what_means_the_same_after_any_question_is_shown_after_some() -> None:
    examples = [Example(f"I am driving {n}", ("busy",), None, "en", f"a:{n}") for n in range(3000)]
    asked = Counter(
        said.text.partition(" : ")[0] for said in epoch(examples, 1, Noise()) if " : " in said.text
    )
    assert set(asked) == set(SLOTS)
    share = 0.4 * len(SLOTS) / (len(SLOTS) + 1)  # no question is one of what is drawn
    assert sum(asked.values()) / 3000 == pytest.approx(share, abs=0.03)
    assert max(asked.values()) < 2 * min(asked.values())


def test_what_hangs_on_the_question_is_always_shown_after_it() -> None:
    examples = [Example(f"no {n}", ("negation",), "yes_no", "en", f"a:{n}") for n in range(300)]
    assert all(said.text.startswith("yes no : ") for said in epoch(examples, 1, Noise()))


def joined(monkeypatch: pytest.MonkeyPatch, *examples: Example) -> set[tuple[str, tuple[str, ...]]]:
    """What is shown of examples, always joined where they may be."""
    for name, share in (("_IN_CONTEXT", 0), ("_PAIRED", 1.0), ("_NOISY", 0)):
        monkeypatch.setattr(sampling, name, share)
    return {
        (said.text, said.intents)
        for number in range(60)
        for said in epoch(list(examples), number, Noise())
    }


def test_two_examples_in_one_breath_mean_both(monkeypatch: pytest.MonkeyPatch) -> None:
    found = joined(
        monkeypatch,
        Example("yes", ("affirmation",), None, "en", "a:1"),
        Example("stop calling", ("stop_request", "angry"), None, "en", "a:2"),
    )
    assert ("yes but stop calling", ("stop_request", "angry", "affirmation")) in found
    assert ("stop calling and yes", ("stop_request", "angry", "affirmation")) in found
    assert ("yes stop calling", ("stop_request", "angry", "affirmation")) in found
    assert ("yes and yes", ("affirmation",)) in found
    assert not any("  " in text for text, _ in found)


@pytest.mark.parametrize(
    "other",
    [
        Example("what a day", (), None, "en", "a:2"),
        Example("the fifteenth", ("content",), None, "en", "a:2"),
        Example("gracias", ("thanks",), None, "es", "a:2"),
        Example("no", ("negation",), "yes_no", "en", "a:2"),
        Example("a b c d e f g h i j k l m n", ("angry",), None, "en", "a:2"),
    ],
    ids=["out of scope", "content", "language", "slot", "long"],
)
def test_what_does_not_go_together_is_not_joined(
    monkeypatch: pytest.MonkeyPatch, other: Example
) -> None:
    first = Example("I am driving", ("busy",), None, "en", "a:1")
    found = joined(monkeypatch, first, other)
    assert all("a:2" not in text and other.text not in text for text, intents in found
               if text.startswith("I am driving"))  # fmt: skip


def test_out_of_scope_stays_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    found = joined(
        monkeypatch,
        Example("what a day", (), None, "en", "a:1"),
        Example("yes", ("affirmation",), None, "en", "a:2"),
    )
    assert ("what a day", ()) in found
    assert not any("what a day" in text and intents for text, intents in found)


def test_noise_passes_over_a_share(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampling, "_PAIRED", 0)
    noise = Noise({"en": {"driving": [("diving", 1)]}})
    examples = [Example("driving", ("busy",), None, "en", f"a:{n}") for n in range(3000)]
    wrong = sum("diving" in said.text for said in epoch(examples, 1, noise))
    # a third of the noisy ones at half the rate, and the table is always wrong
    assert wrong / 3000 == pytest.approx(0.35 * (0.5 + 1 + 1) / 3, abs=0.03)


def test_one_reading_of_each_line() -> None:
    assert [each.text for each in one_reading(LINES)] == [
        "well I am driving",
        "ring me later",
        "thanks a lot",
    ]

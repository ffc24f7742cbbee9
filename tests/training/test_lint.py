from appliance.dialogue.schema import Slot
from appliance.training.examples import Example
from appliance.training.lint import leaks, lint_examples, words_of
from appliance.types import Language


def example(
    text: str,
    *intents: str,
    line: str = "",
    slot: Slot | None = None,
    language: Language = "en",
) -> Example:
    return Example(text, intents, slot, language, line or f"en.yaml:{text}")


def told(*examples: Example) -> list[str]:
    return [str(flaw) for flaw in lint_examples(examples)]


def leaked(train: str, heldout: str) -> list[str]:
    return [
        flaw.what for flaw in leaks([example(train, "busy", line="t:1")], [example(heldout, "x")])
    ]


def test_what_is_clean_has_no_flaws() -> None:
    assert told(example("I am driving", "busy"), example("thank you", "thanks")) == []


def test_the_same_words_twice() -> None:
    found = told(
        example("I'm driving", "busy", line="a:1"), example("Im driving!", "busy", line="a:9")
    )
    assert found == ["a:9: 'Im driving!' is also at a:1"]


def test_the_same_words_with_two_meanings() -> None:
    found = told(example("no way", "negation", line="a:1"), example("No way.", "angry", line="a:9"))
    assert found == ["a:9: 'No way.' is also at a:1, there it is negation"]


def test_the_same_words_in_scope_and_out_of_it() -> None:
    found = told(example("no way", line="a:1"), example("no way", "angry", line="a:9"))
    assert found == ["a:9: 'no way' is also at a:1, there it is out_of_scope"]


def test_words_may_mean_another_thing_after_another_question_or_in_another_language() -> None:
    assert not told(
        example("no", "negation", line="a:1", slot="yes_no"),
        example("no", "hard_refusal", line="a:2", slot="amount"),
        example("no", "negation", line="b:1", slot="yes_no", language="es"),
    )


def test_readings_of_one_line_are_no_duplicates() -> None:
    assert not told(
        example("well stop it", "angry", line="a:1"), example("well, stop it", "angry", line="a:1")
    )


def test_fillers_make_another_example_but_no_other_utterance() -> None:
    """To train on "um no" beside "no" is no fault; to be judged by it is no judgement."""
    assert not told(example("um I am driving", "busy"), example("I am driving", "busy"))
    assert leaked("I am driving", "um, I am driving please")


def test_accents_make_no_difference() -> None:
    assert words_of("¿Quién  habla?") == words_of("quien habla") == "quien habla"
    assert words_of("I'm") == words_of("Im") == "im"
    assert words_of("twenty-one") == "twenty one"
    found = told(
        example("quién habla", "identity_question", line="a:1", language="es"),
        example("quien habla", "identity_question", line="a:2", language="es"),
    )
    assert found == ["a:2: 'quien habla' is also at a:1"]


def test_an_intent_that_is_only_said_besides() -> None:
    assert told(example("damn you stop", "stop_request", "anrgy", line="a:3")) == [
        "a:3: anrgy is only here, in `also`: is it misspelt?"
    ]


def test_an_intent_that_is_nearly_another() -> None:
    found = told(
        *(example(f"stop {n}", "stop_requst", line=f"a:{n}") for n in range(5)),
        example("stop", "stop_request", line="a:9"),
        example("is there room for my dog", "kennel_question", line="a:10"),
    )
    assert found == ["a:0: stop_requst is nearly stop_request: is it misspelt?"]


def test_what_is_judged_by_is_not_trained_on() -> None:
    assert leaked("please stop calling me", "Stop calling me!") == [
        "'Stop calling me!' is in the training too, at t:1"
    ]


def test_other_words_are_no_leak() -> None:
    assert not leaked("please stop calling me", "never call me again")
    assert not leaked("stop calling me", "start calling me")


def test_one_or_two_words_are_what_everybody_says() -> None:
    assert not leaked("no thanks", "no thanks")
    assert not leaked("well no thanks", "um no thanks")
    assert leaked("no thanks man", "no thanks man")


def test_nearly_the_same_is_a_leak() -> None:
    long = (
        "I have told you people again and again that she does not live at this address any more "
        "so please take it off your list"
    )
    found = leaked(long, f"{long} okay")
    assert len(found) == 1
    assert found[0].startswith(f"{long + ' okay'!r} is nearly {long!r}, at t:1")


def test_every_leak_is_told() -> None:
    train = [example(f"call me back at {n} sharp", "callback_request") for n in range(5)]
    held = [example(f"Call me back at {n}, sharp!", "callback_request") for n in range(5)]
    assert len(leaks(train, held)) == 5
    assert leaks(held, []) == []
    assert leaks([], held) == []

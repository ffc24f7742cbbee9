"""Counted by hand: every figure of a small evaluation, and the verdict on two of them."""

import json
from collections.abc import Mapping

import pytest

from appliance.training.evaluation import Answer, Evaluation, Mistake, evaluate
from appliance.training.examples import Example
from appliance.training.judging import compare, in_parts
from appliance.training.report import details, figures, guarded
from appliance.types import Intent, Language


def example(text: str, *intents: str, language: Language = "en") -> Example:
    return Example(text, intents, None, language, f"a:{text}")


def answer(*intents: tuple[str, float], outside: bool = False) -> Answer:
    return tuple(Intent(*each) for each in intents), outside


SAID = {
    example("stop it", "stop_request"): answer(("stop_request", 0.9)),
    example("yes but stop", "stop_request", "affirmation"): answer(
        ("affirmation", 0.8), ("stop_request", 0.6)
    ),
    example("enough", "stop_request"): answer(("stop_request", 0.4)),  # first, but unsure: missed
    example("a person", "human_request"): answer(("robot_question", 0.7), ("human_request", 0.3)),
    example("driving", "busy"): answer(("busy", 0.9), outside=True),
    example("nonsense to it", "busy"): answer(),
    example("what a day"): answer(("busy", 0.2), outside=True),
    example("stop the world"): answer(("stop_request", 0.7)),
}


def judged(said: Mapping[Example, Answer]) -> Evaluation:
    return evaluate(list(said), said.__getitem__)


@pytest.fixture
def found() -> Evaluation:
    return judged(SAID)


def test_accuracy_is_of_what_is_in_scope(found: Evaluation) -> None:
    assert (found.examples, found.inside) == (8, 6)
    assert found.first == pytest.approx(3 / 6)  # stop it, enough, driving
    assert found.accepted == pytest.approx(2 / 6)  # not driving: it was called out of scope
    assert found.outside == pytest.approx(1 / 2)
    assert found.also == 1.0  # "affirmation" at 0.8


def test_a_guarded_intent_is_heard_where_its_confidence_suffices(found: Evaluation) -> None:
    stop = found.guards["stop_request"]
    assert (stop.said, stop.others) == (3, 5)
    assert [each.text for each in stop.missed] == ["enough"]
    assert [each.text for each in stop.false] == ["stop the world"]
    assert stop.recall == pytest.approx(2 / 3)
    assert stop.false_alarms == pytest.approx(1 / 5)
    human = found.guards["human_request"]
    assert (human.said, len(human.missed), human.false) == (1, 1, ())
    robot = found.guards["robot_question"]
    assert (robot.said, robot.recall, len(robot.false)) == (0, 1.0, 1)
    assert found.guarded_recall == pytest.approx(2 / 4)
    assert found.false_alarms == pytest.approx(2 / 8)


def test_one_utterance_is_one_false_alarm_and_the_same_words_elsewhere_another() -> None:
    twice = answer(("stop_request", 0.9), ("goodbye", 0.9))
    found = judged({example("a", "busy"): twice, example("b", "busy"): answer(("busy", 0.9))})
    assert found.false_alarms == pytest.approx(1 / 2)
    here = Example("a", ("busy",), "zip", "en", "a:1")
    there = Example("a", ("busy",), "date", "en", "a:2")
    assert judged({here: twice, there: twice}).false_alarms == 1.0


def test_confusions_and_mistakes(found: Evaluation) -> None:
    assert {(meant, taken): count for meant, taken, count in found.confused} == {
        ("stop_request", "affirmation"): 1,
        ("human_request", "robot_question"): 1,
        ("busy", ""): 1,
        ("out_of_scope", "stop_request"): 1,
    }
    assert [each.confidence for each in found.mistakes] == [0.8, 0.7, 0.7, 0.0]
    assert found.mistakes[0] == Mistake(example("yes but stop", "stop_request", "affirmation"),
                                        "affirmation", 0.8)  # fmt: skip
    assert found.mistakes[0].meant == "stop_request"


def test_each_intent_is_counted(found: Evaluation) -> None:
    assert found.by_intent == {
        "busy": (2, 1, 0),
        "human_request": (1, 0, 0),
        "stop_request": (3, 2, 0),
    }
    more = judged({**SAID, example("hello", "greeting"): answer(("busy", 0.9))})
    assert more.by_intent["busy"] == (2, 1, 1)


def test_nothing_to_judge_by() -> None:
    found = judged({})
    assert (found.first, found.outside, found.also, found.false_alarms) == (0, None, None, 0)
    assert found.guarded_recall == 1
    assert list(details(found)) == []
    only = judged({example("what a day"): answer(outside=True)})
    assert (only.inside, only.outside, only.mistakes) == (0, 1.0, ())


def test_figures_can_be_written(found: Evaluation) -> None:
    told = json.loads(json.dumps(found.as_json()))
    assert told["accuracy"] == 0.5
    assert told["accuracy_accepted"] == 0.3333
    assert told["out_of_scope_recall"] == 0.5
    assert told["guarded"]["stop_request"] == {"said": 3, "recall": 0.6667, "false_alarms": 0.2}
    assert told["by_intent"]["busy"] == {"examples": 2, "right": 1, "false": 0}
    assert "stop it" not in json.dumps(told)
    bare = judged({}).as_json()
    assert bare["out_of_scope_recall"] is None


def test_the_report_says_what_to_look_at(found: Evaluation) -> None:
    assert figures("all", found) == (
        "all: 50.00% of 6 right, 33.33% right and accepted, 50.0% of 2 out of scope refused, "
        f"100.0% of what is said besides found, calibration error {found.calibration:.3f}"
    )
    lines = list(guarded(found))
    assert lines[0] == ("Guarded intents: 50.00% heard, false alarms in 25.00% of utterances")
    assert "  stop_request: 66.7% of 3, 1 false alarms" in lines
    assert "    missed: enough" in lines
    assert "    false:  stop the world  (out_of_scope)" in lines
    assert not any("emergency" in line for line in lines)
    lines = list(details(found))
    assert "  busy -> nothing: 1" in lines
    assert "  human_request: 0 of 1 right, 0 taken for it" in lines
    assert "  0.80 affirmation for stop_request: yes but stop" in lines
    assert lines.index("  0.80 affirmation for stop_request: yes but stop") < lines.index(
        "  0.00 nothing for busy: nonsense to it"
    )


def test_figures_are_given_by_language() -> None:
    said = {
        example("stop", "stop_request"): answer(("stop_request", 0.9)),
        example("basta", "stop_request", language="es"): answer(("angry", 0.9)),
    }
    found = in_parts(list(said), said.__getitem__)
    assert {name: each.first for name, each in found.items()} == {"all": 0.5, "en": 1, "es": 0}
    assert set(in_parts(list(said)[:1], said.__getitem__)) == {"all"}


def stops(heard: int, of: int = 10, *, alarms: int = 0) -> Evaluation:
    said = {
        example(f"stop {n}", "stop_request"): answer(("stop_request", 0.9 if n < heard else 0.3))
        for n in range(of)
    }
    said |= {
        example(f"busy {n}", "busy"): answer(("busy", 0.9), ("goodbye", 0.9 if n < alarms else 0))
        for n in range(10)
    }
    return judged(said)


def test_a_model_that_misses_more_is_refused() -> None:
    verdict = compare(stops(8), stops(9))
    assert not verdict.accepted
    assert verdict.worse == ("stop_request: missed 2 of 10, before 1; now for instance: 'stop 8'",)


@pytest.mark.parametrize("heard", [9, 10])
def test_a_model_that_is_as_good_or_better_is_accepted(heard: int) -> None:
    assert compare(stops(heard), stops(9)).accepted


def test_better_on_one_guarded_intent_does_not_pay_for_another() -> None:
    def both(stop: int, human: int) -> Evaluation:
        return judged(
            {
                example(f"{name} {n}", name): answer((name, 0.9 if n < heard else 0.3))
                for name, heard in (("stop_request", stop), ("human_request", human))
                for n in range(10)
            }
        )

    verdict = compare(both(10, 8), both(5, 9))
    assert [each.partition(":")[0] for each in verdict.worse] == ["human_request"]


def test_a_few_examples_say_nothing() -> None:
    assert compare(stops(3, of=4), stops(4, of=4)).accepted
    assert not compare(stops(4, of=5), stops(5, of=5)).accepted


def test_a_model_with_more_false_alarms_is_refused() -> None:
    verdict = compare(stops(10, alarms=3), stops(9, alarms=2))
    assert verdict.worse == ("false alarms of guarded intents: 3, before 2",)
    assert compare(stops(10, alarms=2), stops(9, alarms=2)).accepted

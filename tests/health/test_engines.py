from prometheus_client import CollectorRegistry

from appliance.health.engines import Engines


def test_three_failures_in_a_row_are_a_broken_engine_for_a_minute() -> None:
    now_s = 0.0
    engines = Engines(CollectorRegistry(), lambda: now_s)
    engines.failed("stt")
    engines.failed("stt")
    engines.failed("tts")
    assert engines.broken == ""
    engines.failed("stt")
    assert engines.broken == "the recognizer fails"
    now_s = 61.0  # the next call shows whether it still is
    assert engines.broken == ""


def test_one_that_worked_in_between_is_not_broken() -> None:
    engines = Engines(CollectorRegistry(), lambda: 0.0)
    for _ in range(5):
        engines.failed("nlu")
        engines.failed("nlu")
        engines.worked("nlu")
    assert engines.broken == ""


def test_every_failure_is_counted_and_none_makes_a_new_series() -> None:
    registry = CollectorRegistry()
    engines = Engines(registry)
    for stage in ("stt", "tts", "tts", "something new"):
        engines.failed(stage)
    counted = {
        stage: registry.get_sample_value("appliance_failures_total", {"stage": stage})
        for stage in ("stt", "nlu", "tts", "call", "something new")
    }
    assert counted == {"stt": 1, "nlu": 0, "tts": 2, "call": 1, "something new": None}

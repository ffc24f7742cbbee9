from prometheus_client import CollectorRegistry, Counter

from appliance.health.labels import Bounded


def test_past_the_limit_all_is_other() -> None:
    registry = CollectorRegistry()
    counter = Bounded(Counter("x", "x", ["flow", "outcome"], registry=registry), 3)
    for number in range(10):
        counter.of("flow", str(number)).inc()
    counter.of("flow", "1").inc()
    labels = [each.labels for family in registry.collect() for each in family.samples]
    series = {(each["flow"], each["outcome"]) for each in labels}
    assert series == {("flow", "0"), ("flow", "1"), ("flow", "2"), ("other", "other")}
    assert registry.get_sample_value("x_total", {"flow": "other", "outcome": "other"}) == 7
    assert registry.get_sample_value("x_total", {"flow": "flow", "outcome": "1"}) == 2

from appliance.health.pulse import BEAT_S, Pulse


def test_a_loop_that_stops_is_seen_and_one_that_goes_on_again_too() -> None:
    now_s = 100.0
    pulse = Pulse(lambda: now_s)
    now_s = 200.0
    assert pulse.turns  # it has not begun: models are being loaded
    pulse.beat()
    now_s += 4 * BEAT_S
    assert pulse.turns
    now_s += 10 * BEAT_S
    assert not pulse.turns
    assert pulse.age_s == 14 * BEAT_S
    pulse.beat()
    assert pulse.turns

"""Storms: the same seed is the same storm, and every kind of kill is in a long one."""

from itertools import pairwise

from appliance.testing.storm.schedule import draw_strikes, share


def test_same_seed_is_the_same_storm() -> None:
    assert draw_strikes(50, 7) == draw_strikes(50, 7)
    assert draw_strikes(50, 7) != draw_strikes(50, 8)


def test_a_longer_storm_begins_as_the_shorter() -> None:
    assert draw_strikes(50, 7)[:10] == draw_strikes(10, 7)


def test_all_kinds_are_in_two_hundred() -> None:
    strikes = draw_strikes(200, 1)
    assert [each.number for each in strikes] == list(range(1, 201))
    assert {each.victim for each in strikes} == {"agent", "line", "all"}
    assert {each.moment for each in strikes} == {"any", "deciding", "starting"}


def test_only_an_agent_that_was_killed_is_killed_while_it_starts() -> None:
    strikes = draw_strikes(300, 3)
    for before, each in pairwise(strikes):
        if each.moment == "starting":
            assert before.victim != "line"
            assert each.victim == "agent"
    assert strikes[0].moment != "starting"


def test_kills_are_shared_evenly() -> None:
    assert share(200, 3) == [67, 67, 66]
    assert share(1, 3) == [1, 0, 0]

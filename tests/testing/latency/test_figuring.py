"""A level's figures from calls that are made up."""

from appliance.testing.latency.agent_logs import Logged
from appliance.testing.latency.figuring import Material, figure
from appliance.testing.latency.observed import Frames
from appliance.testing.latency.sitting import join

from .calls import material, report, utterance


def test_by_kind_and_together() -> None:
    calls = [
        report(n, [utterance(5, 300), utterance(9, 500, "zip", pauses=1)]) for n in range(1, 4)
    ]
    found = figure(material(3, calls))
    assert found.all.response_gap_ms.n == 6
    assert found.kinds["yes_no"].response_gap_ms.p50.value == 300
    assert found.kinds["zip"].response_gap_ms.p50.value == 500
    assert found.kinds["zip"].with_pauses == 3
    assert found.kinds["zip"].decision_ms is not None
    assert found.kinds["zip"].decision_ms.p50.value == 8.0
    assert found.flows.keys() == {"made"}
    assert sorted(found.gaps_ms) == [300.0] * 3 + [500.0] * 3


def test_what_is_outside_of_full_load_is_left_out() -> None:
    alone = report(9, [utterance(80, 100)]).model_copy(
        update={"connected_ns": 70 * 10**9, "ended_ns": 90 * 10**9}
    )
    found = figure(material(3, [*(report(n, [utterance(5, 300)]) for n in (1, 2, 3)), alone]))
    assert found.set_aside == 1
    assert found.all.response_gap_ms.worst == 300


def test_an_answer_to_what_was_cut_off_is_no_response_gap() -> None:
    """Whoever answers in the middle of an utterance would be the fastest."""
    said = [utterance(5, 40, cut=True), utterance(9, 500), utterance(13, 500), utterance(17, 500)]
    found = figure(material(1, [report(1, said)]))
    assert found.gaps_ms == [500.0] * 3
    assert (found.all.response_gap_ms.n, found.all.response_gap_ms.p50.value) == (3, 500.0)
    assert (found.all.utterances, found.all.gaps_left_out) == (4, 1)


def test_three_quarters_are_rounded_up() -> None:
    """Of two calls at once both must be up, of three all, of five four."""
    for level, least in ((1, 1), (2, 2), (3, 3), (4, 3), (5, 4), (8, 6)):
        up = [report(n, [utterance(5, 300)]) for n in range(least)]
        assert figure(material(level, up)).set_aside == 0
        assert figure(material(level, up[1:])).set_aside == least - 1


def test_no_frames_have_no_share() -> None:
    refused = report(1, [], "refused").model_copy(update={"frames": Frames()})
    found = figure(material(1, [refused])).frames
    assert (found.missing_pct, found.late_pct, found.own_late_pct) == (None, None, None)


def test_calls_without_a_log_are_counted() -> None:
    level = material(1, [report(1, []), report(2, [])])
    assert level.logs is not None
    assert figure(level).calls.without_log == 0
    assert figure(Material(1, level.reports, {1: level.logs[1]})).calls.without_log == 1
    assert figure(Material(1, level.reports)).calls.without_log is None


def test_cut_offs_of_wire_and_log_count_once() -> None:
    said = [utterance(5, 300, cut=True), utterance(9, 300), utterance(13, 300, pauses=1)]
    level = material(1, [report(1, said)])
    assert level.logs is not None
    logged = Logged(level.logs[1].decisions, frozenset({0, 2}))
    found = figure(Material(1, level.reports, {1: logged}, level.busy))
    assert found.all.false_cut_offs_pct.value == 66.7
    assert found.all.paused_cut_offs_pct.value == 100.0


def test_caller_who_talks_into_a_late_answer_is_not_cut_off() -> None:
    level = material(1, [report(1, [utterance(5, 300, cut=True), utterance(9, 300, cut=True)])])
    logs = {1: Logged(collided=frozenset({0}))}
    found = figure(Material(1, level.reports, logs, level.busy))
    assert found.all.false_cut_offs_pct.value == 50.0


def test_calls_and_frames() -> None:
    done, refused = report(1, [utterance(5, 300)]), report(2, [], "refused")
    found = figure(material(1, [done, refused]))
    assert (found.calls.placed, found.calls.done, found.calls.refused) == (2, 1, 1)
    assert (found.calls.as_expected, found.calls.judged) == (2, 2)
    assert found.frames.missing_pct == 1.0
    assert found.frames.late_pct == 3.333


def test_far_away_there_are_wire_figures_only() -> None:
    found = figure(Material(1, [report(1, [utterance(5, 300)])]))
    assert found.all.response_gap_ms.n == 1
    assert found.all.decision_ms is None
    assert found.parts_ms is None
    assert found.busy is None
    assert found.frames.dropped is None
    assert found.calls.judged is None


def test_flows_one_after_another_are_one_level() -> None:
    first = material(2, [report(n, [utterance(5, 300)]) for n in (1, 2)])
    second = material(2, [report(n, [utterance(5, 500)]) for n in (3, 4)])
    found = figure(join([first, second]))
    assert found.all.response_gap_ms.n == 4
    assert found.busy is not None
    assert found.busy.seconds == 120
    assert found.busy.appliance == 0.6
    assert found.calls_up == 2.0
    assert found.cores_per_call == 0.3

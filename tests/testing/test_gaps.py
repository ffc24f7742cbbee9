from appliance.testing.activity import Span
from appliance.testing.gaps import response_gaps, response_gaps_ms


def test_gap_runs_from_the_end_of_the_question_to_the_start_of_the_answer() -> None:
    assert response_gaps([(0, 10)], [(17, 30)]) == [(10, 17)]


def test_unanswered_question_has_no_gap() -> None:
    assert response_gaps([(0, 10), (20, 30)], [(35, 40)]) == [(30, 35)]
    assert response_gaps([(0, 10)], []) == []


def test_talking_over_somebody_has_no_gap() -> None:
    assert response_gaps([(5, 10)], [(0, 20), (25, 30)]) == []


def test_spans_in_milliseconds() -> None:
    sent = [Span(0, 1_000_000_000)]
    received = [Span(1_600_000_000, 3_000_000_000)]
    assert response_gaps_ms(sent, received) == [600.0]

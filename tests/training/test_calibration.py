import numpy as np
import numpy.typing as npt
import pytest

from appliance.training.calibration import OUTSIDE_SHARE, calibrate, expected_error

Scores = npt.NDArray[np.float32]


def drawn(
    temperature: float, seed: int = 1, count: int = 4000
) -> tuple[Scores, list[tuple[int, ...]]]:
    """Labels that are said with the probability that scores / temperature tell."""
    rng = np.random.default_rng(seed)
    true = rng.normal(-1, 2, (count, 5))
    said = rng.random(true.shape) < 1 / (1 + np.exp(-true))
    labels = [tuple(map(int, np.flatnonzero(row))) for row in said]
    return (true * temperature).astype(np.float32), labels


@pytest.mark.parametrize("temperature", [0.4, 1.0, 2.5])
def test_a_known_temperature_is_found(temperature: float) -> None:
    found = calibrate(*drawn(temperature)).temperature
    assert found == pytest.approx(temperature, rel=0.06)


def test_temperature_makes_confidences_frequencies() -> None:
    scores, labels = drawn(3.0)
    said = np.zeros(scores.shape, bool)
    for row, each in enumerate(labels):
        said[row, list(each)] = True

    def error(temperature: float) -> float:
        sure = (1 / (1 + np.exp(-scores / temperature))).astype(np.float32)
        return expected_error(sure.ravel(), said.ravel())

    assert error(1.0) > 0.1
    assert error(calibrate(scores, labels).temperature) < 0.02


def test_the_threshold_parts_what_can_be_parted() -> None:
    inside = [[9, 0], [0, 8], [7, 0], [0, 6]]
    scores = np.array([*inside, [1, 0], [0, 2], [-3, -4]], np.float32)
    found = calibrate(scores, [(0,), (1,), (0,), (1,), (), (), ()])
    energies = np.log(np.exp(scores).sum(1))
    assert energies[4:].max() < found.threshold < energies[:4].min()
    assert found.threshold == pytest.approx((energies[5] + energies[3]) / 2, rel=1e-5)


def test_the_threshold_gives_up_few_that_are_right_for_many_outside() -> None:
    """By its weight: 20 % of what is heard is outside, however many examples there are of it."""
    rng = np.random.default_rng(1)
    inside, outside = rng.normal(6, 1.5, (900, 1)), rng.normal(2, 1.5, (100, 1))
    scores = np.vstack([inside, outside]).astype(np.float32)
    labels: list[tuple[int, ...]] = [(0,)] * 900 + [()] * 100
    threshold = calibrate(scores, labels).threshold

    def gain(at: float) -> float:
        kept, refused = (inside > at).mean(), (outside <= at).mean()
        return float((1 - OUTSIDE_SHARE) * kept + OUTSIDE_SHARE * refused)

    best = max(gain(at) for at in np.linspace(-3, 10, 400))
    assert gain(threshold) == pytest.approx(best, abs=0.002)
    assert gain(threshold) > gain(-10) + 0.05


def test_nothing_is_refused_where_that_costs_more() -> None:
    scores = np.array([[1, 0], [2, 0], [3, 0], [9, 0]], np.float32)
    found = calibrate(scores, [(0,), (0,), (0,), ()])
    assert found.threshold <= np.log(np.exp(scores).sum(1)).min()


def test_those_that_are_wrong_anyway_are_given_up_for_nothing() -> None:
    scores = np.array([[1, 0], [2, 0], [9, 0], [8, 0]], np.float32)
    found = calibrate(scores, [(1,), (), (0,), (0,)])  # the first is mistaken
    assert 2.1 < found.threshold < 8


def test_all_outside_are_refused_if_nothing_speaks_against_it() -> None:
    scores = np.array([[1, 0], [9, 0]], np.float32)
    found = calibrate(scores, [(1,), ()])
    assert found.threshold > 9


def test_without_examples_outside_one_of_a_hundred_is_refused() -> None:
    rng = np.random.default_rng(1)
    scores = rng.normal(5, 2, (1000, 3)).astype(np.float32)
    found = calibrate(scores, [(0,)] * 1000)
    energies = np.log(np.exp(scores).sum(1))
    assert (energies < found.threshold).mean() == pytest.approx(0.01, abs=0.002)


def test_with_nothing_but_examples_outside() -> None:
    """A part of a few lines can be so; it must not end in a number that is none."""
    scores = np.array([[1, 0], [2, 0]], np.float32)
    found = calibrate(scores, [(), ()])
    assert np.isfinite(found.temperature)
    assert np.isfinite(found.threshold)


def test_expected_error_by_hand() -> None:
    right = np.array([True, False, True, True])
    sure = np.array([0.9, 0.9, 0.6, 0.6], np.float32)
    # half of all: 0.9 against 1/2; the other half: 0.6 against 1
    assert expected_error(sure, right) == pytest.approx(0.5 * 0.4 + 0.5 * 0.4, abs=1e-6)
    assert expected_error(np.array([1.0], np.float32), np.array([True])) == 0
    assert expected_error(np.array([1.0], np.float32), np.array([False])) == 1
    assert expected_error(np.array([0.0], np.float32), np.array([False])) == 0

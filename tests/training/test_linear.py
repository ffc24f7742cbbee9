import numpy as np
import numpy.typing as npt
import pytest

from appliance.training.linear import fit_linear

Vectors = npt.NDArray[np.float32]
WIDTH = 384


def clusters(seed: int, count: int, spread: float) -> tuple[Vectors, list[tuple[int, ...]]]:
    """Points around three centers, in turn."""
    centers = np.random.default_rng(0).normal(0, 1, (3, WIDTH))
    rng = np.random.default_rng(seed)
    labels: list[tuple[int, ...]] = [(n % 3,) for n in range(count)]
    points = np.stack([centers[each[0]] for each in labels])
    return (points + rng.normal(0, spread, points.shape)).astype(np.float32), labels


def scores(vectors: Vectors, fitted: tuple[Vectors, Vectors]) -> Vectors:
    weight, bias = fitted
    found: Vectors = vectors @ weight.T + bias
    return found


@pytest.mark.parametrize("spread", [0.01, 1.0, 3.0])
def test_what_can_be_parted_is_parted(spread: float) -> None:
    fitted = fit_linear(*clusters(1, 300, spread), 3)
    assert [each.shape for each in fitted] == [(3, WIDTH), (3,)]
    assert all(each.dtype == np.float32 for each in fitted)
    vectors, labels = clusters(2, 300, spread)
    assert (scores(vectors, fitted).argmax(1) == [each[0] for each in labels]).mean() > 0.99


@pytest.mark.parametrize(("scale", "shift"), [(1.0, 0.0), (0.01, 5.0), (100.0, -3.0)])
def test_scale_and_place_of_the_vectors_do_not_matter(scale: float, shift: float) -> None:
    vectors, labels = clusters(1, 90, 1.0)
    plain = scores(vectors, fit_linear(vectors, labels, 3))
    moved = (vectors * scale + shift).astype(np.float32)
    assert scores(moved, fit_linear(moved, labels, 3)) == pytest.approx(plain, abs=0.1)


def test_two_labels_can_both_be_said_and_none() -> None:
    """Each score is above nothing exactly where its label is said."""
    rng = np.random.default_rng(1)
    axes = rng.normal(0, 1, (3, WIDTH))
    said = rng.integers(0, 2, (600, 3)).astype(bool)
    vectors = (said @ axes + rng.normal(0, 0.5, (600, WIDTH))).astype(np.float32)
    labels = [tuple(map(int, np.flatnonzero(row))) for row in said]
    assert () in labels
    assert (0, 1, 2) in labels
    found = scores(vectors[400:], fit_linear(vectors[:400], labels[:400], 3)) > 0
    assert (found == said[400:]).mean() > 0.98


def test_the_same_twice() -> None:
    vectors, labels = clusters(1, 60, 1.0)
    one, other = fit_linear(vectors, labels, 3), fit_linear(vectors, labels, 3)
    assert all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


def test_vectors_that_tell_nothing() -> None:
    """All alike: the scores are those of the labels' shares, and finite."""
    vectors = np.ones((30, WIDTH), np.float32)
    labels: list[tuple[int, ...]] = [(0,)] * 20 + [(1,)] * 10
    found = scores(vectors, fit_linear(vectors, labels, 2))
    assert np.isfinite(found).all()
    assert (found[:, 0] > found[:, 1]).all()

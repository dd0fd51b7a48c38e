"""Axis rules and balls: clean concepts, flipped labels."""

import numpy as np
import pytest

from tests.truth import AxisRules, Balls, BoxClassifier


@pytest.mark.parametrize("kind", ["conjunction", "disjunction"])
@pytest.mark.parametrize("label_noise", [0.0, 0.1, 0.5])
def test_axis_rules_rate_of_positives(kind, label_noise):
    problem = AxisRules(
        thresholds=(0.2, 0.6), directions=(1, -1), kind=kind, label_noise=label_noise
    )
    holds = 0.8, 0.6
    clean = holds[0] * holds[1] if kind == "conjunction" else 1 - (1 - holds[0]) * (1 - holds[1])
    expected = clean * (1 - label_noise) + (1 - clean) * label_noise
    assert problem.positive_rate == pytest.approx(expected, abs=1e-14)
    assert problem.bayes_error == label_noise


def test_axis_rules_clean_labels_are_the_concept(rng):
    problem = AxisRules(thresholds=(0.4, 0.5, 0.1), label_noise=0.0, n_irrelevant=2)
    X, y = problem.sample(500, rng)
    expected = np.where((X[:, 0] > 0.4) & (X[:, 1] > 0.5) & (X[:, 2] > 0.1), 1, -1)
    np.testing.assert_array_equal(y, expected)
    assert X.min() >= 0.0
    assert X.max() < 1.0


def test_axis_rules_exact_risk_of_another_box():
    """Concept x0 > 0.5; rule x0 > 0.5 and x1 > 0.25 misses one eighth."""
    problem = AxisRules(thresholds=(0.5,), label_noise=0.2, n_irrelevant=1)
    rule = BoxClassifier.from_thresholds(
        2, features=[0, 1], thresholds=[0.5, 0.25], directions=[1, 1]
    )
    assert problem.true_risk(rule).value == pytest.approx(0.2 + 0.6 * 0.125, abs=1e-15)
    assert problem.true_risk(problem.concept).value == pytest.approx(0.2, abs=1e-15)


def test_axis_rules_accept_lists_and_stay_hashable():
    listed = AxisRules(thresholds=[0.3, 0.3], directions=np.array([1, 1]))
    assert listed == AxisRules()
    assert hash(listed) == hash(AxisRules())


def test_balls_clean_labels(rng):
    problem = Balls(centers=((0, 0, 0), (3, 0, 0)), radii=(1, 1.5), label_noise=0.0)
    X, y = problem.sample(2000, rng)
    first = np.linalg.norm(X, axis=1) <= 1
    second = np.linalg.norm(X - [3, 0, 0], axis=1) <= 1.5
    np.testing.assert_array_equal(y == 1, first | second)
    np.testing.assert_allclose(X.std(axis=0), 1.0, atol=0.1)


def test_touching_balls_are_disjoint_and_overlapping_ones_refused():
    Balls(centers=((0.0,), (2.0,)), radii=(1.0, 1.0))
    with pytest.raises(ValueError, match=r"balls 0 and 1 at distance 1.9 with radii 1 and 1"):
        Balls(centers=((0.0,), (1.9,)), radii=(1.0, 1.0))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"thresholds": ()}, r"`thresholds` must be a non-empty sequence"),
        ({"thresholds": (0.5, 1.5)}, r"`thresholds` must be in \[0, 1\], got 1.5"),
        ({"directions": (1,)}, r"`directions` must hold 2 times -1 or \+1, got \(1,\)"),
        ({"directions": (1, 0)}, r"`directions` must hold 2 times"),
        ({"kind": "majority"}, r"`kind` must be one of .* got 'majority'"),
        ({"label_noise": 0.6}, r"`label_noise` must be in \[0, 0.5\], got 0.6"),
        ({"n_irrelevant": -1}, r"`n_irrelevant` must be at least 0, got -1"),
    ],
)
def test_wrong_axis_rules_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        AxisRules(**arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"radii": (1.0,)}, r"`centers` must be points of one dimension, as many as `radii`"),
        ({"centers": ((0.0,), (1.0, 2.0))}, r"`centers` must be points of one dimension"),
        ({"centers": (), "radii": (1.0,)}, r"`centers` must be points of one dimension"),
        ({"radii": (1.0, 0.0)}, r"`radii` must be positive, got 0.0"),
        ({"label_noise": -0.1}, r"`label_noise` must be in \[0, 0.5\], got -0.1"),
    ],
)
def test_wrong_balls_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        Balls(**arguments)

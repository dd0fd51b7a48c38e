"""The stable certificate holds as often as it says, ties and non-unique optima included.

The law has finitely many points, so that the true risk is known exactly and duplicates, ties
and faces of optima are frequent. Beside the risk, the larger probability that a new example
touches the machine at hand is certified by the same number; it leaves less room for luck.
"""

import warnings

import numpy as np
import pytest

from handful.programs import (
    DegenerateMachineWarning,
    LinearProgrammingMachine,
    MinimalComplexityMachine,
)

POINTS = np.array([[i, j] for i in range(4) for j in range(3)], dtype=float)
POSITIVE = np.clip((POINTS[:, 0] - 1.5) * 0.6 + (POINTS[:, 1] - 1.0) * 0.2 + 0.5, 0.03, 0.97)
CLEAN = np.where(POINTS[:, 0] + POINTS[:, 1] > 2.5, 1.0, 0.0)
CASES = {
    "mcm": (MinimalComplexityMachine(C=1.0), POSITIVE, 40),
    "mcm-clean": (MinimalComplexityMachine(C=10.0), CLEAN, 60),
    "lpm": (LinearProgrammingMachine(C=0.5), POSITIVE, 40),
    "lpm-auto": (LinearProgrammingMachine(C="auto"), POSITIVE, 40),
    "mcm-weighted": (MinimalComplexityMachine(C=1.0, class_weight={0: 3.0}), POSITIVE, 40),
    "lpm-weighted": (LinearProgrammingMachine(C=0.5, class_weight={1: 4.0}), POSITIVE, 40),
    "lpm-clean": (LinearProgrammingMachine(C=10.0), CLEAN, 60),
}


def _probabilities(machine, positive):
    """True risk, and true probability that a new example touches the machine at hand."""
    f = machine.decision_function(POINTS)
    risk = np.where(f > 0, 1 - positive, positive).mean()
    touch = 0.0
    for sign, share in ((1.0, positive), (-1.0, 1 - positive)):
        g = sign * f
        touches = g <= 1.0
        if isinstance(machine, MinimalComplexityMachine):
            touches |= g >= machine.h_[0]
        touch += np.mean(touches * share)
    return risk, touch


def _misses(rng, case, n_draws, delta):
    machine, positive, m = CASES[case]
    misses, touch_misses, bounds = 0, 0, []
    certified = {}  # the number depends on the size of the compression set alone
    for _ in range(n_draws):
        index = rng.integers(len(POINTS), size=m)
        y = (rng.random(m) < positive[index]).astype(int)
        if y.min() == y.max():
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DegenerateMachineWarning)
            machine.fit(POINTS[index], y)
        size = len(machine.compression_set_)
        if size not in certified:
            certified[size] = machine.certify(delta=delta).risk
        bound = certified[size]
        risk, touch = _probabilities(machine, positive)
        misses += risk > bound
        touch_misses += touch > bound
        bounds.append(bound)
    return misses / n_draws, touch_misses / n_draws, np.mean(bounds)


@pytest.mark.sample(1)
@pytest.mark.parametrize("case", CASES)
def test_certificates_hold(rng, case):
    missed, touch_missed, _ = _misses(rng, case, 150, delta=0.2)
    assert missed <= touch_missed <= 0.2 + 2.5 * np.sqrt(0.2 * 0.8 / 150)


@pytest.mark.slow
@pytest.mark.parametrize("delta", [0.05, 0.5])
@pytest.mark.parametrize("case", CASES)
def test_certificates_hold_in_two_thousand_draws(rng, case, delta):
    missed, touch_missed, mean = _misses(rng, case, 2000, delta)
    print(f"{case} delta={delta}: risk {missed:.4f}, touch {touch_missed:.4f}, mean {mean:.3f}")
    assert missed <= touch_missed <= delta + 3 * np.sqrt(delta * (1 - delta) / 2000)


def test_the_certificate_is_not_absurdly_loose(rng):
    X = rng.normal(size=(600, 2))
    y = (X[:, 0] + 0.05 * rng.normal(size=600) > 0).astype(int)
    machine = LinearProgrammingMachine(C=100.0).fit(X, y)
    assert machine.certify().risk < 0.15

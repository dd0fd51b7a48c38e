"""Whole fits to coin-flip labels on a small grid of points: all risks are known exactly.

Features are 0, 1, 2 or 3, so that ties and equal rows abound, and labels do not depend on them:
every classifier errs with probability 1 - 1 / n_classes. Whatever is certified below that missed.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from handful import DecisionListMachine, SetCoveringMachine
from handful.bounds import binomial_tail_inverse

DELTA = 0.5
POINTS = np.array(list(itertools.product(range(4), repeat=3)), dtype=float)


@dataclass(frozen=True)
class Procedure:
    """A way to fit and the samples it meets."""

    options: dict[str, Any] = field(default_factory=dict)
    make: Callable[..., Any] = SetCoveringMachine
    n_samples: int = 24
    n_classes: int = 2
    n_draws: int = 60


PROCEDURES = {
    "defaults": Procedure(n_samples=60, n_draws=30),
    "defaults, few examples": Procedure(),
    "stumps and pools": Procedure({"rules": "stumps"}, n_samples=60, n_draws=40),
    "regressions of pools": Procedure({"rules": ["stumps", "linear"]}, n_samples=60, n_draws=30),
    "stumps": Procedure({"rules": "stumps", "candidates": None}),
    "balls": Procedure({"rules": "balls", "candidates": None}),
    "half-spaces": Procedure({"rules": "half-spaces", "candidates": None}),
    "half-spaces of a pool": Procedure({"rules": "half-spaces", "candidates": 20}),
    "two-point": Procedure({"rules": "two-point", "candidates": 12}),
    "kernels": Procedure(
        {"rules": "half-spaces", "kernel": "rbf", "gamma": [0.1, 1.0], "candidates": 15}
    ),
    "mixed": Procedure({"rules": ["stumps", "balls"], "candidates": 20}),
    "stumps by folds": Procedure({"rules": "stumps", "by": "cv"}, n_draws=30),
    "lists": Procedure(make=DecisionListMachine),
    "lists of balls": Procedure({"rules": "balls", "candidates": 15}, DecisionListMachine),
    "families of a pool": Procedure({"candidates": 20}),
    "costs": Procedure({"costs": (1.0, 2.0)}),
    "three classes": Procedure(
        {"rules": "stumps", "candidates": None, "max_rules": 3}, n_samples=30, n_classes=3
    ),
}


def fits(name: str) -> Iterator[Any]:
    """Machines fitted to fresh coin flips."""
    procedure = PROCEDURES[name]
    rng = np.random.default_rng(list(name.encode()))
    for _ in range(procedure.n_draws):
        X = rng.integers(0, 4, (procedure.n_samples, 3)).astype(float)
        y = rng.integers(0, procedure.n_classes, procedure.n_samples)
        yield procedure.make(delta=DELTA, **procedure.options).fit(X, y)


def truth(machine: Any) -> float:
    """The exact risk, or the exact cost."""
    if machine.costs is None:
        return 1.0 - 1.0 / len(machine.classes_)
    share = float(np.mean(machine.predict(POINTS) == machine.classes_[1]))
    return 0.5 * (machine.costs[0] * share + machine.costs[1] * (1.0 - share))


def unpaid(machine: Any) -> float:
    """The smallest certificate if the codes of the candidates were not paid for.

    For several classes that of the machine at hand. No cost is below half the smaller price.
    """
    log_delta = math.log(DELTA)
    if len(machine.classes_) > 2:
        n = machine.n_samples_ - len(machine.held_back_)
        return float(binomial_tail_inverse(machine.n_errors_, n, log_delta))
    candidates = machine.cover_.parts[0].menu.candidates
    n = [machine.n_samples_ - len(c.kept) for c in candidates]
    if machine.costs is None:
        errors = [c.n_errors for c in candidates]
        return float(np.min(binomial_tail_inverse(errors, n, log_delta)))
    both = log_delta - math.log(2.0)
    fp = binomial_tail_inverse([c.n_false_positives for c in candidates], n, both)
    fn = binomial_tail_inverse([c.n_false_negatives for c in candidates], n, both)
    return float(np.min(machine.costs[0] * fp + machine.costs[1] * fn))


def misses(name: str) -> tuple[int, int]:
    """How often the certificate missed, and how often it would have without paying."""
    n_missed = n_unpaid = 0
    for machine in fits(name):
        n_missed += machine.certificate_.risk < truth(machine)
        least = truth(machine) if machine.costs is None else 0.5 * min(machine.costs)
        n_unpaid += unpaid(machine) < least
    return n_missed, n_unpaid


def main() -> None:
    """Print the misses of all procedures."""
    for name, procedure in PROCEDURES.items():
        n_missed, n_unpaid = misses(name)
        print(f"{name:26s} {n_missed:3d} of {procedure.n_draws}, without paying {n_unpaid:3d}")


if __name__ == "__main__":
    main()

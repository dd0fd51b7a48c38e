"""Validity by simulation: whole fits, selection included, on laws whose true risk is known.

Run ``python -m tests.covering.simulation`` for the table of miss rates.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np

from handful import DecisionListMachine, SetCoveringMachine
from handful.bounds import binomial_tail_inverse
from tests.chance import n_allowed
from tests.truth import AxisRules, Balls, Noise, TwoNorm

N_TEST = 20_000


class ThreeNorm:
    """Three classes around the corners of a triangle, with a share of labels drawn at random."""

    corners = np.array([[0.0, 1.2], [-1.0, -0.6], [1.0, -0.6]])

    def __init__(self, label_noise: float = 0.2) -> None:
        self.label_noise = label_noise

    def sample(self, m: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        clean = rng.integers(0, 3, m)
        X = self.corners[clean] + rng.normal(size=(m, 2))
        drawn = rng.integers(0, 3, m)
        return X, np.where(rng.random(m) < self.label_noise, drawn, clean)

    def probabilities(self, X: np.ndarray) -> np.ndarray:
        squares = ((X[:, None] - self.corners[None]) ** 2).sum(axis=2)
        clean = np.exp(-0.5 * squares)
        clean /= clean.sum(axis=1, keepdims=True)
        return (1 - self.label_noise) * clean + self.label_noise / 3


class TwoClass:
    """A problem of `handful.datasets` seen as a law over classes -1 and +1."""

    def __init__(self, problem: Any, grid: int | None = None) -> None:
        self.problem, self.grid = problem, grid

    def sample(self, m: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        return self.problem.sample(m, rng)

    def probabilities(self, X: np.ndarray) -> np.ndarray:
        positive = self.problem.posterior(X)
        return np.column_stack([1 - positive, positive])


class Grid:
    """Integer features, so that ties, duplicates and contradictory labels abound."""

    def sample(self, m: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        X = rng.integers(0, 4, (m, 3)).astype(float)
        return X, np.where(rng.random(m) < self.probabilities(X)[:, 1], 1, -1)

    def probabilities(self, X: np.ndarray) -> np.ndarray:
        positive = np.where(X[:, 0] + X[:, 1] > 3, 0.8, 0.25)
        return np.column_stack([1 - positive, positive])


LAWS = {
    "axis rules": TwoClass(AxisRules(label_noise=0.15, n_irrelevant=3)),
    "two-norm": TwoClass(TwoNorm(n_features=3)),
    "balls": TwoClass(Balls(label_noise=0.15)),
    "noise": TwoClass(Noise(n_features=4)),
    "grid": Grid(),
    "three classes": ThreeNorm(),
}


@lru_cache(maxsize=8)
def test_points(law: str) -> tuple[np.ndarray, np.ndarray]:
    """Points and the probability of each class there."""
    X, _ = LAWS[law].sample(N_TEST, np.random.default_rng(12345))
    return X, LAWS[law].probabilities(X)


def true_risk(law: str, machine: Any) -> tuple[float, float]:
    """P(error) of a fitted machine and its standard error."""
    X, probabilities = test_points(law)
    codes = np.searchsorted(machine.classes_, machine.predict(X))
    loss = 1.0 - probabilities[np.arange(len(X)), codes]
    return float(loss.mean()), float(loss.std() / math.sqrt(len(X)))


def true_cost(law: str, machine: Any) -> tuple[float, float]:
    """Expected cost of a fitted machine and its standard error."""
    X, probabilities = test_points(law)
    c_fp, c_fn = machine.costs
    is_positive = machine.predict(X) == machine.classes_[1]
    loss = np.where(is_positive, c_fp * probabilities[:, 0], c_fn * probabilities[:, 1])
    return float(loss.mean()), float(loss.std() / math.sqrt(len(X)))


def naive_risk(machine: Any) -> float:
    """The certificate without its code: what a claim that ignores selection would be."""
    n = machine.n_samples_ - len(machine.held_back_)
    return float(binomial_tail_inverse(machine.n_errors_, n, math.log(machine.delta)))


@dataclass(frozen=True)
class Procedure:
    """A way to fit, the laws and sizes it meets, and what its certificate is about."""

    make: Callable[..., Any] = SetCoveringMachine
    options: dict[str, Any] = field(default_factory=dict)
    laws: tuple[str, ...] = ("axis rules", "two-norm", "balls", "noise", "grid")
    sizes: tuple[int, ...] = (60, 100, 160)
    truth: Callable[[str, Any], tuple[float, float]] = true_risk


PROCEDURES = {
    "defaults": Procedure(),
    "stumps": Procedure(options={"rules": "stumps"}),
    "balls, all examples": Procedure(options={"rules": "balls", "candidates": None}),
    "half-spaces, all examples": Procedure(
        options={"rules": "half-spaces", "candidates": None}, sizes=(40, 60)
    ),
    "auto, all examples": Procedure(options={"candidates": None}, sizes=(30, 50)),
    "auto, pool of 30": Procedure(options={"candidates": 30}),
    "two-point, pool of 20": Procedure(options={"rules": "two-point", "candidates": 20}),
    "mixed": Procedure(options={"rules": ["stumps", "balls"], "candidates": 20}),
    "small samples": Procedure(sizes=(12, 25, 40)),
    "rbf grid": Procedure(
        options={"rules": "half-spaces", "kernel": "rbf", "gamma": [0.1, 1.0], "candidates": 20},
        sizes=(60,),
    ),
    "by folds": Procedure(options={"by": "cv"}, sizes=(60,)),
    "fixed size": Procedure(options={"max_rules": 3, "penalty": 1.0, "kind": "disjunction"}),
    "lists": Procedure(make=DecisionListMachine),
    "lists of balls": Procedure(
        make=DecisionListMachine, options={"rules": "balls", "candidates": 15}
    ),
    "costs": Procedure(options={"costs": (1.0, 4.0)}, truth=true_cost),
    "three classes": Procedure(laws=("three classes",)),
    "three classes, stumps": Procedure(
        options={"rules": "stumps", "candidates": None}, laws=("three classes",)
    ),
}


@dataclass(frozen=True)
class Outcome:
    """What a run found."""

    n_draws: int
    n_missed: int
    n_naive_missed: int
    certified: float
    true: float


def run(name: str, n_draws: int, delta: float, seed: int = 0) -> Outcome:
    """Fit ``n_draws`` times; a miss is a risk above the certificate beyond doubt (3 errors)."""
    procedure = PROCEDURES[name]
    certified, true, missed, naive = [], [], 0, 0
    for draw in range(n_draws):
        rng = np.random.default_rng([seed, draw])
        law = procedure.laws[draw % len(procedure.laws)]
        m = procedure.sizes[(draw // len(procedure.laws)) % len(procedure.sizes)]
        X, y = LAWS[law].sample(m, rng)
        if len(np.unique(y)) < 2:
            continue
        machine = procedure.make(delta=delta, random_state=draw, **procedure.options).fit(X, y)
        risk, error = procedure.truth(law, machine)
        certified.append(machine.certificate_.risk)
        true.append(risk)
        missed += risk - 3 * error > certified[-1]
        naive += risk - 3 * error > naive_risk(machine)
    return Outcome(n_draws, missed, naive, float(np.mean(certified)), float(np.mean(true)))


def main() -> None:
    """Print the miss rates of all procedures."""
    import sys

    n_draws = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    for name in sys.argv[2:] or PROCEDURES:
        for delta in (0.05, 0.5):
            o = run(name, n_draws, delta)
            print(
                f"{name:26s} delta {delta:4.2f}: missed {o.n_missed:3d} of {o.n_draws} "
                f"(allowed {n_allowed(n_draws, delta)}), without the code {o.n_naive_missed:3d}; "
                f"certified {o.certified:.3f}, true {o.true:.3f}",
                flush=True,
            )


if __name__ == "__main__":
    main()

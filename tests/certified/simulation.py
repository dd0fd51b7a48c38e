"""Menus on tables whose true risks are known, and an adversary who picks the worst miss.

Cells of a small grid with known frequencies and known label probabilities: the risk of any
classifier is a sum over cells. ``python -m tests.certified.simulation`` prints miss counts.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass

import numpy as np
from scipy.stats import binom

from handful import CertifiedClassifier
from handful.bounds import binomial_tail_inverse

FORMS = ["constant", "one rule", "rule list", "linear"]


@dataclass(frozen=True)
class Law:
    """Frequencies of cells, and the probability of the second class in each."""

    cells: np.ndarray
    frequency: np.ndarray
    p: np.ndarray

    def draw(self, rng, n):
        rows = rng.choice(len(self.cells), size=n, p=self.frequency)
        return self.cells[rows], (rng.random(n) < self.p[rows]).astype(int)

    def risk(self, labels):
        """Of a classifier that gives these labels to the cells."""
        return float(np.sum(self.frequency * np.where(labels == 1, 1.0 - self.p, self.p)))


def law(kind, side=3):
    """Noise, a noisy rule, or one cell that holds most rows."""
    cells = np.array([(a, b) for a in range(side) for b in range(side)], dtype=float)
    frequency = np.full(len(cells), 1.0 / len(cells))
    if kind == "noise":
        p = np.full(len(cells), 0.5)
    elif kind == "rule":
        p = np.where(cells[:, 0] + cells[:, 1] > side - 1, 0.8, 0.25)
    elif kind == "ties":
        frequency = np.where(np.arange(len(cells)) == 4, 0.6, 0.4 / (len(cells) - 1))
        p = np.where(cells[:, 0] > 0, 0.6, 0.3)
    else:
        raise ValueError(kind)
    return Law(cells, frequency, p)


DELTAS = (0.05, 0.5)


@dataclass(frozen=True)
class Misses:
    """For each delta (row) and draw: does any row of the menu claim too little; the favourite?

    ``unpaid``: would any row, if none paid for its rank?
    """

    any_row: np.ndarray
    first: np.ndarray
    unpaid: np.ndarray


def misses(rng, kind, sizes, n_draws, forms=FORMS, **options):
    """Menus of single rows; one fit serves all of ``DELTAS``, as counts do not depend on delta."""
    problem = law(kind)
    found = Misses(*np.zeros((3, len(DELTAS), n_draws), dtype=bool))
    log_deltas = np.log(DELTAS)
    for i in range(n_draws):
        X, y = problem.draw(rng, int(rng.choice(np.atleast_1d(sizes))))
        if len(np.unique(y)) < 2:
            continue  # refused: nothing is claimed
        machine = CertifiedClassifier(forms, **options).fit(X, y)
        for candidate in machine.candidates_:
            truth = problem.risk(machine.classes_[candidate.fitted.labels(problem.cells)])
            k, n = candidate.counts.n_errors, candidate.counts.n_counted
            paid = truth > binomial_tail_inverse(k, n, log_deltas - candidate.nats)
            found.any_row[:, i] |= paid
            found.first[:, i] |= paid & (candidate.rank == 1)
            found.unpaid[:, i] |= truth > binomial_tail_inverse(k, n, log_deltas)
    return found


def copy_misses(rng, kind, n_groups, size, delta, n_draws, is_one_label, **options):
    """Groups of equal rows, whose labels are one for all or drawn apart: a miss of any row?"""
    problem = law(kind)
    found = np.zeros(n_draws, dtype=bool)
    groups = np.repeat(np.arange(n_groups), size)
    for i in range(n_draws):
        X, y = problem.draw(rng, n_groups)
        X, y = X[groups], y[groups]
        if not is_one_label:
            cell = (X[:, None, :] == problem.cells).all(axis=2).argmax(axis=1)
            y = (rng.random(len(groups)) < problem.p[cell]).astype(int)
        if len(np.unique(y)) < 2:
            continue
        machine = CertifiedClassifier(FORMS, delta=delta, **options).fit(X, y, groups=groups)
        truths = np.array(
            [
                problem.risk(machine.classes_[candidate.fitted.labels(problem.cells)])
                for candidate in machine.candidates_
            ]
        )
        found[i] = bool((truths > machine.menu_risks_).any())
    return found


def group_misses(rng, n_groups, size, delta, n_draws, coin=1.0, **options):
    """Groups of equal size; a share ``coin`` of them has one fair label for all rows.

    Labels are fair coins whatever the features, so that every classifier has risk 0.5.
    """
    any_row = np.zeros(n_draws, dtype=bool)
    values = []
    for i in range(n_draws):
        groups = np.repeat(np.arange(n_groups), size)
        center = rng.normal(size=(n_groups, 2))
        X = np.round(center[groups] + 0.1 * rng.normal(size=(len(groups), 2)), 1)
        one = rng.random(n_groups) < 0.5
        alone = rng.random(len(groups)) < 0.5
        is_whole = rng.random(n_groups) < coin
        y = np.where(is_whole[groups], one[groups], alone).astype(int)
        machine = CertifiedClassifier(FORMS, delta=delta, **options).fit(X, y, groups=groups)
        any_row[i] = bool((machine.menu_risks_ < 0.5).any())
        values.append(float(machine.menu_risks_.min()))
    return any_row, np.array(values)


def n_allowed(n_draws, delta):
    """Misses that a valid menu exceeds with probability 0.001 at most."""
    return int(binom.ppf(0.999, n_draws, delta))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=2000)
    args = parser.parse_args()
    rng = np.random.default_rng(1)
    sizes = (20, 60, 150, 400)
    for kind in ("noise", "rule", "ties"):
        found = misses(rng, kind, sizes, args.draws)
        for row, delta in enumerate(DELTAS):
            line = f"{kind:6s} n {sizes} delta {delta}: missed {found.any_row[row].sum()}"
            more = f"favourite {found.first[row].sum()}, unpaid {found.unpaid[row].sum()}"
            print(f"{line} of {args.draws} ({more})", flush=True)
    for delta in DELTAS:
        for coin, n_groups, size in ((1.0, 40, 10), (0.5, 30, 4), (1.0, 60, 1)):
            found, values = group_misses(rng, n_groups, size, delta, args.draws, coin)
            line = f"groups {n_groups} x {size}, coin {coin}, delta {delta}: missed {found.sum()}"
            print(f"{line} of {args.draws}; mean smallest {values.mean():.3f}", flush=True)
        for is_one in (True, False):
            found = copy_misses(rng, "rule", 50, 4, delta, args.draws, is_one)
            line = f"groups of equal rows, one label {is_one}, delta {delta}: missed {found.sum()}"
            print(f"{line} of {args.draws}", flush=True)


if __name__ == "__main__":
    main()

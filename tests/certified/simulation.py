"""Menus on tables whose true risks are known, and an adversary who picks the worst miss.

Cells of a small grid with known frequencies and known label probabilities: the risk of any
classifier is a sum over cells. ``python -m tests.certified.simulation`` prints miss counts.
"""

from __future__ import annotations

import argparse
import sys
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


def misses(rng, kind, n, delta, n_draws, **options):
    """For each draw: does any row of the menu claim too little; does the favourite?

    The third array: would any row, if none paid for its rank?
    """
    problem = law(kind)
    any_row, first, unpaid = np.zeros((3, n_draws), dtype=bool)
    for i in range(n_draws):
        X, y = problem.draw(rng, n)
        if len(np.unique(y)) < 2:
            continue  # refused: nothing is claimed
        machine = CertifiedClassifier(FORMS, delta=delta, **options).fit(X, y)
        for row, candidate in enumerate(machine.candidates_):
            guess = machine.classes_[candidate.fitted.labels(problem.cells)]
            is_missed = problem.risk(guess) > machine.menu_risks_[row]
            any_row[i] |= is_missed
            first[i] |= is_missed and candidate.rank == 1
            counts = candidate.counts
            free = binomial_tail_inverse(counts.n_errors, counts.n_counted, np.log(delta))
            unpaid[i] |= problem.risk(guess) > free
    return any_row, first, unpaid


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
    parser.add_argument("--draws", type=int, default=500)
    args = parser.parse_args()
    rng = np.random.default_rng(1)
    for delta in (0.05, 0.5):
        for kind in ("noise", "rule", "ties"):
            for n in (20, 60, 400):
                found, first, unpaid = misses(rng, kind, n, delta, args.draws)
                line = f"{kind:6s} n {n:4d} delta {delta}: missed {found.sum()} of {args.draws}"
                print(f"{line} (favourite {first.sum()}, unpaid {unpaid.sum()})")
                sys.stdout.flush()
        for coin, n_groups, size in ((1.0, 40, 10), (0.5, 30, 5), (0.0, 40, 10), (1.0, 60, 1)):
            found, values = group_misses(rng, n_groups, size, delta, args.draws // 2, coin)
            line = f"groups {n_groups} x {size}, coin {coin}, delta {delta}: missed {found.sum()}"
            print(f"{line} of {args.draws // 2}; mean smallest certificate {values.mean():.3f}")
            sys.stdout.flush()


if __name__ == "__main__":
    main()

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
from handful.bounds import betting_bound, binomial_tail_inverse

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

    ``named``: the favourite that was named beforehand? ``unpaid``: would any row, if none paid for
    its role? ``n``: rows of the draw.
    """

    any_row: np.ndarray
    first: np.ndarray
    named: np.ndarray
    unpaid: np.ndarray
    n: np.ndarray


def misses(rng, kind, sizes, n_draws, forms=FORMS, **options):
    """Menus of single rows; one fit serves all of ``DELTAS``, as counts do not depend on delta."""
    problem = law(kind)
    empty = np.zeros((4, len(DELTAS), n_draws), dtype=bool)
    found = Misses(*empty, n=np.zeros(n_draws, dtype=int))
    log_deltas = np.log(DELTAS)
    for i in range(n_draws):
        found.n[i] = rng.choice(np.atleast_1d(sizes))
        X, y = problem.draw(rng, int(found.n[i]))
        if len(np.unique(y)) < 2:
            continue  # refused: nothing is claimed
        machine = CertifiedClassifier(forms, **options).fit(X, y)
        for candidate in machine.candidates_:
            truth = problem.risk(machine.classes_[candidate.fitted.labels(problem.cells)])
            k, n = candidate.counts.n_errors, candidate.counts.n_counted
            paid = truth > binomial_tail_inverse(k, n, log_deltas - candidate.nats)
            found.any_row[:, i] |= paid
            found.first[:, i] |= paid & (candidate.rank == 1)
            found.named[:, i] |= paid & (("named", candidate.rank) in candidate.roles.ranks)
            found.unpaid[:, i] |= truth > binomial_tail_inverse(k, n, log_deltas)
    return found


def unpaid_risk(counts, delta):
    """The certificate of a candidate of groups that did not pay for its rank."""
    groups = counts.groups
    if groups is None or groups.how == "one row":
        return binomial_tail_inverse(counts.n_errors, counts.n_counted, np.log(delta))
    return betting_bound(groups.losses.tolist(), warm_up=groups.warm_up.tolist(), delta=delta).risk


def menu_misses(machine, truths, delta):
    """Does any row claim too little; the favourite; any that did not pay?"""
    risks = machine.menu_risks_
    is_first = np.array([candidate.rank == 1 for candidate in machine.candidates_])
    unpaid = np.array([unpaid_risk(c.counts, delta) for c in machine.candidates_])
    return (truths > risks).any(), (truths > risks)[is_first].any(), (truths > unpaid).any()


def copy_misses(rng, kind, n_groups, size, delta, n_draws, is_one_label, **options):
    """Groups of equal rows, whose labels are one for all or drawn apart.

    Gives for each draw whether any row misses, the favourite, and any that did not pay.
    """
    problem = law(kind)
    found = np.zeros((3, n_draws), dtype=bool)
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
        found[:, i] = menu_misses(machine, truths, delta)
    return found


def coin_groups(rng, n_groups, size, coin):
    """Groups of equal size; a share ``coin`` of them has one fair label for all rows.

    Labels are fair coins whatever the features, so that every classifier has risk 0.5.
    """
    groups = np.repeat(np.arange(n_groups), size)
    center = rng.normal(size=(n_groups, 2))
    X = np.round(center[groups] + 0.1 * rng.normal(size=(len(groups), 2)), 1)
    one = rng.random(n_groups) < 0.5
    alone = rng.random(len(groups)) < 0.5
    is_whole = rng.random(n_groups) < coin
    return X, np.where(is_whole[groups], one[groups], alone).astype(int), groups


def group_misses(rng, n_groups, size, delta, n_draws, coin=1.0, **options):
    """As `copy_misses` for groups of coin flips, and the smallest certificate of each menu."""
    found = np.zeros((3, n_draws), dtype=bool)
    values = []
    for i in range(n_draws):
        X, y, groups = coin_groups(rng, n_groups, size, coin)
        machine = CertifiedClassifier(FORMS, delta=delta, **options).fit(X, y, groups=groups)
        found[:, i] = menu_misses(machine, np.full(len(machine.candidates_), 0.5), delta)
        values.append(float(machine.menu_risks_.min()))
    return found, np.array(values)


def n_allowed(n_draws, delta):
    """Misses that a valid menu exceeds with probability 0.001 at most."""
    return int(binom.ppf(0.999, n_draws, delta))


def _line(what, delta, found):
    n_any, n_first, n_unpaid = (int(np.count_nonzero(kind)) for kind in found)
    n = len(found[0])
    print(f"{what:44s} {delta:5g} {n_any:6d} {n_first:10d} {n_unpaid:8d}  of {n}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=2000)
    args = parser.parse_args()
    rng = np.random.default_rng(1)
    sizes = (20, 60, 150, 400)
    print(f"{'law':44s} {'delta':>5s} {'missed':>6s} {'favourite':>10s} {'unpaid':>8s}")
    for kind in ("noise", "rule", "ties"):
        found = misses(rng, kind, sizes, args.draws)
        for row, delta in enumerate(DELTAS):
            all_three = np.array([found.any_row[row], found.first[row], found.unpaid[row]])
            for n in sizes:
                _line(f"{kind}, {n} rows", delta, all_three[:, found.n == n])
            _line(f"{kind}, {sizes[0]} to {sizes[-1]} rows", delta, all_three)
    for delta in DELTAS:
        for coin, n_groups, size in ((1.0, 40, 10), (0.5, 30, 4), (1.0, 60, 1)):
            found, _ = group_misses(rng, n_groups, size, delta, args.draws, coin)
            _line(f"{n_groups} groups of {size}, {coin:.0%} of one coin flip", delta, found)
        for is_one, said in ((True, "one label"), (False, "labels apart")):
            found = copy_misses(rng, "rule", 50, 4, delta, args.draws, is_one)
            _line(f"50 groups of 4 equal rows, {said}", delta, found)


if __name__ == "__main__":
    main()

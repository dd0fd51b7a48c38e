"""Covering machines on groups of coin flips: every classifier has risk 0.5.

``python -m tests.covering.group_simulation`` prints miss counts.
"""

from __future__ import annotations

import argparse
import math

import numpy as np

from handful import SetCoveringMachine
from handful.bounds import binomial_tail_inverse


def coin_groups(rng, n_groups, size, is_one_label=True):
    """Groups of equal rows on a small grid, with one coin flip for all, or one a row."""
    groups = np.repeat(np.arange(n_groups), size)
    X = rng.integers(0, 6, size=(n_groups, 2)).astype(float)[groups]
    one = rng.integers(0, 2, n_groups)[groups]
    return X, one if is_one_label else rng.integers(0, 2, len(groups)), groups


def misses(rng, n_draws, n_groups, size, delta, is_one_label=True, n_by_row=0, **options):
    """For each draw: does the certificate miss; that which pays no code; that of single rows?

    Single rows are certified in the first ``n_by_row`` draws only.
    """
    found = np.zeros((3, n_draws), dtype=bool)
    for i in range(n_draws):
        X, y, groups = coin_groups(rng, n_groups, size, is_one_label)
        if len(np.unique(y)) < 2:
            continue
        machine = SetCoveringMachine(delta=delta, **options).fit(X, y, groups=groups)
        counts = machine.cover_.groups
        unpaid = binomial_tail_inverse(counts.n_first, len(counts.losses), math.log(delta))
        found[:2, i] = machine.certificate_.risk < 0.5, unpaid < 0.5
        if i < n_by_row:
            by_row = SetCoveringMachine(delta=delta, **options).fit(X, y)
            found[2, i] = by_row.certificate_.risk < 0.5
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=2000)
    args = parser.parse_args()
    rng = np.random.default_rng(1)
    print(
        f"{'groups of equal rows':32s} {'delta':>5s} {'missed':>6s} {'unpaid':>7s}  by single rows"
    )
    for n_groups, size, is_one in ((40, 10, True), (40, 10, False), (70, 1, True)):
        for delta in (0.05, 0.5):
            n = args.draws if is_one and size > 1 else args.draws // 5
            found = misses(rng, n, n_groups, size, delta, is_one, 50, rules="stumps")
            what = f"{n_groups} of {size}, {'one coin flip' if is_one else 'a coin flip a row'}"
            n_missed, n_unpaid, n_by_row = found.sum(axis=1)
            line = f"{what:32s} {delta:5g} {n_missed:6d} {n_unpaid:7d}  of {n}"
            print(f"{line}; {n_by_row} of the first 50", flush=True)


if __name__ == "__main__":
    main()

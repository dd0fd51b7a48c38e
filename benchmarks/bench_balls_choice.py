"""Balls chosen by certificate and by cross-validation: errors and certificates on ten folds.

Claim: chosen by certificate among balls whose metric is learned from a pool, errors are fewer than
those chosen by five folds inside the training part among balls of the columns as they come, with
smaller certificates. The published errors were found by choosing penalty and size on the folds that
are reported.

Each line: errors over the ten folds of paper 000, and the sum of certificate times test size.
Columns as they come. Needs the papers' data.

    OMP_NUM_THREADS=1 python benchmarks/bench_balls_choice.py --data-dir FOLDER [SET ...]
"""

from __future__ import annotations

import sys
import warnings
from itertools import product

import numpy as np

from handful import SetCoveringMachine, load_dataset
from handful.candidates import certified_risks
from handful.covering import cross_validate_path
from handful.papers.scm_2003 import paper_folds

KINDS, PENALTIES, LARGEST = ("conjunction", "disjunction"), (0.7, 1.0, 1.5, 2.8, 5.0), 8
SETS = {"bupa": 107, "glass-2class": 33, "breastw": 15, "pima": 189, "haberman-294": 71,
        "credit": 194}  # fmt: skip


def paths(X, y, kind, cv, penalties=PENALTIES, size=LARGEST):
    return cross_validate_path(
        X, y, rules="balls", kind=kind, penalties=penalties, max_rules=size, cv=cv,
        stop_on_nonpositive=False,
    )  # fmt: skip


def best_setting(X, y, rng):
    """(kind, penalty, size) with the fewest errors over five inner folds; ties to the smaller."""
    fold = rng.permutation(len(y)) % 5
    scores = {kind: paths(X, y, kind, fold) for kind in KINDS}
    return min(
        product(KINDS, PENALTIES, range(1, LARGEST + 1)),
        key=lambda s: (int(scores[s[0]].errors_at(s[1], s[2]).sum()), s[2]),
    )


def by_cross_validation(X, y, rng):
    """The chosen machine, trained on all rows, and its certificate."""
    kind, penalty, size = best_setting(X, y, rng)
    out = np.zeros(len(y) + 1, dtype=int)  # one more row, which alone is left out
    out[:-1] = 1
    found = paths(np.vstack([X, X[:1]]), np.append(y, y[0]), kind, out, (penalty,), size)
    candidate = max(found.candidates[0], key=lambda c: c.n_rules)
    return candidate.build(), float(certified_risks([candidate], 0.05)[0])


def by_certificate(X, y, rng):
    machine = SetCoveringMachine("balls").fit(X, y)
    return machine, machine.certificate_.risk


def run(name, folder):
    data = load_dataset(name, data_dir=folder)
    fold = paper_folds(len(data.y))
    for label, fit in (("certificate", by_certificate), ("cross-validation", by_cross_validation)):
        n_errors, total = 0, 0.0
        for f in range(10):
            train, test = fold != f, fold == f
            machine, risk = fit(data.X[train], data.y[train], np.random.default_rng(f))
            n_errors += int(np.sum(machine.predict(data.X[test]) != data.y[test]))
            total += risk * int(test.sum())
        print(
            f"{name:14s} by {label:17s} errors {n_errors:4d}  certificate {total:6.1f}  "
            f"paper {SETS[name]}",
            flush=True,
        )


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    folder = sys.argv[sys.argv.index("--data-dir") + 1] if "--data-dir" in sys.argv else None
    chosen = [name for name in sys.argv[1:] if name in SETS] or list(SETS)
    for name in chosen:
        run(name, folder)

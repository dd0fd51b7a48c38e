"""LPBoost kept warm against a cold program each round, and against colboost.

Claim: at 5000 x 50 with stumps and nu = 0.5 at least six times faster than the same column
generation with a cold ``scipy.optimize.linprog`` each round; equal values to 1e-7.

Times are processor times of one thread, interleaved in one process. The comparison with colboost
runs where that package is installed (its free solver licence allows a few hundred rows).

    OMP_NUM_THREADS=1 python benchmarks/bench_lpboost.py [--quick]
"""

from __future__ import annotations

import sys
import time

import numpy as np
from scipy.optimize import linprog

from handful.boosting import LPBoost, Restricted, column_generation
from handful.boosting.generation import DualMaster
from handful.boosting.weak_learners import StumpColumns
from handful.programs import LinearProgram


class ColdMaster:
    """The dual written down anew each round: what one would do without warm starts."""

    def __init__(self, y, caps):
        self.y, self.caps, self.rows = y, caps, []

    def start(self):
        return self.caps / self.caps.sum()

    def scores(self, u):
        return u * self.y

    def add(self, column):
        self.rows.append(np.append(self.y * column.values, -1.0))

    def program(self):
        m = self.y.size
        cost = np.append(np.zeros(m), 1.0)
        total = np.append(np.ones(m), 0.0)[None, :]
        lower = np.append(np.zeros(m), -np.inf)
        upper = np.append(self.caps, np.inf)
        return cost, np.array(self.rows), total, lower, upper


class ColdLinprog(ColdMaster):
    def solve(self):
        cost, rows, total, lower, upper = self.program()
        bounds = np.column_stack([lower, upper])
        r = linprog(cost, rows, np.zeros(len(rows)), total, [1.0], bounds, method="highs")
        weights = np.maximum(0.0, -r.ineqlin.marginals)
        return Restricted(r.x[:-1], float(r.x[-1]), weights / weights.sum())


class ColdHighs(ColdMaster):
    def solve(self):
        cost, rows, total, lower, upper = self.program()
        A = np.vstack([total, rows])
        low = np.append(1.0, np.full(len(rows), -np.inf))
        high = np.append(1.0, np.zeros(len(rows)))
        r = LinearProgram(cost, A, low, high, lower, upper, presolve=True).solve()
        weights = np.maximum(0.0, -r.duals[1:])
        return Restricted(r.x[:-1], float(r.x[-1]), weights / weights.sum())


def problem(m, d, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(m, d))
    y = np.where(X[:, :5].sum(axis=1) + rng.normal(size=m) > 0, 1.0, -1.0)
    return X, y


def timed(function):
    start = time.process_time()
    result = function()
    return time.process_time() - start, result


def compare_masters(m, d, nu):
    X, y = problem(m, d)
    family = StumpColumns(X)
    family.best(y / m)  # compile
    caps = np.full(m, 1.0 / (m * nu))
    runs = {}
    for name, master, n_columns in (
        ("handful (warm, 8 columns a round)", DualMaster, 8),
        ("warm, 1 column a round", DualMaster, 1),
        ("cold linprog, 8 columns a round", ColdLinprog, 8),
        ("cold linprog, 1 column a round", ColdLinprog, 1),
        ("cold HiGHS, 8 columns a round", ColdHighs, 8),
        ("cold HiGHS, 1 column a round", ColdHighs, 1),
    ):
        runs[name] = timed(
            lambda master=master, n=n_columns: column_generation(
                family, master(y, caps), tol=1e-6, max_iter=2000, n_columns=n
            )
        )
    ours, result = next(iter(runs.values()))
    value = result.restricted.beta
    print(f"LPBoost {m} x {d}, stumps, nu = {nu}: value {value:.8f}")
    for name, (seconds, other) in runs.items():
        assert abs(other.restricted.beta - value) <= 1e-7, name
        rounds = len(other.history)
        print(f"  {name:35s} {seconds:8.2f} s  {rounds:4d} rounds  ratio {seconds / ours:6.1f}")


def compare_colboost(m=400):
    try:
        from colboost.ensemble import EnsembleClassifier
    except ImportError:
        print("colboost is not installed here: comparison skipped")
        return
    from sklearn.datasets import load_breast_cancer

    X, y = load_breast_cancer(return_X_y=True)
    X, y = X[:m], np.where(y[:m] == 1, 1, -1)
    LPBoost(0.2).fit(X, y)  # compile
    ours, machine = timed(lambda: LPBoost(0.2).fit(X, y))
    # min sum w + C sum xi is the same program with C = cap / beta and value 1 / beta.
    beta = float(machine.beta_[0])
    C = 1.0 / (0.2 * m * beta)
    peer = EnsembleClassifier("lp_boost", max_iter=500, early_stopping=False, tradeoff_hyperparam=C)
    theirs, peer = timed(lambda: peer.fit(X, y))
    value = peer.objective_values_[-1]
    print(f"breast cancer, {m} rows: handful {ours:.3f} s, objective {1 / beta:.6f}")
    print(f"  colboost {theirs:.3f} s, objective {value:.6f}, {peer.n_iter_} rounds")
    print(f"  ratio {theirs / ours:.1f}")
    assert 1.0 / beta <= value + 1e-6, "the peer found a better optimum"


def noisy_margin(nu=0.2, m=768, d=8, quick=False):
    """A problem like Pima: a fifth of the labels wrong, so that the margin is near zero."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(m, d))
    y = np.where(X[:, 0] + 0.5 * X[:, 1] > 0, 1.0, -1.0)
    y = np.where(rng.random(m) < 0.2, -y, y)
    LPBoost(0.6).fit(X, y)  # compile
    ours, machine = timed(lambda: LPBoost(nu).fit(X, y))
    value, gap = float(machine.beta_[0]), float(machine.gap_[0])
    print(f"LPBoost {m} x {d}, a fifth of the labels wrong, nu = {nu}: value {value:.8f}")
    print(f"  handful (from the inside)           {ours:8.2f} s  gap {gap:.1e}")
    rounds = 60 if quick else 400
    caps = np.full(m, 1.0 / (m * nu))
    seconds, vertices = timed(
        lambda: column_generation(
            StumpColumns(X), DualMaster(y, caps), tol=1e-6, max_iter=rounds, n_columns=8
        )
    )
    print(
        f"  vertices of the restricted dual     {seconds:8.2f} s  gap {vertices.gap:.1e} after "
        f"{len(vertices.history)} rounds  ratio {seconds / ours:.1f}"
    )
    auto, machine = timed(lambda: LPBoost().fit(X, y))
    print(f"  handful, nu = 'auto' ({machine.nu_[0]:g})        {auto:8.2f} s")


if __name__ == "__main__":
    quick = "--quick" in sys.argv
    noisy_margin(quick=quick)
    compare_masters(1000 if quick else 5000, 20 if quick else 50, 0.5)
    compare_colboost()

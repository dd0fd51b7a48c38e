"""Cross-validation of whole paths: every penalty and every size from one sweep a fold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs

from handful.arrays import Floats, Ints, Mask
from handful.covering.codes import (
    CoverCandidate,
    candidates_of_paths,
    compression_candidates,
    kernel_of_rows,
    make_table,
)
from handful.models import Condition, SignedRules
from handful.rules import (
    FAMILIES,
    HALF_SPACES,
    Geometry,
    Rows,
    SweepOptions,
    collapse_rows,
    exact_half_space_paths,
)

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class PathScores:
    """Candidates of every fold with their errors on the fold's test part.

    Attributes
    ----------
    candidates : list of list of CoverCandidate
        For each fold, all prefixes of all paths.
    test_errors : list of int arrays
        Errors of each candidate on the test part.
    n_test : list of int
    """

    candidates: list[list[CoverCandidate]]
    test_errors: list[Ints]
    n_test: list[int]

    def frame(self) -> pd.DataFrame:
        """One row a fold, penalty and size."""
        import pandas as pd

        rows = [
            {
                "fold": fold,
                "penalty": c.penalty,
                "n_rules": c.n_rules,
                "n_errors": int(errors),
                "n_test": self.n_test[fold],
                "n_training_errors": c.counts.n_errors_all,
                "n_compressed": len(c.kept),
            }
            for fold, (candidates, test) in enumerate(
                zip(self.candidates, self.test_errors, strict=True)
            )
            for c, errors in zip(candidates, test, strict=True)
        ]
        return pd.DataFrame(rows)

    def errors_at(self, penalty: float, n_rules: int) -> Ints:
        """Test errors of each fold for one penalty and size (the longest path if it is shorter)."""
        out = []
        for candidates, test in zip(self.candidates, self.test_errors, strict=True):
            found = [
                (c.n_rules, int(e))
                for c, e in zip(candidates, test, strict=True)
                if c.penalty == penalty and c.n_rules <= n_rules
            ]
            out.append(max(found)[1] if found else -1)
        return np.array(out)


def cross_validate_path(
    X: Any,
    y: Any,
    *,
    rules: str = "half-spaces",
    kind: str = "conjunction",
    penalties: Sequence[float] = (0.5, 1.0, 2.0, np.inf),
    max_rules: int = 10,
    cv: int | Ints = 10,
    geometry: Geometry | None = None,
    stop_on_nonpositive: bool = True,
    n_threads: int = 1,
    n_jobs: int | None = None,
) -> PathScores:
    """Errors of every (penalty, size) on every fold, over all examples as candidates.

    Parameters
    ----------
    X : array (n_samples, n_features)
    y : array of {-1, +1}
    rules : {"stumps", "balls", "half-spaces", "two-point"}
    kind : {"conjunction", "disjunction"}
    penalties : sequence of float
    max_rules : int
    cv : int or array of fold numbers
        A number deals the examples out in turn.
    geometry : Geometry, optional
        Linear kernel and Euclidean distance by default.
    n_threads : int
        Threads of one search.
    n_jobs : int, optional
        Groups of folds that run at the same time, through joblib; the results do not depend on
        it.

    Examples
    --------
    >>> from handful.covering import cross_validate_path
    >>> from handful.datasets import make_axis_rules
    >>> X, y = make_axis_rules(60, random_state=0)
    >>> scores = cross_validate_path(X, y, rules="stumps", penalties=[1.0], max_rules=2, cv=3)
    >>> sorted(scores.frame()["fold"].unique().tolist())
    [0, 1, 2]
    """
    X, y = np.asarray(X, dtype=np.float64), np.asarray(y).astype(np.int64)
    geometry = geometry or Geometry()
    fold = np.arange(len(y)) % cv if isinstance(cv, int) else np.asarray(cv)
    options = SweepOptions(
        max_rules=max_rules, stop_on_nonpositive=stop_on_nonpositive, n_threads=n_threads
    )
    folds = [np.flatnonzero(fold == f) for f in np.unique(fold)]
    n_groups = min(len(folds), effective_n_jobs(n_jobs))
    groups = [folds[k::n_groups] for k in range(n_groups)]
    jobs = (
        delayed(_run_folds)(X, y, group, rules, geometry, kind, tuple(penalties), options)
        for group in groups
    )
    done = list(Parallel(n_jobs=n_jobs)(jobs))
    scored = [done[k % n_groups][k // n_groups] for k in range(len(folds))]
    return PathScores(
        [candidates for candidates, _ in scored],
        [errors for _, errors in scored],
        [len(test) for test in folds],
    )


def _run_folds(
    X: Floats,
    y: Ints,
    folds: Sequence[Ints],
    rules: str,
    geometry: Geometry,
    kind: str,
    penalties: Sequence[float],
    options: SweepOptions,
) -> list[tuple[list[CoverCandidate], Ints]]:
    """Candidates of some folds, each with its machine built, and their test errors."""
    if FAMILIES[rules] is HALF_SPACES:
        per_fold = _half_space_folds(X, y, folds, geometry, kind, penalties, options)
    else:
        per_fold = [
            _fold_candidates(X, y, test, rules, geometry, kind, penalties, options)
            for test in folds
        ]
    return [
        _tested(candidates, X[test], y[test])
        for candidates, test in zip(per_fold, folds, strict=True)
    ]


def _fold_candidates(
    X: Floats,
    y: Ints,
    test: Ints,
    rules: str,
    geometry: Geometry,
    kind: str,
    penalties: Sequence[float],
    options: SweepOptions,
) -> list[CoverCandidate]:
    train = np.setdiff1d(np.arange(len(y)), test)
    rows = collapse_rows(X[train], y[train])
    table = make_table(FAMILIES[rules], rows, np.arange(len(train)), geometry, options.n_threads)
    return [
        c
        for penalty in penalties
        for c in compression_candidates(
            rows,
            table,
            pool_size=len(train),
            kinds=(kind,),
            penalties=(penalty,),
            options=options,
        )
    ]


def _half_space_folds(
    X: Floats,
    y: Ints,
    folds: Sequence[Ints],
    geometry: Geometry,
    kind: str,
    penalties: Sequence[float],
    options: SweepOptions,
) -> list[list[CoverCandidate]]:
    """All folds and penalties in one lock-step search."""
    none = np.zeros(X.shape[1], dtype=bool)
    rows = Rows(X, y, np.ones(len(y), np.int64), np.arange(len(y)), none)
    active = np.ones((len(folds), len(y)), dtype=bool)
    for k, test in enumerate(folds):
        active[k, test] = False
    paths = exact_half_space_paths(
        kernel_of_rows(rows, geometry),
        y,
        kind=kind,
        penalties=list(penalties),
        max_rules=options.max_rules,
        stop_on_nonpositive=options.stop_on_nonpositive,
        active=active,
        n_threads=options.n_threads,
    )
    out = []
    for k, test in enumerate(folds):
        mine = paths[k * len(penalties) : (k + 1) * len(penalties)]
        train = np.setdiff1d(np.arange(len(y)), test)
        part = Rows(X[train], y[train], np.ones(len(train), np.int64), np.arange(len(train)), none)
        position = np.full(len(y), -1)
        position[train] = np.arange(len(train))
        out.append(list(candidates_of_paths(part, geometry, kind, penalties, mine, (), position)))
    return out


def _tested(
    candidates: Sequence[CoverCandidate], X: Floats, y: Ints
) -> tuple[list[CoverCandidate], Ints]:
    """The candidates with their machines made, and their errors; each condition is asked once."""
    made, errors = [], []
    known: dict[Condition, Mask] = {}
    for candidate in candidates:
        machine = candidate.build()
        is_positive = np.full(len(y), bool(machine.default))
        for rule in machine.rules:
            is_met = np.ones(len(y), dtype=bool)
            for condition in rule.conditions:
                if condition not in known:
                    known[condition] = condition.is_met(X)
                is_met &= known[condition]
            is_positive[is_met] = bool(rule.label)  # all rules of a set have one label
        errors.append(int((np.where(is_positive, 1, -1) != y).sum()))
        made.append(replace(candidate, build=partial(_as_made, machine)))  # without its table
    return made, np.array(errors, dtype=np.int64)


def _as_made(machine: SignedRules) -> SignedRules:
    return machine

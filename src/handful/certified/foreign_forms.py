"""Black boxes, estimators and pipelines of other libraries, and votes."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from handful.arrays import Ints
from handful.certified.training_pool import Pool, Proposal, need_folds
from handful.models import Opaque, Vote, close_seeds
from handful.tables import take_rows

N_TREES = 150  # enough for votes to settle
N_VOTERS = 7  # at most; one is left out of an even number, so that votes do not tie
N_ERRORS_WORSE = 2.5  # in standard errors: a clearly worse model would only spoil the vote
VOTERS = (
    "score card",
    "linear",
    "additive",
    "prototypes",
    "support vectors",
    "adaboost",
    "random forest",
    "gradient boosting",
)


def ada_boost(pool: Pool) -> list[Proposal]:
    """AdaBoost over stumps, as the sum of curves that it is."""
    from handful.boosting import AdaBoost

    need_folds(pool)
    fitted, guesses = _trained(AdaBoost(n_rounds=60), pool, pool.filled)
    score = fitted.fitted_.machine.as_curves(pool.fill)
    if len(fitted.classes_) != pool.n_classes or score is None:
        # a class that is not in the pool has no sum
        score = Opaque(fitted, "filled", pool.n_classes, tuple(map(float, pool.fill)))
    return [Proposal("adaboost", score, guesses)]


def random_forest(pool: Pool) -> list[Proposal]:
    """A random forest; guesses are those of the trees that did not see a row."""
    from sklearn.ensemble import RandomForestClassifier

    need_folds(pool)
    if pool.groups is not None:
        forest = RandomForestClassifier(N_TREES, min_samples_leaf=2, random_state=0)
        return [_foreign("random forest", forest, pool, "filled")]
    forest = RandomForestClassifier(
        N_TREES, min_samples_leaf=2, oob_score=_no_score, random_state=0
    )
    forest.fit(pool.filled, pool.y, pool.weight if pool.is_weighted else None)
    votes = np.nan_to_num(forest.oob_decision_function_)
    forest.set_params(oob_score=False)  # a function of ours would go into its file
    guesses = forest.classes_[np.argmax(votes, axis=1)]
    machine = Opaque(forest, "filled", pool.n_classes, tuple(map(float, pool.fill)))
    return [Proposal("random forest", machine, np.asarray(guesses, dtype=np.int64))]


def _no_score(y: Any, guess: Any) -> float:
    """Asks for the votes that trees give to rows they did not see; the score is not used."""
    return 0.0


def gradient_boosting(pool: Pool) -> list[Proposal]:
    """Histogram gradient boosting with small trees."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    need_folds(pool)
    trees = HistGradientBoostingClassifier(
        max_iter=60, learning_rate=0.1, max_leaf_nodes=6, min_samples_leaf=8, random_state=0,
        early_stopping=False,
    )  # fmt: skip
    return [_foreign("gradient boosting", trees, pool, "encoded")]


def foreign(name: str, estimator: Any) -> Callable[[Pool], list[Proposal]]:
    """A learner that clones an estimator or pipeline of the user."""

    def learn(pool: Pool) -> list[Proposal]:
        need_folds(pool)
        return [_foreign(name, estimator, pool, "table")]

    return learn


def few_rows(pool: Pool) -> tuple[Any, Any]:
    """Some rows as the user gave them, and as numbers."""
    return take_rows(pool.table, slice(0, 5)), pool.filled[:5]


def _foreign(name: str, estimator: Any, pool: Pool, takes: str) -> Proposal:
    """An estimator that reads the table, its encoding, or that without missing values."""
    table = {"table": pool.table, "encoded": pool.X, "filled": pool.filled}[takes]
    fitted, guesses = _trained(estimator, pool, table)
    fill = tuple(map(float, pool.fill)) if takes == "filled" else ()
    return Proposal(name, Opaque(fitted, takes, pool.n_classes, fill), guesses)


def _trained(estimator: Any, pool: Pool, table: Any) -> tuple[Any, Ints]:
    """The estimator trained on the whole pool, and guesses by those trained on other folds."""
    guesses = np.zeros(len(pool), dtype=np.int64)
    for train, test in pool.folds:
        fitted = _fit(estimator, table, pool, train)
        guesses[test] = fitted.predict(take_rows(table, test))
    return _fit(estimator, table, pool, np.arange(len(pool))), guesses


def _fit(estimator: Any, table: Any, pool: Pool, rows: Ints) -> Any:
    fresh = clone(estimator)
    close_seeds(fresh, pool.seed)
    X, y = take_rows(table, rows), pool.y[rows]
    if not pool.is_weighted:
        return fresh.fit(X, y)
    weight = pool.weight[rows]
    if hasattr(fresh, "steps") and has_fit_parameter(fresh.steps[-1][1], "sample_weight"):
        return fresh.fit(X, y, **{f"{fresh.steps[-1][0]}__sample_weight": weight})
    if not has_fit_parameter(fresh, "sample_weight"):
        raise ValueError("this estimator does not take `sample_weight`.")
    return fresh.fit(X, y, sample_weight=weight)


def vote(pool: Pool, proposals: list[Proposal]) -> list[Proposal]:
    """What most of the pool's best seven (or five, or three) say, of forms that differ.

    A form that is clearly worse than the best one has no vote.
    """
    errors = {
        p.form: int(np.count_nonzero(p.guesses != pool.y)) for p in proposals if p.form in VOTERS
    }
    if not errors:
        return []
    least = min(errors.values())
    most = least + N_ERRORS_WORSE * math.sqrt(least + 1.0)  # in standard errors of a count
    fit = sorted(
        (p for p in proposals if errors.get(p.form, math.inf) <= most),
        key=lambda p: errors[p.form],
    )
    if len(fit) < 3:
        return []
    n_voters = min(N_VOTERS, len(fit))
    return [vote_of(pool, fit[: n_voters - 1 + n_voters % 2])]


def vote_of(pool: Pool, ranked: list[Proposal]) -> Proposal:
    """What most of some forms say, best first."""
    machine = Vote(tuple(p.machine for p in ranked), pool.n_classes)
    counts = np.zeros((len(pool), pool.n_classes))
    for i, p in enumerate(ranked):
        counts += np.eye(pool.n_classes)[p.guesses] * (1.0 + 0.5 ** (i + 20))
    members = tuple((p.wanted, p.setting) for p in ranked)
    guesses = np.argmax(counts, axis=1).astype(np.int64)
    return Proposal("vote", machine, guesses, members=members)

"""What a learner hands over: a machine trained on the whole pool, and guesses from its folds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from handful._types import Floats, Ints
from handful.certified._pool import Pool
from handful.models import Form


@dataclass(frozen=True, eq=False)
class Proposal:
    """A machine, and what machines trained without a row say about it.

    Attributes
    ----------
    form : str
        Name of the form.
    machine : Form
    guesses : ndarray of int
        For each row of the pool, the label given by a machine trained on the other folds.
    name : str
        Name in the menu; the form where empty.
    """

    form: str
    machine: Form
    guesses: Ints
    name: str = ""


Learner = Callable[[Pool], list[Proposal]]


def select(guesses: Ints, pool: Pool, losses: Floats | None = None) -> tuple[int, Ints]:
    """The setting with the smallest loss (the first of equals), and honest guesses for its form.

    ``guesses`` has one row a setting; so have ``losses``, errors where they are not given. Of
    neighbouring settings a smooth loss tells the better one with less noise than errors do. The
    guesses of a fold are those of the setting that is best on the *other* folds, so that trying
    many settings does not make a form look better.
    """
    paid = guesses != pool.y if losses is None else losses
    best = int(np.argmin(paid.sum(axis=1)))
    honest = np.empty(len(pool), dtype=np.int64)
    for train, test in pool.folds:
        honest[test] = guesses[int(np.argmin(paid[:, train].sum(axis=1))), test]
    return best, honest


def on_first_rows(learn: Learner, n_rows: int) -> Learner:
    """Learn from the first rows of a large pool; the others are then new to the machine."""

    def learn_some(pool: Pool) -> list[Proposal]:
        if len(pool) <= n_rows:
            return learn(pool)
        return [
            replace(p, guesses=np.concatenate([p.guesses, p.machine.labels(pool.X[n_rows:])]))
            for p in learn(pool.first_rows(n_rows))
        ]

    return learn_some


def majority(y: Ints, weight: np.ndarray, n_classes: int) -> int:
    """The heaviest class, the first of equals."""
    return int(np.argmax(np.bincount(y, weights=weight, minlength=n_classes)))


def need_two_classes(pool: Pool) -> None:
    """Refuse a form that is for two classes, with the reason for its row."""
    if pool.n_classes != 2:
        raise ValueError(f"this form is for two classes, got {pool.n_classes}.")


def need_folds(pool: Pool) -> None:
    """Refuse a pool too small or too pure to learn from."""
    if len(np.unique(pool.y)) < 2:
        raise ValueError("the pool holds one class only.")
    for train, _ in pool.folds:
        if len(np.unique(pool.y[train])) < 2:
            raise ValueError("the pool is too small: a fold without one class.")
    if not pool.folds:
        raise ValueError("the pool is too small to be cut into folds.")

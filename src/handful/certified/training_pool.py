"""The pool: rows drawn blindly, from which all forms are learned; and what its learners share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from handful.arrays import Floats, Ints
from handful.models import Form, RiskCurve, from_scores
from handful.scoring import Items, make_items
from handful.tables import Columns, Draw, Grouping, row_digests, table_digest, take_rows

N_FOLDS = 5  # each model sees four fifths of the pool
Recipe = tuple[tuple[str, tuple[int, ...]], ...]  # names in ``candidates`` with their settings


@dataclass(frozen=True)
class CardLimits:
    """What a score card of the menu may be, named before any certificate was seen.

    Attributes
    ----------
    max_items, max_points : int
        Most items of a card, and most points of an item.
    must_ask : tuple of tuple of int
        Encoded features of each column that every card must ask for.
    """

    max_items: int = 8
    max_points: int = 5
    must_ask: tuple[tuple[int, ...], ...] = ()


@dataclass(frozen=True, eq=False)
class Pool:
    """Rows of the pool in blind order, and views of them that learners share.

    Attributes
    ----------
    table : the rows as the user gave them
    X : ndarray
        Encoded rows; a missing value is NaN.
    y : ndarray of int
        Class positions.
    weight : ndarray
        Training weights; all 1 unless ``is_weighted``.
    fold : ndarray of int
        Number of the fold of each row.
    n_classes : int
    columns : Columns
    groups : ndarray or None
        Group numbers.
    directions : ndarray of int or None
        For each feature, 1 or -1 if the second class must be likelier (less likely) with it, else
        0. None if the user names no direction.
    setting : tuple of int or None
        The settings with which a form is learned again; None if they are to be chosen.
    cards : CardLimits
        What score cards may be.
    """

    table: Any
    X: Floats
    y: Ints
    weight: Floats
    fold: Ints
    n_classes: int
    columns: Columns
    is_weighted: bool = False
    groups: Ints | None = None
    directions: Ints | None = None
    setting: tuple[int, ...] | None = None
    cards: CardLimits = CardLimits()

    def __len__(self) -> int:
        return len(self.y)

    @property
    def n_scores(self) -> int:
        """One score for two classes, one a class for more."""
        return 1 if self.n_classes == 2 else self.n_classes

    @property
    def n_units(self) -> int:
        """Rows, or groups if rows belong together."""
        return len(self) if self.groups is None else len(Grouping.of(self.groups))

    @cached_property
    def folds(self) -> list[tuple[Ints, Ints]]:
        """Training and test rows of each fold that has both."""
        numbers = np.unique(self.fold)
        if len(numbers) < 2:
            return []
        return [(np.flatnonzero(self.fold != f), np.flatnonzero(self.fold == f)) for f in numbers]

    @cached_property
    def fill(self) -> Floats:
        """Medians, for missing values; 0 for words that are not said."""
        known, medians = ~np.isnan(self.X), np.zeros(self.X.shape[1])
        is_whole = known.all(axis=0) & known.any(axis=0)
        medians[is_whole] = np.median(self.X[:, is_whole], axis=0)
        for j in np.flatnonzero(known.any(axis=0) & ~is_whole):
            medians[j] = np.median(self.X[known[:, j], j])
        is_word = np.array([asked.kind == "word" for asked in self.columns.features], dtype=bool)
        return np.where(is_word, 0.0, medians)

    @cached_property
    def filled(self) -> Floats:
        """Encoded rows without missing values."""
        return np.where(np.isnan(self.X), self.fill, self.X)

    @cached_property
    def center(self) -> Floats:
        """Means of the filled features."""
        return np.asarray(self.filled.mean(axis=0))

    @cached_property
    def scale(self) -> Floats:
        """Standard deviations of the filled features, 1 for constant ones."""
        deviation = self.filled.std(axis=0)
        # Rounding of a constant column is no spread: dividing by it would make noise of it.
        return np.where(deviation > 1e-12 * (1.0 + np.abs(self.center)), deviation, 1.0)

    @cached_property
    def scaled(self) -> Floats:
        """Filled features with mean 0 and deviation 1."""
        return np.ascontiguousarray((self.filled - self.center) / self.scale)

    @cached_property
    def items(self) -> Items:
        """Cuts at quantiles, and which rows are above them."""
        return make_items(self.X)

    @cached_property
    def seed(self) -> int:
        """Seed for estimators that draw at random: the digest of the pool, not a choice."""
        return Draw(table_digest(row_digests(self.table, self.y))).number("estimator")

    def first_rows(self, n_rows: int) -> Pool:
        """A smaller pool: the first rows of the blind order."""
        return self.only(slice(0, n_rows))

    def only(self, some: Any) -> Pool:
        """Some of the rows, by their places; one that is named twice is there twice."""
        return replace(
            self,
            table=take_rows(self.table, some),
            X=self.X[some],
            y=self.y[some],
            weight=self.weight[some],
            fold=self.fold[some],
            groups=None if self.groups is None else self.groups[some],
        )


def make_folds(y: Ints, groups: Ints | None = None) -> Ints:
    """Fold numbers of rows in blind order: each class (or the groups) dealt out in turn.

    Examples
    --------
    >>> make_folds(np.array([0, 0, 1, 0, 1, 0, 0]))
    array([0, 1, 0, 2, 1, 3, 4])
    """
    fold = np.empty(len(y), dtype=np.int64)
    if groups is not None:
        seen: dict[int, int] = {}
        for i, group in enumerate(groups.tolist()):
            # A group is never on both sides of a fold.
            fold[i] = seen.setdefault(group, len(seen)) % N_FOLDS
        return fold
    for label in np.unique(y):
        rows = np.flatnonzero(y == label)
        fold[rows] = np.arange(len(rows)) % N_FOLDS
    return fold


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
        Name in the menu; the form if it is empty.
    seconds : float
    scores : ndarray or None
        For each row of the pool, the score of a machine trained on the other folds, for two
        classes.
    odds : RiskCurve or None
        How the machine's score becomes log odds, if ``scores`` are such.
    wanted : str
        The name in ``candidates`` that made it.
    setting : tuple of int
        What was chosen by cross-validation, as places among the settings of the form.
    members : Recipe
        Of a vote, what makes its members.
    """

    form: str
    machine: Form
    guesses: Ints
    name: str = ""
    seconds: float = 0.0
    scores: Floats | None = None
    odds: RiskCurve | None = None
    wanted: str = ""
    setting: tuple[int, ...] = ()
    members: Recipe = ()

    @property
    def recipe(self) -> Recipe:
        """What learns it again, with the same settings."""
        return self.members or ((self.wanted, self.setting),)

    @property
    def in_menu(self) -> str:
        """Its name in the menu."""
        return self.name or self.form

    @property
    def size(self) -> int:
        """What a reader has to read."""
        return self.machine.size


Learner = Callable[[Pool], list[Proposal]]


@dataclass(frozen=True, eq=False)
class Selected:
    """The best setting, and what machines say of rows that they were not trained on.

    Attributes
    ----------
    best : int
    guesses : ndarray of int
    scores : ndarray or None
    """

    best: int
    guesses: Ints
    scores: Floats | None


def select(
    guesses: Ints, pool: Pool, losses: Floats | None = None, scores: Floats | None = None
) -> Selected:
    """The setting with the smallest loss (the first of equals), and honest guesses for its form.

    ``guesses`` has one row a setting, and so have ``losses`` and ``scores``; by default an error
    costs 1. A smooth loss compares neighbouring settings with less noise than errors do. The
    guesses and scores of a fold are those of the setting that is best on the *other* folds, so
    that trying many settings does not make a form look better. If the pool fixes the setting, it is
    the best one, and nothing is compared.
    """
    paid = guesses != pool.y if losses is None else losses
    chosen = np.zeros(len(pool), dtype=np.int64)
    for train, test in pool.folds:
        chosen[test] = int(np.argmin(paid[:, train].sum(axis=1)))
    best = int(np.argmin(paid.sum(axis=1)))
    if pool.setting is not None:
        best = chosen[:] = pool.setting[0]
    rows = np.arange(len(pool))
    is_scored = scores is not None and pool.n_classes == 2
    return Selected(
        best=best,
        guesses=guesses[chosen, rows],
        scores=scores[chosen, rows] if scores is not None and is_scored else None,
    )


def on_first_rows(learn: Learner, n_rows: int) -> Learner:
    """Learn from the first rows of a large pool; the others are then new to the machine."""

    def learn_some(pool: Pool) -> list[Proposal]:
        if len(pool) <= n_rows:
            return learn(pool)
        return [_on_all(p, pool.X[n_rows:]) for p in learn(pool.first_rows(n_rows))]

    return learn_some


def _on_all(proposal: Proposal, others: Floats) -> Proposal:
    """The proposal with what its machine says of rows that it was not learned from."""
    guesses = np.concatenate([proposal.guesses, proposal.machine.labels(others)])
    if proposal.scores is None:
        return replace(proposal, guesses=guesses)
    scores = np.concatenate([proposal.scores, proposal.machine.scores(others)])
    return replace(proposal, guesses=guesses, scores=scores)


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


def labels_of(scores: Floats) -> Ints:
    """Class positions of scores (n, 1) for two classes, (n, n_classes) for more."""
    return from_scores(scores[:, 0] if scores.shape[1] == 1 else scores)

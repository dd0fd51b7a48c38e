"""Many forms from one table, certified at once: the scikit-learn class."""

from __future__ import annotations

import copy
import math
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from handful._checks import check_delta
from handful._engines import engine_for, is_elsewhere
from handful._types import Floats, Ints
from handful.bounds import GROUP_QUANTITIES, Certificate, assume, binomial_tail_inverse
from handful.certified._counting import Counting
from handful.certified._elsewhere import RowsElsewhere
from handful.certified._explain import menu_lines
from handful.certified._forms import FORMS, wanted_forms
from handful.certified._goals import ScoreGoals
from handful.certified._groups import GROUP_LOSSES
from handful.certified._learn import (
    Priced,
    count_rows,
    counted_tally,
    learn_all,
    make_candidates,
    price,
    units_in_pool,
)
from handful.certified._menu import Menu, named_settings
from handful.certified._pool import Pool, make_folds, take_rows
from handful.certified._records import Candidate, Failure
from handful.estimator import TableClassifier
from handful.tables import (
    Columns,
    column_types,
    feature_names,
    make_units,
    pool_size,
    read_table,
    unknown_labels,
)

if TYPE_CHECKING:
    import pandas as pd


class CertifiedClassifier(ScoreGoals, TableClassifier):
    """A menu of classifiers of different forms, every one certified, so that you may choose.

    A pool of rows is drawn without looking. Every form is trained on it, with its settings
    chosen by cross-validation inside it, and the forms are ordered by their errors there. All
    other rows are only counted. The price of a certificate is the rank of its form in the
    pool's order, so that all certificates hold at once: take any row of `menu_`.

    Parameters
    ----------
    candidates : {"readable", "all"}, name, or list of names, classifiers and (name, classifier)
        "readable": constant, one rule, rule set, rule list, score cards, sparse linear, linear,
        additive, covers by half-spaces and by balls, prototypes. "all" adds support vectors,
        AdaBoost, random forest, gradient boosting and a vote of the best. Classifiers and
        pipelines of yours are trained on the pool like the others: give them unfitted. Where their
        ``random_state`` is None it is set from the digest of the pool.
    tolerance : float
        The simplest form whose certificate is this close to the smallest is chosen.
    pool_share : float
        Share of the rows (or groups) in the pool, at most 10 000 of them.
    delta : float
        Allowed probability that any certificate of the menu fails.
    group_loss : {"mean", "any"}
        With groups: a random case of a new group, or any case of it.
    columns : sequence of handful.tables.Column, optional
        What the columns hold, where cells are raw, as `handful.tables.read_study` says; see
        `fit_study`, which makes sure that they were decided by this pool.
    classes : sequence of labels, optional
        The classes, named before the data were seen; points and sums speak for the second of
        two. By default those of the pool, in alphabetical order. A row with another label counts
        as an error of every form, and the certificate says so.
    n_jobs : int, optional
        Threads; results do not depend on it.
    random_state : None, int, RowDigests or Generator
        None draws the pool from the data's own digest, so that there is no seed to choose.

    Attributes
    ----------
    menu_ : DataFrame
        One row a candidate, smallest certificate first: form, size, what it uses, errors
        counted, certificate, price in nats, error estimated on the pool, seconds, simplicity;
        then the candidates that failed, with the reason.
    chosen_ : str
        Name of the row that predicts.
    candidate_ : Candidate
        That row, with its price and counts.
    goal_ : None, or a pair of goal and value
        What `reach` was asked for.
    fitted_ : Fitted
        The chosen classifier as data.
    certificate_ : Certificate
    held_back_, compression_set_ : ndarray of int
        Rows that are not counted: the pool, of which every candidate is made.
    n_training_errors_ : int
        Errors of the chosen classifier on all rows.
    classes_ : ndarray
    n_features_in_ : int

    Examples
    --------
    >>> from handful import CertifiedClassifier, load_dataset
    >>> data = load_dataset("haberman-294")
    >>> machine = CertifiedClassifier(["constant", "one rule", "score card"])
    >>> machine = machine.fit(data.X, data.y)
    >>> machine.certificate_.risk < 0.4
    True
    >>> other = machine.choose("one rule")
    >>> other.chosen_, bool(other.certificate_.risk == machine.menu_["certificate"]["one rule"])
    ('one rule', True)
    """

    def __init__(
        self,
        candidates: Any = "readable",
        *,
        tolerance: float = 0.01,
        pool_share: float = 0.4,
        delta: float = 0.05,
        group_loss: str = "mean",
        columns: Any = None,
        classes: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.candidates = candidates
        self.tolerance = tolerance
        self.pool_share = pool_share
        self.delta = delta
        self.group_loss = group_loss
        self.columns = columns
        self.classes = classes
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None
    ) -> CertifiedClassifier:
        """Learn all candidates from the pool and count them on the other rows.

        Parameters
        ----------
        X : array or data frame (n_samples, n_features)
            Numbers, words and missing values. Of a Dask array or frame the pool is brought here,
            and the other rows are counted chunk by chunk.
        y : array (n_samples,)
        sample_weight : array (n_samples,), optional
            Steers training only: every row counts once in the certificates.
        groups : array (n_samples,), optional
            Rows of one group (the visits of one patient) are drawn, held back and counted whole.
        """
        if is_elsewhere(X):
            _refuse_with_chunks(sample_weight, groups)
            engine_for(X).fit(self, X, y)
            return self
        self._check_parameters()
        table, y = read_table(self, X, y)
        self._read_labels(table, y)
        self._warn_of_scaling(table)
        weight = _check_sample_weight(sample_weight, y, ensure_non_negative=True)
        given = None if sample_weight is None else weight
        units = make_units(table, y, groups, self.random_state, given)
        rows = units.pool(self.pool_share)
        self._name_classes(y[rows])
        labels, places, counts = np.unique(y, return_inverse=True, return_counts=True)
        codes = self._codes_of(labels)[places]
        groups = None if units.member is None else units.member[rows]
        weights = None if given is None else given[rows]
        pool = self._pool(take_rows(table, rows), codes[rows], weights, groups)
        priced, failures = self._learn(pool)
        counted = count_rows(pool, priced, table, codes, units, self.delta, self.group_loss)
        held_back = np.sort(units.rows_of(units.order[: units_in_pool(pool)]))
        candidates, more = make_candidates(priced, counted, held_back)
        found = dict(zip(labels.tolist(), counts.tolist(), strict=True))
        notes = (*self._unknown(found), *units.caution)
        failures += more
        self._menu = self._make_menu(candidates, failures, pool, len(units), units.seed, notes)
        self._take(self._menu.default(self.tolerance))
        self.n_training_errors_ = int(np.count_nonzero(self.fitted_.labels(table) != codes))
        return self

    def fit_rows(self, rows: RowsElsewhere) -> CertifiedClassifier:
        """Fit to rows that are elsewhere: the pool is learned from here, the others are counted.

        Parameters
        ----------
        rows : RowsElsewhere
            As `handful.distributed` makes them of Dask arrays and frames; ``fit`` calls this.
        """
        self._check_parameters()
        n_pool = min(pool_size(rows.n_samples, self.pool_share), max(1, rows.n_samples - 1))
        some, labels, places = rows.pool(n_pool)
        table, labels = read_table(self, some, labels)
        self._remember(table, labels, rows.n_samples)
        self._name_classes(np.asarray(labels))
        pool = self._pool(table, self._codes_of(np.asarray(labels)), None, None)
        priced, failures = self._learn(pool)
        counting = Counting.of([one.fitted for one in priced], pool)
        tallies = rows.tally(counting, self.classes_.tolist())
        counted = [counted_tally(tally) for tally in tallies]
        candidates, more = make_candidates(priced, counted, np.sort(places))
        notes = (*self._unknown(rows.label_counts), *rows.caution)
        failures += more
        self._menu = self._make_menu(candidates, failures, pool, rows.n_samples, rows.seed, notes)
        self._take(self._menu.default(self.tolerance))
        ranks = [one.rank for one in priced]
        self.n_training_errors_ = tallies[ranks.index(self.candidate_.rank)].n_errors_all
        return self

    def _learn(self, pool: Pool) -> tuple[list[Priced], list[Failure]]:
        """All forms learned from the pool, in its order, and those that failed."""
        forms, with_vote = wanted_forms(self.candidates, len(self.classes_))
        if pool.n_classes == 1:  # whatever is learned from it says the same of every row
            forms, with_vote = [FORMS["constant"]], False
        made, failures = learn_all(pool, forms, with_vote, self.n_jobs)
        if not made:
            raise ValueError(
                "No candidate could be fitted: "
                + "; ".join(f"{failure.name}: {failure.reason}" for failure in failures)
            )
        return price(pool, made, tuple(str(label) for label in self.classes_)), failures

    def _pool(self, table: Any, y: Ints, weight: Floats | None, groups: Ints | None) -> Pool:
        names = feature_names(self)
        if self.columns is None:
            columns = column_types(table, names)
        else:
            columns = Columns(tuple(self.columns))
            if (known := [column.name for column in columns.columns]) != names:
                raise ValueError(f"`columns` must be those of the table, got {known[:10]}.")
        columns = columns.asking(table)
        return Pool(
            table=table,
            X=np.ascontiguousarray(columns.encode(table)),
            y=y,
            weight=np.ones(len(y)) if weight is None else weight,
            fold=make_folds(y, groups),
            n_classes=len(self.classes_),
            columns=columns,
            is_weighted=weight is not None,
            groups=groups,
        )

    def _make_menu(
        self,
        candidates: list[Candidate],
        failures: list[Failure],
        pool: Pool,
        n_samples: int,
        seed: int | None,
        notes: tuple[str, ...],
    ) -> Menu:
        if not candidates:
            raise ValueError(
                "No candidate could be counted: "
                + "; ".join(f"{failure.name}: {failure.reason}" for failure in failures)
            )
        grouped = pool.groups is not None
        quantity = GROUP_QUANTITIES[self.group_loss] if grouped else Menu.quantity
        return Menu(
            tuple(candidates),
            n_samples=n_samples,
            n_held_back=units_in_pool(pool),
            delta=self.delta,
            failures=tuple(failures),
            quantity=quantity,
            named=named_settings(self.candidates, self.pool_share),
            assumptions=assume(
                "digest-order" if seed is None else "random-state",
                *(("groups",) if grouped else ()),
            ),
            notes=notes,
        )

    def _name_classes(self, labels: NDArray[Any]) -> None:
        """The classes: those named beforehand, or those of the pool; never those of other rows.

        Which forms are learned, and their order, would otherwise depend on the rows that are
        counted.
        """
        found = np.unique(labels)
        self.classes_ = found
        if self.classes is None:
            return
        given = np.asarray(self.classes)
        unknown = sorted(set(found.tolist()) - set(given.tolist()))
        if unknown or len(set(given.tolist())) != len(given):
            raise ValueError(
                f"`classes` must name the labels of the pool, {found.tolist()[:10]}, each once, "
                f"got {given.tolist()[:10]}. Name all classes before the data are seen, or leave "
                "`classes` out: then they are those of the pool."
            )
        self.classes_ = given

    def _codes_of(self, labels: NDArray[Any]) -> Ints:
        """Positions among the classes; -1, which no form says, for another label."""
        place = {label: k for k, label in enumerate(self.classes_.tolist())}
        return np.array([place.get(label, -1) for label in labels.tolist()], dtype=np.int64)

    def _unknown(self, counts: Mapping[Any, int]) -> tuple[str, ...]:
        """What is said of the labels that are no class."""
        known = set(self.classes_.tolist())
        return unknown_labels({str(word): n for word, n in counts.items() if word not in known})

    def _check_parameters(self) -> None:
        for name, low, high in (("tolerance", 0.0, 1.0), ("pool_share", 0.0, 1.0)):
            value = getattr(self, name)
            if not isinstance(value, (int, float)) or not low <= value < high:
                raise ValueError(f"`{name}` must be in [{low:g}, {high:g}), got {value!r}.")
        check_delta(self.delta)
        if self.group_loss not in GROUP_LOSSES:
            raise ValueError(
                f"`group_loss` must be one of {GROUP_LOSSES}, got {self.group_loss!r}."
            )

    def _take(self, row: int) -> None:
        self._hold(self._menu[row])
        self.goal_ = None

    def _hold(self, candidate: Candidate) -> None:
        self.candidate_ = candidate
        self.chosen_ = candidate.name
        self._fitted = candidate.fitted
        self._keep_examples(candidate.made_of, candidate.held_back)

    @property
    def menu_(self) -> pd.DataFrame:
        """All candidates with certificates that hold at once."""
        check_is_fitted(self, "_menu")
        return self._menu.frame()

    @property
    def path_(self) -> pd.DataFrame:
        """The menu."""
        return self.menu_

    @property
    def candidates_(self) -> tuple[Any, ...]:
        """The candidates themselves, in the order of the menu."""
        check_is_fitted(self, "_menu")
        return tuple(self._menu[row] for row in range(len(self._menu)))

    @property
    def failures_(self) -> tuple[Any, ...]:
        """Candidates that could not be fitted or counted, each with its reason."""
        check_is_fitted(self, "_menu")
        return self._menu.failures

    @property
    def menu_risks_(self) -> Floats:
        """Certified risks in the order of the menu."""
        check_is_fitted(self, "_menu")
        return self._menu.risks[self._menu.order]

    def choose(self, choice: int | str) -> CertifiedClassifier:
        """The same machine with another row of the menu; its certificate holds as well.

        Parameters
        ----------
        choice : int or str
            Row number or name of a candidate.
        """
        check_is_fitted(self, "_menu")
        other = copy.copy(self)
        other._take(self._menu.row_of(choice))
        other.__dict__.pop("n_training_errors_", None)
        return other

    def _certify(self, bound: str, delta: float, n_choices: int) -> Certificate:
        """That of the chosen row, which holds with those of all others."""
        made = self._menu.certify(self.candidate_, delta, n_choices)
        return replace(made, rates=_rates(self.candidate_, made))

    def explain(self) -> str:
        """The menu, the chosen classifier and its certificate in sentences."""
        check_is_fitted(self, "_menu")
        chosen = self._menu.row_of(self.chosen_)
        meaning = self.points_lines()
        if meaning:
            percent = f"{100.0 * (1.0 - self.delta):g} %"
            meaning = ["", f"With {percent} confidence, all at once:", *meaning]
        return "\n".join(
            [
                *menu_lines(self._menu, chosen),
                "",
                f"Chosen: {self.chosen_}",
                *(f"  {line}" for line in self.fitted_.sentences()),
                *(f"  {line}" for line in meaning),
                "",
                self.certificate_.explain(self.statements()),
            ]
        )


def _refuse_with_chunks(sample_weight: Any, groups: Any) -> None:
    for name, value in (("sample_weight", sample_weight), ("groups", groups)):
        if value is not None:
            raise ValueError(
                f"`{name}` is not accepted for rows in chunks. Bring the table into memory."
            )


def _rates(candidate: Any, made: Certificate) -> tuple[tuple[str, float], ...]:
    """Limits on both kinds of error among the counted rows of each class; ln 2 for the pair."""
    counts = candidate.counts
    if len(counts.by_class) != 2 or made.bound != "pool" or counts.losses is not None:
        return ()
    (n_negative, fp), (n_positive, fn) = counts.by_class
    if n_negative + n_positive + counts.n_unknown != counts.n_counted:
        return ()  # groups: rows within one are not independent
    nats = made.nats + math.log(2.0)
    return (
        ("false_positive_given_negative", float(binomial_tail_inverse(fp, n_negative, -nats))),
        ("false_negative_given_positive", float(binomial_tail_inverse(fn, n_positive, -nats))),
    )

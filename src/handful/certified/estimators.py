"""Many forms from one table, certified at once: the scikit-learn class."""

from __future__ import annotations

import copy
import math
import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from handful.arrays import Ints
from handful.bounds import GROUP_QUANTITIES, MISCLASSIFIED, Certificate, assume, caution
from handful.candidates import Failure, Menu
from handful.certified.form_candidates import (
    FormCandidate,
    menu_lines,
    named_beforehand,
    named_settings,
)
from handful.certified.forms import FORMS, check_favourite, wanted_forms
from handful.certified.goals import ScoreGoals
from handful.certified.learning import (
    counting_of,
    learn_all,
    learned_again,
    pool_error,
    ranked,
    with_counts,
)
from handful.certified.named_goals import Goal, is_first_case
from handful.certified.refit import Refit
from handful.certified.row_evidence import MOST_SCORED, RowEvidence, counted_rows
from handful.certified.stability import stability
from handful.certified.training_pool import CardLimits, Pool, make_folds
from handful.checks import check_choice, check_count, check_delta
from handful.chunks import chunked, is_chunked
from handful.scoring import MAX_ITEMS as MOST_ITEMS
from handful.table_classifier import TableClassifier
from handful.tables import (
    Columns,
    RowNeeds,
    RowSource,
    SeenRows,
    Study,
    TableCaution,
    check_rows,
)

if TYPE_CHECKING:
    import pandas as pd


class CertifiedClassifier(RowEvidence, ScoreGoals, TableClassifier):
    """A menu of classifiers of different forms, every one certified, so that you may choose.

    A pool of rows is drawn without looking. Every form is trained on it, with its settings
    chosen by cross-validation inside it, and the forms are ordered by their errors there. All
    other rows are only counted. The price of a certificate is the role of its form in the
    pool's order (the favourite, the favourite among pocket forms, the rest by rank), so that all
    certificates hold at once: take any row of `menu_`.

    Parameters
    ----------
    candidates : {"readable", "all"}, name, or list of names, classifiers and (name, classifier)
        "readable": constant, one rule, rule set, rule list, score cards, sparse linear, linear,
        additive, covers by half-spaces and by balls, prototypes. "all" adds support vectors,
        AdaBoost, random forest, gradient boosting and a vote of the best. Classifiers and
        pipelines of yours are trained on the pool like the others: give them unfitted. If their
        ``random_state`` is None, it is set from the digest of the pool.
    favourite : str, optional
        One of the candidates, named before any certificate was seen: the best of its proposals
        holds nine tenths of ``delta``. If it fails on the pool, the roles are the usual ones.
    goal : str, optional
        "sensitivity >= 0.9", "specificity >= 0.9" or "error <= 0.1", named before any certificate
        was seen. Every row is moved to the last threshold that is certified to reach it; among
        those that do, the one that is simplest within ``tolerance`` of the best other rate is
        chosen. Sensitivity is that of the case.
    tolerance : float
        The simplest form whose certificate is this close to the smallest is chosen.
    max_items, max_points : int
        Most items of a score card, and most points of an item; see ``must_ask`` of ``columns``.
    pool_share : float
        Share of the rows (or groups) in the pool, at most 10 000 of them.
    delta : float
        Allowed probability that any certificate of the menu fails.
    group_loss : {"mean", "any"}
        With groups: a random case of a new group, or any case of it.
    columns : mapping or handful.tables.Choices, optional
        What you say about the columns of a data frame; everything else is read off the pool. Keys
        are ``groups`` and ``weights`` (a column each), ``id``, ``exclude``, ``features``,
        ``ordered``, ``categories``, ``increasing``, ``decreasing``, ``must_ask`` (columns),
        ``missing`` and ``not_missing`` (cells by column), as the options of `handful certify`.
    classes : sequence of labels, optional
        The classes, named before the data were seen; points and sums speak for the second of
        two. By default those of the pool, in alphabetical order, but that the case comes second
        if its word says so. A row with another label counts as an error of every form, and the
        certificate says so.
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
    candidate_ : FormCandidate
        That row, with its price and counts.
    goal_ : None, or a pair of goal and value
        What was named as ``goal``, or what `reach` was asked for; about ``fitted_.classes[1]``.
    order_ : tuple of str
        Forms in the pool's order, which decides who holds how much of ``delta``.
    fitted_ : Fitted
        The chosen classifier as data.
    certificate_ : Certificate
    held_back_, compression_set_ : ndarray of int
        Rows that are not counted: the pool, of which every candidate is made.
    n_training_errors_ : int
        Errors of the chosen classifier on all rows.
    classes_ : ndarray
        The labels, sorted. Sensitivity, points and sums speak for ``fitted_.classes[1]``.
    columns_ : tuple of Column
        What the columns hold and what they are for.
    notes_ : tuple of str
        What was assumed, and cautions.
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
        favourite: str | None = None,
        goal: str | None = None,
        tolerance: float = 0.01,
        max_items: int = CardLimits.max_items,
        max_points: int = CardLimits.max_points,
        pool_share: float = 0.5,
        delta: float = 0.05,
        group_loss: str = "mean",
        columns: Any = None,
        classes: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.candidates = candidates
        self.favourite = favourite
        self.goal = goal
        self.tolerance = tolerance
        self.max_items = max_items
        self.max_points = max_points
        self.pool_share = pool_share
        self.delta = delta
        self.group_loss = group_loss
        self.columns = columns
        self.classes = classes
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(
        self, X: Any, y: Any = None, sample_weight: Any = None, groups: Any = None
    ) -> CertifiedClassifier:
        """Learn all candidates from the pool and count them on the other rows.

        Parameters
        ----------
        X : array or data frame (n_samples, n_features), or Study
            An array of numbers, or a table as it is: what its columns hold and are for is decided
            by the pool, as `handful certify` does, and said in `columns_`, `notes_` and warnings
            (`TableCaution`). A `handful.tables.Study` is a table that was read before, with its
            labels. Of a Dask array or frame the pool is brought here, and the other rows are
            counted chunk by chunk.
        y : array (n_samples,)
        sample_weight : array (n_samples,), optional
            Steers training only: every row counts once in the certificates.
        groups : array (n_samples,), optional
            Rows of one group (the visits of one patient) are drawn, held back and counted whole.
        """
        if is_chunked(X):
            _refuse_with_chunks(sample_weight, groups)
            return chunked().fit(self, X, y)
        self._check_parameters()
        if isinstance(X, Study):  # a table that was read before
            check_rows(self, X.table, reset=True)
            self._take_study(X)
            return self._fit(X)
        how = {"pool_share": self.pool_share, "classes": self.classes}
        seed = self.random_state
        return self._fit(self._read(X, y, groups, sample_weight, random_state=seed, **how))

    def row_needs(self) -> RowNeeds:
        return RowNeeds(is_table=True)

    def fit_rows(self, rows: RowSource) -> CertifiedClassifier:
        self._check_parameters()
        how = {"pool_share": self.pool_share, "classes": self.classes}
        return self._fit(self._read_chunks(rows, **how))

    def _fit(self, study: Study) -> CertifiedClassifier:
        """Learn from the pool, count the other rows, and offer the menu."""
        rows, drawn = study.source, study.pool
        table, codes = rows.hold(drawn)
        positions = self._positions(rows.classes)
        goal = self._goal_of(study)  # refused before anything is learned
        keeps_scores = self._keeps_scores(study)
        pool = self._pool(table, study, positions[codes])
        candidates, failures = self._learn(pool, np.sort(drawn))
        self._counted_rows = None
        counting = counting_of(candidates, pool, positions, keeps_scores)
        counted = rows.fold(counting, "count", without=np.sort(drawn)).each
        others = None if rows.groups is None else rows.groups.after(study.n_pool)
        if others is not None or keeps_scores:  # in blind order, as the groups are
            behind = rows.first(rows.n_samples)[len(drawn) :]
            places = np.argsort(np.argsort(behind))
            counted = [tally.in_order(places) for tally in counted]
            if keeps_scores:
                single = behind if others is None else behind[others.first]
                self._counted_rows = counted_rows(study, positions, single)
        made, more = with_counts(
            candidates, counted, counting(table, codes).each, others, self.group_loss, self.delta
        )
        made = self._with_singles(made, pool)
        self.order_ = tuple(candidate.fitted.form for candidate in candidates)
        self._named = named_settings(
            self.candidates, self.favourite, study.pool_share, pool.cards != CardLimits()
        )
        self.named_goal_ = None if goal is None else (goal.quantity, goal.value)
        if goal is not None:
            made = [candidate.toward(goal, math.log(self.delta)) for candidate in made]
        self._offer(made, [*failures, *more], rows)
        row = self._menu.default(self.tolerance) if goal is None else self.row_for(goal)
        self._hold(self._menu[row])
        self.goal_ = self.named_goal_
        return self

    def refit(self, X: Any, y: Any = None, sample_weight: Any = None, groups: Any = None) -> Refit:
        """The chosen row with its settings, learned from all rows: it carries no certificate.

        It often errs less than the certified rule, which learned from the pool alone, but no row
        is left to count its errors. See `Refit.certify` for a certificate by unlabelled rows.

        Parameters
        ----------
        X, y, sample_weight, groups
            The rows that the machine was fitted to; they are not kept.

        Examples
        --------
        >>> from handful import CertifiedClassifier, load_dataset
        >>> data = load_dataset("haberman-294")
        >>> machine = CertifiedClassifier(["one rule"]).fit(data.X, data.y)
        >>> again = machine.refit(data.X, data.y)
        >>> again.n_rows, again.certificate is None
        (294, True)
        """
        if self.goal_ is not None:
            raise ValueError(
                "`goal` must be None for a refit: thresholds are moved by counted rows, of which a "
                "refit has none. Take a row without a goal."
            )
        study = self._read_again(X, y, sample_weight, groups)
        pool = self._pool_of(study, study.source.first(study.source.n_samples))
        fitted, proposal = learned_again(pool, self.candidate_, self.candidates)
        same = self._fitted.labels(pool.table) == fitted.labels(pool.table)
        return Refit(
            machine=self,
            fitted=fitted,
            n_rows=len(pool),
            n_same=int(np.count_nonzero(same)),
            error=pool_error(pool, proposal),
            _reader=self._holding(replace(self.candidate_, fitted=fitted)),
            _seen=SeenRows.of(study.X, np.zeros(study.source.n_samples)),
        )

    def stability(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        groups: Any = None,
        *,
        n_resamples: int = 20,
    ) -> pd.DataFrame:
        """What the chosen form asks if it is learned again from resamples of the pool.

        Counted rows are not touched, so that looking costs nothing. It is a description of the
        learner, not a certificate.

        Parameters
        ----------
        X, y, sample_weight, groups
            The rows that the machine was fitted to; they are not kept.
        n_resamples : int

        Returns
        -------
        DataFrame
            One row an item: whether the chosen rule has it, in how many resamples it is, and the
            lowest, middle and highest of its cuts there.

        Examples
        --------
        >>> from handful import CertifiedClassifier, load_dataset
        >>> X, y = load_dataset("breastw").named()
        >>> machine = CertifiedClassifier(["score card"]).fit(X, y)
        >>> frame = machine.choose("score card").stability(X, y, n_resamples=5)
        >>> int(frame.loc["bare-nuclei", "n"]), int(frame.loc["bare-nuclei", "of"])
        (5, 5)
        """
        check_count("n_resamples", n_resamples, low=1)
        study = self._read_again(X, y, sample_weight, groups)
        pool = self._pool_of(study, study.pool)
        return stability(pool, self.candidate_, self.candidates, n_resamples)

    def _read_again(self, X: Any, y: Any, sample_weight: Any, groups: Any) -> Study:
        """The rows that the machine was fitted to, read again; other rows are refused."""
        check_is_fitted(self)
        other = copy.copy(self)
        if isinstance(X, Study):
            other._take_study(X)
            study = X
        else:
            how = {"pool_share": self.pool_share, "classes": self.classes}
            seed = self.random_state
            seed = self.draw_.seed if isinstance(seed, np.random.Generator) else seed
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", TableCaution)  # what is noticed was said before
                study = other._read(X, y, groups, sample_weight, random_state=seed, **how)
        own, found = ((m.draw_.digest, m.draw_.seed) for m in (self, other))
        is_same = own == found and np.array_equal(other._seen.digests, self._seen.digests)
        if study.table is None or not is_same:  # in any order
            raise ValueError(
                "`X` and `y` must be the rows, in memory, that the machine was fitted to, got "
                "others. Pass the same table again."
            )
        return study

    def _pool_of(self, study: Study, order: Ints) -> Pool:
        """Rows as learners take them, read by the columns of the pool; unknown classes are left."""
        positions = self._positions(study.source.classes)
        table, codes = study.source.hold(study.pool)
        pool = self._pool(table, study, positions[codes])
        y = positions[study.source.hold(order)[1]]
        order, is_known = order[y >= 0], y >= 0
        table, codes = study.source.hold(order)
        rows, y = study.source, y[is_known]
        groups = None if rows.groups is None else rows.groups.member[: len(is_known)][is_known]
        return replace(
            pool,
            table=table,
            X=np.ascontiguousarray(pool.columns.encode(table)),
            y=y,
            weight=np.ones(len(y)) if rows.weights is None else rows.weights[order],
            fold=make_folds(y, groups),
            groups=groups,
        )

    def _with_singles(self, made: list[FormCandidate], pool: Pool) -> list[FormCandidate]:
        """Of groups, with what one row of each says of the scores of the candidates."""
        rows = self._counted_rows
        if pool.groups is None or rows is None or pool.n_classes != 2:
            return made
        return [candidate.with_singles(pool.X, rows.y) for candidate in made]

    def _keeps_scores(self, study: Study) -> bool:
        """Whether evidence can be shown of these rows; subgroups without any are refused."""
        n_counted = study.source.n_samples - len(study.pool)
        keeps = study.table is not None and n_counted <= MOST_SCORED
        if study.choices.subgroups and not (keeps and len(self._reading.classes) == 2):
            raise ValueError(
                f"`subgroups` needs two classes, rows in memory and at most {MOST_SCORED} counted "
                f"rows, got {len(self._reading.classes)} classes and {n_counted} counted rows. "
                "Leave it out, or name one class against the rest in a column of its own."
            )
        return keeps

    @property
    def case_(self) -> str:
        check_is_fitted(self)
        said, classes = self._reading.positive, self._reading.classes
        return said if said is not None and said in classes else classes[-1]

    def _goal_of(self, study: Study) -> Goal | None:
        """The goal in terms of the second class of the rule."""
        if self.goal is None:
            return None
        goal, classes = Goal.of(self.goal), self._reading.classes
        if goal.position is not None and study.source.groups is not None:
            raise ValueError(
                f"`goal` {goal.text!r} needs rows that are independent, got groups: limits row by "
                "row would fail too often. Name a goal for all errors, as 'error <= 0.1', or give "
                "one row of each group, drawn without a look at its label."
            )
        if goal.position is not None and len(classes) != 2:
            raise ValueError(
                f"`goal` {goal.text!r} needs two classes, got {len(classes)} classes. "
                "Name a goal for all errors, as 'error <= 0.1'."
            )
        return goal.of_second(is_first_case(study.positive, classes))

    def _learn(self, pool: Pool, held_back: Ints) -> tuple[list[FormCandidate], list[Failure]]:
        """All forms learned from the pool, in its order, and those that failed."""
        classes = self._reading.classes
        forms, with_vote = wanted_forms(self.candidates, len(classes))
        if pool.n_classes == 1:  # whatever is learned from it says the same of every row
            forms, with_vote = [FORMS["constant"]], False
        refused: list[Failure] = []
        if pool.directions is not None:
            why = "it cannot be made to rise or fall with a column."
            refused = [Failure(form.name, why) for form in forms if not form.keeps_directions]
            forms, with_vote = [form for form in forms if form.keeps_directions], False
        made, failures = learn_all(pool, forms, with_vote, self.n_jobs)
        failures += refused
        if not made:
            raise ValueError(f"No candidate could be fitted: {_reasons(failures)}")
        return ranked(pool, made, classes, held_back, self.favourite), failures

    def _pool(self, table: Any, study: Study, y: Ints) -> Pool:
        """The rows that were drawn, as learners take them."""
        rows, drawn = study.source, study.pool
        weight = None if rows.weights is None else rows.weights[drawn]
        groups = None if rows.groups is None else rows.groups.member[: len(drawn)]
        columns = Columns(study.features).asking(table)
        asked = self._must_ask(columns)
        directions = self._directions(columns)
        return Pool(
            table=table,
            X=np.ascontiguousarray(columns.encode(table)),
            y=y,
            weight=np.ones(len(y)) if weight is None else weight,
            fold=make_folds(y, groups),
            n_classes=len(self._reading.classes),
            columns=columns,
            is_weighted=weight is not None,
            groups=groups,
            directions=directions if directions.any() else None,
            cards=CardLimits(int(self.max_items), int(self.max_points), asked),
        )

    def _offer(
        self,
        candidates: list[FormCandidate],
        failures: list[Failure],
        rows: RowSource,
    ) -> None:
        """Make the menu."""
        if not candidates:
            raise ValueError(f"No candidate could be counted: {_reasons(failures)}")
        is_grouped = rows.groups is not None
        reading = self._reading
        self._menu = Menu(
            tuple(candidates),
            self.delta,
            failures=tuple(failures),
            quantity=GROUP_QUANTITIES[self.group_loss] if is_grouped else MISCLASSIFIED,
            assumptions=assume(
                "prepared",
                "digest-order" if rows.draw.seed is None else "random-state",
                *(("groups",) if is_grouped else ()),
            ),
            notes=(*reading.labels.unknown, *([reading.draw] if reading.draw else [])),
        )

    def _check_parameters(self) -> None:
        for name in ("tolerance", "pool_share"):
            value = getattr(self, name)
            if not isinstance(value, (int, float)) or not 0.0 <= value < 1.0:
                raise ValueError(f"`{name}` must be in [0, 1), got {value!r}.")
        for name in ("max_items", "max_points"):
            check_count(name, getattr(self, name), low=1, high=MOST_ITEMS)
        check_delta(self.delta)
        check_choice("group_loss", self.group_loss, tuple(GROUP_QUANTITIES))
        check_favourite(self.favourite, self.candidates)
        if self.goal is not None:
            Goal.of(self.goal)

    def _hold(self, candidate: FormCandidate) -> None:
        self.candidate_ = candidate
        self._fitted = candidate.fitted
        self._keep_examples(candidate.held_back, candidate.held_back)

    @property
    def n_training_errors_(self) -> int:  # type: ignore[override]
        """Errors of the chosen classifier on all rows."""
        check_is_fitted(self)
        return int(self.candidate_.counts.n_errors_all or 0)

    @property
    def path_(self) -> pd.DataFrame:
        """The menu."""
        return self.menu_

    def _certify(self, bound: str, delta: float, n_choices: int) -> Certificate:
        """The certificate of the chosen row, which holds at once with those of all others."""
        made = self._menu.certificate(self.candidate_, delta, n_choices)
        names = self._named_at(delta)
        return made.assuming(named_beforehand(names)) if names else made

    def caution(self) -> str:
        """A warning if the chosen form is hardly better than a constant guess; else empty.

        With a goal there is none: finding nine cases of ten costs errors, as was asked.
        """
        if self.goal_ is not None:
            return ""
        counts = self.candidate_.counts
        words = self.fitted_.classes
        said = [word for word, n in zip(words, counts.n_said, strict=True) if n]
        return caution(
            self.certificate_,
            dict(zip(words, counts.class_sizes, strict=True)),
            n_errors=self.n_training_errors_,
            constant=said[0] if len(said) == 1 else None,
        )

    def explain(self) -> str:
        """The menu, the chosen classifier and its certificate in sentences."""
        check_is_fitted(self)
        chosen = self._menu.row_of(self.chosen_)
        return "\n".join(
            [
                *menu_lines(self._menu, chosen),
                "",
                f"Chosen: {self.chosen_}",
                *(f"  {line}" for line in self.fitted_.sentences()),
                *(f"  {line}" for line in self._points_block()),
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


def _reasons(failures: Sequence[Failure]) -> str:
    return "; ".join(f"{failure.name}: {failure.reason}" for failure in failures)

"""Nonconformity selection: all models are kept, and one is chosen for each case."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from handful.arrays import Floats
from handful.bounds import Certificate, Criterion, drawn_by, held_out_bound
from handful.checks import check_choice, check_count
from handful.conformal.composite import Composite
from handful.conformal.model_sets import (
    MEASURES,
    PAPER_GRID,
    ModelSet,
    expand_estimators,
    fit_classifier_set,
    fit_grid_set,
    take_rows,
)
from handful.conformal.verdicts import (
    TIES,
    Calibration,
    CaseVerdicts,
    ValidationTable,
    check_level,
    critical_counts,
    decision_values,
    judge_by_margin,
    judge_by_model,
    judge_by_nonconformity,
    label_p_values,
    published_nonconformity_value,
    require_calibration,
)
from handful.estimator import BaseClassifier
from handful.models import Form, as_floats, kernel_expansion
from handful.tables import blind_order, check_examples, check_rows, uniform_draws

SELECTIONS = ("best-validation", "largest-margin", "nonconformity")
_BLOCK = 1 << 21  # number of scores computed at once


class NonconformityClassifier(BaseClassifier):
    """Keep every model of a grid, and predict each case by the model that is surest about it.

    The examples are split once. All models are trained on one part. The margins y f(x) of each
    model are computed on the validation part. Take a new case with a label: the share of
    validation margins that are not above its margin is its p-value. epsilon_crit is the smallest
    p-value over models and labels. The label with this p-value is the strangest, so the other
    label is predicted.

    Parameters
    ----------
    estimator : None, classifier, or list of classifiers or (name, classifier) pairs
        ``None``: support vector machines over ``param_grid``, solved together. A classifier:
        one model for each point of ``param_grid``. A list: these models. Classifiers need
        ``decision_function`` or ``predict_proba``.
    param_grid : dict, optional
        For ``None``, keys among C, gamma, kernel, degree, coef0; default: the 110 Gaussian
        machines of the paper.
    select : {"nonconformity", "largest-margin", "best-validation"}
        The model that predicts a case. "largest-margin" is SVM-L-infinity: the model with the
        largest functional margin of the case. "best-validation" is the model with the fewest
        validation errors.
    measure : {"margin", "nearest-neighbour", "class-mean"}
        How well a label fits a case. The last two compare distances to training examples, or to
        the means of the classes, in the feature space of a model: the space of its kernel, or the
        output of a pipeline's transformers. They do not use decision functions.
    tie : {"vote", "validation", "random"}
        The choice among models with equal epsilon_crit; such ties are common. "vote": the label
        of most tied models. "validation": the lowest validation error. "random": chance, as in
        the paper (a fixed function of the case and the seed). Further ties go to the lowest
        validation error, then the lowest index.
    validation_size : "paper", int or float
        "paper" is min(n // 5, 50).
    calibration_size : int or float, optional
        Examples set aside for the guarantees: `certify`, `selective_certificate`, `p_values`
        and `predict_set`.
    cross_folds : int, optional
        Number of folds for cross-conformal `p_values` and `predict_set`: a rule is learned for
        each fold from the others and calibrated on it, so that no example is set aside. It takes
        that many more fits, and gives no certificate.
    delta : float
        Allowed probability that a certificate fails.
    random_state : None, int, RandomState, Generator or RowDigests
        None takes the split and random ties from the digest of X and y, so the result does not
        depend on the order of the rows. A whole number replaces the digest; certificates then
        assume that it was fixed before the data were seen.

    Attributes
    ----------
    classes_ : ndarray
    models_ : list
        The fitted models: your classifiers, or for ``estimator=None`` objects with
        ``decision_function``, one for each setting.
    model_params_ : list of dict
    validation_errors_ : ndarray
        Errors of each model on the validation examples.
    best_index_ : int
        Model with the fewest validation errors (the first of equal ones).
    train_indices_, validation_indices_, calibration_indices_ : ndarray
        The split.
    fold_rules_ : list of NonconformityClassifier
        The rule of each fold, whose examples are its ``calibration_indices_``; empty without
        ``cross_folds``.

    Notes
    -----
    With a calibration set, `p_values` and `predict_set` are guaranteed on average over
    calibration sets and new cases, and `certify` and `selective_certificate` with probability
    1 - delta. Without a calibration set only two rules have guarantees: "largest-margin" (or a
    single model), which does not use the validation examples, and "best-validation", which pays
    for the number of models. epsilon_crit itself is not an error probability.

    Certificates: the default counts errors on the calibration examples. Without them,
    "best-validation" is certified on the validation examples and pays for the number of models;
    "nonconformity" over several models is refused. "held-out" is the other one.

    References
    ----------
    Hardoon, Hussain & Shawe-Taylor (2009), A nonconformity approach to model selection for SVMs.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> X, y = make_moons(400, noise=0.2, random_state=0)
    >>> grid = {"gamma": [0.1, 1.0, 10.0], "C": [1.0, 100.0]}
    >>> machine = NonconformityClassifier(param_grid=grid, calibration_size=100, random_state=0)
    >>> machine.fit(X[:300], y[:300]).score(X[300:], y[300:])
    0.96
    >>> print(machine.certify())
    risk <= 11.5 % with 95 % confidence (held-out, 100 examples, 6 errors, 3.0 nats)
    >>> machine.predict_set(X[300:303], level=0.9)
    array([[ True, False],
           [False,  True],
           [ True, False]])
    """

    def __init__(
        self,
        estimator=None,
        *,
        param_grid=None,
        select="nonconformity",
        measure="margin",
        tie="vote",
        validation_size="paper",
        calibration_size=None,
        cross_folds=None,
        delta=0.05,
        random_state=None,
    ):
        self.estimator = estimator
        self.param_grid = param_grid
        self.select = select
        self.measure = measure
        self.tie = tie
        self.validation_size = validation_size
        self.calibration_size = calibration_size
        self.cross_folds = cross_folds
        self.delta = delta
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> NonconformityClassifier:
        """Split the examples, train every model on one part, and compute validation margins.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)

        Returns
        -------
        self
        """
        self._check_words()
        given = X
        if self.estimator is None:
            X, y, codes = self._read_examples(X, y, scale_matters=False)
        else:
            X, y = check_examples(self, X, y)
            codes = self._read_labels(X, y)
        table = given if hasattr(given, "columns") else X
        blind = blind_order(table, y, random_state=self.random_state)
        # What breaks ties follows from the same draw as the split: it cannot be tried again for
        # luck.
        self.draw_, self._seed = blind.draw, blind.draw.number("ties")
        n_calibration = 0
        if self.calibration_size is not None:
            n_calibration = _part_size("calibration_size", self.calibration_size, codes.size)
        self._split(blind.order, n_calibration)
        self._learn(X, y, codes)
        self.fold_rules_ = []  # those of an earlier fit are not copied
        self.fold_rules_ = self._learn_folds(X, y, codes, blind.order)
        return self

    def _learn(self, X: Any, y: NDArray[Any], codes: NDArray[np.intp]) -> None:
        """Fit the models on one part of the split, score the next, and calibrate on the last."""
        self.model_set_ = self._fit_set(X, y, codes)
        self.models_, self.model_params_ = self.model_set_.models, self.model_set_.parameters
        self._parts = {
            name: (take_rows(X, rows), codes[rows])
            for name, rows in (
                ("train", self._ordered[2]),
                ("validation", self._ordered[1]),
                ("calibration", self._ordered[0]),
            )
        }
        cases, own = self._parts["validation"]
        self.validation_table_ = ValidationTable.from_scores(
            self.model_set_.label_scores(cases), own
        )
        self.validation_errors_ = self.validation_table_.n_errors
        self.best_index_ = int(self.validation_table_.best_first[0])
        self._fix_rule(self.select, self.tie)

    def _learn_folds(
        self, X: Any, y: NDArray[Any], codes: NDArray[np.intp], order: NDArray[np.intp]
    ) -> list[NonconformityClassifier]:
        """One rule for each fold, learned from the other folds and calibrated on this one."""
        if self.cross_folds is None:
            return []
        n_folds = check_count("cross_folds", self.cross_folds, low=2, high=order.size)
        folds = np.array_split(order, n_folds)
        rules = []
        for k, fold in enumerate(folds):
            rule = copy(self)
            rule._split(np.concatenate([fold, *folds[:k], *folds[k + 1 :]]), fold.size)
            rule._learn(X, y, codes)
            rules.append(rule)
        return rules

    @property
    def n_training_errors_(self) -> int:  # type: ignore[override]
        """Errors of the rule on all given examples, computed at access."""
        check_is_fitted(self)
        parts = [(cases, codes) for cases, codes in self._parts.values() if codes.size]
        return sum(int(np.sum(self._codes(cases) != codes)) for cases, codes in parts)

    def with_rule(self, select: str, tie: str = "vote") -> NonconformityClassifier:
        """A copy with the same fitted models and another rule, calibrated for that rule.

        The certificate of each copy holds by itself. To pick a rule by its certificate, divide
        delta by the number of compared rules.
        """
        check_is_fitted(self)
        other = copy(self).set_params(select=select, tie=tie)
        other._check_words()
        other._fix_rule(select, tie)
        other.fold_rules_ = [rule.with_rule(select, tie) for rule in self.fold_rules_]
        return other

    def _check_words(self) -> None:
        for name, allowed in (("select", SELECTIONS), ("measure", MEASURES), ("tie", TIES)):
            check_choice(name, getattr(self, name), allowed)

    def _split(self, order: NDArray[np.intp], n_calibration: int) -> None:
        """Random parts without strata: strata would not be exchangeable with new cases."""
        n = order.size
        n_validation = _part_size("validation_size", self.validation_size, n - n_calibration)
        if n_calibration + n_validation >= n:
            raise ValueError(
                f"`validation_size` and `calibration_size` must leave examples for training, got "
                f"{n_validation} and {n_calibration} of n_samples={n}. Make them smaller."
            )
        # Models are trained on the rows in this order, so that the user's order does not matter.
        self._ordered = np.split(order, [n_calibration, n_calibration + n_validation])
        self.calibration_indices_, self.validation_indices_, self.train_indices_ = (
            np.sort(part) for part in self._ordered
        )

    def _fit_set(self, X: Any, y: NDArray[Any], codes: NDArray[np.intp]) -> ModelSet:
        rows = self._ordered[2]
        if np.unique(codes[rows]).size < 2:
            raise ValueError(
                f"`y` must hold at least two classes in the part used for training, got one class "
                f"in {rows.size} of {codes.size} examples. Give more examples of each class."
            )
        if self.estimator is None:
            grid = PAPER_GRID if self.param_grid is None else self.param_grid
            return fit_grid_set(grid, X[rows], codes[rows], self.classes_.size, self.measure)
        pairs = expand_estimators(self.estimator, self.param_grid)
        # The rows come in blind order, so a learner that minds the order does not see the user's.
        part = take_rows(X, rows)
        return fit_classifier_set(pairs, part, y[rows], self.classes_, self.measure)

    @property
    def rule_(self) -> str:
        """The rule: "best-validation", "largest-margin", or the way to break ties."""
        check_is_fitted(self)
        select, tie = self._rule
        if self._ignores_validation:
            return "largest-margin"
        return tie if select == "nonconformity" else select

    @property
    def _ignores_validation(self) -> bool:
        """Whether the rule does not depend on the validation examples."""
        return self._rule[0] == "largest-margin" or len(self.models_) == 1

    def _fix_rule(self, select: str, tie: str) -> None:
        """Store the rule (parameters set later do not change it) and calibrate it."""
        self._rule = (select, tie)
        self._calibration: Calibration | None = None
        cases, codes = self._parts["calibration"]
        # A rule that does not depend on the validation examples is calibrated on them for free.
        if not codes.size and self._ignores_validation:
            cases, codes = self._parts["validation"]
        if codes.size:
            n_thresholds = None
            # epsilon_crit takes the values 0, 1/n, ..., 1: n + 1 thresholds, known beforehand.
            if select == "nonconformity" and not self._ignores_validation:
                n_thresholds = self.validation_table_.n_validation + 1
            self._calibration = Calibration.from_verdict(self._judge(cases), codes, n_thresholds)
        self._hold_back()

    def _hold_back(self) -> None:
        """Hold back the examples that no certificate counts."""
        # Training and validation examples made the rule. Without calibration examples only rules
        # that ignore the validation examples, or pay for their choice, may count those.
        held_back = self.train_indices_
        if self.calibration_indices_.size:
            held_back = np.union1d(held_back, self.validation_indices_)
        elif self._calibration is None and self._rule[0] != "best-validation":
            held_back = np.arange(self.n_samples_)
        self._keep_examples(self.train_indices_, held_back)

    def _rows(self, X: Any) -> Any:
        return super()._rows(X) if self.estimator is None else self._table_rows(X)

    def _table_rows(self, X: Any) -> Any:
        """Cases with checked columns; the classifiers of the set check their content."""
        check_is_fitted(self)
        return check_rows(self, X, reset=False)

    def _blocks(self, X: Any) -> Iterator[Any]:
        """The cases in pieces whose scores fit in memory."""
        step = max(1, _BLOCK // (len(self.models_) * self.classes_.size))
        n = len(X)
        if n <= step:
            yield X
        else:
            for start in range(0, n, step):
                yield take_rows(X, np.arange(start, min(start + step, n)))

    def _judge(self, X: Any) -> CaseVerdicts:
        """The verdict on checked cases."""
        parts = [self._judge_block(block) for block in self._blocks(X)]
        return CaseVerdicts(
            **{
                field.name: np.concatenate([getattr(part, field.name) for part in parts])
                for field in fields(CaseVerdicts)
            }
        )

    def _judge_block(self, X: Any) -> CaseVerdicts:
        scores = self.model_set_.label_scores(X)
        if self._ignores_validation:
            return judge_by_margin(scores)
        select, tie = self._rule
        if select == "best-validation":
            return judge_by_model(scores, np.full(scores.shape[1], self.best_index_))
        draws = uniform_draws(X, self._seed) if tie == "random" else None
        return judge_by_nonconformity(self.validation_table_, scores, tie, draws)

    def _codes(self, rows: Any) -> NDArray[np.intp]:
        return self._judge(rows).label

    def _scores(self, rows: Any) -> Floats:
        return decision_values(self._judge(rows).scores)

    def _machine(self) -> Form:
        grids, rule = getattr(self.model_set_, "grids", None), self.rule_
        if grids is None or len(grids) != 1 or self.classes_.size != 2:
            return self._closed(
                "`machine` must be a NonconformityClassifier with two classes, estimator=None and "
                "measure='margin' to be written to a file: other models are not plain numbers."
            )
        if rule == "random":
            return self._closed(
                "`tie` must not be 'random' for a machine to be written to a file: its draws "
                "depend on the case. Use with_rule('nonconformity'), which lets tied models vote."
            )
        grid = grids[0]
        for model in grid:
            if not model.kernel.is_named:
                return self._closed_kernel(model.kernel)
        scorers = [
            kernel_expansion(model.kernel, grid.X, model.coef[:, None], [model.bias])
            for model in grid
        ]
        if rule == "best-validation":
            return scorers[self.best_index_]
        table = self.validation_table_
        return Composite(
            tuple(scorers),
            as_floats(table.sorted_scores),
            as_floats(table.tolerance),
            tuple(int(n) for n in table.n_errors),
            rule,
        )

    def epsilon_crit(self, X: Any) -> NDArray[np.float64]:
        """The smallest p-value over models and labels, as published: a rank, not a risk.

        For more than two classes it is the smallest epsilon at which the label set of some model
        has one label. `doubt` gives the value by which the chosen rule sorts cases.
        """
        counts = [
            critical_counts(self.validation_table_, self.model_set_.label_scores(block)).min(axis=0)
            for block in self._blocks(self._rows(X))
        ]
        return np.concatenate(counts) / self.validation_table_.n_validation

    def doubt(self, X: Any) -> NDArray[np.float64]:
        """The value by which the rule sorts cases; low values mean that the rule is sure.

        It is epsilon_crit for "nonconformity" over several models. Otherwise it is minus the
        margin between the two best labels of the deciding model.
        """
        return self._judge(self._rows(X)).doubt

    def chosen_model(self, X: Any) -> NDArray[np.intp]:
        """Index in ``models_`` of the model that decides each case."""
        return self._judge(self._rows(X)).model

    def p_values(self, X: Any, *, by: str = "case") -> NDArray[np.float64]:
        """Conformal p-values of every label, shape (n_points, n_classes).

        For each epsilon, the true label of a new case has a p-value of at most epsilon with
        probability at most epsilon, over calibration examples and case together; ``by="class"``:
        among the cases of each class. Of cross-conformal rules it is twice the mean over folds.
        """
        check_is_fitted(self)
        rules, rows = self.fold_rules_ or [self], self._rows(X)
        return label_p_values(
            [require_calibration(rule._calibration, "A p-value") for rule in rules],
            [rule._judge(rows).scores for rule in rules],
            by,
        )

    def predict_set(self, X: Any, level: float = 0.9, *, by: str = "case") -> NDArray[np.bool_]:
        """Sets that hold the true label with probability at least ``level``.

        The probability is over calibration examples and new case together, for a level and a
        ``by`` fixed beforehand and cases of the classes in ``classes_``. It is no statement on
        sets of one size or on one case. With fewer than level / (1 - level) calibration examples
        (of a class, for ``by="class"``), every set holds all labels (that label).

        With ``cross_folds`` the sets are cross-conformal, and ``level`` is what is proved of
        them; they often hold the label more often. `cross_conformal_level` says which level the
        published sets of a nominal level reach.

        Parameters
        ----------
        X : array-like of shape (n_points, n_features)
        level : float
        by : {"case", "class"}
            "case": the probability is that of all cases together; a rare class may be left out
            more often. "class": it holds among the cases of each class, and sets are larger.

        Returns
        -------
        ndarray of bool, shape (n_points, n_classes)
            Columns in the order of ``classes_``.
        """
        level = check_level(level)
        # The true label has p <= epsilon with probability at most epsilon: it is
        # excluded at most that often.
        return self.p_values(X, by=by) > 1.0 - level

    def _certify(self, bound: str, delta: float, n_choices: int) -> Certificate:
        if self._calibration is None and self._rule[0] == "best-validation":
            # The validation examples chose among the models: a union over all of them is paid.
            n_errors = int(self.validation_errors_[self.best_index_])
            certificate = held_out_bound(
                self.validation_table_.n_validation,
                n_errors,
                n_choices=len(self.models_) * n_choices,
                delta=delta,
            )
        else:
            calibration = require_calibration(self._calibration, "A certificate")
            certificate = calibration.certificate(delta, n_choices)
        return certificate.assuming(drawn_by(self.draw_.seed))

    def selective_certificate(
        self, threshold: float, delta: float | None = None, *, bound: str = "auto"
    ) -> Certificate:
        """Bound on the error probability among cases with ``doubt(x) <= threshold``.

        The bound holds for all thresholds at once: the threshold may be chosen after looking at
        the calibration examples.

        Parameters
        ----------
        threshold : float
        delta : float, optional
        bound : {"auto", "held-out", "selective-error"}
            "held-out": a binomial tail for each value that epsilon_crit can take (the default for
            "nonconformity"). "selective-error": the deviation of empirical distributions.
        """
        check_is_fitted(self)
        delta = self.delta if delta is None else delta
        calibration = require_calibration(self._calibration, "A selective certificate")
        certificate = calibration.selective_certificate(threshold, delta=delta, bound=bound)
        return certificate.assuming(drawn_by(self.draw_.seed))

    def published_value(self, X: Any, delta: float = 0.05) -> list[Criterion]:
        """Proposition 4.2 for each case: published, not a guarantee."""
        n, K = self.validation_table_.n_validation, len(self.models_)
        return [
            published_nonconformity_value(float(e), n, K, delta=delta) for e in self.epsilon_crit(X)
        ]


def _part_size(name: str, value: Any, n: int) -> int:
    """Number of examples in a part: "paper", a count, or a fraction."""
    if isinstance(value, str) and value == "paper" and name == "validation_size":
        # The paper's rule: a fifth of the examples, at most fifty.
        return max(1, min(n // 5, 50))
    is_number = isinstance(value, (int, float, np.integer, np.floating))
    if not is_number or isinstance(value, bool):
        raise ValueError(f"`{name}` must be a count or a fraction, got {value!r}.")
    if float(value).is_integer() and value >= 1 and not isinstance(value, float):
        return int(value)
    if 0.0 < value < 1.0:
        return max(1, int(value * n))
    raise ValueError(
        f"`{name}` must be a count of at least 1 or a fraction in (0, 1), got {value!r}."
    )

"""What the covering machines share: fit, predict, certify, explain."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from handful._engines import engine_for, is_elsewhere
from handful._types import Floats, Ints
from handful.bounds import Certificate, Message, caution, compression_bound
from handful.covering._certify import certify_candidate, with_assumptions
from handful.covering._explain import (
    equivalent_rules,
    explain_machine,
    machine_html,
    path_frame,
    rules_frame,
)
from handful.covering._parameters import read_settings
from handful.covering._renumber import renumbered
from handful.covering.codes.candidate import Candidate
from handful.covering.columns import read_columns, steering_weights
from handful.covering.learn import Learned, Settings, learn
from handful.rules import AbstractRule, Rows, RuleList, RuleSet, collapse_rows
from handful.rules.rows import STEERING_UNIT
from handful.tables import BlindOrder, Draw, blind_order, warn_of_fitted_scaling

if TYPE_CHECKING:
    import pandas as pd


_CLASSES_NOTE = (
    "The classes were known before the data; one too rare to be in the sample is always an error."
)


class Ordered(Protocol):
    """Rows in an order that nobody chose, as far as it was needed."""

    @property
    def order(self) -> Ints:
        """Positions of the first rows."""

    @property
    def draw(self) -> Draw:
        """What decided it."""


class CoveringClassifier(ClassifierMixin, BaseEstimator):
    """Base of `SetCoveringMachine` and `DecisionListMachine`; not for direct use."""

    # the certificate holds for all values of these at once (see `BoundSearch`)
    free_parameters = ("penalty", "max_rules", "stop_on_nonpositive", "n_jobs")

    def _kinds(self) -> tuple[str, ...]:
        raise TypeError("use SetCoveringMachine or DecisionListMachine")

    def __sklearn_tags__(self) -> Any:
        """Missing values are allowed where only stumps are used."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.rules in ("auto", "stumps")
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Any:
        """Learn rules and certify them.

        Parameters
        ----------
        X : array-like or data frame (n_samples, n_features)
            Columns of words or categories (in a data frame) are compared by equality, by
            stumps, in their normal form (3, 3.0 and "3" are one word); True and False are the
            numbers 1 and 0. Whether a column holds words must not depend on the sample. A
            condition on a missing value is not met; only ``rules="auto"`` and ``"stumps"``
            accept missing values.
        y : array-like (n_samples,)
            Labels of any type, two or more classes.
        sample_weight : array-like of shape (n_samples,), optional
            How much each example matters to the search for rules. Every example counts once in
            the certificate, by which the machine is chosen; regressions of a pool are not
            weighted. Rows that were seen several times belong into X as often.

        Returns
        -------
        self
        """
        if is_elsewhere(X):
            return engine_for(X).fit(self, X, y, sample_weight=sample_weight)
        table = X
        X, y = self._read_training(X, y)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        settings = self._read_settings(X.shape[1], bool(np.isnan(X).any()))
        steering = None
        if sample_weight is not None:
            steering = steering_weights(sample_weight, len(y), STEERING_UNIT)
        blind = blind_order(
            table if hasattr(table, "columns") else X,
            y,
            random_state=self.random_state,
            is_kernel=self.kernel == "precomputed",
        )
        self._learn(X, codes, settings, blind, steering)
        return self

    def _read_settings(self, n_features: int, has_missing: bool) -> Settings:
        if len(self.classes_) < 2:
            raise ValueError(
                "Classifier can't train when only one class is present: `y` must have two or "
                f"more classes, got {self.classes_[0]!r} only. Add examples of another class."
            )
        settings = read_settings(
            self, self._kinds(), n_features, has_missing, self._columns is not None
        )
        if settings.costs is not None and len(self.classes_) > 2:
            raise ValueError(
                f"`costs` needs two classes, got {len(self.classes_)}. "
                "Leave it out, or fit one class against the rest."
            )
        return settings

    def _read_training(self, X: Any, y: ArrayLike) -> tuple[Floats, NDArray[Any]]:
        self._columns = read_columns(X)
        if self._columns is not None:
            names = [str(name) for name in X.columns]
            encoded = self._columns.encode(X)
            pair = validate_data(self, encoded, y, dtype=np.float64, ensure_all_finite="allow-nan")
            self.feature_names_in_ = np.array(names, dtype=object)
        else:
            pair = validate_data(self, X, y, dtype=np.float64, ensure_all_finite="allow-nan")
            if self.rules != "stumps" and self.kernel != "precomputed":  # stumps do not care
                warn_of_fitted_scaling(pair[0], self._names)
        return np.asarray(pair[0]), np.asarray(pair[1])

    def _read_new(self, X: Any) -> Floats:
        check_is_fitted(self)
        if self._columns is not None and hasattr(X, "columns"):
            names = list(self.feature_names_in_)
            absent = [name for name in names if name not in X.columns]
            if absent:
                raise ValueError(f"X must have the columns of the training data, lacks {absent}.")
            return self._columns.encode(X[names])
        finite = "allow-nan" if self.rules in ("auto", "stumps") else True
        return validate_data(self, X, reset=False, dtype=np.float64, ensure_all_finite=finite)

    def _learn(
        self, X: Floats, codes: Ints, settings: Settings, blind: BlindOrder, steering: Ints | None
    ) -> None:
        is_categorical = None if self._columns is None else self._columns.is_categorical
        order = blind.order
        in_order = X[np.ix_(order, order)] if self.kernel == "precomputed" else X[order]
        steered = None if steering is None else steering[order]

        def rows(positive: int) -> Rows:
            y_signed = np.where(codes[order] == positive, 1, -1)
            return collapse_rows(in_order, y_signed, is_categorical, steered)

        self._learn_machines(rows, settings, blind)
        wrong = self._predict_codes(X) != codes
        kept_wrong = int(wrong[self.compression_set_].sum())
        self._store(X, codes, len(codes), int(wrong.sum()), kept_wrong)

    def _learn_machines(
        self, rows: Callable[[int], Rows], settings: Settings, blind: Ordered
    ) -> None:
        """One machine a class against the rest; ``rows(k)`` has class k as the positive one.

        The rows come in the blind order, the same for every class: their pools overlap, so that
        fewer examples are kept.
        """
        n_machines = 1 if len(self.classes_) == 2 else len(self.classes_)
        share = replace(settings, delta=settings.delta / n_machines)
        self._settings, self.draw_ = settings, blind.draw
        self._n_covered: list[list[int]] | None = None  # known where the data are elsewhere
        self._kept: dict[int, tuple[Floats, int]] | None = None
        self._learned: list[Learned] = [
            renumbered(learn(rows(1 if n_machines == 1 else k), share), blind.order)
            for k in range(n_machines)
        ]
        machines = [part.machine for part in self._learned]
        self.machine_ = machines[0] if len(machines) == 1 else tuple(machines)
        self.rules_ = machines[0].rules if len(machines) == 1 else tuple(m.rules for m in machines)
        self.compression_set_ = np.array(
            sorted({e for part in self._learned for e in part.chosen.kept}), dtype=np.int64
        )

    def _store(
        self, X: Floats, codes: Ints, n_samples: int, n_wrong: int, n_kept_wrong: int
    ) -> None:
        self.n_samples_ = n_samples
        self.training_errors_ = n_wrong
        self.n_errors_ = n_wrong - n_kept_wrong
        self.certificate_ = self.certify(self._settings.delta)
        self._X, self._label_codes = X, codes
        self._y_signed = np.where(codes == 1, 1, -1)

    # -- prediction -------------------------------------------------------------------------

    def decision_function(self, X: Any) -> Floats:
        """Distance to the nearest boundary that decides; positive for the second class.

        For more than two classes one column a class; the largest wins.
        """
        if is_elsewhere(X):
            return engine_for(X).map_rows(self, "decision_function", X)
        X = self._read_new(X)
        scores = np.column_stack([part.machine.decision_function(X) for part in self._learned])
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def _predict_codes(self, X: Floats) -> Ints:
        machines = [part.machine for part in self._learned]
        if len(machines) == 1:
            return (machines[0].predict(X) > 0).astype(np.int64)
        scores = np.column_stack([machine.decision_function(X) for machine in machines])
        return np.argmax(scores, axis=1)

    def predict(self, X: Any) -> NDArray[Any]:
        """Labels of new cases."""
        if is_elsewhere(X):
            return engine_for(X).map_rows(self, "predict", X)
        codes = self._predict_codes(self._read_new(X))
        return self.classes_[codes]

    def fired_rules(self, X: Any) -> Ints:
        """Index of the first rule that covers each row, -1 where none does (two classes)."""
        if is_elsewhere(X):
            return engine_for(X).map_rows(self, "fired_rules", X)
        X = self._read_new(X)
        fired = [part.machine.first_rule(X) for part in self._learned]
        return fired[0] if len(fired) == 1 else np.column_stack(fired)

    # -- certificates -----------------------------------------------------------------------

    def certify(self, delta: float | None = None, bound: str = "auto") -> Certificate:
        """Certificate of the fitted machine, from stored counts.

        Parameters
        ----------
        delta : float, optional
            Allowed probability of failure; the machine's own ``delta`` by default.
        bound : {"auto", "compression", "compression-kl", "compression-closed-form", "cost"}
            Fix it before looking at the values.
        """
        check_is_fitted(self, "_learned")
        delta = self._settings.delta if delta is None else delta
        if len(self._learned) > 1:
            return self._certify_many(delta, bound)
        return certify_candidate(
            self._learned[0].chosen,
            self._learned[0].counts,
            delta=delta,
            bound=bound,
            costs=self._settings.costs,
            draw=self.draw_,
        )

    def _certify_many(self, delta: float, bound: str) -> Certificate:
        """One code for all one-vs-rest machines; errors of the combined rule are counted."""
        if bound not in ("auto", "compression"):
            raise ValueError(
                f"`bound` must be 'auto' or 'compression' for more than two classes, got {bound!r}."
            )
        terms = [
            replace(term, text=f"{term.text} (class {self.classes_[k]})")
            for k, part in enumerate(self._learned)
            for term in part.chosen.terms
        ]
        certificate = compression_bound(
            self.n_samples_,
            len(self.compression_set_),
            self.n_errors_,
            message_nats=Message(terms),
            size_nats=0.0,
            which_nats=0.0,
            delta=delta,
        )
        chosen = [part.chosen for part in self._learned]
        certificate = with_assumptions(certificate, chosen, self.draw_)
        return replace(certificate, notes=(*certificate.notes, _CLASSES_NOTE))

    def _labels(self) -> NDArray[Any]:
        """Training labels as given (two classes or more)."""
        return self.classes_[self._label_codes]

    def _example(self, i: int) -> tuple[Floats, Any]:
        """Features and label of a kept example; it may be all that is held of the data."""
        if self._kept is None:
            return self._X[i], self.classes_[self._label_codes[i]]
        row, code = self._kept[i]
        return row, self.classes_[code]

    # -- reading ----------------------------------------------------------------------------

    @property
    def _names(self) -> list[str] | None:
        names = getattr(self, "feature_names_in_", None)
        return None if names is None else [str(name) for name in names]

    def _machines(self) -> list[tuple[Any, RuleSet | RuleList]]:
        """(positive label, machine) pairs."""
        check_is_fitted(self, "_learned")
        if len(self._learned) == 1:
            return [(self.classes_[1], self._learned[0].machine)]
        return [(self.classes_[k], part.machine) for k, part in enumerate(self._learned)]

    def get_rules(self) -> pd.DataFrame:
        """The rules as a data frame: condition, label given, examples, training counts."""
        frame = rules_frame(self._machines(), self.classes_, self._names, self._columns, self._X)
        if self._n_covered is not None and len(frame):
            frame["n_covered"] = [n for counts in self._n_covered for n in counts]
        return frame

    def explain(self) -> str:
        """The machine and its certificate in sentences."""
        text = explain_machine(self._machines(), self.classes_, self._names, self._columns)
        parts = [self._caution(), self.certificate_.explain()]
        return "\n\n".join([text, "\n".join(part for part in parts if part)])

    def _caution(self) -> str:
        """What must be said first of a classifier that is no better than a blind guess."""
        counts = [part.counts.n_positives for part in self._learned]
        if len(counts) == 1:
            counts = [self._learned[0].counts.n_negatives, counts[0]]
        machines = [part.machine for part in self._learned]
        constant = None
        if not any(machine.rules for machine in machines):
            constant = self.classes_[self._predict_codes(np.zeros((1, self.n_features_in_)))[0]]
        return caution(
            self.certificate_,
            dict(zip(self.classes_.tolist(), counts, strict=True)),
            n_errors=self.training_errors_,
            constant=constant,
        )

    def _repr_html_inner(self) -> str:
        return str(super()._repr_html_inner()) + self._fitted_html()

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        bundle: dict[str, str] = super()._repr_mimebundle_(**kwargs)
        if "text/html" in bundle:
            bundle["text/html"] += self._fitted_html()
        return bundle

    def _fitted_html(self) -> str:
        """Rule and certificate under scikit-learn's diagram, once there are some."""
        return machine_html(self) if hasattr(self, "certificate_") else ""

    @property
    def path_(self) -> pd.DataFrame:
        """Every candidate with its counts and certificate."""
        check_is_fitted(self, "_learned")
        return path_frame(self._learned, self.classes_, self._settings.delta)

    @property
    def equivalent_rules_(self) -> list[list[AbstractRule]]:
        """For each rule, the stumps with exactly the same cover on the training data."""
        if self._n_covered is not None:
            raise AttributeError(
                "`equivalent_rules_` needs the training data in memory, and this machine was "
                "fitted to chunks. Fit it to a sample that fits into memory."
            )
        return equivalent_rules(self._machines(), self._X, self._columns)

    @property
    def chosen_(self) -> Candidate:
        """The candidate behind the machine (two classes)."""
        check_is_fitted(self, "_learned")
        return self._learned[0].chosen

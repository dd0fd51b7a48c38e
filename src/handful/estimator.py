"""The one base of all estimators: labels, several classes, prediction and certificates.

A family fills the holes (the methods marked abstract) and overrides nothing else: how its rows
are scored, and what its own bounds certify. What is written here is the same for all of them:

- ``certify(delta=None, *, bound="auto", n_choices=1, X=None, y=None)``, with one certificate on
  held-out rows, which refuses rows that were trained on;
- label codes and the loop of one class against the rest;
- ``predict`` and ``decision_function``, also on rows that are elsewhere (Dask);
- what can be read of a fitted machine: ``fitted_``, ``certificate_``, ``compression_set_``,
  ``held_back_``, ``n_training_errors_``, ``get_rules()`` and ``explain()``.
"""

from __future__ import annotations

import copy
import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils import check_consistent_length
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from handful.arrays import Floats, Ints, Mask
from handful.bounds import Certificate, NotCertifiableError, Quantity, Term, held_out_bound
from handful.checks import check_choice, check_count, check_delta
from handful.chunks import chunked, is_chunked
from handful.display import NotebookView
from handful.models import Fitted, Form, Opaque, from_scores
from handful.tables import (
    Columns,
    RowNeeds,
    RowSource,
    SeenRows,
    feature_names,
    need_two_classes,
    warn_of_fitted_scaling,
)

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "BaseClassifier",
    "BaseRegressor",
    "CertifiedEstimator",
    "columns_of",
    "refuse_balanced",
    "shared_certificate",
]

HELD_OUT = "held-out"


class CertifiedEstimator(NotebookView, ABC, BaseEstimator):
    """An estimator with a certificate.

    ``_bounds`` names what the family certifies by its training examples; the first is what
    "auto" means unless `_default_bound` says otherwise. `_certify` computes them. ``_seen``
    remembers the training rows.
    """

    delta: float
    n_samples_: int
    _made_of: Ints | None = None
    _held_back: Ints | None = None
    _bounds: ClassVar[tuple[str, ...]] = ()
    _takes_held_out: ClassVar[bool] = True
    _kept_data: ClassVar[tuple[str, ...]] = ("_seen",)  # attributes that hold training rows
    _seen: SeenRows

    def _is_wrong(self, rows: Any, y: NDArray[Any]) -> Mask:
        """Which of the checked rows are predicted wrongly."""
        raise TypeError(f"{type(self).__name__} predicts no labels.")

    def _default_bound(self) -> str:
        """The bound that "auto" stands for if no rows are given."""
        return self._bounds[0] if self._bounds else "auto"

    def _certify(self, bound: str, delta: float, n_choices: int) -> Certificate:
        """One of ``_bounds``, paid for a choice among ``n_choices`` settings."""
        raise NotCertifiableError(
            f"{type(self).__name__} has no certificate from its training examples. Pass `X` and "
            "`y` that had no part in training, or put it into CertifiedClassifier."
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self._allows_nan()
        tags.input_tags.pairwise = self._is_pairwise()
        return tags

    def _allows_nan(self) -> bool:
        """Whether rows may have missing values."""
        return False

    def _is_pairwise(self) -> bool:
        """Whether X is a kernel matrix."""
        kernel = getattr(self, "kernel", None)
        return isinstance(kernel, str) and kernel == "precomputed"

    def _rows(self, X: Any) -> Any:
        """New rows, checked as the training rows were."""
        check_is_fitted(self)
        finite = "allow-nan" if self._allows_nan() else True
        return validate_data(self, X, dtype=np.float64, ensure_all_finite=finite, reset=False)

    def certify(
        self,
        delta: float | None = None,
        *,
        bound: str = "auto",
        n_choices: int = 1,
        X: Any = None,
        y: Any = None,
    ) -> Certificate:
        """Upper bound on the risk that holds with probability 1 - delta.

        Parameters
        ----------
        delta : float, optional
            Allowed probability of failure; the estimator's own by default.
        bound : str
            "auto", "held-out", or one of the bounds that the class lists in its notes. "auto" is
            "held-out" if X and y are given, otherwise the default of the class.
        n_choices : int
            Number of settings among which this one was chosen: on the training examples, or for
            "held-out" on these held-out examples.
        X, y : array-like, optional
            Examples that had no part in training or in the choice of anything, for "held-out".

        Returns
        -------
        Certificate
            One that says nothing is marked as vacuous.

        Raises
        ------
        NotCertifiableError
            If the bound does not hold for this machine.
        """
        check_is_fitted(self)
        delta = check_delta(self.delta if delta is None else delta)
        n_choices = check_count("n_choices", n_choices, low=1)
        held_out = (HELD_OUT,) if self._takes_held_out else ()
        check_choice("bound", bound, ("auto", *self._bounds, *held_out))
        if bound == HELD_OUT or (bound == "auto" and X is not None and held_out):
            return self._speaking(self._certify_held_out(X, y, delta, n_choices))
        if X is not None or y is not None:
            raise ValueError(
                f"`X` and `y` must be left out for bound={bound!r}, which looks at the training "
                "examples alone. Use bound='held-out' for other examples."
            )
        own = self._default_bound() if bound == "auto" else bound
        return self._speaking(self._certify(own, delta, n_choices))

    def _certify_held_out(self, X: Any, y: Any, delta: float, n_choices: int) -> Certificate:
        """Errors counted on rows that the machine has not seen."""
        if X is None or y is None:
            raise ValueError(
                "`X` and `y` must be given for bound='held-out', got None. Pass examples that "
                "had no part in training."
            )
        if is_chunked(X):
            n_rows, n_errors = chunked().count_wrong(self, X, y)
            self._seen.judge(n_rows, chunked().count_seen(self, X, y))
        else:
            check_consistent_length(X, y)
            rows, labels = self._rows(X), np.asarray(y)
            is_wrong = self._is_wrong(rows, labels)
            self._seen.refuse(self._as_digested(X, rows), labels)
            n_rows, n_errors = len(is_wrong), int(np.count_nonzero(is_wrong))
        return held_out_bound(n_rows, n_errors, n_choices=n_choices, delta=delta)

    def count_seen(self, X: Any, y: Any) -> int:
        """How many rows equal a row that is remembered from training, label included."""
        rows = self._as_digested(X, self._rows(X))
        return int(self._seen.is_seen(rows, np.asarray(y)).sum())

    def _as_digested(self, X: Any, rows: Any) -> Any:
        """New rows as the digests of the training rows were made: checked ones, by default."""
        return rows

    # -- rows in chunks ---------------------------------------------------------------------

    def row_needs(self) -> RowNeeds:
        """How the machine wants its rows to be read, for rows in chunks."""
        raise TypeError(
            "`machine` must be a CertifiedClassifier, SetCoveringMachine, DecisionListMachine, "
            "AdaBoost or kernel matching pursuit for Dask inputs, got "
            f"{type(self).__name__}. Call compute() on data that fit into memory."
        )

    def fit_rows(self, rows: RowSource) -> Any:
        """Fit to rows that were read already, in memory or in chunks.

        Parameters
        ----------
        rows : RowSource
            Read as `row_needs` says; ``fit`` calls this for Dask inputs.

        Returns
        -------
        self
        """
        self.row_needs()  # it refuses, unless the machine takes rows in chunks
        raise TypeError(
            f"{type(self).__name__} says by `row_needs` that it takes rows in chunks: it must have "
            "`fit_rows`, too."
        )

    def _note_columns(self, rows: RowSource) -> None:
        """Number and names of the columns, as a fit in memory writes them."""
        self.n_features_in_ = rows.n_features
        if rows.names is not None:
            self.feature_names_in_ = np.array(rows.names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def _note_rows(self, rows: RowSource) -> None:
        """What a fit in memory writes about its inputs."""
        self._note_columns(rows)
        self._seen, self.n_samples_ = rows.seen(), rows.n_samples

    def without_data(self) -> Any:
        """A copy that predicts the same, without anything that was kept of the training rows."""
        light = copy.copy(self)
        for name in self._kept_data:
            light.__dict__.pop(name, None)
        if hasattr(light, "draw_"):
            light.draw_ = replace(light.draw_, row_codes=None)
        return light

    def _remember(self, X: Any, y: Any, n_samples: int | None = None) -> None:
        """The training rows, by their digests, or a sample of ``n_samples`` of them."""
        self._seen = SeenRows.of(X, y)
        self.n_samples_ = len(y) if n_samples is None else n_samples

    def _keep_examples(self, made_of: Any, held_back: Any = None) -> None:
        """What the machine is made of, and what its certificate does not count."""
        self._made_of = np.unique(np.asarray(made_of, dtype=np.int64))
        self._held_back = None if held_back is None else np.unique(held_back)

    @property
    def is_made_of_few(self) -> bool:
        """Whether some of the examples make up the machine, and the others may be left out."""
        return self._made_of is not None

    @property
    def compression_set_(self) -> Ints:
        """Sorted indices of the examples that the machine is made of."""
        check_is_fitted(self)
        return np.arange(self.n_samples_) if self._made_of is None else self._made_of

    @property
    def held_back_(self) -> Ints:
        """Sorted indices of the examples that its certificate does not count."""
        return self.compression_set_ if self._held_back is None else self._held_back

    @property
    def kept_examples_(self) -> Ints:
        """Examples that a file names: those that a certificate does not count, if they are few."""
        return self.held_back_ if self.is_made_of_few else np.zeros(0, dtype=np.int64)

    def _speaking(self, certificate: Certificate) -> Certificate:
        """The certificate, saying what it is about if that is not the probability of error."""
        return certificate

    @property
    def certificate_(self) -> Certificate:
        """What ``certify()`` says."""
        return self.certify()


class BaseClassifier(ClassifierMixin, CertifiedEstimator):
    """A classifier by scores: one for two classes, one for each class against the rest for more.

    A family reads its examples with `_read_examples`, solves one problem for each of `_signs`,
    and fills `_scores`. Attributes that all of them have after ``fit``:

    Attributes
    ----------
    classes_ : ndarray
    n_samples_, n_training_errors_ : int
    compression_set_ : ndarray of int
        Sorted indices of the training examples that the classifier is made of: all of them,
        unless the family keeps a few.
    held_back_ : ndarray of int
        Those that a certificate does not count: the same, and the pool if there is one.
    """

    classes_: NDArray[Any]
    n_training_errors_: int

    @abstractmethod
    def _scores(self, rows: Any) -> Floats:
        """Scores of checked rows: (n,) for two classes, (n, n_classes) for more."""

    def _machine(self) -> Form:
        """The fitted classifier as data; a closed box if there is no form for it."""
        return self._closed("`machine` has no form that is made of numbers.")

    def _closed(self, why: str) -> Form:
        """A closed box: it predicts, and cannot be read or written."""
        return Opaque(_Coder(self), "encoded", len(self.classes_), why=why)

    def _closed_kernel(self, kernel: Any) -> Form:
        """A closed box, because a kernel knows no new cases."""
        return self._closed(kernel.why_closed)

    # -- training ---------------------------------------------------------------------------

    def _read_examples(
        self, X: Any, y: Any, *, scale_matters: bool = True, **options: Any
    ) -> tuple[Floats, NDArray[Any], Ints]:
        """Checked rows, labels and their codes; remembers the classes and the rows."""
        check_delta(self.delta)
        finite = "allow-nan" if self._allows_nan() else True
        X, y = validate_data(
            self, X, y, dtype=np.float64, order="C", ensure_all_finite=finite, **options
        )
        codes = self._read_labels(X, y)
        if scale_matters and not self._is_pairwise():
            warn_of_fitted_scaling(X, getattr(self, "feature_names_in_", None))
        return X, y, codes

    def _read_labels(self, X: Any, y: Any) -> Ints:
        """Codes of the labels; the rows are remembered by their digests."""
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        need_two_classes(self.classes_)
        self._remember(X, y)
        return np.asarray(codes, dtype=np.int64)

    def _positives(self) -> list[int]:
        """Codes of the classes that are learned against the rest: one of two, or all."""
        return [1] if len(self.classes_) == 2 else list(range(len(self.classes_)))

    def _signs(self, codes: Ints) -> list[Floats]:
        """Labels in {-1, 1} of each problem of one class against the rest."""
        return [np.where(codes == positive, 1.0, -1.0) for positive in self._positives()]

    # -- prediction -------------------------------------------------------------------------

    def decision_function(self, X: Any) -> Floats:
        """Score of ``classes_[1]``, or of each class against the rest if there are more.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        if is_chunked(X):
            return chunked().map_rows(self, "decision_function", X)
        return self._scores(self._rows(X))

    def predict(self, X: Any) -> NDArray[Any]:
        """Class with the largest score; a score of zero goes to the first of two.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        if is_chunked(X):
            return chunked().map_rows(self, "predict", X)
        codes = self._codes(self._rows(X))
        return np.asarray(self.classes_[codes])

    def reasons(self, X: Any) -> NDArray[Any]:
        """What decided about each row, in words; empty texts if no part decides alone.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of str (n_samples,)
        """
        if is_chunked(X):
            return chunked().map_rows(self, "reasons", X)
        return np.array(self.fitted_.reasons(self._rows(X)), dtype=object)

    @property
    def labels_(self) -> NDArray[Any]:
        """The labels in the order of the classes of ``fitted_``."""
        check_is_fitted(self)
        return self.classes_

    def _codes(self, rows: Any) -> Ints:
        """Predicted positions in ``classes_``."""
        return from_scores(self._scores(rows))

    def _is_wrong(self, rows: Any, y: NDArray[Any]) -> Mask:
        return np.asarray(self.classes_[self._codes(rows)] != y)

    # -- reading ----------------------------------------------------------------------------

    @property
    def fitted_(self) -> Fitted:
        """The classifier as data: it predicts, speaks, and becomes a document."""
        check_is_fitted(self)
        columns = Columns.of_numbers(feature_names(self))
        machine = self._machine()
        return Fitted(machine.tag, columns, tuple(str(c) for c in self.classes_), machine)

    def get_rules(self) -> pd.DataFrame:
        """The parts of the classifier: form, condition, label, value."""
        return self.fitted_.parts()

    def explain(self) -> str:
        """The classifier and its certificate in sentences."""
        try:
            last = self.certificate_.explain()
        except NotCertifiableError as error:
            last = f"Not certified: {error}"
        return "\n".join([*self.fitted_.sentences(), "", last])


class BaseRegressor(RegressorMixin, CertifiedEstimator):
    """A regressor that is certified for a tolerated deviation.

    A family fills `_outputs` and `_tolerance`. An example is an error if the worst output is
    off by more than the tolerance.
    """

    n_training_errors_: int

    @abstractmethod
    def _outputs(self, rows: Any) -> Floats:
        """Values at checked rows, (n,) or (n, n_outputs)."""

    @abstractmethod
    def _tolerance(self) -> float:
        """Largest deviation that is no error."""

    def _is_wrong(self, rows: Any, y: NDArray[Any]) -> Mask:
        off = np.abs(self._outputs(rows).reshape(len(rows), -1) - y.reshape(len(rows), -1))
        return np.asarray(off.max(axis=1) > self._tolerance())

    def _speaking(self, certificate: Certificate) -> Certificate:
        quantity = Quantity.of("off", tolerance=float(self._tolerance()))
        return replace(certificate, quantity=quantity)


class _Coder:
    """A machine of ours as one that predicts positions of classes."""

    def __init__(self, machine: BaseClassifier) -> None:
        self.machine = machine

    def predict(self, rows: Any) -> Ints:
        """Positions in ``classes_`` of checked rows."""
        return self.machine._codes(rows)

    def __repr__(self) -> str:
        return repr(self.machine)


def shared_certificate(
    certify: Callable[[float], Certificate],
    delta: float,
    n_choices: int,
    of: tuple[str, str] = ("choice", "settings"),
) -> Certificate:
    """A certificate at delta / n_choices, restated at delta with the price of the choice named.

    ``of`` is the kind of the term, and what was chosen among.
    """
    certificate = certify(delta / n_choices)
    if n_choices == 1:
        return certificate
    kind, what = of
    terms = certificate.terms
    if certificate.unit == "nats":  # ln(n / delta) is split into the confidence and the choice
        plain = (
            replace(term, nats=-math.log(delta)) if term.kind == "confidence" else term
            for term in terms
        )
        terms = (*plain, Term(kind, f"choice among {n_choices} {what}", math.log(n_choices)))
    note = f"The confidence was divided over {n_choices} {what}."
    return replace(certificate, delta=delta, terms=terms, notes=(*certificate.notes, note))


def refuse_balanced(class_weight: Any) -> None:
    """Refuse, for a stable certificate, class weights that are read off the labels."""
    if isinstance(class_weight, str):
        raise NotCertifiableError(
            f"class_weight={class_weight!r} moves with every example, so the machine is not a "
            "stable scheme. Give the weights as numbers fixed beforehand, or use "
            "certify(bound='held-out', X=..., y=...)."
        )


def columns_of(scores: list[Floats]) -> Floats:
    """Scores of the problems side by side; the only one if there are two classes.

    Examples
    --------
    >>> columns_of([np.array([1.0, 2.0])])
    array([1., 2.])
    """
    return scores[0] if len(scores) == 1 else np.column_stack(scores)

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

from handful._checks import check_choice, check_count, check_delta
from handful._engines import engine_for, is_elsewhere
from handful._types import Floats, Ints, Mask
from handful.bounds import Certificate, NotCertifiableError, Quantity, Term, held_out_bound
from handful.models import Fitted, Form, Opaque, from_scores
from handful.tables import (
    Choices,
    Column,
    Columns,
    GivenRows,
    RowDigests,
    SeenRows,
    Study,
    TableReading,
    feature_names,
    feature_table,
    given_rows,
    map_distinct,
    need_two_classes,
    new_table,
    read_rows,
    warn_of,
    warn_of_fitted_scaling,
)

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "BaseClassifier",
    "BaseRegressor",
    "CertifiedEstimator",
    "TableClassifier",
    "columns_of",
    "refuse_balanced",
    "shared_certificate",
]

HELD_OUT = "held-out"
_TINY = 5e-324  # the smallest positive float


class CertifiedEstimator(ABC, BaseEstimator):
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
    _seen: SeenRows

    def _is_wrong(self, rows: Any, y: NDArray[Any]) -> Mask:
        """Which of the checked rows are predicted wrongly."""
        raise TypeError(f"{type(self).__name__} predicts no labels.")

    def _default_bound(self) -> str:
        """The bound that "auto" stands for where no rows are given."""
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
            "held-out" where X and y are given, otherwise the default of the class.
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
            Where the bound does not hold for this machine.
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
        if is_elsewhere(X):
            n_rows, n_errors = engine_for(X).count_wrong(self, X, y)
            self._seen.judge(n_rows, engine_for(X).count_seen(self, X, y))
        else:
            check_consistent_length(X, y)
            rows, labels = self._rows(X), np.asarray(y)
            is_wrong = self._is_wrong(rows, labels)
            self._seen.refuse(self._as_digested(X, rows), labels)
            n_rows, n_errors = len(is_wrong), int(np.count_nonzero(is_wrong))
        return held_out_bound(n_rows, n_errors, n_choices=n_choices, delta=delta)

    def _as_digested(self, X: Any, rows: Any) -> Any:
        """New rows as the digests of the training rows were made: checked ones, by default."""
        return rows

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
        """The certificate, saying what it is about where that is not the probability of error."""
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
        Those that a certificate does not count: the same, and the pool where there is one.
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
        return self._closed(
            f"`kernel` must be named to be written to a file, got {kernel.name}. "
            "A file cannot hold the kernel values of new cases."
        )

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
        """Score of ``classes_[1]``, or of each class against the rest where there are more.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        if is_elsewhere(X):
            return engine_for(X).map_rows(self, "decision_function", X)
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
        if is_elsewhere(X):
            return engine_for(X).map_rows(self, "predict", X)
        codes = self._codes(self._rows(X))
        return np.asarray(self.classes_[codes])

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

    A family fills `_outputs` and `_tolerance`. An example is an error where the worst output is
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


class TableClassifier(BaseClassifier):
    """A classifier that reads tables as they are, by the same rules as `handful certify`.

    A family reads its examples with `_read`, sets ``_fitted``, the classifier as data, and
    everything else follows. The classes of ``fitted_`` are words in an order of their own: the
    case comes second if a word says which it is. ``classes_`` holds the labels as given, sorted.

    Attributes
    ----------
    columns_ : tuple of Column
        All columns, and last the target, with what they hold, what they are for, and notes.
    notes_ : tuple of str
        What was assumed, and cautions, which are warnings too (`TableCaution`).
    """

    columns: Any
    columns_: tuple[Column, ...]
    notes_: tuple[str, ...]
    _fitted: Fitted
    _places: Ints
    _reading: TableReading
    _is_frame: bool

    def _allows_nan(self) -> bool:
        return True

    def _given(self, X: Any, y: Any, groups: Any = None, weights: Any = None) -> GivenRows:
        """Checked training rows; frames stay as they are."""
        choices = Choices.of(self.columns)
        if choices.target is not None or choices.drop_missing_target:
            raise ValueError("`columns` must not speak of the target, which is `y`.")
        return given_rows(self, X, y, groups=groups, weights=weights)

    def _read(self, given: GivenRows, **how: Any) -> Study:
        """Read a table; ``how`` are arguments of `read_rows`."""
        study = read_rows(given, Choices.of(self.columns), **how)
        self._take_study(study, given.y, how.get("classes"))
        if isinstance(how.get("random_state"), RowDigests):  # of more columns than these
            self._seen = SeenRows.of(study.table, given.y)
        warn_of(study, stacklevel=3)
        return study

    def _take_study(self, study: Study, y: Any, named: Any = None) -> None:
        """Remember how a table was read, and its rows by their digests."""
        self._take_reading(study.reading, y, hasattr(study.table, "columns"), named)
        self._seen = SeenRows.of_digests(study.units.digests)
        self.n_samples_ = len(study.y)

    def _take_reading(
        self, reading: TableReading, y: Any, is_frame: bool, named: Any = None
    ) -> None:
        """Remember how a table was read, and the labels behind the words of its classes."""
        self._reading, self._is_frame = reading, is_frame
        self.columns_, self.notes_ = reading.columns, reading.all_notes
        labels: dict[str, Any] = {}
        for label in [*np.unique(np.asarray(y)), *(() if named is None else named)]:
            labels.setdefault(reading.labels.spell(label), label)
        words = reading.classes
        found = [word if isinstance(labels[word], str) else labels[word] for word in words]
        is_object = isinstance(y, np.ndarray) and y.dtype.kind == "O"
        given = np.array(found, dtype=object if is_object else None)
        order = np.argsort(given, kind="stable")
        self.classes_, self._places = given[order], np.argsort(order)

    def _positions(self, y: Any) -> Ints:
        """Positions of labels among the classes of ``fitted_``; -1 for a label that is none."""
        places, spell = self._reading.labels.places, self._reading.labels.spell
        words = map_distinct(list(y), spell)
        return np.array([places.get(word, -1) for word in words], dtype=np.int64)

    def _table(self, X: Any) -> Any:
        check_is_fitted(self)
        names = [column.name for column in self.columns_ if column.role != "target"]
        return new_table(self, X, names if self._is_frame else None)

    def _as_digested(self, X: Any, rows: Any) -> Any:
        return self._table(X) if self._is_frame else rows

    def _rows(self, X: Any) -> Any:
        table = self._table(X)
        columns = [column for column in self.columns_ if column.role != "target"]
        return feature_table(columns, table) if self._is_frame else table

    def _scores(self, rows: Any) -> Floats:
        scores = self._fitted.scores(rows)
        if scores.ndim == 1:
            # a score of zero goes to the first class of ``fitted_``, which is the second here
            is_turned = self._places[0] == 1
            return np.where(scores == 0.0, _TINY, -scores) if is_turned else scores
        return scores[:, np.argsort(self._places)]

    def _codes(self, rows: Any) -> Ints:
        return np.asarray(self._places[self._fitted.labels(rows)])

    def _is_wrong(self, rows: Any, y: NDArray[Any]) -> Mask:
        return np.asarray(self._fitted.labels(rows) != self._positions(y))

    @property
    def fitted_(self) -> Fitted:
        """The classifier as data: it predicts, speaks, and becomes a document."""
        check_is_fitted(self)
        return self._fitted


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
    """Scores of the problems side by side; the only one where there are two classes.

    Examples
    --------
    >>> columns_of([np.array([1.0, 2.0])])
    array([1., 2.])
    """
    return scores[0] if len(scores) == 1 else np.column_stack(scores)

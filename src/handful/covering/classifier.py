"""What the covering machines share: the scikit-learn class over the record of a fit."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from handful.arrays import Floats, Ints
from handful.bounds import GROUP_QUANTITIES, Certificate
from handful.candidates import Menu, MenuMachine
from handful.checks import check_choice
from handful.chunks import chunked, is_chunked
from handful.covering.cover_fit import BOUND_NAMES, CoverFit, OfferedCover, cover
from handful.covering.cover_settings import read_groups, read_settings, steering_weights
from handful.estimator import BaseClassifier, shared_certificate
from handful.models import Condition, Fitted
from handful.rules.search_rows import STEERING_UNIT
from handful.tables import (
    Draw,
    MemoryRows,
    RowNeeds,
    RowSource,
    SeenRows,
    typed_columns,
    warn_of_fitted_scaling,
)

if TYPE_CHECKING:
    import pandas as pd

_AS_IS = {"ensure_all_finite": False, "ensure_min_samples": 0}  # cells are read later


class CoveringClassifier(MenuMachine, BaseClassifier):
    """Base of `SetCoveringMachine` and `DecisionListMachine`; not for direct use.

    A fit is a menu of records, `CoverFit`: the best cover of each code, family and number of rules.
    The one with the smallest certificate is in ``cover_``; everything else is read off it.
    """

    _bounds = BOUND_NAMES

    # the certificate holds for all values of these at once (see `BoundSearch`)
    free_parameters = ("penalty", "max_rules", "stop_on_nonpositive", "n_jobs")

    _menu: Menu[OfferedCover]
    candidate_: OfferedCover

    def _kinds(self) -> tuple[str, ...]:
        raise TypeError("use SetCoveringMachine or DecisionListMachine")

    def _allows_nan(self) -> bool:
        return isinstance(self.rules, str) and self.rules in ("auto", "stumps")

    # -- training ---------------------------------------------------------------------------

    def fit(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
    ) -> Any:
        """Learn rules and certify them.

        Parameters
        ----------
        X : array-like or data frame (n_samples, n_features)
            Columns of words or categories (in a data frame) are compared by equality, by
            stumps, in their normal form (3, 3.0 and "3" are one word); ordered categories by
            their order; True and False are the
            numbers 1 and 0. Whether a column holds words must not depend on the sample. A
            condition on a missing value is not met; only ``rules="auto"`` and ``"stumps"``
            accept missing values.
        y : array-like (n_samples,)
            Labels of any type, two or more classes.
        sample_weight : array-like of shape (n_samples,), optional
            How much each example matters to the search for rules. Every example counts once in
            the certificate, by which the machine is chosen; regressions of a pool are not
            weighted. Rows that were seen several times belong into X as often.
        groups : array-like of shape (n_samples,), optional
            Rows of one group (the visits of one patient) are drawn, kept and counted whole; the
            certificate is about a random case of a random new group. Each group weighs the same
            in the search.

        Returns
        -------
        self
        """
        if is_chunked(X):
            if groups is not None:
                raise ValueError(
                    "`groups` is not accepted for rows in chunks. Bring the table into memory."
                )
            return chunked().fit(self, X, y, sample_weight=sample_weight)
        return self._fit(*self._read(X, y, sample_weight, groups))

    def row_needs(self) -> RowNeeds:
        if self.candidates is None:
            raise ValueError(
                "`candidates` must be 'auto' or a pool size for Dask inputs, got None. Rules of "
                "all examples need them in memory; use for example candidates=160."
            )
        if self.by == "cv":
            raise ValueError(
                "`by` must be 'certificate' for Dask inputs, got 'cv'. The folds are learned in "
                "memory: call compute() on data that fit into it."
            )
        if self.kernel == "precomputed":
            raise ValueError(
                "`kernel` = 'precomputed' does not go with Dask inputs. Pass the features and a "
                "named kernel."
            )
        return RowNeeds(may_miss=self._allows_nan(), classes=self.classes, class_order=self.classes)

    def fit_rows(self, rows: RowSource) -> Any:
        return self._fit(rows, None)

    def _fit(self, rows: RowSource, steering: Ints | None) -> Any:
        """Learn from rows that were read already; ``steering`` weighs them in the search."""
        self.classes_ = rows.classes
        self._note_columns(rows)
        if len(self.classes_) < 2:
            raise ValueError(
                "Classifier can't train when only one class is present: `y` must have two or "
                f"more classes, got {self.classes_[0]!r} only. Add examples of another class."
            )
        settings = read_settings(
            self,
            self._kinds(),
            rows.n_features,
            rows.has_missing,
            rows.columns is not None and bool(rows.columns.is_categorical.any()),
        )
        if settings.costs is not None and len(self.classes_) > 2:
            raise ValueError(
                f"`costs` needs two classes, got {len(self.classes_)}. "
                "Leave it out, or fit one class against the rest."
            )
        if settings.costs is not None and rows.groups is not None:
            raise ValueError(
                "`costs` are not certified for groups. Leave them out, or pass one row a group."
            )
        self._offer(cover(rows, settings, steering))
        return self

    def _offer(self, covers: Sequence[CoverFit]) -> None:
        """Make the menu, and take its first cover."""
        offered = tuple(OfferedCover.of(one) for one in covers)
        self._menu = Menu(offered, self.delta, costs=covers[0].settings.costs)
        self._hold(offered[0])

    def _hold(self, candidate: OfferedCover) -> None:
        self.candidate_ = candidate

    def _read(
        self, X: Any, y: Any, sample_weight: Any, groups: Any = None
    ) -> tuple[MemoryRows, Ints | None]:
        """Rows as numbers with labels as codes, and weights of the rows in the search."""
        columns, table, names = typed_columns(X), X, None
        if columns is not None:
            names = [str(name) for name in X.columns]
            X = columns.encode(X)
        X, y = validate_data(self, X, y, dtype=np.float64, ensure_all_finite="allow-nan")
        if columns is None:
            names = self._names
            if self.rules != "stumps" and self.kernel != "precomputed":  # stumps do not care
                warn_of_fitted_scaling(X, names)
        classes, codes = self._encode_labels(y)
        check_choice("group_loss", self.group_loss, tuple(GROUP_QUANTITIES))
        if groups is not None:
            groups, sample_weight = read_groups(groups, sample_weight, len(y))
        steering = None
        if sample_weight is not None:
            steering = steering_weights(sample_weight, len(y), STEERING_UNIT)
        X = np.asarray(X)
        rows = MemoryRows(
            X,
            codes,
            classes,
            names=names,
            columns=columns,
            table=table if hasattr(table, "columns") else X,
            random_state=self.random_state,
            is_kernel=self.kernel == "precomputed",
            given_groups=groups,
        )
        return rows, steering

    def _encode_labels(self, y: NDArray[Any]) -> tuple[NDArray[Any], Ints]:
        """The classes, in the given order if there is one, and the labels as positions."""
        check_classification_targets(y)
        classes, codes = np.unique(y, return_inverse=True)
        if self.classes is None:
            return classes, codes
        given = np.asarray(self.classes, dtype=classes.dtype)
        if sorted(given.tolist()) != classes.tolist():
            raise ValueError(
                f"`classes` must name the labels of `y`, {classes.tolist()[:10]}, each once, got "
                f"{given.tolist()[:10]}."
            )
        return given, np.argsort(given)[codes]  # from the sorted order to the given one

    # -- prediction -------------------------------------------------------------------------

    def _rows(self, X: Any) -> Any:
        """New cases: numbers as an array; a table of words as a frame of its columns."""
        check_is_fitted(self)
        columns = self.cover_.fitted.columns.columns
        if all(column.is_plain for column in columns):
            return super()._rows(X)
        names = [column.name for column in columns]
        if not hasattr(X, "columns"):
            return _framed(validate_data(self, X, dtype=object, reset=False, **_AS_IS), names)
        absent = [name for name in names if name not in X.columns]
        if absent:
            raise ValueError(f"X must have the columns of the training data, lacks {absent}.")
        return X[names]

    def _scores(self, rows: Any) -> Floats:
        """Distance to the nearest boundary that decides, with the sign of the prediction."""
        return self.cover_.fitted.scores(rows)

    def _codes(self, rows: Any) -> Ints:
        return self.cover_.fitted.labels(rows)

    # -- certificates -----------------------------------------------------------------------

    def _default_bound(self) -> str:
        return "compression" if self.cover_.settings.costs is None else "cost"

    def _certify(self, bound: str, delta: float, n_choices: int) -> Certificate:
        made = self.cover_
        return shared_certificate(lambda share: made.certificate(share, bound), delta, n_choices)

    # -- reading ----------------------------------------------------------------------------

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "candidate_")

    @property
    def cover_(self) -> CoverFit:
        """How it was learned: every candidate, what was counted, what drew the pools."""
        check_is_fitted(self)
        return self.candidate_.cover

    @property
    def fitted_(self) -> Fitted:
        return self.cover_.fitted

    @property
    def _seen(self) -> SeenRows:  # type: ignore[override]
        return self.cover_.seen

    @property
    def _names(self) -> list[str] | None:
        names = getattr(self, "feature_names_in_", None)
        return None if names is None else [str(name) for name in names]

    @property
    def rules_(self) -> tuple[Any, ...]:
        """The conditions; for more than two classes, one tuple a class."""
        rules = self.cover_.rules
        return rules[0] if len(rules) == 1 else rules

    @property
    def compression_set_(self) -> Ints:
        return self.cover_.made_of

    @property
    def is_made_of_few(self) -> bool:
        return True

    @property
    def held_back_(self) -> Ints:
        """Sorted indices of the training examples that are not counted: these, and the pool."""
        return self.cover_.held_back

    @property
    def n_samples_(self) -> int:  # type: ignore[override]
        """Number of training examples."""
        return self.cover_.n_samples

    @property
    def n_training_errors_(self) -> int:  # type: ignore[override]
        """Errors on all training examples."""
        return self.cover_.n_training_errors

    @property
    def n_errors_(self) -> int:
        """Errors on the training examples that are counted."""
        return self.cover_.n_errors

    @property
    def draw_(self) -> Draw:
        """What drew the pools: the digest of the data, or a seed."""
        return self.cover_.draw

    @property
    def path_(self) -> pd.DataFrame:
        """Every candidate with its counts and certificate."""
        return self.cover_.path_frame()

    def get_rules(self) -> pd.DataFrame:
        """The rules: form, condition, label, value; then examples, and how many rows meet them."""
        return self.cover_.rules_frame()

    def equivalent_rules(self, X: Any) -> list[list[Condition]]:
        """For each condition, those on other columns of numbers that the same rows of X meet."""
        rows = self.fitted_.rows(self._rows(X))
        is_flag = [feature.is_flag for feature in self.fitted_.columns.features]
        numbers = np.flatnonzero(~np.array(is_flag, dtype=bool))
        asked = (condition for rules in self.cover_.rules for condition in rules)
        return [equivalent_conditions(condition, rows, numbers) for condition in asked]

    def caution(self) -> str:
        """A warning if the classifier is not shown to be better than a constant guess; else ""."""
        return self.cover_.caution(self.certificate_)

    def explain(self) -> str:
        made, certificate = self.cover_, self.certificate_
        caution = made.caution(certificate)
        return "\n".join(
            [
                *made.fitted.sentences(),
                made.provenance(),
                "",
                *([caution] if caution else []),
                certificate.explain(),
            ]
        )

    def without_data(self) -> Any:
        """A copy that predicts the same, without candidates and digests of training rows."""
        light = copy.copy(self)
        light._offer([self.cover_.without_data()])
        return light


def _framed(X: NDArray[Any], names: list[str]) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame(X, columns=names)


def equivalent_conditions(condition: Condition, X: Floats, features: Ints) -> list[Condition]:
    """Conditions on other features, at values of the data, that exactly the same rows meet."""
    is_met, same = condition.is_met(X), []
    for j in features.tolist():
        known = ~np.isnan(X[:, j])
        if not is_met.any() or is_met.all() or (is_met & ~known).any():
            continue
        inside, outside = X[is_met, j], X[~is_met & known, j]
        if outside.size == 0 or condition.features == (j,):
            continue
        if inside.max() < outside.min():
            same.append(Condition.on(j, "<", float(outside.min())))
        elif inside.min() > outside.max():
            same.append(Condition.on(j, ">", float(outside.max())))
    return same

"""The estimator of this folder: a score card."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from handful.arrays import Floats
from handful.checks import check_count, check_weights
from handful.models import Card, Fitted
from handful.scoring.solver import (
    MAX_ITEMS,
    integer_points,
    make_items,
    make_task,
    support_path,
)
from handful.scoring.ward import card_of
from handful.table_classifier import TableClassifier
from handful.tables import Columns


class ScoreCard(TableClassifier):
    """Few conditions with integer points. A total from the threshold on gives the second class.

    Items are cuts of features at quantiles (or given cuts), words, and missing values. Items and
    real weights are chosen greedily by logistic loss, and rounded at several scales. Then points
    and cuts are moved while the loss falls. The card is certified on held-out rows only. Use
    `CertifiedClassifier` to certify a card on all rows.

    Parameters
    ----------
    max_items : int
        Most conditions on the card.
    max_points : int
        Most points of one condition; points are whole numbers.
    n_cuts : int
        Number of cuts of a feature, at quantiles.
    cut_points : mapping from feature to sequence of float, optional
        Cuts that replace the quantiles, by name or position of a column.
    directions : mapping from feature to {-1, 1}, optional
        Required sign of the points of "feature ≥ cut".
    columns : mapping or handful.tables.Choices, optional
        What you say about the columns of a data frame; see `CertifiedClassifier`.
    delta : float
        Allowed probability that a certificate fails.

    Attributes
    ----------
    card_ : Card
    fitted_ : Fitted
    classes_ : ndarray
    n_features_in_ : int

    Examples
    --------
    >>> from handful import ScoreCard, load_dataset
    >>> data = load_dataset("haberman-294")
    >>> card = ScoreCard(max_items=2).fit(data.X, data.y)
    >>> card.card_.size
    2
    """

    def __init__(
        self,
        max_items: int = 8,
        *,
        max_points: int = 5,
        n_cuts: int = 12,
        cut_points: Mapping[Any, Sequence[float]] | None = None,
        directions: Mapping[Any, int] | None = None,
        columns: Any = None,
        delta: float = 0.05,
    ) -> None:
        self.max_items = max_items
        self.max_points = max_points
        self.n_cuts = n_cuts
        self.cut_points = cut_points
        self.directions = directions
        self.columns = columns
        self.delta = delta

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> ScoreCard:
        """Learn the card.

        Parameters
        ----------
        X : array or data frame (n_samples, n_features)
            Numbers, words and missing values.
        y : array (n_samples,)
            Two classes.
        sample_weight : array (n_samples,), optional

        Returns
        -------
        self
        """
        self._check_parameters()
        study = self._read(X, y, pool_share=1.0)
        table, codes = study.X, self._positions(study.y)
        if len(self.classes_) != 2:
            raise ValueError(
                "Only binary classification is supported. The type of the target is: a score card "
                f"is for two classes, got {len(self.classes_)} class(es)."
            )
        weight = check_weights(sample_weight, len(codes))
        columns = Columns(study.features).asking(table)
        encoded = columns.encode(table)
        task = self._task(encoded, codes.astype(np.float64), weight, columns)
        # All rows choose the card, so no count on them is binomial: it has no certificate of its
        # own, and `CertifiedClassifier` codes it with a pool.
        *_, support = support_path(task, int(self.max_items))
        found = integer_points(task, support)
        card = card_of(task.items, found, encoded)
        self._fitted = Fitted(card.tag, columns, study.classes, card, found.risk)
        self.n_training_errors_ = int(np.sum(card.labels(encoded) != codes))
        return self

    def _task(self, X: Floats, y: Floats, weight: Floats, columns: Columns) -> Any:
        by_feature = {
            j: [float(c) for c in cuts]
            for name, cuts in (self.cut_points or {}).items()
            for j in self._features(name, columns)
        }
        items = make_items(X, weight=weight, n_cuts=int(self.n_cuts), cut_points=by_feature)
        sign = np.append(self._directions(columns), 0)  # at least one, if no column is left
        for name, direction in (self.directions or {}).items():
            sign[self._features(name, columns)] = direction
        signs, most = sign[items.features], int(self.max_points)
        asked = [np.flatnonzero(np.isin(items.features, own)) for own in self._must_ask(columns)]
        return make_task(items, y, weight=weight, direction=signs, max_points=most, asked=asked)

    def _features(self, name: Any, columns: Columns) -> list[int]:
        """Encoded features of a column given by name or position."""
        names = [column.name for column in columns.columns]
        if name in names:
            i = names.index(name)
        elif isinstance(name, (int, np.integer)) and 0 <= name < len(names):
            i = int(name)
        else:
            raise ValueError(f"`{name}` is not a column. The columns are {names}.")
        return [j for j, source in enumerate(columns.sources) if source == i][:1]

    def _check_parameters(self) -> None:
        for name in ("max_items", "max_points", "n_cuts"):
            check_count(name, getattr(self, name), low=1)
        if self.max_items > MAX_ITEMS:
            raise ValueError(
                f"`max_items` must be at most {MAX_ITEMS}, got {self.max_items}. "
                "Take a linear score for more."
            )
        for name, value in (self.directions or {}).items():
            if value not in (-1, 1):
                raise ValueError(f"`directions` must be -1 or 1, got {value!r} for {name!r}.")

    @property
    def card_(self) -> Card:
        """The card as data."""
        return cast(Card, self.fitted_.machine)

    def points(self, X: Any) -> NDArray[np.int64]:
        """Total points of each row."""
        return self.card_.points(self.fitted_.rows(self._rows(X)))

    def explain(self) -> str:
        """The card as text."""
        return self.card_.show(self.fitted_.words)

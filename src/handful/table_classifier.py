"""The base of classifiers that read tables as they are: files, frames and chunks alike."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from handful.arrays import Floats, Ints, Mask
from handful.estimator import BaseClassifier
from handful.models import Fitted
from handful.tables import (
    Choices,
    Column,
    Columns,
    Draw,
    FeatureReader,
    Note,
    RowDigests,
    RowSource,
    SeenRows,
    Study,
    TableReading,
    given_rows,
    map_distinct,
    new_table,
    read_rows,
    read_source,
    warn_of,
)

__all__ = ["TableClassifier"]

_TINY = 5e-324  # the smallest positive float


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
    draw_ : Draw
        What drew the pool: the digest of the table, or a seed.
    """

    columns: Any
    columns_: tuple[Column, ...]
    notes_: tuple[str, ...]
    draw_: Draw
    _fitted: Fitted
    _places: Ints
    _reading: TableReading
    _is_frame: bool

    def _allows_nan(self) -> bool:
        return True

    def _said(self) -> Choices:
        """What the user says about the columns."""
        choices = Choices.of(self.columns)
        if choices.target is not None or choices.drop_missing_target:
            raise ValueError("`columns` must not speak of the target, which is `y`.")
        return choices

    def _read(self, X: Any, y: Any, groups: Any = None, weights: Any = None, **how: Any) -> Study:
        """Check and read a table and its labels; ``how`` are arguments of `read_rows`."""
        choices = self._said()
        given = given_rows(self, X, y, groups=groups, weights=weights)
        study = read_rows(given, choices, **how)
        self._take_study(study, how.get("classes"))
        if isinstance(how.get("random_state"), RowDigests):  # of more columns than these
            self._seen = SeenRows.of(study.table, given.y)
        warn_of(study, stacklevel=3)
        return study

    def _directions(self, columns: Columns) -> Ints:
        """For each encoded feature, whether the second class must be likelier with it (1 or -1)."""
        said, classes = self._reading.choices, self._reading.classes
        case = -1 if self._reading.positive == classes[0] else 1
        signs = dict.fromkeys(said.increasing, case)
        for name in said.decreasing:
            if name in signs:
                raise ValueError(f"`--decreasing` must not name {name!r}, which increases.")
            signs[name] = -case
        if signs and len(classes) != 2:
            raise ValueError(
                f"`--increasing` and `--decreasing` need two classes, got {len(classes)}."
            )
        for column in columns.columns:
            if column.name in signs and column.words is not None:
                raise ValueError(
                    f"`--increasing` and `--decreasing` must name columns of numbers or of ordered "
                    f"words, got {column.name!r}, whose words have no order. Say --ordered."
                )
        asked = columns.features
        return np.array(
            [
                0 if feature.is_flag else signs.get(feature.column or feature.name, 0)
                for feature in asked
            ],
            dtype=np.int64,
        )

    def _must_ask(self, columns: Columns) -> tuple[tuple[int, ...], ...]:
        """Encoded features of each column that a score card must ask for."""
        asked = []
        for name in self._reading.choices.must_ask:
            own = [
                j
                for j, feature in enumerate(columns.features)
                if feature.kind != "missing" and (feature.column or feature.name) == name
            ]
            if not own:
                raise ValueError(
                    f"`--must-ask` must name columns that are used, got {name!r}, which is not. "
                    "Say --features, or leave it out."
                )
            asked.append(tuple(own))
        return tuple(asked)

    def _read_chunks(self, rows: RowSource, **how: Any) -> Study:
        """Read rows in chunks; ``how`` are arguments of `read_source`."""
        choices = self._said()
        for name in ("groups", "weights"):
            if getattr(choices, name) is not None:
                raise ValueError(f"`columns` must name no {name} for rows in chunks.")
        self._note_columns(rows)
        study = read_source(rows, choices, **how)
        self._take_study(study, how.get("classes"))
        warn_of(study, stacklevel=6)
        return study

    def _take_study(self, study: Study, named: Any = None) -> None:
        """Remember how a table was read, the labels behind its words, and rows by their digests.

        Of rows in chunks, those of the pool are remembered.
        """
        source, self._reading = study.source, study.reading
        self.columns_, self.notes_ = study.columns, study.all_notes
        self._is_frame = source.names is not None
        self.draw_ = source.draw
        labels: dict[str, Any] = {}
        for label in [*source.classes, *(() if named is None else named)]:
            labels.setdefault(study.labels.spell(label), label)
        given = [word if isinstance(labels[word], str) else labels[word] for word in study.classes]
        order = np.argsort(np.array(given), kind="stable")
        self.classes_, self._places = np.array(given)[order], np.argsort(order)
        kept = study.pool if study.table is None else np.arange(source.n_samples)
        self._seen = SeenRows.of_digests(source.digests_of(kept))
        self.n_samples_ = source.n_samples

    @property
    def reading_(self) -> Choices | None:
        """What was said about the columns, for a file, if the table alone gives the pool again."""
        check_is_fitted(self)
        return self._reading.said if self._reading.is_whole else None

    def notes_on(self, names: Collection[str]) -> tuple[Note, ...]:
        """Cautions, notes on the table, and notes on some of its columns."""
        check_is_fitted(self)
        return self._reading.notes_on(names)

    @property
    def labels_(self) -> NDArray[Any]:
        check_is_fitted(self)
        return np.asarray(self.classes_[self._places])

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
        return FeatureReader(self.columns_)(table)

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

    def _has_risk(self) -> bool:
        return getattr(self, "_fitted", None) is not None and self._fitted.risk is not None

    @available_if(_has_risk)
    def predict_proba(self, X: Any) -> Floats:
        """Estimated probabilities of both classes: an estimate, without a certificate.

        Parameters
        ----------
        X : array or data frame (n_samples, n_features)

        Returns
        -------
        ndarray (n_samples, 2)
            In the order of ``classes_``.
        """
        second = self.fitted_.risks(self._rows(X))
        return np.column_stack([1.0 - second, second])[:, np.argsort(self._places)]

    @property
    def fitted_(self) -> Fitted:
        """The classifier as data: it predicts, speaks, and becomes a document."""
        check_is_fitted(self)
        return self._fitted

"""What every form of classifier can do, and the arithmetic that forms share."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

import numpy as np

from handful.arrays import Floats, Ints
from handful.codec import Tagged, fail
from handful.models.language import Entry, Language, pick
from handful.models.words import Vocabulary

Places = Mapping[int, int]  # of encoded features: where they were, and where they are
Part = dict[str, Any]  # condition, label and value of a part


class Form(Tagged, ABC, field="machine"):
    """A classifier of encoded rows; labels are positions 0, 1, ... in the list of classes.

    A form is a frozen dataclass. Its ``tag`` names it in model files, its fields are written there
    by their type hints. It fills `scores` (or `labels`), `sentences`, `size`, `features`, `moved`,
    and `check`; `score_formulas` or `decision` if it can be exported.
    """

    @abstractmethod
    def scores(self, X: Floats) -> Floats:
        """Shape (n,) for two classes, positive for the second; (n, n_classes) for more."""

    def labels(self, X: Floats) -> Ints:
        """Predicted class positions: by the sign, or by the largest score."""
        return from_scores(self.scores(X))

    @abstractmethod
    def sentences(self, words: Vocabulary) -> list[str]:
        """Sentences that say, in the user's words, exactly what is evaluated."""

    def outline(self, words: Vocabulary, bars: str) -> list[str]:
        """The form at a glance, if it has too many numbers to read; else nothing.

        ``bars`` are characters of rising height.
        """
        return []

    @property
    @abstractmethod
    def size(self) -> int:
        """Number of parts a reader must go through."""

    @property
    @abstractmethod
    def features(self) -> tuple[int, ...]:
        """Encoded features it reads, sorted."""

    @property
    def conditions(self) -> tuple[Any, ...]:
        """Conditions (`Condition`) that it asks, if it is made of such."""
        return ()

    def described(self, words: Vocabulary) -> list[Part]:
        """Condition, label and value of each part."""
        return [lines_part(line) for line in self.sentences(words)]

    def reasons(self, X: Floats, words: Vocabulary) -> list[str]:
        """The part that decided about each row, in words; empty texts if no part decides alone."""
        return [""] * len(X)

    @property
    def inner(self) -> tuple[Form, ...]:
        """The forms that this form is made of; empty for most forms."""
        return ()

    def with_inner(self, change: Callable[[Form], Form]) -> Form:
        """The same form whose inner forms are changed."""
        return self

    def renumbered(self, order: Ints) -> Form:
        """The same form, whose training example i has the number ``order[i]``."""
        return self.with_inner(lambda form: form.renumbered(order))

    @property
    def required(self) -> tuple[int, ...]:
        """Features that must be known; rows in which one is missing have no label."""
        return ()

    @property
    def n_training_rows(self) -> int:
        """Number of training rows that the form contains, cell by cell."""
        return sum(form.n_training_rows for form in self.inner)

    @property
    def why_closed(self) -> str:
        """The reason why the form is not plain data; empty if it is, or if no reason is known."""
        return next((form.why_closed for form in self.inner if form.why_closed), "")

    @property
    def is_plain(self) -> bool:
        """Whether the form is made of plain data, so that a file can hold it."""
        return all(form.is_plain for form in self.inner)

    @abstractmethod
    def moved(self, places: Places) -> Self:
        """The same form over the features in ``places`` alone, in their new order."""

    @abstractmethod
    def check(self, where: str, width: int, n_classes: int) -> None:
        """Raise `ModelFileError` if it does not fit ``width`` features and so many classes."""

    @property
    def has_thresholds(self) -> bool:
        """Whether it has a score that can be compared with other thresholds than 0."""
        return False

    @property
    def points_offset(self) -> float | None:
        """The number that is added to a score to get points; None if the form has no points."""
        return None

    def at(self, threshold: float) -> Form:
        """The same score against another threshold than 0, for two classes."""
        raise TypeError(f"{type(self).__name__} has no score to compare with a threshold.")

    def as_curves(self, fill: Sequence[float]) -> Form | None:
        """The same score as a sum of curves, else None. A missing value counts as its fill."""
        return None

    def around(self, width: float) -> tuple[Form, Form]:
        """Two forms: the score is above ``width``; it is not below ``-width``."""
        # "Not below -width" is "above the float before -width".
        return self.at(width), self.at(math.nextafter(-width, -math.inf))

    @property
    def has_sums(self) -> bool:
        """Whether it has sums that formulas can give."""
        return False

    def score_formulas(self, language: Language) -> list[str]:
        """The sums of a form that has sums: one for two classes, one a class for more."""
        raise TypeError(f"{type(self).__name__} has no sums.")

    def decision(self, outputs: Sequence[str], language: Language) -> str:
        """An expression whose value is the output of the predicted class."""
        return pick(self.score_formulas(language), outputs, language)

    def statements(self, outputs: Sequence[str], language: Language) -> list[str]:
        """The same in a language that has statements, a line each."""
        return [f"return {self.decision(outputs, language)}"]

    def entries(self, words: Vocabulary, language: Language) -> list[Entry]:
        """The lines that a reader works through, if the form is one for a reader; else none."""
        return []

    @property
    def reads_table(self) -> bool:
        """Whether it reads the table itself, not its encoding."""
        return False

    @property
    def asks_once(self) -> bool:
        """Whether `decision` names each feature once, so that no variable is needed."""
        return False


def lines_part(line: str) -> Part:
    """A part that is a sentence."""
    return {"condition": line, "label": "", "value": np.nan}


def score_reasons(scores: Floats, words: Vocabulary) -> list[str]:
    """The score of each row, or the class of the largest one."""
    if scores.ndim == 2:
        return [f"largest sum: {words.labels[k]}" for k in np.argmax(scores, axis=1)]
    return [f"score {float(s):+.4g} {'>' if s > 0 else '≤'} 0" for s in scores]


def used(features: Sequence[int]) -> tuple[int, ...]:
    """Sorted distinct features."""
    return tuple(sorted({int(j) for j in features}))


def from_scores(scores: Floats) -> Ints:
    """Class positions: the sign for two classes, the largest score for more."""
    if scores.ndim == 1:
        # A score of exactly 0 is the first class, in files and in other languages too.
        return (scores > 0.0).astype(np.int64)
    # Of equal largest scores the first class wins.
    return np.asarray(np.argmax(scores, axis=1), dtype=np.int64)


def scores_of(labels: Ints, n_classes: int) -> Floats:
    """Scores that say no more than the label."""
    if n_classes == 2:
        return np.where(labels > 0, 1.0, -1.0)
    return np.asarray(np.eye(n_classes)[labels])


def filled(X: Floats, fill: Sequence[float]) -> Floats:
    """X with missing values replaced."""
    is_missing = np.isnan(X)
    if not is_missing.any():
        return X
    return np.where(is_missing, np.asarray(fill, dtype=np.float64), X)


def steady_product(X: Floats, weights: Floats) -> Floats:
    """X @ weights, summed so that a row's value does not depend on the rows beside it."""
    weights = np.atleast_2d(weights)
    out = np.zeros((len(X), len(weights)))
    # Column by column: a matrix product may round a row differently beside other rows. Columns
    # without a weight are not read, so a missing value in them changes nothing.
    for j in np.flatnonzero(weights.any(axis=0)):
        out += X[:, j, None] * weights[None, :, j]
    return out


def as_floats(values: Any) -> tuple[Any, ...]:
    """Nested tuples of Python floats, for frozen records."""
    array = np.asarray(values, dtype=np.float64)
    return tuple(as_floats(row) if array.ndim > 1 else float(row) for row in array)


def some(values: Sequence[float], places: Places) -> tuple[float, ...]:
    """The values of the features that stay, in their new order."""
    return tuple(values[j] for j in sorted(places, key=places.__getitem__))


def n_scores(n_classes: int) -> int:
    """One score for two classes, one a class for more."""
    return 1 if n_classes == 2 else n_classes


def check_within(where: str, value: int, size: int) -> None:
    """Refuse a position that is not below ``size``."""
    if not 0 <= value < size:
        raise fail(where, f"a whole number from 0 to {size - 1}", value)


def check_length(where: str, values: Sequence[Any], size: int) -> None:
    """Refuse a list of another length."""
    if len(values) != size:
        raise fail(where, f"{size} parts", values)


def check_positive(where: str, values: Sequence[float]) -> None:
    """Refuse numbers that are not above 0."""
    if not all(value > 0.0 for value in values):
        raise fail(where, "a list of positive numbers", values)


def check_two(where: str, n_classes: int) -> None:
    """Refuse more classes than two."""
    if n_classes != 2:
        raise fail(where, "for two classes", n_classes)


def check_classes(where: str, value: int, n_classes: int) -> None:
    """Refuse another number of classes than the file's."""
    if value != n_classes:
        raise fail(f"{where}.n_classes", f"{n_classes}", value)

"""The record that `load_dataset` returns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, final

import numpy as np

if TYPE_CHECKING:
    import pandas as pd


@final
@dataclass(frozen=True, kw_only=True, eq=False)
class Dataset:
    """Examples, labels, and where they come from.

    Parameters
    ----------
    name : str
        The name it was found by.
    X : float64 array of shape (n_samples, n_features)
        Missing values are NaN. A column of words holds the alphabetical rank of each word.
    y : array of shape (n_samples,)
        The labels as they stand in the file: int64 where they are whole numbers (the
        embedded sets use -1 and +1), else strings.
    feature_names : tuple of str
    target_names : mapping from label to str
        What each label means; the label itself as text where nothing is known.
    categories : mapping from feature name to tuple of str
        The words behind the ranks, for columns of words only.
    description, source, licence : str
        What it is and how it was prepared, where it was read from, on which terms.

    Examples
    --------
    >>> from handful.datasets import load_dataset
    >>> breastw = load_dataset("breastw")
    >>> breastw.X.shape, breastw.target_names[1]
    ((683, 9), 'malignant')
    """

    name: str
    X: np.ndarray
    y: np.ndarray
    feature_names: tuple[str, ...]
    target_names: Mapping[int | str, str]
    categories: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    description: str = ""
    source: str = ""
    licence: str = ""

    @property
    def n_samples(self) -> int:
        """Number of examples."""
        return int(self.X.shape[0])

    @property
    def n_features(self) -> int:
        """Number of features."""
        return int(self.X.shape[1])

    @property
    def class_counts(self) -> dict[int | str, int]:
        """How often each label occurs, in sorted order."""
        labels, counts = np.unique(self.y, return_counts=True)
        return dict(zip(labels.tolist(), counts.tolist(), strict=True))

    def frame(self) -> pd.DataFrame:
        """Features and, last, the column ``label``, as a pandas frame with words restored."""
        import pandas as pd

        frame = pd.DataFrame(self.X, columns=list(self.feature_names))
        for name, words in self.categories.items():
            ranks = frame[name].fillna(-1).astype(int)
            frame[name] = pd.Categorical.from_codes(ranks, categories=pd.Index(words))
        return frame.assign(label=self.y)

    def named(self) -> tuple[pd.DataFrame, np.ndarray]:
        """Features as a frame and labels as words: machines print what they are given.

        Examples
        --------
        >>> from handful.datasets import load_dataset
        >>> X, y = load_dataset("breastw").named()
        >>> X.columns[0], str(y[0])
        ('clump-thickness', 'benign')
        """
        words = np.array([self.target_names[label] for label in self.y.tolist()])
        return self.frame().drop(columns="label"), words

    def __repr__(self) -> str:
        counts = ", ".join(f"{label}: {count}" for label, count in self.class_counts.items())
        return f"Dataset({self.name!r}, {self.n_samples} × {self.n_features}, labels {{{counts}}})"

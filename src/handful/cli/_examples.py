"""The examples of a table for machines that count all rows but those they are made of.

A raw table is read as for the menu, but that its columns are read off a tenth of the rows, which
are then set aside. The columns of the embedded data are known beforehand: no row is set aside.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pandas as pd

    from handful.tables import Choices, RowDigests, Study

EMBEDDED = "embedded:breastw"  # what a model file calls them
EMBEDDED_NAME = "Breast Cancer Wisconsin (embedded)"


@dataclass(frozen=True, eq=False)
class Examples:
    """Clean features and labels of the rows that may be counted.

    Attributes
    ----------
    X, y
        A frame and labels; of Dask where rows come in chunks.
    name, target : str
    classes : tuple
        In the order of class positions.
    positive : label or None
        The case, of two classes.
    is_positive_said : bool
        Whether the user or its word says that it is the case.
    notes : tuple of str
    random_state : RowDigests
        Draws the pools, whichever columns are used.
    study : Study or None
        How the table was read; None where its columns were known beforehand.
    raw : DataFrame or None
        All labelled rows of the raw table.
    digests : tuple of (str, str)
        Files that were read, and what they held.
    groups, weights : ndarray or None
    """

    X: Any
    y: Any
    name: str
    target: str
    classes: tuple[Any, ...]
    positive: Any
    is_positive_said: bool
    notes: tuple[str, ...]
    random_state: RowDigests
    study: Study | None = None
    digests: tuple[tuple[str, str], ...] = ()
    groups: NDArray[Any] | None = None
    weights: NDArray[np.float64] | None = None


def embedded_table() -> tuple[pd.DataFrame, NDArray[Any]]:
    """The embedded breast cancer data, with names for its labels."""
    import pandas as pd

    from handful.datasets import load_dataset

    data = load_dataset("breastw")
    names = {1: "malignant", -1: "benign"}
    y = np.array([names[int(label)] for label in data.y])
    return pd.DataFrame(data.X, columns=list(data.feature_names)), y


def embedded_frame() -> pd.DataFrame:
    """The embedded breast cancer data with their target."""
    X, y = embedded_table()
    return X.assign(**{"class": y})


def read_examples(data: Path | None, choices: Choices, seed: int | None = None) -> Examples:
    """The examples of a file, or of the embedded breast cancer data.

    Parameters
    ----------
    data : path or None
    choices : Choices
        What the user says about the columns.
    seed : int, optional
        Draws the pools in place of the digest.
    """
    from handful.tables import Choices, load_table, read_study

    if data is None:
        plain = Choices(target=choices.target, positive=choices.positive)
        if choices != plain:  # columns are left out or read otherwise: no longer known beforehand
            frame = embedded_frame()
            return _of_study(read_study(frame, choices, set_aside=True), EMBEDDED_NAME, seed)
        return _embedded(choices, seed)
    loaded = load_table(data)
    study = read_study(loaded.frame, choices, set_aside=True)
    study = replace(study, notes=(*loaded.notes, *study.notes))
    return replace(_of_study(study, loaded.name, seed), digests=loaded.digests)


def _embedded(choices: Choices, seed: int | None) -> Examples:
    from handful.tables import RowDigests, read_study

    study = read_study(embedded_frame(), choices)  # for its labels
    X, y = embedded_table()
    return Examples(
        X=X,
        y=y,
        name=EMBEDDED_NAME,
        target=study.target,
        classes=study.classes,
        positive=study.positive,
        is_positive_said=study.is_positive_said,
        notes=(*study.notes, *_repeats(X, y)),
        random_state=RowDigests.of(X, y, seed=seed),
    )


def _of_study(study: Study, name: str, seed: int | None) -> Examples:
    clean = study.rest(seed=seed)
    gone = sorted(set(study.classes) - set(clean.y.tolist()))
    if gone:
        raise ValueError(
            f"the class {gone[0]!r} has {int((study.y == gone[0]).sum())} rows, all of which were "
            "set aside to read the columns. Add rows of it, or leave it out."
        )
    said = f"{len(study.pool)} of {len(study.y)} rows were set aside to read the columns by."
    return Examples(
        X=clean.X,
        y=clean.y,
        name=name,
        target=study.target,
        classes=study.classes,
        positive=study.positive,
        is_positive_said=study.is_positive_said,
        notes=(said, *study.notes, *_repeats(clean.X, clean.y)),
        random_state=clean.digests,
        study=study,
        groups=clean.groups,
        weights=clean.weights,
    )


def _repeats(X: pd.DataFrame, y: NDArray[Any]) -> list[str]:
    """Rows that repeat others, and rows that contradict them."""
    import pandas as pd

    plain = pd.DataFrame({j: _codes(X.iloc[:, j]) for j in range(X.shape[1])})
    keys = pd.util.hash_pandas_object(plain, index=False).to_numpy()
    labels = np.unique(y.astype(str), return_inverse=True)[1]
    distinct = set(zip(keys.tolist(), labels.tolist(), strict=True))
    notes = []
    if n_repeated := len(y) - len(distinct):
        notes.append(f"{n_repeated} rows repeat an earlier row; each counts as an example.")
    counts = np.unique([key for key, _ in distinct], return_counts=True)[1]
    if n_contradictory := int(counts[counts > 1].sum()):
        notes.append(f"{n_contradictory} distinct rows occur with more than one label.")
    return notes


def _codes(column: pd.Series) -> NDArray[np.float64]:
    """Numbers that are equal where cells are."""
    import pandas as pd

    if getattr(column.dtype, "kind", "O") in "biuf":
        return column.to_numpy(dtype=np.float64) + 0.0  # one zero
    return pd.factorize(column)[0].astype(np.float64)

"""Tables of commands: files, chunks, or the embedded data, made ready for a machine.

A menu of forms is learned from a pool, by which its columns are read. Covers count all rows but
those that they are made of: their columns are read off a tenth of the rows, which are set aside.
The columns of the embedded data, and of files in chunks, are known beforehand.
"""

from __future__ import annotations

import glob
from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pandas as pd

    from handful.tables import Choices, Column, LoadedTable, Note, RowDigests, Study

EMBEDDED = "embedded:breastw"  # what a model file calls them
EMBEDDED_NAME = "Breast Cancer Wisconsin (embedded)"


@dataclass(frozen=True, eq=False)
class StudyRows:
    """A table that was read: the rows to learn from, and what was assumed about them.

    Attributes
    ----------
    name, file : str
        Of the table, on the screen and in a model file.
    target : str
    classes : tuple
        In the order of class positions.
    positive : label or None
        The case, of two classes.
    is_positive_said : bool
        Whether the user or its word says that it is the case.
    notes : tuple of Note
    X, y
        Features and labels; of Dask if rows come in chunks.
    random_state : RowDigests or None
        Draws the pools, whichever columns are used.
    study : Study or None
        How the table was read; None if its columns were known beforehand.
    digests : tuple of (str, str)
        Files that were read, and what they held.
    groups, weights : ndarray or None
    """

    name: str
    file: str
    target: str
    classes: tuple[Any, ...]
    positive: Any
    is_positive_said: bool
    notes: tuple[Note, ...]
    X: Any
    y: Any
    random_state: RowDigests | None = None
    study: Study | None = None
    digests: tuple[tuple[str, str], ...] = ()
    groups: NDArray[Any] | None = None
    weights: NDArray[np.float64] | None = None

    @property
    def cautions(self) -> tuple[Note, ...]:
        """What may make a certificate fail."""
        return () if self.study is None else self.study.cautions

    def notes_on(self, names: Collection[str]) -> tuple[Note, ...]:
        """Cautions, notes, and the notes on some columns."""
        return self.notes if self.study is None else self.study.notes_on(names)

    @property
    def columns(self) -> tuple[Column, ...]:
        """All columns, if something was found out about them."""
        return () if self.study is None else self.study.columns


def embedded_frame() -> pd.DataFrame:
    """The embedded breast cancer data with their target."""
    import pandas as pd

    from handful.datasets import load_dataset

    data = load_dataset("breastw")
    words = np.where(data.y > 0, "malignant", "benign")
    return pd.DataFrame(data.X, columns=list(data.feature_names)).assign(**{"class": words})


def read_table(data: Path | None, sheet: str | None = None) -> LoadedTable:
    """The table of a file, or the embedded breast cancer data."""
    from handful.tables import LoadedTable, load_table

    if data is not None:
        return load_table(data, sheet)
    if sheet is not None:
        raise ValueError("`--sheet` is for Excel files (.xlsx), got none. Name the file in `DATA`.")
    return LoadedTable(embedded_frame(), EMBEDDED_NAME, (), ())


def read_pooled(
    data: Path | None, choices: Choices, sheet: str | None = None, share: float = 0.5
) -> StudyRows:
    """All rows of a table, of which a pool teaches and reads the columns."""
    from handful.tables import read_study

    loaded = read_table(data, sheet)
    study = read_study(loaded.frame, choices, pool_share=share)
    study = replace(study, notes=(*loaded.notes, *study.notes))
    return _rows_of(study, study, loaded, data, study.notes)


def read_rest(
    data: Path | None, choices: Choices, seed: int | None = None, sheet: str | None = None
) -> StudyRows:
    """The rows of a table but those that were set aside to read its columns by.

    Parameters
    ----------
    data : path or None
        A file; the embedded data if there is none.
    choices : Choices
        What the user says about the columns.
    seed : int, optional
        Draws the pools in place of the digest.
    sheet : str, optional
        Of an Excel file; by default the first.
    """
    from handful.tables import Choices, Note, read_study

    plain = Choices(target=choices.target, positive=choices.positive)
    is_known = data is None and replace(choices, acknowledged={}) == plain
    loaded = read_table(data, sheet)
    study = read_study(loaded.frame, choices, set_aside=not is_known)
    if is_known:
        study = replace(study, pool=study.pool[:0])
    clean = study.rest(seed=seed)
    gone = sorted(set(study.classes) - set(clean.y.tolist()))
    if gone:
        raise ValueError(
            f"the class {gone[0]!r} has {int((study.y == gone[0]).sum())} rows, all of which were "
            "set aside to read the columns. Add rows of it, or leave it out."
        )
    said = f"{len(study.pool)} of {len(study.y)} rows were set aside to read the columns by."
    found = [Note("H061", text) for text in _repeats(clean.X, clean.y)]
    notes = (*loaded.notes, *study.notes, *found)
    notes = notes if is_known else (Note("H061", said), *notes)
    made = _rows_of(clean, study, loaded, data, notes)
    return replace(made, random_state=clean.digests, study=None if is_known else made.study)


def _rows_of(
    rows: Study, study: Study, loaded: LoadedTable, data: Path | None, notes: tuple[Note, ...]
) -> StudyRows:
    return StudyRows(
        name=loaded.name,
        file=EMBEDDED if data is None else loaded.name,
        target=study.target,
        classes=study.classes,
        positive=study.positive,
        is_positive_said=study.is_positive_said,
        notes=notes,
        X=rows.X,
        y=rows.y,
        study=replace(study, notes=notes),
        digests=loaded.digests,
        groups=rows.groups,
        weights=rows.weights,
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
    """Numbers that are equal if cells are."""
    import pandas as pd

    if getattr(column.dtype, "kind", "O") in "biuf":
        return column.to_numpy(dtype=np.float64) + 0.0  # one zero
    return pd.factorize(column)[0].astype(np.float64)


# -- files in chunks -------------------------------------------------------------------------------


@contextmanager
def on_scheduler(address: str | None) -> Iterator[None]:
    """Run what is inside on a Dask cluster; here if there is no address."""
    if address is None:
        yield
        return
    from handful.distributed import scheduler

    try:
        with scheduler(address):
            yield
    except ImportError as error:
        raise RuntimeError(str(error)) from error


def read_chunked(path: Path | None, choices: Choices, seed: int | None) -> StudyRows:
    """Parquet or CSV files as a Dask data frame; the labels are looked at once.

    What a column holds is what the files say, before any row is looked at: no rows need be set
    aside, and nothing is found out about the columns.
    """
    from handful.distributed import chunk_digests
    from handful.tables import LabelOptions, Note, check_named, read_classes, target_of, word_of

    frame = _frame_of(path, choices)
    names = [str(name) for name in frame.columns]
    check_named(choices, names)
    target = target_of(choices.target, names)
    used = _used(choices, names, target)
    column = frame.columns[names.index(target)]
    found = frame[column].drop_duplicates().compute()
    if found.isna().any():
        raise ValueError(f"the target column {target!r} has missing values. Remove those rows.")
    words = [word_of(cell) for cell in found]
    labels = read_classes(target, Counter(words), words, LabelOptions(choices.positive))
    values = dict(zip(words, found, strict=True))
    classes = tuple(values.get(word, word) for word in labels.words)
    if len(set(found.tolist())) != len(classes):
        raise ValueError(
            f"the target column {target!r} spells a class in several ways. Give each one spelling."
        )
    rest = frame.drop(columns=[column])
    return StudyRows(
        name="" if path is None else path.name,
        file="" if path is None else path.name,
        target=target,
        classes=classes,
        positive=None if labels.positive is None else values.get(labels.positive, labels.positive),
        is_positive_said=labels.is_positive_said,
        notes=(
            Note(
                "H060",
                f"Read in {frame.npartitions} chunks. Columns hold what the files say: numbers, or "
                "words that are compared by equality.",
            ),
            *labels.notes,
        ),
        X=frame[[frame.columns[names.index(name)] for name in used]],
        y=frame[column],
        random_state=chunk_digests(rest, frame[column], seed=seed),
    )


def _frame_of(path: Path | None, choices: Choices) -> Any:
    """The files as one frame."""
    from handful.distributed.cluster import require_dask
    from handful.tables import Choices, exact_floats

    if path is None:
        raise ValueError("`DATA` must be given with --engine dask, for example 'rows/*.parquet'.")
    plain = Choices(
        target=choices.target,
        positive=choices.positive,
        features=choices.features,
        exclude=choices.exclude,
        id=choices.id,
        acknowledged=choices.acknowledged,
    )
    if choices != plain:
        raise ValueError(
            "`--engine dask` takes columns as the files have them: only --target, --positive, "
            "--features, --exclude and --id can be given with it."
        )
    try:
        frames = require_dask("dask.dataframe")
    except ImportError as error:
        raise RuntimeError(str(error)) from error
    if not glob.glob(str(path)):
        raise FileNotFoundError(f"no file matches {path}. Check the path.")
    if path.suffix == ".parquet":
        return frames.read_parquet(str(path))
    if path.suffix == ".csv":
        return frames.read_csv(str(path), assume_missing=True, **exact_floats())
    raise ValueError(
        f"`DATA` must end with .parquet or .csv with --engine dask, got {path.name!r}."
    )


def _used(choices: Choices, names: list[str], target: str) -> list[str]:
    """Columns that are features, by the user's word alone."""
    left_out = {*choices.exclude, *choices.id, target}
    wanted = choices.features or names
    used = [name for name in names if name in wanted and name not in left_out]
    if not used:
        raise ValueError(f"the table has no column besides the target {target!r} to learn from.")
    return used

"""Tables that are read in chunks, and commands that run on a Dask cluster."""

from __future__ import annotations

import glob
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from handful.cli._examples import Examples
    from handful.tables import Choices

ENGINES = ("memory", "dask")
ENGINE = typer.Option(
    "memory", help="memory; or dask, which reads files such as 'rows/*.parquet' in chunks."
)
SCHEDULER = typer.Option(None, help="Address of a Dask scheduler, for example tcp://host:8786.")
NO_REPORT = "report.html was not written: it needs all rows in memory (--engine memory)."


@contextmanager
def on_scheduler(address: str | None) -> Iterator[None]:
    """Run what is inside on a Dask cluster; here where there is no address."""
    if address is None:
        yield
        return
    from handful.distributed import scheduler

    try:
        with scheduler(address):
            yield
    except ImportError as error:
        raise RuntimeError(str(error)) from error


def read_chunked(path: Path | None, choices: Choices, seed: int | None) -> Examples:
    """Parquet or CSV files as a Dask data frame; the labels are looked at once.

    What a column holds is what the files say, before any row is looked at: no rows need be set
    aside, and nothing is found out about the columns.
    """
    from handful.cli._examples import Examples
    from handful.distributed import chunk_digests
    from handful.tables import LabelOptions, check_named, read_classes, target_of, word_of

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
    return Examples(
        X=frame[[frame.columns[names.index(name)] for name in used]],
        y=frame[column],
        name="" if path is None else path.name,
        target=target,
        classes=classes,
        positive=None if labels.positive is None else values.get(labels.positive, labels.positive),
        is_positive_said=labels.is_positive_said,
        notes=(
            f"Read in {frame.npartitions} chunks. Columns hold what the files say: numbers, or "
            "words that are compared by equality.",
            *labels.notes,
        ),
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

"""The papers' data sets: reading one, and a check that all files are there."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from handful.arrays import Floats
from handful.datasets import list_datasets, load_dataset

Folder = str | os.PathLike[str] | None

_EMBEDDED = ("glass-2class", "haberman-294")  # other names of embedded sets
_OTHERS = ("glass", "haberman")  # embedded are smaller sets of these names: not the papers'


def read_numbers(name: str, data_dir: Folder = None) -> tuple[Floats, Floats]:
    """Features and labels of one file, as numbers."""
    data = load_dataset(name, data_dir=data_dir)
    return np.asarray(data.X, dtype=np.float64), np.asarray(data.y, dtype=np.float64)


def check_data(names: Iterable[str], data_dir: Folder = None) -> None:
    """Raise ValueError with the files that are missing.

    They may be in the folder ``data_dir``, in that of ``HANDFUL_DATA``, or among the embedded sets.
    """
    found = {*list_datasets(data_dir), *_EMBEDDED}
    found -= {n for n in _OTHERS if not Path(load_dataset(n, data_dir=data_dir).source).exists()}
    missing = [f"{name}.csv" for name in dict.fromkeys(names) if name not in found]
    if not missing:
        return
    folder = data_dir or os.environ.get("HANDFUL_DATA")
    where = f"{str(Path(folder))!r} without them" if folder else "no folder"
    raise ValueError(
        f"`--data-dir` or HANDFUL_DATA must name a folder with {', '.join(missing)}, got {where}. "
        "The papers' data sets are public but no part of handful; see docs/papers.md for how the "
        "files look."
    )

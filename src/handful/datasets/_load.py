"""Find and load data sets by name."""

from __future__ import annotations

import difflib
import os

from handful.datasets._dataset import Dataset
from handful.datasets._embedded import EMBEDDED, load_embedded
from handful.datasets._folders import DATA_VARIABLE, find_tables, load_table, search_folders


def load_dataset(name: str, data_dir: str | os.PathLike[str] | None = None) -> Dataset:
    """Load a data set by name.

    The name is looked up in ``data_dir``, then in the folder that the environment variable
    ``HANDFUL_DATA`` names, then among the embedded sets; the first hit is taken. So what
    you point at wins over what is built in. Your folder may hold a *different* set of the
    same name (its "glass" may have six classes, its "haberman" 306 rows): ``source``
    says what was read, and the aliases "glass-2class" and "haberman-294" say which one is
    meant.

    Parameters
    ----------
    name : str
        Embedded are "breastw", "bupa", "glass" (or "glass-2class") and "haberman" (or
        "haberman-294"). In a folder, ``name.csv`` or ``name.csv.gz``.
    data_dir : path, optional
        A folder that holds CSV files, or whose sub-folder ``csv`` does. A ``manifest.json``
        beside them, if any, gives descriptions, label meanings and licences.

    Returns
    -------
    Dataset
        A frozen record. Missing values are NaN, columns of words are alphabetical ranks
        (see `Dataset`).

    Raises
    ------
    ValueError
        If no set has this name (the message has the nearest names), if a folder is
        missing or empty, or if a file cannot be read as a table.

    Examples
    --------
    >>> from handful.datasets import load_dataset
    >>> data = load_dataset("bupa")
    >>> data.X.shape, data.class_counts
    ((345, 6), {-1: 200, 1: 145})
    """
    if not isinstance(name, str):
        raise TypeError(
            f"`name` must be a str, got {type(name).__name__}. See list_datasets() for the names."
        )
    for folder in search_folders(data_dir):
        tables = find_tables(folder)
        if name in tables:
            return load_table(name, tables[name])
    if name in EMBEDDED:
        return load_embedded(name)
    raise ValueError(_unknown(name, data_dir))


def list_datasets(data_dir: str | os.PathLike[str] | None = None) -> list[str]:
    """Names that `load_dataset` can find with the same ``data_dir``, sorted.

    Examples
    --------
    >>> from handful.datasets import list_datasets
    >>> set(list_datasets()) >= {"breastw", "bupa", "glass", "haberman"}
    True
    """
    names = {entry.name for entry in EMBEDDED.values()}
    for folder in search_folders(data_dir):
        names.update(find_tables(folder))
    return sorted(names)


def _unknown(name: str, data_dir: str | os.PathLike[str] | None) -> str:
    names = sorted({*list_datasets(data_dir), *EMBEDDED})
    near = difflib.get_close_matches(name.lower(), names, n=3, cutoff=0.5)
    nearest = ", ".join(repr(other) for other in near or names[:3])
    where = "data_dir" if data_dir is not None else ""
    return (
        f"`name` must be a data set that can be found, got {name!r}. Nearest: {nearest}. "
        f"See list_datasets({where}) for all names; to add your own, point `data_dir` or "
        f"{DATA_VARIABLE} at a folder with {name}.csv."
    )

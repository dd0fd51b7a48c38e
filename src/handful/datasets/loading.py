"""Find and load data sets by name: folders of CSV files, and what a manifest beside them says."""

from __future__ import annotations

import difflib
import json
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from handful.datasets.dataset import Dataset, read_csv
from handful.datasets.embedded import EMBEDDED, load_embedded


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


SUFFIXES = (".csv.gz", ".csv")  # if both exist, the later one wins
DATA_VARIABLE = "HANDFUL_DATA"


def search_folders(data_dir: str | os.PathLike[str] | None) -> list[Path]:
    """The folders to search, in order: the argument's, then the environment variable's."""
    folders = []
    if data_dir is not None:
        if not isinstance(data_dir, str | os.PathLike):
            raise TypeError(
                f"`data_dir` must be a path, got {type(data_dir).__name__}. "
                "Pass the folder that holds the CSV files."
            )
        folders.append(_checked_folder("`data_dir`", os.fspath(data_dir)))
    from_environment = os.environ.get(DATA_VARIABLE)
    if from_environment:
        folders.append(
            _checked_folder(f"the environment variable {DATA_VARIABLE}", from_environment)
        )
    return folders


def find_tables(folder: Path) -> dict[str, Path]:
    """Sets in ``folder`` and in its sub-folder ``csv``, which wins, by name."""
    found: dict[str, Path] = {}
    for place in (folder, folder / "csv"):
        for suffix in SUFFIXES:
            for path in sorted(place.glob(f"*{suffix}")):
                found[path.name.removesuffix(suffix)] = path
    return found


def load_table(name: str, path: Path) -> Dataset:
    """Load one file, with what the manifest beside it knows."""
    data, facts = read_csv(path), _facts(name, path)
    about = [str(facts[key]) for key in ("original", "preprocessing", "notes") if facts.get(key)]
    return replace(
        data,
        name=name,
        target_names=_meanings(data.y, facts.get("labels") or {}),
        description=". ".join(about),
        source=str(path),
        licence=str(facts.get("licence", "")),
    )


def _checked_folder(origin: str, value: str) -> Path:
    folder = Path(value).expanduser()
    if not folder.is_dir():
        kind = "a file" if folder.exists() else "a path that does not exist"
        raise ValueError(
            f"{origin} must be an existing folder, got {value!r}, {kind}. "
            "Pass the folder that holds the CSV files, or their parent if they are in csv/."
        )
    if not find_tables(folder):
        raise ValueError(
            f"{origin} must hold .csv or .csv.gz files, itself or in a sub-folder csv/, got "
            f"{value!r} without any. Put one in, or pass another folder."
        )
    return folder


def _facts(name: str, path: Path) -> Mapping[str, Any]:
    """The manifest's entry for a set; empty if there is none."""
    folder = path.parent
    places = [folder.parent, folder] if folder.name == "csv" else [folder]
    for manifest in (place / "manifest.json" for place in places):
        if not manifest.is_file():
            continue
        try:
            entries = json.loads(manifest.read_text(encoding="utf-8"))["datasets"]
            facts = entries.get(name, {})
            return facts if isinstance(facts, dict) else {}
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ValueError(
                f"{manifest} must be JSON with an object 'datasets', got: {error!r}. "
                "Correct it or take it away."
            ) from None
    return {}


def _meanings(y: np.ndarray, labels: Mapping[str, Any]) -> dict[int | str, str]:
    """What each label means; a key such as "0..9" speaks for a range of labels."""
    meanings = {label: str(label) for label in np.unique(y).tolist()}
    for key, text in labels.items():
        first, dots, last = key.partition("..")
        is_range = bool(dots) and first.isdecimal() and last.isdecimal()
        for label in meanings:
            if key == str(label):
                meanings[label] = str(text)
            elif is_range and isinstance(label, int) and int(first) <= label <= int(last):
                meanings[label] = f"{text} {label}"
    return meanings

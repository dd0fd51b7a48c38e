"""Folders of CSV files: which sets they hold, and what a manifest beside them says."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from handful.datasets._csv import read_csv
from handful.datasets._dataset import Dataset

SUFFIXES = (".csv.gz", ".csv")  # where both exist, the later one wins
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
    table = read_csv(path)
    facts = _facts(name, path)
    about = [str(facts[key]) for key in ("original", "preprocessing", "notes") if facts.get(key)]
    return Dataset(
        name=name,
        X=table.X,
        y=table.y,
        feature_names=table.feature_names,
        target_names=_meanings(table.y, facts.get("labels") or {}),
        categories=table.categories,
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
    """The manifest's entry for a set; empty where there is none."""
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

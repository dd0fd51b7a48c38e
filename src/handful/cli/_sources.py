"""Where the data of a model file are: what the file remembers, and files named by a pattern."""

from __future__ import annotations

import glob
import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

_LARGEST = 64 * 2**20  # bytes of a model file


def _remembered(model: Path) -> Any:
    """What a model file says of its data; None where it cannot be read."""
    try:
        if model.stat().st_size > _LARGEST:
            return None
        return json.loads(model.read_text(encoding="utf-8"))["provenance"]["data"]
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return None


def form_source(model: Path) -> str:
    """Name of the file that a form of a menu was learned from; empty where it is not said."""
    found = _remembered(model)
    return found if isinstance(found, str) else ""


def source_of(model: Path) -> Mapping[str, Any]:
    """File and target column that a model file remembers; empty where it remembers none.

    It only says where to look: what is wrong with the file is found when it is checked.
    """
    found = _remembered(model)
    names = ("file", "target")
    if not isinstance(found, dict):
        return {}
    return {n: found[n] for n in names if isinstance(found.get(n), str)}


def matching(pattern: str) -> list[Path]:
    """The file of that name, or the files that match a pattern, in order."""
    if Path(pattern).exists():
        return [Path(pattern)]
    found = sorted(Path(name) for name in glob.glob(pattern))
    if not found and not glob.has_magic(pattern):
        raise FileNotFoundError(f"there is no file {pattern}. Check the path.")
    if not found:
        raise FileNotFoundError(f"no file matches {pattern}. Check the path.")
    return found


def read_files(pattern: str) -> pd.DataFrame:
    """All rows of the files that match."""
    import pandas as pd

    from handful.tables import read_frame

    frames = [read_frame(path) for path in matching(pattern)]
    return frames[0] if len(frames) == 1 else pd.concat(frames, ignore_index=True)

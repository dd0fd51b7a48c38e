"""Where the data of a model file are: what the file remembers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

_LARGEST = 64 * 2**20  # bytes of a model file


def _remembered(model: Path, *keys: str) -> Any:
    """What a model file says under some keys; None where it cannot be read."""
    try:
        if model.stat().st_size > _LARGEST:
            return None
        found = json.loads(model.read_text(encoding="utf-8"))
        for key in keys:
            found = found[key]
        return found
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return None


def form_source(model: Path) -> str:
    """Name of the file that a form of a menu was learned from; empty where it is not said."""
    found = _remembered(model, "provenance", "data")
    return found if isinstance(found, str) else ""


def form_target(model: Path) -> str | None:
    """The column that a form of a menu predicts; None where the file does not say."""
    found = _remembered(model, "provenance", "reading", "target")
    return found if isinstance(found, str) else None


def source_of(model: Path) -> Mapping[str, Any]:
    """File, target column and groups that a model file remembers; empty where it remembers none.

    It only says where to look: what is wrong with the file is found when it is checked.
    """
    found = _remembered(model, "provenance", "data")
    names = ("file", "target", "groups")
    if not isinstance(found, dict):
        return {}
    return {n: found[n] for n in names if isinstance(found.get(n), str)}


def options_of(model: Path) -> Mapping[str, Any] | None:
    """The options by which a raw table was read; None where the machine had a clean one."""
    return _remembered(model, "reading", "options")

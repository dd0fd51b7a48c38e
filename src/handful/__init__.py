"""Classifiers made of a handful of examples, each with a certificate that can be re-checked.

The public names are loaded when they are first used, so that ``import handful`` stays fast.
"""

import importlib
from typing import Any

from handful._version import __version__

_HOME: dict[str, str] = {
    "BOUNDS": "bounds",
    "Certificate": "bounds",
    "Criterion": "bounds",
    "LinearProgrammingMachine": "programs",
    "MinimalComplexityMachine": "programs",
    "load_dataset": "datasets",
    "samples_needed": "bounds",
}

__all__ = ["__version__", *sorted(_HOME)]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'handful' has no attribute {name!r}")
    return getattr(importlib.import_module(f"handful.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)

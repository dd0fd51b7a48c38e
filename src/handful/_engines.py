"""Engines for rows that are not in memory. Estimators look one up; `handful` registers them.

An estimator that gets a collection which is not in memory passes the work to the engine for such
collections. An engine registers a test of inputs and a function that loads it, so that nothing is
imported before it is needed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Recognises = Callable[[Any], bool]

_ENGINES: list[tuple[Recognises, Callable[[], Any]]] = []


def register_engine(recognises: Recognises, load: Callable[[], Any]) -> None:
    """Register an engine: a test of the inputs that it takes, and a function that loads it."""
    _ENGINES.append((recognises, load))


def is_elsewhere(X: Any) -> bool:
    """Whether the rows of X are not in memory.

    Examples
    --------
    >>> is_elsewhere([[1.0]])
    False
    """
    return any(recognises(X) for recognises, _ in _ENGINES)


def engine_for(X: Any) -> Any:
    """The engine for X; it has ``fit``, ``map_rows`` and ``count_wrong``."""
    for recognises, load in _ENGINES:
        if recognises(X):
            return load()
    raise TypeError(f"`X` must be a collection that an engine knows, got {type(X).__name__}.")

"""Engines for rows that are elsewhere: lower floors ask here, upper floors enter themselves.

A machine that is given a collection which is not in memory looks for the engine that knows such
collections and hands the work over. Who the engines are is none of its business: they register a
test and a way to load them, and nothing is imported before it is needed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Recognises = Callable[[Any], bool]

_ENGINES: list[tuple[Recognises, Callable[[], Any]]] = []


def register_engine(recognises: Recognises, load: Callable[[], Any]) -> None:
    """Enter an engine: which inputs it takes, and how it is loaded."""
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
    """The engine that works on X, with ``fit``, ``map_rows`` and ``count_wrong``."""
    for recognises, load in _ENGINES:
        if recognises(X):
            return load()
    raise TypeError(f"`X` must be a collection that an engine knows, got {type(X).__name__}.")

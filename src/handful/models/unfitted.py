"""Estimators of the user before training: none may have learned already, none draws at random."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Iterator, Mapping
from typing import Any

from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

_NEXT = (
    "It may have learned from the rows that are counted. Pass it unfitted, and it is trained here. "
    "For a classifier that must stay as it is, count its errors on rows that it never saw: "
    "`handful.bounds.held_out_bound`."
)


def parts_of(estimator: Any, where: str = "") -> Iterator[tuple[str, Any]]:
    """Pairs (place, part): an estimator and everything that it is made of.

    Parameters of estimators are followed, and so are lists, tuples, dictionaries, methods that
    belong to an object, and functions with arguments filled in.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.preprocessing import StandardScaler
    >>> pipeline = make_pipeline(StandardScaler(), LogisticRegression())
    >>> [place for place, part in parts_of(pipeline) if hasattr(part, "fit")]
    ['', 'standardscaler', 'logisticregression']
    """
    if isinstance(estimator, (str, bytes, type)):
        return
    yield where, estimator
    for name, value in _inside(estimator):
        yield from parts_of(value, name if name else where)


def _inside(part: Any) -> Iterator[tuple[str, Any]]:
    """Pairs (name, value) of what a part is made of; the name is empty if the value has none."""
    if isinstance(part, Mapping):
        yield from ((str(key), value) for key, value in part.items())
    elif isinstance(part, tuple) and part and isinstance(part[0], str):
        yield from ((part[0], value) for value in part[1:])
    elif isinstance(part, (list, tuple, set, frozenset)):
        yield from (("", value) for value in part)
    elif isinstance(part, functools.partial):
        yield from (("", value) for value in (part.func, *part.args, *part.keywords.values()))
    elif inspect.ismethod(part):
        yield "", part.__self__
    elif hasattr(part, "get_params"):
        yield from part.get_params(deep=False).items()


def refuse_fitted(name: str, what: str, estimator: Any, *rows: Any) -> None:
    """Refuse an estimator that still knows something after `clone`.

    Parameters
    ----------
    name : str
        The argument by which it was given.
    what : str
        The name that the user gave it.
    estimator : object
    *rows : tables
        On which an unfitted classifier must fail to predict.
    """
    for where, part in parts_of(clone(estimator, safe=False)):
        if why := _why_fitted(part, rows):
            place = f"its part {where!r} " if where else "it "
            raise ValueError(f"`{name}`: {what!r} is fitted already: {place}{why}. {_NEXT}")


def _says_prefit(settings: dict[str, Any]) -> str:
    """The setting by which a part asks for a trained estimator; empty if there is none."""
    if isinstance(settings.get("cv"), str) and settings["cv"] == "prefit":
        return "cv='prefit'"
    return "prefit=True" if settings.get("prefit") is True else ""


def _why_fitted(part: Any, rows: tuple[Any, ...]) -> str:
    """The sign by which a part of a fresh clone has learned before; empty if there is none."""
    kind = type(part).__name__
    if not hasattr(part, "get_params"):
        return f"holds a trained {kind}" if hasattr(part, "predict") else ""
    settings = part.get_params(deep=False)
    if said := _says_prefit(settings):
        return f"is a {kind} with {said}"
    # A clone that is the same object (a FrozenEstimator) refuses to forget.
    if clone(part, safe=False) is part:
        return f"is a {kind}, which keeps what it learned when it is cloned"
    # By scikit-learn's custom, what was learned ends with an underscore.
    own = (key for key in _attributes(part) if key not in settings)
    if learned := [key for key in own if key.endswith("_") and not key.startswith("_")]:
        return f"is a {kind} that has learned {learned[0]!r}"
    if _calls_itself_fitted(part):
        return f"is a {kind} that calls itself fitted"
    if any(_predicts(part, table) for table in rows):
        return f"is a {kind} that predicts before it is trained"
    return ""


def _calls_itself_fitted(part: Any) -> bool:
    """Whether scikit-learn calls the part fitted. A part that never learns does not count."""
    try:
        if not get_tags(part).requires_fit:
            return False
        check_is_fitted(part)
    except (NotFittedError, TypeError, AttributeError):
        return False
    return True


def _predicts(part: Any, table: Any) -> bool:
    try:
        part.predict(table)
    except Exception:  # an estimator that has not learned may fail in any way
        return False
    return True


def _drawing(estimator: Any) -> Iterator[Any]:
    """Parts with a ``random_state``: nested estimators, and splitters among their settings."""
    return (part for _, part in parts_of(estimator) if "random_state" in _attributes(part))


def seeds_of(estimator: Any) -> list[Any]:
    """Every ``random_state`` inside an estimator."""
    return [part.random_state for part in _drawing(estimator)]


def close_seeds(estimator: Any, seed: int) -> None:
    """Set every ``random_state`` inside an estimator that is None."""
    for part in _drawing(estimator):
        if part.random_state is None:
            part.random_state = seed


def _attributes(part: Any) -> Mapping[str, Any]:
    return getattr(part, "__dict__", {})

"""Is a form of a file the one that was trained again? Judged by what it can do to a row.

Cuts, points, words and training rows are compared exactly: they sit on values of the data, and the
smallest step may carry one over a row. Other numbers are results of sums, which another processor
rounds otherwise: each alone, and all together, may move no score by more than rounding.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handful.verify._audit import TOLERANCE, is_number
from handful.verify._forms import measures_of

Floats = NDArray[np.float64]
Document = Mapping[str, Any]
Path = tuple[Any, ...]

RELATIVE = 1e-7  # of a number itself, whatever it does to a score
_EXACT = ("cuts", "center", "centers", "columns")
_APART = "values"  # of a curve: no row has two of them, so that they cannot cancel
_N_SHUFFLED = 200  # rows: some in every bin that has rows


def difference(found: Any, wanted: Any, where: str = "fitted", is_exact: bool = False) -> str:
    """Where two documents differ by more than rounding; empty where they do not.

    Examples
    --------
    >>> difference({"a": [1.0, 2.0]}, {"a": [1.0, 2.0 + 1e-12]})
    ''
    >>> difference({"a": [1.0, 2.0]}, {"a": [1.0, 3.0]})
    'fitted.a[1]: the file says 2.0, trained again it is 3.0'
    >>> difference({"cuts": [1.0]}, {"cuts": [1.0 + 1e-12]})
    'fitted.cuts[0]: the file says 1.0, trained again it is 1.000000000001'
    """
    said = f"{where}: the file says {found!r:.60}, trained again it is {wanted!r:.60}"
    if type(found) is not type(wanted):
        return said
    if isinstance(wanted, dict):
        if set(found) != set(wanted):
            return f"{where}: the fields differ"
        is_exact |= wanted.get("condition") == "cut"
        parts = (
            difference(found[k], wanted[k], f"{where}.{k}", is_exact or k in _EXACT) for k in wanted
        )
        return next((part for part in parts if part), "")
    if isinstance(wanted, list):
        if len(found) != len(wanted):
            return f"{where}: {len(found)} parts, trained again {len(wanted)}"
        pairs = enumerate(zip(found, wanted, strict=True))
        parts = (difference(a, b, f"{where}[{i}]", is_exact) for i, (a, b) in pairs)
        return next((part for part in parts if part), "")
    if isinstance(wanted, float) and not is_exact:
        size = max(abs(found), abs(wanted)) if is_number(found) else 0.0
        return "" if abs(found - wanted) <= RELATIVE * size else said
    return "" if found == wanted else said


def score_difference(found: Document, wanted: Document, X: Floats) -> str:
    """Which number of a machine moves a score of these rows, or of rows like them; or none."""
    changed = list(_changes(found, wanted))
    if not changed:
        return ""
    n, rows = len(X), np.vstack([X, _unlike(X)])
    base = measures_of(wanted, rows)
    sizes = [float(np.abs(values[:n]).max(initial=0.0)) for values in base]
    trials = [((), found), *((path, _put(wanted, path, found)) for path in changed)]
    for path, machine in trials:
        for values, own, size in zip(measures_of(machine, rows), base, sizes, strict=True):
            gap = np.abs(values - own)
            if not bool((gap <= TOLERANCE * np.maximum(size, np.abs(own))).all()):
                name = ".".join(map(str, path)) or "all numbers together"
                return f"{name}: scores move by up to {float(np.nanmax(gap)):.3g} of {size:.3g}"
    return ""


def _unlike(X: Floats) -> Floats:
    """Rows that the table does not have: columns shuffled, and without one value each."""
    rng = np.random.default_rng(0)
    shuffled = np.array([rng.permutation(column)[:_N_SHUFFLED] for column in X.T]).T
    holes = []
    for j in range(X.shape[1]):
        part = shuffled[:20].copy()
        part[:, j] = np.nan
        holes.append(part)
    return np.vstack([shuffled.reshape(-1, X.shape[1]), *holes])


def _changes(found: Any, wanted: Any, path: Path = ()) -> Iterator[Path]:
    """Places of the numbers that differ; of a curve all its values as one place."""
    if isinstance(wanted, dict):
        for key in wanted:
            yield from _changes(found[key], wanted[key], (*path, key))
    elif isinstance(wanted, list) and not (path and len(path) > 1 and path[-2] == _APART):
        for i, (a, b) in enumerate(zip(found, wanted, strict=True)):
            yield from _changes(a, b, (*path, i))
    elif found != wanted:
        yield path


def _put(document: Any, path: Path, other: Any) -> Any:
    """The document with the part of another one at a place."""
    if not path:
        return other
    key, rest = path[0], path[1:]
    out = dict(document) if isinstance(document, Mapping) else list(document)
    out[key] = _put(document[key], rest, other[key])
    return out

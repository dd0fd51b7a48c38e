"""Is what a file holds the same as what was trained again? Judged by what it can do to a row.

Cuts, points, words and training rows are compared exactly: they sit on values of the data, and the
smallest step may carry one over a row. Other numbers are results of sums, which another processor
rounds otherwise: each alone, and all together, may move no score by more than rounding.

Of estimators of other libraries, labels on the table's rows say little: a machine can agree there
and differ beside them. So the whole state is compared, type by type and array by array, to the bit;
and both are asked about rows around the table and far from it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import BuiltinFunctionType, FunctionType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handful.verify.audit import TOLERANCE, Document, Floats, is_number
from handful.verify.evaluate import measures_of

Place = tuple[Any, ...]

RELATIVE = 1e-7  # of a number itself, whatever it does to a score
_EXACT = ("cuts", "center", "centers", "columns")
_APART = "values"  # of a curve: no row has two of them, so that they cannot cancel
_N_SHUFFLED = 200  # rows: some in every bin that has rows

_PLAIN = (str, bytes, bool, int, complex, frozenset, set, range, slice, type(None), np.dtype)
_NAMED = (type, FunctionType, BuiltinFunctionType, np.ufunc)
# How long scikit-learn's searches took: it differs from run to run, and no prediction reads it.
_TIMES = {
    *("mean_fit_time", "std_fit_time", "mean_score_time", "std_score_time", "refit_time_"),
}
_LARGEST = 5_000_000  # parts of a state
N_NEAR, N_FAR = 2000, 500  # rows to ask both estimators about, beside the table and far off
OPEN = (
    "the fitted estimators: they give the same labels as those trained again, on the table and on "
    "{n} rows around it and far from it, but their state differs ({where}), as another processor "
    "or version may make it"
)


def difference(found: Any, wanted: Any, where: str = "fitted", is_exact: bool = False) -> str:
    """Where two documents differ by more than rounding; empty if they do not.

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
    if not isinstance(wanted, (dict, list)):
        return "" if _is_near(found, wanted, is_exact) else said
    parts = _field_pairs(found, wanted, is_exact) if isinstance(wanted, dict) else None
    if isinstance(wanted, list) and len(found) == len(wanted):
        pairs = enumerate(zip(found, wanted, strict=True))
        parts = [(f"[{i}]", a, b, is_exact) for i, (a, b) in pairs]
    if parts is None:
        return f"{where}: {len(found)} parts or other fields, trained again {len(wanted)}"
    texts = (difference(a, b, f"{where}{name}", exact) for name, a, b, exact in parts)
    return next((text for text in texts if text), "")


def _field_pairs(
    found: Document, wanted: Document, is_exact: bool
) -> list[tuple[str, Any, Any, bool]] | None:
    """The fields of two records side by side, and which must be the same to the bit."""
    if set(found) != set(wanted):
        return None
    # The cut of a single feature sits on values of the data; other cuts are computed.
    is_exact |= "cut" in wanted and wanted["value"]["kind"] == "feature"
    return [(f".{k}", found[k], wanted[k], is_exact or k in _EXACT) for k in wanted]


def _is_near(found: Any, wanted: Any, is_exact: bool) -> bool:
    if is_exact or not isinstance(wanted, float):
        return bool(found == wanted)
    size = max(abs(found), abs(wanted)) if is_number(found) else 0.0
    return bool(abs(found - wanted) <= RELATIVE * size)


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


def _changes(found: Any, wanted: Any, path: Place = ()) -> Iterator[Place]:
    """Places of the numbers that differ; of a curve all its values as one place."""
    if isinstance(wanted, dict):
        for key in wanted:
            yield from _changes(found[key], wanted[key], (*path, key))
    elif isinstance(wanted, list) and not (path and len(path) > 1 and path[-2] == _APART):
        for i, (a, b) in enumerate(zip(found, wanted, strict=True)):
            yield from _changes(a, b, (*path, i))
    elif found != wanted:
        yield path


def _put(document: Any, path: Place, other: Any) -> Any:
    """The document with the part of another one at a place."""
    if not path:
        return other
    key, rest = path[0], path[1:]
    out = dict(document) if isinstance(document, Mapping) else list(document)
    out[key] = _put(document[key], rest, other[key])
    return out


# -- estimators of other libraries ---------------------------------------------------------------


def state_differences(found: Any, wanted: Any) -> tuple[str, str]:
    """Where two objects first differ in their types, and where in their values; empty if not.

    Examples
    --------
    >>> state_differences([1.0, {"a": np.ones(2)}], [1.0, {"a": np.ones(2)}])
    ('', '')
    >>> state_differences([1.0], [1])
    ('[0]: float, trained again int', '')
    """
    of_value = ""
    stack: list[tuple[str, Any, Any]] = [("", found, wanted)]
    # Objects are held while their numbers are remembered: a number may be given again.
    seen: dict[tuple[int, int], Any] = {}
    while stack:
        where, a, b = stack.pop()
        if type(a) is not type(b):
            return f"{where}: {type(a).__name__}, trained again {type(b).__name__}", of_value
        if a is b or (id(a), id(b)) in seen:
            continue
        seen[id(a), id(b)] = a, b
        if len(seen) > _LARGEST:
            return "", of_value or f"{where}: too many parts"
        parts = _parts(a, b)
        if parts is None:
            of_value = of_value or f"{where or 'it'}: other values"
            continue
        stack.extend((f"{where}{name}", x, y) for name, x, y in parts)
    return "", of_value


def _parts(a: Any, b: Any) -> list[tuple[str, Any, Any]] | None:
    """What two objects of one type are made of, pair by pair; None if they differ at once."""
    if isinstance(a, np.ndarray):
        return _array_parts(a, b)
    if isinstance(a, (float, np.generic)):
        both_nan = bool(a != a) and bool(b != b)
        return [] if both_nan or bool(a == b) else None
    if type(a) in _PLAIN:
        return [] if a == b else None
    if isinstance(a, _NAMED):
        return None  # one of them would be the other
    if type(a) in (list, tuple):
        return _pairs(a, b)
    if type(a) is dict:
        return _dict_parts(a, b)
    try:
        return [("", _state(a), _state(b))]
    except Exception:  # whatever an object of another library does when it is asked
        return None


def _dict_parts(a: Document, b: Document) -> list[tuple[str, Any, Any]] | None:
    if list(map(str, a)) != list(map(str, b)):
        return None
    pairs = zip(a, a.values(), b.values(), strict=True)
    return [(f".{k}", x, y) for k, x, y in pairs if k not in _TIMES]


def _pairs(a: Sequence[Any], b: Sequence[Any]) -> list[tuple[str, Any, Any]] | None:
    if len(a) != len(b):
        return None
    return [(f"[{i}]", x, y) for i, (x, y) in enumerate(zip(a, b, strict=True))]


def _array_parts(a: NDArray[Any], b: NDArray[Any]) -> list[tuple[str, Any, Any]] | None:
    if a.dtype != b.dtype or a.shape != b.shape:
        return None
    if a.dtype.names is not None:  # bytes between the fields mean nothing
        return [(f".{name}", a[name], b[name]) for name in a.dtype.names]
    if a.dtype.hasobject:
        return [("", a.ravel().tolist(), b.ravel().tolist())]
    return [] if a.tobytes() == b.tobytes() else None


def _state(value: Any) -> list[Any]:
    """What a copy of an object is made from."""
    made = value.__reduce_ex__(4)
    if isinstance(made, str):
        raise TypeError("it is known by its name only")
    return [list(part) if isinstance(part, Iterator) else part for part in made]


def rows_beside(columns: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """Cells of rows that the table does not have, near it and far from it.

    Numbers are moved by little, or by much; other cells are those of the table, shuffled.
    """
    rng = np.random.default_rng(0)
    near = np.array([*([0.0] * (N_NEAR // 4)), *([0.03] * (N_NEAR // 2)), *([0.3] * (N_NEAR // 4))])
    shift = np.concatenate([near, np.full(N_FAR, 30.0)])
    n_rows = len(next(iter(columns.values())))
    same = rng.integers(0, n_rows, len(shift))
    is_shuffled = np.arange(len(shift)) % 2 == 1
    out = {}
    for name in names:
        cells = columns[name]
        places = np.where(is_shuffled, rng.integers(0, n_rows, len(shift)), same)
        taken = cells[places]
        if getattr(cells.dtype, "kind", "O") in "iuf":
            values = cells[np.isfinite(cells)].astype(float)
            size = float(values.std()) if len(values) else 0.0
            size = size if math.isfinite(size) else 0.0
            taken = taken.astype(float) + size * shift * rng.standard_normal(len(shift))
        out[name] = taken
    return out

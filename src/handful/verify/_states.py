"""Is a fitted estimator of another library the one that was trained again?

Labels on the table's rows say little: a machine can agree there and differ beside them. So the
whole state is compared, type by type and array by array, to the bit; and both are asked about rows
around the table and far from it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import BuiltinFunctionType, FunctionType
from typing import Any

import numpy as np
from numpy.typing import NDArray

_PLAIN = (str, bytes, bool, int, complex, frozenset, set, range, slice, type(None), np.dtype)
_NAMED = (type, FunctionType, BuiltinFunctionType, np.ufunc)
_LARGEST = 5_000_000  # parts of a state
N_NEAR, N_FAR = 2000, 500  # rows: a second of most estimators
OPEN = (
    "the fitted estimators: they give the same labels as those trained again, on the table and on "
    "{n} rows around it and far from it, but their state differs ({where}), as another processor "
    "or version may make it"
)


def state_differences(found: Any, wanted: Any) -> tuple[str, str]:
    """Where two objects first differ in their types, and where in their values; empty where not.

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
    """What two objects of one type are made of, pair by pair; None where they differ at once."""
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
        if list(map(str, a)) != list(map(str, b)):
            return None
        return [(f".{k}", x, y) for k, x, y in zip(a, a.values(), b.values(), strict=True)]
    try:
        return [("", _state(a), _state(b))]
    except Exception:  # whatever an object of another library does when it is asked
        return None


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

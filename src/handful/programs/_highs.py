"""Margin programs by HiGHS, where the interior point could not prove its gap."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from handful._types import Floats
from handful.programs._margin import MarginProgram, MarginSolution, proved
from handful.programs._program import LinearProgram


def solve_with_highs(program: MarginProgram, *, time_limit: float | None = None) -> MarginSolution:
    """A vertex of the optimal face, with the gap it proves."""
    found = margin_lp(program).solve(time_limit=time_limit, tol=1e-6)
    m, n = program.F.shape
    k = 2 * n if program.is_sparse else n
    w = found.x[:n] - found.x[n:k] if program.is_sparse else found.x[:n]
    a, p = np.maximum(found.duals[:m], 0.0), np.maximum(-found.duals[:m], 0.0)
    nan, count = float(np.nan), found.n_iterations
    return proved(
        program,
        MarginSolution(w, float(found.x[k]), nan, a, p, nan, nan, None, True, "highs", count),
    )


def margin_lp(program: MarginProgram) -> LinearProgram:
    """The linear program of a margin program.

    Columns w (split in two where priced), b, h, q, z; rows, with G the signed features::

        G w + y b + q - z = 0     z >= 1, q >= 0 (q = 0 for the hard margin)
                    z - h <= 0    (where capped; else z is not bounded above)

    The duals of the first rows are a - p.
    """
    m, n = program.F.shape
    G = program.F * program.y_signed[:, None]
    parts = [G, -G] if program.is_sparse else [G]
    k = n * len(parts)
    rows = _rows(program, parts)
    n_rows = rows.shape[0]
    row_lower = np.where(np.arange(n_rows) < m, 0.0, -np.inf)
    prices = np.zeros(m) if program.is_hard else program.prices
    cost = np.concatenate([np.tile(program.weights, len(parts)), [0.0, float(program.capped)]])
    cost = np.concatenate([cost, prices, np.zeros(m)])
    low_w = np.full(k, 0.0 if program.is_sparse else -np.inf)
    lower = np.concatenate([low_w, [-np.inf, 1.0], np.zeros(m), np.ones(m)])
    upper = np.full(cost.size, np.inf)
    if program.is_hard:
        upper[k + 2 : k + 2 + m] = 0.0
    return LinearProgram(cost, rows, row_lower, np.zeros(n_rows), lower, upper)


def _rows(program: MarginProgram, parts: list[Floats]) -> Any:
    m, k = program.F.shape[0], program.F.shape[1] * len(parts)
    eye = sparse.eye_array(m, format="csc")
    top: list[Any] = [*parts, program.y_signed[:, None], np.zeros((m, 1)), eye, -eye]
    rows: Any = sparse.hstack([_compressed(block) for block in top], format="csc")
    if not program.capped:
        return rows
    empty = sparse.csc_array((m, m))
    under: list[Any] = [sparse.csc_array((m, k + 1)), -np.ones((m, 1)), empty, eye]
    below: Any = sparse.hstack([_compressed(block) for block in under], format="csc")
    return sparse.vstack([rows, below], format="csc")


def _compressed(block: Any) -> Any:
    return sparse.csc_array(block)

"""The plainest use of a pool: its logistic regression, threshold included, as the only rule.

Nothing but the choice of this code is paid, so that it is a hold-out whose test part is most of
the examples. The pool is left out of the count.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from handful._threads import one_blas_thread
from handful._types import Ints
from handful.bounds import Term
from handful.candidates import Counts
from handful.covering.codes.cover_candidate import CoverCandidate, cover_code, recount
from handful.models import Condition, Op, WeightedSum, as_floats
from handful.rules import Rows, rule_set
from handful.rules.pooled import MAX_FIT, fit_logistic, is_comparable, pool_scales

RIDGE = 1.0  # one code, so one penalty fixed before the data
_FEWEST = 10  # below it a regression follows single examples


def plain_rule(X: NDArray[np.float64], y: Ints, op: Op) -> Condition | None:
    """The regression of a pool as a cover; None if the pool has one class or cannot be compared.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.linspace(-1.0, 1.0, 20)[:, None]
    >>> rule = plain_rule(X, np.where(X[:, 0] > 0, 1, -1), "<")
    >>> rule.is_met(np.array([[-0.5], [0.5]]))
    array([ True, False])
    """
    if len(y) < _FEWEST or len(np.unique(y)) < 2 or not is_comparable(X):
        return None
    center, scale = pool_scales(X)
    with one_blas_thread():
        w = fit_logistic(((X - center) / scale)[:MAX_FIT], y[:MAX_FIT], RIDGE)
    weights = w[:-1] / scale
    threshold = math.fsum((weights * center).tolist()) - float(w[-1])
    return Condition(WeightedSum(as_floats(weights)), op, threshold)


def plain_candidates(
    rows: Rows,
    pool: Ints,
    *,
    kinds: tuple[str, ...],
    scheme_terms: tuple[Term, ...] = (),
) -> Iterator[CoverCandidate]:
    """The regression of the pool as a machine of one rule; none if there is no regression."""
    kind = "disjunction" if kinds == ("disjunction",) else "conjunction"
    pool_rows = rows.row_of[pool]
    rule = plain_rule(rows.X[pool_rows], rows.y[pool_rows], "<" if kind == "conjunction" else ">")
    if rule is None:
        return
    machine = rule_set([rule], kind)
    candidate = CoverCandidate(
        scheme="plain",
        family="linear",
        kind=kind,
        penalty=math.nan,
        n_rules=1,
        pool_size=len(pool),
        kept=tuple(np.sort(pool).tolist()),
        code=cover_code(*scheme_terms),
        counts=Counts(n_held=len(pool), n_counted=0, n_errors=0),  # before it is counted
        build=lambda: machine,
    )
    yield recount(candidate, machine, rows)

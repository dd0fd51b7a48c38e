"""Stable (preferent) compression schemes: support vector machines and linear programs.

A scheme is stable if the removal of an example outside the compression set leaves the set
unchanged. A stable scheme does not pay ln C(m, d) for naming its compression set.
"""

from __future__ import annotations

import math

import numpy as np

from handful.arrays import Floats
from handful.bounds.certificates import Certificate
from handful.bounds.messages import Term, confidence_term
from handful.bounds.statements import assume
from handful.bounds.tails import log_tails, pmf_constant
from handful.checks import check_count, check_delta, check_real

_REFERENCE = "Campi & Garatti (2023), Compression, generalization and learning, JMLR 24"


def _log_excess(risk: Floats, k: int, n: int, log_delta: float) -> Floats:
    """Logarithm of (delta/n) sum_{j=k}^{n-1} C(j,k)/C(n,k) (1-risk)^(j-n), increasing in risk.

    The sum equals P(Bin(n, risk) > k) / (risk P(Bin(n, risk) = k)): the numerator is the
    probability that the (k+1)-th success comes within n trials.
    """
    k_, n_ = np.full_like(risk, k), np.full_like(risk, n)
    _, log_sf, log_pmf = log_tails(k_, n_, risk, 1.0 - risk, pmf_constant(k_, n_))
    return log_delta + log_sf - math.log(n) - np.log(risk) - log_pmf


def stable_risk(n_compressed: int, n_samples: int, log_delta: float) -> float:
    """The risk of `stable_bound` for a given ``log_delta``, rounded up.

    Examples
    --------
    >>> round(stable_risk(58, 615, -1000.0), 6)
    0.881545
    """
    n_samples = check_count("n_samples", n_samples, low=1)
    n_compressed = check_count("n_compressed", n_compressed, high=n_samples)
    log_delta = check_real("log_delta", log_delta, high=0.0, high_open=True)
    if n_compressed >= n_samples:
        return 1.0
    # The root is never below the share k / n.
    low, high = n_compressed / n_samples, 1.0
    # Rounding of the logarithms grows with their size.
    pad = 1e-12 * (1.0 - log_delta)
    while True:  # 64 parts at a time, until the ends are neighbouring floats
        grid = low + (high - low) * (np.arange(1.0, 64.0) / 64.0)
        grid = grid[(grid > low) & (grid < high)]
        if grid.size == 0:
            return min(1.0, high * (1.0 + 2e-15))
        # The excess increases with the risk: parts below the root come first. The upper end is
        # returned.
        n_inside = int(np.sum(_log_excess(grid, n_compressed, n_samples, log_delta) <= pad))
        ends = [low, *grid.tolist(), high]
        low, high = ends[n_inside], ends[n_inside + 1]


def stable_bound(
    n_samples: int, n_compressed: int, *, delta: float = 0.05, n_choices: int = 1
) -> Certificate:
    """Certificate of a stable compression scheme from the size of its compression set alone.

    With probability 1 - delta, simultaneously for all observed sizes, the probability that a
    new example would change the compression set is at most the returned value. The risk is
    not larger, because a misclassified new example changes the set.

    Parameters
    ----------
    n_samples : int
    n_compressed : int
        Size of the compression set. For a soft-margin support vector machine these are the
        examples with y f(x) <= 1, errors included.
    delta : float
        Allowed probability of failure.
    n_choices : int
        Number of models among which the choice was made (delta is divided by it).

    Examples
    --------
    >>> round(stable_bound(615, 58).risk, 9)
    0.133605981
    """
    n = check_count("n_samples", n_samples, low=1)
    k = check_count("n_compressed", n_compressed, high=n)
    n_choices = check_count("n_choices", n_choices, low=1)
    # Union over the models: each one gets delta / n_choices. Errors need no term: they are
    # inside the compression set.
    log_delta = math.log(check_delta(delta)) - math.log(n_choices)
    terms = [confidence_term(delta)]
    if n_choices > 1:
        terms.append(Term("choice", f"choice among {n_choices} models", math.log(n_choices)))
    return Certificate(
        risk=stable_risk(k, n, log_delta),
        delta=delta,
        bound="stable",
        n_samples=n,
        n_compressed=k,
        terms=tuple(terms),
        assumptions=assume("iid", "stable", "no-order"),
        reference=_REFERENCE,
    )

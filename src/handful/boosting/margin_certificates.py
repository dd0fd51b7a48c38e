"""Certificates of boosted machines, from their margins and the complexity of their class.

With more than two classes there is one machine for each class against the rest. If each machine
gives the right sign, the largest score is that of the right class. So an error of the whole is an
error of some machine, and by the union bound the risk is at most the sum of their risks, each
taken at its share of delta.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from sklearn.utils import check_array, check_random_state

from handful.arrays import Floats
from handful.boosting.kernel_matrices import KernelBalls, make_kernels
from handful.boosting.weak_learners import ColumnFamily, LearnerColumns, StumpColumns, WeakColumn
from handful.bounds import (
    Assumption,
    Certificate,
    NotCertifiableError,
    Term,
    assume,
    finite_class_rademacher,
    margin_distribution_bound,
    multiple_kernel_bound,
    rademacher_margin_bound,
)
from handful.checks import check_count, check_delta

#: Share of delta for the Monte-Carlo error of an estimated complexity.
_MONTE_CARLO_SHARE = 0.1
N_SCALES = 21  # 2^0 to 2^20; the bound holds for all scales at once and pays for the choice
_N_MARGINS = 10  # 1 to 2^-9; each takes a share of delta


@dataclass(frozen=True)
class Complexity:
    """Upper bound on the Rademacher complexity of a class with |h| <= 1."""

    value: float
    is_empirical: bool = False  # on the training inputs; otherwise its expectation
    delta_spent: float = 0.0  # probability that the bound fails (Monte Carlo); taken off delta
    basis: Assumption | None = None  # the reason why it is an upper bound


def stump_complexity(n_samples: int, n_features: int) -> Complexity:
    """Complexity of all stumps on d features: they have at most 2 (d m + 1) label patterns.

    Examples
    --------
    >>> round(stump_complexity(10_000, 20).value, 4)
    0.1016
    """
    value = finite_class_rademacher(2 * (n_features * n_samples + 1), n_samples)
    return Complexity(value, basis=Assumption("stumps"))


def finite_complexity(n_hypotheses: int, n_samples: int) -> Complexity:
    """Complexity of a finite class that was listed before the data were seen."""
    value = finite_class_rademacher(n_hypotheses, n_samples)
    return Complexity(value, basis=Assumption.of("finite-learners", n=n_hypotheses))


def given_complexity(rademacher: Rademacher, n_samples: int, delta: float) -> Complexity:
    """The user's bound on the complexity, or an estimate plus its Monte-Carlo error."""
    if not isinstance(rademacher, RademacherEstimate):
        return Complexity(float(rademacher), basis=Assumption("given-complexity"))
    if not rademacher.is_exact:
        raise NotCertifiableError(
            "`rademacher` was estimated with a learner that is merely good, so it may be too "
            "small. Estimate it for 'stumps' or kernels, or use bound='held-out'."
        )
    if rademacher.n_samples != n_samples:
        raise ValueError(
            f"`rademacher` must be estimated on the {n_samples} training examples, got "
            f"{rademacher.n_samples}. Pass the X that the machine was fitted to."
        )
    # The signs are drawn once and do not depend on the labels. The estimate fails with
    # probability `spent`; the margin bound gets the rest of delta.
    spent = _MONTE_CARLO_SHARE * delta
    return Complexity(rademacher.upper(spent), True, spent, Assumption("random-signs"))


SLACK_BITS = 36  # slacks are rounded up to multiples of 2^-36: sums are equal over any chunks
#: Margins below which the examples of chunks are counted.
GRID = np.arange(1, 201) / 200.0


def slack_quanta(margins: Floats, scale: float) -> int:
    """Sum of the slacks min(1, (1 - scale * margin)_+), each rounded up to a multiple of 2^-36.

    A whole number: it does not depend on the order of the examples.

    Examples
    --------
    >>> slack_quanta(np.array([0.0, 0.25, 1.0]), 2.0) / 2**36
    1.5
    """
    slack = np.clip(1.0 - scale * margins, 0.0, 1.0)
    return int(np.ceil(slack * 2.0**SLACK_BITS).astype(np.int64).sum())


class Margins(Protocol):
    """Margins of one machine on ``size`` examples."""

    size: int

    def slack(self, scale: float) -> float:
        """Mean slack, rounded up."""

    def share(self, theta: float) -> float:
        """Share of the margins below theta."""

    def tried(self) -> Floats:
        """Margins at which the bound is computed."""


class MarginArray(Margins):
    """The margins of one machine, in memory."""

    def __init__(self, values: Floats) -> None:
        self.values, self.size = values, int(values.size)

    def slack(self, scale: float) -> float:
        return min(1.0, slack_quanta(self.values, scale) / 2**SLACK_BITS / self.size)

    def share(self, theta: float) -> float:
        # Rounded up: a margin that equals theta up to rounding counts as below it.
        return float(np.mean(self.values < theta + 1e-12))

    def tried(self) -> Floats:
        tried = np.quantile(self.values, np.linspace(0.0, 1.0, 101), method="lower")
        return np.unique(np.clip(tried - 1e-9, 1e-6, 1.0))


@dataclass(frozen=True)
class MarginCounts(Margins):
    """Counts of the margins of one machine that was fitted to chunks."""

    size: int
    slacks: tuple[int, ...]  # `slack_quanta` at the scales 1, 2, 4, ...
    below: tuple[int, ...]  # number of margins below each of GRID

    @classmethod
    def of(cls, margins: Floats) -> MarginCounts:
        """The counts of some margins; those of chunks add up without rounding."""
        slacks = tuple(slack_quanta(margins, 2.0**j) for j in range(N_SCALES))
        return cls(len(margins), slacks, tuple(int((margins < t + 1e-12).sum()) for t in GRID))

    def __add__(self, other: MarginCounts) -> MarginCounts:
        return MarginCounts(
            self.size + other.size,
            tuple(a + b for a, b in zip(self.slacks, other.slacks, strict=True)),
            tuple(a + b for a, b in zip(self.below, other.below, strict=True)),
        )

    def slack(self, scale: float) -> float:
        j = round(math.log2(scale))
        if 2.0**j != scale or j >= len(self.slacks):
            raise ValueError(_FIXED_MARGIN.format(1.0 / scale))
        return min(1.0, self.slacks[j] / 2**SLACK_BITS / self.size)

    def share(self, theta: float) -> float:
        at = int(np.argmin(np.abs(GRID - theta)))
        if GRID[at] != theta:
            raise ValueError(_FIXED_MARGIN.format(theta))
        return self.below[at] / self.size

    def tried(self) -> Floats:
        return GRID


_FIXED_MARGIN = (
    "`margin` = {:g} is not among those that were counted when the machine was fitted to chunks. "
    "Leave it out: the margins that were counted are then tried and paid for."
)


def margin_columns(margins: Floats | Sequence[Margins]) -> list[Margins]:
    """The margins of each machine."""
    if isinstance(margins, np.ndarray):
        return [MarginArray(column) for column in margins.T]
    return list(margins)


def hull_certificate(
    bound: str,
    margins: Floats | Sequence[Margins],
    complexity: Complexity,
    *,
    margin: float | None,
    delta: float,
) -> Certificate:
    """Bound "rademacher-margin" or "margin-distribution" for votes in the convex hull of a class.

    ``margins`` are y f(x) over the sum of the weights, of shape (n_samples, n_machines), or one
    record for each machine. A ``margin`` was fixed before the data; None tries several.
    """
    certify_one = _slack_bound if bound == "rademacher-margin" else _share_bound
    columns = margin_columns(margins)
    share = (delta - complexity.delta_spent) / len(columns)
    parts = [certify_one(column, complexity, margin, share) for column in columns]
    return combined(parts, delta, complexity.basis)


def _slack_bound(
    margins: Margins, complexity: Complexity, margin: float | None, delta: float
) -> Certificate:
    """The best bound of the scales 1, 2, 4, ...; it holds for all of them at once."""

    def at(scale: float, is_fixed: bool) -> Certificate:
        return rademacher_margin_bound(
            margins.size,
            margins.slack(scale),
            complexity.value,
            scale=scale,
            scale_is_fixed=is_fixed,
            empirical=complexity.is_empirical,
            delta=delta,
        )

    if margin is not None:
        return at(1.0 / margin, True)
    return _smallest(at(2.0**j, False) for j in range(N_SCALES))


def _share_bound(
    margins: Margins, complexity: Complexity, margin: float | None, delta: float
) -> Certificate:
    """The best bound of the observed margins; it holds for all margins at once."""

    def at(theta: float, is_fixed: bool) -> Certificate:
        return margin_distribution_bound(
            margins.size,
            margins.share(theta),
            theta,
            complexity.value,
            margin_is_fixed=is_fixed,
            empirical=complexity.is_empirical,
            delta=delta,
        )

    if margin is not None:
        return at(margin, True)
    return _smallest(at(float(theta), False) for theta in margins.tried())


def kernel_certificate(
    margins: Floats, n_kernels: int, *, margin: float | None, delta: float
) -> Certificate:
    """`multiple_kernel_bound` at a fixed margin, or the best of ten margins, each at delta/10.

    The kernels have k(x, x) <= 1, so no trace exceeds the number of examples.
    """
    m, n_machines = margins.shape

    def at(column: Floats, gamma: float, share: float) -> Certificate:
        slack = float(np.maximum(0.0, gamma - column).sum())
        return multiple_kernel_bound(m, n_kernels, gamma, float(m), slack, delta=share)

    # The theorem is for a margin that was fixed before the data: each of ten margins gets its
    # share of delta, and so does each machine.
    parts = []
    for column in margins.T:
        if margin is not None:
            parts.append(at(column, margin, delta / n_machines))
            continue
        share = delta / (n_machines * _N_MARGINS)
        parts.append(_smallest(at(column, 2.0**-j, share) for j in range(_N_MARGINS)))
    return combined(parts, delta, Assumption("kernels"))


def _smallest(certificates: Iterable[Certificate]) -> Certificate:
    """The certificate with the smallest sum of terms; risks are clipped at 1 and may be equal."""
    return min(certificates, key=lambda c: sum(term.nats for term in c.terms))


def combined(parts: Sequence[Certificate], delta: float, basis: Assumption | None) -> Certificate:
    """One certificate for all machines: their risks are added, and they share delta."""
    first = parts[0]
    extra = assume(*(() if basis is None else (basis,)), "known-classes")
    extra = tuple(one for one in extra if one not in first.assumptions)
    if len(parts) == 1:
        return replace(first, delta=delta, assumptions=first.assumptions + extra)
    # Rounded up: the sum of the risks may lie above its floating-point value.
    risk = min(1.0, float(np.nextafter(sum(p.risk for p in parts), 2.0)))
    terms = tuple(Term("class", f"class {k} against the rest", p.risk) for k, p in enumerate(parts))
    sizes = [p.n_compressed for p in parts]
    note = f"One machine for each of {len(parts)} classes; their risks are added."
    return replace(
        first,
        risk=risk,
        delta=delta,
        terms=terms,
        unit="risk",
        n_compressed=None if None in sizes else sum(s for s in sizes if s is not None),
        assumptions=first.assumptions + extra,
        parameters=(),
        notes=(*first.notes, note),
    )


@dataclass(frozen=True)
class RademacherEstimate:
    """Monte-Carlo estimate of the empirical Rademacher complexity of a class.

    Attributes
    ----------
    value : float
        Mean over the draws of sup_h (2/m) sum_i sigma_i h(x_i).
    standard_error : float
        Standard error of that mean, from the spread of the draws.
    n_draws, n_samples : int
    is_exact : bool
        Whether every supremum is exact and |h| <= 1 is known. `upper` needs both.
    """

    value: float
    standard_error: float
    n_draws: int
    n_samples: int
    is_exact: bool

    def upper(self, delta: float) -> float:
        """Upper bound on the complexity that holds with probability 1 - delta over the signs.

        The mean over B draws depends on m B independent signs, and each moves it by at most
        4 / (m B) for |h| <= 1; the bounded-differences inequality gives
        ``value + 4 sqrt(ln(1/delta) / (2 m B))``.

        Examples
        --------
        >>> estimate = RademacherEstimate(0.2, 0.01, 100, 400, True)
        >>> round(estimate.upper(0.05), 6)
        0.224477
        """
        if not self.is_exact:
            raise ValueError(
                "`upper` needs exact suprema of a class with |h| <= 1, and this estimate has a "
                "learner that is merely good. Use 'stumps' or normalised kernels."
            )
        log_inverse = -math.log(check_delta(delta))
        return self.value + 4.0 * math.sqrt(log_inverse / (2.0 * self.n_samples * self.n_draws))

    def __str__(self) -> str:
        return (
            f"complexity about {self.value:.4g} +- {self.standard_error:.2g} "
            f"({self.n_draws} draws, {self.n_samples} examples; an estimate)"
        )


#: A bound on the complexity of the weak learners, or an estimate of it.
Rademacher = float | RademacherEstimate


def empirical_rademacher(
    oracle: Any, X: Any, n_draws: int = 100, random_state: Any = None
) -> RademacherEstimate:
    """Estimate E sup_h (2/m) sum_i sigma_i h(x_i) by fitting random signs.

    Parameters
    ----------
    oracle : "stumps", sequence of kernels, estimator, or callable
        The class: all decision stumps; the union of the unit balls of kernels (normalised to
        k(x, x) = 1, as in `LPBoostMKL`); the learners that a scikit-learn classifier finds; or a
        function ``oracle(X, signs)`` that gives the values h(x_i) of the best h it finds.
    X : array-like of shape (n_samples, n_features)
    n_draws : int
    random_state : int, RandomState or None

    Returns
    -------
    RademacherEstimate
        For stumps and kernels `RademacherEstimate.upper` gives a bound that includes the
        Monte-Carlo error. For other learners the estimate tends to be too small, because the
        fitted learner is not always the best of its class.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.arange(50.0)[:, None]
    >>> estimate = empirical_rademacher("stumps", X, n_draws=20, random_state=0)
    >>> 0.3 < estimate.value < 0.6
    True
    """
    X = check_array(X, dtype=np.float64, ensure_all_finite="allow-nan")
    n_draws = check_count("n_draws", n_draws, low=1)
    random = check_random_state(random_state)
    family = _family(oracle, X, random)
    m = X.shape[0]
    draws = np.empty(n_draws)
    for b in range(n_draws):
        signs = 2.0 * random.randint(0, 2, size=m) - 1.0
        draws[b] = 2.0 / m * max(0.0, family.best(signs)[0].edge)
    spread = float(draws.std(ddof=1) / math.sqrt(n_draws)) if n_draws > 1 else math.inf
    return RademacherEstimate(float(draws.mean()), spread, n_draws, m, family.is_exact)


def _family(oracle: Any, X: Floats, random: np.random.RandomState) -> ColumnFamily:
    if isinstance(oracle, str) and oracle == "stumps":
        return StumpColumns(X)
    if isinstance(oracle, Sequence) and not isinstance(oracle, str):
        kernels = make_kernels(oracle, X.shape[1], normalise=True)
        return KernelBalls([kernel(X) for kernel in kernels])
    if hasattr(oracle, "fit"):
        return LearnerColumns(oracle, X, response="labels", random_state=random)
    if callable(oracle):
        return _CallableColumns(oracle, X)
    raise ValueError(
        "`oracle` must be 'stumps', a sequence of kernels, an estimator or a callable, "
        f"got {oracle!r}."
    )


class _CallableColumns(ColumnFamily):
    """Columns that a user's function finds."""

    is_exact = False

    def __init__(self, search: Callable[[Floats, Floats], Any], X: Floats) -> None:
        self._search, self._X = search, X

    def best(self, scores: Floats, n_columns: int = 1) -> list[WeakColumn]:
        values = np.asarray(self._search(self._X, scores), dtype=np.float64)
        return [WeakColumn(None, values, float(scores @ values))]

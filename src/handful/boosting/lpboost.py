"""LPBoost for scikit-learn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from handful.arrays import Floats
from handful.boosting.estimators import ProgramBooster, Rows, constant_vote
from handful.boosting.margin_certificates import (
    Complexity,
    Rademacher,
    combined,
    finite_complexity,
    given_complexity,
    hull_certificate,
    stump_complexity,
)
from handful.boosting.solver import (
    NO_MARGIN,
    LPBoosted,
    check_nu,
    choose_nu,
    rough_path,
    solve_lpboost,
)
from handful.boosting.votes import ColumnVote, LearnerVote, StumpVote, WeightedVote
from handful.boosting.weak_learners import (
    ColumnFamily,
    LearnerColumns,
    PrecomputedColumns,
    StumpColumns,
    merge_rows,
)
from handful.bounds import Assumption, Certificate, NotCertifiableError, stable_bound
from handful.checks import check_count, check_positive

#: A margin below this may be zero up to rounding.
_SAFE_MARGIN = 1e-6
_ELSE = "or use bound='held-out' or 'rademacher-margin'."


class LPBoost(ProgramBooster):
    """Boosting by linear programming: the best margin of a convex vote, errors allowed.

    Maximises rho - D sum_i xi_i subject to y_i f(x_i) >= rho - xi_i over all convex
    combinations f of weak learners, by column generation. Each example gets a weight of at most
    D; the weak learner with the largest edge joins the vote; the loop ends when no edge exceeds
    the value of the program. The optimality gap is certified. More than two classes are fitted one
    against the rest.

    Parameters
    ----------
    nu : "auto" or float in (0, 1]
        D = 1 / (nu m): at most this fraction of the examples lies below the margin. "auto" takes
        the fraction with the fewest errors in a cross-validation within the training examples.
    weak_learner : "stumps", "precomputed" or classifier
        Decision stumps with exact search (a missing value satisfies neither side); the columns
        of X themselves, with both signs; or a classifier that takes ``sample_weight``.
    cap : float, optional
        D itself, instead of ``nu``: at least 1 / m. With features fixed beforehand
        (``thresholds`` or "precomputed") this gives the stable certificate.
    thresholds : array-like, optional
        Fixed thresholds of the stumps: one list for all features, or one list for each.
        By default midpoints between training values, which change with the data.
    tol : float
        Largest optimality gap.
    max_iter : int
        Most rounds; reaching it warns and leaves ``gap_`` above ``tol``.
    delta : float
        Allowed probability that a certificate fails.
    random_state : None, int, RandomState, Generator or RowDigests
        Seeds weak learners that are random; None takes the digest of X and y.

    Attributes
    ----------
    classes_ : ndarray
    machines_ : list
        One vote for two classes, otherwise one for each class; weights sum to 1.
    margins_ : ndarray of shape (n_samples,) or (n_samples, n_classes)
        y f(x) on the training examples.
    path_ : DataFrame
        One row for each round: "machine", "round", "edge", "beta", "gap", "n_columns".
    n_iter_ : int
        Most rounds of a machine.
    beta_, rho_, gap_, nu_ : ndarray of shape (n_machines,)
        Value of the program, margin, certified optimality gap, and nu.

    Notes
    -----
    Sample weights multiply the caps. With ``cap`` and fixed features every feature has a fixed
    price below 1e-3, which makes ties exceptional; that the optimum is unique is then proved, or
    the stable certificate is refused.

    Certificates: "stable" (the default with ``cap`` and fixed features), "rademacher-margin"
    (otherwise the default), "margin-distribution" and "held-out". The stable certificate also
    bounds the probability that a new case falls below the margin. The margin bounds hold for every
    way of training but are vacuous on small samples.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.arange(10.0)[:, None]
    >>> y = np.array([1, 1, 1, -1, -1, -1, 1, 1, 1, -1])
    >>> machine = LPBoost(nu=0.4).fit(X, y)
    >>> float(machine.rho_[0].round(6)), machine.score(X, y)
    (0.333333, 1.0)
    """

    _bounds = ("stable", "rademacher-margin", "margin-distribution")
    _proofs: list[_Proof]

    def __init__(
        self,
        nu: float | str = "auto",
        *,
        weak_learner: Any = "stumps",
        cap: float | None = None,
        thresholds: Any = None,
        tol: float = 1e-6,
        max_iter: int = 1000,
        delta: float = 0.05,
        random_state: Any = None,
    ) -> None:
        self.nu = nu
        self.weak_learner = weak_learner
        self.cap = cap
        self.thresholds = thresholds
        self.tol = tol
        self.max_iter = max_iter
        self.delta = delta
        self.random_state = random_state

    def _check_parameters(self, X: Floats) -> None:
        if self.cap is None:
            check_nu(self.nu)
        else:
            check_positive("cap", self.cap, "Use at least 1 / n_samples.")
        check_positive("tol", self.tol)
        check_count("max_iter", self.max_iter, low=1)
        known = self._is("stumps") or self._is("precomputed")
        if not known and not hasattr(self.weak_learner, "fit"):
            raise ValueError(
                "`weak_learner` must be 'stumps', 'precomputed' or a classifier, "
                f"got {self.weak_learner!r}."
            )
        if self.thresholds is not None and not self._is("stumps"):
            raise ValueError("`thresholds` are those of stumps. Use weak_learner='stumps'.")
        self._grid = _threshold_grid(self.thresholds, X.shape[1])
        self._solutions, self._proofs = [], []
        self._is_bounded = bool(np.nanmax(np.abs(X), initial=0.0) <= 1.0)

    @property
    def _has_fixed_program(self) -> bool:
        """Whether only the examples change the program; the stable certificate needs that."""
        fixed = self._is("precomputed") or self.thresholds is not None
        return self.cap is not None and fixed

    def _caps(self, weights: Floats, nu: float) -> Floats:
        if self.cap is None:
            # The caps sum to 1 / nu: at most a share nu of the weight can be at its cap.
            return weights / (nu * weights.sum())
        caps = float(self.cap) * weights
        if caps.sum() < 1.0 - 1e-9:
            raise ValueError(
                f"`cap` must be at least 1 / n_samples = {1.0 / weights.sum():.6g}, got "
                f"{self.cap!r}: smaller caps cannot sum to 1. Raise it, or use `nu`."
            )
        return caps

    def _family(self, X: Floats) -> ColumnFamily:
        prices = self._has_fixed_program
        if self._is("stumps"):
            return StumpColumns(X, self._grid, prices=prices)
        if self._is("precomputed"):
            return PrecomputedColumns(X, prices=prices)
        return LearnerColumns(self.weak_learner, X, response="labels", random_state=self._random)

    def _fit_one(self, X: Floats, y_signed: Floats, weights: Floats) -> tuple[WeightedVote, Rows]:
        rows, signs, merged = merge_rows(X, y_signed, weights)
        nu = self._one_nu(rows, signs, merged)
        solution = solve_lpboost(
            self._family(rows),
            signs,
            self._caps(merged, nu),
            tol=float(self.tol),
            max_iter=int(self.max_iter),
            prove=self._has_fixed_program,
        )
        history = self._keep_solution(solution, nu)
        self._proofs.append(_proof(solution, merged))
        return self._vote(solution, y_signed, weights), history

    def _one_nu(self, rows: Floats, y_signed: Floats, weights: Floats) -> float:
        """The fraction of margin errors: given, chosen, or 1 / (cap m)."""
        if self.cap is not None:
            return 1.0 / (float(self.cap) * float(weights.sum()))
        if not isinstance(self.nu, str):
            return float(self.nu)

        def votes(train: np.ndarray, nus: Sequence[float]) -> Iterator[WeightedVote]:
            signs, part = y_signed[train], weights[train]
            family = self._family(rows[train])
            for columns, shares in rough_path(family, signs, part, nus, int(self.max_iter)):
                if columns:
                    yield self._weighted([c.key for c in columns], shares.tolist())
                else:
                    yield constant_vote(float(part @ signs))

        return choose_nu(rows, y_signed, weights, votes)

    def _vote(self, solution: LPBoosted, y_signed: Floats, weights: Floats) -> WeightedVote:
        if not solution.columns:
            return self._constant_vote(float(weights @ y_signed), NO_MARGIN)
        keys = [column.key for column in solution.columns]
        return self._weighted(keys, [float(w) for w in solution.weights])

    def _weighted(self, keys: list[Any], values: list[float]) -> WeightedVote:
        if self._is("precomputed"):
            return ColumnVote(zip(keys, values, strict=True), self.n_features_in_)
        if self._is("stumps"):
            return StumpVote(zip(keys, values, strict=True))
        return LearnerVote(keys, values, "labels")

    def _default_bound(self) -> str:
        return "stable" if self._has_fixed_program else "rademacher-margin"

    def _margin_bound(
        self, bound: str, delta: float, margin: float | None, rademacher: Rademacher | None
    ) -> Certificate:
        if bound == "stable":
            return self._stable(delta)
        if not self._is("stumps"):
            self._refuse_constant(bound)
        complexity = self._complexity(rademacher, delta)
        return hull_certificate(bound, self._margins, complexity, margin=margin, delta=delta)

    def _complexity(self, rademacher: Rademacher | None, delta: float) -> Complexity:
        m, d = self._margins.shape[0], self.n_features_in_
        if rademacher is not None:
            return given_complexity(rademacher, m, delta)
        if self._is("precomputed"):
            if not self._is_bounded:
                raise NotCertifiableError(
                    "the margin bounds need weak learners in [-1, 1], and the columns of X go "
                    "beyond. Rescale them by constants known beforehand, or use bound='held-out'."
                )
            return finite_complexity(2 * d, m)
        # Both signs of each threshold, and the two constants.
        if self._grid is not None:
            # The class is finite and was fixed before the data, so its size bounds its complexity.
            return finite_complexity(2 * sum(map(len, self._grid)) + 2, m)
        if self._is("stumps"):
            return stump_complexity(m, d)
        raise NotCertifiableError(
            "the margin bounds need the complexity of the weak learners, which is not known for "
            f"{type(self.weak_learner).__name__}. Pass it to `margin_certificate`, or use "
            "bound='held-out'."
        )

    def _stable(self, delta: float) -> Certificate:
        self._refuse_unstable()
        # An error of the whole is an error of some machine: risks add up, and delta is divided.
        m, share = self._margins.shape[0], delta / len(self.machines_)
        parts = []
        for rho, proof in zip(self.rho_, self._proofs, strict=True):
            if proof.n_compressed is None:
                raise NotCertifiableError(
                    "bound='stable' needs a unique optimum, which could not be proved: "
                    f"{proof.why_not}. Change `cap` or the thresholds before looking at the data, "
                    f"{_ELSE}"
                )
            # An error of a new example lies below a positive margin, so the set that defines the
            # vote would include it. Without a positive margin that step of the proof fails.
            part = stable_bound(m, proof.n_compressed, delta=share)
            if rho <= _SAFE_MARGIN:
                note = "The margin is not positive, so an error need not enter the set: vacuous."
                part = replace(part, risk=1.0, notes=(*part.notes, note))
            parts.append(part)
        return combined(parts, delta, Assumption("columns-and-cap"))

    def _refuse_unstable(self) -> None:
        if self.cap is None:
            raise NotCertifiableError(
                "bound='stable' needs a fixed cap: with cap = 1 / (nu n_samples) removing an "
                f"example changes the program of all others. Fit with `cap=`, {_ELSE}"
            )
        if not self._has_fixed_program:
            raise NotCertifiableError(
                "bound='stable' needs features fixed before the data: thresholds between training "
                f"values, and fitted learners, move with them. Fit with `thresholds=`, {_ELSE}"
            )
        if self.is_weighted_:
            raise NotCertifiableError(
                "bound='stable' needs examples of weight 1, got sample weights. Fit without "
                f"them, {_ELSE}"
            )


class _Proof(NamedTuple):
    """Size of the compression set of the unique optimum, or the reason why there is none."""

    n_compressed: int | None
    why_not: str


def _proof(solution: LPBoosted, counts: Floats) -> _Proof:
    if solution.vertex is None:
        return _Proof(None, solution.why_not)
    # Equal examples were merged; the certificate counts each of them.
    return _Proof(round(float(counts[solution.vertex.is_compressed].sum())), "")


def _threshold_grid(thresholds: Any, n_features: int) -> list[Floats] | None:
    """Fixed thresholds of each feature, increasing."""
    if thresholds is None:
        return None
    is_nested = len(thresholds) > 0 and np.ndim(thresholds[0]) > 0
    if is_nested and len(thresholds) != n_features:
        raise ValueError(
            f"`thresholds` must be one list, or one list for each of {n_features} features, got "
            f"{len(thresholds)} lists."
        )
    lists = thresholds if is_nested else [thresholds] * n_features
    grid = [np.unique(np.asarray(values, dtype=np.float64)) for values in lists]
    if not all(np.all(np.isfinite(values)) for values in grid):
        raise ValueError("`thresholds` must be finite, got NaN or infinity.")
    return grid

"""LPBoost over the unit balls of several kernels: examples and kernels are fitted in turn.

The dual of the program is

    minimise over u of max_t N_t(u),   N_t(u) = sqrt(u'Y K_t Y u),   sum u = 1, 0 <= u <= cap,

and the maximum over t equals the maximum over mixtures z of the kernels. For fixed z the best u
is that of a support vector machine without threshold on sum_t z_t K_t. For fixed u, kernels with
large N_t get more weight. Every step has two certified bounds. The upper one is max_t N_t(u). The
lower one is the value of the vote f = sum_t z_t sum_i u_i y_i k_t(x_i, .), divided by
sum_t z_t N_t, which makes it a convex combination of functions of norm one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from handful.arrays import Floats
from handful.boosting.collection import capped_quantile, vote_value
from handful.boosting.generation import Iteration
from handful.boosting.kernel_matrices import KernelMatrices

#: Kernels that take part from the start, and that join in one round.
_N_JOINING = 16
#: Share of the weight that the kernels which join receive together.
_WELCOME = 0.1
#: The inner problem is solved to this share of the gap.
_SHARE = 0.1
#: All kernels are searched when the gap of those inside is this share of the whole gap.
_EARLY = 0.3
#: Most steps of the inner problem for each example, before the kernels move again.
_MOST_PAIRS = 100
#: Kernels with less weight than this share of ``tol`` leave the vote.
_SMALL = 0.1
#: Norms below this are zero: no kernel tells the classes apart.
_ZERO = 1e-9


@dataclass(frozen=True, eq=False)
class KernelSolution:
    """Solution of LPBoost over kernels: f = sum_t factors_t sum_i u_i y_i k_t(x_i, .)."""

    factors: Floats
    weights: Floats  # norms of the parts; they sum to 1, or are 0 if no kernel helps
    u: Floats
    beta: float  # value of the vote: a lower bound on the optimum
    rho: float
    gap: float  # certified: the optimum is at most beta + gap
    is_converged: bool
    history: list[Iteration]  # the edge is the largest N_t of the kernels that take part


def solve_kernels(
    matrices: KernelMatrices, y_signed: Floats, caps: Floats, *, tol: float, max_iter: int
) -> KernelSolution:
    """Maximise rho - sum_i cap_i (rho - y_i f(x_i))_+ over the hull of the unit balls.

    The weights of the kernels move by z_t <- z_t N_t^p. With p = 1 the minimum over u never
    falls. Larger p are tried, and taken back if it falls. Few kernels take part at first. Another
    kernel joins when its N_t exceeds that of all kernels inside.
    """
    state = _Alternation(matrices, y_signed, np.minimum(caps, 1.0), tol)
    history: list[Iteration] = []
    while len(history) < max_iter and state.upper > _ZERO:
        state.fit_examples()
        if state.has_all or state.gap_inside <= max(0.5 * tol, _EARLY * state.gap):
            state.ask_all()
        record = (state.edge, state.lower, state.gap, len(state.inside))
        history.append(Iteration(len(history) + 1, *record))
        if state.gap <= tol or not state.fit_kernels():
            break
    return state.solution(history, tol)


class _Alternation:
    """Weights of examples and kernels, and the best bounds so far."""

    def __init__(
        self, matrices: KernelMatrices, y_signed: Floats, caps: Floats, tol: float
    ) -> None:
        self._matrices, self._y, self._caps, self._tol = matrices, y_signed, caps, tol
        self._u = caps / caps.sum()
        norms = self._norms_of_all()
        self.upper = float(norms.max())
        self.lower = -np.inf
        self._upper_inside = np.inf
        self.edge = self.upper
        self.inside: list[int] = []
        self._Q = np.zeros((0, y_signed.size, y_signed.size))
        self._z = np.zeros(0)
        self._power, self._value = 1.0, -np.inf
        self._kept: tuple[Floats, Floats] | None = None
        self._best: tuple[list[int], Floats, Floats, Floats] | None = None
        self._invite(norms)

    @property
    def has_all(self) -> bool:
        return len(self.inside) == len(self._matrices)

    @property
    def gap(self) -> float:
        """Certified gap of the program on all kernels."""
        return self.upper - self.lower

    @property
    def gap_inside(self) -> float:
        """Gap of the program on the kernels that take part."""
        return self._upper_inside - self.lower

    def _signed(self, g: int) -> Floats:
        return self._y[:, None] * self._matrices.matrix(g) * self._y

    def _norms_of_all(self) -> Floats:
        scores = self._u * self._y
        squares = [scores @ (self._matrices.matrix(g) @ scores) for g in range(len(self._matrices))]
        return np.sqrt(np.maximum(0.0, np.array(squares)))

    def _invite(self, norms: Floats) -> None:
        """Add the kernels with the largest N_t."""
        limit = float(norms[self.inside].max()) if self.inside else 0.0
        order = np.argsort(-norms, kind="stable")
        new = [int(g) for g in order if g not in self.inside and norms[g] > limit][:_N_JOINING]
        if not new:
            return
        share = _WELCOME if self.inside else 1.0
        self._z = np.append((1.0 - share) * self._z, np.full(len(new), share / len(new)))
        self.inside += new
        self._Q = np.concatenate([self._Q, [self._signed(g) for g in new]])
        self._power, self._value, self._kept = 1.0, -np.inf, None
        self._upper_inside = np.inf

    def fit_examples(self) -> None:
        """Find the best u for the present mixture, and the bounds that it proves."""
        from handful.boosting.loops import descend_pairs

        used = np.flatnonzero(self._z > 1e-12)
        Q = np.tensordot(self._z[used], self._Q[used], 1)
        gradient = Q @ self._u
        square = float(self._u @ gradient)
        gap = min(self.gap_inside, self.edge)
        # The value lies between 0 and the norm: a norm below the tolerance needs no more digits.
        norm = max(float(np.sqrt(max(square, 0.0))), self._tol)
        tol = max(_SHARE * gap * norm, 1e-15)
        u = self._u.copy()
        descend_pairs(Q, self._caps, u, gradient, tol, _MOST_PAIRS * u.size)
        self._u = u
        images = self._Q @ u
        self._norms = np.sqrt(np.maximum(0.0, images @ u))
        self.edge = float(self._norms.max())
        self._upper_inside = min(self._upper_inside, self.edge)
        total = float(self._z @ self._norms)
        if total <= 0.0:
            return
        value = vote_value(self._z @ images / total, self._caps)
        if value > self.lower:
            self.lower = value
            self._best = (list(self.inside), self._z / total, self._norms, u)

    def ask_all(self) -> None:
        """Compute the upper bound over all kernels, and add those with the largest N_t."""
        if self.has_all:
            self.upper = min(self.upper, self.edge)
            return
        norms = self._norms_of_all()
        self.upper = min(self.upper, float(norms.max()))
        self._invite(norms)

    def fit_kernels(self) -> bool:
        """Give more weight to kernels with a large N_t; False if every N_t is zero."""
        if self._norms.size < self._z.size:  # some have just joined
            return True
        value = float(self._z @ self._norms**2)
        if self._kept is None or value >= self._value or self._power <= 1.0:
            self._kept, self._value = (self._z, self._norms), value
            self._power *= 1.5
        else:
            self._power = max(1.0, 0.25 * self._power)
        z, norms = self._kept
        if norms.max() <= 0.0:
            return False
        z = z * (norms / norms.max()) ** self._power
        self._z = z / z.sum()
        return True

    def solution(self, history: list[Iteration], tol: float) -> KernelSolution:
        """The best vote so far."""
        factors, weights = np.zeros(len(self._matrices)), np.zeros(len(self._matrices))
        if self._best is None or self.upper <= _ZERO:
            gap = max(0.0, self.upper)
            return KernelSolution(factors, weights, self._u, 0.0, 0.0, gap, True, history)
        inside, shares, norms, u = self._best
        factors[inside], weights[inside] = shares, shares * norms
        whole = self._valued(factors, weights, u, history, tol)
        is_small = weights < _SMALL * tol
        kept = float(weights[~is_small].sum())
        if not np.any(is_small & (weights > 0.0)) or kept <= 0.0:
            return whole
        factors, weights = np.where(is_small, 0.0, [factors / kept, weights / kept])
        fewer = self._valued(factors, weights, u, history, tol)
        return fewer if fewer.is_converged or not whole.is_converged else whole

    def _valued(
        self, factors: Floats, weights: Floats, u: Floats, history: list[Iteration], tol: float
    ) -> KernelSolution:
        used = np.flatnonzero(factors)
        margins = np.asarray(sum(factors[g] * (self._signed(int(g)) @ u) for g in used))
        beta = vote_value(margins, self._caps)
        gap = max(0.0, self.upper - beta)
        rho = capped_quantile(margins, self._caps)
        return KernelSolution(factors, weights, u, beta, rho, gap, gap <= tol, history)

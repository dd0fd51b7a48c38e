"""Linear programs, solved again by another road: is the file's machine optimal, what touches it?"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from handful.verify.audit import Audit, Document, Floats, Mask, is_number
from handful.verify.claims import STABLE, STABLE_REFERENCE, Claim, choice_prices, confidence
from handful.verify.evidence import Evidence, sum_views

_FIXED = ("settings", "class-list")
_TOUCH = 1e-6  # of the margin: what the other solver may be off
# More programs of more values take too long for a check.
_MOST_VALUES, _MOST_PROGRAMS = 400_000, 300


class SlackProgram:
    """min weight |w|_1 + [h] + C sum of slacks, 1 <= y f(x) + slack, y f(x) <= h if capped.

    Variables: w+, w-, b, h, slacks. Questions are about z = (w, b, h).
    """

    def __init__(self, X: Floats, y: Floats, C: float, weight: float, capped: bool) -> None:
        m, n = X.shape
        self.n, self.capped, self.is_hard = n, capped, not np.isfinite(C)
        self.margins = np.column_stack([y[:, None] * X, y, np.zeros(m)])  # of z
        price = 0.0 if self.is_hard else C
        self.cost = np.concatenate(
            [np.full(2 * n, weight), [0.0, float(capped)], np.full(m, price)]
        )
        # A hard margin: slack may not be bought at any price.
        slack: tuple[float, float | None] = (0.0, 0.0) if self.is_hard else (0.0, None)
        free: list[tuple[float | None, float | None]] = [(None, None), (1.0, None)]
        self.bounds = [*[(0.0, None)] * (2 * n), *free, *[slack] * m]
        above = sparse.hstack([self._wide(-self.margins), -sparse.eye(m)])
        rows, right = [above], [-np.ones(m)]
        if capped:
            below = self.margins.copy()
            below[:, -1] = -1.0
            rows.append(sparse.hstack([self._wide(below), sparse.csr_array((m, m))]))
            right.append(np.zeros(m))
        self.A, self.b = sparse.csr_array(sparse.vstack(rows)), np.concatenate(right)
        self.value = self._solve(self.cost)[0]
        # everything that is as good, up to rounding
        self.A = sparse.csr_array(sparse.vstack([self.A, self.cost[None, :]]))
        self.b = np.append(self.b, self.value + 1e-9 * max(1.0, abs(self.value)))

    def _wide(self, Z: Floats) -> Floats:
        """Rows over z as rows over w+, w-, b, h."""
        return np.hstack([Z[:, : self.n], -Z[:, : self.n], Z[:, self.n :]])

    def _solve(self, cost: Floats) -> tuple[float, Floats]:
        from scipy.optimize import linprog

        found = linprog(cost, self.A, self.b, bounds=self.bounds, method="highs")
        # Unbounded or not solved: minus infinity, which frees no example.
        if found.status != 0:
            return -np.inf, np.zeros(len(cost))
        return float(found.fun), np.asarray(found.x)

    def least(self, row: Floats) -> tuple[float, Floats | None]:
        """Smallest value of a linear function of z over all optima, and where it is taken."""
        cost = np.zeros(len(self.cost))
        cost[: 2 * self.n + 2] = self._wide(row[None, :])[0]
        value, x = self._solve(cost)
        n = self.n
        z = np.concatenate([x[:n] - x[n : 2 * n], x[2 * n : 2 * n + 2]])
        return value, (z if np.isfinite(value) else None)

    def extremes(self) -> tuple[Floats, Floats, Mask]:
        """Ranges of z over all optima; examples seen to touch one."""
        k = self.n + 2
        low, high = np.full(k, -np.inf), np.full(k, np.inf)
        touching = np.zeros(len(self.margins), dtype=bool)
        for j in range(k if self.capped else k - 1):
            unit = np.eye(1, k, j)[0]
            (low[j], first), (top, second) = self.least(unit), self.least(-unit)
            high[j] = -top
            for z in (first, second):
                if z is not None:
                    touching |= self.touches(z)
        return low, high, touching

    def touches(self, z: Floats) -> Mask:
        """Examples on or below the margin, or at the cap, of one optimum."""
        g, h = self.margins @ z, float(z[-1])
        slop = _TOUCH * max(1.0, h)
        return (g <= 1.0 + slop) | ((g >= h - slop) & self.capped)

    def is_away(self, i: int) -> bool:
        """Whether an example stays off the margin and the cap for all optima."""
        if not self.least(self.margins[i])[0] > 1.0 + _TOUCH:
            return False
        to_cap = -self.margins[i]
        to_cap[-1] = 1.0
        return not self.capped or self.least(to_cap)[0] > _TOUCH


def _away_by_range(program: SlackProgram, low: Floats, high: Floats) -> Mask:
    def least(A: Floats) -> Floats:
        with np.errstate(invalid="ignore"):
            parts = np.where(A > 0.0, A * low, np.where(A < 0.0, A * high, 0.0))
        return np.asarray(parts.sum(axis=1))

    away = least(program.margins) > 1.0 + _TOUCH
    if program.capped:
        to_cap = -program.margins
        to_cap[:, -1] = 1.0
        away &= least(to_cap) > _TOUCH * max(1.0, high[-1])
    return away


def program_claim(evidence: Evidence) -> Claim | None:
    """What the stable certificate of a linear machine must say."""
    audit, X, p = evidence.audit, evidence.X, evidence.parameters
    views, prices = sum_views(evidence.form), _prices(p, evidence.estimator)
    is_linear = all(view["kind"] == "linear" for view in views)
    is_usable = prices is not None and is_linear
    if not audit.check("settings: C and sparsity of a linear machine", is_usable):
        return None
    assert prices is not None
    if p.get("class_weight", ...) is not None:
        audit.leave("the examples that touch an optimum: programs with weights are not solved")
    elif X.size > _MOST_VALUES or 2 * (X.shape[1] + 2) > _MOST_PROGRAMS:
        audit.leave("the examples that touch an optimum: the program is too large to solve again")
    else:
        for k, view in enumerate(views):
            program = SlackProgram(X, evidence.signs(k, len(views)), *prices)
            _check_optimum(audit, f"machine {k + 1}", view, program, evidence.kept)
    paid = [confidence(evidence.delta), *choice_prices(audit, evidence.certificate, "models")]
    n, size, words = evidence.n, len(evidence.kept), (*STABLE, *_FIXED)
    return Claim("stable", "stable", paid, words, STABLE_REFERENCE, n, n_compressed=size)


def _prices(p: Document, estimator: Any) -> tuple[float, float, bool] | None:
    """Price of slack, price of coefficients, whether the largest margin is priced."""
    C, sparsity = p.get("C", 0.0), p.get("sparsity", "auto")
    if not is_number(C) or C <= 0 or p.get("kernel") != "linear":
        return None
    if estimator == "LinearProgrammingMachine":
        return float(C), 1.0, False
    weight = {"auto": 0.0, "paper": 0.0, "l1": 0.5 * float(C)}.get(str(sparsity))
    if weight is None:
        weight = float(sparsity) if is_number(sparsity) and sparsity >= 0 else None
    if weight is None or type(p.get("hard")) is not bool:
        return None
    return (np.inf if p["hard"] else float(C)), weight, True


def _check_optimum(
    audit: Audit, where: str, machine: Document, program: SlackProgram, kept: list[int]
) -> None:
    w, b = np.array(machine["weights"], dtype=float), float(machine["intercept"])
    g = program.margins @ np.concatenate([w, [b, 0.0]])
    h = max(1.0, float(g.max())) if program.capped else 1.0
    slacks = np.maximum(0.0, 1.0 - g)
    parts = [np.maximum(w, 0.0), np.maximum(-w, 0.0), [b, h], slacks]
    value = float(program.cost @ np.concatenate(parts))
    # A hard margin that is missed by rounding is still one.
    is_feasible = not program.is_hard or float(slacks.max()) <= _TOUCH
    gap = value - program.value
    is_best = is_feasible and gap <= 1e-6 * max(1.0, abs(program.value))
    detail = f"its value is {gap:.2g} above the smallest"
    if not audit.check(f"{where}: optimum", is_best, detail):
        return
    claimed = np.zeros(len(g), dtype=bool)
    claimed[kept] = True
    low, high, touching = program.extremes()
    # The file's own optimum counts too: it is one of them.
    touching |= program.touches(np.concatenate([w, [b, h]]))
    absent = np.flatnonzero(touching & ~claimed)
    detail = f"the examples {absent[:5].tolist()} touch it and are not in the compression set"
    if not audit.check(f"{where}: touching examples", not absent.size, detail):
        return
    # Examples in the set need no proof: a larger set is only looser.
    unsure = np.flatnonzero(~claimed & ~_away_by_range(program, low, high))
    n_open = sum(not program.is_away(int(i)) for i in unsure[:_MOST_PROGRAMS])
    n_open += max(0, len(unsure) - _MOST_PROGRAMS)
    if n_open:
        audit.leave(f"whether {n_open} examples touch another optimum")

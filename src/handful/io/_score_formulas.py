"""Machines without rules as formulas of the columns, in the words of a dialect."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from handful._types import Floats
from handful.io._banks import KernelPart, KernelSum, Nonconformity
from handful.io._scores import KernelExpansion, LinearScore, ScoreMachine, StumpVotes
from handful.kernels import Kernel
from handful.rules.formulas import Dialect, kernel_formula, own_kernel_formula

#: Numbers in a formula; a longer one is better read from its file.
MAX_NUMBERS = 50_000


def score_formula(machine: ScoreMachine, n_features: int, dialect: Dialect) -> tuple[str, str]:
    """The score as a formula, and what counts as zero.

    A missing value makes the formula of a kernel or a linear score missing; a stump does not
    vote where its value is missing.
    """
    zero = dialect.number(0.0)
    _check_length(machine, n_features)
    if isinstance(machine, LinearScore):
        terms = [f"{dialect.number(w)} * {dialect.operand(j)}" for j, w in _used(machine.weights)]
        return _added([dialect.number(machine.intercept), *terms]), zero
    if isinstance(machine, StumpVotes):
        return _vote_formula(machine, dialect), zero
    if isinstance(machine, KernelSum):
        parts = [_part_formula(part, n_features, dialect) for part in machine.parts]
        return _added([dialect.number(machine.constant), *parts]), zero
    if isinstance(machine, Nonconformity):
        raise TypeError(
            "`machine` must be one score for SQL, and nonconformity compares every case with the "
            "validation examples of all its models. Use with_rule('best-validation'), or "
            "`handful predict`."
        )
    return _expansion_formulas(machine, dialect)


def _check_length(machine: ScoreMachine, n_features: int) -> None:
    if isinstance(machine, KernelExpansion):
        n = len(machine.points) * n_features
    elif isinstance(machine, KernelSum):
        n = sum(len(part.points) for part in machine.parts) * n_features
    else:
        n = 0
    if n > MAX_NUMBERS:
        raise ValueError(
            f"`machine` must have at most {MAX_NUMBERS} numbers to be one formula, got {n}. Use "
            "`handful predict`, or a machine that keeps fewer examples."
        )


def _used(weights: Sequence[float]) -> list[tuple[int, float]]:
    return [(j, w) for j, w in enumerate(weights) if w]


def _added(terms: Sequence[str]) -> str:
    """A sum in brackets that are nowhere deep: databases limit the depth of an expression."""
    if len(terms) <= 8:
        return "(" + " + ".join(terms) + ")"
    size = -(-len(terms) // 8)
    return _added([_added(terms[i : i + size]) for i in range(0, len(terms), size)])


def _vote_formula(machine: StumpVotes, dialect: Dialect) -> str:
    """Feature by feature, in the order in which the library adds."""
    total = dialect.number(machine.constant)
    for feature in sorted(set(machine.features)):
        mine = [i for i, other in enumerate(machine.features) if other == feature]
        mine.sort(key=lambda i: (machine.thresholds[i], machine.weights[i]))
        passed = np.concatenate([[0.0], np.cumsum([machine.weights[i] for i in mine])])
        levels = passed[-1] - 2.0 * passed
        column, cases = dialect.operand(feature), []
        for place, i in enumerate(mine):
            cut, level = dialect.number(machine.thresholds[i]), dialect.number(levels[place])
            cases.append(f"WHEN {column} <= {cut} THEN {level}")
        cases.append(f"WHEN {column} > {cut} THEN {dialect.number(levels[-1])}")
        total = f"({total}\n    + CASE {' '.join(cases)} ELSE {dialect.number(0.0)} END)"
    return total


def _expansion_formulas(machine: KernelExpansion, dialect: Dialect) -> tuple[str, str]:
    scaled = _scaled(dialect, machine.center, machine.scale)
    values = [kernel_formula(machine.kernel, point, scaled) for point in machine.points]
    pairs = list(zip(machine.coefficients, values, strict=True))
    terms = [f"{dialect.number(a)} * {value}" for a, value in pairs]
    total = _added([dialect.number(machine.intercept), *terms])
    if not machine.tie:
        return total, dialect.number(0.0)
    sizes = [f"{dialect.number(abs(a))} * {dialect.absolute}({value})" for a, value in pairs]
    size = _added([dialect.number(abs(machine.intercept)), *sizes])
    return total, f"{dialect.number(machine.tie)} * {size}"


def _scaled(
    dialect: Dialect, center: Sequence[float] | None, scale: Sequence[float] | None
) -> Dialect:
    if center is None and scale is None:
        return dialect

    def operand(j: int) -> str:
        text = dialect.operand(j)
        if center is not None:
            text = f"({text} - {dialect.number(center[j])})"
        return text if scale is None else f"({text} / {dialect.number(scale[j])})"

    return replace(dialect, operand=operand)


def _part_formula(part: KernelPart, n_features: int, dialect: Dialect) -> str:
    columns = range(n_features) if part.columns is None else part.columns
    view = replace(dialect, operand=lambda j: dialect.operand(columns[j]))
    points = np.array(part.points, dtype=np.float64).reshape(len(part.points), len(columns))
    weights = np.array(part.coefficients) * part.scales(points)
    terms = _terms(part.kernel, points, weights, view)
    total = _added(terms) if terms else dialect.number(0.0)
    if not part.is_normalised or part.kernel.name == "rbf":
        return total
    own = own_kernel_formula(part.kernel, len(columns), view)
    zero = dialect.number(0.0)
    return f"CASE WHEN {own} > {zero} THEN {total} / {dialect.root}({own}) ELSE {zero} END"


def _terms(kernel: Kernel, points: Floats, weights: Floats, view: Dialect) -> list[str]:
    return [
        f"{view.number(float(w))} * {kernel_formula(kernel, point.tolist(), view)}"
        for point, w in zip(points, weights, strict=True)
    ]

"""Kernel expansions f(x) = sum_j a_j k(x_j, x) + b, and codes that rebuild them from examples.

Two codes turn a pursuit into a sample-compression scheme:

"chosen"
    The coefficients are those of kernel ridge regression on the chosen examples alone, so the
    message only names the ridge and a dyadic threshold.
"quantised"
    The least-squares coefficients of all the data are rounded to whole multiples of one unit;
    the message lists them. A sign that agrees with the example's own label is cheap to say.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from handful.arrays import Floats
from handful.bounds import Term, log_choose
from handful.kernels import Kernel
from handful.pursuit.kernel_columns import Indices
from handful.pursuit.orthogonal import PursuitPath

TIE = 1e-10  # of the size of the summands: values this small are zero up to rounding


@dataclass(frozen=True)
class Expansion:
    """A kernel expansion over training examples, one column of coefficients per output.

    Attributes
    ----------
    centers : ndarray of int
        Indices of training examples, in order of choice.
    coefficients : ndarray (n_centers, n_outputs)
    intercepts : ndarray (n_outputs,)
    """

    centers: Indices
    coefficients: Floats
    intercepts: Floats

    def values(self, K: Floats) -> tuple[Floats, Floats]:
        """Values for kernel rows K against the centres, and the size of their rounding error."""
        values = K @ self.coefficients + self.intercepts
        sizes = np.abs(K) @ np.abs(self.coefficients) + np.abs(self.intercepts)
        return values, TIE * sizes


def decide(values: Floats, tolerances: Floats) -> Indices:
    """Class indices: the larger value, ties (up to rounding) to the lowest class.

    One column means two classes: the second if the value is positive.
    """
    if values.shape[1] == 1:
        return (values[:, 0] > tolerances[:, 0]).astype(np.intp)
    best = values.max(axis=1, keepdims=True)
    return np.asarray(np.argmax(values >= best - tolerances.max(axis=1, keepdims=True), axis=1))


def expansion_of_size(paths: Sequence[PursuitPath], size: int, ridge: float) -> Expansion:
    """The model of one size: of a path shared by all outputs, or of one path per output."""
    sizes = [min(size, path.n_centers) for path in paths]
    fits = [path.coefficients(t, ridge) for path, t in zip(paths, sizes, strict=True)]
    if len(paths) == 1:
        return Expansion(paths[0].centers[: sizes[0]], *fits[0])
    order = [int(i) for path, t in zip(paths, sizes, strict=True) for i in path.centers[:t]]
    centers = np.array(list(dict.fromkeys(order)), dtype=np.intp)
    row = {int(center): i for i, center in enumerate(centers)}
    coefficients = np.zeros((len(centers), len(paths)))
    for output, (path, t, fit) in enumerate(zip(paths, sizes, fits, strict=True)):
        rows = [row[int(i)] for i in path.centers[:t]]
        coefficients[rows, output] = fit[0][:, 0]
    return Expansion(centers, coefficients, np.array([fit[1][0] for fit in fits]))


def center_rows(kernel: Kernel, X: Floats, X_centers: Floats | None, centers: Indices) -> Floats:
    """Kernel values of the rows of X against the centres (columns of X if precomputed)."""
    if kernel.name == "precomputed" or X_centers is None:
        return np.asarray(X[:, centers])
    if not len(centers) or not len(X):
        return np.zeros((len(X), len(centers)))
    return kernel(X, X_centers)


RIDGES = (0.01, 0.1, 1.0, 10.0)  # fixed before the data; the message names one of them
# Largest whole coefficient; powers of two name every size within a factor.
LEVELS = (1, 2, 4, 8, 16, 32, 64)
N_DYADIC = 6  # the finest threshold is 1/64 of the range, and the dearest
N_STEPS = 4  # whole steps around the fitted intercept, up and down


@dataclass(frozen=True)
class CodedExpansion:
    """An expansion, the terms of the message that says it, and the message's content.

    ``content`` holds plain numbers; with the chosen examples they give the expansion back.
    """

    expansion: Expansion
    terms: tuple[Term, ...] = ()
    content: dict[str, object] = field(default_factory=dict)


def dyadic_shifts() -> list[tuple[float, float]]:
    """Thresholds in (-1, 1), 0 and +-j / 2^l with j odd and l <= 6, each with its cost in nats.

    Half of the prior goes to 0, the rest to level l with weight 1 / (l (l + 1)).
    """
    shifts = [(0.0, math.log(2.0))]  # in nats: -ln of the prior mass
    for level in range(1, N_DYADIC + 1):
        # 2^(l - 1) odd numerators with two signs: 2^l thresholds share the mass of level l.
        cost = math.log(2.0) + math.log(level * (level + 1.0)) + level * math.log(2.0)
        for j in range(1, 2**level, 2):
            shifts += [(j / 2**level, cost), (-j / 2**level, cost)]
    return shifts


@dataclass(frozen=True)
class CodeFamily:
    """Codes that share their coefficients and differ in the intercept.

    ``intercepts`` has a row and ``nats`` an entry for each; ``code(i)`` spells one out.
    """

    coefficients: Floats
    intercepts: Floats
    nats: Floats
    code: Callable[[int], CodedExpansion]


def chosen_codes(
    centers: Indices, K: Floats, Y: Floats, *, has_intercept: bool = True
) -> Iterator[CodeFamily]:
    """All codes of kind "chosen" for these centres.

    K and Y are the kernel matrix and the targets of the centres. The intercept of a two-class
    machine is a dyadic share of the largest value the expansion can take at a centre; machines
    with more outputs have none.
    """
    n = len(centers)
    shifts = dyadic_shifts() if has_intercept and Y.shape[1] == 1 else [(0.0, 0.0)]
    for ridge in RIDGES:
        coefficients = np.asarray(np.linalg.solve(K + ridge * np.eye(n), Y), dtype=np.float64)
        unit = float(np.abs(coefficients).sum() * np.abs(K).max()) if n else 1.0
        yield _chosen_family(centers, coefficients, ridge, unit, shifts)


def _chosen_family(
    centers: Indices,
    coefficients: Floats,
    ridge: float,
    unit: float,
    shifts: list[tuple[float, float]],
) -> CodeFamily:
    # Coefficients are a function of the chosen examples and the ridge: they cost nothing more.
    ridge_nats, n_outputs = math.log(len(RIDGES)), coefficients.shape[1]

    def code(i: int) -> CodedExpansion:
        share, nats = shifts[i]
        expansion = Expansion(centers, coefficients, np.full(n_outputs, share * unit))
        terms = (
            Term("ridge", "ridge of the coefficients", ridge_nats),
            Term("threshold", "threshold", nats),
        )
        return CodedExpansion(expansion, terms, {"ridge": ridge, "shift": share})

    shares, nats = np.array(shifts).T
    intercepts = np.repeat(unit * shares[:, None], n_outputs, axis=1)
    return CodeFamily(coefficients, intercepts, nats + ridge_nats, code)


def quantised_codes(
    base: Expansion, Y: Floats, *, has_intercept: bool = True
) -> Iterator[CodeFamily]:
    """All codes of kind "quantised" near ``base``; Y holds the targets of the centres.

    At level L the unit is the largest coefficient over L. Coefficients are whole and not 0 in
    [-L, L]; intercepts are whole numbers of units. For each level, a few intercepts beside the
    rounded one are offered too. The unit itself does not matter to the decision.
    """
    if not len(base.centers):
        yield _quantised_family(base, Y, 1, _majority(base.intercepts)[None, :])
        return
    # Whole and not zero: a coefficient of zero would need a code of its own.
    signs = np.where(base.coefficients < 0.0, -1.0, 1.0)
    largest = max(float(np.abs(base.coefficients).max()), 1e-300)
    for level in LEVELS:
        whole = signs * np.maximum(1.0, np.round(np.abs(base.coefficients) / largest * level))
        # So large an intercept makes the machine constant; a larger one only costs more.
        middle = np.clip(np.round(base.intercepts / largest * level), -1e9, 1e9)
        is_moved = has_intercept and len(middle) == 1
        steps = np.arange(-N_STEPS, N_STEPS + 1.0) if is_moved else np.zeros(1)
        intercepts = middle + steps[:, None] * max(1.0, level // 4)
        yield _quantised_family(Expansion(base.centers, whole, middle), Y, level, intercepts)


def _quantised_family(rounded: Expansion, Y: Floats, level: int, intercepts: Floats) -> CodeFamily:
    whole = rounded.coefficients
    # Most coefficients have the sign of their example's label: naming the exceptions is cheap.
    n_agree = int(np.sum(np.sign(whole) == Y))
    which = log_choose(whole.size, n_agree)
    terms = [
        Term("levels", "number of levels", math.log(len(LEVELS))),
        # Each size is one of 1, ..., level, equally likely beforehand.
        Term("coefficients", "sizes of the coefficients", whole.size * math.log(level)),
        # First how many signs agree, one of 0, ..., n; then which ones.
        Term("signs", "signs of the coefficients", math.log(whole.size + 1.0) + which),
    ]
    intercept_nats = [math.fsum(integer_nats(b) for b in row) for row in intercepts]

    def code(i: int) -> CodedExpansion:
        expansion = Expansion(rounded.centers, whole, intercepts[i])
        intercept = Term("intercept", "intercept", intercept_nats[i])
        content: dict[str, object] = {
            "level": level,
            "coefficients": whole.astype(int).tolist(),
            "intercepts": intercepts[i].astype(int).tolist(),
        }
        return CodedExpansion(expansion, (*terms, intercept), content)

    nats = math.fsum(term.nats for term in terms) + np.array(intercept_nats)
    return CodeFamily(whole, intercepts, nats, code)


def _majority(intercepts: Floats) -> Floats:
    """Intercepts +-1 that make a constant machine say what the given ones say."""
    if len(intercepts) == 1:
        return np.where(intercepts > 0.0, 1.0, -1.0)
    return np.where(np.arange(len(intercepts)) == np.argmax(intercepts), 1.0, -1.0)


def integer_nats(value: float) -> float:
    """Cost of a whole number under the prior (3 / pi^2) (|n| + 1)^-2 per sign.

    Examples
    --------
    >>> round(integer_nats(0), 6)
    1.190847
    """
    # Each sign gets half of the mass of the zeta prior; zero may be said with either.
    return math.log(math.pi**2 / 3.0) + 2.0 * math.log(abs(value) + 1.0)

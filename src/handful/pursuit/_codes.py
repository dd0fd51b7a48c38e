"""Expansions that can be rebuilt from the chosen examples and a short message.

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
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from handful.bounds import Message, log_binomial_coefficient
from handful.pursuit._columns import Floats
from handful.pursuit._expansion import Expansion

RIDGES = (0.01, 0.1, 1.0, 10.0)
LEVELS = (1, 2, 4, 8, 16, 32, 64)
N_DYADIC = 6
N_SHIFTS = 9


@dataclass(frozen=True)
class CodedExpansion:
    """An expansion, the message that says it, and the message's content.

    ``content`` holds plain numbers; with the chosen examples they give the expansion back.
    """

    expansion: Expansion
    message: Message
    content: dict[str, object]


def dyadic_shifts() -> list[tuple[float, float]]:
    """Thresholds in (-1, 1), 0 and +-j / 2^l with j odd and l <= 6, each with its cost in nats.

    Half of the prior goes to 0, the rest to level l with weight 1 / (l (l + 1)).
    """
    shifts = [(0.0, math.log(2.0))]
    for level in range(1, N_DYADIC + 1):
        cost = math.log(2.0) + math.log(level * (level + 1.0)) + level * math.log(2.0)
        for j in range(1, 2**level, 2):
            shifts += [(j / 2**level, cost), (-j / 2**level, cost)]
    return shifts


def chosen_codes(
    base: Expansion, K: Floats, Y: Floats, *, has_intercept: bool = True
) -> Iterator[CodedExpansion]:
    """All codes of kind "chosen" for the centres of ``base``.

    K and Y are the kernel matrix and the targets of the centres. The intercept of a two-class
    machine is a dyadic share of the largest value the expansion can take at a centre; machines
    with more outputs have none.
    """
    n = len(base.centers)
    shifts = dyadic_shifts() if has_intercept and Y.shape[1] == 1 else [(0.0, 0.0)]
    for ridge in RIDGES:
        coefficients = np.linalg.solve(K + ridge * np.eye(n), Y)
        unit = float(np.abs(coefficients).sum() * np.abs(K).max()) if n else 1.0
        for share, nats in shifts:
            expansion = Expansion(base.centers, coefficients, np.full(Y.shape[1], share * unit))
            terms = {"ridge of the coefficients": math.log(len(RIDGES)), "threshold": nats}
            yield CodedExpansion(expansion, Message(terms), {"ridge": ridge, "shift": share})


def quantised_codes(
    base: Expansion, Y: Floats, *, has_intercept: bool = True
) -> Iterator[CodedExpansion]:
    """All codes of kind "quantised" near ``base``; Y holds the targets of the centres.

    At level L the unit is the largest coefficient over L. Coefficients are whole and not 0 in
    [-L, L]; intercepts are whole numbers of units. For each level, a few intercepts beside the
    rounded one are offered too. The unit itself does not matter to the decision.
    """
    if not len(base.centers):
        yield _constant_code(base)
        return
    signs = np.where(base.coefficients < 0.0, -1.0, 1.0)
    largest = max(float(np.abs(base.coefficients).max()), 1e-300)
    for level in LEVELS:
        whole = signs * np.maximum(1.0, np.round(np.abs(base.coefficients) / largest * level))
        center = np.round(base.intercepts / largest * level)
        reach = N_SHIFTS // 2 if has_intercept and len(center) == 1 else 0
        for step in range(-reach, reach + 1):
            intercepts = center + step * max(1.0, level // 4)
            expansion = Expansion(base.centers, whole, intercepts)
            yield _quantised(expansion, Y, level, has_intercept)


def _quantised(
    expansion: Expansion, Y: Floats, level: int, has_intercept: bool
) -> CodedExpansion:
    whole, intercepts = expansion.coefficients, expansion.intercepts
    n_agree = int(np.sum(np.sign(whole) == Y))
    terms = {
        "number of levels": math.log(len(LEVELS)),
        "sizes of the coefficients": whole.size * math.log(level),
        "signs of the coefficients": math.log(whole.size + 1.0)
        + float(log_binomial_coefficient(whole.size, n_agree)),
    }
    if has_intercept:
        terms["intercept"] = math.fsum(integer_nats(int(b)) for b in intercepts)
    content: dict[str, object] = {
        "level": level,
        "coefficients": whole.astype(int).tolist(),
        "intercepts": intercepts.astype(int).tolist(),
    }
    return CodedExpansion(expansion, Message(terms), content)


def _constant_code(base: Expansion) -> CodedExpansion:
    signs = np.where(base.intercepts < 0.0, -1.0, 1.0)
    if len(signs) > 1:
        signs = np.where(np.arange(len(signs)) == np.argmax(base.intercepts), 1.0, -1.0)
    terms = {"intercept": math.fsum(integer_nats(int(b)) for b in signs)}
    content: dict[str, object] = {"level": 1, "coefficients": [], "intercepts": signs.tolist()}
    return CodedExpansion(Expansion(base.centers, base.coefficients, signs), Message(terms), content)


def integer_nats(value: int) -> float:
    """Cost of a whole number under the prior (3 / pi^2) (|n| + 1)^-2 per sign.

    Examples
    --------
    >>> round(integer_nats(0), 6)
    1.190847
    """
    return math.log(math.pi**2 / 3.0) + 2.0 * math.log(abs(value) + 1.0)

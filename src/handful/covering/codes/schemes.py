"""Which codes a machine may use, and the prior mass of each.

The masses are fixed before the data are seen and depend on the number of examples alone. With
``candidates="auto"``: a constant, pools that are left out of the count (scales, linear models
and ranks come free), the regression of a pool just as it is, and compression schemes over nested
pools of candidate examples.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from handful.bounds import Term
from handful.rules import FAMILIES

CONSTANT_MASS = 0.25  # masses of all codes sum to one; the constant must stay cheap
POOL_MASSES = ((0.2, 0.3), (0.45, 0.2))  # (share of the examples, prior mass)
BALL_POOL_MASSES = ((0.25, 0.3), (0.5, 0.2))  # balls have metrics to learn: larger pools
COMPRESSION_MASS = 0.25  # shared by all families and pool sizes
# If linear rules are allowed, the regression of a pool as it is has a code of its own. So have
# stumps, which are fewer: they rank among themselves.
PLAIN_MASSES = ((0.3, 0.1), (0.45, 0.1))
# If a regression takes a share, pools keep these.
POOL_MASS_BESIDE, STUMPS_MASS_BESIDE = 0.15, 0.2
COMPRESSION_MASS_BESIDE = 0.2  # and compression this
CONSTANT_POOL = 9  # examples whose majority names the constant
MIXED_SIZES = (40,)  # tables of several families are large already
#: Examples of the largest pool of a wide mixture: more of them cost time and gain little.
WIDE_SIZES = {"stumps": 2000, "balls": 1000, "half-spaces": 160, "two-point": 80}
_SMALLEST_POOLED = 60  # below it holding examples back costs more than it saves
_LARGEST_POOL = 10_000  # candidates hardly improve beyond, and all else is counted
_CODES_BUDGET = 400_000_000  # codes of one table, two bytes each


@dataclass(frozen=True)
class Scheme:
    """One code: how rules are described, from how many candidates, at what price."""

    name: str
    families: tuple[str, ...]
    pool_size: int
    nats: float

    @property
    def terms(self) -> tuple[Term, ...]:
        """The price as an itemised term; none for a certain scheme."""
        return (Term("code", "which code is used", self.nats),) if self.nats else ()


def _nats(mass: float) -> float:
    return -math.log(mass)


def auto_schemes(
    n_samples: int,
    n_features: int,
    family_sets: Sequence[tuple[str, ...]],
    pool_families: tuple[str, ...],
    *,
    is_wide: bool = False,
) -> list[Scheme]:
    """The default mixture of codes; a wide one has a larger pool of each family besides."""
    if n_samples < _SMALLEST_POOLED or not pool_families:
        small = [Scheme("constant", (), 0, _nats(CONSTANT_MASS))]
        rest = 1.0 - CONSTANT_MASS
        return small + _compression(n_samples, n_features, family_sets, rest, is_wide)
    is_plain = "linear" in pool_families
    schemes = [Scheme("constant", (), CONSTANT_POOL, _nats(CONSTANT_MASS))]
    for share, families, mass in _pools(pool_families):
        schemes.append(Scheme("pool", families, _share(n_samples, share), _nats(mass)))
    plain: dict[int, float] = {}  # many examples have one largest pool, once
    for share, mass in PLAIN_MASSES if is_plain else ():
        size = _share(n_samples, share)
        plain[size] = plain.get(size, 0.0) + mass
    schemes += [Scheme("plain", ("linear",), size, _nats(mass)) for size, mass in plain.items()]
    rest = COMPRESSION_MASS_BESIDE if is_plain else COMPRESSION_MASS
    return schemes + _compression(n_samples, n_features, family_sets, rest, is_wide)


def _pools(families: tuple[str, ...]) -> list[tuple[float, tuple[str, ...], float]]:
    """Share of the examples, rule families and prior mass of each pool of ranked rules."""
    if "linear" not in families:
        pools = BALL_POOL_MASSES if families == ("balls",) else POOL_MASSES
        return [(share, families, mass) for share, mass in pools]
    share = POOL_MASSES[0][0]
    if "stumps" not in families or len(families) == 1:
        return [(share, families, POOL_MASS_BESIDE + STUMPS_MASS_BESIDE)]
    return [
        (share, families, POOL_MASS_BESIDE),
        (share, ("stumps",), STUMPS_MASS_BESIDE),
    ]


def _share(n_samples: int, share: float) -> int:
    return min(_LARGEST_POOL, round(share * n_samples))


def _compression(
    n_samples: int,
    n_features: int,
    family_sets: Sequence[tuple[str, ...]],
    mass: float,
    is_wide: bool,
) -> list[Scheme]:
    cells = []
    for families in family_sets:
        sizes = MIXED_SIZES if len(families) > 1 else FAMILIES[families[0]].pool_sizes
        if is_wide:
            sizes = (*sizes, min(WIDE_SIZES[family] for family in families))
        for size in sorted({min(size, n_samples) for size in sizes}):
            work = sum(FAMILIES[f].n_directions(size, n_features) for f in families) * n_samples
            if work <= _CODES_BUDGET or size == min(sizes):
                cells.append((families, size))
    return [
        Scheme("compression", families, size, _nats(mass / len(cells))) for families, size in cells
    ]


def is_affordable(scheme: Scheme, n_rows: int, n_features: int) -> bool:
    """Whether the tables of a compression scheme fit into memory; a smallest pool always does.

    Groups have more rows than there are units, and the units decide the prior. A code that is left
    out keeps its mass, so that only the choice depends on the rows.
    """
    sizes = MIXED_SIZES if len(scheme.families) > 1 else FAMILIES[scheme.families[0]].pool_sizes
    found = (FAMILIES[f].n_directions(scheme.pool_size, n_features) for f in scheme.families)
    return sum(found) * n_rows <= _CODES_BUDGET or scheme.pool_size <= min(sizes)


def fixed_schemes(
    n_samples: int, family_sets: Sequence[tuple[str, ...]], pool_size: int | None
) -> list[Scheme]:
    """One pool (or all examples) for each set of families; "no rule" is part of their code."""
    size = n_samples if pool_size is None else min(pool_size, n_samples)
    price = math.log(len(family_sets))
    return [Scheme("compression", families, size, price) for families in family_sets]

"""What each row of a menu holds of delta: masses by role, functions of the pool alone.

The pool's favourite holds .6, the pool's favourite among pocket forms .3, and the rest share .1 by
1 / rank. A pocket form is one that a person can carry: one rule, a rule set, a rule list, a score
card of any length. The constant is none of them: nobody carries a guess that is always the same. If
the favourite is itself a pocket form, or if there is no pocket form, it holds .9; masses are
divided by the sum of those roles that somebody plays, so that one row alone holds 1. A favourite
that was named beforehand holds .9, and the rest share .1.

Roles and masses are written down before anything is counted. A row that fails on counted rows loses
its mass, and nothing is divided again.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from handful.arrays import Floats
from handful.bounds import Term

# equal shares would cost ln 15; these cost the favourite .5 nats and what people carry 1.2
MASSES = {"favourite": 0.6, "pocket": 0.3, "rest": 0.1}
POCKET = ("one rule", "rule set", "rule list", "short score card", "score card", "other score card")
_TEXTS = {
    "favourite": "the pool's favourite",
    "pocket": "the pool's favourite among pocket forms",
    "named": "the favourite that was named beforehand",
}


@dataclass(frozen=True)
class Roles:
    """Who plays which role among the rows that the pool put in order.

    Attributes
    ----------
    n_ranked : int
        Rows in the pool's order.
    ranks : tuple of (role, rank)
        "favourite" at rank 1 and "pocket", if there is such a form; or "named" alone.
    """

    n_ranked: int
    ranks: tuple[tuple[str, int], ...]

    @classmethod
    def of(cls, forms: Sequence[str], named: int | None = None) -> Roles:
        """Roles by the forms in the pool's order.

        Parameters
        ----------
        forms : sequence of str
        named : int, optional
            Rank of a favourite that was named beforehand.

        Examples
        --------
        >>> Roles.of(["additive", "linear", "score card"]).ranks
        (('favourite', 1), ('pocket', 3))
        """
        if named is not None:
            return cls(len(forms), (("named", named),))
        pocket = [("pocket", rank) for rank, form in enumerate(forms, start=1) if form in POCKET]
        return cls(len(forms), (("favourite", 1), *pocket[:1]))

    @property
    def masses(self) -> Floats:
        """Prior masses by rank; they sum to 1.

        Examples
        --------
        >>> Roles.of(["additive", "linear", "score card"]).masses.round(3).tolist()
        [0.6, 0.1, 0.3]
        >>> Roles.of(["score card", "linear"]).masses.round(3).tolist()
        [0.9, 0.1]
        """
        held = {rank: MASSES["favourite"] + MASSES["pocket"] for _, rank in self.ranks}
        if len(held) == 2:
            held = {rank: MASSES[role] for role, rank in self.ranks}
        share = 1.0 / np.arange(1, self.n_ranked + 1)
        share[[rank - 1 for rank in held]] = 0.0
        masses = share * (MASSES["rest"] / share.sum()) if share.any() else share
        for rank, mass in held.items():
            masses[rank - 1] = mass
        return np.asarray(masses / masses.sum())

    def term(self, rank: int) -> Term:
        """The price of a rank, and in words for which role it is paid.

        Examples
        --------
        >>> print(Roles.of(["additive", "score card"]).term(2).text)
        the pool's favourite among pocket forms
        """
        text = f"rank {rank} of {self.n_ranked} in the pool's order"
        text = next((_TEXTS[role] for role, own in self.ranks if own == rank), text)
        return Term("rank", text, -math.log(float(self.masses[rank - 1])))


ALONE = Roles(1, (("favourite", 1),))

"""Groups of rows (the visits of one patient): drawn, held back and counted whole.

The groups are independent, the rows of one group need not be. So the sample is the groups: a
classifier that is made of some groups and of a message is independent of all other groups. Their
mean errors are independent numbers in [0, 1], with the mean "a random case of a random new group
is misclassified".

The counted groups give two numbers: the mean error of each group, for the betting bound, and the
error of one blindly drawn row of each group, for the binomial tail. Betting is smaller if the rows
of a group differ, the tail if they are alike. The pool may decide between them for free, because
it is not counted (`GroupLosses.decided`). Otherwise both are computed and ln 2 is paid ("both").
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from handful.arrays import Floats, Mask
from handful.bounds import Certificate, Message, Term, betting_bound, prefers_betting
from handful.tables import Grouping

BOTH = Term("method", "means of groups, or one row of each", math.log(2.0))


@dataclass(frozen=True, eq=False)
class GroupLosses:
    """Errors of a classifier, group by group in blind order.

    Attributes
    ----------
    losses : ndarray
        Mean errors of the groups that are counted.
    warm_up : ndarray
        Mean errors of other groups; the first bets depend on them.
    n_first : int
        Errors on one blind row of each counted group.
    loss : {"mean", "any"}
        A random case of a new group, or any case of it.
    is_single : bool
        Some groups are held back, and each of them has one row. The code knows that, so counting
        one row of each group is the only choice and costs nothing.
    how : {"both", "betting", "one row", "kl"}
        How the groups are certified. "kl" is Chernoff's bound of the mean errors.
    """

    losses: Floats
    warm_up: Floats
    n_first: int
    loss: str = "mean"
    is_single: bool = False
    how: str = "both"

    @classmethod
    def of(
        cls, groups: Grouping, is_wrong: Mask, held: Mask | None = None, loss: str = "mean"
    ) -> GroupLosses:
        """Errors of the counted groups, and of those that are held back.

        Parameters
        ----------
        groups : Grouping
        is_wrong : ndarray of bool
            Errors on all rows, in blind order.
        held : ndarray of bool, optional
            Groups that are not counted; none by default.
        loss : {"mean", "any"}
        """
        held = np.zeros(len(groups), dtype=bool) if held is None else held
        means = groups.means(is_wrong)
        return cls(
            losses=means[~held],
            warm_up=means[held],
            n_first=int(np.count_nonzero(is_wrong[groups.first[~held]])),
            loss=loss,
            is_single=bool(held.any() and (groups.sizes[held] == 1).all()),
        )

    def decided(self, nats: float) -> GroupLosses:
        """The same, certified by what will be smaller if all groups are like those of the pool.

        ``warm_up`` must be the losses of the pool. It is not counted, so the choice is free.
        """
        is_betting = self.loss == "mean" and prefers_betting(self.warm_up, len(self.losses), nats)
        return replace(self, how="betting" if is_betting else "one row")

    @property
    def is_binomial(self) -> bool:
        """Whether each group is one yes or no, so that the binomial tail alone is used."""
        is_yes_or_no = self.loss == "any" or self.is_single or len(self.losses) == 0
        return self.how == "one row" or (self.how == "both" and is_yes_or_no)

    @property
    def pays_both(self) -> bool:
        """Whether ln 2 is paid for the choice between the two ways to count."""
        return self.how == "both" and not self.is_binomial

    @property
    def n_errors(self) -> int:
        """Groups that are wrong, if each is one yes or no."""
        return int(np.count_nonzero(self.losses > 0.0)) if self.loss == "any" else self.n_first

    def by_means(self, terms: tuple[Term, ...], delta: float, n_choices: int = 1) -> Certificate:
        """The certificate of the mean errors."""
        losses = (self.losses > 0.0).astype(float) if self.loss == "any" else self.losses
        return betting_bound(
            losses.tolist(),
            warm_up=self.warm_up.tolist(),
            message_nats=Message(terms),
            delta=delta,
            n_choices=n_choices,
            method="kl" if self.how == "kl" else "betting",
        )

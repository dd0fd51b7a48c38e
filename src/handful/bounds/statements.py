"""Assumptions and quantities of certificates: a key with one sentence each.

Programs compare keys and values; sentences are for readers. To add a statement, add a key and
its sentence to a table. A number in the sentence is a named value.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from string import Formatter
from typing import ClassVar, Self

Value = str | int | float

_DRAWN = (
    "the {} are drawn independently from the distribution of the new cases, and neither rows "
    "nor columns were chosen by looking at certificates"
)
ASSUMPTIONS = {
    # how the examples came
    "iid": _DRAWN.format("examples"),
    "iid-groups": _DRAWN.format("groups"),
    "groups": "groups are independent; rows within one need not be",
    "group-rows": "groups of rows are independent of each other and come from one distribution",
    "exchangeable": "training and test examples are exchangeable",
    "held-out": "the held-out examples had no part in training or preprocessing",
    "unlabelled": "the unlabelled rows are as new cases are, and had no part in training, scaling "
    "or any choice",
    "calibration": "the calibration examples had no part in training or selection",
    "known-classes": "the classes were known beforehand and new cases belong to one of them",
    "class-list": "the list of classes was known beforehand",
    # how pools and seeds were drawn
    "blind-pool": "the pool was drawn without looking at the data, and its size by their number "
    "alone",
    "named-blindly": "the examples that are not counted were drawn without looking at the data, "
    "or the message names them under a prior fixed before the data",
    "digest": "the digest of the data (SHA-256) draws as chance would",
    "seed": "the seed {seed} was fixed before the data were seen",
    "digest-order": "the digest that orders the rows behaves as if it were drawn at random",
    "random-state": "the whole number given as random_state was fixed before the data were seen",
    "ordered": "the order of the losses was fixed without looking at them",
    # what was fixed before the data
    "preprocessing": "preprocessing was fixed before the data were seen, or is part of the message",
    "no-preprocessing": "no preprocessing outside the machine was fitted on these data: no "
    "scaling by their mean or range, no feature selection",
    "prepared": "nothing before the menu learned from these rows: no scaling, imputation, target "
    "encoding or choice of columns",
    "named": "{names} {verb} named before any certificate was seen",
    "fixed-score": "the score, its points, its threshold and its rule for missing values were "
    "fixed before these rows were looked at (digest {digest})",
    "complete": "new cases, like the rows that count, have all values that the score needs",
    "prior": "the prior was fixed before the data were seen",
    "hypotheses": "the class of hypotheses was fixed before the data were seen",
    "base-class": "the base class was fixed before the data were seen",
    "scale": "the scale was fixed before the data were seen",
    "margin": "the margin was fixed before the data were seen",
    "margin-and-kernels": "the margin and the kernels were fixed before the data were seen",
    "kernels": "the kernels were fixed before the data were seen",
    "kernel-and-residual": "the kernel and the largest residual were fixed before the data were "
    "seen",
    "settings": "the features and their scaling, C and all other settings were fixed before the "
    "data were seen",
    "regression-settings": "the features and their scaling, epsilon, C and all other settings "
    "were fixed beforehand",
    "columns-and-cap": "the features (or thresholds), their prices and the cap were fixed before "
    "the data",
    "sum-of-slacks": "C was fixed before the data (or is one of the counted models) and "
    "multiplies the sum of the slacks, not their mean",
    "perceptron": "the kernel, max_passes and margin were fixed before the data were seen",
    "picking": "the classifier, n_initial, batch_size and max_picks were fixed before the data",
    # what the method does
    "stable": "removing any example outside the compression set leaves the set unchanged, and a "
    "misclassified new case would enter it (stable scheme)",
    "no-order": "the order of the examples does not matter to the method",
    "prefix-free": "the code is prefix-free",
    "converged": "training always runs until a pass without mistakes",
    "any-passes": "the number of passes is certified whether or not training converged",
    "norm": "new cases have k(x, x) at most {limit:.3g} (the solver's accuracy)",
    # what a complexity rests on
    "stumps": "the weak learners are decision stumps on the given features",
    "finite-learners": "the {n} weak learners were fixed before the data and lie in [-1, 1]",
    "given-complexity": "the complexity given is an upper bound for the class of weak learners, "
    "|h| <= 1",
    "random-signs": "the random signs were drawn once, on the training inputs, for the machine's "
    "own class",
}
QUANTITIES = {
    "misclassified": "the probability that a new case is misclassified",
    "cost": "the expected cost of a new case",
    "loss": "the expected loss of a new case",
    "accepted": "the error probability among accepted cases",
    "group-mean": "the probability that a random case of a random new group is misclassified",
    "group-any": "the probability that some case of a random new group is misclassified",
    "gibbs": "the probability that a classifier drawn from the posterior misclassifies a new case",
    "vote": "the probability that the majority vote misclassifies a new case",
    "test-share": "the share of errors on the given test set of the same size",
    "distance": "the expected squared distance of a new case to the subspace",
    "scores": "the expected squared difference of the two scores, cut at {limit:g},",
    "off": "the probability that a prediction is off by more than {tolerance:g}",
    "group-off": "the probability that the prediction of a random row of a random new group is "
    "off by more than {tolerance:g}",
}


@dataclass(frozen=True)
class Statement:
    """A key of ``TABLE`` and the values that its sentence names."""

    TABLE: ClassVar[Mapping[str, str]]

    key: str
    values: tuple[tuple[str, Value], ...] = field(default=(), metadata={"object": True})

    def __post_init__(self) -> None:
        if self.key not in self.TABLE:
            raise ValueError(f"`key` must be one of {sorted(self.TABLE)}, got {self.key!r}.")
        named = {name for _, name, _, _ in Formatter().parse(self.TABLE[self.key]) if name}
        if named != {name for name, _ in self.values}:
            raise ValueError(
                f"`values` must fit the key {self.key!r}, which names {sorted(named)}, got "
                f"{self.values!r}."
            )
        try:
            str(self)
        except ValueError as error:
            raise ValueError(f"`values` must fit the key {self.key!r}: {error}.") from error

    @classmethod
    def of(cls, key: str, **values: Value) -> Self:
        """A statement with the values that its sentence names."""
        return cls(key, tuple(sorted(values.items())))

    def __str__(self) -> str:
        return self.TABLE[self.key].format(**dict(self.values))

    def value(self, name: str) -> Value:
        """The value with this name."""
        return dict(self.values)[name]


class Assumption(Statement):
    """An assumption of a certificate.

    Examples
    --------
    >>> print(Assumption.of("seed", seed=3))
    the seed 3 was fixed before the data were seen
    """

    TABLE = ASSUMPTIONS


class Quantity(Statement):
    """The quantity that a certificate bounds.

    Examples
    --------
    >>> print(Quantity("cost"))
    the expected cost of a new case
    """

    TABLE = QUANTITIES


def assume(*given: str | Assumption) -> tuple[Assumption, ...]:
    """Assumptions from their keys."""
    return tuple(Assumption(one) if isinstance(one, str) else one for one in given)


def drawn_by(seed: int | None) -> Assumption:
    """The assumption on how a pool was drawn: by the digest of the data, or by a seed."""
    return Assumption("digest") if seed is None else Assumption.of("seed", seed=seed)


IID = assume("iid")
MISCLASSIFIED = Quantity("misclassified")

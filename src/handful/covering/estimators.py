"""Covering machines: few rules joined by *and* or *or*, or in order, chosen by certificate."""

from __future__ import annotations

from typing import Any

from handful.covering.classifier import CoveringClassifier
from handful.covering.cover_settings import read_kinds


class SetCoveringMachine(CoveringClassifier):
    """Learn a conjunction or disjunction of few rules, with a certificate of its risk.

    With the defaults, `fit` chooses the rule family, conjunction or disjunction, the penalty and
    the number of rules by certificate. It pays for exactly the choices that rebuilding the
    classifier needs, so that the certificate is valid for the whole procedure. A rule that keeps
    three examples is tested on all others. If a pool proposes the rules, it is drawn by the digest
    of the data and not counted.

    Parameters
    ----------
    rules : {"auto", "stumps", "balls", "half-spaces", "two-point", "linear"} or list of these
        Rule family; "auto" chooses by certificate among those made of a few examples. A list
        mixes families in one machine. "linear" are logistic regressions of a pool of examples
        that is not counted, and only used if they are asked for.
    kind : {"auto", "conjunction", "disjunction"}
    penalty : "auto", float or list of float
        Price of covering an example of the wrong class; infinity allows none. Free to tune: it
        does not enter the certificate.
    max_rules : "auto" or int
        "auto" chooses the number of rules by certificate; a number is used as it is.
    kernel : str, callable, Kernel or list of these
        Kernel of half-spaces; a list is a grid, paid for in the certificate.
    gamma : "auto", float or list of float
        Width of the kernel; "auto" is 1 / n_features, which does not look at the data.
    metric : {"euclidean", "manhattan", "chebyshev", "kernel"}
        Distance of balls.
    candidates : "auto", "wide", int or None
        Which examples rules may be made of. "auto" uses several label-blind random pools whose
        sizes depend on the number of examples alone, each paid for; "wide" one larger pool of
        each family besides; a number uses one pool of that size; None uses all examples, as in
        the paper.
    by : {"certificate", "cv"}
        What chooses. "cv" takes the candidate with the fewest errors in a cross-validation within
        the training examples, by one search a fold for all penalties and sizes. It makes fewer
        errors, takes several times as long, and has the larger certificate. The certificate holds
        for either choice. With "cv", "auto" candidates are "wide".
    delta : float
        Allowed probability that the certificate fails.
    classes : sequence of labels, optional
        Their order; the second of two is the positive one. Alphabetical by default.
    costs : (float, float), optional
        Costs of a false positive and a false negative; the machine is then chosen by the
        certified expected cost.
    stop_on_nonpositive : bool
        Stop a greedy path at rules of no use. False reproduces the paper, ties included.
    group_loss : {"mean", "any"}
        With groups: a random case of a new group, or any case of it.
    n_jobs : int, optional
        Number of threads; results do not depend on it.
    random_state : None, int, RandomState, Generator or RowDigests
        None draws the pools by the digest of X and y: the result does not depend on the order of
        the rows, and there is no seed to choose. A whole number takes the place of the digest;
        the certificate then assumes that it was fixed before the data were seen.
        `handful.tables.RowDigests` of a whole table keep the pool the same whichever of its
        columns are used.

    Attributes
    ----------
    fitted_ : Fitted
        The classifier as data.
    cover_ : CoverFit
        How it was learned, with every candidate that was weighed.
    rules_ : tuple of Condition
        For more than two classes, one tuple a class.
    certificate_ : Certificate
    compression_set_ : array of int
        Sorted indices of the training examples that the rules are made of: three for a
        half-space.
    held_back_ : array of int
        Those that are not counted: the compression set, and the pool if there is one.
    n_training_errors_ : int
        Errors on all training examples.
    path_ : DataFrame
        Every candidate with its counts and certificate.
    draw_ : Draw
        What drew the pools: the digest of the data, or a seed.
    classes_ : array
    n_features_in_ : int

    Examples
    --------
    >>> from handful import SetCoveringMachine, load_dataset
    >>> data = load_dataset("haberman-294")
    >>> machine = SetCoveringMachine(rules="stumps", random_state=0).fit(data.X, data.y)
    >>> machine.certificate_.risk < 0.34
    True
    """

    def __init__(
        self,
        rules: Any = "auto",
        *,
        kind: str = "auto",
        penalty: Any = "auto",
        max_rules: Any = "auto",
        kernel: Any = "linear",
        gamma: Any = "auto",
        metric: str = "euclidean",
        candidates: Any = "auto",
        by: str = "certificate",
        delta: float = 0.05,
        classes: Any = None,
        costs: tuple[float, float] | None = None,
        stop_on_nonpositive: bool = True,
        group_loss: str = "mean",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.rules = rules
        self.kind = kind
        self.penalty = penalty
        self.max_rules = max_rules
        self.kernel = kernel
        self.gamma = gamma
        self.metric = metric
        self.candidates = candidates
        self.by = by
        self.delta = delta
        self.classes = classes
        self.costs = costs
        self.stop_on_nonpositive = stop_on_nonpositive
        self.group_loss = group_loss
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _kinds(self) -> tuple[str, ...]:
        return read_kinds(self.kind)


class DecisionListMachine(CoveringClassifier):
    """Learn an ordered list of few rules, "if … then … else if …", with a certificate.

    Each rule has its own output, so that a list can express what neither a conjunction nor a
    disjunction can.

    Parameters
    ----------
    rules : {"auto", "stumps", "balls", "half-spaces", "two-point", "linear"} or list of these
        Rule family, stumps by default; "auto" chooses by certificate among those made of a few
        examples.
    penalty : "auto", float or list of float
        Price of an example that a rule covers and labels wrongly; infinity allows none. Several
        are tried for either output. Free to tune: it does not enter the certificate.
    max_rules, kernel, gamma, metric, candidates, by, delta, classes, costs, group_loss, n_jobs
        As in `SetCoveringMachine`.
    random_state
        As in `SetCoveringMachine`.

    Attributes
    ----------
    fitted_, cover_, rules_, certificate_, compression_set_, held_back_, n_training_errors_, path_
        As in `SetCoveringMachine`.
    draw_, classes_, n_features_in_
        As in `SetCoveringMachine`.

    Examples
    --------
    >>> from handful import DecisionListMachine, load_dataset
    >>> data = load_dataset("breastw")
    >>> machine = DecisionListMachine(max_rules=2, random_state=0).fit(data.X, data.y)
    >>> len(machine.rules_)
    2
    """

    def __init__(
        self,
        rules: Any = "stumps",
        *,
        penalty: Any = "auto",
        max_rules: Any = "auto",
        kernel: Any = "linear",
        gamma: Any = "auto",
        metric: str = "euclidean",
        candidates: Any = "auto",
        by: str = "certificate",
        delta: float = 0.05,
        classes: Any = None,
        costs: tuple[float, float] | None = None,
        group_loss: str = "mean",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.rules = rules
        self.penalty = penalty
        self.max_rules = max_rules
        self.kernel = kernel
        self.gamma = gamma
        self.metric = metric
        self.candidates = candidates
        self.by = by
        self.delta = delta
        self.classes = classes
        self.costs = costs
        self.group_loss = group_loss
        self.n_jobs = n_jobs
        self.random_state = random_state

    stop_on_nonpositive = True

    def _kinds(self) -> tuple[str, ...]:
        return ("list",)

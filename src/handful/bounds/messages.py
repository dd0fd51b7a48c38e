"""Terms of certificates, and messages: what is said beside the compression set.

The classifier is rebuilt from the compression set and the message. Each message function returns
the cost of its code in nats, itemised. The codes include the sizes of the compression set and of
its parts, so `compression_bound` gets ``size_nats=0`` with them. A message does not contain the
names of the examples in the compression set (``ln C(m, d)``), the confidence, or choices outside
the code (kind of machine, rule family, kernel); `compression_bound` pays these by ``n_choices``.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from handful.bounds.tails import log_choose
from handful.checks import check_choice, check_count


@dataclass(frozen=True, slots=True)
class Term:
    """One item of the price of a certificate, or one summand of its risk.

    Programs distinguish terms by ``kind``; ``text`` is for readers and may change.

    Attributes
    ----------
    kind : str
        One word: "confidence", "kept", "size", "message", "choice", "code", "rank", "groups", ...
    text : str
        What is paid for, in words.
    nats : float
        The price in nats. If the certificate's ``unit`` is "risk" or "parts", it is a summand or
        an ingredient of the risk.

    Examples
    --------
    >>> Term("kept", "which examples are kept", 7.5)
    Term(kind='kept', text='which examples are kept', nats=7.5)
    """

    kind: str
    text: str
    nats: float

    def __post_init__(self) -> None:
        if not (self.kind.isalpha() and self.kind.islower()):
            raise ValueError(f"`kind` must be one word in lower case, got {self.kind!r}.")
        object.__setattr__(self, "nats", float(self.nats))  # a plain number for JSON


class Message(float):
    """The cost of a message in nats, itemised by ``terms``.

    A Message is a float (the total), so it can be added and passed as ``message_nats``.

    Examples
    --------
    >>> message = Message([Term("rules", "number of rules", 0.5), Term("pairs", "pairing", 0.25)])
    >>> message + 1.0
    1.75
    >>> [term.kind for term in message.terms]
    ['rules', 'pairs']
    """

    terms: tuple[Term, ...]

    def __new__(cls, terms: Iterable[Term]) -> Message:
        items = tuple(terms)
        message = super().__new__(cls, total_nats(items))
        message.terms = items
        return message

    def __reduce__(self) -> tuple[Any, ...]:
        return (Message, (self.terms,))


def total_nats(terms: Iterable[Term]) -> float:
    """Sum of the terms, rounded once (`math.fsum`)."""
    return math.fsum(term.nats for term in terms)


def confidence_term(delta: float) -> Term:
    """The price ln(1 / delta) of the confidence."""
    return Term("confidence", "confidence, ln(1/delta)", -math.log(delta))


def itemise(nats: float, kind: str) -> tuple[Term, ...]:
    """The terms of a Message; one term of this kind for a number, no term for zero."""
    if isinstance(nats, Message):
        return nats.terms
    return (Term(kind, kind, float(nats)),) if nats else ()


LOG_ZETA_2 = math.log(math.pi**2 / 6.0)
KINDS = ("conjunction", "disjunction")


def log_zeta_prior(size: int) -> float:
    """Cost in nats of a size d = 0, 1, 2, ... under the prior (6 / pi^2) (d + 1)^-2."""
    return LOG_ZETA_2 + 2.0 * math.log(size + 1.0)


def n_bipartite_graphs(n_left: int, n_right: int, n_edges: int) -> int:
    """Number of bipartite graphs with n_edges on n_left x n_right vertices, none isolated.

    Examples
    --------
    >>> n_bipartite_graphs(3, 3, 4)
    45
    """
    a, b = check_count("n_left", n_left), check_count("n_right", n_right)
    r = check_count("n_edges", n_edges)
    return sum(
        (-1) ** (i + j) * math.comb(a, i) * math.comb(b, j) * math.comb((a - i) * (b - j), r)
        for i in range(a + 1)
        for j in range(b + 1)
    )


def _pairing_terms(n_rules: int, n_a: int, n_b: int) -> list[Term]:
    """Number of rules, numbers of examples a and b, and the pairs.

    Prior: P(r) = 6 / (pi r)^2; the numbers of a and b are uniform on 1..r; the pairs are uniform
    over the bipartite graphs with r edges and no isolated vertex.
    """
    n_graphs = n_bipartite_graphs(n_a, n_b, n_rules)
    if n_graphs == 0:
        raise ValueError(
            f"`n_rules` = {n_rules} pairs cannot use every one of {n_a} and {n_b} examples. "
            "Count distinct (a, b) pairs, and each example once."
        )
    return [
        Term("rules", "number of rules", log_zeta_prior(n_rules - 1)),
        # Each of the two numbers is one of 1, ..., n_rules, equally likely beforehand.
        Term("size", "number of examples a and b", 2.0 * math.log(n_rules)),
        # All graphs that use every example are equally likely beforehand.
        Term("pairs", "which a goes with which b", math.log(n_graphs)),
    ]


def check_pairs(n_rules: int, n_a: int, n_b: int) -> tuple[int, int, int]:
    """The numbers of pairs and of distinct examples a and b, checked."""
    n_rules = check_count("n_rules", n_rules)
    low = min(n_rules, 1)
    n_a = check_count("n_a", n_a, low=low, high=n_rules)
    return n_rules, n_a, check_count("n_b", n_b, low=low, high=n_rules)


# "No rule" gets the prior mass of the impossible cell (2 rules, one a, one b): 3 / (8 pi^2).
_NO_PAIRS = (Term("rules", "no rule", math.log(8.0 * math.pi**2 / 3.0)),)


def half_space_message(
    n_rules: int, n_a: int, n_b: int, n_c: int, *, kind: str = "conjunction"
) -> Message:
    """Cost of half-spaces made of three examples each (first, second, threshold).

    Parameters
    ----------
    n_rules : int
        Number of half-spaces: the number of distinct (a, b) pairs.
    n_a, n_b : int
        Distinct positive and negative examples that give the directions.
    n_c : int
        Threshold examples that are not already examples a (conjunction) or b (disjunction).
    kind : {"conjunction", "disjunction"}
        Threshold examples have the label of the examples a in a conjunction, of b in a
        disjunction.

    Examples
    --------
    >>> message = half_space_message(1, 1, 1, 1)
    >>> round(float(message), 9)
    1.883994664
    """
    n_rules, n_a, n_b = check_pairs(n_rules, n_a, n_b)
    n_c = check_count("n_c", n_c, high=n_rules)
    same = n_a if check_choice("kind", kind, KINDS) == "conjunction" else n_b
    if n_rules == 0:
        return Message(_NO_PAIRS)
    # The labels of the kept examples are visible. Only the examples of one class must be split
    # into directions and thresholds.
    return Message(
        [
            *_pairing_terms(n_rules, n_a, n_b),
            # One of 0, ..., n_rules: a threshold may be an example that gives a direction, too.
            Term("size", "number of threshold examples", math.log(n_rules + 1.0)),
            Term("thresholds", "which examples are thresholds", log_choose(same + n_c, n_c)),
        ]
    )


def two_point_message(
    n_rules: int, n_a: int, n_b: int, *, levels: Sequence[int] | None = None
) -> Message:
    """Cost of half-spaces made of two examples each, with dyadic thresholds between them.

    Parameters
    ----------
    n_rules, n_a, n_b : int
        As in `half_space_message`.
    levels : sequence of int, optional
        For each rule the level l of its threshold j / 2^l (j odd). ``None`` means that every
        threshold is the midpoint by convention and costs nothing.

    Examples
    --------
    >>> round(float(two_point_message(1, 1, 1, levels=[2])), 6)
    2.982607
    """
    n_rules, n_a, n_b = check_pairs(n_rules, n_a, n_b)
    if levels is not None and (isinstance(levels, str) or not hasattr(levels, "__len__")):
        raise TypeError(f"`levels` must be a sequence of integers or None, got {levels!r}.")
    if levels is not None and len(levels) != n_rules:
        raise ValueError(f"`levels` must have one level a rule ({n_rules}), got {len(levels)}.")
    if n_rules == 0:
        return Message(_NO_PAIRS)
    terms = _pairing_terms(n_rules, n_a, n_b)
    if levels is not None:
        checked = [check_count("levels", level, low=1, high=62) for level in levels]
        # Prior 1 / (l (l + 1)) for the level l, then uniform over its 2^(l - 1) odd numerators.
        cost = math.fsum(math.log(v * (v + 1.0)) + (v - 1.0) * math.log(2.0) for v in checked)
        terms.append(Term("thresholds", "dyadic thresholds", cost))
    return Message(terms)


def ball_message(n_same_centers: int, n_other_centers: int, n_borders: int) -> Message:
    """Cost of balls: a centre each, radii rebuilt from the centres and borders.

    Parameters
    ----------
    n_same_centers : int
        Centres of the class that the machine must not cover (positives in a conjunction).
    n_other_centers : int
        Centres of the other class.
    n_borders : int
        Border examples that are not themselves centres of their class.

    Examples
    --------
    >>> round(float(ball_message(1, 1, 2)), 6)
    5.179832
    """
    n_same = check_count("n_same_centers", n_same_centers)
    n_other = check_count("n_other_centers", n_other_centers)
    n_rules = n_same + n_other
    n_borders = check_count("n_borders", n_borders, high=n_rules)
    if n_rules == 0:
        # prior mass of the impossible cell (1 rule, no centre and no border of the same class)
        return Message([Term("rules", "no rule", math.log(2.0 * math.pi**2 / 3.0))])
    if n_same + n_borders == 0:
        raise ValueError("`n_borders` must be at least 1 where no centre can serve as a border.")
    # Two numbers, each one of 0, ..., n_rules, equally likely beforehand.
    sizes = 2.0 * math.log(n_rules + 1.0)
    # Borders are of one class. The centres of the other class are known by their labels.
    which = log_choose(n_same + n_borders, n_borders)
    return Message(
        [
            Term("rules", "number of rules", log_zeta_prior(n_rules - 1)),
            Term("size", "number of centres and of borders by class", sizes),
            Term("borders", "which examples are borders", which),
        ]
    )


def stump_message(n_rules: int, n_thresholds: int, n_features: int) -> Message:
    """Cost of an unordered set of stumps, each with a feature, a direction and a threshold.

    Parameters
    ----------
    n_rules : int
        Number of distinct stumps.
    n_thresholds : int
        Number of distinct examples whose values serve as thresholds.
    n_features : int
        Number of columns a stump may use.

    Examples
    --------
    >>> round(float(stump_message(1, 1, 9)), 6)
    4.774366
    """
    n_rules = check_count("n_rules", n_rules)
    n_features = check_count("n_features", n_features, low=1)
    n_thresholds = check_count("n_thresholds", n_thresholds, low=min(n_rules, 1), high=n_rules)
    if n_rules == 0:
        return Message([Term("rules", "number of rules", log_zeta_prior(0))])
    n_stumps = 2 * n_features * n_thresholds
    if n_rules > n_stumps:
        raise ValueError(
            f"`n_rules` must be at most the {n_stumps} stumps there are, got {n_rules}."
        )
    # A set has no order: the stumps cost one subset of all stumps, not one stump each.
    which = log_choose(n_stumps, n_rules)
    return Message(
        [
            Term("rules", "number of rules", log_zeta_prior(n_rules)),
            # One of 1, ..., n_rules: several stumps may share an example.
            Term("size", "number of threshold examples", math.log(n_rules)),
            Term("content", "feature, direction and threshold of each rule", which),
        ]
    )


def decision_list_message(n_rules: int, n_compressed: int) -> Message:
    """Cost of an ordered list of rules over ``n_compressed`` examples, two for each rule.

    Each rule names two of the examples, the side that fires, and the output. The default output
    ends the list.

    Examples
    --------
    >>> round(float(decision_list_message(2, 4)), 6)
    14.611484
    """
    n_rules = check_count("n_rules", n_rules)
    n_compressed = check_count("n_compressed", n_compressed, low=min(n_rules, 1), high=2 * n_rules)
    terms = [Term("size", "size of the compression set", log_zeta_prior(n_compressed))]
    if n_rules:
        # A rule names two kept examples in order, one of two sides and one of two outputs.
        content = n_rules * math.log(4.0 * n_compressed**2)
        terms += [
            Term("rules", "number of rules", log_zeta_prior(n_rules - 1)),
            Term("content", "examples, side and output of each rule", content),
        ]
    return Message([*terms, Term("output", "default output", math.log(2.0))])

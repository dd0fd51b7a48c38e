"""Choice by cross-validation on shared paths: one search a fold serves every penalty and size.

A candidate is known again in a fold by the names of its searches and its number of rules. The
choice is free: the certificates of all candidates of the menu hold at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from handful.arrays import Floats, Ints
from handful.candidates import Menu
from handful.covering.codes import CoverCandidate, Scheme
from handful.models import SignedRules
from handful.rules import Rows, collapse_rows, signs_of
from handful.tables import Grouping, spread_folds

#: A code, and the examples of its pool by their places in the blind order.
Offer = tuple[Scheme, Ints]
#: Candidates of some rows and codes, each with its machine.
Propose = Callable[[Rows, Sequence[Offer]], Iterable[tuple[CoverCandidate, SignedRules]]]
Search = tuple[Any, ...]

N_FOLDS = 5  # each path sees four fifths of the examples
N_DEALS = 3  # several deals of the folds make the choice less a matter of chance


def choose_by_folds(
    menu: Menu[CoverCandidate],
    rows: Rows,
    offers: Sequence[Offer],
    propose: Propose,
    *,
    groups: Grouping | None = None,
    costs: tuple[float, float] | None = None,
) -> int:
    """Position of the candidate with the least loss over the folds.

    Ties go to fewer rules, then to the smaller certificate, then to the earlier candidate. A path
    that ends early in a fold stays as it ended; one that found no rule there is a constant.
    """
    y = rows.y[rows.row_of]
    weights = example_weights(y, rows.steering, costs)
    wanted = _by_search(menu.candidates)
    losses = {search: np.zeros(max(sizes) + 1) for search, sizes in wanted.items()}
    for fold in deal_folds(y, groups):
        for test in (np.flatnonzero(fold == k) for k in range(int(fold.max()) + 1)):
            part = np.setdiff1d(np.arange(len(y)), test)
            if len(np.unique(y[part])) < 2:
                continue
            found = _test_losses(rows, part, test, weights, _within(offers, part), propose)
            for search, total in losses.items():
                total += _filled(found.get(search, {}), search, total.size, y, part, test, weights)
    keys = (
        (round(float(losses[search][size]), 6), size, float(menu.risks[place]), place)
        for search, sizes in wanted.items()
        for size, place in sizes.items()
    )
    return min(keys)[-1]


def example_weights(y: Ints, steering: Ints | None, costs: tuple[float, float] | None) -> Floats:
    """What an error on each example costs; weights that steer the search weigh errors too."""
    price = np.ones(len(y)) if costs is None else np.where(y > 0, costs[1], costs[0])
    return price if steering is None else price * (steering / steering.mean())


def deal_folds(y: Ints, groups: Grouping | None) -> Iterator[Ints]:
    """Fold of each example, a few times; classes are spread evenly, groups stay whole."""
    units = np.arange(len(y)) if groups is None else groups.member
    first = np.unique(units, return_index=True)[1]
    labels = y[first]
    for deal in range(N_DEALS):
        # The blind order is random and the user's order plays no part, so a fixed seed will do.
        yield spread_folds(labels, N_FOLDS, deal)[units]


def _by_search(candidates: Iterable[CoverCandidate]) -> dict[Search, dict[int, int]]:
    """The position of the candidate of each search and size."""
    found: dict[Search, dict[int, int]] = {}
    for place, one in enumerate(candidates):
        for search in one.found_by:
            found.setdefault(search, {})[one.n_rules] = place
    return found


def _within(offers: Sequence[Offer], part: Ints) -> list[Offer]:
    """The same codes on a part of the examples: each pool keeps those of its examples."""
    place = {int(example): at for at, example in enumerate(part)}
    return [
        (scheme, np.array([place[e] for e in pool.tolist() if e in place], dtype=np.int64))
        for scheme, pool in offers
    ]


def _test_losses(
    rows: Rows,
    part: Ints,
    test: Ints,
    weights: Floats,
    offers: Sequence[Offer],
    propose: Propose,
) -> dict[Search, dict[int, float]]:
    """Loss on the examples ``test`` of each search and size, learned from ``part``."""
    at = rows.row_of[part]
    steering = None if rows.steering is None else rows.steering[part]
    learned = collapse_rows(rows.X[at], rows.y[at], rows.is_categorical, steering)
    X, y, w = rows.X[rows.row_of[test]], rows.y[rows.row_of[test]], weights[test]
    found: dict[Search, dict[int, float]] = {}
    for candidate, machine in propose(learned, offers):
        loss = float(w @ (signs_of(machine, X) != y))
        for search in candidate.found_by:
            found.setdefault(search, {})[candidate.n_rules] = loss
    return found


def _filled(
    found: dict[int, float],
    search: Search,
    n_sizes: int,
    y: Ints,
    part: Ints,
    test: Ints,
    weights: Floats,
) -> Floats:
    """Losses of all sizes of a search; a size that was not reached has the loss of the last."""
    kinds = {"conjunction": 1, "disjunction": -1}
    majority = 1 if weights[part] @ y[part] > 0 else -1
    constant = next((kinds[word] for word in search if word in kinds), majority)
    out = np.full(n_sizes, float(weights[test] @ (y[test] != constant)))
    for size in range(n_sizes):
        out[size] = found.get(size, out[max(size - 1, 0)])
    return out

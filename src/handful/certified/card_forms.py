"""Score cards of the pool: the best one of each length by cross-validation, and other ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from handful.arrays import Floats, Ints
from handful.certified.training_pool import Pool, Proposal, need_folds, need_two_classes, select
from handful.scoring import Points, card_of, integer_points, make_task, support_path

Said = tuple[Ints, Floats | None]  # labels and scores of rows by machines of the other folds
FEWEST = 3  # items: below, a rule says the same in words
SHORT = 4  # a second card is offered if the best has more items than this
N_WITHOUT = 3  # features that another card may have to do without, one at a time


def score_card(pool: Pool) -> list[Proposal]:
    """A card whose length is chosen by cross-validation, a short one, and some of other features.

    Each other card has as many items, and does without one of the three features that give most
    points on the first. The one that errs least on the folds is always offered, the others if
    they err as often as the first up to a standard error, and use other features than all cards
    before them.
    """
    need_two_classes(pool)
    need_folds(pool)
    if pool.setting is not None:
        return [_again(pool, *pool.setting)]
    sizes = card_sizes(pool)
    guesses, scores = _guesses(pool, sizes, ())
    chosen = select(guesses, pool, scores=scores)
    size = sizes[chosen.best]
    first, found = _proposal("score card", pool, size, (chosen.guesses, chosen.scores), ())
    proposals = [first]
    if size > SHORT and SHORT in sizes:
        row = sizes.index(SHORT)
        said = guesses[row], scores[row]
        proposals.append(_proposal("short score card", pool, SHORT, said, ())[0])
    return [*proposals, *_others(pool, size, first, found)]


def card_sizes(pool: Pool) -> tuple[int, ...]:
    """Numbers of items that are compared: up to the largest, enough for what must be asked."""
    most, least = pool.cards.max_items, max(1, len(pool.cards.must_ask))
    if least > most:
        raise ValueError(
            f"`max_items` must be at least {least}, the number of columns that must be asked, got "
            f"{most}."
        )
    return tuple(range(max(least, min(FEWEST, most)), most + 1))


def _again(pool: Pool, size: int, *without: int) -> Proposal:
    """A card of the same length that does without the same features."""
    banned = np.flatnonzero(np.isin(pool.items.features, without)).tolist()
    (guess,), (score,) = _guesses(pool, (size,), banned)
    return _proposal("score card", pool, size, (guess, score), banned)[0]


def _others(pool: Pool, size: int, first: Proposal, found: Points) -> list[Proposal]:
    """Cards of other features, fewest errors first."""
    learned: list[tuple[int, int, Said, list[int]]] = []
    for banned in _without(pool, found):
        if len(banned) < len(pool.items):
            (guess,), (score,) = _guesses(pool, (size,), banned)
            n_wrong = int(np.count_nonzero(guess != pool.y))
            learned.append((n_wrong, len(learned), (guess, score), banned))
    n, n_first = len(pool), int(np.count_nonzero(first.guesses != pool.y))
    near = n_first + np.sqrt((n_first + 0.5) * (n - n_first + 0.5) / (n + 1.0))
    cards: list[Proposal] = []
    used = [_features(pool, found)]
    for n_wrong, _, said, banned in sorted(learned, key=lambda other: other[:2]):
        if cards and n_wrong > near:
            break
        card, points = _proposal("other score card", pool, size, said, banned)
        if not cards or _features(pool, points) not in used:
            cards.append(replace(card, name=_told_apart(pool, points, used, len(cards))))
            used.append(_features(pool, points))
    return cards


def _told_apart(pool: Pool, found: Points, used: list[frozenset[int]], n_before: int) -> str:
    """The name of another card: a column that no card before it asks for, else a number."""
    before = frozenset[int]().union(*used)
    weight = {int(pool.items.features[i]): abs(p) for i, p in
              zip(found.support, found.points, strict=True)}  # fmt: skip
    own = sorted(weight.keys() - before, key=lambda j: (-weight[j], j))
    if own:
        return f"score card with {pool.columns.features[own[0]].column}"
    return f"other score card {n_before + 1}" if n_before else ""


def _features(pool: Pool, found: Points) -> frozenset[int]:
    """Features that a card asks for."""
    return frozenset(int(pool.items.features[item]) for item in found.support)


def _without(pool: Pool, found: Points) -> list[list[int]]:
    """Items of each of the features with most points, most first, that need not be asked for."""
    features, asked = pool.items.features, {j for column in pool.cards.must_ask for j in column}
    total: dict[int, int] = {}
    for item, points in zip(found.support, found.points, strict=True):
        total[int(features[item])] = total.get(int(features[item]), 0) + abs(points)
    main = sorted(total.keys() - asked, key=lambda j: (-total[j], j))[:N_WITHOUT]
    return [np.flatnonzero(features == j).tolist() for j in main]


def _guesses(pool: Pool, sizes: Sequence[int], banned: Sequence[int]) -> tuple[Ints, Floats]:
    """Labels and log odds of the rows of each fold by cards of the others, one row a size.

    Points of two cards are in different units, their log odds are not.
    """
    out, scores = (
        np.zeros((len(sizes), len(pool)), dtype=np.int64),
        np.zeros((len(sizes), len(pool))),
    )
    for train, test in pool.folds:
        cards = _cards(pool, train, sizes, banned)
        for guess, score, card in zip(out, scores, cards, strict=True):
            guess[test] = card.labels(pool.items)[test]
            score[test] = card.offset + card.scale * card.totals(pool.items)[test]
    return out, scores


def _cards(pool: Pool, rows: Ints, sizes: Sequence[int], banned: Sequence[int]) -> list[Points]:
    """Cards of several sizes learned from some rows; weights 0 leave the others out.

    Items are not exchanged once they have points: that lowers the loss on the rows learned from,
    and raises the errors on others.
    """
    weight = np.zeros(len(pool))
    weight[rows] = pool.weight[rows]
    direction = None if pool.directions is None else pool.directions[pool.items.features]
    task = make_task(
        pool.items,
        pool.y.astype(np.float64),
        weight=weight,
        direction=direction,
        max_points=pool.cards.max_points,
        asked=[np.flatnonzero(np.isin(pool.items.features, j)) for j in pool.cards.must_ask],
    )
    path = list(support_path(task, max(sizes), banned=banned))
    return [
        integer_points(task, path[min(size, len(path) - 1)], n_starts=1, exchange=False)
        for size in sizes
    ]


def _proposal(
    form: str, pool: Pool, size: int, said: Said, banned: Sequence[int]
) -> tuple[Proposal, Points]:
    found = _cards(pool, np.arange(len(pool)), (size,), banned)[0]
    _check_asked(pool, found)
    without = sorted({int(j) for j in pool.items.features[list(banned)]})
    return Proposal(
        form,
        card_of(pool.items, found, pool.X),
        said[0],
        scores=said[1],
        odds=found.risk,
        setting=(size, *without),
    ), found


def _check_asked(pool: Pool, found: Points) -> None:
    """Refuse a card without an item on a column that must be asked."""
    for column in pool.cards.must_ask:
        if not _features(pool, found) & set(column):
            name = pool.columns.features[column[0]].column
            raise ValueError(
                f"no item on {name!r}, which must be asked, can be on a score card: the pool has "
                "one value of it, or none that tells the classes apart in its direction."
            )

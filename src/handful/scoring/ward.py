"""The card of a search as it is used on a ward: points to add, short cuts, columns in order.

Nothing here changes a label of the rows that the card was learned from.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from handful.arrays import Floats
from handful.models import Card, Item
from handful.scoring.solver import Items, Points


def card_of(items: Items, found: Points, X: Floats) -> Card:
    """The card as data.

    Points are positive, so that totals start at 0: "SpO2 ≥ 92: -3" becomes "SpO2 < 92: +3", and the
    threshold rises by 3. A column with missing values keeps its negative points, because a missing
    value meets neither condition. Cuts that the user gave stay.

    Parameters
    ----------
    items : Items
    found : Points
    X : ndarray (n_samples, n_features)
        The encoded rows that the card was learned from.

    Examples
    --------
    >>> from handful.scoring import make_items
    >>> X = np.array([[88.0], [90.0], [94.0], [97.0]])
    >>> found = Points((0,), (-3,), scale=1.0, offset=1.5, loss=0.0)
    >>> card = card_of(make_items(X, n_cuts=1), found, X)
    >>> card.items[0].condition.op, card.items[0].points, card.threshold
    ('<', 3, 2)
    """
    pairs = zip(found.support, found.points, strict=True)
    rows = tuple(Item(items.conditions[i], points) for i, points in pairs)
    whole = Card(rows, found.threshold)
    return _in_order(_shortened(_positive(whole, X), X, items))


def _positive(card: Card, X: Floats) -> Card:
    """The card with opposite conditions in place of negative points, if none is missing."""
    out, moved = [], 0
    for item in card.items:
        if item.points < 0 and not np.isnan(X[:, item.condition.features[0]]).any():
            moved -= item.points
            item = Item(item.condition.opposite, -item.points)
        out.append(item)
    return Card(tuple(out), card.threshold + moved)


def _shortened(card: Card, X: Floats, items: Items) -> Card:
    """The card with as few digits in its cuts as change no label of the rows.

    A cut stays between its neighbours among the cuts that were tried.
    """
    labels = card.labels(X)
    for k, item in enumerate(card.items):
        (feature,) = item.condition.features
        if feature in items.is_given:
            continue
        tried = [items.conditions[i].cut for i in np.flatnonzero(items.features == feature)]
        low = max((cut for cut in tried if cut < item.condition.cut), default=-np.inf)
        high = min((cut for cut in tried if cut > item.condition.cut), default=np.inf)
        for digits in range(1, 6):
            cut = float(f"{item.condition.cut:.{digits}g}")
            if cut == item.condition.cut:
                break
            shorter = replace(item, condition=replace(item.condition, cut=cut))
            other = replace(card, items=(*card.items[:k], shorter, *card.items[k + 1 :]))
            if low < cut < high and np.array_equal(other.labels(X), labels):
                card = other
                break
    return card


def _in_order(card: Card) -> Card:
    """The card with its items by column and rising cut."""

    def place(item: Item) -> tuple[int, float, str]:
        return item.condition.features[0], item.condition.cut, item.condition.op

    return replace(card, items=tuple(sorted(card.items, key=place)))

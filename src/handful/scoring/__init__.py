"""Score cards: few items, integer points, a threshold.

What lives here: the possible items of a card (`make_items`), the solver that gives them integer
points (`support_path`, `integer_points`), the card as it is used (`card_of`), the estimator
`ScoreCard`, and `ScoreCardDisplay`. What
does not: the card as data (`handful.models.Card`) and certificates (`handful.certified`).

To add a move to the search: a step of ``improve_points`` in ``loops.py``, and a case in the
oracle, which tries all points of few items.
"""

from handful.scoring.display import ScoreCardDisplay
from handful.scoring.estimators import ScoreCard
from handful.scoring.solver import (
    MAX_ITEMS,
    Items,
    Points,
    Support,
    integer_points,
    make_items,
    make_task,
    quantile_cuts,
    round_support,
    support_path,
)
from handful.scoring.ward import card_of

__all__ = [
    "MAX_ITEMS",
    "Items",
    "Points",
    "ScoreCard",
    "ScoreCardDisplay",
    "Support",
    "card_of",
    "integer_points",
    "make_items",
    "make_task",
    "quantile_cuts",
    "round_support",
    "support_path",
]

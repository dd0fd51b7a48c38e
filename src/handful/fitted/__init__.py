"""First floor: a fitted classifier as data.

What lives here: frozen records that predict, say in sentences exactly what is evaluated, and
become plain documents (and are rebuilt from them): `Constant`, `OrderedRules`, `Card`,
`LinearScore`, `Additive`, `KernelExpansion`, `Vote`, `Thresholded`; `Columns`, the encoding of a
table that they read; and `Fitted`, which joins an encoding, the labels and one of these. What does
not: how one is learned, and what is certified about it.

To add a form: a frozen dataclass with the methods of `Machine`, an entry in ``_document.py``,
and an oracle that evaluates its sentences by hand.
"""

from handful.fitted._additive import Additive, Curve
from handful.fitted._card import Card, Item
from handful.fitted._columns import Column, Columns, read_columns
from handful.fitted._conditions import Ball, Condition, Cut, Plane
from handful.fitted._document import machine_from_document, machine_to_document
from handful.fitted._fitted import Fitted
from handful.fitted._kernel import KernelExpansion, kernel_expansion
from handful.fitted._linear import LinearScore, linear_score
from handful.fitted._machine import Machine, Spoken, from_scores, steady_product
from handful.fitted._opaque import Opaque
from handful.fitted._parts import PART_COLUMNS
from handful.fitted._questions import Question
from handful.fitted._reading import feature_names, has_words, read_table
from handful.fitted._simple import Constant, OrderedRules, Rule, Vote
from handful.fitted._thresholded import Thresholded, with_threshold
from handful.fitted._unfitted import close_seeds, refuse_fitted, seeds_of

__all__ = [
    "PART_COLUMNS",
    "Additive",
    "Ball",
    "Card",
    "Column",
    "Columns",
    "Condition",
    "Constant",
    "Curve",
    "Cut",
    "Fitted",
    "Item",
    "KernelExpansion",
    "LinearScore",
    "Machine",
    "Opaque",
    "OrderedRules",
    "Plane",
    "Question",
    "Rule",
    "Spoken",
    "Thresholded",
    "Vote",
    "close_seeds",
    "feature_names",
    "from_scores",
    "has_words",
    "kernel_expansion",
    "linear_score",
    "machine_from_document",
    "machine_to_document",
    "read_columns",
    "read_table",
    "refuse_fitted",
    "seeds_of",
    "steady_product",
    "with_threshold",
]

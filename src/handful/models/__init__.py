"""First floor: a fitted classifier as data.

What lives here: frozen records that predict, say in sentences exactly what is evaluated, are
written to files by their type hints, and become formulas of other languages: `Constant`,
`OrderedRules`, `RuleSet`, `RuleList`, `OneAgainstRest`, `Card`, `LinearScore`, `Additive`, `Votes`,
`Kernels`, `Vote`, `Thresholded`; and `Fitted`, which joins the columns of a table
(`handful.tables.Columns`), the labels and one of these. What does not: how one is learned, and what
is certified about it.

To add a form: a frozen dataclass that fills the methods of `Form`, in one file here, and an oracle
that evaluates its sentences by hand.
"""

from handful.models.cards import Card, Item
from handful.models.conditions import (
    METRICS,
    Condition,
    Distance,
    FeatureValue,
    KernelDifference,
    Metric,
    Value,
    WeightedSum,
    distances,
)
from handful.models.expansions import KernelPart, Kernels, kernel_expansion
from handful.models.fitted import PART_COLUMNS, Fitted
from handful.models.foreign import Opaque, as_form
from handful.models.form import Form, as_floats, from_scores, steady_product
from handful.models.language import Branch, Entry, Language, pick
from handful.models.risk_curve import RiskCurve
from handful.models.rules import (
    Constant,
    OneAgainstRest,
    OrderedRules,
    Rule,
    RuleList,
    RuleSet,
    SignedRules,
    Vote,
)
from handful.models.scores import (
    Additive,
    Curve,
    LinearScore,
    Score,
    Stumps,
    Thresholded,
    Votes,
    linear_score,
)
from handful.models.unfitted import close_seeds, refuse_fitted, seeds_of
from handful.models.words import Op, Vocabulary, short

__all__ = [
    "METRICS",
    "PART_COLUMNS",
    "Additive",
    "Branch",
    "Card",
    "Condition",
    "Constant",
    "Curve",
    "Distance",
    "Entry",
    "FeatureValue",
    "Fitted",
    "Form",
    "Item",
    "KernelDifference",
    "KernelPart",
    "Kernels",
    "Language",
    "LinearScore",
    "Metric",
    "OneAgainstRest",
    "Op",
    "Opaque",
    "OrderedRules",
    "RiskCurve",
    "Rule",
    "RuleList",
    "RuleSet",
    "Score",
    "SignedRules",
    "Stumps",
    "Thresholded",
    "Value",
    "Vocabulary",
    "Vote",
    "Votes",
    "WeightedSum",
    "as_floats",
    "as_form",
    "close_seeds",
    "distances",
    "from_scores",
    "kernel_expansion",
    "linear_score",
    "pick",
    "refuse_fitted",
    "seeds_of",
    "short",
    "steady_product",
]

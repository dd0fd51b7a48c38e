"""Scores that exist already, validated: nothing is trained, every row counts.

What lives here: scores in the forms in which people have them (`fixed_score`: a comparison, a card
from a paper, a column of risks, a model file, an estimator), `validate`, which certifies them, and
its sentences, page and files. What does not: the theorems (`handful.evidence`), and anything that
learns.

To add a form of score: a subclass of `FixedScore` and its case in `fixed_score`.
"""

from handful.validation.comparisons import Comparison
from handful.validation.fixed_scores import (
    CardScore,
    ComparedColumn,
    EstimatorScore,
    FixedScore,
    GivenNumbers,
    ModelScore,
    RiskColumn,
    digest_of_file,
    fixed_score,
)
from handful.validation.paper_cards import CardItem, PaperCard, card_from_dict, load_card
from handful.validation.validated import ScorePair, Validation, validate

__all__ = [
    "CardItem",
    "CardScore",
    "ComparedColumn",
    "Comparison",
    "EstimatorScore",
    "FixedScore",
    "GivenNumbers",
    "ModelScore",
    "PaperCard",
    "RiskColumn",
    "ScorePair",
    "Validation",
    "card_from_dict",
    "digest_of_file",
    "fixed_score",
    "load_card",
    "validate",
]

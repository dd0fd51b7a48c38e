"""Nonconformity: choosing a model for every case by how unusual the other label would be.

What lives here: the classifier, the sets of models that it chooses among, measures of
nonconformity, the verdicts over a table of validation scores, calibration and the filtering
curve. What does not: the support vector machines of its usual set (`handful.svm`).

To add a measure: a function of distances with its entry in ``MEASURES``.
"""

from handful.conformal.display import FilteringDisplay
from handful.conformal.estimators import NonconformityClassifier
from handful.conformal.model_sets import PAPER_GRID
from handful.conformal.verdicts import (
    decision_values,
    label_scores,
    published_deviation,
    published_nonconformity_value,
)

__all__ = [
    "PAPER_GRID",
    "FilteringDisplay",
    "NonconformityClassifier",
    "decision_values",
    "label_scores",
    "published_deviation",
    "published_nonconformity_value",
]

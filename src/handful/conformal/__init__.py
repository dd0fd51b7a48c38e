"""Nonconformity: choosing a model for every case by how unusual the other label would be.

What lives here: the classifier, the banks of models that it chooses among, measures of
nonconformity, the verdicts over a table of validation scores, calibration and the filtering
curve. What does not: the support vector machines of its usual bank (`handful.svm`).

To add a measure: a function of scores in ``measures`` with its entry in ``MEASURES``.
"""

from handful.conformal.banks import PAPER_GRID
from handful.conformal.calibration import published_deviation, published_nonconformity_value
from handful.conformal.filtering import FilteringDisplay
from handful.conformal.nonconformity import NonconformityClassifier
from handful.conformal.verdicts import decision_values, label_scores

__all__ = [
    "PAPER_GRID",
    "FilteringDisplay",
    "NonconformityClassifier",
    "decision_values",
    "label_scores",
    "published_deviation",
    "published_nonconformity_value",
]

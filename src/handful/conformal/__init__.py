"""Nonconformity: a model is chosen for every case by how unusual the other label would be.

This package holds the classifier, the sets of models, measures of nonconformity, verdicts over a
table of validation scores, calibration and the filtering curve. The support vector machines of
the usual set are in `handful.svm`.

To add a measure, enter a function of distances in ``DISTANCE_MEASURES`` and its name in
``MEASURES``.
"""

from handful.conformal.display import FilteringDisplay
from handful.conformal.estimators import NonconformityClassifier
from handful.conformal.model_sets import PAPER_GRID, take_rows
from handful.conformal.verdicts import (
    cross_conformal_level,
    decision_values,
    label_scores,
    published_deviation,
    published_nonconformity_value,
)

__all__ = [
    "PAPER_GRID",
    "FilteringDisplay",
    "NonconformityClassifier",
    "cross_conformal_level",
    "decision_values",
    "label_scores",
    "published_deviation",
    "published_nonconformity_value",
    "take_rows",
]

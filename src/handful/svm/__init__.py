"""Support vector machines over a (kernel, C) grid: their geometry, criteria and certificates.

What lives here: the grid solver, the single machine, what can be read off a fitted machine, and
the certificates that hold for it; beside it three ways to a certified classifier that need no
cross-validation: nonconformity selection, the kernel perceptron and pick-to-learn. What does not:
the bounds themselves (`handful.bounds`) and the search that chooses among machines
(`handful.selection`).

To add a criterion: write a function of a `Geometry`, enter it in ``CRITERIA`` and give it a
twin in ``tests/oracles/svm.py``.
"""

from handful.svm._ball import enclosing_ball
from handful.svm._certificates import certify_svm, stable_set
from handful.svm._codes import CodeLength, code_1, code_2, code_3, code_4, code_5
from handful.svm._criteria import CRITERIA, SVMCriterion, get_criterion
from handful.svm._display import CriteriaDisplay
from handful.svm._geometry import Geometry, KernelGeometry
from handful.svm._grid import SVMGrid, fit_svm_grid
from handful.svm._machine import SupportVectorMachine
from handful.svm._model import SVMModel
from handful.svm._nonconformity import NonconformityClassifier
from handful.svm._nonconformity_calibration import published_nonconformity_value
from handful.svm._nonconformity_display import FilteringDisplay
from handful.svm._perceptron import KernelPerceptron
from handful.svm._pick_to_learn import PickToLearn
from handful.svm._sklearn import model_of_svc
from handful.svm._span import leave_one_out_errors, span_errors
from handful.svm._store import KernelStore
from handful.svm._table import criteria_table

__all__ = [
    "CRITERIA",
    "CodeLength",
    "CriteriaDisplay",
    "FilteringDisplay",
    "Geometry",
    "KernelGeometry",
    "KernelPerceptron",
    "KernelStore",
    "NonconformityClassifier",
    "PickToLearn",
    "SVMCriterion",
    "SVMGrid",
    "SVMModel",
    "SupportVectorMachine",
    "certify_svm",
    "code_1",
    "code_2",
    "code_3",
    "code_4",
    "code_5",
    "criteria_table",
    "enclosing_ball",
    "fit_svm_grid",
    "get_criterion",
    "leave_one_out_errors",
    "model_of_svc",
    "published_nonconformity_value",
    "span_errors",
    "stable_set",
]

"""Support vector machines over a (kernel, C) grid: their geometry, criteria and certificates.

What lives here: the grid solver, the single machine, what can be read off a fitted machine, and
the certificates that hold for it; in ``criteria`` the numbers to choose by. What does not: the
bounds themselves (`handful.bounds`) and the search that chooses among machines
(`handful.selection`).

To add a criterion: see ``criteria``.
"""

from handful.svm._certificates import certify_svm, stable_set
from handful.svm._display import CriteriaDisplay
from handful.svm._machine import SupportVectorMachine
from handful.svm._model import SVMModel
from handful.svm._sklearn import model_of_svc
from handful.svm._store import KernelStore
from handful.svm.criteria.codes import CodeLength, code_1, code_2, code_3, code_4, code_5
from handful.svm.criteria.criteria_table import criteria_table
from handful.svm.criteria.enclosing_ball import enclosing_ball
from handful.svm.criteria.geometry import Geometry, KernelGeometry
from handful.svm.criteria.registry import CRITERIA, SVMCriterion, get_criterion
from handful.svm.criteria.span import leave_one_out_errors, span_errors
from handful.svm.grid import SVMGrid, fit_svm_grid

__all__ = [
    "CRITERIA",
    "CodeLength",
    "CriteriaDisplay",
    "Geometry",
    "KernelGeometry",
    "KernelStore",
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
    "span_errors",
    "stable_set",
]

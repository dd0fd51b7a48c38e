"""Support vector machines over a (kernel, C) grid: their geometry, criteria and certificates.

This package holds the grid solver, the single machine, its certificates, the geometry of a fitted
machine (margin, radius, spectrum, cells), the code lengths C1 to C5, the span estimate, and
``CRITERIA``: numbers to choose by, without a guarantee. The bounds are in `handful.bounds`, the
search that chooses among machines is in `handful.selection`.

To add a criterion: write a function of a `MachineGeometry`, enter it in ``CRITERIA`` and give it
a twin in ``tests/oracles/svm.py``.
"""

from handful.svm.code_lengths import CodeLength, code_1, code_2, code_3, code_4, code_5
from handful.svm.criteria import CRITERIA, SVMCriterion, criteria_table, get_criterion
from handful.svm.display import CriteriaDisplay
from handful.svm.estimators import SupportVectorMachine
from handful.svm.geometry import (
    REGIONS,
    KernelGeometry,
    KernelStore,
    MachineGeometry,
    enclosing_ball,
)
from handful.svm.grid import SVMGrid, fit_svm_grid
from handful.svm.span import leave_one_out_errors, span_errors
from handful.svm.stable_sets import certify_svm, stable_set
from handful.svm.svm_model import SVMModel, model_of_svc

__all__ = [
    "CRITERIA",
    "REGIONS",
    "CodeLength",
    "CriteriaDisplay",
    "KernelGeometry",
    "KernelStore",
    "MachineGeometry",
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

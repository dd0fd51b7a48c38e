"""Classifiers made of a handful of examples, each with a certificate that can be re-checked.

The public names are loaded when they are first used, so that ``import handful`` stays fast.
"""

import importlib
from typing import Any

from handful._version import __version__
from handful.chunks import enter_chunked

_HOME: dict[str, str] = {
    "AdaBoost": "boosting",
    "AdditiveDisplay": "certified",
    "BOUNDS": "bounds",
    "BoundPathDisplay": "report",
    "BoundSearch": "selection",
    "CalibrationDisplay": "evidence",
    "Certificate": "bounds",
    "CertificateDisplay": "report",
    "CertifiedClassifier": "certified",
    "CriteriaDisplay": "svm",
    "Criterion": "bounds",
    "DecisionCurveDisplay": "evidence",
    "DecisionListMachine": "covering",
    "FilteringDisplay": "conformal",
    "ForestDisplay": "evidence",
    "KernelMatchingPursuitClassifier": "pursuit",
    "KernelMatchingPursuitRegressor": "pursuit",
    "KernelPerceptron": "stable",
    "LPBoost": "boosting",
    "LPBoostMKL": "boosting",
    "LinearProgrammingMachine": "programs",
    "MarginDisplay": "boosting",
    "MenuDisplay": "certified",
    "MinimalComplexityMachine": "programs",
    "MinimalComplexityRegressor": "programs",
    "NonconformityClassifier": "conformal",
    "PickToLearn": "stable",
    "PlanDisplay": "evidence",
    "PursuitCentersDisplay": "pursuit",
    "PursuitPathDisplay": "pursuit",
    "RocDisplay": "evidence",
    "RulesDisplay": "report",
    "ScoreCard": "scoring",
    "ScoreCardDisplay": "scoring",
    "SetCoveringMachine": "covering",
    "SparseKernelCCA": "pursuit",
    "SparseKernelPCA": "pursuit",
    "SupportVectorMachine": "svm",
    "WatchDisplay": "monitoring",
    "export_card": "export",
    "export_cases": "export",
    "export_excel": "export",
    "export_json": "export",
    "export_paper_card": "export",
    "export_python": "export",
    "export_r": "export",
    "export_sql": "export",
    "load_dataset": "datasets",
    "load_model": "files",
    "render_report": "report",
    "samples_needed": "bounds",
    "save_model": "files",
    "validate": "validation",
    "verify_model": "verify",
}

__all__ = ["__version__", *sorted(_HOME)]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'handful' has no attribute {name!r}")
    return getattr(importlib.import_module(f"handful.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)


def _chunks() -> Any:
    from handful import distributed

    return distributed


enter_chunked(_chunks)

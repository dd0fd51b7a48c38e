"""Machines without rules, to be re-checked and forged."""

from __future__ import annotations

from typing import Any

from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from handful import (
    AdaBoost,
    BoundSearch,
    KernelMatchingPursuitClassifier,
    KernelPerceptron,
    LinearProgrammingMachine,
    LPBoost,
    LPBoostMKL,
    MinimalComplexityMachine,
    NonconformityClassifier,
    PickToLearn,
    SupportVectorMachine,
)

#: Nothing differs in these files, and a part of the claim is not derived again.
OPEN = {
    "adaboost-three-classes": "a risk of 1",
    "nonconformity": "trained on the examples set aside",
    "nonconformity-best": "trained on the examples set aside",
    "picked": "what training on them gives",
    "picked-compression": "what training on them gives",
}
_GRID = {"gamma": [0.01, 0.1], "C": [1.0, 10.0]}
SCORES: dict[str, tuple[str, Any]] = {
    "kernels": ("opposite", LPBoostMKL(["linear", {"kernel": "rbf", "gamma": 0.1}], nu=0.3)),
    "nonconformity": (
        "breastw",
        NonconformityClassifier(param_grid=_GRID, calibration_size=0.3, validation_size=0.2),
    ),
    "nonconformity-best": (
        "glass-2class",
        NonconformityClassifier(param_grid=_GRID, select="best-validation"),
    ),
    "picked": ("breastw", PickToLearn(make_pipeline(StandardScaler(), LogisticRegression()))),
    "picked-compression": ("glass-2class", PickToLearn(SVC(gamma=0.1, C=10.0))),
    "adaboost": ("bupa", AdaBoost(n_rounds=15)),
    "adaboost-three-classes": ("iris", AdaBoost(n_rounds=5)),
    "lpboost": ("bupa", LPBoost(nu=0.5)),
    "lpboost-grid": ("bupa", LPBoost(nu=0.5, thresholds=[10.0, 20.0, 30.0, 50.0])),
    "perceptron": ("breastw", KernelPerceptron(gamma=0.1)),
    "perceptron-three-classes": ("iris", KernelPerceptron(gamma=0.5)),
    "perceptron-stopped": ("haberman-294", KernelPerceptron(kernel="linear", max_passes=3)),
    "pursuit": ("bupa", KernelMatchingPursuitClassifier(n_centers=8)),
    "pursuit-three-classes": ("iris", KernelMatchingPursuitClassifier(n_centers=6)),
    "pursuit-quantised": (
        "glass-2class",
        KernelMatchingPursuitClassifier(n_centers=5, coefficients="quantised", gamma=0.5),
    ),
    "pursuit-chosen": (
        "glass-2class",
        KernelMatchingPursuitClassifier(n_centers=5, coefficients="chosen"),
    ),
    "pursuit-lectures": (
        "bupa",
        KernelMatchingPursuitClassifier(n_centers=3, coefficients="least_squares"),
    ),
    "svm": ("glass-2class", SupportVectorMachine(gamma=0.5)),
    "svm-three-classes": ("iris", SupportVectorMachine(gamma=0.5, C=2.0)),
    "svm-linear": ("glass-2class", SupportVectorMachine(kernel="linear", C=0.05)),
    "svm-no-bias": ("glass-2class", SupportVectorMachine(gamma=0.5, fit_intercept=False)),
    "lpm": ("haberman-294", LinearProgrammingMachine(C=0.05)),
    "lpm-three-classes": ("iris", LinearProgrammingMachine(C=0.5)),
    "mcm": ("haberman-294", MinimalComplexityMachine(C=1.0)),
    "pursuit-search": (
        "glass-2class",
        BoundSearch(
            KernelMatchingPursuitClassifier(n_centers=4, coefficients="quantised"),
            param_grid={"gamma": [0.1, 0.5]},
        ),
    ),
}

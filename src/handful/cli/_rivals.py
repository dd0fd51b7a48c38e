"""Who takes part in ``handful compare``: the library's machines and what people use instead."""

from __future__ import annotations

import difflib
import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Rival:
    """A contestant.

    Attributes
    ----------
    name : str
    make : callable
        ``make(quick, seed)`` gives an unfitted classifier.
    size : callable
        What a fitted one is made of: rules, examples, features or leaves.
    unit : str
        What the size counts.
    is_ours : bool
        A machine of the library, which may have a certificate of its own.
    takes_all : bool
        Takes words and missing values as they are.
    """

    name: str
    make: Callable[[bool, int], Any]
    size: Callable[[Any], int]
    unit: str
    is_ours: bool = True
    takes_all: bool = False


def _rules(machine: Any) -> int:
    machines = machine.machine_ if isinstance(machine.machine_, tuple) else (machine.machine_,)
    return sum(len(part.rules) for part in machines)


def _set_covering(quick: bool, seed: int) -> Any:
    from handful import SetCoveringMachine

    return SetCoveringMachine(random_state=seed)


def _stumps(quick: bool, seed: int) -> Any:
    from handful import SetCoveringMachine

    return SetCoveringMachine("stumps", random_state=seed)


def _decision_list(quick: bool, seed: int) -> Any:
    from handful import DecisionListMachine

    return DecisionListMachine(random_state=seed)


def _lpboost(quick: bool, seed: int) -> Any:
    from handful import LPBoost

    return LPBoost(random_state=seed)


def _adaboost(quick: bool, seed: int) -> Any:
    from handful import AdaBoost

    return AdaBoost(n_rounds=30 if quick else 100, random_state=seed)


def _votes(machine: Any) -> int:
    return len(machine.get_rules())


def _minimal_complexity(quick: bool, seed: int) -> Any:
    from handful import MinimalComplexityMachine

    return MinimalComplexityMachine(time_limit=60.0)


def _one_norm(quick: bool, seed: int) -> Any:
    from handful import LinearProgrammingMachine

    return LinearProgrammingMachine(time_limit=60.0)


def _features(machine: Any) -> int:
    return int(np.any(np.abs(np.atleast_2d(machine.coef_)) > 1e-9, axis=0).sum())


def _support_vectors(quick: bool, seed: int) -> Any:
    from handful import BoundSearch, SupportVectorMachine

    gammas = [10.0**k for k in ((-3, -1) if quick else (-5, -4, -3, -2, -1, 0))]
    grid = {"gamma": gammas, "C": [1.0] if quick else [0.1, 1.0, 10.0, 100.0]}
    return BoundSearch(SupportVectorMachine(), grid)


def _pursuit(quick: bool, seed: int) -> Any:
    from handful import KernelMatchingPursuitClassifier

    return KernelMatchingPursuitClassifier(random_state=seed)


def _nonconformity(quick: bool, seed: int) -> Any:
    from handful import NonconformityClassifier

    gammas = [10.0**k for k in ((-3, -1) if quick else (-4, -3, -2, -1, 0))]
    grid = {"gamma": gammas, "C": [1.0] if quick else [1.0, 10.0, 100.0]}
    return NonconformityClassifier(None, grid, calibration_size=0.3, random_state=seed)


def _picks(quick: bool, seed: int) -> Any:
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    from handful import PickToLearn

    inner = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    return PickToLearn(inner, stop="certificate", batch_size=0.25 if quick else 0.1)


def _logistic(quick: bool, seed: int) -> Any:
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(max_iter=5000)


def _l1_logistic(quick: bool, seed: int) -> Any:
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GridSearchCV

    inner = LogisticRegression(l1_ratio=1.0, solver="saga", max_iter=2000, tol=1e-3)
    return GridSearchCV(inner, {"C": [0.1, 1.0] if quick else [0.01, 0.1, 1.0, 10.0]}, cv=3)


def _svc(quick: bool, seed: int) -> Any:
    from sklearn.model_selection import GridSearchCV
    from sklearn.svm import SVC

    grid = {"C": [1.0, 10.0] if quick else [0.1, 1.0, 10.0, 100.0]}
    grid["gamma"] = [0.01, 0.1] if quick else [0.001, 0.01, 0.1, 1.0]
    return GridSearchCV(SVC(), grid, cv=3 if quick else 5)


def _tree(quick: bool, seed: int) -> Any:
    from sklearn.model_selection import GridSearchCV
    from sklearn.tree import DecisionTreeClassifier

    inner = DecisionTreeClassifier(random_state=seed)
    return GridSearchCV(inner, {"max_leaf_nodes": [2, 4, 8, 16, 32]}, cv=5)


def _sklearn_adaboost(quick: bool, seed: int) -> Any:
    from sklearn.ensemble import AdaBoostClassifier

    return AdaBoostClassifier(n_estimators=30 if quick else 100, random_state=seed)


def _ebm(quick: bool, seed: int) -> Any:
    from interpret.glassbox import ExplainableBoostingClassifier

    return ExplainableBoostingClassifier(random_state=seed, n_jobs=1)


def _best(machine: Any) -> Any:
    return getattr(machine, "best_estimator_", machine)


def _n_support(machine: Any) -> int:
    return len(_best(machine).support_)


RIVALS: dict[str, Rival] = {
    rival.name: rival
    for rival in (
        Rival("set-covering", _set_covering, _rules, "rules", takes_all=True),
        Rival("stumps", _stumps, _rules, "rules", takes_all=True),
        Rival("decision-list", _decision_list, _rules, "rules", takes_all=True),
        Rival("lpboost", _lpboost, _votes, "stumps"),
        Rival("adaboost", _adaboost, _votes, "stumps"),
        Rival("minimal-complexity", _minimal_complexity, _features, "features"),
        Rival("one-norm-svm", _one_norm, _features, "features"),
        Rival("svm-by-bound", _support_vectors, _n_support, "examples"),
        Rival("matching-pursuit", _pursuit, lambda m: int(m.n_centers_), "examples"),
        Rival("nonconformity", _nonconformity, lambda m: len(m.models_), "models"),
        Rival("pick-to-learn", _picks, lambda m: len(m.picks_), "examples"),
        Rival("logistic", _logistic, _features, "features", is_ours=False),
        Rival("l1-logistic", _l1_logistic, lambda m: _features(_best(m)), "features",
              is_ours=False),
        Rival("svc-grid", _svc, _n_support, "examples", is_ours=False),
        Rival("tree", _tree, lambda m: _best(m).get_n_leaves(), "leaves", is_ours=False),
        Rival("sklearn-adaboost", _sklearn_adaboost, lambda m: len(m.estimators_), "stumps",
              is_ours=False),
        Rival("ebm", _ebm, lambda m: len(m.term_names_), "terms", is_ours=False),
    )
}  # fmt: skip


def choose_rivals(machines: str | None) -> list[Rival]:
    """All that are installed, or those named, separated by commas."""
    has_ebm = importlib.util.find_spec("interpret") is not None
    if machines is None:
        return [rival for rival in RIVALS.values() if rival.name != "ebm" or has_ebm]
    names = [name.strip() for name in machines.split(",") if name.strip()]
    for name in names:
        if name not in RIVALS:
            near = difflib.get_close_matches(name, RIVALS, n=3) or list(RIVALS)
            raise ValueError(f"`--machines` must be among {', '.join(near)}, got {name!r}.")
        if name == "ebm" and not has_ebm:
            raise ValueError("`--machines ebm` needs interpret: python -m pip install interpret.")
    if not names:
        raise ValueError("`--machines` must name at least one machine, got none.")
    return [RIVALS[name] for name in dict.fromkeys(names)]

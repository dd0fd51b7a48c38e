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
    is_scaled : bool
        A machine of the library that raw columns would spoil. It is put behind a fitted scaler
        even where all columns are numbers, and so has no certificate of its own: the scaler has
        seen the examples that the certificate would count.
    made_of : callable, optional
        Number of examples that a fitted one is made of, where it is made of examples.
    held_back : callable, optional
        Number of examples that its certificate does not count.
    """

    name: str
    make: Callable[[bool, int], Any]
    size: Callable[[Any], int]
    unit: str
    is_ours: bool = True
    takes_all: bool = False
    is_scaled: bool = False
    made_of: Callable[[Any], int] | None = None
    held_back: Callable[[Any], int] | None = None


def _rules(machine: Any) -> int:
    return sum(map(len, machine.cover_.rules))


def _kept(machine: Any) -> int:
    return len(_best(machine).compression_set_)


def _held_back(machine: Any) -> int:
    return len(machine.held_back_)


def _menu(quick: bool, seed: int) -> Any:
    from handful import CertifiedClassifier

    return CertifiedClassifier(random_state=seed)


def _score_card(quick: bool, seed: int) -> Any:
    from handful import CertifiedClassifier

    return CertifiedClassifier(["score card"], random_state=seed)


def _half_spaces(quick: bool, seed: int) -> Any:
    from handful import SetCoveringMachine

    return SetCoveringMachine("half-spaces", random_state=seed)


def _balls(quick: bool, seed: int) -> Any:
    from handful import SetCoveringMachine

    return SetCoveringMachine("balls", random_state=seed)


def _kernel_mcm(quick: bool, seed: int) -> Any:
    from handful import MinimalComplexityMachine

    return MinimalComplexityMachine("rbf", time_limit=60.0)


def _mkl(quick: bool, seed: int) -> Any:
    from handful import LPBoostMKL

    return LPBoostMKL(nu=0.2 if quick else "auto")


def _perceptron(quick: bool, seed: int) -> Any:
    from handful import BoundSearch, KernelPerceptron

    gammas = [10.0**k for k in ((-3, -1) if quick else (-5, -4, -3, -2, -1, 0))]
    return BoundSearch(KernelPerceptron(margin=0.1, max_passes=20), param_grid={"gamma": gammas})


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
    return BoundSearch(SupportVectorMachine(), param_grid=grid)


def _pursuit(quick: bool, seed: int) -> Any:
    from handful import KernelMatchingPursuitClassifier

    return KernelMatchingPursuitClassifier(random_state=seed)


def _nonconformity(quick: bool, seed: int) -> Any:
    from handful import NonconformityClassifier

    gammas = [10.0**k for k in ((-3, -1) if quick else (-4, -3, -2, -1, 0))]
    grid = {"gamma": gammas, "C": [1.0] if quick else [1.0, 10.0, 100.0]}
    return NonconformityClassifier(param_grid=grid, calibration_size=0.3, random_state=seed)


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


def _ours(name: str, make: Any, size: Any, unit: str, **more: Any) -> Rival:
    return Rival(name, make, size, unit, **more)


def _other(name: str, make: Any, size: Any, unit: str, **more: Any) -> Rival:
    return Rival(name, make, size, unit, is_ours=False, **more)


def _covering(name: str, make: Any, *, takes_all: bool = True) -> Rival:
    return _ours(name, make, _rules, "rules", takes_all=takes_all, made_of=_kept,
                 held_back=_held_back)  # fmt: skip


def _from_pool(name: str, make: Any) -> Rival:
    return _ours(name, make, lambda m: int(m.menu_["size"][m.chosen_]), "parts", takes_all=True,
                 made_of=_kept, held_back=lambda m: len(m.held_back_))  # fmt: skip


RIVALS: dict[str, Rival] = {
    rival.name: rival
    for rival in (
        _from_pool("certified-menu", _menu),
        _from_pool("score-card", _score_card),
        _covering("set-covering", _set_covering),
        _covering("stumps", _stumps),
        _covering("half-spaces", _half_spaces, takes_all=False),
        _covering("balls", _balls, takes_all=False),
        _covering("decision-list", _decision_list),
        _ours("lpboost", _lpboost, _votes, "stumps"),
        _ours("adaboost", _adaboost, _votes, "stumps"),
        _ours("minimal-complexity", _minimal_complexity, _features, "features", made_of=_kept),
        _ours("one-norm-svm", _one_norm, _features, "features", made_of=_kept),
        _ours("kernel-mcm", _kernel_mcm, _n_support, "examples", is_scaled=True,
              made_of=_n_support),
        _ours("mkl", _mkl, lambda m: int((m.kernel_weights_ > 1e-6).sum()), "kernels",
              is_scaled=True),
        _ours("svm-by-bound", _support_vectors, _n_support, "examples", made_of=_n_support),
        _ours("perceptron", _perceptron, _kept, "examples", made_of=_kept),
        _ours("matching-pursuit", _pursuit, lambda m: int(m.n_centers_), "examples",
              made_of=_kept, held_back=lambda m: len(m.held_back_)),
        _ours("nonconformity", _nonconformity, lambda m: len(m.models_), "models",
              made_of=lambda m: len(m.train_indices_),
              held_back=lambda m: len(m.train_indices_) + len(m.validation_indices_)),
        _ours("pick-to-learn", _picks, lambda m: len(m.picks_), "examples",
              made_of=lambda m: len(m.picks_)),
        _other("logistic", _logistic, _features, "features"),
        _other("l1-logistic", _l1_logistic, lambda m: _features(_best(m)), "features"),
        _other("svc-grid", _svc, _n_support, "examples", made_of=_n_support),
        _other("tree", _tree, lambda m: _best(m).get_n_leaves(), "leaves"),
        _other("sklearn-adaboost", _sklearn_adaboost, lambda m: len(m.estimators_), "stumps"),
        _other("ebm", _ebm, lambda m: len(m.term_names_), "terms"),
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

"""Who takes part in ``handful compare``: the library's machines and what people use instead."""

from __future__ import annotations

import difflib
import importlib
import importlib.util
from collections.abc import Callable, Mapping
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
        even if all columns are numbers, and so has no certificate of its own: the scaler has
        seen the examples that the certificate would count.
    made_of : callable, optional
        Number of examples that a fitted one is made of, if it is made of examples.
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


# -- how they are made -----------------------------------------------------------------------------

SEED = object()  # the seed of the comparison, as a parameter


@dataclass(frozen=True)
class Either:
    """A parameter that is smaller in a quick comparison."""

    quick: Any
    full: Any


Make = Callable[[bool, int], Any]


def _settled(value: Any, quick: bool, seed: int) -> Any:
    if isinstance(value, Either):
        return value.quick if quick else value.full
    return seed if value is SEED else value


def _named(name: str) -> Any:
    """A class of this library, or of another one as module:class."""
    import handful

    module, _, own = name.rpartition(":")
    return getattr(importlib.import_module(module) if module else handful, own)


def _machine(name: str, *positional: Any, **parameters: Any) -> Make:
    """How a machine with these parameters is made."""

    def make(quick: bool, seed: int) -> Any:
        settled = {key: _settled(value, quick, seed) for key, value in parameters.items()}
        return _named(name)(*positional, **settled)

    return make


def _searched(search: str, inner: Make, grid: Mapping[str, Any], **parameters: Any) -> Make:
    """How a search for the best settings of a machine is made."""

    def make(quick: bool, seed: int) -> Any:
        wanted = {key: _settled(values, quick, seed) for key, values in grid.items()}
        settled = {key: _settled(value, quick, seed) for key, value in parameters.items()}
        return _named(search)(inner(quick, seed), param_grid=wanted, **settled)

    return make


def _picks(quick: bool, seed: int) -> Any:
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    from handful import PickToLearn

    inner = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    return PickToLearn(inner, stop="certificate", batch_size=0.25 if quick else 0.1)


def _powers(*exponents: int) -> list[float]:
    return [10.0**k for k in exponents]


# widths of kernels: from nearly linear to a few neighbours, for columns of any scale
_GAMMAS = Either(_powers(-3, -1), _powers(-5, -4, -3, -2, -1, 0))
_LOGISTIC, _GRID = "sklearn.linear_model:LogisticRegression", "sklearn.model_selection:GridSearchCV"
_SMALL, _LARGE = _powers(-3, -1), _powers(-4, -3, -2, -1, 0)  # of models that pick by case

# -- what is counted of them -----------------------------------------------------------------------


def _best(machine: Any) -> Any:
    return getattr(machine, "best_estimator_", machine)


def _kept(machine: Any) -> int:
    return len(_best(machine).compression_set_)


def _held_back(machine: Any) -> int:
    return len(machine.held_back_)


def _features(machine: Any) -> int:
    coefficients = np.atleast_2d(_best(machine).coef_)
    return int(np.any(np.abs(coefficients) > 1e-9, axis=0).sum())


def _n_support(machine: Any) -> int:
    return len(_best(machine).support_)


def _length(name: str) -> Callable[[Any], int]:
    return lambda machine: len(getattr(machine, name))


def _ours(name: str, make: Make, size: Any, unit: str, **more: Any) -> Rival:
    return Rival(name, make, size, unit, **more)


def _other(name: str, make: Make, size: Any, unit: str, **more: Any) -> Rival:
    return Rival(name, make, size, unit, is_ours=False, **more)


def _covering(name: str, *rules: str, machine: str = "SetCoveringMachine", **more: Any) -> Rival:
    make = _machine(machine, *rules, random_state=SEED)
    counts = {"made_of": _kept, "held_back": _held_back}
    return _ours(
        name, make, lambda m: m.cover_.n_rules, "rules", **{"takes_all": True, **more, **counts}
    )


def _from_pool(name: str, *forms: Any) -> Rival:
    make = _machine("CertifiedClassifier", *forms, random_state=SEED)
    counts = {"made_of": _kept, "held_back": _held_back}
    return _ours(
        name, make, lambda m: m.candidate_.fitted.machine.size, "parts", takes_all=True, **counts
    )


_ALL = (
    _from_pool("certified-menu"),
    _from_pool("score-card", ["score card"]),
    _covering("set-covering"),
    _covering("stumps", "stumps"),
    _covering("half-spaces", "half-spaces", takes_all=False),
    _covering("balls", "balls", takes_all=False),
    _covering("decision-list", machine="DecisionListMachine"),
    _ours("lpboost", _machine("LPBoost", random_state=SEED), lambda m: len(m.get_rules()),
          "stumps"),
    _ours("adaboost", _machine("AdaBoost", n_rounds=Either(30, 100), random_state=SEED),
          lambda m: len(m.get_rules()), "stumps"),
    _ours("minimal-complexity", _machine("MinimalComplexityMachine", time_limit=60.0), _features,
          "features", made_of=_kept),
    _ours("one-norm-svm", _machine("LinearProgrammingMachine", time_limit=60.0), _features,
          "features", made_of=_kept),
    _ours("kernel-mcm", _machine("MinimalComplexityMachine", "rbf", time_limit=60.0), _n_support,
          "examples", is_scaled=True, made_of=_n_support),
    _ours("mkl", _machine("LPBoostMKL", nu=Either(0.2, "auto")),
          lambda m: int((m.kernel_weights_ > 1e-6).sum()), "kernels", is_scaled=True),
    _ours("svm-by-bound",
          _searched("BoundSearch", _machine("SupportVectorMachine"),
                    {"gamma": _GAMMAS, "C": Either([1.0], [0.1, 1.0, 10.0, 100.0])}),
          _n_support, "examples", made_of=_n_support),
    _ours("perceptron",
          _searched("BoundSearch", _machine("KernelPerceptron", margin=0.1, max_passes=20),
                    {"gamma": _GAMMAS}),
          _kept, "examples", made_of=_kept),
    _ours("matching-pursuit", _machine("KernelMatchingPursuitClassifier", random_state=SEED),
          lambda m: int(m.n_centers_), "examples", made_of=_kept, held_back=_held_back),
    _ours("nonconformity",
          _machine("NonconformityClassifier", calibration_size=0.3, random_state=SEED,
                   param_grid=Either({"gamma": _SMALL, "C": [1.0]},
                                     {"gamma": _LARGE, "C": [1.0, 10.0, 100.0]})),
          _length("models_"), "models", made_of=_length("train_indices_"),
          held_back=lambda m: len(m.train_indices_) + len(m.validation_indices_)),
    _ours("pick-to-learn", _picks, _length("picks_"), "examples", made_of=_length("picks_")),
    _other("logistic", _machine(_LOGISTIC, max_iter=5000), _features, "features"),
    _other("l1-logistic",
           _searched(_GRID, _machine(_LOGISTIC, l1_ratio=1.0, solver="saga", max_iter=2000,
                                     tol=1e-3),
                     {"C": Either([0.1, 1.0], [0.01, 0.1, 1.0, 10.0])}, cv=3),
           _features, "features"),
    _other("svc-grid",
           _searched(_GRID, _machine("sklearn.svm:SVC"),
                     {"C": Either([1.0, 10.0], [0.1, 1.0, 10.0, 100.0]),
                      "gamma": Either([0.01, 0.1], [0.001, 0.01, 0.1, 1.0])}, cv=Either(3, 5)),
           _n_support, "examples", made_of=_n_support),
    _other("tree",
           _searched(_GRID, _machine("sklearn.tree:DecisionTreeClassifier", random_state=SEED),
                     {"max_leaf_nodes": [2, 4, 8, 16, 32]}, cv=5),
           lambda m: _best(m).get_n_leaves(), "leaves"),
    _other("sklearn-adaboost",
           _machine("sklearn.ensemble:AdaBoostClassifier", n_estimators=Either(30, 100),
                    random_state=SEED),
           _length("estimators_"), "stumps"),
    _other("ebm",
           _machine("interpret.glassbox:ExplainableBoostingClassifier", random_state=SEED,
                    n_jobs=1),
           _length("term_names_"), "terms"),
)  # fmt: skip
RIVALS: dict[str, Rival] = {rival.name: rival for rival in _ALL}


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

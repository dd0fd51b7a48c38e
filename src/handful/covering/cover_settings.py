"""Validation of the machines' parameters, with errors that name the argument."""

from __future__ import annotations

import math
import numbers
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handful.checks import check_choice, check_delta, check_weights
from handful.covering.learn import MIXTURES, Settings
from handful.kernels import make_kernel
from handful.models import METRICS
from handful.rules import FAMILIES, KIND_SIGNS, Geometry
from handful.rules.table import n_threads_of
from handful.tables import check_groups


def read_families(rules: Any) -> tuple[tuple[tuple[str, ...], ...], tuple[str, ...]]:
    """(sets of families that compression schemes use, families that pools use)."""
    if rules == "auto":  # no regression: a covering machine is asked for
        sets = (("stumps",), ("half-spaces",), ("balls",), ("two-point",))
        return sets, ("stumps", "half-spaces")
    names = (rules,) if isinstance(rules, str) else tuple(rules)
    known = (*FAMILIES, "linear")
    if not names or any(name not in known for name in names) or len(set(names)) < len(names):
        allowed = ", ".join(repr(name) for name in ("auto", *known))
        raise ValueError(f"`rules` must be one of {allowed} or a list of these, got {rules!r}.")
    plain = tuple(name for name in names if name != "linear")
    proposals = {"linear": "linear"} | {name: FAMILIES[name].proposed_as for name in plain}
    from_pool = tuple(dict.fromkeys(p for name in names if (p := proposals[name]) is not None))
    return ((plain,) if plain else ()), from_pool


def read_penalties(penalty: Any) -> tuple[float, ...] | None:
    """None for "auto", else one or several penalties above 0."""
    if isinstance(penalty, str):
        if penalty == "auto":
            return None
        raise ValueError(f"`penalty` must be 'auto' or positive numbers, got {penalty!r}.")
    values = (penalty,) if isinstance(penalty, numbers.Real) else tuple(penalty)
    if not values or any(
        isinstance(v, bool) or not isinstance(v, numbers.Real) or math.isnan(v) or v <= 0
        for v in values
    ):
        raise ValueError(
            f"`penalty` must be 'auto' or positive numbers, got {penalty!r}. "
            "It is the price of an error; infinity allows none."
        )
    return tuple(float(v) for v in values)


def read_max_rules(max_rules: Any) -> int | None:
    """None for "auto", else the number of rules."""
    if isinstance(max_rules, str) and max_rules == "auto":
        return None
    if isinstance(max_rules, bool) or not isinstance(max_rules, numbers.Integral) or max_rules < 1:
        raise ValueError(f"`max_rules` must be 'auto' or at least 1, got {max_rules!r}.")
    return int(max_rules)


def read_candidates(candidates: Any, by: Any = "certificate") -> str | int | None:
    """Either "auto", "wide", None (all examples) or the size of one pool."""
    check_choice("by", by, ("certificate", "cv"))
    if by == "cv" and isinstance(candidates, str) and candidates == "auto":
        return "wide"  # errors want more candidates than certificates do
    if candidates is None or (isinstance(candidates, str) and candidates in MIXTURES):
        return candidates
    is_size = isinstance(candidates, numbers.Integral) and not isinstance(candidates, bool)
    if not is_size or candidates < 2:
        raise ValueError(
            "`candidates` must be 'auto', 'wide', None or a pool size of at least 2, got "
            f"{candidates!r}."
        )
    return int(candidates)


def read_costs(costs: Any) -> tuple[float, float] | None:
    """None, or the costs of a false positive and a false negative."""
    if costs is None:
        return None
    try:
        c_fp, c_fn = (float(c) for c in costs)
    except (TypeError, ValueError):
        c_fp = c_fn = math.nan
    if not (c_fp >= 0 and c_fn >= 0 and 0 < c_fp + c_fn < math.inf):
        raise ValueError(
            f"`costs` must be two numbers (false positive, false negative), got {costs!r}."
        )
    return c_fp, c_fn


def read_geometries(kernel: Any, gamma: Any, metric: Any, n_features: int) -> tuple[Geometry, ...]:
    """One geometry a kernel; several kernels or widths are a grid that the certificate pays."""
    kernels = list(kernel) if isinstance(kernel, (list, tuple)) else [kernel]
    gammas = list(gamma) if isinstance(gamma, (list, tuple)) else [gamma]
    made = [make_kernel(k, gamma=g, n_features=n_features) for k in kernels for g in gammas]
    if metric not in (*METRICS, "kernel"):
        allowed = ", ".join(repr(name) for name in (*METRICS, "kernel"))
        raise ValueError(f"`metric` must be one of {allowed}, got {metric!r}.")
    if metric == "kernel":
        return tuple(Geometry(kernel=k, ball_kernel=k) for k in dict.fromkeys(made))
    return tuple(Geometry(kernel=k, metric=metric) for k in dict.fromkeys(made))


def read_settings(
    machine: Any, kinds: tuple[str, ...], n_features: int, has_missing: bool, has_words: bool
) -> Settings:
    """All parameters of a machine, checked against each other and the data."""
    family_sets, pool_families = read_families(machine.rules)
    geometries = read_geometries(machine.kernel, machine.gamma, machine.metric, n_features)
    if (has_missing or has_words) and machine.rules not in ("auto", "stumps"):
        what = "missing values" if has_missing else "categories"
        raise ValueError(
            f"Input X contains NaN or words ({what}), which only stumps can use. "
            "Set rules='stumps', or impute or encode with values fixed beforehand."
        )
    if has_words:  # known from the types of the columns, so the code may depend on it
        family_sets, pool_families = (("stumps",),), ("stumps",)
    if any(geometry.kernel.name == "precomputed" for geometry in geometries):
        _check_precomputed(geometries, machine.rules)
        pool_families = ()
    elif geometries[0].kernel.name != "linear" and machine.rules != "auto":
        pool_families = tuple(f for f in pool_families if f != "half-spaces")
    candidates = read_candidates(machine.candidates, machine.by)
    if not family_sets and candidates not in MIXTURES:
        raise ValueError(
            "`rules` = 'linear' learns from a pool: use candidates='auto', "
            f"got candidates={candidates!r}."
        )
    return Settings(
        family_sets=family_sets,
        pool_families=pool_families,
        kinds=kinds,
        penalties=read_penalties(machine.penalty),
        max_rules=read_max_rules(machine.max_rules),
        geometries=geometries,
        candidates=candidates,
        delta=check_delta(machine.delta),
        costs=read_costs(machine.costs),
        stop_on_nonpositive=bool(machine.stop_on_nonpositive),
        n_threads=n_threads_of(machine.n_jobs),
        group_loss=machine.group_loss,
        by=machine.by,
    )


def _check_precomputed(geometries: Sequence[Geometry], rules: Any) -> None:
    """A kernel matrix is the only kernel, for rules that are made of pairs of rows."""
    if len(geometries) > 1:
        raise ValueError(
            "`kernel` = 'precomputed' must stand alone, got a list of kernels. "
            "Compare precomputed kernels with BoundSearch."
        )
    if rules not in ("half-spaces", "two-point"):
        raise ValueError(
            "`kernel` = 'precomputed' needs rules='half-spaces' or 'two-point', "
            f"got rules={rules!r}."
        )


def read_kinds(kind: Any) -> tuple[str, ...]:
    """Both kinds for "auto"."""
    if kind == "auto":
        return tuple(KIND_SIGNS)
    if kind not in KIND_SIGNS:
        raise ValueError(f"`kind` must be 'auto', 'conjunction' or 'disjunction', got {kind!r}.")
    return (str(kind),)


def steering_weights(sample_weight: Any, n_samples: int, unit: int) -> NDArray[np.int64]:
    """Weights as whole parts of a unit, with a mean of one unit.

    An example of weight 0 does not steer the search. It counts in the certificate all the same.

    Examples
    --------
    >>> steering_weights([1.0, 3.0], 2, 10)
    array([ 5, 15])
    """
    weight = check_weights(sample_weight, n_samples)
    share = weight / weight.max()
    return np.rint(unit * share / share.mean()).astype(np.int64)


def read_groups(groups: Any, sample_weight: Any, n_samples: int) -> tuple[Any, Any]:
    """Checked groups, and weights by which each group is worth the same to the search.

    Examples
    --------
    >>> read_groups(["a", "b", "b"], None, 3)[1].tolist()
    [1.0, 0.5, 0.5]
    >>> read_groups(["a", "b"], None, 2)[1] is None
    True
    """
    values = check_groups(groups, n_samples)
    names, member = np.unique(values, return_inverse=True)
    if len(names) < 2:
        raise ValueError(
            f"`groups` must name two groups or more, got {names.tolist()}. Leave it out if rows "
            "are independent."
        )
    sizes = np.bincount(member)
    if (sizes == sizes[0]).all():
        return values, sample_weight
    weight = np.ones(n_samples) if sample_weight is None else np.asarray(sample_weight, float)
    return values, weight / sizes[member]

"""Every bad parameter is named, with its rule and the next step."""

from __future__ import annotations

import math

import numpy as np
import pytest

from handful import DecisionListMachine, SetCoveringMachine
from handful.covering.cover_settings import (
    read_candidates,
    read_costs,
    read_families,
    read_geometries,
    read_kinds,
    read_max_rules,
    read_penalties,
)
from handful.kernels import Kernel

X = np.arange(12.0).reshape(6, 2)
Y = np.array([0, 0, 0, 1, 1, 1])
BAD = [
    ({"rules": "trees"}, r"`rules` must be one of 'auto', .* got 'trees'"),
    ({"rules": []}, r"`rules` must be one of .* got \[\]"),
    ({"rules": ["stumps", "stumps"]}, r"`rules` must be one of"),
    ({"rules": ["stumps", "auto"]}, r"`rules` must be one of"),
    ({"kind": "xor"}, "`kind` must be 'auto', 'conjunction' or 'disjunction', got 'xor'"),
    ({"penalty": "high"}, "`penalty` must be 'auto' or positive numbers, got 'high'"),
    ({"penalty": 0.0}, "`penalty` must be 'auto' or positive numbers, got 0.0"),
    ({"penalty": [1.0, -1.0]}, "`penalty` must be 'auto' or positive numbers"),
    ({"penalty": math.nan}, "`penalty` must be 'auto' or positive numbers"),
    ({"penalty": True}, "`penalty` must be 'auto' or positive numbers"),
    ({"penalty": []}, "`penalty` must be 'auto' or positive numbers"),
    ({"max_rules": 0}, "`max_rules` must be 'auto' or at least 1, got 0"),
    ({"max_rules": 2.5}, "`max_rules` must be 'auto' or at least 1, got 2.5"),
    ({"max_rules": True}, "`max_rules` must be 'auto' or at least 1"),
    ({"max_rules": "few"}, "`max_rules` must be 'auto' or at least 1, got 'few'"),
    ({"kernel": "cubic"}, "`kernel` must be one of .* got 'cubic'"),
    ({"kernel": "rbf", "gamma": -1.0}, "`gamma` must be a positive number or 'auto', got -1.0"),
    ({"kernel": "rbf", "gamma": "scale"}, "'scale' would read the data"),
    ({"metric": "cosine"}, "`metric` must be one of .* got 'cosine'"),
    (
        {"candidates": 1},
        "`candidates` must be 'auto', 'wide', None or a pool size of at least 2, got 1",
    ),
    ({"by": "folds"}, "`by` must be one of"),
    ({"candidates": 0.5}, "`candidates` must be 'auto', 'wide', None or a pool size"),
    ({"candidates": "all"}, "`candidates` must be 'auto', 'wide', None or a pool size"),
    ({"candidates": True}, "`candidates` must be 'auto', 'wide', None or a pool size"),
    ({"delta": 0.0}, r"`delta` must be in \(0, 1\), got 0.0. It is .* 0.05 for 95 % confidence"),
    ({"delta": 1}, r"`delta` must be in \(0, 1\), got 1"),
    ({"costs": (1.0,)}, "`costs` must be two numbers"),
    ({"costs": (1.0, -1.0)}, "`costs` must be two numbers"),
    ({"costs": (0.0, 0.0)}, "`costs` must be two numbers"),
    ({"costs": "high"}, "`costs` must be two numbers"),
    ({"rules": "linear", "candidates": 20}, "`rules` = 'linear' learns from a pool"),
    ({"kernel": "precomputed"}, "`kernel` = 'precomputed' needs rules='half-spaces'"),
    ({"kernel": ["linear", "precomputed"]}, "`kernel` = 'precomputed' must stand alone"),
]


def test_a_probability_is_a_number():
    with pytest.raises(TypeError, match="`delta` must be a number, got 'small'"):
        SetCoveringMachine(delta="small").fit(X, Y)


@pytest.mark.parametrize(("options", "message"), BAD, ids=lambda v: str(v)[:40])
def test_bad_parameters_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        SetCoveringMachine(**options).fit(X, Y)
    if "kind" not in options:
        with pytest.raises(ValueError, match=message):
            DecisionListMachine(**options).fit(X, Y)


def test_good_parameters_are_read():
    assert read_families("two-point") == ((("two-point",),), ("half-spaces",))
    assert read_families(["linear", "balls"]) == ((("balls",),), ("linear", "balls"))
    assert read_families("linear") == ((), ("linear",))
    assert read_penalties("auto") is None
    assert read_penalties([1, math.inf]) == (1.0, math.inf)
    assert read_penalties(np.float32(2)) == (2.0,)
    assert read_max_rules(np.int64(3)) == 3
    assert read_max_rules("auto") is None
    assert read_candidates(None) is None
    assert read_candidates(np.int64(30)) == 30
    assert read_costs([1, 5]) == (1.0, 5.0)
    assert read_costs(None) is None
    assert read_kinds("auto") == ("conjunction", "disjunction")
    assert read_kinds("disjunction") == ("disjunction",)


def test_a_grid_of_kernels_has_no_duplicates():
    grid = read_geometries(["rbf", "rbf"], [0.1, 1.0], "euclidean", 2)
    assert [g.kernel for g in grid] == [Kernel("rbf", gamma=0.1), Kernel("rbf", gamma=1.0)]
    (one,) = read_geometries("rbf", "auto", "kernel", 4)
    assert one.ball_kernel == Kernel("rbf", gamma=0.25)

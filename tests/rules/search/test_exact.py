"""The exact half-space search agrees with its definition, whatever engine and thread count."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from handful.rules import HalfSpaceStep, exact_half_space_paths
from handful.rules.search import exact as _exact
from tests.oracles.half_spaces import covered_by, greedy_path

KINDS = ["conjunction", "disjunction"]
ENGINES = ["histogram", "lock-step"]
PENALTIES = [0.3, 0.7, 1.0, 1 / 3, 4.0, np.pi, np.inf]
X_1D = np.array([-3, -2.5, -2, -0.5, 0, 0.7, 1.9, 2.4, 3.3])
Y_1D = np.array([-1, -1, -1, 1, 1, 1, -1, -1, -1])
I_24 = np.arange(1, 25)
X_24 = np.column_stack([np.sin(I_24), np.cos(2 * I_24)])
Y_24 = np.where((X_24**2).sum(axis=1) < 0.9, 1, -1)


@pytest.fixture(params=ENGINES)
def engine(request, monkeypatch):
    monkeypatch.setattr(_exact, "FEW_STATES", 10**9 if request.param == "histogram" else 0)
    return request.param


def as_tuples(path):
    return [(s.a, s.b, s.c, s.n_other, s.n_same) for s in path]


def data_of(name, rng, m):
    """Data with ties: integer grids, duplicates, contradictory labels, heavy tails, a Gauss."""
    X = rng.normal(size=(m, 3))
    if name == "grid":
        X = rng.integers(0, 3, (m, 2)).astype(float)
    elif name == "duplicates":
        X = X[rng.integers(0, m // 2, m)]
    elif name == "heavy":
        X = np.exp(4 * X)
    elif name == "tiny":
        X = 1e-9 * X
    y = np.where(X[:, 0] + rng.normal(size=m) * X[:, 0].std() > X[:, 0].mean(), 1, -1)
    y[:2] = 1, -1
    if name == "rbf":
        return np.exp(-0.3 * ((X[:, None] - X[None]) ** 2).sum(axis=2)), y
    return X @ X.T, y


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("X", "y", "kind", "penalty", "max_rules", "expected"),
    [
        (X_1D, Y_1D, "conjunction", np.inf, 5, [(3, 0, 3), (3, 6, 5)]),
        (X_1D, Y_1D, "conjunction", 0.1, 5, [(3, 0, 3), (3, 6, 5)]),
        (X_1D, Y_1D, "conjunction", 1.0, 1, [(3, 0, 3)]),
        (X_1D, Y_1D, "disjunction", np.inf, 5, []),
        (X_24, Y_24, "conjunction", np.inf, 6, [(3, 4, 3), (3, 21, 8)]),
        (X_24, Y_24, "disjunction", 1.0, 6, [(3, 4, 1)]),
    ],
)
@pytest.mark.usefixtures("engine")
def test_the_toy_vectors(X, y, kind, penalty, max_rules, expected):
    X = X.reshape(len(y), -1)
    paths = exact_half_space_paths(X @ X.T, y, kind=kind, penalties=[penalty], max_rules=max_rules)
    assert [(s.a, s.b, s.c) for s in paths[0]] == expected


@pytest.mark.sample(16)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["grid", "smooth", "duplicates", "rbf", "heavy", "tiny"])
@pytest.mark.parametrize("stops", [True, False])
@pytest.mark.usefixtures("engine")
def test_every_penalty_equals_the_triple_loop(name, kind, stops, rng):
    K, y = data_of(name, rng, m=16)
    paths = exact_half_space_paths(
        K, y, kind=kind, penalties=PENALTIES, max_rules=4, stop_on_nonpositive=stops
    )
    for penalty, path in zip(PENALTIES, paths, strict=True):
        assert as_tuples(path) == greedy_path(K, y, kind, penalty, 4, stops)


@pytest.mark.sample(1)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["grid", "smooth", "heavy"])
@pytest.mark.usefixtures("engine")
def test_larger_data_where_bounds_prune(name, kind, rng):
    K, y = data_of(name, rng, m=60)
    penalties = [0.5, 1.2, np.inf]
    paths = exact_half_space_paths(K, y, kind=kind, penalties=penalties, max_rules=2)
    for penalty, path in zip(penalties, paths, strict=True):
        assert as_tuples(path) == greedy_path(K, y, kind, penalty, 2)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n_threads", [1, 2])
@pytest.mark.usefixtures("engine")
def test_folds_and_weights_equal_the_triple_loop(kind, n_threads, rng):
    K, y = data_of("grid", rng, m=20)
    weights = rng.integers(0, 4, len(y))
    active = rng.random((3, len(y))) < 0.8
    paths = exact_half_space_paths(
        K, y, kind=kind, penalties=[0.7, 2.0], max_rules=3, weights=weights, active=active,
        n_threads=n_threads,
    )  # fmt: skip
    expected = [
        greedy_path(K, y, kind, p, 3, weights=weights, active=fold)
        for fold in active
        for p in (0.7, 2.0)
    ]
    assert [as_tuples(path) for path in paths] == expected


@given(data=st.data())
def test_any_small_data_by_both_engines(data):
    m = data.draw(st.integers(2, 9))
    values = st.lists(st.integers(-2, 2), min_size=2, max_size=2)
    X = np.array(data.draw(st.lists(values, min_size=m, max_size=m)), dtype=float)
    y = np.array(data.draw(st.lists(st.sampled_from([-1, 1]), min_size=m, max_size=m)))
    kind = data.draw(st.sampled_from(KINDS))
    penalties = data.draw(st.sampled_from([[1.0], [0.4, 0.6, 1.0, 1.5, np.inf]]))
    stops = data.draw(st.booleans())
    K = X @ X.T
    paths = exact_half_space_paths(
        K, y, kind=kind, penalties=penalties, max_rules=5, stop_on_nonpositive=stops
    )
    expected = [greedy_path(K, y, kind, p, 5, stops) for p in penalties]
    assert [as_tuples(path) for path in paths] == expected


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.usefixtures("engine")
def test_weights_equal_repetition(kind, rng):
    K, y = data_of("smooth", rng, m=15)
    weights = rng.integers(1, 4, len(y))
    rows = np.repeat(np.arange(len(y)), weights)
    options = {"kind": kind, "penalties": [0.5, 1.0, 3.0], "max_rules": 3}
    by_weight = exact_half_space_paths(K, y, weights=weights, **options)
    repeated = exact_half_space_paths(K[np.ix_(rows, rows)], y[rows], **options)
    named = [[(rows[s.a], rows[s.b], rows[s.c], s.n_other, s.n_same) for s in p] for p in repeated]
    assert named == [as_tuples(p) for p in by_weight]


def test_noise_in_equal_rows_does_not_collapse_but_ties(rng):
    """Equal rows whose kernel values differ in the last bits are covered together or not at all."""
    K, y = data_of("grid", rng, m=24)
    noisy = K * (1 + 1e-15 * rng.normal(size=K.shape))
    for kind in KINDS:
        clean, blurred = (
            exact_half_space_paths(k, y, kind=kind, penalties=[1.0], max_rules=3)[0]
            for k in (K, noisy)
        )
        assert [(s.n_other, s.n_same) for s in clean] == [(s.n_other, s.n_same) for s in blurred]


def test_engines_threads_and_memory_give_the_same_paths(rng, monkeypatch):
    K, y = data_of("smooth", rng, m=150)
    options = {"kind": "disjunction", "penalties": [0.5, 0.85, 1.0, 2.0, np.inf], "max_rules": 4}
    options["active"] = rng.random((3, len(y))) < 0.9
    expected = exact_half_space_paths(K, y, **options)
    assert exact_half_space_paths(K, y, n_threads=2, **options) == expected
    for budget in (0, 10**6):
        monkeypatch.setattr("handful.rules.search.lockstep.MEMORY_BUDGET", budget)
        assert exact_half_space_paths(K, y, **options) == expected
    monkeypatch.setattr(_exact, "FEW_STATES", 10**9)
    assert exact_half_space_paths(K, y, **options) == expected
    assert exact_half_space_paths(K, y, n_threads=2, **options) == expected


@pytest.mark.parametrize("kind", KINDS)
def test_covers_are_what_the_predicate_says(kind, rng):
    K, y = data_of("heavy", rng, m=120)
    (path,) = exact_half_space_paths(K, y, kind=kind, penalties=[1.0], max_rules=5)
    assert path
    assert isinstance(path[0], HalfSpaceStep)
    is_same = y > 0 if kind == "conjunction" else y < 0
    live, kept = np.ones(len(y), bool), []
    for s in path:
        bad = covered_by(K, s.a, s.b, s.c, kind)
        kept += [s.a if kind == "conjunction" else s.b, s.c]
        assert not bad[kept].any()
        assert (bad & live & ~is_same).sum() == s.n_other
        assert (bad & live & is_same).sum() == s.n_same
        live &= ~bad


@pytest.mark.usefixtures("engine")
def test_nothing_to_cover_or_nothing_to_keep():
    K = np.outer(np.arange(4.0), np.arange(4.0))
    for y in ([1, 1, 1, 1], [-1, -1, -1, -1]):
        for kind in KINDS:
            options = {"kind": kind, "penalties": [1.0, 2.0], "max_rules": 2}
            assert exact_half_space_paths(K, np.array(y), **options) == [[], []]
    y = np.array([1, -1, 1, -1])
    assert exact_half_space_paths(K, y, kind="conjunction", penalties=[1.0], max_rules=0) == [[]]
    nobody = np.zeros((2, 4), bool)
    paths = exact_half_space_paths(
        K, y, kind="conjunction", penalties=[1.0], max_rules=1, active=nobody
    )
    assert paths == [[], []]


@pytest.mark.thorough
def test_loops_run_uncompiled():
    """The same code as plain Python: indices out of range would raise here."""
    code = (
        "import numpy as np\n"
        "from handful.rules.search.exact import exact_half_space_paths as paths\n"
        "x = np.array([-3, -2.5, -2, -0.5, 0, 0.7, 1.9, 2.4, 3.3])\n"
        "y = np.array([-1, -1, -1, 1, 1, 1, -1, -1, -1])\n"
        "for p in ([np.inf], [np.inf, 0.1, 1.0, 2.0, 3.0]):\n"
        "    path = paths(np.outer(x, x), y, kind='conjunction', penalties=p, max_rules=5)\n"
        "    assert [(s.a, s.b, s.c) for s in path[0]] == [(3, 0, 3), (3, 6, 5)], path\n"
    )
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr

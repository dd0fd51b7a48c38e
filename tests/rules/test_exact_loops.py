"""The compiled loops, sorted and compared by definition, and run without the compiler."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np

from handful.rules import _exact_loops as loops

ROOT = Path(__file__).resolve().parents[2]
TINY = """
import numpy as np
from handful.rules._exact import exact_half_space_paths
from tests.oracles.half_spaces import greedy_path
rng = np.random.default_rng(0)
X = rng.integers(0, 3, (9, 2)).astype(float)
y = np.array([1, -1, 1, -1, 1, -1, 1, -1, 1])
for kind in ("conjunction", "disjunction"):
    for penalties in ([1.0], [0.5, 1.0, 2.0, np.inf]):
        paths = exact_half_space_paths(X @ X.T, y, kind=kind, penalties=penalties, max_rules=2)
        for penalty, path in zip(penalties, paths):
            found = [(s.a, s.b, s.c, s.n_other, s.n_same) for s in path]
            assert found == greedy_path(X @ X.T, y, kind, penalty, 2, True), (kind, penalty)
print("same")
"""


def test_shell_sort(rng):
    for n in (0, 1, 2, 7, 40):
        values, index = rng.integers(0, 9, n).astype(float), np.arange(n)
        before = values.copy()
        loops.shell_sort(values, index, n)
        np.testing.assert_array_equal(values, np.sort(before))
        np.testing.assert_array_equal(before[index], values)


def test_worth_allows_no_error_at_an_infinite_penalty():
    assert loops.worth_of(5, 2, 1.5) == 2.0
    assert loops.worth_of(5, 0, np.inf) == 5.0
    assert loops.worth_of(5, 1, np.inf) < 0.0


def test_without_the_compiler():
    environment = {
        **os.environ,
        "NUMBA_DISABLE_JIT": "1",
        "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "src")]),
    }
    run = subprocess.run(
        [sys.executable, "-c", TINY], capture_output=True, text=True, env=environment, check=False
    )
    assert run.stdout.strip() == "same", run.stderr

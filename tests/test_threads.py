"""Neither the number of BLAS threads nor the layout of memory changes a bit of what is kept."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from threadpoolctl import threadpool_info

import handful
from handful.threads import in_one_blas_thread, one_blas_thread

# On 1500 x 60 numbers two threads split the sums of a matrix product where they are free to.
FITS = """
import hashlib, json, sys, tempfile, warnings
from pathlib import Path
warnings.simplefilter("ignore")
import numpy as np
from handful import (
    LinearProgrammingMachine, MinimalComplexityMachine, SetCoveringMachine, SupportVectorMachine,
    save_model,
)

def digest(machine):
    found = hashlib.sha256()
    for name, value in sorted(vars(machine).items()):
        if name.endswith("_") and isinstance(value, np.ndarray) and value.dtype.kind in "if":
            found.update(np.ascontiguousarray(value).tobytes())
    return found.hexdigest()

rng = np.random.default_rng(0)
X = rng.normal(size=(1500, 60))
y = X @ rng.normal(size=60) + rng.normal(size=1500) > 0
found = {}
for order in "CF":
    A = np.asarray(X, order=order)
    few, some = np.asarray(X[:300], order=order), y[:300]
    machine = SetCoveringMachine(rules="linear", random_state=0).fit(A, y)
    with tempfile.TemporaryDirectory() as folder:
        save_model(machine, Path(folder) / "model.json")
        text = (Path(folder) / "model.json").read_bytes()
    found["model file", order] = hashlib.sha256(text).hexdigest()
    machines = {
        "program": LinearProgrammingMachine(),
        "kernel program": LinearProgrammingMachine(kernel="rbf", gamma=0.01),
        "complexity": MinimalComplexityMachine(),
        "svm": SupportVectorMachine(gamma=0.01, C=1.0),
    }
    for name, machine in machines.items():
        found[name, order] = digest(machine.fit(few, some))
print(json.dumps({" ".join(key): value for key, value in found.items()}))
"""


def _run(n_threads: int) -> dict[str, str]:
    count = dict.fromkeys(("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), str(n_threads))
    source = {"PYTHONPATH": str(Path(handful.__file__).resolve().parents[1])}
    run = subprocess.run(
        [sys.executable, "-c", FITS],
        env={**os.environ, **count, **source},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


@pytest.fixture(scope="module")
def digests():
    return _run(1), _run(2)


def test_threads_change_no_bit(digests):
    one, two = digests
    assert len(one) == 10
    assert one == two


def test_memory_layout_changes_no_bit(digests):
    for found in digests:
        for key, value in found.items():
            assert value == found[key[:-1] + "C"], key


def _n_blas_threads() -> list[int]:
    return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]


def test_the_limit_is_lifted_by_the_last_to_leave():
    np.ones((2, 2)) @ np.ones((2, 2))
    before = _n_blas_threads()
    inside = in_one_blas_thread(_n_blas_threads)
    with one_blas_thread():
        with ThreadPoolExecutor(4) as pool:
            seen = [pool.submit(inside) for _ in range(20)]
        assert all(set(found.result()) <= {1} for found in seen)
        assert set(_n_blas_threads()) <= {1}
    assert _n_blas_threads() == before


def test_the_limit_is_lifted_after_an_error():
    before = _n_blas_threads()
    with pytest.raises(ValueError, match="x"), one_blas_thread():
        raise ValueError("x")
    assert _n_blas_threads() == before

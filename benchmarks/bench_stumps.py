"""One covering machine of stumps against pyscm, which lives in an environment of its own.

Conjunction, penalty 1, at most ten rules, all training values as thresholds. pyscm (GPL, so never
imported here) is run by the interpreter named in ``PYSCM_PYTHON``; both are timed in turn, on one
thread, and must make as few training errors.
Usage: PYSCM_PYTHON=.../bin/python python benchmarks/bench_stumps.py
"""

import os
import subprocess
import sys
import tempfile
import time

import numpy as np
from sklearn.datasets import load_breast_cancer

from handful import SetCoveringMachine

PEER = """
import sys, time, numpy as np
from pyscm import SetCoveringMachineClassifier
data = np.load(sys.argv[1])
machine = SetCoveringMachineClassifier(p=1.0, model_type="conjunction", max_rules=10)
times = []
for _ in range(int(sys.argv[2])):
    start = time.perf_counter()
    machine.fit(data["X"], data["y"])
    times.append(time.perf_counter() - start)
print(min(times), int((machine.predict(data["X"]) != data["y"]).sum()), len(machine.model_.rules))
"""


def ours(X, y, repeats):
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        machine = SetCoveringMachine(
            rules="stumps", kind="conjunction", penalty=1.0, max_rules=10, candidates=None
        ).fit(X, y)
        times.append(time.perf_counter() - start)
    return min(times), machine.n_training_errors_, len(machine.rules_)


def theirs(X, y, repeats):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "data.npz")
        np.savez(path, X=X, y=y)
        command = [os.environ["PYSCM_PYTHON"], "-c", PEER, path, str(repeats)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
    seconds, errors, n_rules = done.stdout.split()[-3:]
    return float(seconds), int(errors), int(n_rules)


def wide(m, n):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(m, n))
    clean = (X[:, 0] < 1.0) & (X[:, 1] > -1.0) & (X[:, 2] < 0.8)
    return X, np.where(rng.random(m) < 0.05, ~clean, clean).astype(int)


def main():
    if "PYSCM_PYTHON" not in os.environ:
        sys.exit("Set PYSCM_PYTHON to an interpreter that has pyscm-ml installed.")
    problems = {
        "569 x 30": (load_breast_cancer(return_X_y=True), 5),
        "10000 x 1000": (wide(10_000, 1000), 2),
    }
    ours(*problems["569 x 30"][0], 1)  # compile
    for name, ((X, y), repeats) in problems.items():
        us, peer = ours(X, y, repeats), theirs(X, y, repeats)
        print(
            f"{name}: ours {us[0]:.4f} s ({us[1]} errors, {us[2]} rules), "
            f"pyscm {peer[0]:.4f} s ({peer[1]} errors, {peer[2]} rules): "
            f"{peer[0] / us[0]:.2f} times"
        )


if __name__ == "__main__":
    main()

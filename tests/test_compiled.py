"""Loops compile where no folder can be written."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numba
import pytest

import handful
from handful.compiled import njit

FIT = """
import json, warnings
with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    import numpy as np
    from handful.programs import LinearProgrammingMachine
    from handful.stable import KernelPerceptron
    from handful.boosting import AdaBoost
    import handful.svm.loops, handful.programs.loops, handful.boosting.loops
    X = np.arange(24.0).reshape(12, 2) % 7
    machine = AdaBoost(n_rounds=2).fit(X, X[:, 0] > 2)
notes = [str(w.message) for w in seen if "NUMBA_CACHE_DIR" in str(w.message)]
print(json.dumps([handful.__file__, len(notes), int(machine.score(X, X[:, 0] > 2) > 0.5)]))
"""


def _unwritable(folder: Path) -> dict[str, str]:
    """A copy of the package and an environment in which no cache folder can be made.

    A regular file stands wherever a folder would be made: that stops every user, root too.
    """
    source = Path(handful.__file__).parent
    shutil.copytree(
        source, folder / "src" / "handful", ignore=shutil.ignore_patterns("__pycache__")
    )
    for package in [folder / "src" / "handful", *(folder / "src" / "handful").iterdir()]:
        if package.is_dir():
            (package / "__pycache__").write_text("not a folder")
    (folder / "file").write_text("not a folder")
    nowhere = str(folder / "file" / "below")
    changed = dict.fromkeys(("NUMBA_CACHE_DIR", "HOME", "XDG_CACHE_HOME", "LOCALAPPDATA"), nowhere)
    return {**os.environ, **changed, "PYTHONPATH": str(folder / "src")}


@pytest.mark.thorough
@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")
def test_no_writable_cache_compiles_without_one_and_says_so_once(tmp_path):
    environment = _unwritable(tmp_path)
    run = subprocess.run(
        [sys.executable, "-c", FIT], env=environment, cwd=tmp_path, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    assert str(tmp_path) in run.stdout  # the copy was run
    assert run.stdout.strip().endswith(", 1, 1]")


def test_other_errors_are_seen(monkeypatch):
    def refuse(**options):
        raise RuntimeError("another reason")

    monkeypatch.setattr(numba, "njit", refuse)
    with pytest.raises(RuntimeError, match="another reason"):
        njit(cache=True)(lambda x: x)


def test_loops_are_kept_where_they_can_be(tmp_path, monkeypatch):
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    loop = njit(cache=True, nogil=True)(lambda x: x + 1)
    assert loop(1) == 2
    if not numba.config.DISABLE_JIT:
        assert list(tmp_path.rglob("*.nbi"))

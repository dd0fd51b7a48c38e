"""Plant errors in the package, one at a time, and see whether the tests notice.

``python tools/mutants.py`` imports the package with one piece of text replaced, runs the tests
named beside it, and reports each mutant as caught or survived. It exits with 1 if one survives.
``--package NAME`` takes those of one package, ``--only WORD`` those whose name contains the
word. Sources on disk are not touched. ``tests/test_mutants.py`` tries a few of them in CI.
"""

from __future__ import annotations

import argparse
import importlib.abc
import importlib.machinery
import os
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from types import CodeType
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tools.planted_bounds import TABLE as BOUNDS  # noqa: E402
from tools.planted_checks import TABLE as CHECKS  # noqa: E402
from tools.planted_machines import TABLE as MACHINES  # noqa: E402


@dataclass(frozen=True)
class Mutant:
    """An error: in a module of the package ``old`` becomes ``new``, and ``tests`` notice."""

    package: str
    module: str
    name: str
    old: str
    new: str
    tests: tuple[str, ...]

    @property
    def label(self) -> str:
        return f"{self.package}: {self.name} ({self.module.removeprefix('handful.')})"

    @property
    def file(self) -> Path:
        return ROOT / "src" / Path(*self.module.split(".")).with_suffix(".py")

    @property
    def text(self) -> str:
        """The source with the error; the text that it replaces must be there exactly once."""
        source = self.file.read_text(encoding="utf-8")
        if source.count(self.old) != 1:
            raise ValueError(f"{self.label}: found {source.count(self.old)} times")
        return source.replace(self.old, self.new)


MUTANTS = [
    Mutant("bounds", f"handful.bounds.{module}", *row, tests=(f"tests/bounds/test_{topic}.py",))
    for (module, topic), rows in BOUNDS.items()
    for row in rows
] + [
    Mutant(package, f"handful.{module}", name, old, new, tests)
    for (package, module), rows in {**MACHINES, **CHECKS}.items()
    for name, old, new, tests in rows
]


class Planter(importlib.abc.MetaPathFinder):
    """Finds one module with an error in it."""

    def __init__(self, mutant: Mutant) -> None:
        self.mutant = mutant

    def find_spec(self, name: str, path: Any, target: Any = None) -> Any:
        if name != self.mutant.module:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is None or spec.origin is None:
            raise ImportError(name)
        spec.loader = _Loader(name, spec.origin, self.mutant.text)
        return spec


class _Loader(importlib.machinery.SourceFileLoader):
    def __init__(self, name: str, path: str, text: str) -> None:
        super().__init__(name, path)
        self.text = text

    def get_code(self, fullname: str) -> CodeType:
        return compile(self.text, self.path, "exec", dont_inherit=True)


def run_tests(mutant: Mutant | None, tests: list[str]) -> tuple[bool, str]:
    """Whether the tests pass with the error (if there is one), and what failed."""
    paths = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
    environment = {**os.environ, "PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1"}
    label = "nothing" if mutant is None else mutant.label
    command = [sys.executable, "-m", "tools.mutants", "--plant", label, *tests]
    run = subprocess.run(
        command, capture_output=True, text=True, env=environment, check=False, cwd=ROOT
    )
    if run.returncode not in (0, 1):
        raise RuntimeError(run.stdout + run.stderr)
    failed = [line for line in run.stdout.splitlines() if line.startswith("FAILED")]
    return run.returncode == 0, failed[-1].split(" - ")[0].split("::")[-1] if failed else ""


def plant(label: str, tests: list[str]) -> int:
    """Run tests in this process, with the error of that label if there is one."""
    import pytest

    planted = [mutant for mutant in MUTANTS if mutant.label == label]
    sys.meta_path[:0] = [Planter(mutant) for mutant in planted]
    options = ["-x", "-q", "-m", "not slow", "-o", "addopts=", "-p", "no:cacheprovider"]
    code = int(pytest.main([*options, *tests]))
    for mutant in planted:
        if mutant.module not in sys.modules:
            raise RuntimeError(f"the tests do not import {mutant.module}")
    return code


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--only", default="", help="mutants whose name contains this word")
    parser.add_argument("--package", default="", help="mutants of this package")
    parser.add_argument("--plant", help=argparse.SUPPRESS)
    parser.add_argument("tests", nargs="*", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.plant is not None:
        return plant(given.plant, given.tests)
    chosen = [m for m in MUTANTS if given.only in m.name and given.package in ("", m.package)]
    passed, failure = run_tests(None, sorted({test for mutant in chosen for test in mutant.tests}))
    if not passed:
        print(f"the tests fail without any mutant: {failure}")
        return 1
    caught: Counter[str] = Counter()
    for mutant in chosen:
        start = time.perf_counter()
        survived, failure = run_tests(mutant, list(mutant.tests))
        caught[mutant.package] += not survived
        verdict, seconds = "SURVIVED" if survived else "caught", time.perf_counter() - start
        print(f"{verdict:8s} {seconds:5.1f} s  {mutant.label}  {failure}", flush=True)
    planted = Counter(mutant.package for mutant in chosen)
    for package, n in planted.items():
        print(f"{package}: {caught[package]} of {n} mutants caught")
    return 0 if caught == planted else 1


if __name__ == "__main__":
    sys.exit(main())

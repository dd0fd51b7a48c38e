"""What the user sees: names, docstrings, registries, the readme, the two commands."""

from __future__ import annotations

import importlib
import inspect
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import handful
from handful.bounds import BOUNDS
from tests.pages import PAGES, blocks, is_session, name_of

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "handful"
PUBLIC = ["handful", "handful.kernels"] + [
    f"handful.{path.parent.name}" for path in sorted(SOURCE.glob("*/__init__.py"))
]
README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", PUBLIC)
def test_all_is_strings_that_exist(name):
    module = importlib.import_module(name)
    names = module.__all__  # ruff keeps it sorted
    assert all(isinstance(n, str) for n in names)
    assert len(names) == len(set(names))
    for n in names:
        assert hasattr(module, n), f"{name}.{n}"


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_name_is_documented(name):
    module = importlib.import_module(name)
    assert (module.__doc__ or "").strip()
    for n in module.__all__:
        thing = getattr(module, n)
        if inspect.isclass(thing) or inspect.isroutine(thing):
            assert (inspect.getdoc(thing) or "").strip(), f"{name}.{n} has no docstring"


def test_bounds_registry_is_complete():
    bounds = importlib.import_module("handful.bounds")
    functions = {n for n in bounds.__all__ if n.endswith("_bound")}
    assert functions == {bound.function.__name__ for bound in BOUNDS.values()}


def test_estimators_are_at_the_front_door():
    from sklearn.base import BaseEstimator

    for name in PUBLIC[2:]:
        module = importlib.import_module(name)
        for n in module.__all__:
            thing = getattr(module, n)
            if inspect.isclass(thing) and (
                issubclass(thing, BaseEstimator) or n.endswith("Display")
            ):
                assert n in handful.__all__, f"{n} is not importable from handful"


def test_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = handful.nonsense


def test_import_is_quiet_and_light():
    code = (
        "import sys, handful; heavy = {'numba', 'scipy', 'sklearn', 'matplotlib', 'pandas', "
        "'highspy'} & set(sys.modules); print(sorted(heavy))"
    )
    environment = {**os.environ, "PYTHONWARNINGS": "error"}
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True
    )
    assert run.stdout.strip() == "[]"
    assert run.stderr == ""


def test_a_machine_does_not_import_metrics_it_does_not_use():
    """They cost a tenth of a second of every first fit."""
    code = (
        "import sys; from handful import SetCoveringMachine; "
        "print('sklearn.metrics' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"


@pytest.mark.parametrize("page", [page for page in PAGES if not is_session(page)], ids=name_of)
def test_python_blocks_of_the_pages_run(page, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for block in (b.body for b in blocks(page) if b.kind == "python" and b.why is None):
        exec(compile(block, page.name, "exec"), names)
        printed = capsys.readouterr().out
        if "load_dataset" in block:  # its columns and classes have names
            assert not re.search(r"\bx\[\d+\]|Predict -?1\b", printed), printed


def test_ci_calls_exactly_the_readme_test_command():
    commands = re.findall(r"```sh\n(.*?)```", README, flags=re.DOTALL)
    test_commands = [c.strip() for c in commands if "pytest" in c]
    assert len(test_commands) == 1
    assert test_commands[0] in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


def test_project_speaks_of_itself_alone():
    hosts = ["py" + "pi.org", "pythonhos" + "ted", "npm" + "js."]
    for path in ROOT.rglob("*"):
        hidden = any(
            part.startswith(".") and part != ".ci" for part in path.relative_to(ROOT).parts
        )
        if hidden or not path.is_file() or path.suffix not in {".py", ".md", ".toml", ".csv", ""}:
            continue
        text = path.read_text(encoding="utf-8", errors="ignore")
        assert not any(host in text for host in hosts), path

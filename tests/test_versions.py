"""The smoke part for other versions: tests that exist, versions that are declared."""

from __future__ import annotations

import importlib.util
import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

import handful

ROOT = Path(__file__).resolve().parents[1]
SCRIPT = (ROOT / "tools" / "versions.sh").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def tool():
    spec = importlib.util.spec_from_file_location("m", ROOT / "tools" / "minimum_versions.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_smoke_tests_exist():
    paths = re.search(r'SMOKE="(.*?)"', SCRIPT, flags=re.DOTALL)[1].split()
    assert len(paths) > 10
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_the_lowest_python_is_the_declared_one():
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    declared = re.search(r'requires-python = ">=([\d.]+)"', project)[1]
    assert f"LOWEST={declared}\n" in SCRIPT
    for version in re.findall(r"Python :: (3\.\d+)", project):
        assert re.search(rf'PYTHONS=".*\b{re.escape(version)}\b', SCRIPT)


def test_lowest_versions_are_exact(tool):
    assert tool.lowest("numpy>=1.26") == "numpy==1.26"
    assert tool.lowest("dask[array, dataframe] >= 2024.5, <3000") == "dask[array,dataframe]==2024.5"
    assert tool.lowest("ruff==0.17.4") == "ruff==0.17.4"
    assert tool.lowest("furo") == "furo"


def test_every_dependency_declares_a_lowest_version(tool):
    assert [name for name in tool.minimum(["test"]) if "==" not in name] == []


def test_the_lock_file_pins_what_is_declared():
    """At versions that are allowed; nothing in it says where packages come from."""
    lock = (ROOT / "requirements-dev.lock").read_text(encoding="utf-8")
    assert "//" not in lock
    pins = [Requirement(line) for line in lock.splitlines() if not line.startswith("#")]
    pinned = {pin.name: [p for p in pins if p.name == pin.name] for pin in pins}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    parts = [project["dependencies"], *project["optional-dependencies"].values()]
    for declared in (Requirement(text) for part in parts for text in part):
        for pin in pinned[declared.name]:
            (exact,) = pin.specifier
            assert declared.specifier.contains(exact.version), pin


def test_the_citation_names_this_version():
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {handful.__version__}\n" in citation
    assert "\nlicense: BSD-3-Clause\n" in citation


def test_the_security_page_names_tests_that_exist():
    page = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    named = re.findall(r"`(tests/[\w/]+\.py)`", page)
    assert len(named) >= 15
    assert [name for name in named if not (ROOT / name).is_file()] == []

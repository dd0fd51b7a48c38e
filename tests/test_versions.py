"""The smoke part for other versions: tests that exist, versions that are declared."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

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

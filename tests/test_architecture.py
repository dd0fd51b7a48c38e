"""The tree is the architecture: imports point downwards, and files stay small."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "handful"
ALARM = 600

# unit -> units of the package it may import. "*" means everything below the roof.
MAY_IMPORT = {
    "bounds": set(),
    "kernels": set(),
    "datasets": set(),
    "tables": set(),
    "rules": {"kernels", "bounds"},
    "fitted": {"tables"},
    "scoring": {"fitted"},
    "covering": {"rules", "bounds", "kernels", "tables"},
    "programs": {"bounds", "kernels", "tables"},
    "boosting": {"programs", "rules", "bounds", "kernels", "tables"},
    "pursuit": {"bounds", "kernels", "tables"},
    "svm": {"bounds", "kernels", "tables"},
    "conformal": {"bounds", "kernels", "tables", "svm"},
    "stable": {"bounds", "kernels", "tables", "conformal"},
    "selection": {"bounds", "tables", "svm"},  # an SVC is searched as our machine
    "certified": {"bounds", "tables", "fitted", "scoring", "boosting", "svm"},
}
FLOORS = set(MAY_IMPORT)
MAY_IMPORT["report"] = FLOORS
MAY_IMPORT["io"] = FLOORS
MAY_IMPORT["distributed"] = FLOORS
MAY_IMPORT["verify"] = set()  # an auditor shares no code with what it audits
EVERYBODY = {"_checks", "_engines", "_progress", "_types", "_version", "_compiled", "_threads"}
ROOF = {"papers", "cli", "__main__", "__init__"} | EVERYBODY
HIGHS_ONLY_IN = "programs"

MODULES = sorted(SOURCE.rglob("*.py"))
TEST_FILES = sorted((ROOT / "tests").rglob("*.py"))


def _unit(path: Path) -> str:
    first = path.relative_to(SOURCE).parts[0]
    return first.removesuffix(".py")


def _imports(path: Path) -> list[str]:
    """Dotted names of all imports, also those inside functions; relative ones made absolute."""
    names = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: use absolute imports"
            names += [f"{node.module}.{alias.name}" for alias in node.names]
    return names


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(SOURCE)))
def test_imports_point_downwards(path):
    unit = _unit(path)
    inside = {name.split(".")[1] for name in _imports(path) if name.startswith("handful.")}
    if unit in ROOF:
        return
    assert unit in MAY_IMPORT, f"{unit} is not in the table of units: add it with its imports"
    extra = inside - MAY_IMPORT[unit] - {unit} - EVERYBODY
    assert not extra, f"{unit} must not import {sorted(extra)}"


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(SOURCE)))
def test_only_one_door_to_highs(path):
    if _unit(path) != HIGHS_ONLY_IN:
        assert not any(name.split(".")[0] == "highspy" for name in _imports(path))


@pytest.mark.parametrize("path", MODULES + TEST_FILES, ids=lambda p: str(p.relative_to(ROOT)))
def test_files_stay_small(path):
    n_lines = len(path.read_text(encoding="utf-8").splitlines())
    assert n_lines <= ALARM, f"{path.name} has {n_lines} lines: split it by idea"


@pytest.mark.parametrize(
    "path", sorted((ROOT / "tests" / "oracles").glob("*.py")), ids=lambda p: p.name
)
def test_oracles_import_nothing_of_ours(path):
    assert not any(name.split(".")[0] == "handful" for name in _imports(path))


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(SOURCE)))
def test_loops_are_cached_and_release_the_lock(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.FunctionDef):
            continue
        for decorator in node.decorator_list:
            text = ast.unparse(decorator)
            if "njit" in text:
                assert "cache=True" in text, f"{path.name}:{node.name}"
                assert "fastmath=True" not in text, f"{path.name}:{node.name}"


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(SOURCE)))
def test_only_one_door_to_numba(path):
    if _unit(path) != "_compiled":
        assert not any(name.split(".")[0] == "numba" for name in _imports(path))

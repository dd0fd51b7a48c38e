"""The tree is the architecture: imports point downwards, and files stay small."""

from __future__ import annotations

import ast
import re
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


def _graph() -> dict[str, set[str]]:
    """Which unit leads to which, by imports anywhere in a file and by imports by name."""
    graph: dict[str, set[str]] = {}
    for path in MODULES:
        named = {name.split(".")[1] for name in _imports(path) if name.startswith("handful.")}
        by_string = re.findall(
            r"import_module\(\s*f?[\"']handful\.?(\w*)", path.read_text(encoding="utf-8")
        )
        graph.setdefault(_unit(path), set()).update(named, filter(None, by_string))
    return {unit: found - {unit} for unit, found in graph.items()}


def test_no_unit_leads_back_to_itself():
    graph = _graph()
    for start in graph:
        seen: set[str] = set()
        todo = [start]
        while todo:
            for unit in graph.get(todo.pop(), ()):
                if unit not in seen:
                    seen.add(unit)
                    todo.append(unit)
        assert start not in seen, f"{start} is on an import cycle"


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(SOURCE)))
def test_private_names_stay_in_their_package(path):
    for name in _imports(path):
        first, *parts = name.split(".")
        if first != "handful" or not parts or parts[0] in {_unit(path), *EVERYBODY}:
            continue
        private = [part for part in parts[1:] if part.startswith("_")]
        assert not private, f"{name} is private: make it public where it lives, or move it"


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(SOURCE)))
def test_types_are_not_told_by_text(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Attribute):
            assert node.attr != "__module__", f"{path.name}:{node.lineno}"
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            told = any(isinstance(s, ast.Attribute) and s.attr == "__name__" for s in sides)
            assert not told, f"{path.name}:{node.lineno}"


# Functions that need more than eight parameters. Compiled loops take arrays one by one; the others
# are the public form of a theorem or a command, where every argument is a number somebody gives.
MANY_PARAMETERS = {
    "boosting/_generation.py": {"column_generation"},
    "bounds/_compression.py": {
        *("_scheme", "compression_bound", "kl_compression_bound", "cost_bound"),
        "closed_form_compression_bound",
    },
    "bounds/_published.py": {"published_half_space_bound"},
    "bounds/_real_loss.py": {"real_loss_bound"},
    "certified/_learn.py": {"_counts"},
    "covering/_paths.py": {"cross_validate_path"},
    "covering/codes/compression.py": {"_candidate"},
    "covering/codes/listed.py": {"_listed_candidate"},
    "programs/_program.py": {"solve_lp"},
    "report/_page.py": {"render_report"},
    "rules/search/exact.py": {"exact_half_space_paths"},
    "svm/grid.py": {"fit_svm_grid"},
}


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(SOURCE)))
def test_functions_take_few_parameters(path):
    if path.stem.endswith("loops") or _unit(path) == "cli":
        return
    allowed = MANY_PARAMETERS.get(str(path.relative_to(SOURCE)), set())
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.FunctionDef) or node.name == "__init__":
            continue
        given = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
        n = sum(argument.arg not in ("self", "cls") for argument in given)
        assert n <= 8 or node.name in allowed, f"{path.name}:{node.name} takes {n} parameters"

"""The tree is the architecture: imports point downwards, and files stay small."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "handful"
ALARM = 600
MOST_LINES = 67  # of a function, with its docstring
MOST_BRANCHES = 13  # of a function: conditions, loops, comprehensions, `and` and `or`

# unit -> units of the package it may import. "*" means everything below the roof.
MAY_IMPORT = {
    "bounds": set(),
    "evidence": {"bounds"},  # bands, ledgers and watching for scores that are fixed already
    "kernels": set(),
    "datasets": {"tables"},
    "tables": set(),
    "models": {"tables", "kernels"},
    "rules": {"kernels", "bounds", "models", "tables"},
    "candidates": {"bounds", "tables", "models"},  # what is priced, counted and chosen
    "estimator": {"bounds", "tables", "models"},  # the one base of all estimators
    "table_classifier": {"tables", "models", "estimator"},  # the base of those that read tables
    "scoring": {"models", "tables", "table_classifier"},
    "covering": {"rules", "bounds", "kernels", "tables", "estimator", "models", "candidates"},
    "programs": {"bounds", "kernels", "tables", "estimator", "models"},
    "boosting": {"programs", "rules", "bounds", "kernels", "tables", "estimator", "models"},
    "pursuit": {"bounds", "kernels", "tables", "estimator", "models", "candidates"},
    "svm": {"bounds", "kernels", "tables", "estimator", "models"},
    "conformal": {"bounds", "kernels", "tables", "svm", "estimator", "models"},
    "stable": {"bounds", "kernels", "tables", "conformal", "estimator", "models"},
    "selection": {"bounds", "tables", "svm", "estimator"},  # an SVC is searched as our machine
    "certified": {
        "bounds",
        "kernels",
        "tables",
        "models",
        "candidates",
        "scoring",
        "boosting",
        "svm",
        "table_classifier",
        "evidence",  # what may be printed of a goal
    },
}
FLOORS = set(MAY_IMPORT)
MAY_IMPORT["report"] = FLOORS
MAY_IMPORT["files"] = FLOORS
MAY_IMPORT["validation"] = FLOORS | {"report", "files"}  # scores that exist already
MAY_IMPORT["monitoring"] = FLOORS | {"files"}  # cases after deployment
MAY_IMPORT["export"] = FLOORS | {"files", "report"}  # a card is a page
MAY_IMPORT["distributed"] = FLOORS
MAY_IMPORT["verify"] = set()  # an auditor shares no code with what it audits
GROUND = {
    *("checks", "codec", "compiled", "display", "threads", "arrays", "_version", "writing"),
}
EVERYBODY = GROUND | {"chunks", "progress"}
ROOF = {"papers", "cli", "__main__", "__init__"} | EVERYBODY
HIGHS_ONLY_IN = "programs"

MODULES = sorted(SOURCE.rglob("*.py"))
TEST_FILES = sorted((ROOT / "tests").rglob("*.py"))


@cache
def _source(path: Path) -> str:
    return path.read_text(encoding="utf-8")


@cache
def _parsed(source: str) -> ast.Module:
    return ast.parse(source)


@cache
def _nodes(source: str) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(_parsed(source)))


def over(paths: list[Path]) -> Callable[[Callable[[Path], None]], Callable[[], None]]:
    """One test for a rule: every file that breaks it is listed."""

    def make(rule: Callable[[Path], None]) -> Callable[[], None]:
        def test() -> None:
            broken = []
            for path in paths:
                try:
                    rule(path)
                except AssertionError as error:
                    broken.append(f"{path.relative_to(ROOT)}: {str(error).splitlines()[0]}")
            assert paths, "no file was looked at"
            assert not broken, "\n".join(broken)

        test.__doc__ = rule.__doc__
        return test

    return make


def test_a_broken_rule_names_its_files():
    def rule(path):
        assert path.name != "kernels.py", "this one"

    with pytest.raises(AssertionError, match=r"src/handful/kernels\.py: this one"):
        over(MODULES)(rule)()


def _unit(path: Path) -> str:
    first = path.relative_to(SOURCE).parts[0]
    return first.removesuffix(".py")


def _imports(path: Path) -> list[str]:
    """Dotted names of all imports, also those inside functions; relative ones made absolute."""
    names = []
    for node in _nodes(_source(path)):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: use absolute imports"
            names += [f"{node.module}.{alias.name}" for alias in node.names]
    return names


@over(MODULES)
def test_imports_point_downwards(path):
    unit = _unit(path)
    inside = {name.split(".")[1] for name in _imports(path) if name.startswith("handful.")}
    if unit in ROOF:
        return
    assert unit in MAY_IMPORT, f"{unit} is not in the table of units: add it with its imports"
    extra = inside - MAY_IMPORT[unit] - {unit} - EVERYBODY
    assert not extra, f"{unit} must not import {sorted(extra)}"


@over(MODULES)
def test_only_one_door_to_highs(path):
    if _unit(path) != HIGHS_ONLY_IN:
        assert not any(name.split(".")[0] == "highspy" for name in _imports(path))


@over(MODULES + TEST_FILES)
def test_files_stay_small(path):
    n_lines = len(_source(path).splitlines())
    assert n_lines <= ALARM, f"{path.name} has {n_lines} lines: split it by idea"


NETWORK = {"socket", "ssl", "http", "urllib", "ftplib", "smtplib", "requests", "distributed"}


@over(MODULES)
def test_nothing_opens_a_connection(path):
    """Dask alone talks to a cluster, if the user names one: `docs/guide/privacy.md` promises it."""
    opened = {name.split(".")[0] for name in _imports(path)} & NETWORK
    assert not opened or _unit(path) == "distributed", f"{path.name} imports {sorted(opened)}"


def _n_branches(node: ast.FunctionDef) -> int:
    kinds = ast.If | ast.For | ast.While | ast.IfExp | ast.ExceptHandler | ast.BoolOp
    turns = sum(isinstance(part, kinds | ast.comprehension) for part in ast.walk(node))
    return 1 + turns


@over(MODULES)
def test_functions_stay_small(path):
    found = [
        f"{node.name} has {n_lines} lines and {n_branches} branches"
        for node in _nodes(_source(path))
        if isinstance(node, ast.FunctionDef)
        for n_lines in [(node.end_lineno or 0) - node.lineno + 1]
        for n_branches in [_n_branches(node)]
        if n_lines > MOST_LINES or n_branches > MOST_BRANCHES
    ]
    assert not found, ", ".join(found)


def test_branches_are_counted():
    source = "def f(a):\n    if a and a > 1:\n        return [b for b in a]\n    return 0\n"
    assert [_n_branches(n) for n in _nodes(source) if isinstance(n, ast.FunctionDef)] == [4]


@over(sorted((ROOT / "tests" / "oracles").glob("*.py")))
def test_oracles_import_nothing_of_ours(path):
    assert not any(name.split(".")[0] == "handful" for name in _imports(path))


@over(MODULES)
def test_loops_are_cached_and_release_the_lock(path):
    if _unit(path) == "compiled":  # numba itself, and the fallback without a cache
        return
    for node in _nodes(_source(path)):
        if isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] == "njit":
            options = {k.arg: ast.unparse(k.value) for k in node.keywords}
            where = f"{path.name}:{node.lineno}"
            assert options.get("cache") == options.get("nogil") == "True", where
            assert options.get("fastmath") != "True", where
        if isinstance(node, ast.FunctionDef):  # bare @njit would leave out all of these
            assert "njit" not in map(ast.unparse, node.decorator_list), f"{path.name}:{node.name}"


@over(MODULES)
def test_only_one_door_to_numba(path):
    if _unit(path) != "compiled":
        assert not any(name.split(".")[0] == "numba" for name in _imports(path))


def _graph() -> dict[str, set[str]]:
    """Which unit leads to which, by imports anywhere in a file and by imports by name."""
    graph: dict[str, set[str]] = {}
    for path in MODULES:
        named = {name.split(".")[1] for name in _imports(path) if name.startswith("handful.")}
        by_string = re.findall(r"import_module\(\s*f?[\"']handful\.?(\w*)", _source(path))
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


@over(MODULES)
def test_private_names_stay_in_their_package(path):
    for name in _imports(path):
        first, *parts = name.split(".")
        if first != "handful" or not parts or parts[0] in {_unit(path), *EVERYBODY}:
            continue
        private = [part for part in parts[1:] if part.startswith("_")]
        assert not private, f"{name} is private: make it public where it lives, or move it"


@over(TEST_FILES)
def test_tests_import_public_names(path):
    ours = [name.split(".") for name in _imports(path) if name.startswith("handful.")]
    private = [".".join(parts) for parts in ours if any(_is_private(part) for part in parts)]
    assert not private, f"{private}: test a public name"


def _forms() -> set[str]:
    """Names of all forms of classifiers and of all values of conditions."""
    from handful.models import Form, Value

    todo, names = [Form, Value], set()
    while todo:
        kind = todo.pop()
        names.add(kind.__name__)
        todo += kind.__subclasses__()
    return names


@over(MODULES)
def test_only_models_tell_forms_apart(path):
    """A form that needs a case of its own elsewhere needs a method here."""
    if _unit(path) == "models":
        return
    for node in _nodes(_source(path)):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "isinstance":
            asked = {name.id for name in ast.walk(node.args[1]) if isinstance(name, ast.Name)}
            told = asked & _forms() & {name.split(".")[-1] for name in _imports(path)}
            assert not told, f"{path.name}:{node.lineno} tells {sorted(told)} apart"


@over(MODULES)
def test_types_are_not_told_by_text(path):
    for node in _nodes(_source(path)):
        if isinstance(node, ast.Attribute):
            assert node.attr != "__module__", f"{path.name}:{node.lineno}"
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            told = any(isinstance(s, ast.Attribute) and s.attr == "__name__" for s in sides)
            assert not told, f"{path.name}:{node.lineno}"


# Functions that need more than eight parameters, and why. Compiled loops take arrays one by one;
# every other one is the public form of a theorem or of a paper, or passes such a form on.
MANY_PARAMETERS = {
    "boosting/generation.py:column_generation": "the program of a paper, piece by piece",
    "bounds/compression_bounds.py:compression_scheme": "the arguments of all compression bounds",
    "bounds/compression_bounds.py:compression_bound": "every number of the theorem is an argument",
    "bounds/compression_bounds.py:kl_compression_bound": "the same arguments as compression_bound",
    "bounds/compression_bounds.py:closed_form_compression_bound": "the same arguments as above",
    "bounds/compression_bounds.py:cost_bound": "the same arguments, errors and costs by class",
    "bounds/published.py:published_half_space_bound": "every number of the published bound",
    "bounds/losses.py:real_loss_bound": "the arguments of compression_bound, and the loss",
    "covering/path_scores.py:cross_validate_path": "what is fitted, and how, as keywords",
    "programs/linear_program.py:solve_lp": "the blocks of a linear program, solver options",
    "validation/validated.py:validate": "a public function: all of it is named beforehand",
    "files/save.py:save_model": "a public function: what a file may hold beside the machine",
    "report/page.py:render_report": "a public function: every part of the page may be left out",
    "rules/search/exact.py:exact_half_space_paths": "what is searched, and how, as keywords",
    "svm/grid.py:fit_svm_grid": "a public function: every axis of the grid, options of the solver",
}


@over(MODULES)
def test_functions_take_few_parameters(path):
    if path.stem.endswith("loops") or _unit(path) == "cli":
        return
    for node in _nodes(_source(path)):
        if not isinstance(node, ast.FunctionDef) or node.name == "__init__":
            continue
        n = _n_parameters(node)
        name = f"{path.relative_to(SOURCE).as_posix()}:{node.name}"
        assert n <= 8 or name in MANY_PARAMETERS, f"{name} takes {n} parameters"


def _is_numeric(node: ast.expr) -> bool:
    """Whether an expression is made of numbers alone: 5, 2**30, (1, 2), {"a": 0.1}, f(1e-9)."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, int | float) and not isinstance(node.value, bool)
    if isinstance(node, ast.UnaryOp):
        return _is_numeric(node.operand)
    if isinstance(node, ast.BinOp):
        return _is_numeric(node.left) and _is_numeric(node.right)
    parts = {ast.Tuple: "elts", ast.List: "elts", ast.Set: "elts", ast.Dict: "values"}
    field = parts.get(type(node), "args" if isinstance(node, ast.Call) else "")
    inside = getattr(node, field, [])
    return bool(inside) and all(_is_numeric(part) for part in inside)


def _unexplained_constants(source: str) -> list[str]:
    """Numeric constants of a module without a comment on, above or a docstring below them."""
    tree, lines, found = _parsed(source), source.splitlines(), []
    for node, after in zip(tree.body, [*tree.body[1:], None], strict=True):
        value = getattr(node, "value", None)
        if not isinstance(node, ast.Assign | ast.AnnAssign) or value is None:
            continue
        has_comment = lines[node.lineno - 2].startswith("#") or any(
            "#" in line for line in lines[node.lineno - 1 : node.end_lineno]
        )
        has_docstring = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
        if _is_numeric(value) and not (has_comment or has_docstring):
            found.append(f"{node.lineno}: {ast.unparse(node)}")
    return found


@over(MODULES)
def test_numbers_say_why(path):
    found = _unexplained_constants(_source(path))
    assert not found, f"{path.name}: say why beside {found}"


def _is_private(name: object) -> bool:
    return isinstance(name, str) and name.startswith("_") and not name.startswith("__")


def _private_reaches(source: str) -> list[str]:
    """Places that ask for, or write, private attributes of other objects, by any road."""
    found = []
    for node in _nodes(source):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store | ast.Del):
            is_own = isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
            if _is_private(node.attr) and not is_own:
                found.append(f"{node.lineno}: {ast.unparse(node)} is written")
        if isinstance(node, ast.Call) and len(node.args) > 1:
            called, name = ast.unparse(node.func), node.args[1]
            is_named = isinstance(name, ast.Constant) and _is_private(name.value)
            asks = called in ("hasattr", "getattr", "setattr", "delattr")
            is_own = ast.unparse(node.args[0]) in ("self", "cls")
            if is_named and (asks or called.endswith("__setattr__")) and not is_own:
                found.append(f"{node.lineno}: {ast.unparse(node)}")
    return found


@over(MODULES)
def test_nobody_reaches_into_another_object(path):
    found = _private_reaches(_source(path))
    assert not found, found


def _names_by_text(source: str) -> list[int]:
    """Lines that look into the text of a term: compare it, search it or replace in it."""
    found = []
    for node in _nodes(source):
        sides = [node.left, *node.comparators] if isinstance(node, ast.Compare) else []
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            sides = [node.func.value]
        found += [s.lineno for s in sides if ast.unparse(s).endswith("term.text")]
    return found


@over(MODULES)
def test_terms_are_told_by_kind(path):
    found = _names_by_text(_source(path))
    assert not found, found


def _n_parameters(node: ast.FunctionDef) -> int:
    given = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    return sum(argument.arg not in ("self", "cls") for argument in given)


@over([path for path in MODULES if path.name != "__main__.py"])
def test_public_methods_say_what_they_do(path):
    """An override inherits its sentence from the method that it fills."""
    dotted = ".".join(path.relative_to(SOURCE.parent).with_suffix("").parts)
    module = importlib.import_module(dotted.removesuffix(".__init__"))
    silent = [
        f"{name}.{member}"
        for name, kind in vars(module).items()
        if inspect.isclass(kind) and kind.__module__ == module.__name__ and name[0] != "_"
        for member, value in vars(kind).items()
        if member[0] != "_" and (inspect.isfunction(value) or isinstance(value, property))
        if not inspect.getdoc(value) and not inspect.getdoc(getattr(kind, member))
    ]
    assert not silent, ", ".join(silent)


def test_exceptions_are_still_needed():
    for name in MANY_PARAMETERS:
        file, function = name.split(":")
        found = [
            _n_parameters(node)
            for node in _nodes(_source(SOURCE / file))
            if isinstance(node, ast.FunctionDef) and node.name == function
        ]
        assert max(found, default=0) > 8, f"take {name} off MANY_PARAMETERS: it is not needed there"


def test_the_checks_see_what_they_look_for():
    assert _unexplained_constants("A = 3\nB = (1, 2.0**3)\n") == [
        "1: A = 3",
        "2: B = (1, 2.0 ** 3)",
    ]
    assert not _unexplained_constants('# why\nA = 3\nB = 4  # why\nC = \'x\'\nD = 5\n"""Why."""\n')
    for line in ("m._x = 1", "hasattr(m, '_x')", "del m._x", "object.__setattr__(m, '_x', 1)"):
        assert len(_private_reaches(line)) == 1, line
    assert not _private_reaches(
        "self._x = 1\nm.x = 2\nobject.__setattr__(self, '_x', 1)\nm.__dict__"
    )
    assert _names_by_text("if term.text == 'a': pass\nterm.text.startswith('a')") == [1, 2]


def test_shared_file_names_are_reported(record_property):
    """Not banned: `_loops.py` means the same in every folder. Shown by ``pytest -rP``."""
    folders: dict[str, list[str]] = {}
    for path in MODULES:
        if path.name not in ("__init__.py", "__main__.py"):
            folders.setdefault(path.name, []).append(path.parent.relative_to(SOURCE).as_posix())
    shared = {name: places for name, places in sorted(folders.items()) if len(places) > 1}
    record_property("shared file names", len(shared))
    for name, places in shared.items():
        print(f"{name}: {', '.join(places)}")
    assert "loops.py" in shared or "_loops.py" in shared  # one of the three rooms of a family

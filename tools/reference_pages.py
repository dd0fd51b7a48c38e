"""Write docs/reference/commands.md from the command line, docs/api/index.md from the docstrings.

python tools/reference_pages.py
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

import handful
from handful.cli import app

DOCS = Path(__file__).resolve().parents[1] / "docs"
COMMANDS, INDEX = DOCS / "reference" / "commands.md", DOCS / "api" / "index.md"

# Names by what somebody wants to do; those of `handful` itself as they are, others with their unit.
TASKS = {
    "Learn and choose": [
        *("CertifiedClassifier", "ScoreCard", "SetCoveringMachine", "DecisionListMachine"),
        *("BoundSearch", "certified.FORMS", "covering.cross_validate_path"),
    ],
    "Read a table": [
        *("tables.load_table", "tables.read_frame", "tables.read_study", "tables.Choices"),
        *("tables.Study", "tables.TableCaution", "load_dataset", "datasets.list_datasets"),
    ],
    "Plan how many rows you need": [
        *("certified.menu_rows_needed", "certified.menu_plan", "samples_needed"),
        *("bounds.counted_needed", "bounds.planned_risk"),
    ],
    "Save, load, check again": [
        *("save_model", "load_model", "files.Model", "files.ModelFileError", "verify_model"),
        *("verify.Verdict", "verify.Verifier", "files.Retraining", "files.untrusted_types"),
        *("files.Protocol", "files.FollowedProtocol", "files.Deviation"),
    ],
    "Give to others": [
        *("render_report", "report.render_tripod", "export_card", "export_paper_card"),
        *("export_sql", "export_python", "export_r", "export_excel", "export_json"),
        "export_cases",
    ],
    "See": [
        *("MenuDisplay", "ScoreCardDisplay", "AdditiveDisplay", "RulesDisplay"),
        *("CertificateDisplay", "BoundPathDisplay", "MarginDisplay", "CriteriaDisplay"),
        *("FilteringDisplay", "PursuitPathDisplay", "PursuitCentersDisplay"),
        *("RocDisplay", "CalibrationDisplay", "DecisionCurveDisplay", "ForestDisplay"),
        *("PlanDisplay", "WatchDisplay"),
    ],
    "Certify what you have": [
        *("Certificate", "Criterion", "BOUNDS", "bounds.NotCertifiableError"),
        *("bounds.held_out_bound", "bounds.compression_bound", "bounds.pool_bound"),
        *("bounds.stable_bound", "bounds.betting_bound", "bounds.cost_bound"),
        *("bounds.selective_error_bound", "bounds.real_loss_bound", "bounds.finite_class_bound"),
        *("svm.certify_svm", "bounds.caution"),
    ],
    "Judge and watch a score that is fixed": [
        *("validate", "validation.Validation", "validation.load_card", "evidence.gather_evidence"),
        *("evidence.evidence_ledger", "evidence.auc_limits", "evidence.brier_limits"),
        *("evidence.reliability", "evidence.calibration_in_the_large", "evidence.survival_band"),
        *("evidence.paired_difference", "evidence.rate_limits", "evidence.mean_limits"),
        *("monitoring.CaseWatch", "monitoring.load_watch", "monitoring.save_watch"),
        *("evidence.Watch", "evidence.watch_batch", "evidence.running_limits"),
    ],
    "Vote and boost": ["AdaBoost", "LPBoost", "LPBoostMKL", "boosting.column_generation"],
    "Solve linear programs": [
        *("LinearProgrammingMachine", "MinimalComplexityMachine", "MinimalComplexityRegressor"),
        *("programs.lpm_path", "programs.mcm_path", "programs.solve_lp"),
    ],
    "Use kernels": [
        *("SupportVectorMachine", "svm.fit_svm_grid", "svm.criteria_table", "KernelPerceptron"),
        *("KernelMatchingPursuitClassifier", "KernelMatchingPursuitRegressor", "SparseKernelPCA"),
        *("SparseKernelCCA", "kernels.make_kernel"),
    ],
    "Wrap another classifier": [
        *("PickToLearn", "NonconformityClassifier", "conformal.cross_conformal_level"),
    ],
    "Work on many rows": ["distributed.scheduler", "distributed.watch_passes"],
    "Run a published table again": ["papers.run_table", "papers.draw_table"],
}
# What a table of names holds is not in a docstring.
TABLES = {
    "BOUNDS": "The registry of all bounds by name.",
    "certified.FORMS": "The registry of all forms that a menu may hold.",
}


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")


# -- commands --------------------------------------------------------------------------------------


def _spelled(option: Any) -> str:
    """Names of an option, with dots where a value follows."""
    takes_value = not isinstance(option.default, bool) and not option.secondary_opts
    names = ", ".join(f"`{name}`" for name in [*option.opts, *option.secondary_opts])
    return f"{names} …" if takes_value else names


def _meaning(option: Any) -> str:
    """Help of an option, with its default if that is a word or a number."""
    text = option.help or ""
    if option.required:
        return f"{text} Required.".strip()
    is_said = isinstance(option.default, str | int | float) and not isinstance(option.default, bool)
    return f"{text} By default {option.default}.".strip() if is_said else text


def _options(options: list[Any], heading: str) -> Iterator[str]:
    if not options:
        return
    yield f"| {heading} | meaning |\n|---|---|"
    yield from (f"| {_spelled(option)} | {_cell(_meaning(option))} |" for option in options)
    yield ""


def _arguments(command: Any) -> list[Any]:
    return [p for p in command.params if p.param_type_name == "argument"]


def _word(argument: Any) -> str:
    return (argument.metavar or argument.name.upper()).strip("[]")


def _usage(name: str, command: Any) -> str:
    ends = [_word(a) if a.required else f"[{_word(a)}]" for a in _arguments(command)]
    return f"```text\n$ {' '.join(['handful', name, *ends, '[OPTIONS]'])}\n```\n"


def _command(name: str, command: Any) -> Iterator[str]:
    yield f"### {name}\n"
    yield f"{(command.help or '').strip()}\n"
    yield _usage(name, command)
    for argument in _arguments(command):
        yield f"- `{_word(argument)}`: {' '.join((argument.help or '').split())}"
    if _arguments(command):
        yield ""
    options = [p for p in command.params if p.param_type_name == "option" and p.name != "help"]
    for panel in dict.fromkeys(option.rich_help_panel for option in options):
        chosen = [option for option in options if option.rich_help_panel == panel]
        yield from _options(chosen, panel.lower() if panel else "option")


def _group(name: str, group: Any) -> Iterator[str]:
    """Every command of a group in one line, as every bound."""
    yield f"### {name}\n"
    yield f"{group.help}\n"
    yield f"```text\n$ handful {name} NAME [OPTIONS]\n```\n"
    yield "| name | required | optional | what it gives |\n|---|---|---|---|"
    for bound in group.list_commands(None):
        command = group.get_command(None, bound)
        options = [p for p in command.params if p.name not in ("as_json", "help", "quiet")]
        told = [
            ", ".join(f"`{p.opts[0]}`" for p in options if p.required is is_required)
            for is_required in (True, False)
        ]
        yield f"| {bound} | {told[0]} | {told[1]} | {_cell(command.help or '')} |"
    yield ""


def commands_page() -> str:
    """The reference of the command line."""
    program = typer.main.get_command(app)
    lines = [
        "# Commands\n",
        "Made from the program's own help by `tools/reference_pages.py`. Dots stand for a value.",
        "Every command also takes `--help` (`-h`). Exit codes: 0 done, 1 failed (or NOT VALID),",
        "2 misuse, 3 an error of the program (of the re-check: CONSISTENT, NOT VERIFIED).\n",
    ]
    names = program.list_commands(None)  # type: ignore[attr-defined]
    found = {name: program.get_command(None, name) for name in names}  # type: ignore[attr-defined]
    for panel in dict.fromkeys(command.rich_help_panel for command in found.values()):
        lines.append(f"## {panel}\n")
        for name, command in found.items():
            if command.rich_help_panel == panel:
                write = _group if hasattr(command, "list_commands") else _command
                lines += write(name, command)
    return "\n".join(lines).rstrip() + "\n"


# -- names -----------------------------------------------------------------------------------------


def home(name: str) -> str:
    """The name with its unit."""
    if "." in name:
        return name
    (unit,) = {
        path.parent.name
        for path in Path(handful.__file__).parent.glob("*/__init__.py")
        if name in importlib.import_module(f"handful.{path.parent.name}").__all__
    }
    return f"{unit}.{name}"


def in_short(name: str) -> str:
    """The first sentence of a docstring."""
    if name in TABLES:
        return TABLES[name]
    unit, short = home(name).split(".")
    module = importlib.import_module(f"handful.{unit}")
    if short not in module.__all__:
        raise SystemExit(f"handful.{unit} has no public name {short}")
    first, *_ = (inspect.getdoc(getattr(module, short)) or "").split("\n\n")
    sentence, dot, _ = " ".join(first.split()).partition(". ")
    return sentence + dot.strip()


def api_index() -> str:
    """Names by task, one line each."""
    lines = [
        "# API reference\n",
        "Names by what you want to do. A name without a unit is importable from `handful` itself.",
        "Made from the docstrings by `tools/reference_pages.py`.\n",
    ]
    for task, names in TASKS.items():
        lines.append(f"## {task}\n\n| name | what it is |\n|---|---|")
        for name in names:
            link = f"{{py:obj}}`{name} <handful.{home(name)}>`"
            lines.append(f"| {link} | {_cell(in_short(name))} |")
        lines.append("")
    lines += [
        "## Every public name\n",
        "One page a unit; every public name is documented where it lives.\n",
        "```{toctree}\n:maxdepth: 2\n:glob:\n\nunits/*\n```",
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Write both pages."""
    for path, text in ((COMMANDS, commands_page()), (INDEX, api_index())):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()

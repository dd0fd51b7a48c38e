"""The command line: parse, call, print.

What lives here: one file per group of commands; they parse, call the library and print with
rich, or print JSON with ``--json``. ``certify`` is one road: ``study_rows`` (the table), then
``study_result`` (menu and chosen row), then ``study_files`` and ``study_text``. What does not:
anything that computes. Errors are left to ``guard.py``, which says what the exit codes mean.
Progress goes to standard error.

To add a command: a function, its place in ``_COMMANDS`` below, an example in its help. It imports
what computes inside itself, so that help stays quick.
"""

import typer

from handful._version import __version__
from handful.cli.bound_commands import BOUND, demo
from handful.cli.certify_command import certify
from handful.cli.compare_command import compare
from handful.cli.console import never_fail_to_print, warnings_to_console
from handful.cli.dataset_command import datasets
from handful.cli.dossier_command import dossier
from handful.cli.guard import GuardedGroup, end_on_signals, guarded
from handful.cli.monitor_command import monitor
from handful.cli.options import INSTALL, SHOW, answer_shells
from handful.cli.plan_command import plan
from handful.cli.predict_commands import export, predict
from handful.cli.protocol_command import PROTOCOL
from handful.cli.reproduce_command import reproduce
from handful.cli.validate_command import validate
from handful.cli.verify_command import verify

__all__ = ["app", "main"]

_GUIDE = """Learn from few examples, read the rule, and know what it is worth.

**handful** makes classifiers out of a handful of training examples, prints them as rules, and
gives each a *certificate*: "with 95 % confidence, at most 5.6 % of new cases will be
misclassified". Some rows teach, the others only test: the data's own digest draws the split, so
nobody chose it, and anyone can re-check it.

Start with:

- **handful certify** (built-in data), then **handful certify my.csv --target column --out results**

- **handful predict results/model.json new.csv**: label new cases, and see which rule fired

- **handful verify results/model.json my.csv --target column**: do not believe us, check

- **handful validate my.csv --target column --score 'age >= 60'**: certify a score that exists

- **handful compare my.csv --target column**: is a certificate worth its price here?

Every command takes --json, and --quiet. Exit code 1 means failure, 2 misuse, 3 an error of
handful itself, 4 an alarm of monitor.
"""

app = typer.Typer(
    name="handful",
    cls=GuardedGroup,
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    add_completion=False,
    context_settings={"help_option_names": ["--help", "-h"]},
    help=_GUIDE,
)


def _show_version(value: bool) -> None:
    if value:
        typer.echo(f"handful {__version__}")
        raise typer.Exit


@app.callback(help=_GUIDE)
def _options(
    version: bool = typer.Option(
        False, "--version", "-V", callback=_show_version, is_eager=True, help="Print the version."
    ),
    install_completion: bool = INSTALL,
    show_completion: bool = SHOW,
) -> None:
    pass


_COMMANDS = {
    "Learn and use": (certify, predict, export, dossier),
    "Know what it is worth": (validate, monitor, verify, compare, plan, demo),
    "Look around": (reproduce, datasets),
}
for _panel, _commands in _COMMANDS.items():
    for _command in _commands:
        app.command(rich_help_panel=_panel)(_command)
app.add_typer(PROTOCOL, name="protocol", rich_help_panel="Learn and use")
app.add_typer(BOUND, name="bound", rich_help_panel="Know what it is worth")


def main() -> None:
    """Run the command line."""
    end_on_signals()
    warnings_to_console()
    never_fail_to_print()
    answer_shells()
    with guarded():
        app()

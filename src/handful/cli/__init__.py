"""The command line: parse, call, print.

What lives here: one file per group of commands; they parse, call the library and print with
rich, or print JSON with ``--json``. Files are read and written by ``handful.tables``; what the
columns mean is found in ``_tables.py``. What does not: anything that computes. Errors are left to
``_guard.py``, which says what the exit codes mean. Progress goes to standard error.

To add a command: a file with ``register(app, panel)``, its line below, an example in its help.
It imports what computes inside its functions, so that help stays quick.
"""

import typer

from handful._version import __version__
from handful.cli import _bounds, _certify, _compare, _datasets, _predict, _reproduce, _verify
from handful.cli._completion import INSTALL, SHOW
from handful.cli._guard import GuardedGroup, end_on_signals, guarded
from handful.cli._output import never_fail_to_print, warnings_to_console

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

- **handful compare my.csv --target column**: is a certificate worth its price here?

Every command takes --json, and --quiet. Exit code 1 means failure, 2 misuse, 3 an error of
handful itself.
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


_LEARN, _KNOW, _MORE = "Learn and use", "Know what it is worth", "Look around"
_certify.register(app, _LEARN)
_predict.register(app, _LEARN)
_verify.register(app, _KNOW)
_compare.register(app, _KNOW)
_bounds.register(app, _KNOW)
_reproduce.register(app, _MORE)
_datasets.register(app, _MORE)


def main() -> None:
    """Run the command line."""
    end_on_signals()
    warnings_to_console()
    never_fail_to_print()
    with guarded():
        app()

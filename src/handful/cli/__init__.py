"""The command line: parse, call, print.

What lives here: one file per group of commands; they parse, call the library and print with
rich, or print JSON with ``--json``. Tables are read by ``_files.py`` and ``_tables.py``. What
does not: anything that computes. Exit code 2 means misuse, 1 failure. Progress goes to standard
error, and every file is written whole or not at all.

To add a command: a file with ``register(app, panel)``, its line below, an example in its help.
"""

import typer

from handful._version import __version__
from handful.cli import _bounds, _certify, _compare, _datasets, _predict, _reproduce, _verify

__all__ = ["app", "main"]

_GUIDE = """Learn from few examples, read the rule, and know what it is worth.

**handful** makes classifiers out of a handful of training examples, prints them as rules, and
gives each a *certificate*: "with 95 % confidence, at most 5.6 % of new cases will be
misclassified". Give it all your data: you split nothing, and anyone can re-check it.

Start with:

- **handful certify** (built-in data), then **handful certify my.csv --target column --out results**

- **handful predict results/model.json new.csv**: label new cases, and see which rule fired

- **handful verify results/model.json my.csv --target column**: do not believe us, check

- **handful compare my.csv --target column**: is a certificate worth its price here?

Every command takes --json. Exit code 2 means misuse, 1 failure.
"""

app = typer.Typer(
    name="handful",
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    help=_GUIDE,
)


def _show_version(value: bool) -> None:
    if value:
        typer.echo(f"handful {__version__}")
        raise typer.Exit


@app.callback(help=_GUIDE)
def _options(
    version: bool = typer.Option(
        False, "--version", callback=_show_version, is_eager=True, help="Print the version."
    ),
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
    app()

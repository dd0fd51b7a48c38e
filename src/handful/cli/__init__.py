"""The command line: parse, call, print.

What lives here: one file per group of commands; they parse, call the library and print with
rich, or print JSON with ``--json``. What does not: anything that computes. Exit code 2 means
misuse, 1 failure.
"""

import typer

from handful._version import __version__
from handful.cli import _bounds, _certify, _reproduce

__all__ = ["app", "main"]

app = typer.Typer(
    name="handful",
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    help="Learn from few examples, read the rule, and know what it is worth: "
    "classifiers made of a handful of examples, each with a certificate.",
)


def _show_version(value: bool) -> None:
    if value:
        typer.echo(f"handful {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: bool = typer.Option(
        False, "--version", callback=_show_version, is_eager=True, help="Print the version."
    ),
) -> None:
    """Learn from few examples, read the rule, and know what it is worth."""


_certify.register(app)
_bounds.register(app)
_reproduce.register(app)


def main() -> None:
    """Run the command line."""
    app()

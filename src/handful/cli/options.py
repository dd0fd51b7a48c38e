"""Options of commands: records whose fields say how they are typed and what their help is."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from handful.cli.console import set_quiet

if TYPE_CHECKING:
    from handful.tables import Choices

# -- options that several commands share -----------------------------------------------------------

TABLE = "CSV, Excel, Parquet or other table, packed or not; 'new/*.csv' for several, - for a pipe"

Json = Annotated[bool, typer.Option("--json", "-j", help="Print JSON.")]
Quiet = Annotated[
    bool,
    typer.Option(
        "--quiet", "-q", callback=set_quiet, help="No progress and no notes, results only."
    ),
]
Target = Annotated[
    str | None,
    typer.Option("--target", "-t", help="Column to predict (label, class, target or y)."),
]
SheetName = Annotated[
    str | None, typer.Option("--sheet", help="Sheet of an Excel file, if it is not the first.")
]
Trust = Annotated[
    list[str] | None,
    typer.Option(
        "--trust",
        help="Type that may be built from a file of another library's estimator; several by "
        "commas.",
    ),
]
Force = Annotated[bool, typer.Option("--force", "-f", help="Replace files that exist.")]
Scheduler = Annotated[
    str | None, typer.Option(help="Address of a Dask scheduler, for example tcp://host:8786.")
]


def listed(values: list[str] | None) -> tuple[str, ...]:
    """Names of an option that may be repeated and may hold several by commas."""
    parts = [part.strip() for value in values or () for part in value.split(",")]
    return tuple(part for part in parts if part)


def renamed(values: list[str] | None) -> dict[str, str]:
    """What columns of a score or a model are called in the table, as old=new."""
    pairs = [text.partition("=") for text in listed(values)]
    if wrong := [old for old, sign, new in pairs if not (old and sign and new)]:
        raise ValueError(f"`--map` must be old=new, got {wrong[0]!r}.")
    return {old.strip(): new.strip() for old, _, new in pairs}


# -- records of options ----------------------------------------------------------------------------


def column(name: str, text: str, *more: str) -> Any:
    """An option that names one column."""
    return typer.Option(name, *more, help=text, rich_help_panel="Columns")


def columns(name: str, text: str) -> Any:
    """An option that names columns."""
    return column(name, f"{text}; several by commas, or the option again.")


Names = list[str] | None


@dataclass(frozen=True, kw_only=True)
class TableOptions:
    """The table, and what the user says about its columns."""

    data: Annotated[
        Path | None,
        typer.Argument(metavar="[DATA]", help=TABLE + "; embedded data if left out."),
    ] = None
    sheet: SheetName = None
    target: Target = None
    ids: Annotated[Names, columns("--id", "Identifiers, which are not used")] = None
    exclude: Annotated[Names, columns("--exclude", "Columns to leave out")] = None
    features: Annotated[Names, columns("--features", "The only columns to use, also dates")] = None
    ordered: Annotated[Names, columns("--ordered", "Columns of ordered words")] = None
    categories: Annotated[Names, columns("--categories", "Columns whose numbers are codes")] = None
    missing: Annotated[
        Names, columns("--missing", "Cells that mean missing, as -999 or age=-999")
    ] = None
    not_missing: Annotated[
        Names, columns("--not-missing", "Cells that are answers, as 'not done' or scan=n.d.")
    ] = None
    drop_missing_target: Annotated[
        bool, column("--drop-missing-target", "Leave out unlabelled rows.")
    ] = False

    acknowledge: Annotated[
        list[str] | None,
        column("--acknowledge", "A note that does not matter here, and why: 'H012=the reason'."),
    ] = None

    def choices(self, **more: Any) -> Choices:
        """What the options say about the columns."""
        from handful.tables import Choices

        return Choices(
            target=self.target,
            id=listed(self.ids),
            exclude=listed(self.exclude),
            features=listed(self.features),
            ordered=listed(self.ordered),
            categories=listed(self.categories),
            missing=_marks(listed(self.missing)),
            not_missing=_marks(listed(self.not_missing)),
            drop_missing_target=self.drop_missing_target,
            acknowledged={
                code.strip(): reason.strip()
                for code, _, reason in (text.partition("=") for text in self.acknowledge or ())
            },
            **more,
        )


def _marks(values: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """Marks by column: ``age=-999`` for one column, ``-999`` for all."""
    marks: dict[str, tuple[str, ...]] = {}
    for value in values:
        column, _, mark = value.rpartition("=")
        marks[column.strip()] = (*marks.get(column.strip(), ()), mark.strip())
    return marks


_CONTEXT = inspect.Parameter(
    "ctx", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=typer.Context
)
_BY_ITSELF = ("ParameterSource.DEFAULT", "ParameterSource.DEFAULT_MAP")


def takes(record: type[Any]) -> Callable[[Callable[[Any], None]], Callable[..., None]]:
    """A decorator: a command whose options are the fields of a record, which it gets."""

    def decorate(run: Callable[[Any], None]) -> Callable[..., None]:
        def command(ctx: typer.Context, **values: Any) -> None:
            typed = {n for n in values if str(ctx.get_parameter_source(n)) not in _BY_ITSELF}
            more = {"typed": frozenset(typed)} if "typed" in known else {}
            run(record(**values, **more))

        known = {field.name for field in fields(record)}
        options = [_CONTEXT, *_parameters(record)]
        command.__name__, command.__doc__ = run.__name__, run.__doc__
        command.__annotations__ = {option.name: option.annotation for option in options}
        command.__signature__ = inspect.Signature(options)  # type: ignore[attr-defined]
        return command

    return decorate


def _parameters(record: type[Any]) -> list[inspect.Parameter]:
    hints = typing.get_type_hints(record, include_extras=True)
    return [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if field.default is MISSING else field.default,
            annotation=hints[field.name],
        )
        for field in fields(record)
        if field.metadata.get("option", True)
    ]


# -- completion of commands by the shell: shown, or installed after a question ---------------------


def _install(ctx: typer.Context, value: bool) -> bool:
    """Ask, then let the parser's library write the shell's files."""
    if not value or ctx.resilient_parsing:
        return value
    from typer.completion import install

    typer.echo(
        "This writes a completion script into your home folder and, for bash and zsh, adds a "
        "line to ~/.bashrc or ~/.zshrc. `handful --show-completion` prints the script instead."
    )
    typer.confirm("Go on?", abort=True)
    shell, path = install()
    typer.echo(f"Completion for {shell} is installed in {path}. Restart the terminal.")
    raise typer.Exit


def _show(ctx: typer.Context, param: typer.CallbackParam, value: bool) -> Any:
    from typer.completion import show_callback

    return show_callback(ctx, param, value)


def answer_shells() -> None:
    """Let the program answer the questions that installed scripts ask it."""
    from typer.completion import completion_init

    completion_init()  # typer does it only for the options of its own, which do not ask first


INSTALL = typer.Option(
    False,
    "--install-completion",
    callback=_install,
    help="Install completion for the current shell, after a question.",
)
SHOW = typer.Option(
    False,
    "--show-completion",
    callback=_show,
    help="Print the completion script of the current shell.",
)

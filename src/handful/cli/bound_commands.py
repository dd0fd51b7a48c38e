"""``handful bound`` and ``handful demo``: numbers in, a certificate out."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperGroup

from handful.cli.console import console, print_json, print_result
from handful.cli.options import Json, Quiet

if TYPE_CHECKING:
    from handful.bounds import Bound


class _BoundGroup(TyperGroup):
    """One command a bound, made when it is asked for: the registry takes a while to import."""

    @cached_property
    def _bounds(self) -> Any:
        from handful.bounds import BOUNDS

        bounds = typer.Typer(rich_markup_mode="markdown")
        for name, bound in sorted(BOUNDS.items()):
            bounds.command(name, help=bound.summary)(_bound_command(bound))
        return typer.main.get_group(bounds)

    def list_commands(self, ctx: Any) -> list[str]:
        """Names of the bounds."""
        return list(self._bounds.list_commands(ctx))

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of one bound."""
        return self._bounds.get_command(ctx, cmd_name)


def _no_bound() -> None:
    pass


BOUND = typer.Typer(
    cls=_BoundGroup, no_args_is_help=True, help="Call any bound of the registry by name."
)
BOUND.callback()(_no_bound)


def _option(parameter: inspect.Parameter, hint: Any) -> inspect.Parameter:
    """The command-line option of one argument of a bound."""
    if typing.get_origin(hint) in (Sequence, typing.get_origin(Sequence[float])):
        hint = list[float]
    required = parameter.default is inspect.Parameter.empty
    option = typer.Option(... if required else parameter.default)
    return inspect.Parameter(
        parameter.name, inspect.Parameter.KEYWORD_ONLY, default=option, annotation=hint
    )


def _bound_command(bound: Bound) -> Callable[..., None]:
    """A typer command with the bound's own arguments as options, and ``--json``."""
    hints = typing.get_type_hints(bound.function)
    options = [_option(p, hints[name]) for name, p in bound.parameters.items()]
    as_json = inspect.Parameter(
        "as_json", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=Json
    )

    def command(**values: Any) -> None:
        flag = values.pop("as_json")
        print_result(bound(**values), as_json=flag)

    signature = inspect.Signature([*options, as_json])
    command.__signature__ = signature  # type: ignore[attr-defined]
    command.__annotations__ = {p.name: p.annotation for p in signature.parameters.values()}
    return command


def demo(as_json: Json = False, quiet: Quiet = False) -> None:
    """Certify numbers from the half-space paper, and explain what the certificate says."""
    from handful.bounds import (
        compression_bound,
        half_space_message,
        published_half_space_bound,
    )

    message = half_space_message(1, 1, 1, 1)
    certificate = compression_bound(615, 3, 15, message_nats=message, size_nats=0)
    published = published_half_space_bound(215, 400, 1, 1, 1, 5, 10, 1)
    if as_json:
        print_json({"certificate": certificate.to_dict(), "published": published.to_dict()})
        return
    console.print(
        "Breast cancer data, one half-space made of 3 of 615 training examples, 15 errors on the "
        "rest (a size typical of the half-space paper):\n",
        highlight=False,
    )
    print_result(certificate, as_json=False)
    console.print("\nWhat the paper printed for the same numbers, and why it is not used:\n")
    print_result(published, as_json=False)

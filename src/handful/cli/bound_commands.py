"""``handful bound``, ``handful plan`` and ``handful demo``: numbers in, a certificate out."""

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

Record = dict[str, Any]


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


def plan(
    target_risk: float = typer.Option(
        ..., "--target-risk", "-t", help="The certificate you want, for example 0.1."
    ),
    error_rate: float = typer.Option(0.0, help="Error rate you expect on rows that only test."),
    n_compressed: int = typer.Option(
        None, help="Plan for one machine made of so many examples instead of the default menu."
    ),
    message_nats: float = typer.Option(
        None, help="Its message beside them, in nats; goes with --n-compressed."
    ),
    delta: float = typer.Option(0.05, help="Allowed probability of failure."),
    have: int = typer.Option(0, help="Examples you already have."),
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """How many (more) examples a certificate of a given value needs, on the default menu.

    Four tenths of the rows teach, the others only test. The plan is for the favourite of the
    menu: it reaches the certificate in half of such tables or more, and the table says how often.
    """
    if n_compressed is None and message_nats is None:
        from handful.certified import menu_rows_needed

        needed = menu_rows_needed(target_risk, error_rate=error_rate, delta=delta)
    else:
        from handful.bounds import samples_needed

        asked = {"n_compressed": n_compressed, "message_nats": message_nats}
        given: Record = {name: value for name, value in asked.items() if value is not None}
        needed = samples_needed(target_risk, error_rate, **given, delta=delta)
        _print_plan(_kept_plan(given, error_rate, delta), needed, have, target_risk, error_rate,
                    as_json, "one machine made of few examples")  # fmt: skip
        return
    _print_plan(
        _menu_plan(target_risk, error_rate, delta), needed, have, target_risk, error_rate, as_json,
        "the default menu",
    )  # fmt: skip


def _menu_plan(target_risk: float, error_rate: float, delta: float) -> Callable[[int], Record]:
    from handful.certified import menu_plan

    def planned(n: int) -> Record:
        plan = menu_plan(n, error_rate=error_rate, target_risk=target_risk, delta=delta)
        return {"n_samples": n, "risk": plan.risk, "chance": plan.chance}

    return planned


def _kept_plan(given: Record, error_rate: float, delta: float) -> Callable[[int], Record]:
    from handful.bounds import planned_risk

    def planned(n: int) -> Record:
        n = max(n, given.get("n_compressed", 3) + 1)
        return {"n_samples": n, "risk": planned_risk(n, error_rate, **given, delta=delta)}

    return planned


def _print_plan(
    planned: Callable[[int], Record],
    needed: int,
    have: int,
    target_risk: float,
    error_rate: float,
    as_json: bool,
    what: str,
) -> None:
    """What is needed, what is there, and sizes around both."""
    from rich.table import Table

    sizes = {max(2, round(needed * share)) for share in (0.5, 0.75, 1, 1.5, 2)}
    path = [planned(n) for n in sorted(sizes | ({have} if have > 1 else set()))]
    more = max(0, needed - have)
    if as_json:
        found = {**planned(needed), "n_more": more, "path": path}
        print_json(found | ({"have": planned(have)} if have > 1 else {}))
        return
    console.print(
        f"[bold]{needed} examples[/] are needed for a certificate of {target_risk:g} by {what}, "
        f"if the error rate is {error_rate:g}" + (f": [bold]{more} more[/]." if have else "."),
        highlight=False,
    )
    has_chance = "chance" in path[0]
    table = Table("examples", "certificate", *(["reached in"] if has_chance else []))
    for row in path:
        cells = [str(row["n_samples"]), f"{row['risk']:.4f}"]
        cells += [f"{100 * row['chance']:.0f} % of tables"] if has_chance else []
        table.add_row(*cells, style="bold" if row["n_samples"] == needed else None)
    console.print(table)


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

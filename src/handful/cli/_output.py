"""What all commands share: JSON or rich output, and errors with the right exit code."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.panel import Panel

from handful.bounds import Certificate, Criterion

console = Console()
errors = Console(stderr=True)


def print_json(data: Any) -> None:
    """One JSON document on standard output; NaN and infinity are refused."""
    typer.echo(json.dumps(data, indent=2, allow_nan=False))


@contextmanager
def reported_errors() -> Iterator[None]:
    """Misuse (a bad value) ends with exit code 2, a failure of the work with 1."""
    try:
        yield
    except (ValueError, TypeError) as error:
        errors.print(f"[bold red]Error:[/] {escape(str(error))}", highlight=False)
        raise typer.Exit(2) from error
    except (OSError, RuntimeError) as error:
        errors.print(f"[bold red]Failed:[/] {escape(str(error))}", highlight=False)
        raise typer.Exit(1) from error


def print_result(result: Certificate | Criterion, *, as_json: bool) -> None:
    """A certificate or criterion, explained or as JSON."""
    if as_json:
        print_json(result.to_dict())
        return
    title, style = "Criterion (no guarantee)", "yellow"
    if isinstance(result, Certificate):
        title, style = "Certificate", "yellow" if result.is_vacuous else "green"
    body = escape(result.explain())
    console.print(Panel(body, title=title, border_style=style, expand=False, width=88))

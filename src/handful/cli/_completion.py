"""Completion of commands by the shell: shown, or installed after a question."""

from __future__ import annotations

from typing import Any

import typer


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

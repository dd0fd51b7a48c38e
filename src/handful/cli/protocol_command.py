"""``handful protocol``: what is fixed before the data, written, shown, and followed by certify."""

from __future__ import annotations

import datetime
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from rich.markup import escape

from handful.cli.console import console, print_json, print_written
from handful.cli.options import Force, Json, Quiet
from handful.writing import write_atomically

if TYPE_CHECKING:
    from handful.cli.certify_command import CertifyOptions
    from handful.files import Protocol

PROTOCOL = typer.Typer(
    rich_markup_mode="markdown",
    no_args_is_help=True,
    help="""Fix settings, goals and columns before the data are seen, in a file with a digest.

    Example: **handful protocol new protocol.toml**, fill it in, then
    **handful protocol check protocol.toml**, publish the digest, and later
    **handful certify patients.csv --protocol protocol.toml --out results**
    """,
)


@PROTOCOL.command()
def new(
    path: Path = typer.Argument(..., metavar="PROTOCOL", help="The file, such as protocol.toml."),
    force: Force = False,
    quiet: Quiet = False,
) -> None:
    """Write a protocol to fill in: every key has a comment and its default.

    Example: **handful protocol new protocol.toml**
    """
    from handful.files import protocol_template

    today = datetime.date.today().isoformat()
    write_atomically(path, protocol_template(today), overwrite=force)
    print_written([path])
    text = f"Fill it in, then: handful protocol check {path}"
    console.print(f"  [dim]{escape(text)}[/]", highlight=False)


@PROTOCOL.command()
def check(
    path: Path = typer.Argument(..., metavar="PROTOCOL", help="The file."),
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Say what a protocol fixes, and its digest, which is to be published.

    Example: **handful protocol check protocol.toml**
    """
    from handful.files import Protocol

    found = Protocol.read(path)
    said, more = found.said(), found.settings_said()
    if as_json:
        print_json({**said, "settings": more, "sha256": found.sha256})
        return
    for name, value in [*said.items(), *more.items()]:
        if value not in (None, "", [], {}) and value is not False:
            console.print(f"  [bold]{name}[/] {escape(str(value))}", highlight=False)
    console.print(f"  [bold]sha256[/] {found.sha256}", highlight=False, soft_wrap=True)
    console.print(f"  {PUBLISH}", highlight=False)


PUBLISH = (
    "Publish this digest, for example in a registry, before you see the data: it shows what the "
    "protocol says, not when it was written."
)

# -- certify follows a protocol --------------------------------------------------------------------

_FIELD_OF = {"id": "ids"}  # fields of options that are not called as what they say


def followed(options: CertifyOptions) -> tuple[CertifyOptions, Protocol | None]:
    """The options as a protocol says them; an error if others were typed without a reason."""
    if options.protocol is None:
        if options.deviate is not None:
            raise ValueError("`--deviate` goes with --protocol: it says why options deviate.")
        return options, None
    from handful.files import Protocol

    protocol = Protocol.read(options.protocol)
    if options.is_cover or options.seed is not None:
        raise ValueError("`--protocol` goes with a menu of forms, not with --rules or --seed.")
    said, own = protocol.settings(), options.choices()
    typed = {name: value for name, value in options.forms().items() if name in options.typed}
    columns = {
        choice.name: getattr(own, choice.name)
        for choice in fields(own)
        if _FIELD_OF.get(choice.name, choice.name) in options.typed
    }
    planned = replace(protocol.columns, **{**columns, "acknowledged": own.acknowledged})
    late = options.goal if options.after_looking else None
    used = {**said, **typed, **({} if late is None else {"goal": late})}
    found = protocol.compare(used, planned, is_late=late is not None)
    if found and not (options.deviate or "").strip():
        name = found[0].setting.replace("_", "-")
        raise ValueError(
            f"`--{name}` must be {found[0].said}, as {options.protocol} says, got "
            f"{found[0].used}. Leave the option out, or say why with --deviate 'the reason'."
        )
    forms = used["candidates"]
    used["candidates"] = forms if isinstance(forms, str) else ",".join(forms)
    return replace(options, **used, planned=planned, target=planned.target), protocol

"""One self-contained HTML page about one certified machine."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from importlib import resources
from typing import Any

from handful.bounds import Certificate
from handful.report._commands import check_digests, verify_command
from handful.report._sections import read_sections


def render_report(
    machine: Any,
    X: Any,
    y: Any,
    *,
    title: str | None = None,
    data_notes: Sequence[str] = (),
    provenance: Mapping[str, Any] | None = None,
    model_file: str | None = None,
    data_file: str | None = None,
    digests: Mapping[str, str] | None = None,
    certificate: Certificate | None = None,
    include_rows: bool = False,
) -> str:
    """A whole HTML page: rule, certificate, path, errors, assumptions; no training row.

    The page needs no network, follows light and dark mode, prints, and runs no script but its
    own: everything from the data is escaped.

    Parameters
    ----------
    machine : fitted estimator with ``certify``
        Sections that do not apply to it are left out.
    X, y : array-like
        The data it was trained on.
    title : str, optional
        The heading; the name of the machine by default.
    data_notes : sequence of str
        What was noticed when the data were read.
    provenance : mapping, optional
        Facts to show at the end, such as file names and versions. ``target``, the column of
        the labels, is named in the command that checks the certificate again.
    model_file, data_file : str, optional
        Names of the files, for that command. An empty ``data_file`` means the embedded data.
    digests : mapping, optional
        SHA-256 of files in hexadecimal, by file name; shown as a command for ``sha256sum``.
    certificate : Certificate, optional
        The one to show; ``machine.certificate_`` or ``machine.certify()`` by default.
    include_rows : bool
        Show the training rows too: those that the machine is made of in the columns that it
        uses, and all of them in a picture of two columns.

    Returns
    -------
    str
        HTML; write it to a file in UTF-8.

    Examples
    --------
    >>> from handful import SetCoveringMachine, load_dataset
    >>> from handful.report import render_report
    >>> data = load_dataset("haberman-294")
    >>> machine = SetCoveringMachine(rules="stumps", random_state=0).fit(data.X, data.y)
    >>> page = render_report(machine, data.X, data.y, title="Survival after surgery")
    >>> page.startswith("<!doctype html>")
    True
    """
    return render(
        {
            **read_sections(machine, X, y, certificate=certificate, include_rows=include_rows),
            "menu": None,
        },
        title=title or type(machine).__name__,
        data_notes=data_notes,
        provenance=provenance,
        model_file=model_file,
        data_file=data_file,
        digests=digests,
    )


def render(
    sections: Mapping[str, Any],
    *,
    title: str,
    data_notes: Sequence[str],
    provenance: Mapping[str, Any] | None,
    model_file: str | None,
    data_file: str | None,
    digests: Mapping[str, str] | None,
) -> str:
    """The page that shows these sections."""
    script = _text("report.js")
    facts = {str(name): str(value) for name, value in (provenance or {}).items()}
    return str(
        _environment()
        .get_template("report.html")
        .render(
            title=title,
            data_notes=list(data_notes),
            provenance=facts,
            command=verify_command(model_file, data_file, facts.get("target")),
            is_command_whole=model_file is not None and data_file is not None,
            digests=check_digests(digests or {}),
            style=_text("report.css"),
            script=script,
            script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
            **sections,
        )
    )


def _environment() -> Any:
    import jinja2

    return jinja2.Environment(
        loader=jinja2.FunctionLoader(_text),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _text(name: str) -> str:
    folder = resources.files("handful.report") / "templates"
    return (folder / name).read_text(encoding="utf-8")

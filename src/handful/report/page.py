"""One self-contained HTML page about one certified machine."""

from __future__ import annotations

import base64
import hashlib
import itertools
import json
import re
import shlex
from collections.abc import Mapping, Sequence
from importlib import resources
from typing import Any

from handful._version import __version__
from handful.bounds import Certificate
from handful.certified import Band
from handful.report.dossier import read_dossier
from handful.report.sections import SectionOptions, read_sections
from handful.report.tripod import (
    ChecklistItem,
    counts_of,
    study_table,
    tripod_items,
    tripod_markdown,
)


def render_report(
    machine: Any,
    X: Any = None,
    y: Any = None,
    *,
    title: str | None = None,
    data_notes: Sequence[str | Mapping[str, str]] = (),
    provenance: Mapping[str, Any] | None = None,
    model_file: str | None = None,
    data_file: str | None = None,
    digests: Mapping[str, str] | None = None,
    certificate: Certificate | None = None,
    include_rows: bool = False,
    case: str | None = None,
    band: Band | None = None,
    documents: Mapping[str, Any] | None = None,
) -> str:
    """A whole HTML page without a training row; it needs no network and escapes all text.

    Write it to a file in UTF-8.

    Parameters
    ----------
    machine : fitted estimator with ``certify``
        Sections that do not apply to it are left out.
    X, y : array-like, optional
        The data it was trained on; what needs them is left out without them.
    title : str, optional
        The heading; the name of the machine by default.
    data_notes : sequence of str or mapping
        What was noticed in the data: sentences, or as `plain_notes` gives them.
    provenance : mapping, optional
        Facts to show at the end; ``target`` is named in the command that checks again.
    model_file, data_file : str, optional
        Names of the files, for that command. An empty ``data_file`` means the embedded data.
    digests : mapping, optional
        SHA-256 of files in hexadecimal, by file name; shown as a command for ``sha256sum``.
    certificate : Certificate, optional
        The one to show; ``machine.certificate_`` by default.
    include_rows : bool
        Show the training rows too: those that the machine is made of, and all in a picture.
    case, band : str and Band, optional
        The class whose rate is the sensitivity, and silence in doubt, if it is shown too.
    documents : mapping, optional
        What the three JSON files of a study hold, by file name, for flow, Table 1 and texts.

    Examples
    --------
    >>> from handful import SetCoveringMachine, load_dataset
    >>> data = load_dataset("haberman-294")
    >>> machine = SetCoveringMachine(rules="stumps", random_state=0).fit(data.X, data.y)
    >>> render_report(machine, data.X, data.y, title="Survival after surgery")[:15]
    '<!doctype html>'
    """
    facts = {str(name): str(value) for name, value in (provenance or {}).items()}
    how = SectionOptions(certificate, include_rows, case, band)
    return render_page(
        "report.html",
        **read_sections(machine, X, y, how),
        **_study_parts(documents),
        title=title or type(machine).__name__,
        data_notes=list(data_notes),
        provenance=facts,
        command=verify_command(model_file, data_file, facts.get("target")),
        is_command_whole=model_file is not None and data_file is not None,
        digests=check_digests(digests or {}),
    )


def render_tripod(
    documents: Mapping[str, Any], *, title: str
) -> tuple[list[ChecklistItem], str, str]:
    """The items of TRIPOD+AI, and the checklist as Markdown and as a page.

    Parameters
    ----------
    documents : mapping of str to mapping
        What model.json, certificate.json and evidence.json hold, by file name.
    title : str
        The heading, such as the name of the study.
    """
    items = tripod_items(documents, page_text("tripod-ai.json"))
    sections = [
        {"name": name, "items": list(found)}
        for name, found in itertools.groupby(items, key=lambda item: item.section)
    ]
    page = render_page(
        "dossier.html",
        title=title,
        version=__version__,
        counts=counts_of(items),
        sections=sections,
        table_one=study_table(documents),
    )
    return items, tripod_markdown(items, documents, title), page


def _study_parts(documents: Mapping[str, Any] | None) -> dict[str, Any]:
    """What a page tells of the study, and the words that are the same on all pages."""
    texts = page_text("study-texts.json")
    return {
        "dossier": None if documents is None else read_dossier(documents, texts),
        "plain": json.loads(page_text("plain-words.json")),
        "not_said": json.loads(texts)["not_said"],
    }


def render_page(template: str, *, script: str | None = None, **contents: Any) -> str:
    """A template of ``templates`` with its contents, the one style, and one script.

    The script is that of reports if none is given; nothing of the user's may end it.
    """
    script = page_text("report.js") if script is None else script
    # The page's policy names this digest: no other script runs.
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    page = _environment().get_template(template)
    return str(
        page.render(**contents, style=page_text("report.css"), script=script, script_hash=digest)
    )


def _environment() -> Any:
    import jinja2

    # Every text is escaped, and one that is missing is an error, not a blank.
    return jinja2.Environment(
        loader=jinja2.FunctionLoader(page_text),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        finalize=without_steering,
        trim_blocks=True,
        lstrip_blocks=True,
    )


_STEERING = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069\u061c]")


def without_steering(value: Any) -> Any:
    """The text with marks that turn the direction of writing shown as such, as <U+202E>."""
    if not isinstance(value, str) or not _STEERING.search(value):
        return value
    return _STEERING.sub(lambda mark: f"<U+{ord(mark[0]):04X}>", value)


def page_text(name: str) -> str:
    """A file of ``templates``."""
    folder = resources.files("handful.report") / "templates"
    return (folder / name).read_text(encoding="utf-8")


# -- commands that run as they stand in a POSIX shell ---------------------------------------------

_END = "END"


def verify_command(model: str | None, data: str | None, target: str | None) -> str:
    """The command that checks a certificate again; capitals stand for what is not known."""
    words = ["handful", "verify", "MODEL" if model is None else _as_file(model)]
    if data == "":  # the embedded data need neither
        return shlex.join(words)
    words.append("DATA" if data is None else _as_file(data))
    column = "COLUMN" if target is None else target
    # a name that begins with a dash must not be read as an option
    words += [f"--target={column}"] if column.startswith("-") else ["--target", column]
    return shlex.join(words)


def check_digests(digests: Mapping[str, str]) -> str:
    """A here-document for ``sha256sum --check``; empty if there is nothing to check."""
    lines = [_line(name, digest) for name, digest in digests.items()]
    return "\n".join([f"sha256sum --check <<'{_END}'", *lines, _END]) if lines else ""


def _as_file(name: str) -> str:
    return f"./{name}" if name.startswith("-") else name


def _line(name: str, digest: str) -> str:
    """A line as ``sha256sum`` writes it: backslashes and line ends in names are escaped."""
    escaped = name.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r")
    return f"{'' if escaped == name else chr(92)}{digest}  {escaped}"

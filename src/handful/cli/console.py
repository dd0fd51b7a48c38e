"""What all commands print with: JSON or rich output, progress, tables."""

from __future__ import annotations

import codecs
import json
import re
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape

if TYPE_CHECKING:
    from rich.segment import Segment
    from rich.table import Table

    from handful.bounds import Certificate, Criterion

# controls but tab and newline; marks that turn the direction of writing
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def printable(text: str) -> str:
    r"""Text without control characters: names and cells cannot steer a terminal.

    Examples
    --------
    >>> printable("a\x1b[31mb\x07\n")
    'a[31mb\n'
    """
    return _CONTROLS.sub("", text)


class SafeConsole(Console):
    """A console that prints no control characters but its own."""

    def render(self, renderable: Any, options: Any = None) -> Iterable[Segment]:
        """Segments of text, cleaned."""
        from rich.segment import Segment

        for segment in super().render(renderable, options):
            if segment.control or not _CONTROLS.search(segment.text):
                yield segment
            else:
                yield Segment(printable(segment.text), segment.style)


@dataclass
class _Settings:
    is_quiet: bool = False


console = SafeConsole()
errors = SafeConsole(stderr=True)
_settings = _Settings()


def set_quiet(value: bool) -> bool:
    """Print neither progress nor notes."""
    _settings.is_quiet = value
    return value


def print_json(data: Any) -> None:
    """One JSON document on standard output; NaN and infinity are refused."""
    write_out(json.dumps(data, indent=2, allow_nan=False) + "\n")


_PLAIN = {"≥": ">=", "≤": "<=", "≠": "!=", "→": "->", "·": "*", "×": "x", "…": "...", "−": "-"}


def _in_plain(error: UnicodeError) -> tuple[str, int]:
    """What stands in for characters that a console cannot show."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    gone = error.object[error.start : error.end]
    return "".join(_PLAIN.get(letter, "?") for letter in gone), error.end


def never_fail_to_print() -> None:
    """Let consoles that do not speak UTF-8 show ">=" for "≥" instead of ending the program."""
    codecs.register_error("handful", _in_plain)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure") and "utf" not in (stream.encoding or "").lower():
            stream.reconfigure(errors="handful")


def write_out(text: str) -> None:
    """Data on standard output: exact in files and pipes, without controls on a terminal."""
    out = sys.stdout
    text = printable(text) if out.isatty() else text
    if not hasattr(out, "buffer"):
        out.write(text)
        return
    out.flush()
    rest = memoryview(text.encode(out.encoding, out.errors or "strict"))
    while rest:  # an unbuffered stream may take a part only, and would not say so
        rest = rest[out.buffer.write(rest) :]


def note(text: str) -> None:
    """A remark on standard error, in markup; nothing if the user wants quiet."""
    if not _settings.is_quiet:
        errors.print(text, highlight=False, soft_wrap=True)


def warnings_to_console() -> None:
    """Print warnings as remarks: their texts may hold names from data."""

    def show(message: Any, category: type[Warning], *details: Any, **more: Any) -> None:
        note(f"[yellow]{category.__name__}:[/] {escape(str(message))}")

    warnings.showwarning = show


@contextmanager
def progress(title: str) -> Iterator[Callable[[str], None]]:
    """A line of progress on standard error; lines once a second if that is not a terminal.

    Standard output is left alone: a status line that redirects it would swallow the data that
    commands write there.
    """
    if _settings.is_quiet:
        yield lambda stage: None
        return
    if errors.is_terminal:
        from rich.live import Live
        from rich.spinner import Spinner

        spinner = Spinner("dots", f"{escape(title)} …")
        with Live(
            spinner, console=errors, transient=True, redirect_stdout=False, redirect_stderr=False
        ):
            yield lambda stage: spinner.update(text=f"{escape(title)}: {escape(str(stage))} …")
        return
    last = [time.monotonic()]

    def report(stage: str) -> None:
        if time.monotonic() - last[0] >= 1.0:
            last[0] = time.monotonic()
            errors.print(f"{escape(title)}: {escape(str(stage))} …", highlight=False)

    yield report


def print_result(result: Certificate | Criterion, *, as_json: bool) -> None:
    """A certificate or criterion, explained or as JSON."""
    from rich.panel import Panel

    from handful.bounds import Certificate

    if as_json:
        print_json(result.to_dict())
        return
    title, style = "Criterion (no guarantee)", "yellow"
    if isinstance(result, Certificate):
        title, style = "Certificate", "yellow" if result.is_vacuous else "green"
    body = escape(result.explain())
    console.print(Panel(body, title=title, border_style=style, expand=False, width=88))


def print_written(paths: Iterable[Any]) -> None:
    """Which files were written."""
    for path in paths:
        console.print(f"Written: [bold]{escape(str(path))}[/]", highlight=False, soft_wrap=True)


def records(frame: Any) -> list[dict[str, Any]]:
    """Rows of a data frame for JSON: NaN becomes null."""
    return [
        {k: None if v != v else v for k, v in row.items()}
        for row in frame.to_dict(orient="records")
    ]


def as_table(title: str, frame: Any) -> Table:
    """A data frame as a table to print; NaN is left blank."""
    from rich.table import Table

    table = Table(title=escape(title), title_justify="left")
    for i, name in enumerate(frame.columns):
        justify: Any = "right" if frame[name].dtype.kind in "if" else "left"
        # what the row is about stays whole, however narrow the terminal
        table.add_column(str(name).replace("_", " "), justify=justify, no_wrap=i == 0)
    for row in frame.itertuples(index=False):
        table.add_row(
            *("" if v != v else escape(f"{v:g}" if isinstance(v, float) else str(v)) for v in row)
        )
    return table

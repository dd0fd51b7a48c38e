"""``handful predict`` and ``handful export``: use a model file."""

from __future__ import annotations

import csv
import io
import itertools
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from rich.markup import escape

from handful.cli.console import (
    note,
    print_json,
    print_written,
    progress,
    write_out,
)
from handful.cli.options import TABLE, Force, Json, Quiet, SheetName, Trust, listed
from handful.writing import check_place, open_atomically, write_atomically

if TYPE_CHECKING:
    import pandas as pd

    from handful.arrays import Floats
    from handful.files import Model
    from handful.tables import Note

MOST_WORDS = 1000  # different ones that are remembered
_EVALUATED = "Their labels are those of the rule without it; --on-missing abstain gives them none."
ON_MISSING = ("evaluate", "abstain")
ABSTAINS, IN_DOUBT = "abstains", "abstains: in doubt"


def predict(
    model: Path = typer.Argument(..., help="Model file, as written by certify --out."),
    data: str = typer.Argument(..., help="New cases. " + TABLE + "."),
    out: Path = typer.Option(
        None, "--out", "-o", help="CSV file to write; standard output if left out."
    ),
    keep: list[str] = typer.Option(
        None, "--keep", "-k", help="Columns to pass through, such as an id; several by commas."
    ),
    on_missing: str = typer.Option(
        "evaluate", help="evaluate, or abstain: no label where the rule lacks a value."
    ),
    sheet: SheetName = None,
    trust: Trust = None,
    force: Force = False,
    as_json: bool = typer.Option(False, "--json", "-j", help="Print one JSON object a row."),
    quiet: Quiet = False,
) -> None:
    """Label new cases, and say what decided.

    Reads the table in pieces, so that it may be larger than memory, and needs only the columns
    that the rule uses. Writes row number, label, score, the estimated risk if the form has one,
    what decided and which values were missing; the certificate goes to standard error. Labels are
    written as they are: if they may start with = + - or @, do not open the result in a spreadsheet.

    Example: **handful predict results/model.json new.csv --out labels.csv**
    """
    from handful.files import load_model

    if on_missing not in ON_MISSING:
        raise ValueError(f"`--on-missing` must be one of {ON_MISSING}, got {on_missing!r}.")
    if out is not None:
        check_place(out, overwrite=force)
    stored = load_model(model, trusted=list(listed(trust)))
    if stored.training.said_first:
        note(f"[bold yellow]{escape(stored.training.said_first)}[/]")
    if stored.certificate is not None:
        note(f"[dim]{escape(stored.certificate.statement())}[/]")
    labeller = Labeller(stored, listed(keep), on_missing == "abstain", sheet)
    if out is None:
        # rows on a terminal are progress enough, and would be mixed with its line
        with nullcontext(_ignore) if sys.stdout.isatty() else progress("Predicting") as report:
            _write_rows(labeller, data, write_out, as_json, report)
        _print_notes(labeller)
        return
    with progress("Predicting") as report, open_atomically(out, overwrite=force) as file:
        n_rows = _write_rows(labeller, data, lambda t: file.write(t.encode()), as_json, report)
    note(f"{n_rows} rows written to [bold]{escape(str(out))}[/]")
    _print_notes(labeller)


def _print_notes(labeller: Labeller) -> None:
    for one in labeller.notes():
        note(f"[yellow]{one.code} {escape(one)}[/]")


def _ignore(stage: str) -> None:
    pass


@dataclass(frozen=True, eq=False)
class Labeller:
    """Turns pieces of a table into rows of results: label, score, what decided, what is missing.

    ``keep`` are columns that pass through. ``is_abstaining`` says that rows which lack a value that
    the model reads get no label. ``sheet`` is that of an Excel file.
    """

    model: Model
    keep: tuple[str, ...]
    is_abstaining: bool
    sheet: str | None = None
    gaps: Counter[str] = field(default_factory=Counter)  # rows by the columns that they lack
    unread: Counter[tuple[str, str]] = field(default_factory=Counter)  # by column and word

    @property
    def needs(self) -> list[str]:
        """Columns to read."""
        return list(dict.fromkeys([*self.model.needs, *self.keep]))

    @property
    def words(self) -> set[str]:
        """Columns whose cells are words even if they look like numbers.

        What passes through, words such as 007 (not 7), and 1.234 if that is 1234.
        """
        out = set(self.keep)
        for column in self.model.fitted.columns.columns:
            words = (*(column.words or ()), *column.levels)
            is_exact = column.is_exact and bool(words)
            if is_exact or column.style != "plain" or any(map(_is_code, words)):
                out.add(column.name)
        return out

    @property
    def header(self) -> tuple[str, ...]:
        """Names of the results."""
        risk = () if self.model.fitted.risk is None else ("risk",)
        return (*self.keep, "row", "label", "score", *risk, "decided by", "missing")

    def results(self, chunk: pd.DataFrame, start: int) -> list[list[Any]]:
        """The columns of results of a piece that begins after ``start`` rows."""
        import numpy as np

        lacking = self.model.missing(chunk)
        self._remember(chunk, lacking)
        gaps = ["" if not names else f"missing: {', '.join(names)}" for names in lacking]
        n_rows, n_found = len(chunk), len(self.header) - len(self.keep) - 2
        is_asked = np.ones(n_rows, dtype=bool)
        if self.is_abstaining:
            is_asked = np.array([not names for names in lacking], dtype=bool)
        if is_asked.all():
            found = self._decided(chunk)
        else:
            empty = np.full((n_found, n_rows), "", dtype=object)
            empty[-1] = ABSTAINS
            if is_asked.any():
                empty[:, is_asked] = self._decided(chunk[is_asked])
            found = empty.tolist()
        kept = [["" if v != v else v for v in chunk[name].tolist()] for name in self.keep]
        return [*kept, list(range(start + 1, start + n_rows + 1)), *found, gaps]

    def _remember(self, chunk: pd.DataFrame, lacking: Sequence[tuple[str, ...]]) -> None:
        """Count rows that lack values, by column and under "", and words that cannot be read."""
        for names in filter(None, lacking):
            self.gaps.update(("", *names))
        for column in self.model.fitted.columns.columns:
            words = column.unread(chunk[column.name].to_numpy())
            if len(self.unread) < MOST_WORDS:
                self.unread.update({(column.name, word[:40]): n for word, n in words.items()})

    def notes(self) -> list[Note]:
        """What must be said of rows that lack values, and of words that the model cannot read."""
        from handful.tables import Note

        said = []
        if n := self.gaps[""]:
            names = ", ".join(f"{name} in {k}" for name, k in self.gaps.most_common(11) if name)
            done = "They have no label." if self.is_abstaining else _EVALUATED
            rows = "1 row lacks" if n == 1 else f"{n} rows lack"
            said.append(Note("H070", f"{rows} a value that the rule reads ({names}). {done}"))
        if self.unread:
            found = [f"{name} {w!r} in {k}" for (name, w), k in self.unread.most_common(10)]
            more = f", and {len(self.unread) - 10} more" if len(self.unread) > 10 else ""
            text = f"Never seen, and counted as missing: {', '.join(found)}{more}."
            said.append(Note("H071", text))
        return said

    def _decided(self, chunk: pd.DataFrame) -> list[list[Any]]:
        """Labels, scores, risks if there are such, and reasons of the rows."""
        import numpy as np

        model = self.model
        labels, reasons = model.predict(chunk).tolist(), model.reasons(chunk)
        for i in np.flatnonzero(model.is_in_doubt(chunk)).tolist():
            labels[i], reasons[i] = "", IN_DOUBT
        risks = model.risks(chunk)
        shown = [] if risks is None else [_rounded(risks, 4)]
        return [labels, _rounded(model.scores(chunk), 6), *shown, reasons]


def _rounded(values: Floats, digits: int) -> list[float]:
    """Rounded numbers, each distinct one rounded once."""
    import numpy as np

    # by their bits, since -0.0 is written in another way than 0.0
    bits, places = np.unique(np.ascontiguousarray(values).view(np.int64), return_inverse=True)
    found = [round(value, digits) for value in bits.view(np.float64).tolist()]
    return [found[k] for k in places.tolist()]


def _is_code(word: str) -> bool:
    """Whether a word would be read as a number and then be another word."""
    from handful.tables import word_of

    try:
        return word_of(float(word)) != word
    except ValueError:
        return False


def _write_rows(
    labeller: Labeller, data: str, write: Callable[[str], Any], as_json: bool, report: Any
) -> int:
    from handful.tables import matching, read_chunks

    n_rows = 0
    pieces = (
        read_chunks(path, labeller.needs, words=labeller.words, sheet=labeller.sheet)
        for path in matching(data)
    )
    for chunk in itertools.chain.from_iterable(pieces):
        if len(chunk) == 0:  # a header without rows
            continue
        try:
            columns = labeller.results(chunk, n_rows)
        except ValueError as error:
            raise ValueError(f"{error} (rows from {n_rows + 1})") from error
        if not as_json and n_rows == 0:
            write(_as_csv([labeller.header]))  # not before there is something to say
        rows = zip(*columns, strict=True)
        write(_as_json_lines(labeller.header, rows) if as_json else _as_csv(rows))
        n_rows += len(chunk)
        report(f"{n_rows} rows")
    return n_rows


def _as_csv(rows: Iterable[Sequence[Any]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def _as_json_lines(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    return "".join(json.dumps(dict(zip(header, row, strict=True))) + "\n" for row in rows)


def export(
    model: Path = typer.Argument(..., help="Model file, as written by certify --out."),
    to: str = typer.Option("sql", help="sql, python, r, excel, json or card."),
    table: str = typer.Option(None, help="For SQL: a table to select from."),
    text_cells: bool = typer.Option(
        None,
        "--text/--numbers",
        help="For SQL: numbers are texts in the table, as a file wrote them; by their style if "
        "left out.",
    ),
    out: Path = typer.Option(
        None, "--out", "-o", help="File to write; standard output if left out."
    ),
    cases: int = typer.Option(
        None, help="Also write so many synthetic cases with their answers beside --out."
    ),
    include_rows: bool = typer.Option(
        False, "--include-rows", help="Write models that contain training rows."
    ),
    force: Force = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Write a model as SQL, Python or R code, as a workbook, as plain JSON, or as a card.

    Words, ordered words and missing values mean what they mean in the printed rule. A workbook
    (Excel, LibreOffice) takes forms without training rows. A card is one HTML page that computes
    the decision for a case, without a network, for forms of two classes that one can work through
    by hand; with --out card.toml it is the file of a score card, for validation elsewhere.
    With --cases, a table of cases at the borders of the rule shows what each program must say.

    Example: **handful export results/model.json --to sql --table patients**

    Example: **handful export results/model.json --to r --out rule.R --cases 1000**

    Example: **handful export results/model.json --to card --out card.html**
    """
    from handful.export import export_cases
    from handful.files import load_model

    stored = load_model(model)
    if cases is not None and out is None:
        raise ValueError("`--cases` are written beside a file: say --out.")
    content = _exported(stored, to, table, text_cells, out, cases or 0, include_rows)
    written: dict[Path, str | bytes] = {}
    if out is not None:
        written[out] = content
        if cases is not None:
            written[out.with_name(f"{out.stem}.cases.csv")] = export_cases(stored, cases)
    _write_all(written, force)
    text = content if isinstance(content, str) else None
    if as_json:
        print_json({"to": to, "text": text, "file": None if out is None else str(out)})
    elif out is None and text is not None:
        write_out(text)
    else:
        print_written(list(written))


def _write_all(contents: Mapping[Path, str | bytes], force: bool) -> None:
    """Write some files; none of them if one is in the way."""
    for path in contents:
        check_place(path, overwrite=force)
    for path, content in contents.items():
        write_atomically(path, content, overwrite=force)


def _exported(
    stored: Model,
    to: str,
    table: str | None,
    is_text: bool | None,
    out: Path | None,
    n_cases: int,
    include_rows: bool,
) -> str | bytes:
    """The model in a format."""
    import handful.export as formats

    if to == "sql":
        return formats.export_sql(stored, table=table, is_text=is_text, include_rows=include_rows)
    if to == "excel":
        if out is None:
            raise ValueError("`--to excel` writes a file: say --out rule.xlsx.")
        return formats.export_excel(stored, cases=n_cases)
    if to == "card":
        is_file = out is not None and out.suffix.casefold() == ".toml"
        return (formats.export_paper_card if is_file else formats.export_card)(stored)
    if to not in ("python", "r", "json"):
        raise ValueError(f"`--to` must be sql, python, r, excel, json or card, got {to!r}.")
    write = {"python": formats.export_python, "r": formats.export_r, "json": formats.export_json}
    return write[to](stored, include_rows=include_rows)

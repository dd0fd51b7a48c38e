"""Classifiers as SQL, as Python without dependencies, and as plain data with sentences."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from handful.bounds import Certificate
from handful.checks import check_count
from handful.export.card import card_page
from handful.export.card_file import card_toml
from handful.export.cases import synthetic_cases
from handful.export.excel import form_excel
from handful.export.python import form_python
from handful.export.r import form_r, label_in_r
from handful.export.sql import doubtful_sql, form_sql, identifier, text_literal
from handful.files import Model, certificate_of, refuse_rows
from handful.models import Fitted


@dataclass(frozen=True)
class _Exported:
    """A classifier, its certificate, and its labels as the user gave them."""

    fitted: Fitted
    certificate: Certificate | None
    labels: tuple[Any, ...]
    width: float | None = None  # of doubt, in which nothing is said
    case: str = ""  # the class that risks speak of

    def outputs(self, write: Callable[[Any], str]) -> list[str]:
        """The text that a language writes for each class."""
        return [write(label) for label in self.labels]

    @property
    def header(self) -> str:
        """The certificate in one line that holds no text of the user's."""
        return (
            "No certificate."
            if self.certificate is None
            else " ".join(str(self.certificate).split())
        )


def _read(machine: Any, include_rows: bool) -> _Exported:
    """The classifier of a model or a machine; training rows must be permitted."""
    if isinstance(machine, Model):
        width = None if machine.band is None else machine.band.width
        found = _Exported(machine.fitted, machine.certificate, machine.classes, width, machine.case)
    else:
        fitted = getattr(machine, "fitted_", None)
        if not isinstance(fitted, Fitted):
            raise TypeError(
                f"`machine` must be a model or a fitted classifier of this library, got "
                f"{type(machine).__name__}."
            )
        labels = machine.labels_.tolist()  # values of Python, whose digits are the user's
        found = _Exported(fitted, certificate_of(machine), tuple(labels), None, fitted.classes[-1])
    refuse_rows(found.fitted.n_training_rows, include_rows)
    if not found.fitted.is_plain:
        why = found.fitted.machine.why_closed or "Use `handful predict`."
        raise TypeError(
            f"`machine` must be made of plain data to be exported, this is a {found.fitted.form}. "
            f"{why}"
        )
    return found


def _sql_label(value: Any) -> str:
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    return repr(value) if isinstance(value, (int, float)) else text_literal(str(value))


def export_sql(
    machine: Any,
    *,
    table: str | None = None,
    column: str = "prediction",
    is_text: bool | None = None,
    include_rows: bool = False,
) -> str:
    """A classifier as an expression of SQL, or as a whole ``SELECT``.

    Parameters
    ----------
    machine : Model or fitted machine
    table : str, optional
        Name of a table; then the text is ``SELECT *, … AS column FROM table``.
    column : str
        Name of the new column.
    is_text : bool, optional
        For models of raw tables: numbers stand in the table as texts, as a file wrote them
        ("3,5", "<0.5", "NA"). By default, columns whose numbers were read with decimal commas or
        thousands separators do, and others do not. A text that is neither a number nor a usual mark
        of a missing value is refused by strict databases; SQLite reads it as 0.
    include_rows : bool
        Write forms that contain training rows, such as balls, prototypes and kernel machines.

    Returns
    -------
    str
        The sentence that `explain` prints; NULL meets no condition, as in the library, and a
        score whose columns must be known is NULL if one is not. Names and texts are quoted.
        Gaussian kernels need the function EXP, Euclidean balls SQRT, Manhattan balls ABS.

    Examples
    --------
    >>> from handful import DecisionListMachine, load_dataset
    >>> data = load_dataset("haberman-294")
    >>> machine = DecisionListMachine(max_rules=1, candidates=40, random_state=0)
    >>> print(export_sql(machine.fit(data.X, data.y)).splitlines()[1])
    CASE
    """
    found = _read(machine, include_rows)
    outputs = found.outputs(_sql_label)
    if found.width is None:
        text = form_sql(found.fitted, outputs, is_text=is_text)
    else:
        text = doubtful_sql(found.fitted, found.width, outputs, is_text=is_text)
    head = f"-- {found.header}\n"
    if table is None:
        return f"{head}{text}\n"
    return f"{head}SELECT *, {text} AS {identifier(column)}\nFROM {identifier(table)};\n"


def export_python(machine: Any, *, include_rows: bool = False) -> str:
    """A classifier as a Python module without dependencies: ``predict(row)`` of a dict.

    Parameters
    ----------
    machine : Model or fitted machine
    include_rows : bool
        Write forms that contain training rows, such as balls and prototypes.

    Examples
    --------
    >>> from handful import SetCoveringMachine, load_dataset
    >>> data = load_dataset("haberman-294")
    >>> machine = SetCoveringMachine("stumps", max_rules=1, candidates=40, random_state=0)
    >>> namespace = {}
    >>> exec(export_python(machine.fit(data.X, data.y)), namespace)
    >>> row = dict(zip(("x0", "x1", "x2"), data.X[0]))
    >>> bool(namespace["predict"](row) == machine.predict(data.X[:1])[0])
    True
    """
    found = _read(machine, include_rows)
    return form_python(found.fitted, found.header, found.outputs(repr), found.width)


def export_r(machine: Any, *, include_rows: bool = False) -> str:
    """A classifier as an R function without packages: ``predict_handful(data)`` of a data frame.

    Parameters
    ----------
    machine : Model or fitted machine
    include_rows : bool
        Write forms that contain training rows.

    Returns
    -------
    str
        R code in ASCII. The function returns one label a row, NA where the library gives none.
        Numbers are written so that R reads the same floats. Read a file with
        ``read.csv(file, check.names = FALSE, colClasses = "character", na.strings = "")``, so that
        cells are what they are in the file.

    Examples
    --------
    >>> from handful import ScoreCard, load_dataset
    >>> X, y = load_dataset("haberman-294").named()
    >>> print(export_r(ScoreCard(max_items=3).fit(X, y)).splitlines()[2])
    predict_handful <- local({
    """
    found = _read(machine, include_rows)
    return form_r(found.fitted, found.header, found.outputs(label_in_r), found.width)


def export_excel(machine: Any, *, cases: int = 0) -> bytes:
    """A classifier as a workbook for Excel or LibreOffice: fill in cases, read the labels.

    Parameters
    ----------
    machine : Model or fitted machine
        One that contains no training rows.
    cases : int
        So many synthetic cases stand in the first sheet, with the answers of the library and a
        column that says whether the spreadsheet agrees.

    Returns
    -------
    bytes
        The file, which needs no macro. The sheet ``cases`` has a column for each column that the
        rule reads, ``rule`` the rule in words and the certificate, ``workings`` the formulas.
        Needs the package xlsxwriter (``pip install 'handful[excel]'``).

    Examples
    --------
    >>> from handful import ScoreCard, load_dataset
    >>> X, y = load_dataset("haberman-294").named()
    >>> export_excel(ScoreCard(max_items=3).fit(X, y))[:2]
    b'PK'
    """
    found = _read(machine, include_rows=True)  # which a workbook refuses by itself
    rows, answers = _cases(found, cases)[1:]
    said = [found.header, "Cells may hold numbers or texts. Leave what is not known empty."]
    return form_excel(found.fitted, found.labels, said, found.width, (rows, answers))


def _cases(found: _Exported, n_cases: int) -> tuple[list[str], list[list[str]], list[Any]]:
    """Names of columns, rows of cells, and labels; "" for no label."""
    check_count("cases", n_cases)
    names, rows, places = synthetic_cases(found.fitted, n_cases, found.width)
    return names, rows, ["" if place < 0 else found.labels[place] for place in places]


def export_cases(machine: Any, n_cases: int = 1000) -> str:
    """Synthetic cases at the borders of a rule with the answers of the library, as CSV.

    Parameters
    ----------
    machine : Model or fitted machine
    n_cases : int

    Returns
    -------
    str
        The columns that the rule reads, then ``prediction``; empty where the library gives no
        label. Cells are made of the rule alone: numbers that it prints and their neighbours, its
        words, other words, marks of missing values. Compare what another program says of them.

    Examples
    --------
    >>> from handful import ScoreCard, load_dataset
    >>> X, y = load_dataset("haberman-294").named()
    >>> print(export_cases(ScoreCard(max_items=1).fit(X, y), 2).splitlines()[0])
    positive-nodes,prediction
    """
    found = _read(machine, include_rows=True)  # no training row is among the cases
    names, rows, answers = _cases(found, n_cases)
    last = "prediction"
    while last in names:
        last += "_"
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*names, last])
    writer.writerows([*row, answer] for row, answer in zip(rows, answers, strict=True))
    return text.getvalue()


def export_json(machine: Any, *, include_rows: bool = False) -> str:
    """A classifier as plain data: labels, columns, sentences, every number, certificate.

    Parameters
    ----------
    machine : Model or fitted machine
    include_rows : bool
        Write forms that contain training rows.

    Examples
    --------
    >>> from handful import SetCoveringMachine, load_dataset
    >>> data = load_dataset("haberman-294")
    >>> machine = SetCoveringMachine("stumps", max_rules=1, candidates=40, random_state=0)
    >>> sorted(json.loads(export_json(machine.fit(data.X, data.y))))
    ['certificate', 'classes', 'columns', 'fitted', 'sentences']
    """
    found = _read(machine, include_rows)
    fitted = found.fitted.reduced()
    plain = {
        "classes": list(found.labels),
        "columns": list(fitted.uses),
        "sentences": fitted.sentences(include_rows=include_rows),
        "fitted": fitted.to_document(),
        "certificate": found.certificate and found.certificate.to_dict(),
    }
    return json.dumps(plain, indent=1, allow_nan=False) + "\n"


def export_card(machine: Any) -> str:
    """A classifier of two classes as one page: enter a case, read decision, points and risk.

    Parameters
    ----------
    machine : Model or fitted machine
        One rule, a rule list, a rule set, a score card, a linear or an additive form, or votes of
        stumps. What holds training rows, reads dates or has more classes is refused.

    Returns
    -------
    str
        HTML that needs no network and runs no script but its own. It decides as
        `handful.files.Model.decide` does, and says which values are not known; the risk is an
        estimate. Write it to a file in UTF-8. It shows the rule, its columns and the certificate,
        and holds no row of the data.

    Examples
    --------
    >>> from handful import ScoreCard, load_dataset
    >>> X, y = load_dataset("haberman-294").named()
    >>> export_card(ScoreCard(max_items=3).fit(X, y))[:15]
    '<!doctype html>'
    """
    found = _read(machine, include_rows=True)  # which a card refuses by itself
    labels = found.outputs(str)
    return card_page(found.fitted, found.certificate, labels, width=found.width, case=found.case)


def export_paper_card(machine: Any) -> str:
    """A score card as the small file (TOML) that ``handful validate`` reads.

    Parameters
    ----------
    machine : Model or fitted machine
        A score card that always decides, without columns of dates.

    Returns
    -------
    str
        Items, points, threshold, the estimated risk at every total, and worked cases made of the
        numbers of the card. Capitals make no difference in its words.

    Examples
    --------
    >>> from handful import ScoreCard, load_dataset
    >>> X, y = load_dataset("haberman-294").named()
    >>> print(export_paper_card(ScoreCard(max_items=3).fit(X, y)).splitlines()[0])
    card = 1
    """
    found = _read(machine, include_rows=True)  # cards have none
    said = "" if found.certificate is None else found.certificate.statement()
    return card_toml(found.fitted, found.case, found.width, said)

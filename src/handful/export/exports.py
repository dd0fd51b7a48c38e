"""Rule machines as SQL, as Python without dependencies, and as a plain list of rules."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from handful.bounds import Certificate, NotCertifiableError
from handful.covering import CoverFit
from handful.export.python import RAW_CELLS, form_python, read_formula
from handful.export.sql import Cell, doubtful_sql, form_sql, number_literal, text_literal
from handful.files.cover_document import OTHER_ROW, WITHOUT_CENTRES, refuse_rows
from handful.files.document import from_text, to_text
from handful.files.form_document import StoredForm
from handful.files.model import StoredModel, model_from_dict
from handful.files.save import WITHOUT_ROWS, model_to_dict
from handful.models import Fitted
from handful.rules import OR_MISSING, AbstractRule, RuleList, RuleSet, Stump
from handful.rules.formulas import Dialect, number
from handful.table_classifier import TableClassifier

_ADVICE = "Use `handful predict`, or export the model to JSON."


def _stored(machine: Any, include_rows: bool) -> StoredModel:
    """A stored model, from one or from a fitted machine; with training rows only by leave."""
    if isinstance(machine, StoredModel):
        instead = WITHOUT_ROWS if not _is_made_of_rules(machine) else WITHOUT_CENTRES
        refuse_rows(machine.n_training_rows, include_rows, instead)
        return machine
    document = model_to_dict(machine, include_rows=include_rows)
    return model_from_dict(from_text(to_text(document)))


def _is_made_of_rules(model: StoredModel) -> bool:
    return model.form is None


def _steps(model: StoredModel, k: int = 0) -> tuple[list[tuple[AbstractRule, int]], int]:
    """Rules with their outputs, in order, and the output where none covers."""
    machine = _rules_of(model, k)
    if isinstance(machine, RuleList):
        return list(zip(machine.rules, machine.outputs, strict=True)), machine.default
    return [(rule, -machine.sign) for rule in machine.rules], machine.sign


def _rules_of(model: StoredModel, k: int) -> RuleSet | RuleList:
    machine = model.machines[k]
    assert isinstance(machine, (RuleSet, RuleList))
    return machine


def _words(model: StoredModel, rule: AbstractRule) -> Sequence[str] | None:
    if model.categories is None or not isinstance(rule, Stump):
        return None
    return model.categories[rule.feature]


def _label(model: StoredModel, output: int) -> Any:
    return model.classes[1 if output > 0 else 0]


def _branches(model: StoredModel, dialect: Dialect) -> tuple[list[tuple[list[str], Any]], Any]:
    """(conditions that must all hold, label) in order, and the label otherwise; as printed.

    A conjunction is one branch, whose conditions are the opposites of its rules: so a missing
    value meets none of them and the row gets the other label.
    """
    steps, default = _steps(model)
    machine = model.machines[0]
    if isinstance(machine, RuleSet) and machine.kind == "conjunction" and steps:
        tests = [
            rule.condition_formula(dialect, _words(model, rule), opposite=True) for rule, _ in steps
        ]
        return [(tests, _label(model, default))], _label(model, -default)
    branches = [
        ([rule.condition_formula(dialect, _words(model, rule))], _label(model, output))
        for rule, output in steps
    ]
    return branches, _label(model, default)


def _header(model: StoredModel | _Form) -> str:
    """The certificate in one line that holds no text of the user's."""
    if model.certificate is None:
        return "No certificate."
    return " ".join(str(model.certificate).split())


@dataclass(frozen=True)
class _Form:
    """A form of a menu, or a score card, with its certificate."""

    fitted: Fitted
    certificate: Certificate | None
    width: float | None = None  # of doubt, where nothing is said
    labels: tuple[Any, ...] | None = None  # as the user gave them, if they are not words

    def outputs(self, write: Callable[[Any], str]) -> list[str]:
        """What a language writes for each class."""
        return [write(label) for label in self.labels or self.fitted.classes]


def _as_form(machine: Any) -> _Form | None:
    """A form from its file, the chosen row of a fitted menu, or a machine that is a form."""
    if isinstance(machine, StoredForm):
        width = None if machine.band is None else machine.band.width
        return _Form(machine.fitted, machine.certificate, width)
    if not isinstance(machine, TableClassifier):
        return None  # a machine on numbers: its own formula is exactly what it computes
    try:
        certificate = machine.certificate_
    except NotCertifiableError:  # a score card by itself
        certificate = None
    return _Form(machine.fitted_, certificate)


def _read(machine: Any, include_rows: bool) -> tuple[_Form | None, StoredModel | None]:
    """A form, or a machine made of rules."""
    form = _as_form(machine)
    if form is not None:
        return form, None
    model = _stored(machine, include_rows)
    if model.form is None:
        return None, model
    return _Form(model.fitted, model.certificate, None, model.classes), None


def _plain(form: _Form, include_rows: bool) -> Fitted:
    refuse_rows(form.fitted.n_training_rows, include_rows, OTHER_ROW)
    if not form.fitted.is_plain:
        raise TypeError(
            f"`machine` must be made of plain data to be exported, this is a {form.fitted.form}. "
            "Use `handful predict`."
        )
    return form.fitted


# -- SQL -------------------------------------------------------------------------------------


def _identifier(name: str) -> str:
    if "\0" in name:
        raise ValueError("a column name must not hold NUL characters to be written as SQL.")
    return '"' + name.replace('"', '""') + '"'


def _sql_text(value: Any) -> str:
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, (int, float)):
        return repr(value)
    return text_literal(str(value))


def _sql_word(column: str, word: str, is_equal: bool) -> str:
    """A column against a word in its normal form, whatever type the column has."""
    spellings = [word]
    if re.fullmatch(r"-?[0-9]+", word):
        spellings.append(f"{word}.0")
    elif word in ("True", "False"):
        spellings += [word.lower(), word.upper()]
    text = f"TRIM(CAST({column} AS VARCHAR))"
    if len(spellings) == 1:
        return f"{text} {'=' if is_equal else '<>'} {_sql_text(word)}"
    listed = ", ".join(_sql_text(spelling) for spelling in spellings)
    return f"{text} {'IN' if is_equal else 'NOT IN'} ({listed})"


def _cell_of(model: StoredModel, j: int, is_text: bool | None) -> Cell | None:
    """How a column of raw cells is read; None where its cells are numbers and words already."""
    raw = None if model.reading is None else model.reading.columns[j]
    return None if raw is None else Cell(raw, is_text)


def _sql_dialect(model: StoredModel, is_text: bool | None = None) -> Dialect:
    names = model.names

    def column(j: int) -> str:
        cell = _cell_of(model, j, is_text)
        return _identifier(names[j]) if cell is None else cell.number

    def word(j: int, word: str, is_equal: bool) -> str:
        cell = _cell_of(model, j, is_text)
        if cell is None:
            return _sql_word(column(j), word, is_equal)
        if is_equal:
            return f"(NOT {cell.is_gone} AND {cell.equals(word)})"
        return f"(NOT {cell.is_gone} AND NOT {cell.equals(word)})"

    return Dialect(
        column=column,
        operand=lambda j: f"CAST({column(j)} AS DOUBLE PRECISION)",
        number=number_literal,
        word=word,
        equal="=",
        unequal="<>",
        exp="EXP",
        absolute="ABS",
        root="SQRT",
        both="AND",
        either="OR",
        is_known=lambda j: "",
    )


def export_sql(
    machine: Any,
    *,
    table: str | None = None,
    column: str = "prediction",
    is_text: bool | None = None,
    include_rows: bool = False,
) -> str:
    """A machine or a form of a menu as a ``CASE`` expression, or as a whole ``SELECT``.

    Parameters
    ----------
    machine : StoredForm, CertifiedClassifier, StoredModel or fitted machine
        A form of a menu; or a machine made of rules (two classes), or a score: votes, linear
        scores, kernel expansions.
    table : str, optional
        Name of a table; then the text is ``SELECT *, CASE ... END AS column FROM table``. Scores
        of more than two classes need it: they are named in a sub-query.
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
        score whose columns must be known is NULL where one is not. Names and texts are quoted.
        Gaussian kernels need the function EXP, Euclidean balls SQRT, Manhattan balls ABS.

    Examples
    --------
    >>> from handful import DecisionListMachine, load_dataset
    >>> data = load_dataset("haberman-294")
    >>> machine = DecisionListMachine(max_rules=1, candidates=40, random_state=0)
    >>> print(export_sql(machine.fit(data.X, data.y)).splitlines()[1])
    CASE
    """
    form, model = _read(machine, include_rows)
    if form is not None:
        fitted, width, outputs = _plain(form, include_rows), form.width, form.outputs(_sql_text)
        if width is not None:
            text = doubtful_sql(fitted, width, outputs, is_text=is_text)
        else:
            text = form_sql(fitted, outputs, is_text=is_text)
        return _select(text, form, table, column)
    assert model is not None
    if len(model.classes) > 2:
        raise ValueError(f"`machine` must have two classes for SQL, not more. {_ADVICE}")
    branches, otherwise = _branches(model, _sql_dialect(model, is_text))
    lines = [
        "  WHEN " + "\n   AND ".join(tests) + f" THEN {_sql_text(label)}"
        for tests, label in branches
    ]
    last = _sql_text(otherwise)
    case = "\n".join(["CASE", *lines, f"  ELSE {last}", "END"]) if lines else last
    return _select(case, model, table, column)


def _select(case: str, model: StoredModel | _Form, table: str | None, column: str) -> str:
    """The expression under its certificate, or the whole statement."""
    head = f"-- {_header(model)}\n"
    if table is None:
        return f"{head}{case}\n"
    return f"{head}SELECT *, {case} AS {_identifier(column)}\nFROM {_identifier(table)};\n"


# -- Python ----------------------------------------------------------------------------------

_PYTHON_HEAD = r'''"""A classifier of few rules; needs nothing but Python.

{certificate}
"""

import math
import re


def _number_in(row, name):
    """A value as a float; a missing one is NaN, which meets no condition."""
    value = row.get(name)
    return math.nan if _is_missing(value) else float(value)


def _is_missing(value):
    try:
        return value is None or bool(value != value)
    except TypeError:
        return True


def _word_in(row, name):
    """A value as a word in its normal form, 3 for 3.0; None where it is missing."""
    value = row.get(name)
    if _is_missing(value):
        return None
    if isinstance(value, float) and value.is_integer() and abs(value) < 2.0**53:
        return str(int(value))
    text = str(value).strip()
    is_whole = re.fullmatch(r"-?(0|[1-9][0-9]{{0,14}})\.0+", text)
    return str(int(text.split(".")[0])) if is_whole else text

'''
_PYTHON_SCORE = '''
def _signed(value, cut, side, tolerance, unit, with_missing):
    """Distance to a boundary, negative where the rule covers."""
    covered = {
        "below": value < cut - tolerance,
        "above": value > cut + tolerance,
        "equal": abs(value - cut) <= tolerance,
        "unequal": abs(value - cut) > tolerance,
    }[side] or (with_missing and value != value)
    distance = abs(value - cut) / unit
    if side in ("equal", "unequal") and distance == distance:
        distance = 1.0
    distance = min(max(0.0 if distance != distance else distance, 5e-324), 1.7e308)
    return -distance if covered else distance

'''


def export_python(machine: Any, *, include_rows: bool = False) -> str:
    """A machine or form as a Python module without dependencies: ``predict(row)`` of a dict.

    Parameters
    ----------
    machine : StoredForm, CertifiedClassifier, StoredModel or fitted machine
        A form of a menu, or a machine made of rules.
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
    form, model = _read(machine, include_rows)
    if form is not None:
        if form.width is not None:
            raise ValueError(
                "`machine` says nothing where it is in doubt, which only SQL and `handful predict` "
                "know. Export to SQL, or write the model without a band."
            )
        return form_python(_plain(form, include_rows), _header(form), form.outputs(repr))
    assert model is not None
    head = _PYTHON_HEAD.format(certificate=_header(model).replace("\\", " ").replace('"', " "))
    if model.reading is not None:
        head += "\n" + RAW_CELLS
    if len(model.classes) > 2:
        return head + _python_scores(model)
    dialect = _python_dialect(model)
    branches, otherwise = _branches(model, dialect)
    body = [f"    if {' and '.join(tests)}:\n        return {label!r}" for tests, label in branches]
    reads = _python_reads(model)
    lines = ["def predict(row):", '    """The label of a row, a dict of column names."""']
    lines += [*reads, *body, f"    return {otherwise!r}"]
    return head + "\n" + "\n".join(lines) + "\n"


def _python_dialect(model: StoredModel) -> Dialect:
    return Dialect(
        column=lambda j: f"x{j}",
        operand=lambda j: f"x{j}",
        number=number,
        word=lambda j, word, is_equal: _python_word(model, j, word, is_equal),
        equal="==",
        unequal="!=",
        exp="math.exp",
        absolute="abs",
        root="math.sqrt",
        both="and",
        either="or",
        is_known=lambda j: f"x{j} == x{j}",
    )


def _python_word(model: StoredModel, j: int, word: str, is_equal: bool) -> str:
    raw = None if model.reading is None else model.reading.columns[j]
    if raw is not None:  # read as a place among the words that rules name
        place = float((raw.words or ()).index(word))
        return f"x{j} == {place}" if is_equal else f"(x{j} == x{j} and x{j} != {place})"
    return f"x{j} == {word!r}" if is_equal else f"(x{j} is not None and x{j} != {word!r})"


def _python_reads(model: StoredModel) -> list[str]:
    lines = []
    for j in model.used_features:
        raw = None if model.reading is None else model.reading.columns[j]
        if raw is not None:
            lines.append(f"    cell = row.get({raw.name!r})")
            lines.append(f"    x{j} = {read_formula(raw)}")
            continue
        is_word = model.categories is not None and model.categories[j] is not None
        reader = "_word_in" if is_word else "_number_in"
        lines.append(f"    x{j} = {reader}(row, {model.names[j]!r})")
    return lines


def _python_scores(model: StoredModel) -> str:
    """One signed score a class; the largest wins, as in the library."""
    dialect = _python_dialect(model)
    lines = [_PYTHON_SCORE, "def predict(row):", '    """The label of a row, a dict of names."""']
    for read in _python_reads(model):
        lines.append(read)
    for j in model.used_features:
        known = None if model.categories is None else model.categories[j]
        if known is not None and _cell_of(model, j, False) is None:
            codes = {word: float(k) for k, word in enumerate(known)}
            lines.append(f"    x{j} = math.nan if x{j} is None else {codes!r}.get(x{j}, -1.0)")
    lines.append("    scores = []")
    for k in range(len(model.machines)):
        lines += _python_machine(model, k, dialect)
    lines.append(f"    labels = {list(model.classes)!r}")
    lines.append("    return labels[scores.index(max(scores))]")
    return "\n".join(lines) + "\n"


def _python_machine(model: StoredModel, k: int, dialect: Dialect) -> list[str]:
    machine = _rules_of(model, k)
    steps, default = _steps(model, k)
    calls = [
        f"_signed({rule.value_formula(dialect)}, {number(rule.cut)}, {rule.side!r}, "
        f"{number(rule.tolerance)}, {number(max(rule.unit(), 2.0**-1022))}, "
        f"{machine.with_missing})"
        for rule, _ in steps
    ]
    if not calls:
        return [f"    scores.append({float(default)!r})"]
    parts = ",\n        ".join(calls)
    if isinstance(machine, RuleSet):
        return [
            f"    parts = [\n        {parts},\n    ]",
            f"    scores.append({default} * min(parts))",
        ]
    return [
        f"    parts = [\n        {parts},\n    ]",
        f"    label, nearest = {default}, math.inf",
        f"    for part, output in zip(parts, {[output for _, output in steps]!r}):",
        "        nearest = min(nearest, abs(part))",
        "        if part < 0:",
        "            label = output",
        "            break",
        "    scores.append(label * nearest)",
    ]


# -- JSON ------------------------------------------------------------------------------------


def export_json(machine: Any, *, include_rows: bool = False) -> str:
    """The rules as a plain list: conditions in words, labels, columns, certificate.

    Of a form of a menu, the sentences and the document of the classifier.

    Parameters
    ----------
    machine : StoredForm, CertifiedClassifier, StoredModel or fitted machine
        A form of a menu, or a machine made of rules.
    include_rows : bool
        Write forms that contain training rows. Conditions name examples and do not hold them.

    Examples
    --------
    >>> from handful import SetCoveringMachine, load_dataset
    >>> data = load_dataset("haberman-294")
    >>> machine = SetCoveringMachine("stumps", max_rules=1, candidates=40, random_state=0)
    >>> sorted(json.loads(export_json(machine.fit(data.X, data.y))))
    ['certificate', 'classes', 'columns', 'machines']
    """
    is_cover = isinstance(getattr(machine, "fitted_", None), CoverFit)
    form, model = _read(machine, include_rows or is_cover)  # conditions in words hold no row
    if form is not None:
        fitted = _plain(form, include_rows).reduced()
        plain = {
            "classes": list(form.labels or fitted.classes),
            "columns": list(fitted.uses),
            "sentences": fitted.sentences(include_rows=include_rows),
            "fitted": fitted.to_document(),
            "certificate": form.certificate and form.certificate.to_dict(),
        }
        return json.dumps(plain, indent=1, allow_nan=False) + "\n"
    assert model is not None
    machines = []
    for k in range(len(model.machines)):
        steps, default = _steps(model, k)
        labels = {1: model.classes[1], -1: model.classes[0]}
        if len(model.classes) > 2:
            labels = {1: model.classes[k], -1: None}
        more = OR_MISSING if _rules_of(model, k).with_missing else ""
        machines.append(
            {
                "rules": [
                    {"if": model.condition(rule) + more, "then": labels[output]}
                    for rule, output in steps
                ],
                "otherwise": labels[default],
            }
        )
    document = {
        "classes": list(model.classes),
        "columns": [model.names[j] for j in model.used_features],
        "machines": machines,
        "certificate": None if model.certificate is None else model.certificate.to_dict(),
    }
    return json.dumps(document, indent=1, allow_nan=False) + "\n"

"""Forms of a menu as a workbook: cells of a case in, a label out, by formulas that one can read.

Spreadsheets compare and add numbers in about fifteen digits: what is almost 0 becomes 0.
``STANDARDIZE(a, b, 1)`` is a - b to the last bit, so that ties end as in the library.
"""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from handful.export.named import NamedLanguage, check_common, decision_of
from handful.export.sql import small_forms, spellings
from handful.models import Curve, Fitted, Op
from handful.tables import Column, all_marks
from handful.tables.number_styles import number_of

_ROW = "§"  # stands for the number of the row in formulas
_MADE = datetime(2000, 1, 1)  # the same model gives the same file
_MOST_LETTERS, _MOST_COLUMNS = 8000, 16_000  # of a formula, of a sheet
_BLANK_ROWS = 100  # to fill in; more are copied down
_LIMITS = '{"<",">","≤","≥","~"}'
_NO_NUMBER = '{" ","%",",","$","€","£","/",":","(",")"}'


@dataclass
class _Sheets:
    """Formulas of the sheet ``workings``, one a column, and texts of the sheet ``words``."""

    formulas: list[str] = field(default_factory=list)
    texts: list[Any] = field(default_factory=list)

    def keep(self, formula: str) -> str:
        """Put a formula into the next column and return its cell in the same row."""
        from xlsxwriter.utility import xl_col_to_name

        if len(formula) > _MOST_LETTERS or len(self.formulas) >= _MOST_COLUMNS:
            raise ValueError(
                "`machine` is too large for a spreadsheet. Export it to R, Python or SQL, or "
                "choose a simpler row of the menu."
            )
        self.formulas.append(formula)
        return f"${xl_col_to_name(len(self.formulas) - 1)}{_ROW}"

    def listed(self, texts: Sequence[Any]) -> str:
        """Cells that hold some texts."""
        start = len(self.texts) + 1
        self.texts.extend(texts)
        return f"words!$A${start}:$A${len(self.texts)}"

    def label(self, value: Any) -> str:
        """The cell that holds a label."""
        return self.listed([value]).partition(":")[0]

    def is_among(self, cell: str, texts: Sequence[str]) -> str:
        """Whether a cell is exactly one of some texts; capitals count."""
        known = [text for text in dict.fromkeys(texts) if text]
        asked = [f"SUMPRODUCT(--EXACT({self.listed(known)},{cell}))>0"] if known else []
        asked += [f'{cell}=""'] if "" in texts else []
        return f"OR({','.join(asked or ['FALSE'])})"


class Excel(NamedLanguage):
    """Formulas of a spreadsheet over cells of encoded features; a missing one is #N/A.

    Examples
    --------
    >>> Excel(["$B§"], _Sheets()).condition(0, ">=", 12.5)
    'IFERROR(STANDARDIZE($B§,12.5,1)>=0,FALSE)'
    """

    both, either, absolute, exp, root = "*", "+", "ABS", "EXP", "SQRT"  # TRUE counts as 1
    choose = "IF"

    def __init__(self, cells: Sequence[str], sheets: _Sheets) -> None:
        super().__init__()
        self._cells, self._sheets = list(cells), sheets

    def number(self, value: float) -> str:
        return number_in_cells(value)

    def value(self, feature: int) -> str:
        return self._cells[feature]

    def filled(self, feature: int, fill: float) -> str:
        return f"IFERROR({self.value(feature)},{number_in_cells(fill)})"

    def condition(self, feature: int, op: Op, limit: float) -> str:
        return self.compare(self.value(feature), op, limit)

    def compare(self, value: str, op: Op, limit: float) -> str:
        return _compared(value, {"≠": "<>"}.get(op, op), number_in_cells(limit))

    def exceeds(self, value: str, limit: str, *, or_equals: bool = False) -> str:
        return _compared(value, ">=" if or_equals else ">", limit)

    def at_least(self, value: str, other: str) -> str:
        return _compared(value, ">=", other)

    def total(self, terms: Sequence[str]) -> str:
        text = terms[0] if terms else "0"
        for term in terms[1:]:
            text = f"STANDARDIZE({self.shortened(text)},-({term}),1)"
        return f"({text})"

    def steps(self, curve: Curve, score: int) -> str:
        x, values = self.value(curve.feature), curve.values[score]

        def between(low: int, high: int) -> str:
            if low == high:
                return number_in_cells(values[low])
            middle = (low + high) // 2
            left, right = between(low, middle), between(middle + 1, high)
            is_below = f"STANDARDIZE({x},{number_in_cells(curve.cuts[middle])},1)<0"
            return self.shortened(f"IF({is_below},{left},{right})")

        # a curve without cuts asks nothing that could fail
        text = between(0, len(curve.cuts)) if curve.cuts else f"{x}*0+{between(0, 0)}"
        return f"IFERROR({text},{number_in_cells(curve.missing[score])})"

    def gap(self, value: str, cut: float, unit: float) -> str:
        size = f"ABS(STANDARDIZE({value},{number_in_cells(cut)},1))/{number_in_cells(unit)}"
        return f"IFERROR(MAX({size},1E-300),1E-300)"

    def extreme(self, values: Sequence[str], *, is_largest: bool) -> str:
        return f"{'MAX' if is_largest else 'MIN'}({','.join(map(self.shortened, values))})"

    def named(self, text: str) -> str:
        return self._sheets.keep(text)


def _compared(value: str, op: str, limit: str) -> str:
    return f"IFERROR(STANDARDIZE({value},{limit},1){op}0,FALSE)"


def number_in_cells(value: float) -> str:
    """A number in formulas, which hold fifteen digits: the rest is added.

    Examples
    --------
    >>> number_in_cells(12.5), number_in_cells(-3.0), number_in_cells(0.1 + 0.2)
    ('12.5', '(-3)', '(0.3+5.55111512312578E-17)')
    """
    size = abs(float(value))
    text = f"{size:.15G}"
    rest = size - float(text)
    if rest:
        text = f"({text}{'+' if rest > 0 else '-'}{abs(rest):.15G})"
    return f"(-{text})" if value < 0 else text


def form_excel(
    fitted: Fitted,
    labels: Sequence[Any],
    said: Sequence[str],
    width: float | None,
    cases: tuple[Sequence[Sequence[str]], Sequence[Any]],
) -> bytes:
    """The workbook; ``said`` are lines of text, ``cases`` rows of cells and their answers."""
    try:
        import xlsxwriter
    except ImportError as error:
        raise ImportError(
            "Excel files are written by the package xlsxwriter: pip install 'handful[excel]'."
        ) from error
    small, sheets = fitted.reduced(), _Sheets()
    if small.n_training_rows:
        raise ValueError(
            f"`machine` must hold no training rows to be a workbook, this is a {small.form}. "
            "Export it to R, Python or SQL, or choose another row of the menu."
        )
    cells: list[str] = []
    for i, column in enumerate(small.columns.columns):
        cells += _reads(column, f"cases!${_letters(i)}{_ROW}", sheets)
    language, outputs = Excel(cells, sheets), [sheets.label(label) for label in labels]
    label = decision_of(small.machine, outputs, language, width, '""')
    needed = ",".join(f"ISNA({cells[j]})" for j in small.machine.required)
    label = sheets.keep(f'IF(OR({needed}),"",{label})' if needed else label)
    stream = io.BytesIO()
    book = xlsxwriter.Workbook(stream, {"in_memory": True})
    book.set_properties({"created": _MADE})
    names = ("cases", "rule", "workings", "words")
    pages = {name: book.add_worksheet(name) for name in names}
    bold = book.add_format({"bold": True})
    n_rows = _fill_cases(pages["cases"], small, label, cases, bold)
    _fill_rule(pages["rule"], small, said, len(cases[0]), bold)
    pages["workings"].write_string(0, 0, "What the sheet cases computes with; leave it as it is.")
    for row in range(2, n_rows + 2):
        for k, formula in enumerate(sheets.formulas):
            pages["workings"].write_formula(
                row - 1, k, "=" + formula.replace(_ROW, str(row)), None, ""
            )
    for k, text in enumerate(sheets.texts):
        _write(pages["words"], k, 0, text)
    book.close()
    return stream.getvalue()


def _letters(column: int) -> str:
    from xlsxwriter.utility import xl_col_to_name

    name: str = xl_col_to_name(column)
    return name


def _write(page: Any, row: int, column: int, value: Any) -> None:
    """A value as it is: no text becomes a formula, a link or a number."""
    if isinstance(value, bool):
        page.write_boolean(row, column, value)
    elif isinstance(value, (int, float)):
        page.write_number(row, column, value)
    elif len(value) > 32_000 or "\0" in value:
        raise ValueError("a text must be shorter than 32000 letters, without NUL, in a workbook.")
    else:
        page.write_string(row, column, value)


def _fill_cases(
    page: Any,
    fitted: Fitted,
    label: str,
    cases: tuple[Sequence[Sequence[str]], Sequence[Any]],
    bold: Any,
) -> int:
    """One row a case, with the cells that a user fills in and the label beside them."""
    columns = fitted.columns.columns
    end = len(columns)
    heads = [*(column.name for column in columns), "prediction"]
    for k, name in enumerate(heads + ["answer of handful", "agree"] * bool(cases[0])):
        page.write_string(0, k, name, bold)
    page.set_column(0, end + 2, 16)
    page.freeze_panes(1, 0)
    rows, answers = cases
    for i, (row, answer) in enumerate(zip(rows, answers, strict=True), start=1):
        for k, (cell, column) in enumerate(zip(row, columns, strict=True)):
            if cell != "":
                _write(page, i, k, _as_typed(cell, column))
        page.write_formula(i, end, f"=workings!{label.replace(_ROW, str(i + 1))}", None, "")
        _write(page, i, end + 1, answer)
        here = f"${_letters(end)}{i + 1}", f"${_letters(end + 1)}{i + 1}"
        page.write_formula(i, end + 2, f'=EXACT({here[0]}&"",{here[1]}&"")', None, "")
    n_blank = _BLANK_ROWS if columns else 1
    for i in range(len(rows) + 1, len(rows) + n_blank + 1):
        shown = f"workings!{label.replace(_ROW, str(i + 1))}"
        is_empty = f"COUNTA($A{i + 1}:${_letters(end - 1)}{i + 1})=0" if columns else "FALSE"
        page.write_formula(i, end, f'=IF({is_empty},"",{shown})', None, "")
    return len(rows) + n_blank


def _as_typed(cell: str, column: Column) -> Any:
    """A cell as a user types it: a number if it is one in plain digits."""
    number = number_of(cell)
    is_number = column.kind in ("", "number") and column.style == "plain" and number == number
    return number if is_number and cell.lstrip("+-.")[:1].isdigit() else cell


def _fill_rule(page: Any, fitted: Fitted, said: Sequence[str], n_cases: int, bold: Any) -> None:
    """The rule in words, the certificate, and how many cases agree."""
    page.set_column(0, 0, 120)
    page.write_string(0, 0, fitted.form, bold)
    lines = [*fitted.sentences(), "", *said]
    for k, line in enumerate(lines, start=1):
        page.write_string(k, 0, line[:32_000])
    if n_cases:
        place = _letters(len(fitted.columns.columns) + 2)
        count = f"COUNTIF(cases!${place}$2:${place}${n_cases + 1},TRUE)"
        page.write_formula(len(lines) + 2, 0, f'={count}&" of {n_cases} cases agree"', None, "")


# -- raw cells ------------------------------------------------------------------------------------


def _reads(column: Column, cell: str, sheets: _Sheets) -> list[str]:
    """The cells of the encoded features of a column; #N/A where nothing is known."""
    check_common(column, "a spreadsheet")
    said = f'IF(ISLOGICAL({cell}),IF({cell},"True","False"),IF(ISTEXT({cell}),TRIM({cell}),""))'
    if not column.is_exact:  # engines make i of İ, which the library keeps apart
        said = f'LOWER(SUBSTITUTE({said},"İ","{"İ".casefold()}"))'
    text = sheets.keep(said)
    gone = sheets.keep(_is_gone(column, cell, text, sheets))
    words = column.levels if column.kind == "ordered" else column.words
    if words is None:
        read = sheets.keep(f"IF({gone},NA(),{_number(column, cell, text, sheets)})")
    else:
        asked = [_equals(word, column, cell, text, sheets) for word in words]
        read = "NA()" if column.kind == "ordered" else "-1"
        for k, is_word in reversed(list(enumerate(asked))):
            read = sheets.keep(f"IF({is_word},{k},{read})")
        read = sheets.keep(f"IF({gone},NA(),{read})")
    found = []
    for question in column.features:
        if question.kind == "word":
            place = (words or ()).index(question.word)
            found.append(sheets.keep(f"IF(ISNA({read}),NA(),IF({read}={place},1,0))"))
        else:
            is_flag = question.kind == "missing"
            found.append(sheets.keep(f"IF(ISNA({read}),1,0)") if is_flag else read)
    return found


def _is_gone(column: Column, cell: str, text: str, sheets: _Sheets) -> str:
    """Whether a cell says that nothing is known."""
    if column.is_exact:
        return f"OR(ISBLANK({cell}),ISERROR({cell}))"
    numbers = [n for n in map(number_of, column.marks) if n == n]
    is_number = [_compared(cell, "=", number_in_cells(n)) for n in numbers]
    marks = [form for mark in sorted(all_marks(column.marks)) for form in small_forms(mark)]
    known = sheets.is_among(text, [spelling for mark in marks for spelling in spellings(mark)])
    asked = f"IF(ISNUMBER({cell}),OR({','.join(is_number or ['FALSE'])}),{known})"
    return f"IF(OR(ISBLANK({cell}),ISERROR({cell})),TRUE,{asked})"


def _number(column: Column, cell: str, text: str, sheets: _Sheets) -> str:
    """The number of a cell that says something: a number, or a text that writes one."""
    if column.is_exact:
        return f"IF(ISNUMBER({cell}),{cell},IF(ISLOGICAL({cell}),N({cell}),NA()))"
    two = f'OR(LEFT({text},2)="<=",LEFT({text},2)=">=")'
    one = f"OR(LEFT({text},1)={_LIMITS})"
    bare = f"IF({two},TRIM(MID({text},3,400)),IF({one},TRIM(MID({text},2,400)),{text}))"
    bare = sheets.keep(bare)
    bare = f'IF(RIGHT({bare},1)="%",TRIM(LEFT({bare},LEN({bare})-1)),{bare})'
    if column.style == "thousands comma":
        bare = f'SUBSTITUTE({bare},",","")'
    elif column.style == "thousands dot":
        bare = f'SUBSTITUTE(SUBSTITUTE({bare},".",""),",",".")'
    elif column.style == "decimal comma":
        bare = f'SUBSTITUTE({bare},",",".")'
    bare = sheets.keep(bare)
    is_odd = f'OR({bare}="",SUMPRODUCT(--ISNUMBER(FIND({_NO_NUMBER},{bare})))>0)'
    written = f'IF({is_odd},NA(),IFERROR(_xlfn.NUMBERVALUE({bare},".","|"),NA()))'
    return f"IF(ISNUMBER({cell}),{cell},IF(ISLOGICAL({cell}),N({cell}),{written}))"


def _equals(word: str, column: Column, cell: str, text: str, sheets: _Sheets) -> str:
    """Whether a cell is a word; a number is compared as one."""
    forms = [word] if column.is_exact else small_forms(word)
    listed = [re.sub(" +", " ", s).strip(" ") for form in forms for s in spellings(form)]
    is_text = sheets.is_among(text, listed)
    number = number_of(word)
    if number != number:
        return is_text
    return f"IF(ISNUMBER({cell}),{_compared(cell, '=', number_in_cells(number))},{is_text})"

"""Forms of a menu as a function of R without packages: a data frame in, labels out."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

from handful.export.named import NamedLanguage, check_common, decision_of
from handful.export.sql import small_forms
from handful.models import Curve, Fitted, Op
from handful.tables import Column, all_marks

_HELPERS = r"""  trim <- function(text) trimws(enc2utf8(text), whitespace = "[\\h\\v]")
  small <- function(text) chartr("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz", text)
  holds <- function(test) !is.na(test) & test
  filled <- function(x, fill) ifelse(is.na(x), fill, x)
  step <- function(x, cuts, values, missing) {
    ifelse(is.na(x), missing, values[findInterval(x, cuts) + 1])
  }
  gap <- function(x, cut, unit) {
    size <- pmin(.Machine$double.xmax, pmax(.Machine$double.xmin, abs(x - cut) / unit))
    ifelse(is.na(size), .Machine$double.xmin, size)
  }
  column <- function(data, name) {
    if (!(name %in% names(data))) stop("the data must have the column ", name)
    cell <- data[[name]]
    if (is.factor(cell)) as.character(cell) else cell
  }
  word <- function(cell) { # a word in its normal form: 3 for 3.0
    if (is.logical(cell)) return(ifelse(cell, "True", "False"))
    if (is.numeric(cell)) {
      text <- sprintf("%.15g", cell)
      for (digits in c("%.16g", "%.17g")) {
        other <- !is.na(cell) & as.numeric(text) != cell
        text[other] <- sprintf(digits, cell[other])
      }
      whole <- !is.na(cell) & cell == trunc(cell) & abs(cell) < 2^53
      text[whole] <- sprintf("%.0f", cell[whole])
    } else {
      text <- trim(cell)
      whole <- grepl("^-?(0|[1-9][0-9]{0,14})\\.0+$", text)
      text[whole] <- sub("\\.0+$", "", text[whole])
    }
    sub("^-0$", "0", text)
  }
  gone <- function(cell, all, own) { # whether a cell says that nothing is known
    out <- is.na(cell) | small(word(cell)) %in% own
    if (is.character(cell)) out | small(trim(cell)) %in% all else out
  }
  number <- function(cell, style, all, own) {
    out <- gone(cell, all, own)
    if (!is.character(cell)) {
      value <- as.numeric(cell)
    } else {
      text <- trim(sub("^(<=|>=|[<>\u2264\u2265~])", "", trim(cell)))
      text <- trim(sub("%$", "", text))
      if (style == "thousands comma") text <- gsub(",", "", text, fixed = TRUE)
      if (style == "thousands dot") text <- gsub(".", "", text, fixed = TRUE)
      if (style != "plain") text <- gsub(",", ".", text, fixed = TRUE)
      fits <- grepl("^[-+]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][-+]?[0-9]+)?$", text)
      value <- rep(NA_real_, length(text))
      value[fits] <- as.numeric(text[fits])
    }
    value[out | is.infinite(value)] <- NA
    value
  }
  place <- function(cell, words, other, read, out) { # the place of a cell among words
    text <- read(word(cell))
    value <- rep(other, length(text))
    for (k in rev(seq_along(words))) value[text %in% words[[k]]] <- k - 1
    value[out] <- NA
    value
  }
  is <- function(place, k) ifelse(is.na(place), NA_real_, as.numeric(place == k))
"""


class R(NamedLanguage):
    """R over vectors x0, x1, ... of encoded features; a missing one is NA.

    Examples
    --------
    >>> R().condition(0, ">=", 0.1)
    'holds(x0 >= 0.1)'
    """

    both, either, absolute, exp, root = "&", "|", "abs", "exp", "sqrt"
    choose = "ifelse"

    def number(self, value: float) -> str:
        return number_in_r(value)

    def value(self, feature: int) -> str:
        return f"x{feature}"

    def filled(self, feature: int, fill: float) -> str:
        return f"filled(x{feature}, {number_in_r(fill)})"

    def condition(self, feature: int, op: Op, limit: float) -> str:
        sign = {"=": "==", "≠": "!="}.get(op, op)
        return f"holds(x{feature} {sign} {number_in_r(limit)})"

    def exceeds(self, value: str, limit: str, *, or_equals: bool = False) -> str:
        return f"holds({value} {'>=' if or_equals else '>'} {limit})"

    def at_least(self, value: str, other: str) -> str:
        return self.exceeds(value, other, or_equals=True)

    def compare(self, value: str, op: Op, limit: float) -> str:
        return f"holds({value} {op} {number_in_r(limit)})"

    def steps(self, curve: Curve, score: int) -> str:
        cuts, values = (
            f"c({', '.join(map(number_in_r, part))})" if part else "numeric(0)"
            for part in (curve.cuts, curve.values[score])
        )
        return f"step(x{curve.feature}, {cuts}, {values}, {number_in_r(curve.missing[score])})"

    def gap(self, value: str, cut: float, unit: float) -> str:
        return f"gap({value}, {number_in_r(cut)}, {number_in_r(unit)})"

    def extreme(self, values: Sequence[str], *, is_largest: bool) -> str:
        return f"{'pmax' if is_largest else 'pmin'}({', '.join(values)})"

    def named(self, text: str) -> str:
        self.parts.append(f"part{len(self.parts)} <- {text}")
        return f"part{len(self.parts) - 1}"


def number_in_r(value: float) -> str:
    """A number that R reads as the same float: in decimal digits, or in hexadecimal ones.

    R multiplies and divides decimal digits in long or in plain floats; both give the nearest float
    if the digits are few and the number is not almost halfway between two floats.

    Examples
    --------
    >>> number_in_r(12.5), number_in_r(-0.1), number_in_r(0.1 + 0.2)
    ('12.5', '(-0.1)', '0x1.3333333333334p-2')
    """
    text = repr(float(value))
    exact, size = Fraction(abs(value)), abs(value)
    digits, _, power = text.lower().partition("e")
    n_digits = len(re.sub(r"[^0-9]", "", digits).strip("0"))
    off = abs(Fraction(text.lstrip("-")) - exact) / Fraction(math.ulp(size))
    is_near = off < Fraction(499, 1000) and 1e-6 <= (size or 1.0) < 1e15
    if n_digits > 15 or power or not is_near:
        text = float(value).hex()
    text = text.removesuffix(".0")
    return f"({text})" if text.startswith("-") else text


def text_in_r(text: str) -> str:
    r"""A text in quotes, in ASCII.

    Examples
    --------
    >>> print(text_in_r('été "a"'))
    "\u00e9t\u00e9 \"a\""
    """
    if "\0" in text:
        raise ValueError("a text must not hold NUL characters to be written as R.")
    plain = json.dumps(text, ensure_ascii=False)[1:-1].replace("\\/", "/")
    letters = (
        c if " " <= c <= "~" else f"\\u{ord(c):04x}" if ord(c) < 0x10000 else f"\\U{ord(c):08x}"
        for c in plain
    )
    return f'"{"".join(letters)}"'


def label_in_r(value: Any) -> str:
    """A label as the user gave it."""
    if isinstance(value, bool):
        return str(value).upper()
    return number_in_r(value) if isinstance(value, (int, float)) else text_in_r(str(value))


def form_r(
    fitted: Fitted, certificate: str, outputs: Sequence[str], width: float | None = None
) -> str:
    """The text of the file: a function ``predict_handful`` of a data frame."""
    small, language = fitted.reduced(), R()
    decision = decision_of(small.machine, outputs, language, width, "NA")
    lines = [line for column in _reads(small) for line in column]
    lines += [*language.parts, f"label <- rep_len({decision}, nrow(data))"]
    lines += [f"label[is.na(x{j})] <- NA" for j in small.machine.required]
    head = f"A classifier ({small.form}); needs nothing but R.", certificate
    return "\n".join(
        [
            *("# " + " ".join(line.split()) for line in head),
            "predict_handful <- local({",
            _HELPERS.rstrip("\n"),
            "  function(data) {",
            *(f"    {line}" for line in [*lines, "label"]),
            "  }",
            "})",
            "",
        ]
    )


def _reads(fitted: Fitted) -> list[list[str]]:
    """Encoded features from the columns of a data frame."""
    found, feature = [], 0
    for column in fitted.columns.columns:
        lines = [f"cell <- column(data, {text_in_r(column.name)})", f"read <- {_read(column)}"]
        for question in column.features:
            text = "as.numeric(is.na(read))" if question.kind == "missing" else "read"
            if question.kind == "word":
                text = f"is(read, {(column.words or ()).index(question.word)})"
            lines.append(f"x{feature} <- {text}")
            feature += 1
        found.append(lines)
    return found


def _texts(texts: Sequence[str]) -> str:
    return f"c({', '.join(map(text_in_r, texts))})" if texts else "character(0)"


def _forms(words: Iterable[str]) -> str:
    """All forms in which a cell may write some words."""
    return _texts(list(dict.fromkeys(form for word in words for form in small_forms(word))))


def _read(column: Column) -> str:
    """The number, or the place among words, of each ``cell``."""
    check_common(column, "R alone")
    words = column.levels if column.kind == "ordered" else column.words
    if words is None and column.is_exact:
        return "as.numeric(cell)"
    if words is not None and column.is_exact:
        listed = f"list({', '.join(_texts([word]) for word in words)})"
        return f"place(cell, {listed}, -1, identity, is.na(cell))"
    marks = f"{_forms(sorted(all_marks(column.marks)))}, {_forms(column.marks)}"
    if words is None:
        return f"number(cell, {text_in_r(column.style)}, {marks})"
    listed = f"list({', '.join(_forms([word]) for word in words)})"
    other = "NA_real_" if column.kind == "ordered" else "-1"
    return f"place(cell, {listed}, {other}, small, gone(cell, {marks}))"

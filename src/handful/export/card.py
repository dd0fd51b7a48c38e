"""A classifier as one page for the ward: enter a case, read the decision, without a network.

What lives here: which fields a case has, the generated part of the page's script, and what the page
cannot show. The rest of the script, the page and all its English are in ``report/templates``.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

from handful.bounds import Certificate
from handful.export.javascript import JavaScript, literal
from handful.export.named import check_common
from handful.models import Entry, Fitted
from handful.report import page_text, render_page, without_steering
from handful.tables import Column

_INSTEAD = "Choose one rule, a rule list, a rule set, a score card, a linear or an additive form."


def card_page(
    fitted: Fitted,
    certificate: Certificate | None,
    labels: Sequence[str],
    *,
    width: float | None,
    case: str,
) -> str:
    """The page; ``width`` of doubt around 0, ``case`` the class that risks speak of."""
    small, language = fitted.reduced(), JavaScript()
    entries = _entries(small, language)
    compute = _compute(small, entries, language)
    signed = {small.columns.sources[j] for j in language.signed}
    fields = [
        _field(column, is_signed=i in signed) for i, column in enumerate(small.columns.columns)
    ]
    say = json.loads(page_text("card.json"))
    plain = {
        "fields": fields,
        "features": _features(small),
        "classes": list(labels),
        "required": list(small.machine.required),
        "offset": small.machine.points_offset,
        "risk": _risk(small, case),
        "width": width,
        "entries": [_plain(entry, small) for entry in entries],
    }
    script = "\n".join(
        [
            '"use strict";',
            f"const CARD = {without_steering(literal(plain))};",
            f"const SAY = {without_steering(literal(say))};",
            compute,
            page_text("card.js"),
        ]
    )
    return render_page(
        "card.html",
        script=script,
        more_style=page_text("card.css"),
        say=say,
        title=f"{small.form}: {labels[0]} or {labels[1]}",
        fields=fields,
        sentences=small.sentences(),
        has_risk=plain["risk"] is not None,
        claim=say["no_certificate"] if certificate is None else certificate.statement(),
    )


def _entries(fitted: Fitted, language: JavaScript) -> list[Entry]:
    """The lines of the form; what has none, or holds rows, or has more classes is refused."""
    if len(fitted.classes) != 2:
        raise ValueError(
            f"`machine` must have two classes to be a card, got {len(fitted.classes)}. "
            "Export it to Python or SQL."
        )
    if fitted.n_training_rows:
        raise ValueError(
            f"`machine` must hold no training rows to be a card, this is a {fitted.form}. "
            f"{_INSTEAD}"
        )
    entries = fitted.machine.entries(fitted.words, language)
    if not entries:
        raise ValueError(
            f"`machine` must have lines that a reader can work through to be a card, this "
            f"{fitted.form} has none. {_INSTEAD}"
        )
    return entries


def _field(column: Column, *, is_signed: bool) -> dict[str, Any]:
    """What the page asks of a column: a number, one of the words, or a place on a scale."""
    check_common(column, "a card")
    if column.kind == "ordered":
        return {"name": column.name, "kind": "ordered", "words": list(column.levels)}
    if column.words is not None:
        return {"name": column.name, "kind": "word", "words": list(column.words)}
    marks = [] if column.is_exact else _numbers(column.marks)
    return {"name": column.name, "kind": "number", "marks": marks, "is_signed": is_signed}


def _numbers(marks: Sequence[str]) -> list[float]:
    """The numbers that mean that nothing is known."""
    found = []
    for mark in marks:
        try:
            found.append(float(mark))
        except ValueError:
            continue  # a word, which no number field holds
    return [number for number in found if math.isfinite(number)]


def _features(fitted: Fitted) -> list[dict[str, Any]]:
    """For each encoded feature, the field that it asks, and what it asks of it."""
    columns = fitted.columns
    return [
        {
            "field": source,
            "kind": feature.kind,
            "place": (columns.columns[source].words or ()).index(feature.word)
            if feature.kind == "word"
            else 0,
        }
        for source, feature in zip(columns.sources, columns.features, strict=True)
    ]


def _risk(fitted: Fitted, case: str) -> dict[str, Any] | None:
    curve = fitted.risk
    if curve is None or not fitted.machine.has_sums:
        return None
    is_second = case == fitted.classes[-1]
    parts = {"slope": curve.slope, "intercept": curve.intercept, "offset": curve.offset}
    return {**parts, "case": case, "is_second": is_second}


def _plain(entry: Entry, fitted: Fitted) -> dict[str, Any]:
    fields = sorted({fitted.columns.sources[j] for j in entry.features})
    return {
        "text": entry.text,
        "fields": fields,
        "asks": bool(entry.met) or entry.part >= 0,
        "part": entry.part,
        "label": entry.label,
    }


def _compute(fitted: Fitted, entries: Sequence[Entry], language: JavaScript) -> str:
    """The function from encoded features to label, score, and what holds of each line."""
    machine = fitted.machine
    names = ", ".join(language.value(j) for j in range(len(fitted.columns.names)))
    score = machine.score_formulas(language)[0] if machine.has_sums else "null"
    lines = ",\n    ".join(
        f"[{entry.met or 'true'}, {entry.unmet or 'false'}, {entry.adds or 'null'}]"
        for entry in entries
    )
    return (
        f"const compute = ([{names}]) => ({{\n"
        f"  label: {machine.decision(['0', '1'], language)},\n"
        f"  score: {score},\n"
        f"  lines: [\n    {lines},\n  ],\n}});"
    )

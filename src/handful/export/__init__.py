"""Classifiers in other languages: SQL, Python, R, Excel, JSON, a page for the ward, a card file.

What lives here: languages (`handful.models.Language`), how raw cells are read in them, the text
around a formula, and synthetic cases by which another program can be compared with the library.
What does not: the formulas themselves, which every form gives (`Form.decision`, `Form.statements`,
`Form.score_formulas`, `Form.entries`).

To add a language: a class that fills `handful.models.Language`, the reading of raw cells, and a
test that executes the text and compares labels.
"""

from handful.export.exports import (
    export_card,
    export_cases,
    export_excel,
    export_json,
    export_paper_card,
    export_python,
    export_r,
    export_sql,
)

__all__ = [
    "export_card",
    "export_cases",
    "export_excel",
    "export_json",
    "export_paper_card",
    "export_python",
    "export_r",
    "export_sql",
]

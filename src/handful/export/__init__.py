"""Classifiers in other languages: SQL, Python without dependencies, JSON, a page for the ward.

What lives here: three languages (`handful.models.Language`), how raw cells are read in them, and
the text around a formula. What does not: the formulas themselves, which every form gives
(`Form.decision`, `Form.statements`, `Form.score_formulas`, `Form.entries`).

To add a language: a class that fills `handful.models.Language`, the reading of raw cells, and a
test that executes the text and compares labels.
"""

from handful.export.exports import export_card, export_json, export_python, export_sql

__all__ = ["export_card", "export_json", "export_python", "export_sql"]

"""Model files: JSON in, JSON out, no code executed.

What lives here: writing a fitted rule machine to one JSON document and reading it back as a
`StoredModel` that predicts. What does not: training; anything that imports or evaluates names
found in a file.

To add a rule: an entry in ``RULE_FIELDS`` of ``_rules.py`` with the checked type of each field.
"""

from handful.io._model import StoredModel, load_model, save_model

__all__ = ["StoredModel", "load_model", "save_model"]

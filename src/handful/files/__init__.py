"""Model files and exports: JSON in, JSON out, no code executed.

What lives here: writing a fitted machine to one JSON document, reading it back as a
`StoredModel` that predicts, and writing rules as SQL, Python or plain JSON. What does not:
training, but for the one that a re-check asks for (`Retraining`); anything that imports or
evaluates names found in a file; the independent re-check (`handful.verify`). The fields are
described in ``docs/model-files.md``.

A form of a menu is written by `save_form` and read back as a `StoredForm`; its fields are checked
in ``_form_fields.py``, where a new form gets its line. Estimators of other libraries stand in a
file beside it, written by skops (``_foreign.py``).

To add a rule: an entry in ``RULE_FIELDS`` of ``_rules.py`` with the checked type of each field,
and its formula in ``_export.py``. To add a machine: its record in ``_scores.py`` and how it is
read off the estimator in ``_estimators.py``.
"""

from handful._codec import ModelFileError
from handful.files._reading import Reading, clean_table
from handful.files.beside import Estimators, beside, read_estimators, untrusted_types
from handful.files.form_document import StoredForm, form_to_dict, save_form
from handful.files.model import StoredModel, load_model, model_from_dict
from handful.files.retrain import Retraining
from handful.files.save import model_to_dict, save_model

__all__ = [
    "Estimators",
    "ModelFileError",
    "Reading",
    "Retraining",
    "StoredForm",
    "StoredModel",
    "beside",
    "clean_table",
    "form_to_dict",
    "load_model",
    "model_from_dict",
    "model_to_dict",
    "read_estimators",
    "save_form",
    "save_model",
    "untrusted_types",
]

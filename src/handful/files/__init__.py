"""Model files: JSON in, JSON out, no code executed.

What lives here: writing a fitted machine to one JSON document (`save_model`), reading it back as a
`Model` that predicts (`load_model`), estimators of other libraries in a file beside it, written by
skops, the training that a re-check asks for (`Retraining`, `clean_table`), and the `Protocol` of a
study, which is fixed before the data. What does not:
anything that imports or evaluates names found in a file, other languages (`handful.export`), the
independent re-check (`handful.verify`). ``docs/model-files.md`` describes the fields.

To add a way of learning: a record of kind `Training` in ``model.py``, filled in ``save.py``. Forms
need nothing here: their type hints are their fields.
"""

from handful.codec import ModelFileError
from handful.files.beside import (
    Estimators,
    beside,
    read_estimator,
    read_estimators,
    untrusted_types,
)
from handful.files.model import (
    CoverCode,
    CoverTraining,
    Data,
    MachineTraining,
    MenuTraining,
    Model,
    Provenance,
    RefitTraining,
    Training,
    load_model,
    model_from_dict,
)
from handful.files.protocol import Deviation, FollowedProtocol, Protocol, protocol_template
from handful.files.retrain import CleanTable, Retraining, clean_table
from handful.files.save import (
    certificate_of,
    model_of,
    model_to_dict,
    refuse_rows,
    save_model,
    write_model,
)

__all__ = [
    "CleanTable",
    "CoverCode",
    "CoverTraining",
    "Data",
    "Deviation",
    "Estimators",
    "FollowedProtocol",
    "MachineTraining",
    "MenuTraining",
    "Model",
    "ModelFileError",
    "Protocol",
    "Provenance",
    "RefitTraining",
    "Retraining",
    "Training",
    "beside",
    "certificate_of",
    "clean_table",
    "load_model",
    "model_from_dict",
    "model_of",
    "model_to_dict",
    "protocol_template",
    "read_estimator",
    "read_estimators",
    "refuse_rows",
    "save_model",
    "untrusted_types",
    "write_model",
]

"""Every field that a model file may have stands on the page about model files."""

import re
from dataclasses import fields
from pathlib import Path

from handful import CertifiedClassifier, SetCoveringMachine, load_dataset
from handful.files import CoverCode, Data, Provenance, Training, model_to_dict
from handful.models import Form, Value
from handful.tables import Choices

PAGE = Path(__file__).resolve().parents[2] / "docs" / "model-files.md"
NOT_WRITTEN = {"estimator", "why"}  # of a foreign machine: they are in the file beside


def _keys(value):
    """All names of fields inside plain data."""
    if isinstance(value, dict):
        return set(value).union(*map(_keys, value.values()))
    return set().union(*map(_keys, value)) if isinstance(value, list) else set()


def _names(kind):
    return {field.name for field in fields(kind) if field.metadata.get("file", True)}


def test_every_field_is_documented():
    text = re.sub(r"(?s)```.*?```", "", PAGE.read_text(encoding="utf-8"))
    said = set(re.findall(r"`([^`]+)`", text))
    names = {"decimal comma", "thousands comma", "thousands dot", "number", "ordered", "date"}
    for base in (Form, Value, Training):
        # pages that are run as tests add forms of their own
        ours = {k: v for k, v in base.tagged.items() if v.__module__.startswith("handful.")}
        names |= set(ours).union(*map(_names, ours.values()))
    for kind in (CoverCode, Data, Provenance, Choices):
        names |= _names(kind)
    data = load_dataset("haberman")
    menu = CertifiedClassifier().fit(data.X, data.y)
    for candidate in menu.candidates_:
        names |= _keys(candidate.fitted.to_document())
    document = model_to_dict(SetCoveringMachine("stumps").fit(data.X, data.y))
    inside = {"certificate": None, "provenance": {"estimator": "", "versions": {}}}
    names |= _keys({**document, **inside})
    assert sorted(names - said - NOT_WRITTEN) == []

"""Every field that a form's file may have stands on the page about model files."""

import re
from dataclasses import fields
from pathlib import Path

from handful import CertifiedClassifier, load_dataset
from handful.files import form_fields
from handful.files.form_document import FIELDS
from handful.models import Form
from handful.tables import Choices

PAGE = Path(__file__).resolve().parents[2] / "docs" / "model-files.md"


def _keys(value):
    """All names of fields inside plain data."""
    if isinstance(value, dict):
        return set(value).union(*map(_keys, value.values()))
    return set().union(*map(_keys, value)) if isinstance(value, list) else set()


def test_every_field_is_documented():
    text = PAGE.read_text(encoding="utf-8")
    section = text[text.index("## Forms of a menu") : text.index("## Limits")]
    said = set(re.findall(r"`([^`]+)`", section))
    names = {*FIELDS, *form_fields._PROVENANCE, *Form.kinds, *vars(Choices())}
    names |= {field.name for kind in Form.kinds.values() for field in fields(kind)} - {
        "estimator",
        "why",
    }
    names |= {"decimal comma", "thousands comma", "thousands dot", "number", "ordered", "date"}
    names -= {"handful", "python", "numpy", "scikit-learn"} & said
    data = load_dataset("haberman")
    machine = CertifiedClassifier().fit(data.X, data.y)
    for candidate in machine.candidates_:
        names |= _keys(candidate.fitted.to_document())
    assert sorted(names - said) == []

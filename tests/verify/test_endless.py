"""Files whose re-check would never end: they are refused at once."""

import json
import time

import pytest

from handful.files.document import to_text
from handful.verify import verify_model
from tests.verify.cases_forms import CachedRetraining, form_text, frame


@pytest.mark.parametrize("changes", [{"n_candidates": 10**15}, {"delta": 1e300}, {"delta": -0.95}])
def test_a_form_is_refused_in_time(changes, tmp_path):
    path = tmp_path / "m.json"
    document = json.loads(form_text("one rule"))
    document["training"].update(changes)
    path.write_text(to_text(document))
    start = time.process_time()
    assert verify_model(path, frame(), library=CachedRetraining(path)).status == "NOT VALID"
    assert time.process_time() - start < 10.0

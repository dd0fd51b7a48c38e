"""A pool that nobody drew, in a file whose every other number is right."""

import json

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from handful import SetCoveringMachine
from handful.bounds import Message, Term, compression_bound
from handful.codec import encode
from handful.files.document import to_text
from handful.tables import Columns
from handful.verify import verify_model
from tests.verify.cases import case, reseal


def _noise(rng, n=300):
    return rng.normal(size=(n, 3)), np.where(rng.random(n) < 0.5, "yes", "no")


def _forged(machine, X, y):
    """The regression of all the data; its "pool" are the examples that it gets wrong first."""
    from handful.files.save import model_to_dict

    document = json.loads(to_text(model_to_dict(machine)))
    model = LogisticRegression().fit(X, y)
    wrong = np.flatnonzero(model.predict(X) != y)
    right = np.flatnonzero(model.predict(X) == y)
    size = round(0.45 * len(y))
    kept = sorted([*wrong[:size].tolist(), *right[: max(0, size - len(wrong))].tolist()])
    outside = np.setdiff1d(np.arange(len(y)), kept)
    errors = (model.predict(X) != y)[outside]
    n_fp, n_fn = (
        int((errors & (y[outside] == "no")).sum()),
        int((errors & (y[outside] == "yes")).sum()),
    )
    terms = [Term("code", "which code is used", float(-np.log(0.1)))]
    rule = {
        "value": {"kind": "sum", "weights": model.coef_[0].tolist(), "fill": None}, "op": ">=",
        "cut": float(-model.intercept_[0]), "tol": 0.0, "examples": [],
    }  # fmt: skip
    columns = [encode(column) for column in Columns.of_numbers(["x0", "x1", "x2"]).columns]
    document["fitted"]["columns"]["columns"] = columns
    document["fitted"]["machine"] = {
        "machine": "rule set", "rules": [{"conditions": [rule], "label": 1}], "default": 0,
        "n_classes": 2,
    }  # fmt: skip
    document["training"]["codes"] = [
        {
            "scheme": "plain", "family": "linear", "kind": "conjunction", "pool_size": size,
            "kept": None, "terms": encode(tuple(terms)),
            "n_false_positives": n_fp, "n_false_negatives": n_fn, "n_training_errors": len(wrong),
        }
    ]  # fmt: skip
    document["kept"] = []
    certificate = compression_bound(
        len(y), size, n_fp + n_fn, message_nats=Message(terms), size_nats=0.0,
        which_nats=0.0,
    )  # fmt: skip
    document["certificate"].update(
        risk=certificate.risk, n_compressed=size, n_errors=n_fp + n_fn,
        terms=encode(certificate.terms),
    )  # fmt: skip
    return document, certificate.risk


@pytest.mark.parametrize("seed", [None, 3])
def test_the_worst_examples_are_no_pool(rng, tmp_path, seed):
    X, y = _noise(rng)
    document, risk = _forged(SetCoveringMachine(random_state=seed).fit(X, y), X, y)
    assert risk < 0.2  # on labels that are coin flips
    path = tmp_path / "model.json"
    path.write_text(reseal(json.dumps(document, indent=1)))
    verdict = verify_model(path, X, y)
    assert not verdict.is_valid
    assert "false positives" in " ".join(verdict.differences)  # of the pool that is drawn
    assert "weight 1" in " ".join(verdict.differences)


def test_a_file_may_not_shift_its_rows(tmp_path):
    """The codes of the rows number them; they cannot name other rows than the data have."""
    document = json.loads(case("digest-pool").text)
    stored = document["data"]
    path = tmp_path / "model.json"
    for change in ({"row_codes": stored["row_codes"][:-8] + "AAAAAAA="}, {"sha256": "0" * 64}):
        document["data"] = {**stored, **change}
        path.write_text(reseal(json.dumps(document, indent=1)))
        assert not verify_model(path, case("digest-pool").X, case("digest-pool").y).is_valid

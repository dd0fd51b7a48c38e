"""Files of a menu altered under a hash that fits: VALID is never said of a changed claim."""

from __future__ import annotations

import copy
import json
import random

import numpy as np
import pytest

from handful import load_model
from handful.bounds import binomial_tail_inverse, pool_bound
from handful.files.document import to_text
from handful.verify import verify_model
from tests.verify.cases_forms import (
    FORMS,
    CachedRetraining,
    by_class,
    default_form,
    form_text,
    frame,
)
from tests.verify.test_forgeries import forgeries

N_SAMPLED = 25
# Not claims: versions and the name of the data, and options that the chosen row does not depend on.
SILENT = {
    ("provenance", "versions"),
    ("data", "file"),
    ("data", "reading"),
    ("training", "candidates"),
    ("training", "tolerance"),
}


def _verdict(document, folder):
    path = folder / "m.json"
    path.write_text(document if isinstance(document, str) else to_text(document))
    return verify_model(path, frame(), library=CachedRetraining(path))


def _claims(document):
    """What a reader of the file is told: classifier, certificate, and where both come from."""
    parts = []
    for name in ("training", "data", "provenance"):
        part = document[name]
        if isinstance(part, dict):
            part = {k: v for k, v in part.items() if (name, k) not in SILENT}
        parts.append(part)
    return document["fitted"], document["labels"], document["certificate"], document["kept"], parts


@pytest.mark.parametrize("name", FORMS)
def test_honest_files_are_valid(name, tmp_path):
    verdict = _verdict(form_text(name), tmp_path)
    assert verdict.status == "VALID", verdict.differences


def _loads(path):
    try:
        load_model(path)
    except ValueError:
        return False
    return True


def _false(name, path, value, folder):
    """Whether a forgery is loaded, called VALID, and claims something else.

    Most forgeries are not even loaded: nobody needs to re-check those.
    """
    honest = json.loads(form_text(name))
    altered = copy.deepcopy(honest)
    place = altered
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    if json.dumps(_claims(altered)) == json.dumps(_claims(honest)):
        return False
    path = folder / "m.json"
    path.write_text(to_text(altered))
    return _loads(path) and _verdict(altered, folder).status == "VALID"


def _is_silent(path):
    return path[:2] in SILENT


def _every(name):
    every = forgeries(json.loads(form_text(name)))
    true = (("training", "is_default"), True) if name == default_form() else None
    return [pair for pair in every if not _is_silent(pair[0]) and pair != true]


@pytest.mark.parametrize("name", FORMS)
def test_sampled_forgeries(name, tmp_path):
    every = _every(name)
    for path, value in random.Random(name).sample(every, N_SAMPLED):
        assert not _false(name, path, value, tmp_path), (path, value)


@pytest.mark.slow
@pytest.mark.parametrize("name", FORMS)
def test_every_forgery(name, tmp_path):
    every = _every(name)
    false = [pair for pair in every if _false(name, *pair, tmp_path)]
    print(name, len(every), "forgeries")
    assert not false, false[:5]


def _card(document):
    return document["fitted"]["machine"]


def _threshold(document):
    _card(document)["items"][0]["cut"] += 0.25


def _points(document):
    _card(document)["items"][0]["points"] -= 1


def _side(document):
    item = _card(document)["items"][0]
    item["op"] = "<" if item["op"] == ">=" else ">="


def _dropped_item(document):
    _card(document)["items"].pop()


def _class_order(document):
    document["fitted"]["classes"].reverse()


def _column_name(document):
    columns = document["fitted"]["columns"]["columns"]
    columns[0]["name"], columns[1]["name"] = columns[1]["name"], columns[0]["name"]


def _encoding(document):
    column = next(c for c in document["fitted"]["columns"]["columns"] if c["words"] is not None)
    column["words"] = [{"red": "green", "green": "blue", "blue": "red"}[w] for w in column["words"]]


def _pool_share(document):
    document["training"]["pool_share"] = 0.2


def _nearly_the_pool_share(document):
    document["training"]["pool_share"] *= 1.0001  # of which the same rows would follow


def _paid(document, text, mass):
    document["certificate"]["terms"][0].update(text=text, nats=-np.log(mass))


def _rank(document):
    document["training"]["rank"] = 1
    _paid(document, "the pool's favourite", 0.6)


def _role(document):
    """The favourite among pocket forms, which is another one."""
    document["training"]["roles"][1][1] = document["training"]["rank"]
    _paid(document, "the pool's favourite among pocket forms", 0.3)


def _no_pocket_form(document):
    """Who alone plays a role holds nine tenths."""
    document["training"]["roles"] = [["favourite", document["training"]["rank"]]]
    _paid(document, "the pool's favourite", 0.9)


def _named(document):
    """A favourite that nobody named."""
    document["training"].update(favourite="linear", roles=[["named", document["training"]["rank"]]])
    _paid(document, "the favourite that was named beforehand", 0.9)


def _fewer_candidates(document):
    document["training"].update(rank=1, n_candidates=1, roles=[["favourite", 1]])
    _paid(document, "the pool's favourite", 1.0)


def _delta(document):
    document["training"]["delta"] = document["certificate"]["delta"] = 0.2
    document["certificate"]["terms"][1]["nats"] = -np.log(0.2)


def _kind_of_a_term(document):
    document["certificate"]["terms"][1]["kind"] = "kept"


def _errors(document):
    document["certificate"]["n_errors"] -= 1


def _risk(document):
    document["certificate"]["risk"] *= 0.99


def _digest(document):
    document["data"]["sha256"] = document["data"]["sha256"][::-1]


def _rows(document):
    document["data"]["n_rows"] += 1


def _default(document):
    document["training"]["is_default"] = True


def _assumption(document):
    document["certificate"]["assumptions"].pop()


def _features(document):
    document["data"]["features"].reverse()


def _words(document):
    document["data"]["words"] = []


def _target(document):
    document["data"]["target"] = "colour"


def _kept(document):
    document["kept"] = ["0" * 64]


CHANGES = [
    _features, _words, _target, _kept,
    _threshold, _points, _side, _dropped_item, _class_order, _column_name, _encoding, _pool_share,
    _nearly_the_pool_share,
    _rank, _role, _no_pocket_form, _named, _fewer_candidates, _delta, _kind_of_a_term, _errors,
    _risk, _digest, _rows, _default,
    _assumption,
]  # fmt: skip


def _consistent(document, name):
    """Risk and rates made to follow from what the file now says, as a careful forger would."""
    certificate = document["certificate"]
    nats = sum(term["nats"] for term in certificate["terms"])
    found = pool_bound(
        certificate["n_samples"], certificate["n_compressed"], certificate["n_errors"],
        message_nats=0.0, delta=float(np.exp(-nats)),
    )  # fmt: skip
    certificate["risk"] = found.risk
    counted = zip(certificate["rates"], by_class(name), strict=True)
    certificate["rates"] = [
        [key, float(binomial_tail_inverse(n_errors, n, -nats - np.log(2.0)))]
        for (key, _), (n, n_errors) in counted
    ]


@pytest.mark.sample(10)
@pytest.mark.parametrize("is_careful", [False, True])
@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__.strip("_"))
def test_each_kind_of_field(change, is_careful, tmp_path):
    # a card asks of few columns, the linear form of the words too; the rule plays no role
    other = {_encoding: "linear", _role: "one rule", _no_pocket_form: "one rule"}
    name = other.get(change, "score card")
    document = json.loads(form_text(name))
    change(document)
    if is_careful and change is not _risk:
        _consistent(document, name)
    verdict = _verdict(document, tmp_path)
    assert verdict.status == "NOT VALID"
    assert verdict.differences


@pytest.mark.parametrize("name", ["linear", "prototypes"])
def test_weights(name, tmp_path):
    document = json.loads(form_text(name))
    machine = document["fitted"]["machine"]
    rows = machine["weights"] if name == "linear" else machine["parts"][0]["coefficients"]
    rows[0][0] *= 1.001
    verdict = _verdict(document, tmp_path)
    assert verdict.status == "NOT VALID"
    assert any("trained again" in said for said in verdict.differences)


def test_a_rule_list_in_another_order(tmp_path):
    document = json.loads(form_text("rule list"))
    document["fitted"]["machine"]["rules"].reverse()
    assert _verdict(document, tmp_path).status == "NOT VALID"


def test_a_hash_that_does_not_fit(tmp_path):
    text = form_text("one rule").replace('"n_errors": ', '"n_errors": 1')
    assert any("hash" in said for said in _verdict(text, tmp_path).differences)


def test_other_data(tmp_path):
    path = tmp_path / "m.json"
    path.write_text(form_text("one rule"))
    other = frame().copy()
    other.loc[3, "a"] += 1.0
    verdict = verify_model(path, other, library=CachedRetraining(path))
    assert any("digest of the table" in said for said in verdict.differences)


def test_the_careful_forger_changes_nothing_of_an_honest_file(tmp_path):
    """So that what is found above is the forgery, not its limits."""
    document = json.loads(form_text("score card"))
    _consistent(document, "score card")
    verdict = _verdict(document, tmp_path)
    assert verdict.status == "VALID", verdict.differences

"""Files of a menu that are not what they should be: each is refused by name, nothing is built."""

from __future__ import annotations

import copy
import json

import pytest

from handful import load_model
from handful.files import ModelFileError
from handful.files.document import to_text
from tests.verify.cases import reseal
from tests.verify.cases_forms import FORMS, form_text


def _load(document, folder):
    path = folder / "m.json"
    path.write_text(reseal(document) if isinstance(document, str) else to_text(document))
    return load_model(path)


def _objects(value, path=()):
    """Paths of all objects; of a list the first part stands for the others."""
    if isinstance(value, dict):
        yield path
        for key, inner in value.items():
            yield from _objects(inner, (*path, key))
    elif isinstance(value, list) and value:
        yield from _objects(value[0], (*path, 0))


def _leaves(value, path=()):
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _leaves(inner, (*path, key))
    elif isinstance(value, list) and value:
        yield path, value
        yield from _leaves(value[0], (*path, 0))
    else:
        yield path, value


def _at(document, path):
    for key in path:
        document = document[key]
    return document


@pytest.mark.parametrize("name", FORMS)
def test_unknown_and_missing_fields(name, tmp_path):
    honest = json.loads(form_text(name))
    # marks by column and versions: any may be named, and none must be
    free = {("data", "reading", "missing"), ("data", "reading", "not_missing"),
            ("provenance", "versions")}  # fmt: skip
    optional = {"content_sha256"}  # a hash that is not there is what verify complains about
    defaults = {"n_errors", "n_compressed", "unit", "quantity", "limit", "rates", "assumptions",
                "parameters", "reference", "notes", "terms"}  # fmt: skip
    n_checked = 0
    for path in _objects(honest):
        for field in (*_at(honest, path), "remark"):
            if path in free or field in optional:
                continue
            if path == ("certificate",) and field in defaults:
                continue  # a certificate without them has fewer claims; verify misses them
            altered = copy.deepcopy(honest)
            place = _at(altered, path)
            if field == "remark":
                place[field] = 1
            else:
                del place[field]
            with pytest.raises(ModelFileError):
                _load(altered, tmp_path)
            n_checked += 1
    assert n_checked > 40


def _wrong_types(value):
    if isinstance(value, bool):
        return ["true", 1, None, []]
    if isinstance(value, int | float):
        return [str(value), True, None, [value], {}]
    if isinstance(value, str):
        return [1, None, True, [value], {}]
    if isinstance(value, list):
        return ["x", 1, True, {"0": value}]
    return ["x", 1, True]


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", FORMS)
def test_wrong_types(name, tmp_path):
    honest = json.loads(form_text(name))
    nullable = {"words", "positive", "groups", "weights", "estimators_sha256", "n_errors", "target",
                "n_compressed", "file", "sha256", "n_rows", "features", "columns", "row_codes",
                "seed", "reading"}  # fmt: skip
    n_checked = 0
    for path, value in _leaves(honest):
        if path == ("content_sha256",):
            continue
        for wrong in _wrong_types(value):
            is_allowed = wrong is None and path[-1] in nullable
            is_allowed |= value is None and isinstance(wrong, str)  # a name where there was none
            is_allowed |= path == ("training", "candidates") and isinstance(wrong, str)
            is_allowed |= value is None and path[-1] == "seed" and type(wrong) is int
            is_allowed |= path == ("labels",) or path[:2] == ("provenance", "versions")
            if is_allowed:
                continue
            altered = copy.deepcopy(honest)
            _at(altered, path[:-1])[path[-1]] = wrong
            print(path, wrong)  # the last one was not refused
            with pytest.raises(ModelFileError):
                _load(altered, tmp_path)
            n_checked += 1
    assert n_checked > 100


NUMBERS = [
    ("score card", ("fitted", "machine", "scale")),
    ("score card", ("fitted", "machine", "items", 0, "threshold")),
    ("linear", ("fitted", "machine", "weights", 0, 0)),
    ("prototypes", ("fitted", "machine", "gamma")),
    ("one rule", ("certificate", "risk")),
    ("one rule", ("certificate", "terms", 0, "nats")),
    ("one rule", ("training", "delta")),
    ("one rule", ("training", "pool_share")),
]


MAY_BE_NEGATIVE = ("threshold", 0, "scale")
CASES = [
    (name, path, spelled)
    for name, path in NUMBERS
    for spelled in ("NaN", "Infinity", "-Infinity", "1e999", "-1.0", "1" * 400)
    if not (spelled == "-1.0" and path[-1] in MAY_BE_NEGATIVE)
]


@pytest.mark.parametrize(("name", "path", "spelled"), CASES, ids=lambda v: str(v)[:40])
def test_numbers_that_are_none(name, path, spelled, tmp_path):
    document = json.loads(form_text(name))
    _at(document, path[:-1])[path[-1]] = "HERE"
    text = json.dumps(document).replace('"HERE"', spelled)
    with pytest.raises(ModelFileError):
        _load(text, tmp_path)


@pytest.mark.parametrize("opening", ["[", '{"a":'])
def test_deep_nesting(opening, tmp_path):
    text = form_text("one rule")
    deep = opening * 100_000
    for field in ('"machine": {', '"rules": ['):
        assert field in text
        with pytest.raises(ModelFileError):
            _load(text.replace(field, f"{field.split(':')[0]}: {deep}", 1), tmp_path)


def test_votes_do_not_nest(tmp_path):
    document = json.loads(form_text("constant"))
    machine = document["fitted"]["machine"]
    for _ in range(3):
        machine = {"machine": "vote", "members": [machine], "n_classes": 2}
    document["fitted"]["machine"] = machine
    with pytest.raises(ModelFileError, match="machine"):
        _load(document, tmp_path)


def test_a_field_twice(tmp_path):
    text = form_text("one rule").replace('"n_rows": ', '"n_rows": 1, "n_rows": ', 1)
    with pytest.raises(ModelFileError):
        _load(text, tmp_path)


def test_nothing_that_is_named_is_run(tmp_path):
    document = json.loads(form_text("one rule"))
    document["fitted"]["machine"]["machine"] = "os.system"
    with pytest.raises(ModelFileError, match=r"machine\.machine"):
        _load(document, tmp_path)

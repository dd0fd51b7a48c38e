"""Model files: exact round trip, strict reading, nothing half-written."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handful import DecisionListMachine, SetCoveringMachine, load_dataset
from handful.files import ModelFileError, load_model, model_from_dict, model_to_dict, save_model

MACHINES = {
    "auto": SetCoveringMachine(random_state=0),
    "stumps": SetCoveringMachine(rules="stumps", candidates=40, random_state=0),
    "balls": SetCoveringMachine(rules="balls", candidates=40, random_state=0, metric="manhattan"),
    "half-spaces": SetCoveringMachine(
        rules="half-spaces", kernel="rbf", candidates=30, random_state=0
    ),
    "two-point": SetCoveringMachine(rules="two-point", candidates=30, random_state=0),
    "list": DecisionListMachine(candidates=40, max_rules=3, random_state=0),
}


@pytest.fixture(scope="module")
def fitted():
    data = load_dataset("glass-2class")
    y = np.where(data.y > 0, "float", "other")
    return data.X, {name: machine.fit(data.X, y) for name, machine in MACHINES.items()}


@pytest.mark.parametrize("name", sorted(MACHINES))
def test_round_trip_is_exact(name, fitted, tmp_path, rng):
    X, machines = fitted
    machine = machines[name]
    save_model(machine, tmp_path / "m.json", include_rows=True)
    model = load_model(tmp_path / "m.json")
    more = X[rng.integers(0, len(X), 500)] * rng.normal(1.0, 0.1, size=(500, X.shape[1]))
    assert (model.predict(more) == machine.predict(more)).all()
    np.testing.assert_array_equal(model.scores(more), machine.decision_function(more))
    if name not in ("auto", "balls"):  # which name kept examples, by their places in the file
        assert model.reasons(more) == machine.reasons(more).tolist()
    assert model.certificate == machine.certificate_
    assert list(tmp_path.iterdir()) == [tmp_path / "m.json"]


def test_more_classes(tmp_path):
    from sklearn.datasets import load_iris

    X, y = load_iris(return_X_y=True, as_frame=True)
    machine = SetCoveringMachine(rules="stumps", random_state=0).fit(X, y)
    save_model(machine, tmp_path / "iris.json")
    model = load_model(tmp_path / "iris.json")
    assert (model.predict(X) == machine.predict(X)).all()
    assert (model.predict(X.to_numpy()) == machine.predict(X)).all()  # by position
    assert (model.predict(X[X.columns[::-1]]) == machine.predict(X)).all()  # by name
    assert model.needs == machine.fitted_.uses
    assert len(model.needs) < X.shape[1]
    assert model.classes == (0, 1, 2)


def _document(fitted):
    return json.loads(json.dumps(model_to_dict(fitted[1]["half-spaces"], include_rows=True)))


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("format", "pickle", "not a model file"),
        ("format", "handful-form", "not a model file"),
        ("version", 2, "`version` must be 3"),
        ("data.n_features", -1, "`data.n_features` must be from 1 to"),
        ("data.n_features", 8, "columns that were offered"),
        ("data.words", [9], "`data.words` must be positions"),
        ("fitted.classes", ["a"], "for two classes"),
        ("fitted.classes", [{"a": 1}, "b"], r"`fitted.classes\[0\]` must be a text"),
        ("labels", ["x", "y"], "`labels` must be the words"),
        ("fitted.machine", [], "`fitted.machine.machine` must be one of"),
        ("fitted.machine", {"machine": "eval"}, "`fitted.machine.machine` must be one of"),
        ("fitted.machine.rules", 3, "`fitted.machine.rules` must be a list"),
        ("fitted.columns.columns", [], "parts"),
        ("certificate", {"risk": 0.0}, "`certificate` must be an object with the fields"),
        ("certificate", 3, "`certificate` must be an object with the fields"),
        ("provenance", 3, "`provenance` must be"),
        ("kept", [0.5], r"`kept\[0\]` must be a text"),
        ("kept", [], "`kept` must be 8 examples"),
        ("training.kind", "magic", "`training.kind` must be one of"),
        ("training.codes", None, "`training.codes` must be a list"),
    ],
)
def test_bad_fields_are_named(field, value, message, fitted):
    document = _document(fitted)
    *way, last = field.split(".")
    place = document
    for name in way:
        place = place[name]
    place[last] = value
    with pytest.raises(ModelFileError, match=message):
        model_from_dict(document)


def test_missing_and_unknown_fields(fitted):
    document = _document(fitted)
    del document["labels"]
    document["code"] = "import os"
    with pytest.raises(ModelFileError, match=r"\['code', 'labels'\]"):
        model_from_dict(document)


def test_unreadable_files(tmp_path, fitted):
    with pytest.raises(FileNotFoundError, match="there is no model file"):
        load_model(tmp_path / "none.json")
    for content in (b"", b"\xff\xfe\x00", b"[1, 2", b"[" * 100_000, b"3", b"null"):
        (tmp_path / "bad.json").write_bytes(content)
        with pytest.raises(ModelFileError):
            load_model(tmp_path / "bad.json")
    text = json.dumps(_document(fitted)).replace('"risk": 0.', '"risk": NaN, "x": 0.', 1)
    (tmp_path / "nan.json").write_text(text)
    with pytest.raises(ModelFileError, match="NaN"):
        load_model(tmp_path / "nan.json")


def test_callable_kernels_cannot_be_written(tmp_path):
    data = load_dataset("glass-2class")
    machine = SetCoveringMachine(
        rules="half-spaces", kernel=lambda A, B: A @ B.T, candidates=20, max_rules=1, random_state=0
    )
    machine.fit(data.X, data.y)
    with pytest.raises(TypeError, match="`kernel` must be named"):
        save_model(machine, tmp_path / "m.json")
    assert not list(tmp_path.iterdir())


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=10,
)


@given(data=st.data())
def test_fuzzed_documents_never_surprise(data):
    document = json.loads(json.dumps(_SMALL))
    for _ in range(data.draw(st.integers(1, 3))):
        node = document
        while True:
            keys = list(node) if isinstance(node, dict) else list(range(len(node)))
            if not keys:
                break
            key = data.draw(st.sampled_from(keys))
            if isinstance(node[key], (dict, list)) and data.draw(st.booleans()):
                node = node[key]
                continue
            node[key] = data.draw(json_values)
            break
    try:
        model = model_from_dict(document)
    except ModelFileError:
        return
    model.predict(np.zeros((2, model.data.n_features)))


def _small():
    X = np.arange(40, dtype=float).reshape(20, 2)
    machine = SetCoveringMachine(rules="stumps", candidates=None, max_rules=1)
    return model_to_dict(machine.fit(X, (X[:, 0] > 20).astype(int)))


_SMALL = _small()


@pytest.fixture(scope="module")
def texts(fitted):
    from handful.files.document import to_text

    return [to_text(model_to_dict(machine, include_rows=True)) for machine in fitted[1].values()]


@pytest.mark.thorough
@settings(max_examples=400)
@given(data=st.data())
def test_fuzzed_bytes_are_refused(data, texts, tmp_path_factory):
    """400 model files with a few bytes put in, taken out or changed."""
    content = bytearray(data.draw(st.sampled_from(texts)).encode())
    before = json.loads(content)
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(content) - 1))
        n_gone = data.draw(st.integers(0, 3))
        content[at : at + n_gone] = data.draw(st.binary(max_size=3))
    path = tmp_path_factory.getbasetemp() / "fuzzed.json"
    path.write_bytes(bytes(content))
    try:
        load_model(path)
    except ModelFileError as error:
        assert len(str(error)) < 2000  # noqa: PT017
        return
    assert json.loads(content) == before  # only blanks, or nothing, changed


def test_absurd_sizes(tmp_path):
    for text in (
        '{"format": "handful-model", "a": ' + "[" * 50_000 + "]" * 50_000 + "}",
        '{"format": "handful-model", "n_features": 1' + "0" * 4000 + "}",
        '{"format": "handful-model", "version": 1e999}',
        '{"format": "handful-model", "version": ' + "1" * 10_000 + "}",
    ):
        (tmp_path / "m.json").write_text(text)
        with pytest.raises(ModelFileError):
            load_model(tmp_path / "m.json")

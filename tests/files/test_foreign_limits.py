"""Files of estimators that unpack to more than they are: refused before anything is built."""

from __future__ import annotations

import io
import json
import tracemalloc
import zipfile

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

from handful import CertifiedClassifier, load_model
from handful.files import ModelFileError, Retraining, beside, save_model, untrusted_types
from handful.tables import read_study
from handful.verify import verify_model
from tests.verify.forging import resealed_beside

skops = pytest.importorskip("skops.io", reason="the extra handful[skops] is not installed")
MOST = 40 * 2**20  # bytes that may be taken to refuse a file


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(120, 2)).round(2)
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=120) > 0, "ill", "well")
    frame = pd.DataFrame(X, columns=["a", "b"]).assign(y=y)
    study, path = read_study(frame), tmp_path_factory.mktemp("limits") / "m.json"
    menu = [("mine", LogisticRegression())]
    save_model(CertifiedClassifier(menu).fit(study), path, include_rows=True)
    return frame, path, beside(path).read_bytes()


def _array(n_bytes):
    out = io.BytesIO()
    np.save(out, np.zeros(n_bytes, dtype=np.int8))
    return out.getvalue()


def _archive(parts, how):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", compression=how) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return out.getvalue()


def _node(k, name="a.npy"):
    loader = "NdArrayNode" if name.endswith("npy") else "SparseMatrixNode"
    kind = {"__class__": "ndarray", "__module__": "numpy", "type": "numpy"}
    if name.endswith("npz"):
        kind = {"__class__": "csr_matrix", "__module__": "scipy.sparse._csr", "type": "scipy"}
    return {**kind, "__loader__": loader, "__id__": k, "file": name}


def _schema(honest, nodes):
    with zipfile.ZipFile(io.BytesIO(honest)) as archive:
        schema = json.loads(archive.read("schema.json"))
    more = {"__class__": "list", "__module__": "builtins", "__loader__": "ListNode"}
    return {**schema, **more, "__id__": 1, "content": nodes}


def _words(honest):
    """A plan of a hundred million equal bytes."""
    text = json.dumps(_schema(honest, []))
    return _archive({"schema.json": text[:-1] + " " * 10**8 + "}"}, zipfile.ZIP_DEFLATED)


def _large(honest):
    """An array of zeros."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("schema.json", json.dumps(_schema(honest, [_node(2)])))
        with archive.open("a.npy", "w") as file:
            for _ in range(600):
                file.write(bytes(2**20))
    return out.getvalue()


def _many(honest):
    """One array, named over and over: it is read each time."""
    nodes = [_node(k) for k in range(2, 1500)]
    parts = {"schema.json": json.dumps(_schema(honest, nodes)), "a.npy": _array(2**20)}
    return _archive(parts, zipfile.ZIP_STORED)


def _boast():
    """An array that says that it is larger than its file."""
    header = b"{'descr': '|i1', 'fortran_order': False, 'shape': (99999999999,), }"
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + b"\0" * 100


def _boastful(honest):
    parts = {"schema.json": json.dumps(_schema(honest, [_node(2)])), "a.npy": _boast()}
    return _archive(parts, zipfile.ZIP_STORED)


def _nested(honest):
    """An archive in the archive."""
    inner = _archive({"data.npy": _boast()}, zipfile.ZIP_DEFLATED)
    parts = {"schema.json": json.dumps(_schema(honest, [_node(2, "a.npz")])), "a.npz": inner}
    return _archive(parts, zipfile.ZIP_STORED)


@pytest.mark.parametrize("forge", [_words, _large, _many, _nested, _boastful])
def test_what_unpacks_to_more_is_refused_before_it_is_built(forge, written, tmp_path):
    frame, honest_path, honest = written
    content, path = forge(honest), tmp_path / "m.json"
    assert len(content) < 4 * 2**20
    path.write_text(honest_path.read_text())
    resealed_beside(path, content)
    for use in (untrusted_types, load_model):
        tracemalloc.start()
        with pytest.raises(ModelFileError, match=r"m\.skops"):
            use(path)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < MOST, f"{use.__name__}: {peak / 2**20:.0f} MB"
    verdict = verify_model(path, frame, library=Retraining(path, frame))
    assert verdict.status != "VALID"


def test_an_honest_file_is_opened(written):
    frame, path, _ = written
    assert untrusted_types(path) == []
    assert verify_model(path, frame, library=Retraining(path, frame)).status == "VALID"

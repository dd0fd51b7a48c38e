"""An estimator of another library in the place of the one that was certified."""

import numpy as np
import pandas as pd
import pytest
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from handful import CertifiedClassifier, load_model
from handful.files import Retraining, beside, save_model, untrusted_types
from handful.tables import read_study
from handful.verify import verify_model
from tests.verify.forging import resealed_beside

skops = pytest.importorskip("skops.io", reason="the extra handful[skops] is not installed")
TREE = ["sklearn.tree._tree.Tree"]


def _draw(rng, n):
    X = rng.normal(size=(n, 3)).round(3)
    y = np.where(X[:, 0] - X[:, 1] + 0.15 * rng.normal(size=n) > 0, "ill", "well")
    return pd.DataFrame(X, columns=["a", "b", "c"]).assign(y=y)


@pytest.fixture(scope="module")
def frame():
    return _draw(np.random.default_rng(5), 400)


def _written(frame, estimator, path):
    study = read_study(frame)
    menu = [("mine", make_pipeline(SimpleImputer(), StandardScaler(), estimator))]
    save_model(CertifiedClassifier(menu).fit(study), path, include_rows=True)
    return skops.loads(beside(path).read_bytes(), trusted=[*untrusted_types(path), "numpy.dtype"])


def _verdict(path, frame):
    return verify_model(path, frame, library=Retraining(path, frame, untrusted_types(path)))


def _neighbour(frame, pipeline, gap):
    """Says what a pipeline says of the rows of the table, and the opposite beside them."""
    Z = pipeline[:-1].transform(frame[["a", "b", "c"]])
    said = pipeline.predict(frame[["a", "b", "c"]])
    rng = np.random.default_rng(0)
    beside_them = Z + gap * rng.choice([-1.0, 1.0], size=Z.shape)
    return np.vstack([Z, *[beside_them] * 1]), np.concatenate([said, 1 - said])


@pytest.mark.parametrize("gap", [0.01, 1e-6])
def test_a_neighbour_in_place_of_a_regression(gap, frame, tmp_path):
    path = tmp_path / "m.json"
    content = _written(frame, LogisticRegression(), path)
    assert _verdict(path, frame).status == "VALID"
    certified = load_model(path).certificate.risk
    (pipeline,) = content["fitted"]
    points, labels = _neighbour(frame, pipeline, gap)
    pipeline.steps[-1] = ("logisticregression", KNeighborsClassifier(1).fit(points, labels))
    resealed_beside(path, skops.dumps(content))
    new = _draw(np.random.default_rng(6), 400)
    model = load_model(path, trusted=untrusted_types(path))
    errors = np.mean(model.predict(new) != new["y"])
    verdict = _verdict(path, frame)
    assert verdict.status == "NOT VALID", (certified, errors)
    assert any("KNeighborsClassifier" in text for text in verdict.differences)


@pytest.mark.parametrize(("gap", "wanted"), [(0.01, "NOT VALID"), (1e-9, None)])
def test_more_points_in_the_same_neighbour(gap, wanted, frame, tmp_path):
    """Of the same type: what differs is its state, and labels beside the rows."""
    path = tmp_path / "m.json"
    content = _written(frame, KNeighborsClassifier(1), path)
    assert _verdict(path, frame).status == "VALID"
    (pipeline,) = content["fitted"]
    points, labels = _neighbour(frame, pipeline, gap)
    pipeline[-1].fit(points, labels)
    resealed_beside(path, skops.dumps(content))
    assert _verdict(path, frame).status in ([wanted] if wanted else
                                            ["NOT VALID", "CONSISTENT, NOT VERIFIED"])  # fmt: skip


def test_a_coefficient_in_its_last_digit_is_not_vouched_for(frame, tmp_path):
    path = tmp_path / "m.json"
    content = _written(frame, LogisticRegression(), path)
    content["fitted"][0][-1].coef_ *= 1 + 1e-14
    resealed_beside(path, skops.dumps(content))
    verdict = _verdict(path, frame)
    assert verdict.status == "CONSISTENT, NOT VERIFIED", verdict.differences
    assert "coef_" in " ".join(verdict.unverified)


def test_a_tree_is_compared_node_by_node(frame, tmp_path):
    path = tmp_path / "m.json"
    content = _written(frame, DecisionTreeClassifier(max_depth=3, random_state=0), path)
    assert _verdict(path, frame).status == "VALID"
    content["fitted"][0][-1].random_state = 1
    resealed_beside(path, skops.dumps(content))
    assert _verdict(path, frame).status == "CONSISTENT, NOT VERIFIED"

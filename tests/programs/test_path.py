import numpy as np
import pytest

from handful.programs import lpm_path, mcm_path
from tests.oracles.programs import one_norm_svm, published_mcm, toy


def test_each_point_of_a_path_is_the_optimum():
    X, y = toy()
    Cs = [0.1, 0.5, 1.0, 10.0]
    path = mcm_path(X, y, Cs)
    np.testing.assert_allclose(
        path.values, [1.54755588, 3.64467170, 6.14195131, 48.58346402], atol=1e-8
    )
    np.testing.assert_allclose(path.values, [published_mcm(X, y, C)[0] for C in Cs], rtol=1e-8)
    assert (path.gaps <= 1e-7).all()
    path = lpm_path(X, y, Cs)
    np.testing.assert_allclose(path.values, [one_norm_svm(X, y, C)[0] for C in Cs], rtol=1e-8)


def test_default_grid_and_frame(rng):
    X = rng.normal(size=(60, 4))
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=60) > 0, "yes", "no")
    frame = lpm_path(X, y).frame()
    assert list(frame["C"].round(3))[:2] == [0.001, 0.003]
    assert len(frame) == 13
    assert frame["n_nonzero"].iloc[0] == 0
    assert (np.diff(frame["objective"]) >= 0).all()


@pytest.mark.parametrize(
    ("y", "Cs", "message"),
    [([0, 1, 2], None, "two classes, got 3"), ([0, 1, 1], [0.0], "`Cs` must be positive")],
)
def test_bad_input(y, Cs, message):
    with pytest.raises(ValueError, match=message):
        mcm_path(np.eye(3), y, Cs)

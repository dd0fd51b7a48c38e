"""Parameters that both pursuit estimators share."""

import numpy as np
import pytest

from handful.pursuit import KernelMatchingPursuitClassifier, KernelMatchingPursuitRegressor
from handful.tables import RowDigests

BOTH = [KernelMatchingPursuitClassifier, KernelMatchingPursuitRegressor]
X = np.random.default_rng(0).normal(size=(40, 3))
Y = np.where(X[:, 0] > 0, 1, 0)


@pytest.mark.parametrize("estimator", BOTH)
@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("n_centers", 0, "`n_centers` must be at least 1, got 0"),
        ("n_centers", 2.5, "`n_centers` must be a whole number, got 2.5"),
        ("tol", 1.0, r"`tol` must be in \[0, 1\), got 1.0"),
        ("ridge", -1.0, r"`ridge` must be in \[0, inf\), got -1.0|`ridge` must be in .*got -1.0"),
        ("criterion", "best", "`criterion` must be one of 'residual', 'cosine', got 'best'"),
        ("stop", "never", "`stop` must be one of"),
        ("coefficients", "some", "`coefficients` must be one of"),
        ("pool_fraction", 1.0, r"`pool_fraction` must be in \(0, 1\), got 1.0"),
        ("validation_fraction", 0.0, r"`validation_fraction` must be in \(0, 1\), got 0.0"),
        ("memory_limit", -1, "`memory_limit` must be in"),
        ("kernel", "cosine", "`kernel` must be one of"),
        ("gamma", -1.0, "`gamma` must be a positive number or 'auto', got -1.0"),
        ("gamma", [], "`gamma` must hold at least one value"),
        ("scale", [1.0, 2.0], "`scale` must be 'auto', None or 3 positive numbers"),
        ("scale", "minmax", "`scale` must be 'auto', None or 3 positive numbers"),
        ("scale", [1.0, 0.0, 1.0], "`scale` must be 'auto', None or 3 positive numbers"),
        ("candidates", 0, "`candidates` must be at least 1, got 0"),
    ],
)
def test_bad_parameters(estimator, name, value, message):
    with pytest.raises(ValueError, match=message):
        estimator(**{name: value}).fit(X, Y)


@pytest.mark.parametrize("estimator", BOTH)
def test_given_candidates_need_no_pool(estimator):
    with pytest.raises(ValueError, match="`candidates` must be None or an int"):
        estimator(coefficients="pool", candidates=[1, 2]).fit(X, Y)
    machine = estimator(coefficients="least_squares", candidates=[1, 2, 30]).fit(X, Y)
    assert set(machine.centers_idx_) <= {1, 2, 30}


@pytest.mark.parametrize("estimator", BOTH)
@pytest.mark.parametrize("coefficients", ["pool", "least_squares"])
def test_precomputed_kernel_gives_the_same_machine(estimator, coefficients):
    same = RowDigests.of(X, Y)  # the digest of a kernel matrix is another
    options = {"coefficients": coefficients, "scale": None, "random_state": same}
    direct = estimator(6, kernel="rbf", gamma=0.3, **options).fit(X, Y)
    K = direct.kernel_(X)
    given = estimator(6, kernel="precomputed", **options).fit(K, Y)
    np.testing.assert_array_equal(direct.centers_idx_, given.centers_idx_)
    np.testing.assert_allclose(direct.predict(X), given.predict(K), atol=1e-9)


@pytest.mark.parametrize("estimator", BOTH)
@pytest.mark.parametrize("coefficients", ["pool", "least_squares"])
@pytest.mark.parametrize("kernel", ["rbf", "precomputed"])
def test_the_order_of_the_rows_does_not_matter(estimator, coefficients, kernel, rng):
    order = rng.permutation(len(X))
    here = estimator(6, kernel="rbf", gamma=0.3, scale=None).fit(X, Y).kernel_(X)
    Z, moved = (X, X[order]) if kernel == "rbf" else (here, here[np.ix_(order, order)])
    options = {"kernel": kernel, "gamma": 0.3, "coefficients": coefficients, "scale": None}
    first, second = estimator(6, **options).fit(Z, Y), estimator(6, **options).fit(moved, Y[order])
    np.testing.assert_array_equal(first.centers_idx_, order[second.centers_idx_])
    np.testing.assert_array_equal(first.compression_set_, np.sort(order[second.compression_set_]))
    np.testing.assert_array_equal(first.predict(Z)[order], second.predict(moved))


@pytest.mark.parametrize("estimator", BOTH)
def test_precomputed_kernel_must_be_symmetric(estimator):
    with pytest.raises(ValueError, match="must be a square matrix"):
        estimator(kernel="precomputed").fit(X, Y)


@pytest.mark.parametrize("estimator", BOTH)
def test_callable_kernel(estimator):
    machine = estimator(5, kernel=lambda A, B: A @ B.T + 1.0, coefficients="least_squares")
    assert machine.fit(X, Y).n_centers_ <= 4


@pytest.mark.parametrize("estimator", BOTH)
def test_memory_limit_changes_nothing(estimator):
    kept = estimator(8, gamma=0.5, coefficients="least_squares").fit(X, Y)
    blocks = estimator(8, gamma=0.5, coefficients="least_squares", memory_limit=0).fit(X, Y)
    np.testing.assert_array_equal(kept.centers_idx_, blocks.centers_idx_)


@pytest.mark.parametrize("estimator", BOTH)
def test_pool_scaling_makes_units_irrelevant(estimator):
    units = np.array([1.0, 1000.0, 1e-6])
    options = {"gamma": 0.3, "coefficients": "pool", "random_state": RowDigests.of(X, Y)}
    plain = estimator(5, **options).fit(X, Y)
    other = estimator(5, **options).fit(X * units + 7.0 * units, Y)
    np.testing.assert_array_equal(plain.centers_idx_, other.centers_idx_)


@pytest.mark.parametrize("estimator", BOTH)
def test_fixed_scale_divides(estimator):
    scale = np.array([1.0, 10.0, 0.1])
    given = estimator(5, gamma=0.3, coefficients="least_squares", scale=scale).fit(X * scale, Y)
    plain = estimator(5, gamma=0.3, coefficients="least_squares").fit(X, Y)
    np.testing.assert_array_equal(plain.centers_idx_, given.centers_idx_)


@pytest.mark.parametrize("estimator", BOTH)
@pytest.mark.parametrize("scale", [1e-150, 1e-8, 1e8])
def test_tiny_and_huge_numbers(estimator, scale):
    machine = estimator(3, coefficients="pool").fit(X * scale, Y)
    assert np.all(np.isfinite(machine.predict(X * scale)))


@pytest.mark.parametrize("estimator", BOTH)
def test_constant_columns_and_contradictory_labels(estimator):
    constant = np.column_stack([np.ones(40), X[:, 0]])
    assert estimator(3, coefficients="pool").fit(constant, Y).score(constant, Y) > 0.3
    same = np.ones((40, 2))
    machine = estimator(3, coefficients="pool").fit(same, np.arange(40) % 2)
    assert len(np.unique(machine.predict(same))) == 1

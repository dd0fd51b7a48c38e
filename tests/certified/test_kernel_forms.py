import numpy as np
import pytest

from handful.certified.kernel_forms import prototypes, pursue_in_pool, support_vectors
from tests.certified.cases import error, make_pool, three_classes


def ring(rng, n=150):
    X = rng.normal(size=(n, 2))
    return make_pool(X, (np.hypot(X[:, 0], X[:, 1]) < 1.1).astype(int))


def test_prototypes_are_few_rows_of_the_pool(rng):
    pool = ring(rng)
    (proposal,) = prototypes(pool)
    assert proposal.machine.size <= 16
    assert error(proposal, pool) < 0.12
    rows = {tuple(row) for row in pool.X.tolist()}
    assert all(center in rows for center in proposal.machine.parts[0].centers)


def test_pursuit_takes_the_column_that_helps_most(rng):
    pool = ring(rng, n=40)
    K = rng.random((40, 6))
    target = np.where(pool.y == 1, 1.0, -1.0)

    def residual(columns):
        B = np.column_stack([K[:, columns], np.ones(40)])
        return float(((target - B @ np.linalg.lstsq(B, target, rcond=None)[0]) ** 2).sum())

    chosen, _ = pursue_in_pool(pool, K, np.arange(40), (3,))[0]
    taken: list[int] = []
    for _ in range(3):
        taken.append(min(set(range(6)) - set(taken), key=lambda j: residual([*taken, j])))
    assert chosen.tolist() == taken


def test_support_vectors_are_those_of_scikit_learn(rng):
    from sklearn.svm import SVC

    pool = ring(rng)
    (proposal,) = support_vectors(pool)
    assert error(proposal, pool) < 0.1
    machine = proposal.machine
    costs = (0.3, 1.0, 3.0, 10.0)
    matches = [
        np.array_equal(
            SVC(C=c, gamma=machine.parts[0].kernel.gamma)
            .fit(pool.scaled, pool.y)
            .predict(pool.scaled),
            machine.labels(pool.X),
        )
        for c in costs
    ]
    assert any(matches)


@pytest.mark.parametrize("learn", [prototypes, support_vectors])
def test_three_classes(learn, rng):
    pool = three_classes(rng)
    (proposal,) = learn(pool)
    assert error(proposal, pool) < 0.25
    assert np.array(proposal.machine.parts[0].coefficients).shape[1] == 3

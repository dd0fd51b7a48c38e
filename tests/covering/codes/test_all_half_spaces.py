"""Candidates over all half-spaces: prices and counts."""

from __future__ import annotations

import math

import numpy as np
import pytest

from handful.bounds import half_space_message
from handful.covering.codes import exact_candidates, kernel_of_rows
from handful.covering.codes.compression import first_examples
from handful.kernels import Kernel
from handful.rules import Geometry, SweepOptions, collapse_rows, signs_of
from tests.rules.cases import KINDS, SHAPES, messy

LINEAR = Geometry()
GIVEN = Geometry(kernel=Kernel("precomputed"))


def candidates(rows, geometry=LINEAR, kinds=KINDS):
    return list(exact_candidates(rows, geometry, kinds, [0.7, 1.0], SweepOptions(max_rules=3), ()))


def test_the_price_is_that_of_the_paper_example():
    x = np.array([-3, -2.5, -2, -0.5, 0, 0.7, 1.9, 2.4, 3.3])[:, None]
    y = np.array([-1, -1, -1, 1, 1, 1, -1, -1, -1])
    rows = collapse_rows(x, y)
    options = SweepOptions(max_rules=5)
    found = list(exact_candidates(rows, LINEAR, ["conjunction"], [math.inf], options, ()))
    assert [c.n_errors for c in found] == [3, 0]
    assert found[1].kept == (0, 3, 5, 6)  # one a, two b, one c
    wanted = float(half_space_message(2, 1, 2, 1)) + math.log(math.comb(9, 4))
    assert found[1].nats == pytest.approx(wanted)


def test_precomputed_kernels_give_the_same_candidates(rng):
    X, y = messy(rng, "smooth", m=18)
    X[0] = np.eye(X.shape[1])[0]  # rows and kernel rows sort alike, so that ties fall alike
    plain, given = candidates(collapse_rows(X, y)), candidates(collapse_rows(X @ X.T, y), GIVEN)
    assert [c.counts for c in plain] == [c.counts for c in given]
    assert [c.nats for c in plain] == [c.nats for c in given]


@pytest.mark.parametrize("shape", SHAPES)
def test_candidates_of_precomputed_kernels_count_what_their_machines_do(shape, rng):
    X, y = messy(rng, shape, m=18)
    K = X @ X.T
    for c in candidates(collapse_rows(K, y), GIVEN):
        assert (signs_of(c.build(), K) != y).sum() == c.counts.n_errors_all


def test_rows_know_their_first_example():
    X = np.array([[1.0], [0.0], [1.0], [0.0]])
    rows = collapse_rows(X, np.array([1, -1, 1, -1]))
    assert first_examples(rows).tolist() == [1, 0]
    np.testing.assert_array_equal(kernel_of_rows(rows, LINEAR), np.outer([0, 1], [0, 1]))


def test_overflow_is_refused():
    rows = collapse_rows(np.array([[1e200], [-1e200]]), np.array([1, -1]))
    with pytest.raises(ValueError, match="not finite on these examples"):
        kernel_of_rows(rows, LINEAR)

"""With weights and equal rows, the order of the file changes nothing."""

import numpy as np
import pytest

from handful import CertifiedClassifier

FORMS = ["constant", "one rule", "linear"]

pytestmark = pytest.mark.filterwarnings("ignore::handful.tables.TableCaution")  # few rows


def _menu(X, y, weight, groups, order):
    given = None if groups is None else groups[order]
    machine = CertifiedClassifier(FORMS).fit(
        X[order], y[order], sample_weight=weight[order], groups=given
    )
    menu = machine.menu_.drop(columns="seconds")
    fitted = [c.fitted for c in sorted(machine.candidates_, key=lambda c: c.rank)]
    return menu, fitted, machine.certificate_


def _equal_rows(rng, n=150):
    """Few cells, so that most rows have equals, with weights of their own."""
    X = rng.integers(0, 4, (n, 2)).astype(float)
    y = np.where(X.sum(axis=1) + rng.normal(0, 1.5, n) > 3, "b", "a")
    return X, y, rng.gamma(1.0, 1.0, n)


@pytest.mark.parametrize("is_grouped", [False, True])
def test_the_order_of_weighted_rows_does_not_matter(rng, is_grouped):
    X, y, weight = _equal_rows(rng)
    groups = rng.integers(0, 50, len(y)) if is_grouped else None
    menu, fitted, certificate = _menu(X, y, weight, groups, np.arange(len(y)))
    for _ in range(4):
        other = _menu(X, y, weight, groups, rng.permutation(len(y)))
        assert other[0].equals(menu)
        assert other[1] == fitted
        assert other[2] == certificate


@pytest.mark.thorough
def test_the_order_of_weighted_rows_never_matters(rng):
    for _ in range(10):
        X, y, weight = _equal_rows(rng)
        menu, fitted, _ = _menu(X, y, weight, None, np.arange(len(y)))
        for _ in range(10):
            other = _menu(X, y, weight, None, rng.permutation(len(y)))
            assert other[0].equals(menu)
            assert other[1] == fitted

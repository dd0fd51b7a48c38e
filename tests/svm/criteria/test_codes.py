"""Code lengths against the published vectors and by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from handful.kernels import Kernel
from handful.svm import KernelGeometry, MachineGeometry, fit_svm_grid
from handful.svm import code_lengths as codes

CODES = (codes.code_1, codes.code_2, codes.code_3, codes.code_4, codes.code_5)


@pytest.mark.parametrize(
    ("index", "expected"),
    [
        (0, (8.567246508, 4.662258934, 7.955326261, 7.988490187, 4.689735285)),
        (1, (8.733610095, 4.247151804, 6.375838634, 6.497987575, 3.359253262)),
    ],
)
def test_coefficients(machines, index, expected):
    found = [code(machines[index]).total / 20 for code in CODES]
    assert found == pytest.approx(expected, abs=1e-8)


def test_slab(machines):
    assert codes.code_2(machines[0], region="slab").total / 20 == pytest.approx(6.524933767)
    assert codes.code_3(machines[0], region="slab").total / 20 == pytest.approx(9.818001094)
    assert codes.code_2(machines[1], region="slab") == codes.code_2(machines[1])


def test_projection_of_code_4(machines):
    for g, dimension, loss in ((machines[0], 4, 0.920580502), (machines[1], 9, 0.092338361)):
        valid = [d for d, value in enumerate(g.projection_loss) if value < 1]
        assert valid[0] == dimension
        assert g.projection_loss[dimension] == pytest.approx(loss, abs=1e-8)
        best, smallest = (codes.code_4(g, dimension=d).total for d in ("best", "smallest"))
        assert best <= smallest
        assert g.projected_bits.min() == pytest.approx(
            min(
                codes.cell_bits(2 * np.sqrt(g.span.values[:d]) * g.norm / np.sqrt(1 - loss_d**2))
                for d, loss_d in enumerate(g.projection_loss)
                if loss_d < 1
            )
        )


def test_exact_lists_by_hand(machines):
    g = machines[0]
    inside = math.log2(21) + math.log2(math.comb(20, 4)) + 4
    outside = math.log2(17) + math.log2(math.comb(16, 2))
    found = codes.code_2(g, exact=True)
    assert found.inside == pytest.approx(inside)
    assert found.outside == pytest.approx(outside)
    assert codes.code_3(g, exact=True).support == pytest.approx(
        math.log2(21) + math.log2(math.comb(20, 16))
    )
    assert codes.code_5(g, exact=True).outside == pytest.approx(math.log2(5))


def test_log_star():
    assert codes.log_star(10.0) == pytest.approx(15.846405234)
    assert codes.log_star(1000.0) == pytest.approx(1015.803304498)
    assert codes.log_star(1.0) == 1.0
    assert codes.log_star(0.0) == 0.0


def test_zero_widths_cost_nothing():
    assert codes.cell_bits(np.array([0.0, 1.0, 1.0 + 1e-13, 2.0, 3.5])) == pytest.approx(3.0)


def test_trivial_machines_have_no_code():
    options = {"kernels": [Kernel("linear")], "Cs": [1.0], "fit_intercept": False}
    model = fit_svm_grid(np.zeros((4, 1)), np.array([1.0, 1, -1, -1]), **options)[0]
    g = MachineGeometry(model, KernelGeometry(np.zeros((4, 4))))
    assert all(code(g).total == math.inf for code in CODES)


def test_unknown_dimension(machines):
    with pytest.raises(ValueError, match="`dimension` must be"):
        codes.code_4(machines[0], dimension="all")

import numpy as np
import pytest

from handful.certified import rank_masses
from tests.oracles import menu as oracle


@pytest.mark.parametrize("n", [1, 2, 3, 12, 40])
def test_masses_equal_the_oracle_and_sum_to_one(n):
    masses = rank_masses(n)
    np.testing.assert_allclose(masses, oracle.rank_masses(n), rtol=1e-13)
    assert masses.sum() <= 1.0 + 1e-12
    assert masses[0] == (0.85 if n > 1 else 1.0)
    assert (np.diff(masses) <= 0).all()

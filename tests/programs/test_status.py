import pickle

import pytest

from handful.programs import LPStatus, SolverError


@pytest.mark.parametrize("status", list(LPStatus))
def test_every_status_is_a_sentence(status):
    assert status.sentence.endswith(".")
    assert status is LPStatus.OPTIMAL or len(status.sentence.split(".")) > 2  # what, and what next


def test_error_carries_status_and_detail_through_pickle():
    error = pickle.loads(pickle.dumps(SolverError(LPStatus.TIME_LIMIT, "More.")))
    assert error.status is LPStatus.TIME_LIMIT
    assert str(error).startswith("The time limit passed")
    assert str(error).endswith("More.")

"""The published bounds as they must be read, and the repaired one."""

from __future__ import annotations

import mpmath as mp
import pytest

from handful.bounds import (
    Certificate,
    Criterion,
    published_ball_bound,
    published_half_space_bound,
    repaired_half_space_bound,
)
from tests.oracles import bounds as oracle

HALF_SPACES = [
    # kind, m_p, m_n, a, b, c, fn, fp, r, value
    ("conjunction", 215, 400, 1, 1, 1, 5, 10, 1, 0.15619909130476164),
    ("disjunction", 215, 400, 1, 1, 1, 5, 10, 1, 0.157076703565106),
    ("conjunction", 241, 450, 3, 3, 3, 59, 76, 3, 0.5304410789366151),
    ("conjunction", 241, 450, 2, 3, 2, 59, 76, 3, 0.5194837634115241),
    ("disjunction", 197, 67, 1, 1, 1, 11, 43, 1, 0.42754333621437374),
    ("conjunction", 200, 200, 1, 1, 0, 199, 0, 1, 0.13756061596958005),
]
BALLS = [
    ((215, 400, 1, 0, 1, 5, 10), 0.1455178270275672),
    ((400, 215, 2, 3, 4, 7, 9), 0.20758330434454197),
]


@pytest.mark.parametrize(
    ("kind", "mp_", "mn", "a", "b", "c", "fn", "fp", "r", "value"), HALF_SPACES
)
def test_printed_half_spaces(kind, mp_, mn, a, b, c, fn, fp, r, value):
    criterion = published_half_space_bound(mp_, mn, a, b, c, fn, fp, r, kind=kind)
    assert isinstance(criterion, Criterion)
    assert criterion.value == pytest.approx(value, rel=1e-12)
    exact = oracle.published_half_space(mp_, mn, a, b, c, fn, fp, r, kind == "conjunction", 0.05)
    assert criterion.value == pytest.approx(float(exact), rel=1e-12)


def test_printed_terms_of_a_half_space():
    *rest, message, sizes = published_half_space_bound(241, 450, 3, 3, 3, 59, 76, 3).terms
    assert (message.kind, sizes.kind) == ("message", "sizes")
    assert message.nats == pytest.approx(6.628041376, abs=1e-9)
    assert sizes.nats == pytest.approx(30.678299921, abs=1e-9)
    assert sum(term.nats for term in rest) == pytest.approx(376.204594135, abs=1e-8)


def test_printed_counterexample():
    """Any classifier errs with probability 1/2 on these labels; the claim falls to 3.5 %."""
    criterion = published_half_space_bound(1000, 1000, 1, 1, 0, 999, 0, 1)
    assert criterion.value == pytest.approx(0.0353, abs=5e-5)
    assert "false" in criterion.warning


@pytest.mark.parametrize(("arguments", "value"), BALLS)
def test_printed_balls(arguments, value):
    criterion = published_ball_bound(*arguments)
    assert isinstance(criterion, Criterion)
    assert criterion.value == pytest.approx(value, rel=1e-12)
    exact = oracle.published_ball(*arguments, 0.05)
    assert criterion.value == pytest.approx(float(exact), rel=1e-12)


REPAIRED = [
    ("conjunction", 615, 1, 15, 0.15568591498429907),
    ("conjunction", 691, 3, 135, 0.5315507994098758),
    ("disjunction", 264, 1, 54, 0.5450810632686216),
]


@pytest.mark.parametrize(("kind", "m", "r", "k", "value"), REPAIRED)
def test_printed_repaired(kind, m, r, k, value):
    certificate = repaired_half_space_bound(m, r, r, r, k, r, kind=kind)
    assert isinstance(certificate, Certificate)
    assert certificate.risk == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize("kind", ["conjunction", "disjunction"])
@pytest.mark.parametrize(
    ("m", "a", "b", "c", "k", "r"),
    [(50, 0, 0, 0, 7, 0), (50, 2, 3, 1, 0, 4), (300, 2, 1, 2, 40, 2), (9, 1, 1, 1, 5, 1)],
)
def test_repaired_matches_the_formula(m, a, b, c, k, r, kind):
    exact = oracle.repaired_half_space(m, a, b, c, k, r, kind == "conjunction", 0.1)
    value = mp.mpf(repaired_half_space_bound(m, a, b, c, k, r, kind=kind, delta=0.1).risk)
    assert exact <= value <= exact * (1 + mp.mpf("1e-9"))


def test_edges():
    assert published_half_space_bound(2, 2, 1, 1, 0, 1, 1, 1).value == 1.0
    assert published_ball_bound(3, 3, 1, 0, 0, 2, 3).value == 1.0
    assert repaired_half_space_bound(5, 1, 1, 1, 2, 1).is_vacuous
    assert published_half_space_bound(50, 50, 0, 0, 0, 3, 3, 0).value < 1.0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: published_half_space_bound(1, 9, 2, 1, 0, 0, 0, 2), "`n_a [+] n_c` must be"),
        (lambda: published_half_space_bound(9, 1, 1, 2, 0, 0, 0, 2), "`n_b` must be at most"),
        (lambda: published_half_space_bound(9, 9, 1, 1, 0, 9, 0, 1), "`n_false_negatives` must be"),
        (lambda: published_half_space_bound(9, 9, 1, 1, 0, 0, 9, 1), "`n_false_positives` must be"),
        (lambda: published_half_space_bound(9, 9, 1, 1, 0, 0, 0, 1, kind="x"), "`kind` must be"),
        (lambda: published_half_space_bound(9, 9, 1, 1, 0, 0, 0, 2), "`n_rules` must be at most 1"),
        (lambda: published_ball_bound(3, 3, 4, 0, 0, 0, 0), "`n_same_centers` must be at most 3"),
        (lambda: published_ball_bound(3, 3, 1, 0, 3, 0, 0), "`n_borders` must be at most 2"),
        (lambda: published_ball_bound(3, 3, 1, 0, 1, 2, 0), "`n_same_errors` must be at most 1"),
        (lambda: published_ball_bound(3, 3, 1, 1, 1, 0, 3), "`n_other_errors` must be at most 2"),
        (lambda: repaired_half_space_bound(2, 1, 1, 1, 0, 1), "`n_a [+] n_b [+] n_c` must be"),
        (lambda: repaired_half_space_bound(9, 1, 1, 1, 7, 1), "`n_errors` must be at most 6"),
    ],
)  # fmt: skip
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()

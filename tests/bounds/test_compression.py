"""Sample-compression bounds against printed vectors, 50-digit formulas and each other."""

from __future__ import annotations

import math

import mpmath as mp
import pytest
from hypothesis import given
from hypothesis import strategies as st

from handful.bounds import (
    ClassCounts,
    Message,
    Term,
    binomial_tail_inverse,
    closed_form_compression_bound,
    compression_bound,
    cost_bound,
    folk_compression_bound,
    half_space_message,
    kl_compression_bound,
    kl_inverse,
    pool_bound,
)
from tests.oracles import bounds as oracle

TIGHT = mp.mpf("1e-9")


def is_outward(value, exact, tight=TIGHT):
    return exact <= mp.mpf(value) <= exact * (1 + tight)


# (kind, positives, negatives, a = b = c = r, false negatives, false positives)
CASES = {
    "first": ("conjunction", 215, 400, 1, 5, 10),
    "second": ("conjunction", 241, 450, 3, 59, 76),
    "third": ("disjunction", 197, 67, 1, 11, 43),
}
# nats under the paper's prior: zeta for each of a, b, c; ln C(ab, r) + ln(ab) for the pairs
PRINTED = {
    "first": {
        "nats_paper": 26.809086107547287,
        "nats": 22.34794959980607,
        "binomial_paper": 0.09569885583657156,
        "binomial": 0.08670693712544786,
        "kl": 0.09963926612283164,
        "closed": 0.1470963069634478,
        "joint": (0.07387824338219405, 0.05791970187976598),
        "conditional": (0.10740903709060182, 0.15202314732149128),
    },
    "second": {
        "nats_paper": 68.41949058304782,
        "nats": 60.05078542022783,
        "binomial_paper": 0.40313574601851593,
        "binomial": 0.3883661631493592,
        "kl": 0.4079228090232666,
        "closed": 0.5226262564410701,
        "joint": (0.2811315958436661, 0.24648751826621124),
        "conditional": (0.3989850016633587, 0.5880835383483312),
    },
    "third": {
        "nats_paper": 24.265551614742908,
        "nats": 19.804415107001688,
        "binomial_paper": 0.3990198290143632,
        "binomial": 0.37691437888460866,
        "kl": 0.40982275619212355,
        "closed": 0.525983663466292,
        "joint": (0.33047911844643, 0.16214988467813607),
        "conditional": (0.915147397790442, 0.20058643426570855),
    },
}


def arguments(case):
    kind, n_p, n_n, r, fn, fp = CASES[case]
    same_positive = kind == "conjunction"
    counts = ClassCounts(
        n_positives=n_p,
        n_negatives=n_n,
        n_compressed_positives=2 * r if same_positive else r,
        n_compressed_negatives=r if same_positive else 2 * r,
        n_false_positives=fp,
        n_false_negatives=fn,
        split_nats=0.0,
    )
    return n_p + n_n, 3 * r, fn + fp, half_space_message(r, r, r, r, kind=kind), counts


def paper_message(r):
    """Zeta priors for a, b, c, the pairing, and which of the same class are thresholds."""
    pairs = math.log(math.comb(r * r, r)) + math.log(r * r)
    return 3 * float(oracle.zeta_nats(r)) + pairs + math.log(math.comb(2 * r, r))


@pytest.mark.parametrize("case", CASES)
def test_printed_certificates(case):
    m, d, k, message, counts = arguments(case)
    printed = PRINTED[case]
    certificate = compression_bound(m, d, k, message_nats=message, size_nats=0, counts=counts)
    assert certificate.nats == pytest.approx(printed["nats"], abs=1e-9)
    assert certificate.risk == pytest.approx(printed["binomial"], abs=1e-9)
    rates = dict(certificate.rates)
    joint = (rates["false_positive"], rates["false_negative"])
    assert joint == pytest.approx(printed["joint"], abs=1e-9)
    conditional = tuple(
        rates[n] for n in ("false_positive_given_negative", "false_negative_given_positive")
    )
    assert conditional == pytest.approx(printed["conditional"], abs=1e-9)


@pytest.mark.parametrize("case", CASES)
def test_printed_certificates_under_the_papers_prior(case):
    m, d, k, _, _ = arguments(case)
    printed = PRINTED[case]
    options = {"message_nats": paper_message(CASES[case][3]), "size_nats": 0}
    certificate = compression_bound(m, d, k, **options)
    assert certificate.nats == pytest.approx(printed["nats_paper"], abs=1e-9)
    assert certificate.risk == pytest.approx(printed["binomial_paper"], abs=1e-9)
    assert kl_compression_bound(m, d, k, **options).risk == pytest.approx(printed["kl"], abs=1e-9)
    closed = closed_form_compression_bound(m, d, k, **options).risk
    assert closed == pytest.approx(printed["closed"], abs=1e-9)


def test_printed_relaxations():
    """n = 40, k = 4, 60 nats: the closed form wins over kl close to 1."""
    options = {"message_nats": 60 + math.log(0.05), "size_nats": 0}
    assert compression_bound(40, 0, 4, **options).risk == pytest.approx(0.860226, abs=1e-6)
    assert kl_compression_bound(40, 0, 4, **options).risk == pytest.approx(0.866268, abs=1e-6)
    closed = closed_form_compression_bound(40, 0, 4, **options).risk
    assert closed == pytest.approx(0.862478, abs=1e-6)


def test_printed_closed_form_of_a_decision_list():
    """The published style, with a prior over the number of errors: one more term."""
    message = Message([Term("errors", "list and errors", float(oracle.zeta_nats(12)))])
    nats = 40.105876996 + math.log(0.05) - float(oracle.log_coefficient(615, 4))
    value = closed_form_compression_bound(615, 4, 12, message_nats=message + nats, size_nats=0).risk
    assert value == pytest.approx(0.157445331, abs=1e-9)


def test_printed_costs():
    options = {"message_nats": half_space_message(1, 1, 1, 1), "size_nats": 0}
    certificate = cost_bound(615, 3, 10, 5, cost_false_negative=5.0, **options)
    assert certificate.risk == pytest.approx(0.363476753, abs=1e-9)
    assert certificate.limit == 5.0
    nats = compression_bound(615, 3, 15, **options).nats
    assert 5 * float(kl_inverse(35 / 3060, nats / 612)) == pytest.approx(0.332472218, abs=1e-9)


def test_printed_folk_theorem():
    assert folk_compression_bound(615, 3, 15).risk == pytest.approx(0.175011231, abs=1e-9)


def test_printed_size_priors():
    for d, nats in ((3, 3.27), (9, 5.10)):
        (size,) = [t for t in compression_bound(615, d, 0).terms if t.kind == "size"]
        assert size.nats == pytest.approx(nats, abs=5e-3)


# ---- oracles -------------------------------------------------------------------------------

GRID = [
    (m, d, k, message, delta)
    for m in (1, 2, 30, 300)
    for d in (0, 1, m // 4)
    for k in {0, (m - d) // 10, (m - d) // 2}
    for message, delta in ((0.0, 1e-9), (7.5, 0.05), (0.0, 0.999))
    if d < m and k < m - d
]


@pytest.mark.parametrize(("m", "d", "k", "message", "delta"), GRID)
def test_matches_the_formulas(m, d, k, message, delta):
    nats = oracle.compression_nats(m, d, message, delta)
    options = {"message_nats": message, "delta": delta}
    certificate = compression_bound(m, d, k, **options)
    assert mp.almosteq(certificate.nats, nats, rel_eps=1e-13)
    if m <= 30:
        assert is_outward(certificate.risk, oracle.tail_inverse(k, m - d, -nats))
    exact = oracle.kl_inverse(mp.mpf(k) / (m - d), nats / (m - d))
    assert is_outward(kl_compression_bound(m, d, k, **options).risk, exact)
    exact = oracle.closed_form(m - d, k, nats)
    assert is_outward(closed_form_compression_bound(m, d, k, **options).risk, exact)
    exact = min(mp.mpf(1), oracle.folk(m, d, k, delta))
    assert is_outward(folk_compression_bound(m, d, k, delta=delta).risk, exact)


def test_choices_and_pools_are_paid():
    plain = compression_bound(100, 2, 5)
    assert compression_bound(100, 2, 5, n_choices=6).nats == pytest.approx(plain.nats + math.log(6))
    pooled = compression_bound(100, 2, 5, pool_size=10)
    saved = float(oracle.log_coefficient(100, 2) - oracle.log_coefficient(10, 2))
    assert pooled.nats == pytest.approx(plain.nats - saved)
    assert pooled.assumes("blind-pool")
    assert not plain.assumes("blind-pool")
    assert compression_bound(100, 2, 5, pool_size=100).risk == plain.risk


def test_pool_bound_matches_the_formula():
    nats = 6.0 - math.log(0.05) + math.log(3)
    certificate = pool_bound(50, 20, 4, message_nats=6.0, n_choices=3)
    assert is_outward(certificate.risk, oracle.tail_inverse(4, 30, -nats))
    assert certificate.nats == pytest.approx(nats)
    assert certificate.assumes("blind-pool")
    assert pool_bound(50, 50, 0).is_vacuous
    assert pool_bound(50, 0, 3, message_nats=1.0).risk == pytest.approx(
        compression_bound(50, 0, 3, message_nats=1.0, size_nats=0).risk
    )


def test_rates_match_the_formulas():
    """Joint rates pay ln 2; class-conditional ones code the kept examples class by class."""
    counts = ClassCounts(
        n_positives=12,
        n_negatives=18,
        n_compressed_positives=1,
        n_compressed_negatives=2,
        n_false_positives=3,
        n_false_negatives=2,
    )
    certificate = compression_bound(30, 3, 5, message_nats=1.0, delta=0.1, counts=counts)
    nats = oracle.compression_nats(30, 3, 1.0, 0.1) + mp.log(2)
    assert is_outward(certificate.rate("false_positive"), oracle.tail_inverse(3, 27, -nats))
    assert is_outward(certificate.rate("false_negative"), oracle.tail_inverse(2, 27, -nats))
    which = oracle.log_coefficient(12, 1) + oracle.log_coefficient(18, 2) + mp.log(4)
    nats += which - oracle.log_coefficient(30, 3)
    fpr = certificate.rate("false_positive_given_negative")
    assert is_outward(fpr, oracle.tail_inverse(3, 16, -nats))
    fnr = certificate.rate("false_negative_given_positive")
    assert is_outward(fnr, oracle.tail_inverse(2, 11, -nats))


def test_rates_with_a_pool():
    values = {
        "n_positives": 12,
        "n_negatives": 18,
        "n_compressed_positives": 1,
        "n_compressed_negatives": 1,
        "n_false_positives": 3,
        "n_false_negatives": 2,
    }
    options = {"message_nats": 1.0, "pool_size": 9}
    blind = compression_bound(30, 2, 5, counts=ClassCounts(**values), **options)
    assert [name for name, _ in blind.rates] == ["false_positive", "false_negative"]
    counts = ClassCounts(**values, n_pool_positives=4)
    certificate = compression_bound(30, 2, 5, counts=counts, **options)
    nats = oracle.compression_nats(30, 2, 1.0, 0.05, pool=9) + mp.log(2)
    nats += mp.log(4) + mp.log(5) + mp.log(3) - oracle.log_coefficient(9, 2)
    fpr = certificate.rate("false_positive_given_negative")
    assert is_outward(fpr, oracle.tail_inverse(3, 17, -nats))


def test_examples_drawn_blindly_need_no_name():
    """A pool that is not counted: nothing is paid for it, in the rates within a class neither."""
    values = {
        "n_positives": 12,
        "n_negatives": 18,
        "n_compressed_positives": 4,
        "n_compressed_negatives": 6,
        "n_false_positives": 3,
        "n_false_negatives": 1,
    }
    options = {"message_nats": 2.0, "size_nats": 0, "which_nats": 0.0, "delta": 0.1}
    certificate = compression_bound(30, 10, 4, counts=ClassCounts(**values), **options)
    assert certificate.risk == pool_bound(30, 10, 4, message_nats=2.0, delta=0.1).risk
    nats = 2 - mp.log(mp.mpf(0.1))
    assert is_outward(certificate.risk, oracle.tail_inverse(4, 20, -nats))
    nats += mp.log(2)
    fpr = certificate.rate("false_positive_given_negative")
    assert is_outward(fpr, oracle.tail_inverse(3, 12, -nats))
    fnr = certificate.rate("false_negative_given_positive")
    assert is_outward(fnr, oracle.tail_inverse(1, 8, -nats))
    assert certificate.assumes("named-blindly")
    for bound in (kl_compression_bound, closed_form_compression_bound):
        named = bound(30, 10, 4, **{**options, "which_nats": 1.5})
        assert named.nats == pytest.approx(1.5 + 2.0 - math.log(0.1))


def test_cost_matches_its_rates():
    certificate = cost_bound(
        30, 2, 3, 1, cost_false_positive=2.0, cost_false_negative=0.5, message_nats=1.0
    )
    nats = oracle.compression_nats(30, 2, 1.0, 0.05) + mp.log(2)
    fp, fn = oracle.tail_inverse(3, 28, -nats), oracle.tail_inverse(1, 28, -nats)
    assert is_outward(certificate.risk, 2 * fp + fn / 2)
    assert certificate.nats == pytest.approx(float(nats))
    assert str(certificate.quantity) == "the expected cost of a new case"
    assert cost_bound(4, 3, 0, 1, cost_false_positive=3.0).risk == 3.0


# ---- properties ----------------------------------------------------------------------------

schemes = st.integers(2, 5000).flatmap(
    lambda m: st.integers(0, m - 1).flatmap(
        lambda d: st.tuples(st.just(m), st.just(d), st.integers(0, m - d - 1))
    )
)
ALL = [
    compression_bound,
    kl_compression_bound,
    closed_form_compression_bound,
]


@pytest.mark.parametrize("bound", ALL)
@given(scheme=schemes, nats=st.floats(0, 500), delta=st.floats(1e-12, 0.999))
def test_monotone(bound, scheme, nats, delta):
    m, d, k = scheme
    slack = 1 + 1e-9
    risk = bound(m, d, k, message_nats=nats, delta=delta).risk
    assert k / (m - d) <= risk or delta > 0.3
    assert risk <= bound(m, d, k + 1, message_nats=nats, delta=delta).risk * slack
    assert risk <= bound(m, d, k, message_nats=nats + 1, delta=delta).risk * slack
    assert risk <= bound(m, d, k, message_nats=nats, delta=delta / 2).risk * slack
    more = bound(m + 1, d, k, message_nats=nats, size_nats=0, delta=delta, pool_size=max(d, 1))
    same = bound(m, d, k, message_nats=nats, size_nats=0, delta=delta, pool_size=max(d, 1))
    assert more.risk <= same.risk * slack


@given(schemes, st.floats(0, 500), st.floats(1e-12, 0.999))
def test_binomial_is_the_smallest(scheme, nats, delta):
    best, kl, closed = (
        bound(*scheme, message_nats=nats, delta=delta).risk * (1 + 1e-9) ** i
        for i, bound in enumerate(ALL)
    )
    assert best <= kl
    assert best <= closed


@given(schemes, st.floats(1e-9, 0.5))
def test_compression_below_folk(scheme, delta):
    """The folk theorem pays more for the same scheme."""
    m, d, k = scheme
    nats = {"message_nats": 0.0, "size_nats": math.log(m), "delta": delta}
    folk = folk_compression_bound(m, d, k, delta=delta).risk
    assert compression_bound(m, d, k, **nats).risk <= folk * (1 + 1e-9)


@given(schemes, st.floats(0, 50))
def test_matches_the_tail_inverse(scheme, nats):
    m, d, k = scheme
    certificate = compression_bound(m, d, k, message_nats=nats)
    assert certificate.risk == binomial_tail_inverse(k, m - d, -certificate.nats)


# ---- edges ---------------------------------------------------------------------------------


@pytest.mark.parametrize("bound", [*ALL, folk_compression_bound])
def test_everything_kept_or_everything_wrong_is_vacuous(bound):
    assert bound(10, 10, 0).is_vacuous
    assert bound(10, 3, 7).is_vacuous
    assert bound(1, 0, 1).is_vacuous


def test_delta_next_to_one():
    certificate = compression_bound(10, 0, 0, size_nats=0, delta=math.nextafter(1.0, 0.0))
    assert 0.0 < certificate.risk < 1e-15
    assert certificate.nats > 0


def test_a_billion_examples():
    certificate = compression_bound(10**9, 5, 10**6, message_nats=100.0)
    assert 0.001 < certificate.risk < 0.00103


BAD_COUNTS = [
    ({"n_positives": 13}, "n_positives [+] n_negatives must be 30"),
    ({"n_compressed_positives": 2}, "n_compressed_positives .* must be 3"),
    ({"n_false_positives": 4}, "n_false_positives .* must be 5"),
    ({"n_false_positives": -1}, "`n_false_positives` must be at least 0"),
    ({"n_positives": "12"}, "`n_positives` must be an integer"),
    ({"n_positives": None}, "`n_positives` must be an integer"),
    ({"n_positives": 0, "n_negatives": 30}, "`n_compressed_positives` must be at most 0"),
    ({"n_false_positives": 0, "n_false_negatives": 5, "n_positives": 5, "n_negatives": 25},
     "`n_false_negatives` must be at most 4"),
    ({"split_nats": -1.0}, "`split_nats` must be in"),
    ({"n_pool_positives": 13}, "`n_pool_positives` must be at most"),
    ({"n_pool_positives": 0}, "`n_pool_positives` must be at least"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "message"), BAD_COUNTS)
def test_bad_counts(change, message):
    values = {
        "n_positives": 12,
        "n_negatives": 18,
        "n_compressed_positives": 1,
        "n_compressed_negatives": 2,
        "n_false_positives": 3,
        "n_false_negatives": 2,
        "n_pool_positives": 7,
    }
    counts = ClassCounts(**{**values, **change})
    with pytest.raises((ValueError, TypeError), match=message):
        compression_bound(30, 3, 5, counts=counts, pool_size=15)


def test_counts_of_another_type():
    with pytest.raises(TypeError, match="`counts` must be ClassCounts"):
        compression_bound(30, 3, 5, counts={"n_positives": 3})


def test_costs_that_cancel():
    with pytest.raises(ValueError, match="`cost_false_positive` or `cost_false_negative`"):
        cost_bound(30, 3, 1, 1, cost_false_positive=0.0, cost_false_negative=0.0)

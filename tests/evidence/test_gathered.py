"""All evidence of a score under one level: what it says, and how often it fails."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binom, norm

from handful.evidence import (
    SHARES,
    CalibrationDisplay,
    DecisionCurveDisplay,
    ForestDisplay,
    RocDisplay,
    ScoredRows,
    calibration_line,
    divided,
    evidence_document,
    evidence_lines,
    gather_evidence,
    rows_until_near,
    subgroup_evidence,
    threshold_rates,
)
from tests.chance import n_allowed
from tests.oracles import evidence as oracle

GAP, PREVALENCE = 1.2, 0.35  # of two normal laws of scores


def _rows(rng, n, threshold=0.6):
    case = rng.random(n) < PREVALENCE
    values = rng.normal(size=n) + GAP * case
    odds = PREVALENCE / (1 - PREVALENCE) * np.exp(GAP * values - GAP**2 / 2)
    risks = odds / (1 + odds)
    return ScoredRows(
        values=values, is_flagged=values >= threshold, threshold=threshold, probabilities=risks
    ), case.astype(float)


def test_shares_add_up():
    assert math.fsum(SHARES.values()) == pytest.approx(1.0)
    for asked in ([], ["rates"], ["rates", "area", "pairs"], list(SHARES)):
        levels = divided(0.04, asked)
        assert math.fsum(levels.values()) == pytest.approx(0.04)
        assert min(levels.values()) > 0


def test_rates_are_exact_limits():
    flags, case = np.arange(100) < 40, np.arange(100) % 3 == 0
    found = threshold_rates(flags, case, delta=0.08)
    hits, n = int((flags & case).sum()), int(case.sum())
    assert found.sensitivity.lower == pytest.approx(oracle.lower_rate(hits, n, 0.02), abs=1e-12)
    assert found.ppv.lower == pytest.approx(oracle.lower_rate(hits, 40, 0.02), abs=1e-12)
    by_class = threshold_rates(flags, case, delta=0.08, case_control=True)
    assert by_class.ppv is None
    assert by_class.sensitivity.lower == pytest.approx(oracle.lower_rate(hits, n, 0.04), abs=1e-12)


def test_likelihood_ratios_follow_from_the_rates():
    flags = np.r_[np.ones(30, bool), np.zeros(70, bool)]
    case = np.r_[np.ones(25, bool), np.zeros(5, bool), np.ones(5, bool), np.zeros(65, bool)]
    found = threshold_rates(flags, case)
    sens, spec = found.sensitivity, found.specificity
    assert found.positive_ratio.estimate == pytest.approx(sens.estimate / (1 - spec.estimate))
    assert found.positive_ratio.lower <= sens.lower / (1 - spec.lower)
    assert found.negative_ratio.upper >= (1 - sens.lower) / spec.lower


def test_calibration_line_against_another_library(rng):
    from sklearn.linear_model import LogisticRegression

    rows, y = _rows(rng, 400)
    p = rows.probabilities
    model = LogisticRegression(C=np.inf).fit(np.log(p / (1 - p))[:, None], y)
    found = calibration_line(p, y)
    assert found == pytest.approx((model.intercept_[0], model.coef_[0, 0]), abs=1e-3)
    assert all(map(math.isnan, calibration_line([0.1, 0.9], [0, 1])))


def _truths(threshold):
    sens, spec = norm.sf(threshold - GAP), norm.cdf(threshold)
    flagged = PREVALENCE * sens + (1 - PREVALENCE) * (1 - spec)
    ppv = PREVALENCE * sens / flagged
    npv = (1 - PREVALENCE) * spec / (1 - flagged)
    return sens, spec, ppv, npv


def _fails(found, threshold=0.6):
    """Whether any limit of the evidence is wrong for the true law."""
    sens, spec, ppv, npv = _truths(threshold)
    r, area = found.rates, norm.cdf(GAP / math.sqrt(2))
    wrong = [r.sensitivity.lower > sens, r.specificity.lower > spec]
    wrong += [r.ppv.lower > ppv, r.npv.lower > npv]
    wrong += [not found.area.lower <= area <= found.area.upper]
    large, brier = found.calibration.in_the_large, found.calibration.brier
    wrong += [not large.lower <= 0.0 <= large.upper, brier.upper < _BRIER]
    for group in found.subgroups:
        rates = {rate.name: rate.limits for rate in group.rates}
        wrong += [rates["sensitivity"].lower > sens, rates["specificity"].lower > spec]
        error = PREVALENCE * (1 - sens) + (1 - PREVALENCE) * (1 - spec)
        wrong += [rates["error"].upper < error]
    return any(wrong)


def _true_brier():
    z = np.linspace(-8, 10, 40_001)
    density = PREVALENCE * norm.pdf(z - GAP) + (1 - PREVALENCE) * norm.pdf(z)
    risk = PREVALENCE * norm.pdf(z - GAP) / density
    return float(np.trapezoid(density * risk * (1 - risk), z))


_BRIER = _true_brier()


def _misses(rng, n_draws, delta):
    misses = 0
    for _ in range(n_draws):
        rows, y = _rows(rng, 120)
        words = rng.choice(["a", "b"], 120).tolist()
        misses += _fails(gather_evidence(rows, y, delta=delta, subgroups={"w": words}))
    return misses


@pytest.mark.thorough
def test_all_evidence_holds_at_once(rng):
    assert _misses(rng, 25, 0.3) <= n_allowed(25, 0.3)


def test_an_unpaid_family_would_be_seen(rng):
    """Each of the families at the whole level: the test above sees a missed payment."""
    misses, delta = 0, 0.3
    for _ in range(150):
        rows, y = _rows(rng, 120)
        case = y == 1.0
        sens, spec, ppv, npv = _truths(0.6)
        single = [
            (rows.is_flagged & case, case, sens),
            (~rows.is_flagged & ~case, ~case, spec),
            (rows.is_flagged & case, rows.is_flagged, ppv),
            (~rows.is_flagged & ~case, ~rows.is_flagged, npv),
        ]
        misses += any(
            oracle.lower_rate(int(hits.sum()), int(among.sum()), delta) > truth
            for hits, among, truth in single
        )
    assert misses > n_allowed(150, delta)


def test_subgroups_of_one_row_say_how_many_are_missing():
    case = np.array([True] * 30 + [False] * 30 + [True])
    words = ["big"] * 60 + ["small"]
    big, small = subgroup_evidence({"site": words}, case, case)
    assert all(rate.says_enough for rate in big.rates)
    assert small.n_rows == 1
    assert all(rate.n_more > 0 for rate in small.rates)


@pytest.mark.parametrize("rate", [0.5, 0.8, 1.0])
def test_rows_until_near_is_the_smallest(rate):
    n = rows_until_near(rate, delta=0.01)

    def width(m):
        k = round(rate * m)
        return oracle.upper_rate(k, m, 0.01) - oracle.lower_rate(k, m, 0.01)

    assert width(n) <= 0.5 < width(n - 1)


def test_what_is_said_to_be_missing_is_about_enough(rng):
    """Planned against obtained: the planned number of rows is right within a tenth."""
    delta, rate = 0.002, 0.8
    n = rows_until_near(rate, delta=delta)
    hits = rng.binomial(n, rate, 400)
    found = [oracle.upper_rate(k, n, delta) - oracle.lower_rate(k, n, delta) for k in hits]
    assert np.median(found) == pytest.approx(0.5, rel=0.1)
    assert binom.median(n, rate) == pytest.approx(rate * n, rel=0.05)


def test_what_is_written_holds_no_row(rng):
    """Lines of the ROC are five rows apart and stand between scores; small cells are not told."""
    rows, y = _rows(rng, 150)
    rows = ScoredRows(
        values=rows.values, is_flagged=rows.is_flagged, threshold=0.6,
        probabilities=rows.probabilities.round(6),
    )  # fmt: skip
    words = {"site": ["rare"] * 4 + ["A", "B"] * 73}
    found = gather_evidence(rows, y, subgroups=words)
    document = evidence_document(found)
    roc, ledger = document["roc"], found.ledger
    assert not set(roc["threshold"]) & set(rows.probabilities.tolist())
    flagged = np.add(roc["n_true_positives"], roc["n_false_positives"])
    assert flagged[0] == 150
    assert flagged[-1] == 0
    assert (np.diff(flagged) <= -5).all()
    for k, threshold in enumerate(roc["threshold"][:-1]):  # what is told is true of it
        assert flagged[k] == (rows.probabilities >= threshold).sum()
        at = ledger.index(threshold)
        assert roc["sensitivity_lower"][k] == ledger.sensitivity_lower[at]
    small = next(group for group in document["subgroups"] if group["word"] == "rare")
    assert (small["n_rows"], small["n_cases"], small["rates"]) == ("<5", None, [])
    assert "site = rare: fewer than 5 rows: too few to say." in evidence_lines(found)
    bins, counts = document["calibration"]["bins"], found.calibration.bins.n_rows
    assert ((counts > 0) & (counts < 5)).any()
    for n, said, events in zip(counts.tolist(), bins["n_rows"], bins["n_events"], strict=True):
        assert (said, events is None) == (("<5", True) if 0 < n < 5 else (n, False))


def test_thresholds_of_points_stay_points():
    values = np.repeat([0.0, 1.0, 2.0, 3.0], 25)
    found = gather_evidence(
        ScoredRows(values=values, is_flagged=values >= 2, threshold=2.0),
        (values >= 2).astype(float),
    )
    assert evidence_document(found)["roc"]["threshold"] == [0.0, 1.0, 2.0, 3.0, None]


def test_bad_subgroups_are_refused():
    case = np.array([True, False] * 10)
    with pytest.raises(ValueError, match="at most 10 words, got 20 in 'age'"):
        subgroup_evidence({"age": [str(i) for i in range(20)]}, case, case)
    with pytest.raises(ValueError, match="one word a row, got 3 of 'sex' for 20 rows"):
        subgroup_evidence({"sex": ["a", "b", "a"]}, case, case)
    found = subgroup_evidence({"sex": ["a", None] * 10}, case, case)
    assert [group.word for group in found] == ["a", "missing"]


def test_displays_are_made_of_scores_or_of_evidence(rng):
    import matplotlib as mpl

    mpl.use("Agg")
    rows, y = _rows(rng, 200)
    words = {"sex": ["f", "m"] * 100}
    found = gather_evidence(rows, y, subgroups=words)
    for display in (
        RocDisplay.from_evidence(found),
        RocDisplay.from_scores(rows.values, y),
        CalibrationDisplay.from_evidence(found),
        CalibrationDisplay.from_scores(rows.probabilities, y),
        DecisionCurveDisplay.from_evidence(found),
        DecisionCurveDisplay.from_scores(rows.probabilities, y),
        ForestDisplay.from_evidence(found),
        ForestDisplay.from_scores(words, rows.is_flagged, y, rate="error"),
    ):
        assert len(display.frame()) > 0
        assert display.plot().ax_ is not None
    mpl.pyplot.close("all")


def test_displays_say_what_they_cannot_draw(rng):
    rows, y = _rows(rng, 60)
    plain = ScoredRows(values=rows.values, is_flagged=rows.is_flagged)
    found = gather_evidence(plain, y)
    with pytest.raises(ValueError, match="a score that gives risks"):
        CalibrationDisplay.from_evidence(found)
    with pytest.raises(ValueError, match="got neither"):
        DecisionCurveDisplay.from_evidence(found)


def test_decision_curve_is_the_usual_one(rng):
    rows, y = _rows(rng, 300)
    frame = DecisionCurveDisplay.from_scores(rows.probabilities, y, at=[0.2, 0.4]).frame()
    for at, line in zip([0.2, 0.4], frame.itertuples(), strict=True):
        flags = rows.probabilities >= at
        true, false = (flags & (y == 1)).mean(), (flags & (y == 0)).mean()
        assert line.net_benefit == pytest.approx(true - false * at / (1 - at))
        assert line.treat_all == pytest.approx(y.mean() - (1 - y.mean()) * at / (1 - at))
        assert line.lower <= line.net_benefit

"""What is guaranteed, simulated where the truth is known; and what is not."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from handful.bounds import NotCertifiableError, Term, dkw_deviation, held_out_bound
from handful.conformal import verdicts as module
from handful.conformal.verdicts import (
    Calibration,
    CaseVerdicts,
    ValidationTable,
    check_level,
    judge_by_margin,
    judge_by_nonconformity,
    label_p_values,
    published_deviation,
    published_nonconformity_value,
    require_calibration,
)
from tests.oracles import conformity
from tests.oracles.bounds import tail_inverse


@pytest.fixture(autouse=True)
def remembered_bounds(monkeypatch):
    """Simulations ask for the same few certificates again and again."""
    monkeypatch.setattr(module, "held_out_bound", lru_cache(maxsize=None)(held_out_bound))


class Atoms:
    """A world of 40 cases with known probabilities, and 6 models of different quality."""

    def __init__(self, rng, n_atoms=40, n_models=6):
        self.rng = rng
        self.weight = rng.dirichlet(np.full(n_atoms, 2.0))
        self.positive = rng.beta(0.6, 0.6, n_atoms)  # P(y = 1 | atom)
        signal = np.arange(n_models)[:, None] / n_models * (2.0 * self.positive - 1.0)
        values = np.round(signal + rng.normal(0.0, 0.5, (n_models, n_atoms)), 1)
        self.scores = np.stack([-values, values], axis=2)

    def draw(self, n):
        atoms = self.rng.choice(self.weight.size, n, p=self.weight)
        return atoms, (self.rng.random(n) < self.positive[atoms]).astype(np.intp)

    def rule(self, n_validation, tie="vote"):
        """The composite rule of one validation draw, as a verdict on every atom."""
        atoms, codes = self.draw(n_validation)
        table = ValidationTable.from_scores(self.scores[:, atoms], codes)
        draws = np.linspace(0.0, 0.99, self.weight.size)
        return judge_by_nonconformity(table, self.scores, tie, draws)

    def calibrate(self, verdict, n, n_thresholds):
        atoms, codes = self.draw(n)
        part = CaseVerdicts(
            label=verdict.label[atoms],
            model=verdict.model[atoms],
            doubt=verdict.doubt[atoms],
            scores=verdict.scores[atoms],
        )
        return Calibration.from_verdict(part, codes, n_thresholds)

    def error(self, verdict):
        """P(label wrong | atom)."""
        return np.where(verdict.label == 1, 1.0 - self.positive, self.positive)


def n_allowed(n_draws, delta):
    """Misses that a valid bound exceeds with probability below one in a million."""
    return binom.isf(1e-6, n_draws, delta)


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=9), st.integers(-4, 4))
def test_p_values_match_the_oracle(scores, score):
    calibration = Calibration(
        sorted_scores=np.sort(np.array(scores, dtype=float)),
        codes=np.zeros(len(scores), dtype=np.intp),
        tolerance=1e-10,
        doubt=np.zeros(len(scores)),
        is_error=np.zeros(len(scores), dtype=bool),
        n_thresholds=None,
    )
    want = conformity.conformal_p_value(scores, score)
    assert label_p_values([calibration], [np.array([[float(score)]])]).item() == want


def test_valid_p_values_of_figure_1():
    """SPEC G.5: 4/7 and 3/7 where the paper has 1/2 and 1/3."""
    margins = np.array([-0.8, -0.3, 0.2, 0.5, 0.9, 1.4])
    calibration = Calibration(
        sorted_scores=margins,
        codes=np.zeros(6, dtype=np.intp),
        tolerance=1e-10,
        doubt=margins,
        is_error=margins < 0,
        n_thresholds=None,
    )
    got = label_p_values([calibration], [np.array([[0.3, -0.3]])])
    assert got[0] == pytest.approx([4 / 7, 3 / 7])


@pytest.mark.parametrize("level", [0.5, 0.8, 0.9])
def test_label_sets_hold_the_label_as_often_as_they_say(rng, level):
    """Marginal coverage over validation, calibration and case; exact over the case."""
    world, n_draws = Atoms(rng), 1000
    coverage = np.empty(n_draws)
    for i in range(n_draws):
        verdict = world.rule(20)
        calibration = world.calibrate(verdict, 19, 21)
        sets = label_p_values([calibration], [verdict.scores]) > 1.0 - level
        holds = np.where(sets, np.stack([1 - world.positive, world.positive], axis=1), 0.0)
        coverage[i] = world.weight @ holds.sum(axis=1)
    spread = coverage.std() / np.sqrt(n_draws)
    assert coverage.mean() >= level - 4 * spread


def test_coverage_is_exact_without_ties(rng):
    """n = 19, level 0.9: the label is left out with probability floor(0.1 * 20) / 20 = 0.1."""
    n_draws, n = 20000, 19
    margins = rng.normal(0.5, 1.0, (n_draws, n + 1))
    p = ((margins[:, :n] <= margins[:, n:]).sum(axis=1) + 1) / (n + 1)
    assert binom.isf(0.9999, n_draws, 0.1) <= (p <= 0.1).sum() <= binom.isf(0.0001, n_draws, 0.1)


def test_the_published_p_value_leaves_the_label_out_too_often(rng):
    """SPEC G.5: with p = #/n and n = 6, epsilon = 0.01 errs with probability 1/7, not 0.01."""
    margins = rng.normal(size=(20000, 7))
    p = (margins[:, :6] <= margins[:, 6:]).sum(axis=1) / 6
    assert (p < 0.01).mean() == pytest.approx(1 / 7, abs=0.01)


@pytest.mark.parametrize("tie", ["vote", "random", "validation"])
@pytest.mark.parametrize("bound", ["held-out", "selective-error"])
def test_selective_certificates_hold_for_all_thresholds_at_once(rng, tie, bound):
    """A draw is a miss if any threshold is. The true errors are sums over the atoms."""
    world, n_draws, delta = Atoms(rng), 300, 0.2
    n_misses, n_informative = 0, 0
    for _ in range(n_draws):
        verdict = world.rule(5, tie)
        calibration = world.calibrate(verdict, 60, 6)
        error, is_miss = world.error(verdict), False
        for threshold in np.unique(verdict.doubt):
            accepted = world.weight * (verdict.doubt <= threshold)
            truth = accepted @ error / accepted.sum()
            got = calibration.selective_certificate(threshold, delta=delta, bound=bound).risk
            is_miss |= got < truth
            n_informative += got < 0.6
        n_misses += is_miss
    assert n_misses <= n_allowed(n_draws, delta)
    assert n_informative > 0  # the certificates say something


@pytest.mark.slow
@pytest.mark.parametrize("bound", ["held-out", "selective-error"])
def test_selective_certificates_hold_in_many_worlds(rng, bound):
    n_draws, delta, n_misses = 4000, 0.1, 0
    for i in range(n_draws):
        if i % 100 == 0:
            world = Atoms(rng)
        verdict = world.rule(10)
        calibration = world.calibrate(verdict, 150, 11)
        error = world.error(verdict)
        truths, got = [], []
        for threshold in np.unique(verdict.doubt):
            accepted = world.weight * (verdict.doubt <= threshold)
            truths.append(accepted @ error / accepted.sum())
            certificate = calibration.selective_certificate(threshold, delta=delta, bound=bound)
            got.append(certificate.risk)
        n_misses += np.any(np.array(got) < np.array(truths))
    assert n_misses <= n_allowed(n_draws, delta)


def test_risk_certificates_hold(rng):
    """Misses come near delta, so that one nat less would be noticed."""
    world, n_draws, delta = Atoms(rng), 400, 0.3
    n_misses, n_cheaper = 0, 0
    for _ in range(n_draws):
        verdict = world.rule(10)
        risk = world.weight @ world.error(verdict)
        calibration = world.calibrate(verdict, 100, 11)
        n_misses += calibration.certificate(delta).risk < risk
        n_cheaper += calibration.certificate(delta * np.e).risk < risk
    assert 0.1 * n_draws < n_misses <= n_allowed(n_draws, delta) < n_cheaper


def random_world(rng, n, n_models=110):
    """SPEC G.4: labels are coin flips and scores are noise, so every rule errs half the time."""
    values = rng.normal(size=(n_models, n))
    return np.stack([-values, values], axis=2), rng.integers(0, 2, n)


def test_the_published_value_is_not_a_guarantee(rng):
    """SPEC G.4: the value of Proposition 4.2, and even the sharp deviation, fall below 1/2."""
    n, n_models = 5000, 110
    table = ValidationTable.from_scores(*random_world(rng, n))
    scores, codes = random_world(rng, 2000)
    verdict = judge_by_nonconformity(table, scores, "vote")
    assert (verdict.label != codes).mean() == pytest.approx(0.5, abs=0.05)
    published = verdict.doubt.mean() + published_deviation(n, n_models)
    assert published == pytest.approx(0.356, abs=0.01)
    assert verdict.doubt.mean() + dkw_deviation(n, n_choices=n_models) < 0.04


def test_the_calibrated_scheme_covers_the_counterexample(rng):
    """The same world: no threshold is certified below the true 1/2 more often than allowed."""
    n_draws, delta, n_misses = 100, 0.1, 0
    table = ValidationTable.from_scores(*random_world(rng, 20, 10))
    for _ in range(n_draws):
        scores, codes = random_world(rng, 100, 10)
        verdict = judge_by_nonconformity(table, scores, "vote")
        calibration = Calibration.from_verdict(verdict, codes, 21)
        risks = [
            calibration.selective_certificate(threshold, delta=delta).risk
            for threshold in np.unique(verdict.doubt)
        ]
        n_misses += min(risks) < 0.5
    assert n_misses <= n_allowed(n_draws, delta)


def test_published_constants():
    """SPEC G.3: n = 50, K = 110."""
    assert published_deviation(50, 110) == pytest.approx(3.067665, abs=1e-6)
    assert published_deviation(50, 110) / dkw_deviation(50, n_choices=110) > 11
    criterion = published_nonconformity_value(0.02, 50, 110)
    assert float(criterion) == pytest.approx(3.087665, abs=1e-6)
    assert "not a guarantee" in str(criterion)
    assert "after seeing the case" in criterion.explain()


def one_calibration(n_thresholds=11):
    scores = np.array([[[-1.0, 1.0], [-2.0, 2.0], [3.0, -3.0], [-0.5, 0.5]]])
    verdict = judge_by_margin(scores)
    return Calibration.from_verdict(verdict, np.array([1, 1, 1, 1]), n_thresholds)


def test_selective_certificate_counts_accepted_cases():
    calibration = one_calibration()
    certificate = calibration.selective_certificate(-3.0)
    assert (certificate.n_samples, certificate.n_errors) == (2, 1)
    assert certificate.quantity.key == "accepted"
    assert certificate.terms[-1] == Term("choice", "choice among 11 thresholds", np.log(11))
    want = float(tail_inverse(1, 2, np.log(0.05 / 11)))
    assert certificate.risk == pytest.approx(want, rel=1e-9)
    assert calibration.selective_certificate(-9.0).is_vacuous


def test_bad_arguments_are_named():
    calibration = one_calibration()
    with pytest.raises(ValueError, match="`bound` must be one of"):
        calibration.selective_certificate(0.1, bound="dkw")
    for bad in ("a", float("nan"), True):
        with pytest.raises(ValueError, match="`threshold` must be a number"):
            calibration.selective_certificate(bad)
    with pytest.raises(NotCertifiableError, match="Use bound='selective-error'"):
        one_calibration(None).selective_certificate(0.1, bound="held-out")
    for bad in (0.0, 1.0, 90, float("nan")):
        with pytest.raises(ValueError, match=r"`level` must be in \(0, 1\)"):
            check_level(bad)
    for bad in ("0.9", True):
        with pytest.raises(TypeError, match=r"`level` must be a number, got"):
            check_level(bad)
    with pytest.raises(NotCertifiableError, match="Set `calibration_size`"):
        require_calibration(None, "A p-value")

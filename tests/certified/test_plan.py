"""What is planned for the default menu, against binomials by hand and against menus themselves."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from scipy.stats import beta, binom
from typer.testing import CliRunner

from handful import CertifiedClassifier
from handful.certified import menu_plan, menu_rows_needed
from handful.cli import app


def limit(k, n, delta):
    """Clopper and Pearson: the oracle."""
    return 1.0 if k >= n else beta.isf(delta, k + 1, n - k)


@pytest.mark.parametrize(("n", "rate"), [(80, 0.02), (300, 0.02), (1000, 0.1), (50_000, 0.05)])
def test_a_plan_is_the_certificate_of_the_favourite(n, rate):
    plan = menu_plan(n, error_rate=rate, target_risk=0.12)
    n_counted = n - min(round(0.5 * n), 10_000)
    n_errors = int(np.ceil(rate * n_counted - 1e-9))
    assert (plan.n_counted, plan.n_errors) == (n_counted, n_errors)
    assert plan.risk == pytest.approx(limit(n_errors, n_counted, 0.05 * 0.6), rel=1e-9)
    ks = [k for k in range(n_counted + 1) if limit(k, n_counted, 0.05 * 0.6) <= 0.12][-1:]
    chance = binom.cdf(ks[0], n_counted, rate) if ks else 0.0
    assert plan.chance == pytest.approx(chance, abs=1e-9)


@pytest.mark.parametrize(("target", "rate"), [(0.1, 0.02), (0.3, 0.2), (0.05, 0.0), (0.5, 0.4)])
def test_rows_needed_match_a_scan(target, rate):
    needed = menu_rows_needed(target, error_rate=rate)
    plans = [menu_plan(n, error_rate=rate, target_risk=target) for n in range(2, 2 * needed + 40)]
    last = max(plan.n_samples for plan in plans if plan.chance < 0.5)
    assert needed == last + 1  # from here on every number is enough


def plan_of(*words):
    run = CliRunner().invoke(app, ["plan", *words, "--json"])
    assert run.exit_code == 0, run.output
    return json.loads(run.stdout)


def test_the_command_plans_for_the_default_menu():
    """300 rows are plenty for 10 % at 2 % errors; 427 are what three kept examples would need."""
    found = plan_of("--target-risk", "0.1", "--error-rate", "0.02", "--have", "300")
    assert found["n_samples"] <= 110
    assert found["n_more"] == 0
    assert found["have"]["chance"] > 0.98
    assert 0.5 < found["chance"] < 0.9
    kept = plan_of("--target-risk", "0.1", "--error-rate", "0.02", "--n-compressed", "3")
    assert kept["n_samples"] == 427
    text = CliRunner().invoke(app, ["plan", "-t", "0.1", "--error-rate", "0.02"]).output
    assert "default menu" in " ".join(text.split())


def reached(rng, n, rate, target, n_runs, **settings):
    """How often the smallest certificate of a menu reaches the target, where the rate is true."""
    hits = 0
    for _ in range(n_runs):
        sign = rng.random(n) < 0.5
        X = pd.DataFrame({"sign": sign.astype(float), "noise": rng.normal(size=n)})
        y = sign ^ (rng.random(n) < rate)
        known = {"features": ["sign", "noise"]}  # a sign may be the label in all rows of a pool
        machine = CertifiedClassifier(columns=known, **settings).fit(X, y)
        hits += machine.menu_["certificate"].min() <= target
    return hits / n_runs


def test_one_rule_reaches_a_target_as_often_as_planned(rng):
    n, n_runs = menu_rows_needed(0.1, error_rate=0.02), 60
    plan = menu_plan(n, error_rate=0.02, target_risk=0.1)
    found = reached(rng, n, 0.02, 0.1, n_runs, candidates=["one rule", "constant"])
    assert abs(found - plan.chance) < 4 * np.sqrt(plan.chance * (1 - plan.chance) / n_runs)


@pytest.mark.thorough
@pytest.mark.parametrize(("target", "rate"), [(0.1, 0.02), (0.2, 0.1)])
def test_default_menus_reach_a_target_as_often_as_planned(target, rate, rng):
    """A menu whose favourite is not the true rule misses more often, the best of all rows less."""
    n, n_runs = menu_rows_needed(target, error_rate=rate), 80
    plan = menu_plan(n, error_rate=rate, target_risk=target)
    found = reached(rng, n, rate, target, n_runs)
    assert abs(found - plan.chance) < 0.1 + 2 * np.sqrt(plan.chance * (1 - plan.chance) / n_runs)

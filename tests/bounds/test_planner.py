"""The sample-size planner against a scan of every size."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handful.bounds import compression_bound, planned_risk, samples_needed


def scan(target, rate, d, nats, delta, top):
    """Smallest size from which on every size up to ``top`` reaches the target."""
    enough = [planned_risk(n, rate, d, nats, delta) <= target for n in range(d + 1, top)]
    return d + 1 + (len(enough) - int(np.argmin(enough[::-1])) if not all(enough) else 0)


@pytest.mark.sample(4)
@pytest.mark.parametrize("d", [0, 3])
@pytest.mark.parametrize(
    ("rate", "target"),
    [(0.0, 0.2), (0.02, 0.25), (0.1, 0.4), (1 / 3, 0.6), (0.41, 0.7), (0.2, 0.9)],
)
def test_matches_a_scan(rate, target, d):
    found = samples_needed(target, rate, d, 1.5, 0.05)
    assert found == scan(target, rate, d, 1.5, 0.05, 2 * found + 40)


def test_planned_risk_is_the_certificate():
    for n, rate, d in ((615, 15 / 612, 3), (100, 0.07, 0), (1000, 0.1, 10)):
        k = round(rate * (n - d)) if rate != 0.1 else 99
        wanted = compression_bound(n, d, k, message_nats=2.0, delta=0.1).risk
        assert planned_risk(n, rate, d, 2.0, 0.1) == pytest.approx(wanted, rel=1e-12)


def test_rates_that_are_whole_errors_are_not_rounded_up():
    """0.07 * 100 is above 7 in floating point."""
    seven = compression_bound(100, 0, 7).risk
    assert planned_risk(100, 0.07, 0) == pytest.approx(seven, rel=1e-12)
    eight = compression_bound(101, 0, 8).risk
    assert planned_risk(101, 0.07, 0) == pytest.approx(eight, rel=1e-12)


@settings(max_examples=40)
@given(
    st.floats(0.0, 0.5),
    st.floats(0.05, 0.4),
    st.integers(0, 10),
    st.floats(0, 20),
    st.floats(0.001, 0.5),
)
def test_found_size_is_the_border(rate, gap, d, nats, delta):
    target = rate + gap
    n = samples_needed(target, rate, d, nats, delta)
    assert planned_risk(n, rate, d, nats, delta) <= target
    if n > max(d, 1):
        assert n == d + 1 or planned_risk(n - 1, rate, d, nats, delta) > target
    for more in (1, 2, 3, 7, 50, n):
        assert planned_risk(n + more, rate, d, nats, delta) <= target


def test_more_is_needed_for_more():
    base = samples_needed(0.1, 0.02, 3)
    assert samples_needed(0.09, 0.02, 3) > base
    assert samples_needed(0.1, 0.03, 3) > base
    assert samples_needed(0.1, 0.02, 4) > base
    assert samples_needed(0.1, 0.02, 3, message_nats=5.0) > base
    assert samples_needed(0.1, 0.02, 3, delta=0.01) > base


def test_targets_next_to_the_error_rate():
    """Very many saw-teeth: the answer is found without walking them."""
    n = samples_needed(0.4005, 0.4)
    assert n > 10**8
    assert planned_risk(n, 0.4) <= 0.4005 < planned_risk(n - 1, 0.4)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: samples_needed(0.1, 0.1), "`target_risk` must be above `error_rate`"),
        (lambda: samples_needed(0.2500001, 0.25), "needs more than 1e[+]09 examples"),
        (lambda: samples_needed(0.0), "`target_risk` must be in"),
        (lambda: samples_needed(1.0), "`target_risk` must be in"),
        (lambda: samples_needed(math.nan), "`target_risk` must be in"),
        (lambda: samples_needed(0.1, -0.1), "`error_rate` must be in"),
        (lambda: samples_needed(0.1, n_compressed=-1), "`n_compressed` must be"),
        (lambda: samples_needed(0.1, message_nats=-1), "`message_nats` must be in"),
        (lambda: samples_needed(0.1, delta=0), "`delta` must be in"),
        (lambda: samples_needed("0.1"), "`target_risk` must be a number"),
        (lambda: planned_risk(2, n_compressed=3), "`n_samples` must be at least 3"),
        (lambda: planned_risk(10, 1.5), "`error_rate` must be in"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises((ValueError, TypeError), match=message):
        call()

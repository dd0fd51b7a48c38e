"""Messages: printed vectors, and Kraft's inequality by listing every codeword of small cases."""

from __future__ import annotations

import itertools
import math

import mpmath as mp
import pytest
from hypothesis import given
from hypothesis import strategies as st

from handful.bounds import (
    ball_message,
    compression_bound,
    decision_list_message,
    half_space_message,
    n_bipartite_graphs,
    stump_message,
    two_point_message,
)
from tests.oracles import bounds as oracle

GRAPHS = [
    (1, 1, 1, 1),
    (2, 2, 2, 2),
    (2, 2, 3, 4),
    (3, 3, 3, 6),
    (2, 3, 3, 6),
    (3, 3, 4, 45),
    (3, 3, 9, 1),
    (4, 3, 6, 522),
]


@pytest.mark.parametrize(("a", "b", "r", "value"), GRAPHS)
def test_printed_numbers_of_graphs(a, b, r, value):
    assert n_bipartite_graphs(a, b, r) == value


@pytest.mark.parametrize(("a", "b"), list(itertools.product(range(4), range(4))))
def test_numbers_of_graphs_by_listing(a, b):
    for r in range(a * b + 2):
        assert n_bipartite_graphs(a, b, r) == oracle.n_bipartite(a, b, r)


# (m, d, k, message) -> nats with confidence at delta = 0.05, risk
VECTORS = [
    (615, 3, 15, half_space_message(1, 1, 1, 1), 22.347949600, 0.086706937),
    (691, 9, 135, half_space_message(3, 3, 3, 3), 60.050785420, 0.388366163),
    (264, 3, 54, half_space_message(1, 1, 1, 1, kind="disjunction"), 19.804415107, 0.376914379),
    (615, 2, 15, two_point_message(1, 1, 1), 15.641902591, 0.072158193),
    (615, 2, 15, ball_message(0, 1, 1), 17.028196953, 0.075250962),
    (615, 4, 10, ball_message(1, 1, 2), 30.674224387, 0.088302908),
    (615, 1, 40, stump_message(1, 1, 9), 14.191720963, 0.125560663),
    (615, 2, 25, stump_message(2, 2, 9), 24.977994169, 0.118114726),
    (588, 1, 80, stump_message(1, 1, 15), 14.657651267, 0.216674629),
    (615, 4, 12, decision_list_message(2, 4), 40.105876996, 0.111540230),
]


@pytest.mark.parametrize(("m", "d", "k", "message", "nats", "risk"), VECTORS)
def test_printed_vectors(m, d, k, message, nats, risk):
    certificate = compression_bound(m, d, k, message_nats=message, size_nats=0)
    assert certificate.nats == pytest.approx(nats, abs=1e-9)
    assert certificate.risk == pytest.approx(risk, abs=1e-9)
    assert float(message) == pytest.approx(math.fsum(term.nats for term in message.terms))


def test_no_rule_has_the_printed_mass():
    for message in (half_space_message(0, 0, 0, 0), two_point_message(0, 0, 0)):
        assert math.exp(-message) == pytest.approx(0.037995, abs=5e-7)
    assert float(stump_message(0, 0, 9)) == pytest.approx(math.log(math.pi**2 / 6))


# ---- Kraft: the masses of all codewords add up to one at most ------------------------------
# A codeword is a cell (numbers of everything) times what is chosen inside the cell. The rest of
# the infinite sum over r is the prior's own tail, sum_{r > top} 6 / (pi r)^2, added exactly.

TOP = 5


def prior_tail(first):
    """sum of 6 / (pi r)^2 over r >= first."""
    return 6 / mp.pi**2 * mp.zeta(2, first)


def mass(message):
    return mp.exp(-mp.mpf(float(message)))


def add_up(cells, tail, *, at_least):
    """Total mass of (multiplicity, message) cells; a good code wastes little."""
    total = mp.fsum(n * mass(message) for n, message in cells) + tail
    assert total <= 1 + mp.mpf("1e-12")
    assert total >= at_least


@pytest.mark.parametrize("kind", ["conjunction", "disjunction"])
def test_kraft_half_spaces(kind):
    cells = [(1, half_space_message(0, 0, 0, 0, kind=kind))]
    for r in range(1, TOP):
        for a, b, c in itertools.product(range(1, r + 1), range(1, r + 1), range(r + 1)):
            same = a if kind == "conjunction" else b
            n_words = oracle.n_bipartite(a, b, r) * math.comb(same + c, c)
            if n_words:
                cells.append((n_words, half_space_message(r, a, b, c, kind=kind)))
    add_up(cells, prior_tail(TOP), at_least=0.9)


def test_kraft_half_spaces_cell_of_no_rule_is_free():
    """No rule took the mass of (2 rules, one a, one b): no machine is there, no message exists."""
    assert oracle.n_bipartite(1, 1, 2) == 0
    for c in range(3):
        with pytest.raises(ValueError, match="`n_rules` = 2 pairs cannot use"):
            half_space_message(2, 1, 1, c)
    with pytest.raises(ValueError, match="`n_rules` = 2 pairs cannot use"):
        two_point_message(2, 1, 1)
    cell = 6 / (mp.pi * 2) ** 2 / 4
    assert mass(half_space_message(0, 0, 0, 0)) <= cell * (1 + mp.mpf("1e-14"))


def test_kraft_two_points():
    cells = [(1, two_point_message(0, 0, 0))]
    for r in range(1, TOP):
        for a, b in itertools.product(range(1, r + 1), repeat=2):
            n_words = oracle.n_bipartite(a, b, r)
            if n_words:
                cells.append((n_words, two_point_message(r, a, b)))
    add_up(cells, prior_tail(TOP), at_least=0.9)


def test_kraft_dyadic_thresholds():
    """For one rule and for two, the thresholds j / 2^l, j odd, form a code of their own."""
    top = 30
    for r in (1, 2):
        plain = two_point_message(r, r, r)
        total = mp.mpf(0)
        for levels in itertools.product(range(1, top), repeat=r):
            n_words = math.prod(2 ** (level - 1) for level in levels)
            total += n_words * mass(two_point_message(r, r, r, levels=levels) - plain)
        assert 0.9 < total <= 1


def test_kraft_balls():
    cells = [(1, ball_message(0, 0, 0))]
    for r in range(1, TOP):
        for same, borders in itertools.product(range(r + 1), repeat=2):
            if same + borders:  # radii need an example of the borders' class
                n_words = math.comb(same + borders, borders)
                cells.append((n_words, ball_message(same, r - same, borders)))
    add_up(cells, prior_tail(TOP), at_least=0.9)


def test_kraft_balls_cell_of_no_rule_is_free():
    with pytest.raises(ValueError, match="`n_borders` must be at least 1"):
        ball_message(0, 1, 0)
    assert mass(ball_message(0, 0, 0)) <= 6 / mp.pi**2 / 4 * (1 + mp.mpf("1e-14"))


@pytest.mark.parametrize("n_features", [1, 3])
def test_kraft_stumps(n_features):
    cells = [(1, stump_message(0, 0, n_features))]
    for r in range(1, TOP):
        for d in range(1, r + 1):
            n_words = math.comb(2 * n_features * d, r)
            if n_words:
                cells.append((n_words, stump_message(r, d, n_features)))
    add_up(cells, prior_tail(TOP + 1), at_least=0.75)


def test_stump_code_reaches_every_machine():
    """Every set of r distinct stumps over d examples is one of the C(2 n d, r) subsets."""
    stumps = list(itertools.product(range(2), ("<", ">"), range(2)))  # feature, side, example
    assert len(list(itertools.combinations(stumps, 3))) == math.comb(2 * 2 * 2, 3)


def test_kraft_decision_lists():
    """Sum over sizes d and lengths r, with the tails of both priors added exactly."""
    top = 30
    total = 2 * mass(decision_list_message(0, 0))
    for d in range(1, top):
        for r in range((d + 1) // 2, top):
            total += 2 * (4 * d**2) ** r * mass(decision_list_message(r, d))
        total += prior_tail(top) * 6 / mp.pi**2 / (d + 1) ** 2
    total += prior_tail(top + 1)
    assert 0.8 < total <= 1 + mp.mpf("1e-12")


# ---- properties, edges ---------------------------------------------------------------------


@given(st.integers(1, 60), st.integers(1, 30))
def test_more_stumps_cost_more(r, n_features):
    if r < 2 * n_features:
        assert stump_message(r + 1, 1, n_features) > 0
        assert stump_message(r, 1, n_features + 1) > stump_message(r, 1, n_features)


def test_many_rules_do_not_overflow():
    assert math.isfinite(half_space_message(40, 30, 30, 40))
    assert math.isfinite(two_point_message(60, 60, 60, levels=[62] * 60))
    assert math.isfinite(stump_message(500, 400, 10_000))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: half_space_message(1, 2, 1, 1), "`n_a` must be at most 1"),
        (lambda: half_space_message(1, 0, 1, 1), "`n_a` must be at least 1"),
        (lambda: half_space_message(1, 1, 2, 1), "`n_b` must be at most 1"),
        (lambda: half_space_message(1, 1, 1, 2), "`n_c` must be at most 1"),
        (lambda: half_space_message(-1, 1, 1, 1), "`n_rules` must be at least 0"),
        (lambda: half_space_message(1.5, 1, 1, 1), "`n_rules` must be a whole"),
        (lambda: half_space_message(1, 1, 1, 1, kind="or"), "`kind` must be one of"),
        (lambda: half_space_message(1, 1, 1, 1, kind=None), "`kind` must be one of"),
        (lambda: two_point_message(2, 2, 1, levels=[1]), "`levels` must have one"),
        (lambda: two_point_message(1, 1, 1, levels=[0]), "`levels` must be at least 1"),
        (lambda: two_point_message(1, 1, 1, levels=[63]), "`levels` must be at most 62"),
        (lambda: two_point_message(1, 1, 1, levels=3), "`levels` must be a sequence"),
        (lambda: two_point_message(1, 1, 1, levels="1"), "`levels` must be a sequence"),
        (lambda: ball_message(0, 1, 2), "`n_borders` must be at most 1"),
        (lambda: ball_message(-1, 1, 1), "`n_same_centers` must be"),
        (lambda: ball_message(1, "1", 1), "`n_other_centers` must be"),
        (lambda: stump_message(1, 2, 3), "`n_thresholds` must be at most 1"),
        (lambda: stump_message(3, 1, 1), "`n_rules` must be at most the 2 stumps"),
        (lambda: stump_message(1, 1, 0), "`n_features` must be at least 1"),
        (lambda: decision_list_message(1, 3), "`n_compressed` must be at most 2"),
        (lambda: decision_list_message(1, 0), "`n_compressed` must be at least 1"),
        (lambda: decision_list_message(True, 1), "`n_rules` must be an integer"),
        (lambda: n_bipartite_graphs(-1, 1, 1), "`n_left` must be"),
        (lambda: n_bipartite_graphs(1, 1, 0.5), "`n_edges` must be"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises((ValueError, TypeError), match=message):
        call()

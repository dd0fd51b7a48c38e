"""Prior masses add up to one, and messages cost what the library says."""

import math

import numpy as np
import pytest

from handful.bounds import ball_message, half_space_message, stump_message, two_point_message
from handful.codec import encode
from handful.covering.codes import auto_schemes
from handful.verify.code_prices import code_terms, pool_codes, scheme_mass
from handful.verify.covers import Cover

SETTINGS = {
    "candidates": "auto",
    "family_sets": [["stumps"], ["half-spaces"], ["balls"]],
    "pool_families": ["stumps", "linear", "half-spaces"],
    "kinds": ["conjunction", "disjunction"],
    "n_kernels": 1,
    "group_loss": None,
}


@pytest.mark.parametrize("n_samples", [30, 59, 60, 100, 683, 60_000])
def test_masses_are_those_of_the_library_and_add_up(n_samples):
    sets = [tuple(families) for families in SETTINGS["family_sets"]]
    schemes = auto_schemes(n_samples, 9, sets, tuple(SETTINGS["pool_families"]))
    masses = []
    for scheme in schemes:
        size = scheme.pool_size or n_samples
        code = {"scheme": scheme.name, "pool_size": size, "family": "+".join(scheme.families)}
        code["terms"] = encode(scheme.terms)
        masses.append(float(scheme_mass(code, SETTINGS, n_samples, 9)))
        assert -math.log(masses[-1]) == pytest.approx(scheme.nats)
    assert math.fsum(masses) == pytest.approx(1.0)
    odd = {"scheme": "pool", "pool_size": 7, "family": "stumps", "terms": []}
    assert scheme_mass(odd, SETTINGS, n_samples, 9) == 0


def test_pool_codes():
    sizes = {n: [code.size for code in pool_codes(SETTINGS, n)] for n in (683, 1_000_000)}
    assert sizes == {683: [137, 137], 1_000_000: [10_000, 10_000]}
    without = {**SETTINGS, "pool_families": ["stumps"]}
    assert [code.size for code in pool_codes(without, 683)] == [137, 307]


@pytest.mark.parametrize("families", [["linear"], ["stumps"], ["linear", "stumps"], ["balls"]])
def test_masses_of_other_pools(families):
    settings = {**SETTINGS, "pool_families": families}
    schemes = auto_schemes(683, 9, (("stumps",),), tuple(families))
    ours = [(s.pool_size, list(s.families), s.nats) for s in schemes if s.name == "pool"]
    codes = pool_codes(settings, 683)
    assert ours == [(c.size, c.families, pytest.approx(-math.log(float(c.mass)))) for c in codes]


def _message(family, rules, kind, kept, labels):
    code = {"scheme": "compression", "pool_size": 40, "family": family, "kind": kind, "kept": kept}
    settings = {**SETTINGS, "family_sets": [[family]]}
    terms = code_terms(code, rules, settings, (500, 9), labels, None)
    return [term for term in terms if term.kind not in ("code", "logic", "kept")]


LABELS = np.array([1, -1, 1, -1, 1])


def _cover(kind, examples, level=0):
    return Cover(kind, {}, "<", 0.0, 0.0, examples, level)


CASES = [
    ("stumps", [_cover("stump", [0]), _cover("stump", [2])], [0, 2], stump_message(2, 2, 9)),
    ("balls", [_cover("ball", [0, 2]), _cover("ball", [1, 2])], [0, 1, 2], ball_message(1, 1, 1)),
    ("half-spaces", [_cover("half-space", [0, 1, 2]), _cover("half-space", [0, 3, 4])],
     [0, 1, 2, 3, 4], half_space_message(2, 1, 2, 2)),
    ("two-point", [_cover("two-point", [0, 1], 2), _cover("two-point", [2, 3], 1)], [0, 1, 2, 3],
     two_point_message(2, 2, 2, levels=[2, 1])),
]  # fmt: skip


@pytest.mark.parametrize(("family", "rules", "kept", "message"), CASES, ids=[c[0] for c in CASES])
def test_messages(family, rules, kept, message):
    ours = _message(family, rules, "conjunction", kept, LABELS)
    theirs = message.terms
    assert [(t.kind, t.text) for t in ours] == [(t.kind, t.text) for t in theirs]
    assert [float(t.nats) for t in ours] == pytest.approx([t.nats for t in theirs], rel=1e-12)


def test_too_many_rules_are_refused():
    with pytest.raises(ValueError, match="more than 2000"):
        code_terms({}, [{}] * 2001, SETTINGS, (10, 2), LABELS, None)

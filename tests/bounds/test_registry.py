"""What holds for every bound of the registry: kind of result, words, and bad input."""

from __future__ import annotations

import inspect
import json
import math
from decimal import Decimal

import numpy as np
import pytest

from handful.bounds import BOUNDS, Certificate, Criterion

# One good call for each bound; every argument that has no default, and some that have.
GOOD = {
    "adaboost-training": {"weighted_errors": [0.3, 0.2]},
    "ball-published": {
        "n_same": 40, "n_other": 60, "n_same_centers": 2, "n_other_centers": 1, "n_borders": 1,
        "n_same_errors": 3, "n_other_errors": 4,
    },
    "betting": {"losses": [0.1, 0.3, 0.2, 0.2] * 10},
    "code-length": {"code_bits": 10, "n_samples": 100},
    "compression": {"n_samples": 100, "n_compressed": 3, "n_errors": 5},
    "compression-closed-form": {"n_samples": 100, "n_compressed": 3, "n_errors": 5},
    "compression-folk": {"n_samples": 100, "n_compressed": 1, "n_errors": 2},
    "compression-kl": {"n_samples": 100, "n_compressed": 3, "n_errors": 5},
    "cost": {"n_samples": 100, "n_compressed": 3, "n_false_positives": 2, "n_false_negatives": 3},
    "disagreement": {"n_samples": 100, "n_disagreements": 4, "certified_risk": 0.1},
    "finite-class": {"class_bits": 10, "n_samples": 100, "n_errors": 4},
    "half-space-published": {
        "n_positives": 40, "n_negatives": 60, "n_a": 1, "n_b": 1, "n_c": 1,
        "n_false_negatives": 2, "n_false_positives": 3, "n_rules": 1,
    },
    "half-space-repaired": {
        "n_samples": 100, "n_a": 1, "n_b": 1, "n_c": 1, "n_errors": 4, "n_rules": 1,
    },
    "held-out": {"n_samples": 100, "n_errors": 4},
    "margin-distribution": {
        "n_samples": 10_000, "margin_error": 0.1, "margin": 0.5, "rademacher": 0.05,
    },
    "matching-pursuit": {"n_samples": 10_000, "n_centers": 3, "n_errors": 10},
    "multiple-kernel": {
        "n_samples": 100_000, "n_kernels": 3, "margin": 0.5, "max_trace": 1e5, "slack_sum": 10.0,
    },
    "pac-bayes": {
        "n_samples": 100, "n_compressed": 2, "gibbs_error": 0.1, "divergence_nats": 2.0,
    },
    "perceptron": {"n_samples": 100, "n_updates": 5},
    "pool": {"n_samples": 100, "pool_size": 20, "n_errors": 5},
    "rademacher-margin": {"n_samples": 10_000, "mean_slack": 0.1, "rademacher": 0.05},
    "real-loss": {"n_samples": 100, "n_compressed": 2, "mean_loss": 0.1},
    "selective-error": {"n_calibration": 1000, "n_selected": 800, "n_selected_errors": 10},
    "sparse-pca": {"n_samples": 100, "n_centers": 3, "mean_residual": 0.1},
    "stable": {"n_samples": 100, "n_compressed": 5},
}  # fmt: skip

FLAGS = {"empirical", "exact", "majority_vote", "margin_is_fixed", "scale_is_fixed"}
WORDS = {"kind", "method"}
SEQUENCES = {"losses", "warm_up", "weighted_errors"}
ARGUMENTS = [(name, argument) for name in BOUNDS for argument in BOUNDS[name].parameters]
NUMBERS = [pair for pair in ARGUMENTS if pair[1] not in FLAGS | WORDS]
COUNTS = [
    pair for pair in NUMBERS if pair[1].startswith("n_") or pair[1] in ("pool_size",)
]  # fmt: skip


def bad_call(name, argument, value):
    with pytest.raises((ValueError, TypeError)) as error:
        BOUNDS[name](**{**GOOD[name], argument: value})
    assert argument in str(error.value), f"{argument} is not named: {error.value}"
    return error.value


def wrap(argument, value):
    """A bad number in the place where the argument holds numbers."""
    return [0.1, value] if argument in SEQUENCES else value


@pytest.mark.parametrize("name", BOUNDS)
def test_a_good_call(name):
    bound = BOUNDS[name]
    result = bound(**GOOD[name])
    assert bound.name == name
    if bound.is_guarantee:
        assert isinstance(result, Certificate)
        assert result.bound == name
        assert 0.0 < result.risk < result.limit, "choose numbers that say something"
        assert result.delta == 0.05
        assert result.assumptions
        assert result.reference
        assert Certificate.from_dict(json.loads(json.dumps(result.to_dict()))) == result
        if result.unit == "risk":
            total = math.fsum(term.nats for term in result.terms)
            assert result.risk == pytest.approx(total, rel=1e-9)
    else:
        assert isinstance(result, Criterion)
        assert result.warning
    assert result.explain()


@pytest.mark.parametrize("name", [n for n, b in BOUNDS.items() if b.is_guarantee])
def test_printed_risk_is_not_below_the_risk(name):
    certificate = BOUNDS[name](**GOOD[name])
    shown = str(certificate).split("<= ")[1].split(" ")[0]
    if certificate.limit == 1.0:
        assert Decimal(shown) / 100 >= Decimal(repr(certificate.risk))


@pytest.mark.parametrize("name", [n for n in BOUNDS if "delta" in BOUNDS[n].parameters])
def test_less_confidence_is_cheaper(name):
    def value(delta):
        result = BOUNDS[name](**GOOD[name], delta=delta)
        return result.risk if isinstance(result, Certificate) else result.value

    values = [value(delta) for delta in (1e-300, 1e-6, 0.05, 0.5, 0.999999, math.nextafter(1, 0))]
    assert values == sorted(values, reverse=True)
    assert values[0] > values[2] > values[4]


@pytest.mark.parametrize(("name", "argument"), NUMBERS)
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_not_finite(name, argument, value):
    assert isinstance(bad_call(name, argument, wrap(argument, value)), ValueError)


@pytest.mark.parametrize(("name", "argument"), NUMBERS)
@pytest.mark.parametrize("value", ["3", True, np.bool_(True), [0.5], {}, object(), 1j, b"1"])
def test_wrong_type(name, argument, value):
    if argument in SEQUENCES:
        value = value if not isinstance(value, list | dict) else [value]
    bad_call(name, argument, value)


@pytest.mark.parametrize(("name", "argument"), NUMBERS)
def test_none_where_a_number_is_needed(name, argument):
    if BOUNDS[name].parameters[argument].default is not None:
        bad_call(name, argument, None)
    else:
        BOUNDS[name](**{**GOOD[name], argument: None})


@pytest.mark.parametrize(("name", "argument"), NUMBERS)
def test_negative(name, argument):
    bad_call(name, argument, wrap(argument, -1))


@pytest.mark.parametrize(("name", "argument"), COUNTS)
def test_counts_are_whole_and_not_endless(name, argument):
    bad_call(name, argument, 1.5)
    bad_call(name, argument, 10**400)
    bad_call(name, argument, 2**54)


@pytest.mark.parametrize("name", [n for n in BOUNDS if "delta" in BOUNDS[n].parameters])
@pytest.mark.parametrize("delta", [0, 0.0, 1, 1.0, -0.05, 2.0, 95])
def test_delta_outside(name, delta):
    message = str(bad_call(name, "delta", delta))
    assert "must be in (0, 1)" in message
    assert "0.05 for 95 % confidence" in message


ERRORS = [
    pair
    for pair in COUNTS
    if "error" in pair[1] or "false_" in pair[1] or pair[1] in ("n_compressed", "n_updates")
]


@pytest.mark.parametrize(("name", "argument"), ERRORS)
def test_more_errors_than_examples(name, argument):
    if (name, argument) == ("perceptron", "n_errors"):
        bad_call(name, argument, 96)
    else:
        bad_call(name, argument, 10_001)


@pytest.mark.parametrize(("name", "argument"), [p for p in ARGUMENTS if p[1] in FLAGS])
@pytest.mark.parametrize("value", ["yes", 1, 0, None, 1.0])
def test_flags_are_true_or_false(name, argument, value):
    assert isinstance(bad_call(name, argument, value), TypeError)


@pytest.mark.parametrize(("name", "argument"), [p for p in ARGUMENTS if p[1] in WORDS])
@pytest.mark.parametrize("value", ["nonsense", "", None, 3, ["kl"], np.array(["kl", "x"])])
def test_words_are_from_the_list(name, argument, value):
    assert isinstance(bad_call(name, argument, value), ValueError)


@pytest.mark.parametrize("name", BOUNDS)
def test_numpy_numbers_are_numbers(name):
    def convert(value):
        if isinstance(value, list):
            return np.asarray(value)
        return np.int64(value) if isinstance(value, int) else np.float64(value)

    assert BOUNDS[name](**{k: convert(v) for k, v in GOOD[name].items()}) == BOUNDS[name](
        **GOOD[name]
    )


@pytest.mark.parametrize("name", BOUNDS)
def test_documented_in_one_line_with_a_runnable_example(name):
    bound = BOUNDS[name]
    assert 10 < len(bound.summary) <= 100
    assert ">>> " in inspect.getdoc(bound.function)
    assert "counts" not in bound.parameters

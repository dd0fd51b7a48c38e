"""The command line's bound, plan and demo, through the real application."""

import inspect
import json

import pytest
from typer.testing import CliRunner

from handful.bounds import BOUNDS, Certificate, compression_bound
from handful.cli import app

runner = CliRunner()

# Small valid arguments for every entry of the registry: a new bound without one fails below.
ARGUMENTS = {
    "adaboost-training": {"weighted_errors": [0.3, 0.2]},
    "ball-published": {
        "n_same": 215,
        "n_other": 400,
        "n_same_centers": 1,
        "n_other_centers": 0,
        "n_borders": 1,
        "n_same_errors": 5,
        "n_other_errors": 10,
    },
    "betting": {"losses": [0.1, 0.3, 0.2, 0.2], "warm_up": [0.2, 0.3]},
    "code-length": {"code_bits": 100, "n_samples": 500},
    "compression": {"n_samples": 615, "n_compressed": 3, "n_errors": 15},
    "compression-closed-form": {"n_samples": 615, "n_compressed": 3, "n_errors": 15},
    "compression-folk": {"n_samples": 615, "n_compressed": 3, "n_errors": 15},
    "compression-kl": {"n_samples": 615, "n_compressed": 3, "n_errors": 15},
    "cost": {"n_samples": 615, "n_compressed": 3, "n_false_positives": 5, "n_false_negatives": 9},
    "disagreement": {"n_samples": 100, "n_disagreements": 3, "certified_risk": 0.1},
    "finite-class": {"class_bits": 10, "n_samples": 500, "n_errors": 25},
    "half-space-published": {
        "n_positives": 215,
        "n_negatives": 400,
        "n_a": 1,
        "n_b": 1,
        "n_c": 1,
        "n_false_negatives": 5,
        "n_false_positives": 10,
        "n_rules": 1,
    },
    "half-space-repaired": {
        "n_samples": 615,
        "n_a": 1,
        "n_b": 1,
        "n_c": 1,
        "n_errors": 15,
        "n_rules": 1,
    },
    "held-out": {"n_samples": 100, "n_errors": 3},
    "margin-distribution": {
        "n_samples": 1000,
        "margin_error": 0.1,
        "margin": 0.5,
        "rademacher": 0.1,
    },
    "matching-pursuit": {"n_samples": 1000, "n_centers": 10, "n_errors": 50},
    "multiple-kernel": {
        "n_samples": 1000,
        "n_kernels": 5,
        "margin": 0.5,
        "max_trace": 1000.0,
        "slack_sum": 1.0,
    },
    "pac-bayes": {
        "n_samples": 614,
        "n_compressed": 3,
        "gibbs_error": 0.02,
        "divergence_nats": 6.92,
    },
    "perceptron": {"n_samples": 1000, "n_updates": 20},
    "pool": {"n_samples": 691, "pool_size": 138, "n_errors": 100},
    "rademacher-margin": {"n_samples": 1000, "mean_slack": 0.12, "rademacher": 0.1},
    "real-loss": {"n_samples": 615, "n_compressed": 3, "mean_loss": 0.02},
    "selective-error": {"n_calibration": 2000, "n_selected": 1500, "n_selected_errors": 30},
    "sparse-pca": {"n_samples": 1000, "n_centers": 10, "mean_residual": 0.05},
    "stable": {"n_samples": 615, "n_compressed": 58},
}


def _words(arguments):
    for name, value in arguments.items():
        for item in value if isinstance(value, list) else [value]:
            yield from (f"--{name.replace('_', '-')}", str(item))


def test_every_bound_has_arguments():
    assert set(ARGUMENTS) == set(BOUNDS)


@pytest.mark.parametrize("name", sorted(BOUNDS))
def test_json_equals_the_library(name):
    result = runner.invoke(app, ["bound", name, *_words(ARGUMENTS[name]), "--json"])
    assert result.exit_code == 0, result.output
    expected = BOUNDS[name](**ARGUMENTS[name]).to_dict()
    assert json.loads(result.output) == json.loads(json.dumps(expected))


@pytest.mark.parametrize("name", sorted(BOUNDS))
def test_explained_output_says_what_it_is(name):
    result = runner.invoke(app, ["bound", name, *_words(ARGUMENTS[name])])
    assert result.exit_code == 0
    assert ("Certificate" in result.output) == BOUNDS[name].is_guarantee


@pytest.mark.parametrize("name", sorted(BOUNDS))
def test_missing_arguments_are_misuse(name):
    required = [p for p in BOUNDS[name].parameters.values() if p.default is inspect.Parameter.empty]
    assert required
    assert runner.invoke(app, ["bound", name]).exit_code == 2


def test_bad_value_names_the_argument():
    words = ["bound", "compression", *_words({**ARGUMENTS["compression"], "delta": 2.0})]
    result = runner.invoke(app, words)
    assert result.exit_code == 2
    assert "`delta` must be in (0, 1)" in result.stderr


def test_plan_reaches_its_target():
    words = ["--error-rate", "0.02", "--n-compressed", "3", "--have", "300", "--json"]
    result = runner.invoke(app, ["plan", "--target-risk", "0.1", *words])
    plan = json.loads(result.output)
    n = plan["n_samples"]
    assert plan["n_more"] == n - 300
    errors = -(-2 * (n - 3) // 100)
    assert compression_bound(n, 3, errors).risk <= 0.1
    assert runner.invoke(app, ["plan", "--target-risk", "0.1"]).exit_code == 0


def test_plan_refuses_the_impossible():
    result = runner.invoke(app, ["plan", "--target-risk", "0.1", "--error-rate", "0.2"])
    assert result.exit_code == 2
    assert "`target_risk` must be above `error_rate`" in result.stderr


def test_demo_prints_and_round_trips():
    assert "8.68 %" in runner.invoke(app, ["demo"]).output
    data = json.loads(runner.invoke(app, ["demo", "--json"]).output)
    assert Certificate.from_dict(data["certificate"]).risk == pytest.approx(0.086706937)
    assert "false" in data["published"]["warning"]


def test_version():
    assert runner.invoke(app, ["--version"]).output.startswith("handful ")

"""Machines without rules: certificates on pure noise, made beautiful, and what is said of them."""

import json
import warnings

import numpy as np
import pytest
from sklearn.svm import SVC
from typer.testing import CliRunner

from handful import (
    AdaBoost,
    CertifiedClassifier,
    KernelMatchingPursuitClassifier,
    KernelPerceptron,
    LinearProgrammingMachine,
    LPBoost,
    LPBoostMKL,
    MinimalComplexityMachine,
    ScoreCard,
    SupportVectorMachine,
    load_dataset,
)
from handful.bounds import pool_bound, stable_bound
from handful.cli import app
from handful.files import model_to_dict, save_model
from handful.files.document import to_text
from handful.verify import verify_model
from handful.verify.arithmetic import is_stable_bound
from handful.verify.pursuit_again import pursue
from handful.verify.svm_again import best_biases, solve_exactly
from tests.verify.cases import case, reseal


@pytest.fixture(scope="module")
def noise():
    rng = np.random.default_rng(7)
    return rng.normal(size=(120, 3)), rng.integers(0, 2, 120)


def _document(machine, noise):
    return json.loads(to_text(model_to_dict(machine.fit(*noise), data=noise, include_rows=True)))


def _verdict(document, noise, tmp_path):
    path = tmp_path / "model.json"
    path.write_text(reseal(json.dumps(document, indent=1)), encoding="utf-8")
    return verify_model(path, *noise)


@pytest.mark.parametrize(
    "machine", [LinearProgrammingMachine(C=0.5), SupportVectorMachine(gamma=0.5)], ids=["lp", "svm"]
)
def test_an_empty_compression_set(machine, noise, tmp_path):
    """The stable bound of nobody: a few percent, with most of the examples on the wrong side."""
    document = _document(machine, noise)
    assert _verdict(document, noise, tmp_path).status == "VALID"
    certificate = document["certificate"]
    certificate.update(n_compressed=0, risk=stable_bound(120, 0).risk)
    assert certificate["risk"] < 0.04
    verdict = _verdict(document, noise, tmp_path)
    assert verdict.status == "NOT VALID"
    document["kept"] = []
    assert _verdict(document, noise, tmp_path).status == "NOT VALID"


def test_errors_moved_into_the_pool(noise, tmp_path):
    """A pool that holds all errors, and no message: nothing is left to count."""
    X, y = noise
    document = _document(KernelMatchingPursuitClassifier(n_centers=5), noise)
    assert _verdict(document, noise, tmp_path).status == "VALID"
    machine = KernelMatchingPursuitClassifier(n_centers=5).fit(X, y)
    wrong = np.flatnonzero(machine.predict(X) != y)
    forged = pool_bound(120, len(wrong), 0)
    document["kept"] = wrong.tolist()
    document["certificate"].update(json.loads(json.dumps(forged.to_dict())))
    assert forged.risk < 0.06
    assert _verdict(document, noise, tmp_path).status == "NOT VALID"
    document["data"]["seed"] = None  # nor without a seed: it is not the pool's fit
    assert _verdict(document, noise, tmp_path).status == "NOT VALID"


def test_a_risk_that_is_written_over(noise, tmp_path):
    document = _document(AdaBoost(n_rounds=10), noise)
    assert _verdict(document, noise, tmp_path).status == "VALID"
    document["certificate"]["risk"] = 0.001
    assert "risk" in " ".join(_verdict(document, noise, tmp_path).differences)
    document["certificate"]["terms"] = [{"kind": "slack", "text": "mean slack", "nats": 0.001}]
    assert _verdict(document, noise, tmp_path).status == "NOT VALID"


@pytest.mark.parametrize(
    ("field", "value"),
    [("bound", "held-out"), ("bound", "magic"), ("bound", "compression")],
)
def test_a_bound_that_the_machine_has_not(field, value, noise, tmp_path):
    document = _document(KernelPerceptron(gamma=0.5, max_passes=20), noise)
    document["certificate"][field] = value
    assert _verdict(document, noise, tmp_path).status == "NOT VALID"


@pytest.mark.parametrize(
    "machine",
    [AdaBoost(n_rounds=5), SupportVectorMachine(), MinimalComplexityMachine("rbf", C=1.0)],
    ids=["adaboost", "svm", "mcm"],
)
def test_held_out_errors_are_not_verified(machine, noise, tmp_path):
    X, y = noise
    certificate = machine.fit(X[:80], y[:80]).certify(bound="held-out", X=X[80:], y=y[80:])
    data = X[:80], y[:80]
    save_model(machine, tmp_path / "m.json", data=data, certificate=certificate, include_rows=True)
    verdict = verify_model(tmp_path / "m.json", *data)
    assert verdict.status == "CONSISTENT, NOT VERIFIED"
    assert "held-out examples" in verdict.unverified[0]
    document = json.loads((tmp_path / "m.json").read_text())
    document["certificate"].update(n_errors=0)
    assert _verdict(document, data, tmp_path).status == "NOT VALID"


def test_lpboost_is_consistent_at_most(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.uniform(-1.0, 1.0, size=(200, 4))
    y = X[:, 0] + 0.3 * rng.normal(size=200) > 0
    machine = LPBoost(cap=0.02, thresholds=[-0.5, 0.0, 0.5]).fit(X, y)
    save_model(machine, tmp_path / "m.json", certificate=machine.certify())
    assert verify_model(tmp_path / "m.json", X, y).status == "CONSISTENT, NOT VERIFIED"


def test_a_huge_number_of_examples_does_not_hang(noise, tmp_path):
    for machine in (SupportVectorMachine(), AdaBoost(n_rounds=3)):
        document = _document(machine, noise)
        document["certificate"]["n_samples"] = 10**12
        assert _verdict(document, noise, tmp_path).status == "NOT VALID"
    machine = AdaBoost(n_rounds=3).fit(*noise)
    document = json.loads(to_text(model_to_dict(machine, certificate=machine.certify(
        bound="held-out", X=noise[0] + 9.0, y=noise[1]))))  # fmt: skip
    for n, k in ((10**12, 10**11), (10**9, 4 * 10**8)):
        document["certificate"].update(n_samples=n, n_errors=k)
        assert _verdict(document, noise, tmp_path).status == "NOT VALID"


def test_exit_codes(noise, tmp_path):
    X, y = noise
    table = np.column_stack([X, y])
    header = "a,b,c,y"
    np.savetxt(tmp_path / "data.csv", table, delimiter=",", header=header, comments="", fmt="%.17g")
    machine = AdaBoost(n_rounds=3).fit(X, y)
    save_model(machine, tmp_path / "valid.json")
    held_out = machine.certify(bound="held-out", X=X[:5] + 9.0, y=y[:5])
    save_model(machine, tmp_path / "open.json", certificate=held_out)
    text = (tmp_path / "valid.json").read_text()
    (tmp_path / "bad.json").write_text(text.replace('"delta": 0.05', '"delta": 0.06'))
    for name, code, words in (
        ("valid", 0, "VALID"),
        ("open", 3, "CONSISTENT, NOT VERIFIED"),
        ("bad", 1, "NOT VALID"),
    ):
        arguments = ["verify", str(tmp_path / f"{name}.json"), str(tmp_path / "data.csv")]
        result = CliRunner().invoke(app, [*arguments, "--target", "y"])
        assert result.exit_code == code, result.output
        assert words in result.output


@pytest.mark.parametrize("C", [0.1, 1.0, 50.0])
@pytest.mark.parametrize("has_bias", [True, False])
def test_support_vector_machines_are_solved_to_rounding(C, has_bias, noise):
    X, y = noise[0], np.where(noise[1] > 0, 1.0, -1.0)
    K = np.exp(-0.5 * ((X[:, None] - X[None]) ** 2).sum(axis=2))
    exact = solve_exactly(K, y, C, has_bias)
    assert exact.gap < 1e-7 * exact.objective
    assert exact.low <= exact.high
    if has_bias:
        other = SVC(C=C, gamma=0.5, tol=1e-8).fit(X, y).decision_function(X)
        assert np.allclose(exact.values + exact.low, other, atol=1e-4)


def test_biases_minimise_the_hinge(rng):
    values, y = rng.normal(size=30), np.where(rng.random(30) < 0.4, 1.0, -1.0)

    def loss(b):
        return np.maximum(0.0, 1.0 - y * (values + b)).sum()

    low, high = best_biases(values, y)
    least = min(loss(b) for b in np.linspace(-4, 4, 2001))
    assert loss(low) == pytest.approx(loss(high)) == pytest.approx(least, abs=1e-2)
    assert loss(low - 1e-6) > loss(low)
    assert loss(high + 1e-6) > loss(high)


def test_pursuit_takes_the_best_column(rng):
    K, Y = rng.normal(size=(20, 6)), rng.normal(size=(20, 2))
    chosen = pursue(K, Y, 3, True)

    def residual(columns):
        A = np.column_stack([np.ones(20), K[:, columns]])
        return float(((Y - A @ np.linalg.lstsq(A, Y, rcond=None)[0]) ** 2).sum())

    for t in range(3):
        rest = [j for j in range(6) if j not in chosen[:t]]
        best = min(rest, key=lambda j: residual([*chosen[:t], j]))
        assert chosen[t] == best


@pytest.mark.parametrize(("n", "k"), [(100, 0), (615, 58), (50, 49), (50, 50)])
def test_the_stable_bound_is_known(n, k):
    risk = stable_bound(n, k).risk
    assert is_stable_bound(risk, k, n, 0.05)
    assert not is_stable_bound(0.999 * risk, k, n, 0.05)
    assert risk == 1.0 or not is_stable_bound(min(1.0, 1.001 * risk), k, n, 0.05)


def test_training_data_are_known_again(tmp_path):
    document = json.loads(case("svm").text)
    X = case("svm").X.copy()
    X[3, 2] += 1.0
    verdict = _verdict(document, (X, case("svm").y), tmp_path)
    assert "row 4 was changed" in " ".join(verdict.differences)


@pytest.mark.parametrize(
    "machine", [CertifiedClassifier(["one rule"]), ScoreCard()], ids=["menu", "card"]
)
def test_training_data_of_machines_that_read_tables_are_known_again(machine, noise, tmp_path):
    document, (X, y) = _document(machine, noise), noise
    assert _verdict(document, (X[::-1], y[::-1]), tmp_path).status != "NOT VALID"
    other = X.copy()
    other[3, 2] += 1.0
    verdict = _verdict(document, (other, y), tmp_path)
    assert verdict.status == "NOT VALID"
    assert "the same rows, but row 4 was changed" in " ".join(verdict.differences)


@pytest.mark.parametrize(("field", "value"), [("n_compressed", 0), ("risk", 0.04)])
def test_set_and_risk_of_a_stable_machine_are_checked_each(field, value, noise, tmp_path):
    document = _document(LinearProgrammingMachine(C=0.5), noise)
    document["certificate"][field] = value
    assert f"certificate: {field}" in " ".join(_verdict(document, noise, tmp_path).differences)


def _certificate(**changes):
    return lambda document: document["certificate"].update(changes)


def _fewer_kept(document):
    document["kept"].pop()


def _none_kept(document):
    document["kept"] = []


def _scaled(document):
    """Predictions stay; the margins, over a total that is a norm, do too."""
    for part in document["fitted"]["machine"]["parts"]:
        part["coefficients"] = [[2.0 * a for a in row] for row in part["coefficients"]]


def _one_coefficient(document):
    document["fitted"]["machine"]["parts"][0]["coefficients"][0][0] *= 1.5


def _fewer_kernels(document):
    document["training"]["parameters"]["kernels"].pop()


def _another_kernel(document):
    document["fitted"]["machine"]["parts"][0]["kernel"]["gamma"] *= 2.0


def _better_validation(document):
    scores = document["fitted"]["machine"]["validation"]
    document["fitted"]["machine"]["validation"] = [[v + 1.0 for v in row] for row in scores]


def _fewer_models(document):
    document["training"]["parameters"]["param_grid"]["gamma"].append(1.0)


@pytest.mark.parametrize(
    ("name", "forge", "word"),
    [
        ("kernels", _certificate(risk=0.05), "risk"),
        ("kernels", _one_coefficient, "slack"),
        ("kernels", _fewer_kernels, "kernel"),
        ("kernels", _another_kernel, "kernels"),
        ("nonconformity", _certificate(n_errors=0), "n_errors"),
        ("nonconformity", _certificate(risk=0.01), "risk"),
        ("nonconformity", _certificate(n_samples=250), "n_samples"),
        ("nonconformity", _fewer_kept, "counted examples"),
        ("nonconformity", _better_validation, "validation"),
        ("nonconformity-best", _fewer_models, "choices"),
        ("picked", _certificate(n_compressed=3), "n_compressed"),
        ("picked", _certificate(risk=0.01), "risk"),
        ("picked", _none_kept, "n_compressed"),
        ("picked-compression", _certificate(n_errors=0, risk=0.02), "risk"),
        ("picked-compression", _fewer_kept, "n_compressed"),
    ],
)
def test_sums_calibrated_and_picked_machines_are_counted_again(name, forge, word, tmp_path):
    document = json.loads(case(name).text)
    forge(document)
    verdict = _verdict(document, (case(name).X, case(name).y), tmp_path)
    assert verdict.status == "NOT VALID"
    assert word in " ".join(verdict.differences)


def test_a_sum_of_kernels_in_other_units_is_the_same_claim(tmp_path):
    document = json.loads(case("kernels").text)
    _scaled(document)
    data = case("kernels").X, case("kernels").y
    assert _verdict(document, data, tmp_path).status == "VALID"


def test_a_margin_that_was_fixed_is_trusted_and_said(tmp_path):
    X, y = case("kernels").X, case("kernels").y
    machine = LPBoostMKL(["linear", {"kernel": "rbf", "gamma": 0.1}], nu=0.3).fit(X, y)
    certificate = machine.margin_certificate(bound="multiple-kernel", margin=0.7)
    document = model_to_dict(machine, data=(X, y), certificate=certificate, include_rows=True)
    verdict = _verdict(json.loads(to_text(document)), (X, y), tmp_path)
    assert verdict.status == "VALID"
    assert any("margin" in words for words in verdict.trusted)


@pytest.mark.parametrize("parameters", [None, 1, []])
def test_no_parameters_are_no_reason_to_look_at_nothing(parameters, noise, tmp_path):
    document = _document(SupportVectorMachine(gamma=0.5), noise)
    document["training"]["parameters"] = parameters
    document["certificate"].update(n_compressed=0, risk=0.001)
    assert _verdict(document, noise, tmp_path).status == "NOT VALID"


@pytest.mark.parametrize("name", ["adaboost", "svm", "lpm"])
def test_columns_of_scores_give_one_number_each(name, tmp_path):
    """A flag for missing values would move all features behind it by one."""
    document = json.loads(case(name).text)
    data = case(name).X, case(name).y
    assert _verdict(document, data, tmp_path).status == "VALID"
    document["fitted"]["columns"]["columns"][0]["has_missing"] = True
    assert _verdict(document, data, tmp_path).status == "NOT VALID"


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("breastw", {"degree": 2, "coef0": 1.0}),
        ("glass-2class", {"degree": 2, "coef0": 1.0}),
        ("glass-2class", {"gamma": 0.001}),
        ("breastw", {}),
    ],
)
def test_honest_polynomials_contradict_nothing(name, options, tmp_path):
    """Badly scaled programs, which the auditor's own solver does not solve to rounding."""
    data = load_dataset(name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        machine = SupportVectorMachine("poly", **options).fit(data.X, data.y)
    document = json.loads(to_text(model_to_dict(machine, data=(data.X, data.y), include_rows=True)))
    verdict = _verdict(document, (data.X, data.y), tmp_path)
    assert verdict.status != "NOT VALID", verdict.differences
    assert verdict.unverified or verdict.is_valid
    if document["certificate"] is None:
        return
    document["certificate"]["risk"] *= 0.9
    assert _verdict(document, (data.X, data.y), tmp_path).status == "NOT VALID"
    del document["certificate"]["assumptions"][-1]
    assert _verdict(document, (data.X, data.y), tmp_path).status == "NOT VALID"

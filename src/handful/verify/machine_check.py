"""Machines that are not made of rules: which claim each of their bounds makes.

To add a machine: a function from `Evidence` to its `Claim`, and an entry in `CLAIMS`. What it does
not derive again it leaves, in words, on the audit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np

from handful.verify.audit import Audit, Document, Floats, Ints, is_number
from handful.verify.claims import (
    HELD_OUT,
    HELD_OUT_REFERENCE,
    LANGFORD,
    MOST,
    STABLE,
    STABLE_REFERENCE,
    Claim,
    Key,
    Prices,
    assumes,
    check_claim,
    check_record,
    choice_prices,
    confidence,
    drawn_by,
    kept_prices,
)
from handful.verify.evaluate import labels_of, scaled, scorer_values
from handful.verify.evidence import SCORES, Evidence, kept_numbers, sum_views, widened
from handful.verify.linear_programs import program_claim
from handful.verify.margin_claims import mixture_claim, vote_claim
from handful.verify.perceptron_again import perceptron_claim
from handful.verify.pursuit_again import pursuit_claim
from handful.verify.sheets import Given, Sheet, offered_places, wide_rows
from handful.verify.svm_again import svm_claim

ClaimFunction = Callable[[Evidence], Claim | None]

NO_CLAIM = "anything: the file has no certificate, so that nothing is claimed"
_TRUST_DRAW = "the examples come independently from the distribution of the new cases"
_TRUST_SETTINGS = "the parameters, delta and the seed were fixed before the data"
_NOT_PICKED_AGAIN = (
    "that the picks are those which the rule of picking takes, and that the classifier is what "
    "training on them gives: neither is done again here (errors, picks and the bound are counted)"
)
_NOT_TRAINED_AGAIN = (
    "that the models were trained on the examples set aside for training alone: they are not "
    "trained again here (the draw, the errors and the bound are)"
)
_N_USUAL_MODELS = 110  # of the published grid


def held_out_claim(evidence: Evidence) -> Claim | None:
    """The tail of the stated counts; the examples themselves are elsewhere."""
    audit, certificate = evidence.audit, evidence.certificate
    is_drawn = assumes(certificate, drawn_by(evidence.seed))
    if evidence.estimator == "NonconformityClassifier" and is_drawn:
        return calibrated_claim(evidence)
    audit.leave("the errors on the held-out examples, which are not among these data")
    k, n = certificate["n_errors"], certificate["n_samples"]
    if not audit.count("certificate: errors are counted", k, 0, n):
        return None
    prices = [confidence(evidence.delta), *choice_prices(audit, certificate, "models")]
    return Claim("held-out", "tail", prices, HELD_OUT, HELD_OUT_REFERENCE, n, k, None, n)


def boosted_stable(evidence: Evidence) -> Claim | None:
    """LPBoost over fixed features: its program is not solved again here."""
    audit, certificate, p = evidence.audit, evidence.certificate, evidence.parameters
    audit.leave("the size of the compression set: the program of LPBoost is not solved again")
    is_fixed = p.get("weak_learner") == "precomputed" or p.get("thresholds") is not None
    audit.check("settings: cap and features", is_number(p.get("cap")) and is_fixed)
    size, n_errors = certificate["n_compressed"], int(evidence.wrong.sum())
    if len(sum_views(evidence.form)) > 1 or certificate["notes"]:
        return None  # parts that the file does not list
    if not audit.check(
        "compression set holds the errors",
        type(size) is int and n_errors <= size <= evidence.n,
        f"the file says {size!r}, there are {n_errors} errors",
    ):
        return None
    words, prices = (*STABLE, "columns-and-cap", "known-classes"), [confidence(evidence.delta)]
    n = evidence.n
    return Claim("stable", "stable", prices, words, STABLE_REFERENCE, n, n_compressed=size)


def picks_claim(evidence: Evidence) -> Claim:
    """What the picks and the errors outside them certify."""
    audit, certificate, p = evidence.audit, evidence.certificate, evidence.parameters
    n, size, n_errors = evidence.n, len(evidence.kept), evidence.n_outside(evidence.kept)
    audit.leave(_NOT_PICKED_AGAIN)
    fixed: tuple[Key, ...] = ("picking",)
    seed, last = p.get("random_state"), confidence(evidence.delta)
    if seed is not None and assumes(certificate, drawn_by(seed)):
        fixed += (drawn_by(seed),)
    if certificate["bound"] == "compression":
        prices = [*kept_prices(n, size), *choice_prices(audit, certificate, "families"), last]
        words = ("iid", "preprocessing", *fixed)
        return Claim("compression", "tail", prices, words, LANGFORD, n, n_errors, size, n - size)
    choices = choice_prices(audit, certificate, "models")
    if p.get("stop") == "certificate":
        _check_choices(audit, choices, _n_stops(n), "places to stop at")
    words = (*STABLE, *fixed)
    prices, d = [last, *choices], size + n_errors
    return Claim("stable", "stable", prices, words, STABLE_REFERENCE, n, n_compressed=d)


def _n_stops(n_samples: int) -> int:
    """1, 2, 3, 5, 8, ... in ratio 1.5, and the number of examples."""
    size, n_stops = 1, 1
    while size < n_samples:
        size, n_stops = min(n_samples, math.ceil(1.5 * size)), n_stops + 1
    return n_stops


def _check_choices(audit: Audit, choices: Prices, least: int, what: str) -> None:
    """What was compared is paid for, a whole number of times."""
    paid = round(math.exp(float(choices[0].nats))) if choices else 1
    audit.check("certificate: choices", paid % least == 0, f"{paid} are paid, {least} {what}")


def calibrated_claim(evidence: Evidence) -> Claim | None:
    """The held-out bound of the examples that were drawn to be counted, counted again."""
    audit, p, order = evidence.audit, evidence.parameters, evidence.order
    n = evidence.n - len(evidence.kept)
    drawn = order[:n]
    holds = bool(n) and not set(drawn.tolist()) & set(evidence.kept)
    if not audit.check("counted examples", holds, "are not those drawn"):
        return None
    choices = choice_prices(audit, evidence.certificate, "models")
    if p.get("select") == "best-validation" and p.get("calibration_size") is None:
        _check_choices(audit, choices, _n_models(audit, p), "models")
    elif evidence.form["machine"] == "nonconformity":
        _check_validation(evidence, order[n:])
    _check_points(evidence)
    audit.leave(_NOT_TRAINED_AGAIN)
    words = (*HELD_OUT, drawn_by(evidence.seed))
    n_errors, prices = int(evidence.wrong[drawn].sum()), [confidence(evidence.delta), *choices]
    return Claim("held-out", "tail", prices, words, HELD_OUT_REFERENCE, n, n_errors, None, n)


def _n_models(audit: Audit, p: Document) -> int:
    """How many models were compared on the validation examples."""
    grid = p.get("param_grid", ...)
    if grid is None:
        return _N_USUAL_MODELS
    if not isinstance(grid, Mapping):
        audit.leave("the number of models that were compared, which the file does not list")
        return 1
    return math.prod(len(values) for values in grid.values())


def _check_validation(evidence: Evidence, order: Ints) -> None:
    """Scores of the validation examples, which follow the counted ones in the order drawn."""
    audit, form = evidence.audit, evidence.form
    if form["rule"] == "largest-margin":
        return  # they are not looked at
    rows = order[: len(form["validation"][0])]
    signs = evidence.signs(0, 1)[rows][:, None]
    values = scorer_values(form, evidence.X[rows])
    own, said = np.sort((signs * values).T, axis=1), np.array(form["validation"], dtype=float)
    size = 1.0 + np.abs(own).max(initial=0.0)
    is_same = said.shape == own.shape and bool((np.abs(said - own) <= 1e-9 * size).all())
    audit.check("validation scores", is_same, "are not those of the examples drawn for them")
    n_wrong = ((values > 0.0) != (signs > 0.0)).sum(axis=0)
    audit.equal("validation errors", form["n_errors"], n_wrong.tolist())
    is_small = all(0.0 <= part <= 1e-8 * size for part in form["tolerances"])
    audit.check("tolerances", is_small, "are more than rounding")


def _check_points(evidence: Evidence) -> None:
    """The models are sums over examples that are not counted."""
    rows = {tuple(row) for row in evidence.X[evidence.kept].tolist()}
    scorers = evidence.form.get("scorers", [evidence.form])
    parts = [part for scorer in scorers for part in scorer["parts"]]
    centers = [scaled(part, np.array(z, dtype=float)) for part in parts for z in part["centers"]]
    is_known = {tuple(center.tolist()) for center in centers} <= rows
    evidence.audit.check("points of the models", is_known, "are not among the others")


_VOTES: dict[str, ClaimFunction] = dict.fromkeys(
    ("rademacher-margin", "margin-distribution"), vote_claim
)
# By machine and bound; every machine may have a certificate of held-out examples.
CLAIMS: dict[str, dict[str, ClaimFunction]] = {
    "AdaBoost": _VOTES,
    "LPBoost": {**_VOTES, "stable": boosted_stable},
    "KernelPerceptron": dict.fromkeys(("stable", "perceptron"), perceptron_claim),
    "KernelMatchingPursuitClassifier": dict.fromkeys(
        ("pool", "compression", "matching-pursuit"), pursuit_claim
    ),
    "SupportVectorMachine": dict.fromkeys(("stable", "compression"), svm_claim),
    "LinearProgrammingMachine": {"stable": program_claim},
    "MinimalComplexityMachine": {"stable": program_claim},
    "LPBoostMKL": dict.fromkeys(("multiple-kernel", "rademacher-margin"), mixture_claim),
    "PickToLearn": dict.fromkeys(("stable", "compression"), picks_claim),
}


def check_machine(audit: Audit, document: Document, sheet: Sheet, given: Given, E: Floats) -> None:
    """A machine on encoded rows ``E``: what it does there, and what its certificate says."""
    machine, classes = document["fitted"]["machine"], list(document["fitted"]["classes"])
    audit.equal("form", document["fitted"]["form"], machine["machine"])
    codes = np.array([classes.index(label) for label in sheet.labels])
    wrong = labels_of(machine, E) != codes
    kept, form, X = kept_numbers(audit, document, sheet.digests), machine, E
    if kept is None:
        return
    if is_derived(document):
        at = offered_places(document, given.X)
        audit.equal("columns of words", document["data"]["words"], [])
        whole = given.once(("wide", tuple(at)), lambda: wide_rows(given.X, at, [None] * len(at)))
        X = whole[sheet.rows]
        form = widened(document, len(at))
    else:
        audit.equal("kept examples", kept, [])
    if document["certificate"] is None:
        audit.leave(NO_CLAIM)
        return
    audit.trust(_TRUST_DRAW)
    audit.trust(_TRUST_SETTINGS)
    if not check_record(audit, document["certificate"]) or not _has_settings(audit, document):
        return
    order = sheet.blocks.rows(sheet.blocks.n)
    evidence = Evidence(audit, document, form, X, codes, wrong, kept, order)
    bound, estimator = evidence.certificate["bound"], evidence.estimator
    make = held_out_claim if bound == "held-out" else CLAIMS.get(estimator, {}).get(bound)
    if not audit.check("bound", make is not None, f"{bound!r}, {estimator!r}"):
        return
    claim = None if make is None else make(evidence)
    if claim is None:
        audit.leave(f"the bound {bound!r} of {estimator!r}")
    else:
        check_claim(audit, document, claim)


def is_derived(document: Document) -> bool:
    """Whether claims of a machine are derived from its training data."""
    form, estimator = document["fitted"]["machine"]["machine"], document["provenance"]["estimator"]
    return form in SCORES or estimator in CLAIMS


def _has_settings(audit: Audit, document: Document) -> bool:
    """Whether the number of groups of settings and the parameters can be used."""
    training = document["training"]
    parameters = training["parameters"]
    is_usable = audit.count("settings: n_groups", training["n_groups"], 1, MOST)
    said = f"{parameters!r:.80} has no names"
    return is_usable & audit.check("settings: parameters", isinstance(parameters, Mapping), said)

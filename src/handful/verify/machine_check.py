"""Machines that are not made of rules: which claim each of their bounds makes.

To add a machine: a function from `Evidence` to its `Claim`, and an entry in `CLAIMS`. What it does
not derive again it leaves, in words, on the audit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from handful.verify.audit import Audit, Document, Floats, is_number
from handful.verify.claims import (
    HELD_OUT,
    HELD_OUT_REFERENCE,
    MOST,
    STABLE,
    STABLE_REFERENCE,
    Claim,
    assumes,
    check_claim,
    check_record,
    choice_prices,
    confidence,
    drawn_by,
)
from handful.verify.evaluate import labels_of
from handful.verify.evidence import SCORES, Evidence, kept_numbers, sum_views, widened
from handful.verify.left_out import calibrated_claim, picks_claim
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

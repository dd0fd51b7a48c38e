"""Machines certified by what they leave out: rows that calibrate them, or that nobody picked.

Errors, sizes and bounds are counted again here. Training is not repeated: what is left open says
so.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from handful.verify.audit import Audit, Document, Ints
from handful.verify.claims import (
    HELD_OUT,
    HELD_OUT_REFERENCE,
    LANGFORD,
    STABLE,
    STABLE_REFERENCE,
    Claim,
    Key,
    Prices,
    assumes,
    choice_prices,
    confidence,
    drawn_by,
    kept_prices,
)
from handful.verify.evaluate import scaled, scorer_values
from handful.verify.evidence import Evidence

_NOT_PICKED_AGAIN = (
    "that the picks are those which the rule of picking takes, and that the classifier is what "
    "training on them gives: neither is done again here (errors, picks and the bound are counted)"
)
_NOT_TRAINED_AGAIN = (
    "that the models were trained on the examples set aside for training alone: they are not "
    "trained again here (the draw, the errors and the bound are)"
)
_N_USUAL_MODELS = 110  # of the published grid


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

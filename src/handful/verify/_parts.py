"""Machines certified by what they leave out: rows that calibrate them, or that nobody picked.

Errors, sizes and bounds are counted again here. Training is not repeated: what is left open says
so.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handful.verify._arithmetic import MP, log, log_binomial
from handful.verify._audit import Audit
from handful.verify._banks import bank_values
from handful.verify._claims import Claim, choice_terms
from handful.verify._terms import Term, Terms, confidence
from handful.verify._wording import (
    HELD_OUT,
    HELD_OUT_REFERENCE,
    LANGFORD,
    STABLE,
    STABLE_REFERENCE,
    Key,
    Wording,
    assumes,
    drawn_by,
)

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Document = Mapping[str, Any]

_NOT_PICKED_AGAIN = (
    "that the picks are those which the rule of picking takes, and that the classifier is what "
    "training on them gives: neither is done again here (errors, picks and the bound are counted)"
)
_NOT_TRAINED_AGAIN = (
    "that the models were trained on the examples set aside for training alone: they are not "
    "trained again here (the draw, the errors and the bound are)"
)
_N_USUAL_MODELS = 110  # of the published grid


def picks_claim(audit: Audit, document: Document, n: int, wrong: Any, delta: float) -> Claim:
    """What the picks and the errors outside them certify."""
    certificate, p = document["certificate"], document["settings"]["parameters"]
    kept = document["compression_set"]
    is_outside = np.ones(n, dtype=bool)
    is_outside[kept] = False
    n_errors = int((wrong & is_outside).sum())
    audit.leave(_NOT_PICKED_AGAIN)
    fixed: tuple[Key, ...] = ("picking",)
    seed = p.get("random_state")
    if seed is not None and assumes(certificate, drawn_by(seed)):
        fixed += (drawn_by(seed),)
    if certificate["bound"] == "compression":
        terms = [Term("kept", "which examples are kept", log_binomial(n, len(kept)))]
        size = log(MP.pi**2 / 6) + 2 * log(len(kept) + 1)
        terms.append(Term("size", "how many examples are kept", size))
        terms += [*choice_terms(audit, certificate, "families"), confidence(delta)]
        wording = Wording(("iid", "preprocessing", *fixed), LANGFORD)
        n_counted = n - len(kept)
        return Claim("compression", "tail", terms, wording, n, n_errors, len(kept), n_counted)
    choices = choice_terms(audit, certificate, "models")
    if p.get("stop") == "certificate":
        _check_choices(audit, choices, _n_stops(n), "places to stop at")
    terms = [confidence(delta), *choices]
    wording = Wording((*STABLE, *fixed), STABLE_REFERENCE)
    return Claim("stable", "stable", terms, wording, n, n_compressed=len(kept) + n_errors)


def _n_stops(n_samples: int) -> int:
    """1, 2, 3, 5, 8, ... in ratio 1.5, and the number of examples."""
    size, n_stops = 1, 1
    while size < n_samples:
        size, n_stops = min(n_samples, math.ceil(1.5 * size)), n_stops + 1
    return n_stops


def _check_choices(audit: Audit, choices: Terms, least: int, what: str) -> None:
    """What was compared is paid for, a whole number of times."""
    paid = round(math.exp(float(choices[0].nats))) if choices else 1
    audit.check("certificate: choices", paid % least == 0, f"{paid} are paid, {least} {what}")


def calibrated_claim(
    audit: Audit,
    document: Document,
    X: Floats,
    codes: Ints,
    wrong: Any,
    delta: float,
    order: Ints,
) -> Claim | None:
    """The held-out bound of the examples that were drawn to be counted, counted again."""
    certificate, p = document["certificate"], document["settings"]["parameters"]
    kept = set(document["compression_set"])
    n = len(X) - len(kept)
    drawn = set(order[:n].tolist())
    if not audit.check("counted examples", bool(n) and not drawn & kept, "are not those drawn"):
        return None
    n_errors = int(wrong[sorted(drawn)].sum())
    choices = choice_terms(audit, certificate, "models")
    if p.get("select") == "best-validation" and p.get("calibration_size") is None:
        _check_choices(audit, choices, _n_models(audit, p), "models")
    elif document["machines"][0]["kind"] == "nonconformity":
        _check_validation(audit, document["machines"][0], X, codes, order[n:])
    _check_points(audit, document, X, sorted(kept))
    audit.leave(_NOT_TRAINED_AGAIN)
    wording = Wording(
        (*HELD_OUT, drawn_by(document["provenance"]["random_state"])), HELD_OUT_REFERENCE
    )
    terms = [confidence(delta), *choices]
    return Claim("held-out", "tail", terms, wording, n, n_errors, None, n)


def _n_models(audit: Audit, p: Document) -> int:
    """How many models were compared on the validation examples."""
    grid = p.get("param_grid", ...)
    if grid is None:
        return _N_USUAL_MODELS
    if not isinstance(grid, Mapping):
        audit.leave("the number of models that were compared, which the file does not list")
        return 1
    return math.prod(len(values) for values in grid.values())


def _check_validation(audit: Audit, machine: Document, X: Floats, codes: Ints, order: Ints) -> None:
    """Scores of the validation examples, which follow the counted ones in the order drawn."""
    if machine["rule"] == "largest-margin":
        return  # nobody looks at them
    rows = order[: len(machine["validation"][0])]
    signs = np.where(codes[rows] == 1, 1.0, -1.0)
    values = bank_values(machine["parts"], X[rows]) + np.array(machine["intercepts"], dtype=float)
    own = np.sort((signs[:, None] * values).T, axis=1)
    said = np.array(machine["validation"], dtype=float)
    size = 1.0 + np.abs(own).max(initial=0.0)
    is_same = said.shape == own.shape and bool((np.abs(said - own) <= 1e-9 * size).all())
    audit.check("validation scores", is_same, "are not those of the examples drawn for them")
    n_wrong = ((values > 0.0) != (signs[:, None] > 0.0)).sum(axis=0)
    audit.equal("validation errors", machine["n_errors"], n_wrong.tolist())
    is_small = all(0.0 <= part <= 1e-8 * size for part in machine["tolerances"])
    audit.check("tolerances", is_small, "are more than rounding")


def _check_points(audit: Audit, document: Document, X: Floats, kept: list[int]) -> None:
    """The models are sums over examples that are not counted."""
    rows = {tuple(row) for row in X[kept].tolist()}
    parts = [part for m in document["machines"] for part in m.get("parts", (m,))]
    points = {tuple(z) for part in parts for z in part["points"]}
    audit.check("points of the models", points <= rows, "are not among the others")

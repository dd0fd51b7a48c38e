"""Machines that are not made of rules: scores evaluated again, bounds recomputed from counts."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handful.verify._audit import Audit, is_number
from handful.verify._banks import bank_values, nonconformity_values
from handful.verify._claims import Claim, check_claim, choice_terms, effective_delta
from handful.verify._geometry import kernel_values
from handful.verify._margins import svm_claim
from handful.verify._mixtures import mixture_claim
from handful.verify._parts import calibrated_claim, picks_claim
from handful.verify._perceptron import perceptron_claim
from handful.verify._programs import program_claim
from handful.verify._pursuit import pursuit_claim
from handful.verify._terms import confidence
from handful.verify._votes import margin_columns, vote_claim
from handful.verify._wording import (
    HELD_OUT,
    HELD_OUT_REFERENCE,
    STABLE,
    STABLE_REFERENCE,
    Wording,
    assumes,
    drawn_by,
)

Floats = NDArray[np.float64]
Document = Mapping[str, Any]

_TRUST_DRAW = "the examples come independently from the distribution of the new cases"
_TRUST_SETTINGS = "the parameters, delta and the seed were fixed before the data"
_MARGIN = ("rademacher-margin", "margin-distribution", "held-out")
_BOUNDS: dict[str, tuple[str, ...]] = {
    "AdaBoost": _MARGIN,
    "LPBoost": (*_MARGIN, "stable"),
    "KernelPerceptron": ("stable", "perceptron"),
    "KernelMatchingPursuitClassifier": ("pool", "compression", "matching-pursuit"),
    "SupportVectorMachine": ("stable", "compression", "held-out"),
    "LinearProgrammingMachine": ("stable", "held-out"),
    "MinimalComplexityMachine": ("stable", "held-out"),
    "LPBoostMKL": ("multiple-kernel", "rademacher-margin", "held-out"),
    "NonconformityClassifier": ("held-out",),
    "PickToLearn": ("stable", "compression", "held-out"),
}


def machines_of(form: Document, *, is_sum: bool = False) -> list[Document]:
    """The score of each class by itself: one for two classes, else one a class.

    ``is_sum`` says that a single kernel is a sum of kernels too.
    """
    kind = form["machine"]
    if kind == "constant":
        label, n = form["label"], form["n_classes"]
        signs = [2.0 * label - 1.0] if n == 2 else [float(k == label) for k in range(n)]
        return [{"kind": "votes", "features": [], "thresholds": [], "weights": [], "constant": sign}
                for sign in signs]  # fmt: skip
    if kind == "linear":
        pairs = zip(form["weights"], form["intercepts"], strict=True)
        return [{"kind": "linear", "weights": w, "intercept": b} for w, b in pairs]
    if kind == "votes":
        return [{"kind": "votes", **vote} for vote in form["votes"]]
    if kind == "nonconformity":
        scorers = [machines_of(scorer)[0] for scorer in form["scorers"]]
        parts = [_as_part(scorer) for scorer in scorers]
        intercepts = [_shift(scorer) for scorer in scorers]
        return [{**form, "kind": kind, "parts": parts, "intercepts": intercepts}]
    if kind != "kernels":
        raise ValueError(f"there is no machine of kind {kind!r}")
    return [_sum_of(form, k, is_sum) for k in range(len(form["intercepts"]))]


def _sum_of(form: Document, k: int, is_sum: bool) -> Document:
    """The k-th sum over its own points: an expansion of one kernel, or a sum of several."""
    parts = [own for part in form["parts"] if (own := _part_of(part, k))["points"]]
    is_plain = all(p["columns"] is None and not p["is_normalised"] for p in form["parts"])
    if len(form["parts"]) == 1 and is_plain and not is_sum:
        own = _part_of(form["parts"][0], k)
        return {"kind": "expansion", "intercept": form["intercepts"][k], "tie": form["tie"], **own}
    plain = all(part["center"] is None and part["scale"] is None for part in form["parts"])
    if not plain or form["tie"]:
        raise ValueError("several kernels are not scaled")
    return {"kind": "kernels", "parts": parts, "constant": form["intercepts"][k]}


def _part_of(part: Document, k: int) -> dict[str, Any]:
    """Points with a coefficient in the k-th sum, as the kernel reads them."""
    if part["fill"] is not None:
        raise ValueError("a machine that was trained on complete rows fills none")
    if not all(any(row) for row in part["coefficients"]):
        raise ValueError("an example without a coefficient")
    weights = [row[k] for row in part["coefficients"]]
    points = [center for center, w in zip(part["centers"], weights, strict=True) if w]
    if points and (part["center"] is not None or part["scale"] is not None):
        Z = np.array(points, dtype=float) - np.array(
            part["center"] if part["center"] is not None else 0.0
        )
        points = (Z / np.array(part["scale"] if part["scale"] is not None else 1.0)).tolist()
    names = ("kernel", "columns", "is_normalised", "center", "scale")
    coefficients = [w for w in weights if w]
    return {**{n: part[n] for n in names}, "points": points, "coefficients": coefficients}


def _as_part(scorer: Document) -> Document:
    return scorer if scorer["kind"] == "expansion" else scorer["parts"][0]


def _shift(scorer: Document) -> Any:
    return scorer["intercept"] if scorer["kind"] == "expansion" else scorer["constant"]


def scores_of(machine: Document, X: Floats) -> tuple[Floats, Floats]:
    """Values of a machine on the rows of X, and what counts as zero there."""
    kind = machine["kind"]
    if kind == "linear":
        total = np.zeros(len(X))
        for j, weight in enumerate(machine["weights"]):  # in order: sums then round alike
            total = total + weight * X[:, j] if weight else total
        return total + machine["intercept"], np.zeros(len(X))
    if kind == "votes":
        total = np.full(len(X), float(machine["constant"]))
        parts = (machine["features"], machine["thresholds"], machine["weights"])
        for feature, threshold, weight in zip(*parts, strict=True):
            column = X[:, feature]
            total += weight * ((column <= threshold).astype(float) - (column > threshold))
        return total, np.zeros(len(X))
    if kind == "kernels":
        return bank_values(machine["parts"], X) @ np.ones(len(machine["parts"])) + machine[
            "constant"
        ], np.zeros(len(X))
    if kind == "nonconformity":
        return nonconformity_values(machine, X), np.zeros(len(X))
    if kind != "expansion":
        raise ValueError(f"there is no machine of kind {kind!r}")
    Z = X - np.array(machine["center"] if machine["center"] is not None else 0.0)
    Z = Z / np.array(machine["scale"] if machine["scale"] is not None else 1.0)
    total = np.full(len(X), float(machine["intercept"]))
    size = np.abs(total)
    for point, weight in zip(machine["points"], machine["coefficients"], strict=True):
        values = weight * kernel_values(machine["kernel"], np.array(point, dtype=float), Z)
        total, size = total + values, size + np.abs(values)
    return total, machine["tie"] * size


def predicted_codes(document: Document, X: Floats) -> NDArray[np.int64]:
    """Positions of the predicted classes."""
    pairs = [scores_of(machine, X) for machine in document["machines"]]
    if len(pairs) == 1:
        return (pairs[0][0] > pairs[0][1]).astype(np.int64)
    values = np.column_stack([value for value, _ in pairs])
    slack = np.max([tolerance for _, tolerance in pairs], axis=0)[:, None]
    return np.argmax(values >= values.max(axis=1, keepdims=True) - slack, axis=1)


def check_scores(
    audit: Audit,
    document: Document,
    X: Floats,
    codes: NDArray[np.int64],
    order: NDArray[np.int64],
) -> None:
    """A machine without rules: what it does on the data, and what its certificate says."""
    certificate, estimator = document["certificate"], document["provenance"]["estimator"]
    predicted = predicted_codes(document, X)
    audit.check("the scores can be computed", len(predicted) == len(X))
    kept = document["compression_set"]
    is_usable = all(type(i) is int and 0 <= i < len(X) for i in kept)
    is_usable = is_usable and all(i < j for i, j in itertools.pairwise(kept))
    if not audit.check("compression set", is_usable, "must be sorted, distinct, existing"):
        return
    audit.equal("categories", document["categories"], None)
    if certificate is None:
        audit.leave("anything: the file has no certificate, so that nothing is claimed")
        return
    audit.trust(_TRUST_DRAW)
    audit.trust(_TRUST_SETTINGS)
    found = effective_delta(audit, document)
    if found is None:
        return
    delta, n_groups = found
    claim = _claim(audit, document, X, codes, predicted, delta, order)
    if claim is None:
        audit.leave(f"the bound {certificate['bound']!r} of {estimator!r}")
        return
    check_claim(audit, certificate, n_groups, claim)


def _claim(
    audit: Audit,
    document: Document,
    X: Floats,
    codes: NDArray[np.int64],
    predicted: NDArray[np.int64],
    delta: float,
    order: NDArray[np.int64],
) -> Claim | None:
    """What the certificate must say, by its bound and the machine."""
    bound, estimator = document["certificate"]["bound"], document["provenance"]["estimator"]
    if not audit.check("bound", bound in _BOUNDS.get(estimator, ()), f"{bound!r}, {estimator!r}"):
        return None
    wrong = predicted != codes
    if estimator == "NonconformityClassifier" and _is_drawn(document):
        return calibrated_claim(audit, document, X, codes, wrong, delta, order)
    if bound == "held-out":
        return held_out_claim(audit, document["certificate"], delta)
    audit.equal("number of examples", document["certificate"]["n_samples"], len(X))
    if estimator == "LPBoostMKL":
        return mixture_claim(audit, document, X, codes, delta)
    if estimator == "PickToLearn":
        return picks_claim(audit, document, len(X), wrong, delta)
    if estimator in ("AdaBoost", "LPBoost"):
        if bound == "stable":
            return _boosted_stable(audit, document, X, wrong, delta)
        scores = [scores_of(machine, X)[0] for machine in document["machines"]]
        return vote_claim(audit, document, X, margin_columns(document, scores, codes), delta)
    if estimator == "KernelPerceptron":
        return perceptron_claim(audit, document, X, codes, wrong, delta)
    if estimator == "KernelMatchingPursuitClassifier":
        return pursuit_claim(audit, document, X, codes, wrong, delta, order)
    if estimator == "SupportVectorMachine":
        return svm_claim(audit, document, X, codes, delta)
    return program_claim(audit, document, X, codes, delta)


def _is_drawn(document: Document) -> bool:
    """Whether the counted examples are some of these data, drawn by their digest or the seed."""
    return assumes(document["certificate"], drawn_by(document["provenance"]["random_state"]))


def held_out_claim(audit: Audit, certificate: Document, delta: float) -> Claim | None:
    """The tail of the stated counts; the examples themselves are elsewhere."""
    audit.leave("the errors on the held-out examples, which are not among these data")
    k, n = certificate["n_errors"], certificate["n_samples"]
    if not audit.count("certificate: errors are counted", k, 0, n):
        return None
    terms = [confidence(delta), *choice_terms(audit, certificate, "models")]
    wording = Wording(HELD_OUT, HELD_OUT_REFERENCE)
    return Claim("held-out", "tail", terms, wording, n, k, None, n)


def _boosted_stable(
    audit: Audit, document: Document, X: Floats, wrong: Any, delta: float
) -> Claim | None:
    """LPBoost over fixed features: its program is not solved again here."""
    certificate, p = document["certificate"], document["settings"]["parameters"]
    audit.leave("the size of the compression set: the program of LPBoost is not solved again")
    is_fixed = p.get("weak_learner") == "precomputed" or p.get("thresholds") is not None
    audit.check("settings: cap and features", is_number(p.get("cap")) and is_fixed)
    size, n_errors = certificate["n_compressed"], int(wrong.sum())
    if len(document["machines"]) > 1 or certificate["notes"]:
        return None  # parts that the file does not list
    if not audit.check(
        "compression set holds the errors",
        type(size) is int and n_errors <= size <= len(X),
        f"the file says {size!r}, there are {n_errors} errors",
    ):
        return None
    words = (*STABLE, "columns-and-cap", "known-classes")
    terms = [confidence(delta)]
    wording = Wording(words, STABLE_REFERENCE)
    return Claim("stable", "stable", terms, wording, len(X), n_compressed=size)

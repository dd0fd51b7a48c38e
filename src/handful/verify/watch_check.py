"""The state of a watch after deployment, computed again from its cases."""

from __future__ import annotations

import base64
import hashlib
import json
import math
import os
from typing import Any

import numpy as np
from scipy.special import betaln
from scipy.stats import beta

from handful.verify.audit import Audit, Document, Floats, Verdict

_PRIOR = (2.0, 8.0)  # of the risks above a claim
_SHARE = 0.6  # of the evidence, for a risk that is too high from the start
_ODDS = (1.5, 2.0, 3.0)  # of the risks after a late drift
_NEAR = 1e-4  # nats: the library rounds evidence down by less
_LARGEST = 1e250  # where the library cuts a capital
_SMALL = -4.0  # smaller logarithms of evidence are not compared: the library drops them
_TRUST = (
    "the cases were given in the order of their predictions, and none was left out by its label",
    "the flags are what the model said: the state file holds no rows",
)


def verify_watch(path: str | os.PathLike[str]) -> Verdict:
    """Re-check a state file of ``handful monitor``: who entered, the counts, every capital.

    Examples
    --------
    >>> import tempfile
    >>> from handful.monitoring import CaseWatch, WatchPlan, save_watch
    >>> watch = CaseWatch(WatchPlan(claims=(("error", 0.1),)))
    >>> _ = watch.add(range(40), [True] * 40, [1] * 40)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_watch(watch, f"{folder}/watch.json")
    ...     verify_watch(f"{folder}/watch.json").status
    'VALID'
    """
    audit = Audit()
    with audit.guard("the state file"), open(path, encoding="utf-8") as file:
        document = json.load(file)
        rest = {name: part for name, part in document.items() if name != "content_sha256"}
        text = json.dumps(rest, sort_keys=True, separators=(",", ":"))
        digest = hashlib.sha256(text.encode("utf-8")).hexdigest()
        audit.equal("digest of the content", document.get("content_sha256"), digest)
        audit.equal("format", [document["format"], document["version"]], ["handful-watch", 1])
        _check(audit, document)
    for sentence in _TRUST:
        audit.trust(sentence)
    return audit.verdict()


def _check(audit: Audit, document: Document) -> None:
    plan = document["plan"]
    cells = np.frombuffer(base64.b64decode(document["cells"]), dtype=np.uint8).astype(int)
    keys = np.frombuffer(base64.b64decode(document["digests"]), dtype="<u8")
    audit.equal("one digest a case", len(keys), len(cells))
    audit.check("no case twice", len(set(keys.tolist())) == len(keys), "a digest stands twice")
    labels, is_given_up = (cells // 2) % 4, (cells // 8) % 2 == 1
    audit.check("labels", bool((labels < 3).all() and (cells < 64).all()), "a cell is no state")
    if not audit.count("cases that entered", document["n_entered"], 0, len(cells)):
        return
    _check_order(audit, labels, is_given_up, document["n_entered"], plan["horizon"])
    audit.equal("claims", [c["name"] for c in document["claims"]], [c[0] for c in plan["claims"]])
    entered = cells[: document["n_entered"]]
    for stated, (name, claim) in zip(document["claims"], plan["claims"], strict=True):
        alpha = plan["alpha"] / len(plan["claims"])
        _check_claim(audit, stated, entered, claim, (alpha, plan["run_length"], name))


def _check_order(audit: Audit, labels: Any, is_given_up: Any, n_entered: int, horizon: int) -> None:
    """Who entered: all up to the first case that still waits, and nobody given up too early."""
    n, place = len(labels), np.arange(len(labels))
    open_ = labels == 0
    audit.check(
        "given up",
        bool((is_given_up == (open_ & (place < n_entered))).all()),
        "those without a label among the cases that entered, and no others, are given up",
    )
    early = is_given_up & (place >= n - horizon)
    audit.check("horizon", not early.any(), f"{int(early.sum())} cases were given up too early")
    waits = n_entered == n or (open_[n_entered] and n_entered >= n - horizon)
    audit.check("order of entry", bool(waits), f"case {n_entered + 1} should have entered")


def _losses(name: str, cells: Any) -> tuple[Floats, Any, Any]:
    """Errors among the cases of a claim, which have no label, and their numbers."""
    is_flagged, label = cells % 2 == 1, (cells // 2) % 4
    open_, case = label == 0, label == 2
    if name == "error":
        inside = np.ones(len(cells), dtype=bool)
    else:
        inside = open_ | (case if name == "missed" else label == 1)
    wrong = ~open_ & (is_flagged != case)
    return wrong[inside].astype(float), open_[inside], np.flatnonzero(inside) + 1


def _check_claim(
    audit: Audit, stated: Document, cells: Any, claim: float, levels: tuple[float, float, str]
) -> None:
    alpha, run_length, name = levels
    losses, open_, numbers = _losses(name, cells)
    audit.equal(f"{name}: cases", stated["n_cases"], len(losses))
    audit.equal(f"{name}: errors", stated["n_errors"], int(losses.sum()))
    audit.equal(f"{name}: without a label", stated["n_unresolved"], int(open_.sum()))
    late, late_end = _capitals(losses, claim, is_detector=False)
    detector, detector_end = _capitals(losses, claim, is_detector=True)
    for what, ours in (("late", late_end), ("detector", detector_end)):
        for i, value in enumerate(ours):
            audit.close(f"{name}: {what} capital {i + 1}", stated[what][i], value)
    with np.errstate(divide="ignore"):
        evidence = np.logaddexp(
            _mixture(losses, claim) + math.log(_SHARE), np.log(late) + math.log1p(-_SHARE)
        )
        notice = np.log(detector)
    pairs = (("alarm", evidence, -math.log(alpha)), ("notice", notice, math.log(run_length)))
    for what, path, target in pairs:
        _check_first(audit, f"{name}: first {what}", stated[f"{what}_case"], path, numbers, target)
    for what, path in (("log_evidence", evidence), ("log_detector", notice)):
        if len(path) and path[-1] > _SMALL:
            found = stated[what]
            holds = isinstance(found, float) and abs(found - path[-1]) < _NEAR
            audit.check(f"{name}: {what}", holds, f"the file says {found!r}, it is {path[-1]!r}")


def _check_first(
    audit: Audit, name: str, found: Any, path: Floats, numbers: Any, target: float
) -> None:
    """The case at which a line was first reached; a hair below it is allowed."""
    sure, maybe = (
        [int(n) for n in numbers[path >= target + shift][:1]] for shift in (_NEAR, -_NEAR)
    )
    allowed = {maybe[0] if maybe else None, sure[0] if sure else None}
    audit.check(name, found in allowed, f"the file says {found!r}, it is {sure or 'none'}")


def _mixture(losses: Floats, claim: float) -> Floats:
    """Logarithm of the likelihood ratio against the claim, averaged over larger risks."""
    a, b = _PRIOR
    k, t = np.cumsum(losses), np.arange(1.0, len(losses) + 1.0)
    return np.asarray(
        betaln(a + k, b + t - k) + beta.logsf(claim, a + k, b + t - k)
        - betaln(a, b) - beta.logsf(claim, a, b)
        - k * math.log(claim) - (t - k) * math.log1p(-claim)
    )  # fmt: skip


def _capitals(losses: Floats, claim: float, *, is_detector: bool) -> tuple[Floats, list[float]]:
    """Capitals that begin anew at every case: their mean after each, and the last ones."""
    odds = np.array(_ODDS) * claim / (1.0 - claim)
    risks = odds / (1.0 + odds)
    up, down = risks / claim, (1.0 - risks) / (1.0 - claim)
    held, path = np.zeros(len(_ODDS)), np.zeros(len(losses))
    for i, loss in enumerate(losses.tolist()):
        t = i + 1.0
        new = 1.0 if is_detector else 1.0 / math.log2(t + 1.0) - 1.0 / math.log2(t + 2.0)
        held = np.minimum((held + new) * (up if loss else down), _LARGEST)
        path[i] = held.mean()
    return path, held.tolist()

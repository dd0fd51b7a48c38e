"""evidence.json beside a row of a menu: its rates, predictive values and area, counted again."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from handful.verify.arithmetic import MP
from handful.verify.audit import Audit, Document, Floats, Mask
from handful.verify.claims import stated, total
from handful.verify.evaluate import sums_of
from handful.verify.score_check import COUNTS, area_of, check_limits
from handful.verify.sheets import Sheet, pool_size_of
from handful.verify.stated import together

# Machines with a score; others say labels only.
_SCORES = ("linear", "additive", "votes", "kernels", "score card", "thresholded")
_RATES = ("sensitivity", "specificity", "ppv", "npv")


def check_evidence_head(audit: Audit, document: Document, evidence: Document, digest: str) -> bool:
    """Whether evidence.json is about this file, and says of what holds at once what it may."""
    name, training = "evidence.json", document["training"]
    holds = [
        audit.equal(f"{name}: format", [evidence["format"], evidence["version"]],
                    ["handful-evidence", 1]),
        audit.equal(f"{name}: model", evidence["model"], digest),
        audit.equal(f"{name}: delta", evidence["delta"], training["delta"]),
    ]  # fmt: skip
    said, allowed = evidence["together"], together(document)
    audit.check(f"{name}: together", said in allowed, f"the file says {said!r:.200}")
    if training["kind"] == "menu":
        audit.equal(f"{name}: row", evidence["row"], training["chosen"])
    return all(holds)


def check_row_evidence(
    audit: Audit, document: Document, evidence: Document | None, sheet: Sheet, found: Any, E: Floats
) -> None:
    """Counts, limits and area of the chosen row; ``found`` has its label for each row.

    The level is the row's own share of delta, because the row may be chosen after looking. Of each
    group one row counts: the first one drawn.
    """
    if evidence is not None:
        with audit.guard("evidence.json"):
            _check(audit, document, evidence, sheet, found, E)


def _check(
    audit: Audit, document: Document, evidence: Document, sheet: Sheet, found: Any, E: Floats
) -> None:
    n_pool = pool_size_of(document["training"]["pool_share"], sheet.blocks.n)
    classes = document["fitted"]["classes"]
    rows = [unit[0] for unit in sheet.blocks.rows_of[n_pool:] if sheet.labels[unit[0]] in classes]
    said = np.array([found[i] for i in rows], dtype=object)
    truth = np.array([sheet.labels[i] for i in rows], dtype=object)
    level = float(MP.exp(-total(stated(document["certificate"]["terms"]))))
    if "classes" in evidence:
        listed = [one["label"] for one in evidence["classes"]]
        if audit.equal("evidence: classes", listed, [str(label) for label in classes]):
            for label, one in zip(classes, evidence["classes"], strict=True):
                _check_class(audit, one, said == label, truth == label, level / len(classes))
        return
    if "counts" not in evidence:  # nothing is shown of this row
        return
    case, reading = evidence["case"], document["data"]["reading"]
    audit.equal("evidence: case", case, reading["positive"] or classes[1])
    is_said, is_case = said == case, truth == case
    audit.equal("evidence: counts", dict(evidence["counts"]),
                dict(zip(COUNTS, _counts(is_said, is_case), strict=True)))  # fmt: skip
    check_limits(audit, "evidence", evidence, level)
    machine, values = document["fitted"]["machine"], np.where(is_said, 1.0, 0.0)
    if machine["machine"] in _SCORES:
        values = sums_of(machine, E[rows]).values[:, 0] * (1.0 if case == classes[1] else -1.0)
    audit.close("evidence: area", evidence["area"]["estimate"], area_of(values, is_case))


def _check_class(audit: Audit, one: Document, said: Mask, true: Mask, level: float) -> None:
    """One of several classes against all others: four statements at equal shares."""
    name = f"evidence of {one['label']!r:.40}"
    audit.equal(f"{name}: counts", list(one["counts"]), _counts(said, true))
    counts = dict(zip(COUNTS, one["counts"], strict=True))
    audit.equal(f"{name}: level", math.isclose(one["rates"]["delta"], level, rel_tol=1e-9), True)
    known = {"counts": counts, "rates": {k: one["rates"][k] for k in _RATES}}
    check_limits(audit, name, {**known, "levels": {"rates": level}}, level)


def _counts(said: Mask, true: Mask) -> list[int]:
    pairs = ((said, true), (~said, true), (said, ~true), (~said, ~true))
    return [int((a & b).sum()) for a, b in pairs]

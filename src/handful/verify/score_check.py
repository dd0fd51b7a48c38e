"""A validation of scores that exist already, counted again from the table."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from handful.verify.arithmetic import MP, is_tail_bound, tail_bound
from handful.verify.audit import Audit, Document, Floats, Mask, Verdict
from handful.verify.redraw import is_missing, word_form
from handful.verify.written_cells import written_number

_YES = {"yes", "y", "1", "true", "t", "present", "+", "ja", "j", "oui", "si", "sí", "sì"}
_NO = {"no", "n", "0", "false", "f", "absent", "-", "nein", "non", "none"}
_SHOWN = "ROC bands, ratios, net benefit, calibration, subgroups, p-values, DeLong's interval"
_TRUST = (
    "scores, thresholds, the rule for missing values and delta were fixed before these rows",
    "the rows come independently from the distribution of the new cases",
)
Scored = tuple[Floats, Mask, Mask]  # a number a row, whether it is flagged, whether it has none


def verify_validation(path: str | os.PathLike[str], frame: Any, labels: Sequence[Any]) -> Verdict:
    """Re-check a validation.json: counts, certificates, rates, areas and comparisons.

    Bands, calibration, net benefit and subgroups are shown in the file and not checked.

    Examples
    --------
    >>> import tempfile, pandas as pd
    >>> from handful import validate
    >>> table, died = pd.DataFrame({"q": [0, 1, 2, 3] * 50}), ["no", "no", "yes", "yes"] * 50
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     place = validate("q >= 2", table, died).save(folder, overwrite=True)[0]
    ...     verify_validation(place, table, died).status
    'VALID'
    """
    audit, document, claim = Audit(), {}, ""
    with audit.guard("the file"):
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
        found = [document["format"], document["version"]]
        audit.equal("format", found, ["handful-validation", 1])
        _check(audit, document, frame, labels)
        first = document["scores"][0]
        if first["certificate"] is not None:
            claim = (
                f"{first['name']} errs on at most {first['certificate']['risk']:.4g} of new cases"
            )
    for sentence in _TRUST:
        audit.trust(sentence)
    said = {"claim": claim or None, "case": document.get("positive")}
    return replace(audit.verdict(), claim=said, stated={"shown": _SHOWN})


def _check(audit: Audit, document: Document, frame: Any, labels: Sequence[Any]) -> None:
    n, delta, scores = document["n_counted"], document["delta"], document["scores"]
    shares = [_share(one) for one in scores] if not document["case_control"] else []
    if shares:
        audit.check("shares of delta", sum(shares) <= 1.0 + 1e-9, f"they add up to {sum(shares)}")
    for k, one in enumerate(scores):
        share = shares[k] if shares else 1.0 / len(scores)
        _check_numbers(audit, one, n, (delta, share), document["case_control"])
    known = [one["rule"]["kind"] != "other" for one in scores]
    if document["one_a_patient"] or not all(known):
        audit.leave(
            "the counts: which row of each patient counts, or what a model says, is not computed "
            "again; run validate again on this table and compare"
        )
    elif audit.equal("rows", document["n_rows"], len(labels)):
        _check_counts(audit, document, frame, labels)
    if not document["case_control"]:
        _check_pairs(audit, document)


def _share(one: Document) -> float:
    """The part of delta that a score says it holds."""
    return math.exp(-sum(t["nats"] for t in one["certificate"]["terms"] if t["kind"] == "choice"))


def _check_numbers(
    audit: Audit, one: Document, n: int, levels_of: tuple[float, float], is_by_class: bool
) -> None:
    """Limits that follow from the counts of the file."""
    name, made, evidence = one["name"], one["certificate"], one["evidence"]
    delta, share = levels_of
    level = delta * share
    hit, missed, alarms, cleared = (int(evidence["counts"][part]) for part in COUNTS)
    audit.equal(f"{name}: rows counted", hit + missed + alarms + cleared, n)
    if made is not None:
        audit.equal(f"{name}: errors", made["n_errors"], missed + alarms)
        audit.equal(f"{name}: rows", made["n_samples"], n)
        audit.equal(f"{name}: delta", made["delta"], delta)
        holds = is_tail_bound(made["risk"], missed + alarms, n, -math.log(level))
        audit.check(f"{name}: certificate", holds, f"it says {made['risk']!r}")
    check_limits(audit, name, evidence, level, is_by_class=is_by_class)


def check_limits(
    audit: Audit, name: str, evidence: Document, level: float, *, is_by_class: bool = False
) -> None:
    """Limits of rates and area that follow from counts, within a level.

    Each rate pays an equal share of that of the rates, each side of the area half of its own.
    """
    hit, missed, alarms, cleared = (int(evidence["counts"][part]) for part in COUNTS)
    levels = evidence["levels"]
    total = sum(levels.values())
    audit.check(f"{name}: levels", total <= level * (1 + 1e-9) and min(levels.values()) > 0.0,
                f"they add up to {total}, allowed is {level}")  # fmt: skip
    told = {"sensitivity": (missed, hit + missed), "specificity": (alarms, alarms + cleared)}
    if not is_by_class:
        told |= {"ppv": (alarms, hit + alarms), "npv": (missed, missed + cleared)}
    for rate, (wrong, among) in told.items():
        found = evidence["rates"][rate]["lower"]
        nats = -math.log(levels["rates"] / len(told))
        holds = found == 0.0 if wrong == among else is_tail_bound(1.0 - found, wrong, among, nats)
        audit.check(f"{name}: limit of {rate}", holds, f"it says {found!r}")
    if "area" in levels:
        _check_area(audit, name, evidence["area"], min(hit + missed, alarms + cleared),
                    -math.log(levels["area"] / 2.0))  # fmt: skip


COUNTS = ("cases_flagged", "cases_missed", "others_flagged", "others_cleared")


def _check_area(audit: Audit, name: str, area: Document, n: int, nats: float) -> None:
    """Limits p of an area a have kl(a, p) = nats / n, or are the end of the range."""
    for side in ("lower", "upper"):
        a, p = MP.mpf(area["estimate"]), MP.mpf(area[side])
        end = 0 if side == "lower" else 1
        if a == end:
            audit.equal(f"{name}: {side} limit of the area", area[side], float(end))
            continue
        terms = ((a, p), (1 - a, 1 - p))
        kl = sum(x * MP.log(x / y) if y > 0 else MP.inf for x, y in terms if x > 0)
        # Near the end of the range the last digit of a limit is a large part of its distance.
        holds = p == end or -1e-6 <= kl / (nats / n) - 1 <= 1e-4
        audit.check(f"{name}: {side} limit of the area", holds, f"it says {area[side]!r}")


# -- the counts ------------------------------------------------------------------------------------


def _check_counts(audit: Audit, document: Document, frame: Any, labels: Sequence[Any]) -> None:
    """What every score says of the rows, computed again."""
    case = str(document["positive"]).casefold()
    is_case = np.array([word_form(label).casefold() == case for label in labels])
    scored = [_scored(one["rule"], frame, one["columns"]) for one in document["scores"]]
    kept = ~np.any([gone for *_, gone in scored], axis=0)
    audit.equal("rows that count", document["n_counted"], int(kept.sum()))
    y, wrong = is_case[kept], []
    for one, (values, flags, gone) in zip(document["scores"], scored, strict=True):
        name, flags, values = one["name"], flags[kept], values[kept]
        is_refused = one["rule"]["missing"] == "refuse"
        audit.check(f"{name}: missing", not (is_refused and gone.any()), "a row has no value")
        pairs = ((flags, y), (~flags, y), (flags, ~y), (~flags, ~y))
        counts = {part: int((a & b).sum()) for part, (a, b) in zip(COUNTS, pairs, strict=True)}
        audit.equal(f"{name}: counts", dict(one["evidence"]["counts"]), counts)
        audit.close(f"{name}: area", one["evidence"]["area"]["estimate"], area_of(values, y))
        wrong.append(flags != y)
    compared = [] if document["case_control"] else wrong[1:]
    for pair, other in zip(document["pairs"], compared, strict=True):
        only = int((wrong[0] & ~other).sum()), int((other & ~wrong[0]).sum())
        audit.equal(f"{pair['second']}: rows with one error", only,
                    (pair["n_first_only"], pair["n_second_only"]))  # fmt: skip


def area_of(values: Floats, is_case: Mask) -> float:
    """How often a case has the larger value of a random pair; equal values count one half."""
    others = np.sort(values[~is_case])
    sides = [np.searchsorted(others, values[is_case], side=s).sum() for s in ("left", "right")]
    return float(sum(sides)) / 2.0 / max(1, int(is_case.sum()) * others.size)


def _cells(frame: Any, column: str, place: Document) -> list[Any]:
    names = [str(name) for name in frame.columns]
    return list(frame.iloc[:, names.index(place.get(column, column))].tolist())


def _numbers(frame: Any, column: str, place: Document) -> Floats:
    cells = _cells(frame, column, place)
    return np.array([math.nan if is_missing(c) else written_number(str(c), "plain") for c in cells])


def _scored(rule: Document, frame: Any, place: Document) -> Scored:
    if rule["kind"] == "risk":
        values = _numbers(frame, rule["column"], place)
        return values, values >= rule["threshold"], np.isnan(values)
    if rule["kind"] == "comparison":
        return _compared(rule, frame, place)
    points, is_gone = np.zeros(len(frame)), np.zeros(len(frame), dtype=bool)
    for item in rule["items"]:
        found = [_compared(one, frame, place) for one in item["when"]]
        is_met = np.any([flags & ~gone for _, flags, gone in found], axis=0)
        is_gone |= np.any([gone for *_, gone in found], axis=0) & ~is_met
        points += item["points"] * is_met
    is_gone &= rule["missing"] != "no points"
    values, steps = points, sorted(rule["risk"])
    if steps:
        ends = [end for end, _ in steps]
        values = np.array([steps[sum(end <= p for end in ends) - 1][1] for p in points.tolist()])
    return values, points >= rule["threshold"], is_gone


def _compared(rule: Document, frame: Any, place: Document) -> Scored:
    """One comparison: its value, whether it is met, whether that is not known."""
    op, wanted = rule["op"], rule["value"]
    if op == "is":
        asked = {word_form(word).casefold() for word in wanted.split(",")}
        asked = _YES if asked <= _YES else _NO if asked <= _NO else asked
        cells = _cells(frame, rule["column"], place)
        gone = np.array([is_missing(cell) for cell in cells])
        flags = np.array([word_form(cell).casefold() in asked for cell in cells]) & ~gone
        return flags.astype(float), flags, gone
    values, limit = _numbers(frame, rule["column"], place), float(wanted)
    flags = {">=": values >= limit, ">": values > limit,
             "<=": values <= limit, "<": values < limit}[op]  # fmt: skip
    return values if op[0] == ">" else -values, flags, np.isnan(values)


# -- comparisons -----------------------------------------------------------------------------------


def _check_pairs(audit: Audit, document: Document) -> None:
    """Differences of two scores: three quarters of each side's level for who errs, one for q."""
    pairs, n = document["pairs"], document["n_counted"]
    room = sum(one["evidence"]["levels"].get("pairs", 0.0) for one in document["scores"])
    for pair in pairs:
        name, found, k = pair["second"], pair["difference"], pair["n_first_only"]
        d = k + pair["n_second_only"]
        level = found["delta"]
        audit.check(f"{name}: level", level * len(pairs) <= room * (1 + 1e-9), f"it is {level}")
        who, often = -math.log(0.375 * level), -math.log(0.125 * level)
        low, high = 1.0 - 2.0 * tail_bound(d - k, d, who), 2.0 * tail_bound(k, d, who) - 1.0
        least, most = 1.0 - tail_bound(n - d, n, often), tail_bound(d, n, often)
        audit.close(f"{name}: at least", found["lower"], low * (least if low >= 0 else most))
        audit.close(f"{name}: at most", found["upper"], high * (least if high <= 0 else most))
        audit.close(f"{name}: difference", found["estimate"], (2 * k - d) / n)

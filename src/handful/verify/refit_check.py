"""A rule learned from all rows: it says that it is not certified, or adds two limits."""

from __future__ import annotations

from typing import Any

from handful.verify.arithmetic import log, tail_bound
from handful.verify.audit import Audit, Document
from handful.verify.claims import (
    HELD_OUT_REFERENCE,
    MOST,
    Claim,
    Price,
    check_claim,
    check_record,
    is_share,
    total,
)
from handful.verify.menu_check import menu_prices, named_beforehand
from handful.verify.sealed import TRAINING
from handful.verify.sheets import Sheet

_SENTENCES = {
    False: "NOT CERTIFIED: this rule was learned from the counted rows too: none is left to count, "
    "and it carries no certificate.",
    True: "This rule was learned from the counted rows too: it has no certificate but that by its "
    "disagreement with the certified rule on unlabelled rows.",
}
_LEFT = (
    "the training of the new rule, and its estimated error",
    "the errors of the certified rule: check the file of its own",
    "the disagreements on unlabelled rows, which are not among these data",
)
_COUNTS = ("n_rows", "n_same", "n_errors", "n_counted", "n_unlabelled", "n_disagreements")


def menu_of(document: Document) -> Document:
    """The document with the training of the certified rule in place of its own."""
    return {**document, "training": document["training"]["menu"]}


def check_refit(audit: Audit, document: Document, sheet: Sheet | None, beside: str) -> None:
    """What such a file says of itself; its data, if there is a raw table; and its two limits."""
    training, certificate = document["training"], document["certificate"]
    has_claim = certificate is not None
    if not audit.fields("menu", training["menu"], TRAINING["menu"]):
        return
    audit.equal("first sentence", training["sentence"], _SENTENCES[has_claim])
    audit.equal("estimator", document["provenance"]["estimator"], "CertifiedClassifier")
    audit.equal("kept", document["kept"], [])
    digest = training["menu"]["estimators_sha256"]
    if digest is not None:
        audit.equal("digest of the estimators", digest, beside)
    holds = [audit.count(name, training[name], 0, MOST) for name in _COUNTS]
    if not all(holds):
        return
    pairs = (("n_rows", "n_same"), ("n_counted", "n_errors"), ("n_unlabelled", "n_disagreements"))
    for whole, some in pairs:
        audit.check(f"{some} is at most {whole}", training[some] <= training[whole])
    if sheet is not None:
        audit.equal("digest of the table", document["data"]["sha256"], sheet.digest)
        audit.equal("number of rows", document["data"]["n_rows"], len(sheet.labels))
        known = set(document["fitted"]["classes"])
        n_known = sum(label in known for label in sheet.labels)
        audit.equal("rows that it was learned from", training["n_rows"], n_known)
    if has_claim and check_record(audit, certificate):
        _check_limits(audit, document)


def _check_limits(audit: Audit, document: Document) -> None:
    """Both limits, from what the file says was counted, and their sum."""
    training, certificate, menu = document["training"], document["certificate"], menu_of(document)
    for sentence in _LEFT:
        audit.leave(sentence)
    delta = menu["training"]["delta"]
    prices = menu_prices(audit, menu, {})
    is_picked = training["is_picked"]
    holds = [
        audit.check("delta is a probability", is_share(delta), repr(delta)[:80]),
        audit.check("picked", is_picked in (True, False) and type(is_picked) is bool),
        audit.check("rows were given", training["n_unlabelled"] > 0 and training["n_counted"] > 0),
        audit.equal("goal", menu["training"]["goal"], None),
    ]
    if prices is None or not all(holds):
        return
    paid = total(prices) + log(2)  # for the row, and half of the confidence
    other = paid if is_picked else paid - prices[0].nats
    parts = [
        Price("certified", "the certified classifier errs, at delta/2",
              _limit(training["n_errors"], training["n_counted"], paid)),
        Price("disagreement", "the two give different labels, at delta/2",
              _limit(training["n_disagreements"], training["n_unlabelled"], other)),
    ]  # fmt: skip
    drawn = "digest-order" if document["data"]["seed"] is None else "random-state"
    fixed = () if is_picked else (("named", {"names": "the compared row", "verb": "was"}),)
    claim = Claim(
        *("disagreement", "sum", parts),
        ("iid", "unlabelled", "blind-pool", "prepared", drawn, *named_beforehand(menu), *fixed),
        HELD_OUT_REFERENCE.split(";")[0]
        + "; Langford (2005), Theorem 3.3; Bound to Disagree (2026), arXiv:2602.23128",
        n_samples=training["n_unlabelled"],
        notes=tuple(certificate["notes"]),
        unit="risk",
    )
    check_claim(audit, menu, claim)


def _limit(k: int, n: int, nats: Any) -> float:
    return float(tail_bound(k, n, nats))

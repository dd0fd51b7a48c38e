"""Classifiers whose training is not derived again here: what they do on the data, and the claim.

Score cards have no certificate of their own. A menu that was fitted in Python to a table that no
file holds can be trained again by nobody but the library: its pool is drawn again and its errors
are counted again, its training is left open.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from handful.verify._arithmetic import is_tail_bound, log, tail_bound
from handful.verify._audit import Audit, is_number
from handful.verify._claims import check_claim
from handful.verify._forms import labels_of
from handful.verify._scores import held_out_claim
from handful.verify._settings import check_record
from handful.verify._table import LARGEST_POOL, encode
from handful.verify._verify_form import paid_nats
from handful.verify._wording import LANGFORD, Key, Wording, assumes, check_wording, named_beforehand

Ints = NDArray[np.int64]
Document = Mapping[str, Any]

_TRAINING = "the training: the file does not say how its table was read"
_CLOSED = "the errors: the estimators of other libraries stayed closed"
_GROUPS = "the errors of groups, and those of a goal that moved the threshold"


class Drawn(Protocol):
    """Rows by number, and the order in which they enter pools."""

    @property
    def places(self) -> Ints:
        """Where each row is in the data."""
        ...

    @property
    def order(self) -> Ints:
        """Rows in the order of the draw."""
        ...


class Cells(Protocol):
    """The data."""

    X: Any


def check_plain(
    audit: Audit, document: Document, table: Cells, drawn: Drawn, labels: Sequence[str]
) -> None:
    """Labels of all rows, the errors that count, and the limit that follows from them."""
    fitted, certificate = document["fitted"], document["certificate"]
    X = table.X
    if hasattr(X, "columns"):
        names = [str(name) for name in X.columns]
        cells = {name: np.asarray(X.iloc[:, j], dtype=object) for j, name in enumerate(names)}
    else:
        rows = np.asarray(X, dtype=object)
        cells = {f"x{j}": rows[:, j] for j in range(rows.shape[1])}
    audit.equal("kept examples", document["kept"], [])
    if _has_foreign(fitted["machine"]):
        audit.leave(_TRAINING)
        audit.leave(_CLOSED)
        if check_record(audit, certificate):
            paid_nats(audit, document, {})
        return
    encoded = encode(fitted["columns"]["columns"], cells, drawn.places)
    classes = fitted["classes"]
    said = labels_of(fitted["machine"], encoded, len(classes))
    is_wrong = np.array([classes[k] != label for k, label in zip(said, labels, strict=True)])
    if certificate is None:
        audit.leave("anything: the file has no certificate, so that nothing is claimed")
    elif document["training"]["kind"] == "machine":
        _check_machine(audit, document)
    else:
        audit.leave(_TRAINING)
        _check_menu(audit, document, drawn, is_wrong, labels)


def _has_foreign(machine: Document) -> bool:
    """Whether estimators of other libraries are needed, which stand in a file of their own."""
    inner = machine.get("members", [machine["base"]] if "base" in machine else [])
    return machine["machine"] == "foreign" or any(map(_has_foreign, inner))


def _check_machine(audit: Audit, document: Document) -> None:
    certificate, training = document["certificate"], document["training"]
    if audit.equal("bound", certificate["bound"], "held-out"):
        claim = held_out_claim(audit, certificate, training["delta"])
        if claim is not None:
            check_claim(audit, certificate, training["n_groups"], claim)


def _check_menu(
    audit: Audit,
    document: Document,
    drawn: Drawn,
    is_wrong: NDArray[np.bool_],
    labels: Sequence[str],
) -> None:
    certificate, training = document["certificate"], document["training"]
    n, share = len(labels), training["pool_share"]
    if not check_record(audit, certificate):
        return
    if not audit.check("share of the pool", is_number(share) and 0 <= share < 1, repr(share)):
        return
    audit.equal("delta", training["delta"], certificate["delta"])
    if assumes(certificate, "groups") or training["goal"] is not None:
        audit.leave(_GROUPS)
        return
    n_pool = min(max(1, round(share * n)), LARGEST_POOL, max(1, n - 1))
    counted = np.setdiff1d(np.arange(n), drawn.order[:n_pool])
    k = int(is_wrong[counted].sum())
    audit.equal("certificate: bound", certificate["bound"], "pool")
    audit.equal("certificate: n_samples", certificate["n_samples"], n)
    audit.equal("certificate: n_compressed", certificate["n_compressed"], n_pool)
    audit.equal("certificate: n_errors", certificate["n_errors"], k)
    drawn_by = "digest-order" if document["data"]["seed"] is None else "random-state"
    words: tuple[Key, ...] = ("iid", "blind-pool", "prepared", drawn_by)
    notes = tuple(certificate["notes"])  # labels that the pool lacks, and few rows
    wording = Wording((*words, *named_beforehand(training)), LANGFORD, notes=notes)
    check_wording(audit, certificate, wording)
    nats = paid_nats(audit, document, {})
    if nats is None:
        return
    _check_tail(audit, "risk", certificate["risk"], k, len(counted), nats)
    classes = document["fitted"]["classes"]
    wanted = ["false_positive_given_negative", "false_negative_given_positive"]
    names = [name for name, _ in certificate["rates"]]
    if not audit.equal("certificate: rates", names, wanted if len(classes) == 2 else []):
        return
    for (name, value), label in zip(certificate["rates"], classes, strict=False):
        own = np.array([i for i in counted if labels[i] == label], dtype=int)
        _check_tail(audit, name, value, int(is_wrong[own].sum()), len(own), nats + log(2))


def _check_tail(audit: Audit, name: str, value: Any, k: int, n: int, nats: Any) -> None:
    holds = is_number(value) and is_tail_bound(value, k, n, nats)
    detail = "" if holds else f"the file says {value!r}, it is {tail_bound(k, n, nats)!r}"
    audit.check(f"certificate: {name}", holds, detail)

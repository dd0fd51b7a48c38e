"""The re-check of a form of a menu: pool, retraining, recount, rank price, bound."""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from handful.verify._arithmetic import MP, is_tail_bound, log, tail_bound
from handful.verify._audit import Audit, Verdict, is_number
from handful.verify._bands import check_band
from handful.verify._betting import is_betting_limit
from handful.verify._certificate import compare_terms
from handful.verify._document import HASH_FIELD, UnreadableFileError, read_document
from handful.verify._forms import Foreign, labels_of
from handful.verify._settings import check_record
from handful.verify._table import Table, encode, raw_rows, read_table
from handful.verify._terms import Term, confidence, stated, total
from handful.verify._wording import (
    BETTING_REFERENCE,
    BLIND_POOL,
    FEW_DISTINCT,
    GROUP_QUANTITIES,
    GROUPS,
    IID,
    IID_GROUPS,
    LANGFORD,
    MISCLASSIFIED,
    ORDERED,
    Wording,
    check_wording,
)

Document = Mapping[str, Any]


class Retrain(Protocol):
    """What the re-check cannot do alone."""

    def __call__(self, provenance: Document) -> Document:
        """Train again; see `verify_form`."""
        ...

    def estimators(self, digest: str) -> Sequence[Any]:
        """Other libraries' fitted estimators of the file; a ValueError where they stay closed."""
        ...


FORMAT = "handful-form"
FIELDS = sorted({"format", "version", "fitted", "certificate", "provenance", HASH_FIELD})
RELATIVE = 1e-7  # of every number of the classifier that is trained again
FAVOURITE = 0.95  # prior mass of the first rank
NO_SEED = "the digest that orders the rows behaves as if it were drawn at random"
_TRUSTED = (
    "the options (candidates, tolerance, delta, columns) were fixed before the data",
    "the examples come independently from the distribution of the new cases",
    f"training: the library trained again, and its result was compared to {RELATIVE:g}",
)
_FEW_DISTINCT = 30  # of fewer distinct rows a digest has hardly a choice of pools
_MOST_LABELS = 10  # that no row of the pool has, each in a sentence of its own
_LARGEST_BETTING = 20_000  # groups: a minute of fifty-digit arithmetic
_BETTING = f"the bound for groups by betting, of more than {_LARGEST_BETTING} groups"


def format_of(path: str | os.PathLike[str]) -> str:
    """What a file says it is; empty where it cannot be read or does not say."""
    try:
        return str(read_document(path)[0].get("format", ""))
    except UnreadableFileError:
        return ""


def verify_form(path: str | os.PathLike[str], frame: Any, retrain: Retrain) -> Verdict:
    """Re-check the file of a form against the table it was learned from.

    Digests, pool, labels, counts, price and bound are computed by code that shares nothing with
    what wrote the file. Training is not written twice: ``retrain`` does it with the library, and
    what it gives must be the classifier of the file, every number to a part in ten million.

    Parameters
    ----------
    path : path
        The model file.
    frame : data frame
        The whole table, as it was read from its file.
    retrain : callable
        From the provenance of the file to a mapping with ``fitted`` (document), ``labels`` of
        all rows, ``rank``, ``n_candidates``, ``default`` (name of the row that the tolerance
        chooses), ``pool`` (sorted rows), ``pool_share``, ``warm_up`` (losses of the pool's groups
        where they were used) and ``certificate``. Its method ``estimators`` opens the file of
        other libraries' estimators, whose digest was checked before.

    Returns
    -------
    Verdict
    """
    audit = Audit()
    try:
        document, digest = read_document(path)
    except UnreadableFileError as error:
        audit.check("the file can be read", False, str(error))
        return audit.verdict()
    with audit.guard("the model file"), np.errstate(all="ignore"):
        audit.equal("content hash", document.get(HASH_FIELD), digest)
        is_known = audit.equal("format", document.get("format"), FORMAT)
        is_known &= audit.equal("version", document.get("version"), 2)
        if is_known and audit.equal("fields", sorted(document), FIELDS):
            _check(audit, document, frame, retrain, path)
    return audit.verdict()


def _check(
    audit: Audit,
    document: Document,
    frame: Any,
    retrain: Retrain,
    path: str | os.PathLike[str],
) -> None:
    provenance = document["provenance"]
    digest = provenance["estimators_sha256"]
    if digest is not None and not audit.equal("digest of the estimators", digest, sha_of(path)):
        return
    table = read_table(frame, provenance["reading"], provenance["pool_share"])
    if not audit.equal("digest of the table", provenance["table_sha256"], table.digest):
        return
    audit.equal("number of rows", provenance["n_rows"], len(table.labels))
    if not check_record(audit, document["certificate"]):
        return
    for sentence in _TRUSTED:
        audit.trust(sentence)
    try:
        estimators = [] if digest is None else retrain.estimators(digest)
    except (ValueError, ImportError) as error:
        check_claim(audit, document)
        audit.leave(f"the estimators of other libraries stayed closed: {error}")
        return
    again = retrain(provenance)
    _check_training(audit, document, table, again)
    is_wrong = _errors(document["fitted"], table, estimators)
    if digest is not None:
        labels = predicted_words(
            document["fitted"], table, np.arange(len(table.labels)), estimators
        )
        audit.check(
            "labels of the classifier, trained again",
            labels == [str(label) for label in again["labels"]],
            "the classifier of the file gives other labels",
        )
    _check_certificate(audit, document, table, again, is_wrong)
    if provenance["band"] is not None:
        check_band(audit, document, table, again, is_wrong)


def _check_training(audit: Audit, document: Document, table: Table, again: Document) -> None:
    """The same pool, the same classifier, the same place in the order."""
    provenance = document["provenance"]
    pool = np.flatnonzero(table.in_pool).tolist()
    audit.equal("share of the pool", provenance["pool_share"], again["pool_share"])
    audit.check("pool", list(again["pool"]) == pool, "the library drew other rows")
    where = difference(document["fitted"], again["fitted"])
    audit.check("classifier, trained again", not where, where)
    audit.equal("rank in the pool's order", provenance["rank"], again["rank"])
    audit.equal("number of candidates", provenance["n_candidates"], again["n_candidates"])
    if provenance["is_default"]:
        audit.equal("chosen by the tolerance", provenance["chosen"], again["default"])
    else:
        audit.check("choice", provenance["is_default"] is False, "must be true or false")
    audit.equal("delta", provenance["delta"], document["certificate"]["delta"])


def difference(found: Any, wanted: Any, where: str = "fitted") -> str:
    """Where two documents differ by more than rounding; empty where they do not.

    Examples
    --------
    >>> difference({"a": [1.0, 2.0]}, {"a": [1.0, 2.0 + 1e-12]})
    ''
    >>> difference({"a": [1.0, 2.0]}, {"a": [1.0, 3.0]})
    'fitted.a[1]: the file says 2.0, trained again it is 3.0'
    """
    said = f"{where}: the file says {found!r:.60}, trained again it is {wanted!r:.60}"
    if isinstance(wanted, float) and isinstance(found, float):
        is_near = is_number(found) and abs(found - wanted) <= RELATIVE * max(
            abs(found), abs(wanted)
        )
        return "" if is_near else said
    if type(found) is not type(wanted):
        return said
    if isinstance(wanted, dict):
        if set(found) != set(wanted):
            return f"{where}: the fields differ"
        parts = [difference(found[k], wanted[k], f"{where}.{k}") for k in wanted]
        return next((part for part in parts if part), "")
    if isinstance(wanted, list):
        if len(found) != len(wanted):
            return f"{where}: {len(found)} parts, trained again {len(wanted)}"
        pairs = zip(found, wanted, strict=True)
        parts = [difference(a, b, f"{where}[{i}]") for i, (a, b) in enumerate(pairs)]
        return next((part for part in parts if part), "")
    return "" if found == wanted else said


def _nats(audit: Audit, document: Document, again: Document) -> Any:
    """What the certificate pays, if its terms are those of the rank and the confidence.

    A goal moved the threshold: then it also pays for being one of several.
    """
    certificate, provenance = document["certificate"], document["provenance"]
    n, rank = provenance["n_candidates"], provenance["rank"]
    if not audit.count("rank", rank, 1, n):
        return None
    wanted = [
        Term("rank", f"rank {rank} of {n} in the pool's order", -log(rank_mass(rank, n))),
        *_threshold_terms(again),
        confidence(certificate["delta"]),
    ]
    if not compare_terms(audit, "certificate terms", certificate["terms"], wanted):
        return None
    return total(stated(certificate["terms"]))


def _threshold_terms(again: Document) -> list[Term]:
    if again.get("n_thresholds") is None:
        return []
    n = round(again["n_thresholds"])
    return [Term("threshold", f"one of {n} thresholds from the pool", log(n))]


def check_claim(audit: Audit, document: Document) -> None:
    """Whether the limit follows from what the file says was counted, without counting."""
    certificate = document["certificate"]
    if document["provenance"]["goal"] is not None or certificate["bound"] != "pool":
        return  # what it pays depends on thresholds, which are not known without training
    nats = _nats(audit, document, {})
    if nats is None:
        return
    n = certificate["n_samples"] - certificate["n_compressed"]
    _check_limit(audit, "risk", certificate["risk"], certificate["n_errors"], n, nats)


def _check_certificate(
    audit: Audit, document: Document, table: Table, again: Document, is_wrong: Any
) -> None:
    certificate, provenance = document["certificate"], document["provenance"]
    nats = _nats(audit, document, again)
    if nats is None:
        return
    audit.equal("certificate: bound", certificate["bound"], again["certificate"]["bound"])
    if certificate["bound"] == "betting" and table.groups is not None:
        _check_betting(audit, document, table, again, is_wrong, nats)
        return
    _check_counts(audit, document, table, nats, is_wrong)
    quantity = MISCLASSIFIED
    assumptions: tuple[str, ...] = (IID, BLIND_POOL, NO_SEED)
    if table.groups is not None:
        quantity = GROUP_QUANTITIES[provenance["group_loss"]]
        assumptions += (GROUPS,)
    notes = _notes(table)
    check_wording(audit, certificate, Wording(assumptions, LANGFORD, quantity, notes))


def rank_mass(rank: int, n: int) -> Any:
    """Prior mass of a rank among n: most for the first, the rest by 1 / rank.

    Examples
    --------
    >>> round(float(rank_mass(1, 3)), 3), round(float(rank_mass(2, 3)), 3)
    (0.95, 0.03)
    """
    if n == 1:
        return MP.mpf(1)
    if rank == 1:
        return MP.mpf(FAVOURITE)
    rest = sum((MP.mpf(1) / k for k in range(2, n + 1)), MP.mpf(0))
    return (1 - MP.mpf(FAVOURITE)) / rank / rest


def _check_betting(
    audit: Audit, document: Document, table: Table, again: Document, is_wrong: Any, nats: Any
) -> None:
    """Mean errors of the counted groups in their blind order, and the limit that follows."""
    certificate = document["certificate"]
    assert table.groups is not None
    by_group: dict[str, list[bool]] = {}
    for row, wrong in zip(table.counted, is_wrong, strict=True):
        by_group.setdefault(table.groups[row], []).append(bool(wrong))
    losses = [MP.mpf(sum(wrong)) / len(wrong) for wrong in by_group.values()]
    audit.equal("certificate: n_samples", certificate["n_samples"], len(losses))
    audit.equal("certificate: limit", certificate["limit"], 1.0)
    audit.equal("certificate: rates", certificate["rates"], [])
    quantity = GROUP_QUANTITIES[document["provenance"]["group_loss"]]
    assumptions = (IID_GROUPS, ORDERED, NO_SEED, GROUPS)
    notes = ("Method: betting.", *_notes(table))
    words = Wording(assumptions, BETTING_REFERENCE, quantity, notes)
    check_wording(audit, certificate, words)
    if len(losses) > _LARGEST_BETTING:
        audit.leave(_BETTING)
        return
    warm_up = [MP.mpf(loss) for loss in again["warm_up"]]
    holds = is_number(certificate["risk"]) and is_betting_limit(
        certificate["risk"], losses, warm_up, nats
    )
    audit.check("certificate: risk", holds, f"the file says {certificate['risk']!r}")


def predicted_words(
    fitted: Document, table: Table, rows: Any, estimators: Sequence[Any]
) -> list[str]:
    """Labels that the classifier of the file gives to some rows."""
    classes, columns = list(fitted["classes"]), fitted["columns"]["columns"]
    X = encode(columns, table.columns, rows)
    raw = raw_rows(columns, table.columns, rows)
    positions = labels_of(fitted["machine"], X, len(classes), Foreign(estimators, raw))
    return [classes[k] for k in positions]


def _errors(fitted: Document, table: Table, estimators: Sequence[Any]) -> Any:
    """Which of the counted rows the classifier gets wrong: all whose class the pool lacks."""
    classes = list(fitted["classes"])
    known = sorted({table.labels[i] for i in np.flatnonzero(table.in_pool)})
    if sorted(classes) != known:
        raise ValueError(f"classes {classes[:10]}, the pool has {known[:10]}")
    found = predicted_words(fitted, table, table.counted, estimators)
    wanted = [table.labels[i] for i in table.counted]
    return np.array([a != b for a, b in zip(found, wanted, strict=True)], dtype=bool)


def _notes(table: Table) -> tuple[str, ...]:
    """What must be said of labels that no row of the pool has, and of a table of few rows."""
    known = {table.labels[i] for i in np.flatnonzero(table.in_pool)}
    counts = sorted(Counter(label for label in table.labels if label not in known).items())
    said = [(n, f"the label {label[:40]!r}") for label, n in counts[:_MOST_LABELS]]
    if rest := counts[_MOST_LABELS:]:
        said.append((sum(n for _, n in rest), f"one of {len(rest)} other labels"))
    end = "which the pool does not know: {} counts as an error of every form."
    notes = tuple(
        f"{n} {'row has' if n == 1 else 'rows have'} {what}, "
        + end.format("it" if n == 1 else "each")
        for n, what in said
    )
    if table.n_distinct >= _FEW_DISTINCT:
        return notes
    return (*notes, FEW_DISTINCT.format(table.n_distinct, "groups" if table.groups else "rows"))


def sha_of(path: str | os.PathLike[str]) -> str:
    """SHA-256 of the file beside a model file; empty where there is none."""
    beside = Path(path).with_suffix(".skops")
    return hashlib.sha256(beside.read_bytes()).hexdigest() if beside.is_file() else ""


def _check_counts(audit: Audit, document: Document, table: Table, nats: Any, is_wrong: Any) -> None:
    """Errors outside the pool, counted again, and the limits that follow from them."""
    certificate, classes = document["certificate"], document["fitted"]["classes"]
    audit.equal("certificate: bound", certificate["bound"], "pool")
    audit.equal("certificate: limit", certificate["limit"], 1.0)
    audit.equal("certificate: n_samples", certificate["n_samples"], table.n_units)
    audit.equal("certificate: n_compressed", certificate["n_compressed"], table.n_pool)
    n, k = len(is_wrong), int(is_wrong.sum())
    if table.groups is not None:
        loss = document["provenance"]["group_loss"]
        n, k = table.n_units - table.n_pool, _group_errors(table, is_wrong, loss)
    audit.equal("certificate: n_errors", certificate["n_errors"], k)
    _check_limit(audit, "risk", certificate["risk"], k, n, nats)
    names = [name for name, _ in certificate["rates"]]
    if table.groups is not None or len(classes) != 2:
        audit.equal("certificate: rates", names, [])
        return
    wanted = ["false_positive_given_negative", "false_negative_given_positive"]
    if not audit.equal("certificate: rates", names, wanted):
        return
    for (name, value), label in zip(certificate["rates"], classes, strict=True):
        is_class = np.array([table.labels[i] == label for i in table.counted])
        k, n = int((is_wrong & is_class).sum()), int(is_class.sum())
        _check_limit(audit, f"rate {name}", value, k, n, nats + log(2))


def _group_errors(table: Table, is_wrong: Any, loss: str) -> int:
    """Groups with an error in their first blind row, or in any row."""
    assert table.groups is not None
    seen: dict[str, bool] = {}
    for row, wrong in zip(table.counted, is_wrong, strict=True):
        group = table.groups[row]
        seen[group] = seen.get(group, bool(wrong)) or (loss == "any" and bool(wrong))
    return sum(seen.values())


def _check_limit(audit: Audit, name: str, value: Any, k: int, n: int, nats: Any) -> None:
    holds = is_number(value) and is_tail_bound(value, k, n, nats)
    detail = "" if holds else f"the file says {value!r}, it is {tail_bound(k, n, nats)!r}"
    audit.check(f"certificate: {name}", holds, detail)

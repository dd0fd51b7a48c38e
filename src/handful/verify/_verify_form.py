"""The re-check of a form of a menu: pool, retraining, recount, rank price, bound."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from handful.verify._arithmetic import MP, is_tail_bound, log, tail_bound
from handful.verify._audit import TOLERANCE, Audit, Verdict, is_number
from handful.verify._bands import check_band
from handful.verify._betting import is_betting_limit
from handful.verify._certificate import compare_terms
from handful.verify._compare import difference, score_difference
from handful.verify._document import check_head, hash_of
from handful.verify._draws import name_digest
from handful.verify._files import check_file
from handful.verify._forms import Foreign, labels_of
from handful.verify._settings import check_record
from handful.verify._states import N_FAR, N_NEAR, OPEN, rows_beside, state_differences
from handful.verify._table import Table, encode, raw_rows, read_table
from handful.verify._terms import Term, confidence, stated, total
from handful.verify._wording import (
    BETTING_REFERENCE,
    FEW_DISTINCT,
    GROUP_QUANTITIES,
    LANGFORD,
    Key,
    Wording,
    check_wording,
    named_beforehand,
)

Document = Mapping[str, Any]


class Retrain(Protocol):
    """What the re-check cannot do alone."""

    def __call__(self, document: Document) -> Document:
        """Train again; see `verify_form`."""
        ...

    def estimators(self, digest: str) -> Sequence[Any]:
        """Other libraries' fitted estimators of the file; a ValueError where they stay closed."""
        ...


# What a file of a menu does not say: the pool follows from the digest.
_NOTHING: Document = {
    "kept": [],
    "groups": None,
    "n_set_aside": 0,
    "columns": None,
    "row_codes": None,
    "seed": None,
}
FAVOURITE = 0.95  # prior mass of the first rank
_TRUSTED = (
    "the options (candidates, tolerance, delta, columns) were fixed before the data",
    "the examples come independently from the distribution of the new cases",
    "training: the library trained again, and its result was compared (cuts exactly, other numbers "
    f"to {TOLERANCE:g} of the scores)",
)
_FEW_DISTINCT = 30  # of fewer distinct rows a digest has hardly a choice of pools
_MOST_LABELS = 10  # that no row of the pool has, each in a sentence of its own
_MOST_CANDIDATES = 10_000  # forms: far more than a menu has, and quick to add up
_LARGEST_BETTING = 20_000  # groups: a minute of fifty-digit arithmetic
_BETTING = f"the bound for groups by betting, of more than {_LARGEST_BETTING} groups"


def verify_form(path: str | os.PathLike[str], frame: Any, retrain: Retrain) -> Verdict:
    """Re-check the file of a form against the table it was learned from.

    Digests, pool, labels, counts, price and bound are computed by code that shares nothing with
    what wrote the file. Training is not written twice: ``retrain`` does it with the library, and
    what it gives must be the classifier of the file: the same labels of all rows, the same cuts,
    and other numbers that move no score by more than rounding.

    Parameters
    ----------
    path : path
        The model file.
    frame : data frame
        The whole table, as it was read from its file.
    retrain : callable
        From the document of the file to a mapping with ``fitted`` (document), ``labels`` of all
        rows, ``features`` (names of the columns that were offered), ``words`` (which of them hold
        words), ``estimators`` (other libraries' fitted ones), ``rank``, ``n_candidates``,
        ``default`` (name of the row that the tolerance chooses), ``case`` (of two classes),
        ``pool`` (sorted rows), ``pool_share``, ``warm_up`` (losses of the pool's groups if they
        were used) and ``certificate``. Its method ``estimators`` opens the file of other
        libraries' estimators, whose digest was checked before.

    Returns
    -------
    Verdict
    """
    return check_file(path, FormVerifier(frame, retrain).check)


class FormVerifier:
    """Re-checks documents of forms of one table, which is read and trained on once.

    Parameters as in `verify_form`.
    """

    def __init__(self, frame: Any, retrain: Retrain) -> None:
        self.frame, self.retrain = frame, retrain
        self._tables: dict[str, Table] = {}

    def check(self, document: Document, digest: str | None = None, beside: str = "") -> Verdict:
        """The verdict on a document whose content has the hash ``digest``.

        Parameters
        ----------
        document : mapping
            A file as plain data.
        digest : str, optional
            `content_hash` of its text, where that is known; by default that of its own.
        beside : str
            SHA-256 of the file of other libraries' estimators.
        """
        audit = Audit()
        with audit.guard("the model file"), np.errstate(all="ignore"):
            if check_head(audit, document, hash_of(document) if digest is None else digest):
                is_menu = document["training"]["kind"] == "menu"
                estimator = document["provenance"]["estimator"]
                audit.equal("estimator", estimator, "CertifiedClassifier")
                if audit.check("training", is_menu, "is not that of a menu"):
                    _check(audit, document, self, beside)
        return audit.verdict(document)

    def table(self, document: Document) -> Table:
        """The table as a file says that it was read."""
        reading, share = document["data"]["reading"], document["training"]["pool_share"]
        key = json.dumps([reading, share], sort_keys=True)
        if key not in self._tables:
            self._tables[key] = read_table(self.frame, reading, share)
        return self._tables[key]


def _check(audit: Audit, document: Document, verifier: FormVerifier, beside: str) -> None:
    data, retrain = document["data"], verifier.retrain
    digest = document["training"]["estimators_sha256"]
    if digest is not None and not audit.equal("digest of the estimators", digest, beside):
        return
    table = verifier.table(document)
    if not audit.equal("digest of the table", data["sha256"], table.digest):
        return
    audit.equal("number of rows", data["n_rows"], len(table.labels))
    audit.equal("target", data["target"], data["reading"]["target"])
    for name, value in _NOTHING.items():
        audit.equal(name, document["kept"] if name == "kept" else data[name], value)
    if not check_record(audit, document["certificate"]) or not _can_train(audit, document):
        return
    for sentence in _TRUSTED:
        audit.trust(sentence)
    try:
        estimators = [] if digest is None else retrain.estimators(digest)
    except (ValueError, ImportError) as error:
        check_claim(audit, document)
        audit.leave(f"the estimators of other libraries stayed closed: {error}")
        return
    again = retrain(document)
    _check_training(audit, document, table, again)
    if estimators:
        _check_estimators(audit, document["fitted"], table, estimators, again["estimators"])
    is_wrong = _errors(audit, document["fitted"], table, estimators, again)
    _check_certificate(audit, document, table, again, is_wrong)
    if document["training"]["band"] is not None:
        check_band(audit, document, table, again, is_wrong)


def _can_train(audit: Audit, document: Document) -> bool:
    """Whether the options are such that training with them ends."""
    training, tolerance = document["training"], document["training"]["tolerance"]
    holds = [
        audit.equal("delta", training["delta"], document["certificate"]["delta"]),
        audit.check("tolerance", is_number(tolerance) and 0 <= tolerance < 1, repr(tolerance)[:80]),
        audit.check("group loss", training["group_loss"] in GROUP_QUANTITIES, "is not known"),
    ]
    return all(holds)


def _check_training(audit: Audit, document: Document, table: Table, again: Document) -> None:
    """The same pool, the same classifier, the same place in the order."""
    training, data = document["training"], document["data"]
    pool = np.flatnonzero(table.in_pool).tolist()
    audit.equal("share of the pool", training["pool_share"], again["pool_share"])
    audit.check("pool", list(again["pool"]) == pool, "the library drew other rows")
    audit.equal("features", data["features"], [name_digest(name) for name in again["features"]])
    audit.equal("number of features", data["n_features"], len(again["features"]))
    audit.equal("columns of words", data["words"], again["words"])
    fitted, wanted = document["fitted"], again["fitted"]
    where = difference(fitted, wanted)
    if audit.check("classifier, trained again", not where, where):
        X = encode(wanted["columns"]["columns"], table.columns, np.arange(len(table.labels)))
        where = score_difference(fitted["machine"], wanted["machine"], X)
        audit.check("scores of the classifier, trained again", not where, where)
    audit.equal("rank in the pool's order", training["rank"], again["rank"])
    audit.equal("number of candidates", training["n_candidates"], again["n_candidates"])
    if training["is_default"]:
        audit.equal("chosen by the tolerance", training["chosen"], again["default"])
    else:
        audit.check("choice", training["is_default"] is False, "must be true or false")
    audit.equal("case", data["reading"]["positive"], again["case"])


def paid_nats(audit: Audit, document: Document, again: Document) -> Any:
    """What the certificate pays, if its terms are those of the rank and the confidence.

    A goal moved the threshold: then it also pays for being one of several.
    """
    certificate, training = document["certificate"], document["training"]
    n, rank = training["n_candidates"], training["rank"]
    # The price is a sum over all candidates: their number must be one that can be added up.
    if not audit.count("number of candidates", n, 1, _MOST_CANDIDATES):
        return None
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
    if document["training"]["goal"] is not None or certificate["bound"] != "pool":
        return  # what it pays depends on thresholds, which are not known without training
    nats = paid_nats(audit, document, {})
    if nats is None:
        return
    n = certificate["n_samples"] - certificate["n_compressed"]
    _check_limit(audit, "risk", certificate["risk"], certificate["n_errors"], n, nats)


def _check_certificate(
    audit: Audit, document: Document, table: Table, again: Document, is_wrong: Any
) -> None:
    certificate, training = document["certificate"], document["training"]
    nats = paid_nats(audit, document, again)
    if nats is None:
        return
    audit.equal("certificate: bound", certificate["bound"], again["certificate"]["bound"])
    if certificate["bound"] == "betting" and table.groups is not None:
        _check_betting(audit, document, table, again, is_wrong, nats)
        return
    _check_counts(audit, document, table, nats, is_wrong)
    quantity = "misclassified"
    assumptions: tuple[Key, ...] = ("iid", "blind-pool", "prepared", "digest-order")
    if table.groups is not None:
        quantity = GROUP_QUANTITIES[training["group_loss"]]
        assumptions += ("groups",)
    assumptions += named_beforehand(training)
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
    audit.equal("certificate: n_compressed", certificate["n_compressed"], None)
    audit.equal("certificate: n_errors", certificate["n_errors"], None)
    audit.equal("certificate: limit", certificate["limit"], 1.0)
    audit.equal("certificate: rates", certificate["rates"], [])
    quantity = GROUP_QUANTITIES[document["training"]["group_loss"]]
    named = named_beforehand(document["training"])
    assumptions = ("iid-groups", "ordered", "prepared", "digest-order", "groups", *named)
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


def _check_estimators(
    audit: Audit,
    fitted: Document,
    table: Table,
    found: Sequence[Any],
    wanted: Sequence[Any],
) -> None:
    """Estimators of other libraries: the same types, the same state, the same labels anywhere."""
    of_type, of_value = state_differences(list(found), list(wanted))
    if not audit.check("types of the estimators, trained again", not of_type, of_type):
        return
    if not of_value:
        return
    names = [column["name"] for column in fitted["columns"]["columns"]]
    cells = rows_beside(table.columns, names)
    rows = np.arange(N_NEAR + N_FAR)
    theirs, ours = (predicted_words(fitted, cells, rows, part) for part in (found, wanted))
    n_other = sum(a != b for a, b in zip(theirs, ours, strict=True))
    said = f"other labels for {n_other} of {len(rows)} rows around the table and far from it"
    audit.check("labels of the estimators beside the table", not n_other, said)
    audit.leave(OPEN.format(n=len(rows), where=of_value))


def predicted_words(
    fitted: Document, cells: Mapping[str, Any], rows: Any, estimators: Sequence[Any]
) -> list[str]:
    """Labels that the classifier of the file gives to some rows of a table."""
    classes, columns = list(fitted["classes"]), fitted["columns"]["columns"]
    X = encode(columns, cells, rows)
    raw = raw_rows(columns, cells, rows)
    positions = labels_of(fitted["machine"], X, len(classes), Foreign(estimators, raw))
    return [classes[k] for k in positions]


def _errors(
    audit: Audit, fitted: Document, table: Table, estimators: Sequence[Any], again: Document
) -> Any:
    """Which of the counted rows are wrong; the classifier trained again says the same of all.

    A row whose class the pool lacks is an error of every classifier.
    """
    classes = list(fitted["classes"])
    known = sorted({table.labels[i] for i in np.flatnonzero(table.in_pool)})
    if sorted(classes) != known:
        raise ValueError(f"classes {classes[:10]}, the pool has {known[:10]}")
    found = predicted_words(fitted, table.columns, np.arange(len(table.labels)), estimators)
    is_other = [a != str(b) for a, b in zip(found, again["labels"], strict=True)]
    audit.check(
        "labels of the classifier, trained again",
        not any(is_other),
        f"the classifier of the file gives other labels to {sum(is_other)} rows",
    )
    return np.array([found[i] != table.labels[i] for i in table.counted], dtype=bool)


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


def _check_counts(audit: Audit, document: Document, table: Table, nats: Any, is_wrong: Any) -> None:
    """Errors outside the pool, counted again, and the limits that follow from them."""
    certificate, classes = document["certificate"], document["fitted"]["classes"]
    audit.equal("certificate: bound", certificate["bound"], "pool")
    audit.equal("certificate: limit", certificate["limit"], 1.0)
    audit.equal("certificate: n_samples", certificate["n_samples"], table.n_units)
    audit.equal("certificate: n_compressed", certificate["n_compressed"], table.n_pool)
    n, k = len(is_wrong), int(is_wrong.sum())
    if table.groups is not None:
        loss = document["training"]["group_loss"]
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
    case = document["data"]["reading"]["positive"]
    by_case = sorted(classes, key=lambda label: label == case)
    for (name, value), label in zip(certificate["rates"], by_case, strict=True):
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

"""A row of a menu: its pool drawn again, its training done again, its errors counted again.

Training is not written twice: the library does it, if it is at hand, and what it gives must be the
classifier of the file. Without the library the training is left open, and the errors outside the
pool are counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

import numpy as np

from handful.verify.arithmetic import MP, is_tail_bound, log, tail_bound
from handful.verify.audit import TOLERANCE, Audit, Document, Floats, Mask, is_close, is_number
from handful.verify.claims import (
    BETTING_REFERENCE,
    GROUP_QUANTITIES,
    LANGFORD,
    Claim,
    Key,
    Price,
    Prices,
    Rate,
    assumes,
    check_claim,
    check_record,
    check_tail,
    compare_prices,
    confidence,
    group_errors,
    group_losses,
    stated,
    total,
)
from handful.verify.evaluate import Beside, labels_of, sums_of
from handful.verify.redraw import name_digest
from handful.verify.row_evidence import check_row_evidence
from handful.verify.same_form import (
    N_FAR,
    N_NEAR,
    OPEN,
    difference,
    rows_beside,
    score_difference,
    state_differences,
)
from handful.verify.sheets import OF_MENUS, Sheet, encode, pool_size_of, table_of

CLOSED = "the errors: the estimators of other libraries stayed closed"
_OPEN_TRAINING = "the training: the file does not say how its table was read"
_GROUPS = "the errors of groups, and those of a goal that moved the threshold"
_BEST, _CARRIED, _REST = 6, 3, 1  # tenths of delta: the favourite, that of pocket forms, the rest
_POCKET = (
    "one rule",
    "rule set",
    "rule list",
    "short score card",
    "score card",
    "other score card",
)
_ROLES = {
    "favourite": "the pool's favourite",
    "pocket": "the pool's favourite among pocket forms",
    "named": "the favourite that was named beforehand",
}
_FEW_DISTINCT = 30  # of fewer distinct rows a digest has hardly a choice of pools
_FEW = (
    "The table has only {} distinct {}: a pool that its digest draws cannot be called random, and "
    "the certificate may not hold. Fix a seed before you see the data (random_state; on the "
    "command line --seed, with --rules)."
)
_MOST_LABELS = 10  # that no row of the pool has, each in a sentence of its own
_MOST_CANDIDATES = 10_000  # forms: far more than a menu has, and quick to add up
_ROUNDING = 1e-14  # of one minus a limit
_BAND_FIELDS = ("answers_at_least", "errs_at_most", "n_answered", "n_errors", "width")
_CARD_LIMITS = "the limits of score cards"
_GIVEN = ("false_positive_given_negative", "false_negative_given_positive")
_TRUSTED = (
    "the examples come independently from the distribution of the new cases",
    "training: the library trained again, and its result was compared (cuts exactly, other numbers "
    f"to {TOLERANCE:g} of the scores)",
)
# What a file of a menu does not say: the pool follows from the digest.
_NOTHING = ("groups", "columns", "row_codes", "seed")


class Library(Protocol):
    """What a re-check cannot do alone: read a raw table by the library's rules, and train."""

    def clean(self, document: Document) -> Any:
        """A raw table as the library reads it: ``X``, ``y``, ``groups``, ``raw``, ``reading``."""
        ...

    def train(self, document: Document) -> Document:
        """Train a menu again as a file says.

        Gives ``fitted`` (document), ``labels`` of all rows, ``features`` (names of the columns that
        were offered), ``words`` (which of them hold words), ``estimators`` (other libraries' fitted
        ones), ``rank``, ``order`` (forms in the pool's order), ``named`` (rank of the favourite
        that was named beforehand, if it has one), ``default`` (row that the tolerance chooses),
        ``case`` (of two classes), ``pool`` (sorted rows), ``pool_share``, ``n_thresholds``,
        ``chain`` (of a goal named beforehand: the ``machine`` before its threshold was moved, the
        ``thresholds`` in the order of the tests), ``widths``, ``warm_up`` (losses of the pool's
        groups, if they were used), ``certificate``, ``notes`` (on the table).
        """
        ...

    def estimators(self, digest: str) -> Sequence[Any]:
        """Other libraries' fitted estimators of the file; a ValueError if they stay closed."""
        ...


def check_menu(
    audit: Audit,
    document: Document,
    sheet: Sheet,
    library: Library,
    beside: str,
    evidence: Document | None = None,
) -> None:
    """A row of a menu of a raw table; ``beside`` is the digest of the file of estimators."""
    data, training = document["data"], document["training"]
    audit.equal("estimator", document["provenance"]["estimator"], "CertifiedClassifier")
    digest = training["estimators_sha256"]
    if digest is not None and not audit.equal("digest of the estimators", digest, beside):
        return
    if not audit.equal("digest of the table", data["sha256"], sheet.digest):
        return
    if not check_record(audit, document["certificate"]) or not _can_train(audit, document, sheet):
        return
    try:
        estimators = [] if digest is None else library.estimators(digest)
    except (ValueError, ImportError) as error:
        check_stated(audit, document)
        audit.leave(f"the estimators of other libraries stayed closed: {error}")
        return
    again = library.train(document)
    audit.notes(document, again["notes"], OF_MENUS)
    E = encode(document["fitted"]["columns"]["columns"], sheet.columns)
    _check_training(audit, document, sheet, again, E)
    if estimators:
        _check_estimators(audit, document["fitted"], sheet, estimators, again["estimators"])
    found = _labels(audit, document["fitted"], sheet, estimators, again)
    is_wrong = np.array(found, dtype=object) != np.array(sheet.labels, dtype=object)
    check_row_evidence(audit, document, evidence, sheet, found, E)
    prices = menu_prices(audit, document, again)
    if prices is None:
        return
    audit.equal(
        "certificate: bound", document["certificate"]["bound"], again["certificate"]["bound"]
    )
    before = [MP.mpf(loss) for loss in again["warm_up"] or ()]
    claim = _claim(document, sheet, prices, is_wrong, _notes(sheet, training["pool_share"]), before)
    check_claim(audit, document, _with_goal(audit, document, sheet, claim, again["chain"], E))
    if training["band"] is not None:
        _check_band(audit, document, sheet, again, is_wrong, E)


def check_open_menu(audit: Audit, document: Document, sheet: Sheet, is_wrong: Mask) -> None:
    """A row of a menu whose training is left open: errors outside the pool, price and limit."""
    certificate, training = document["certificate"], document["training"]
    audit.leave(_OPEN_TRAINING)
    share = training["pool_share"]
    if not check_record(audit, certificate):
        return
    if not audit.check("share of the pool", is_number(share) and 0 <= share < 1, repr(share)):
        return
    audit.equal("delta", training["delta"], certificate["delta"])
    if assumes(certificate, "groups") or training["goal"] is not None:
        audit.leave(_GROUPS)
        return
    prices = menu_prices(audit, document, {})
    if prices is not None:
        notes = tuple(certificate["notes"])  # of labels that the pool lacks, and of few rows
        check_claim(audit, document, _claim(document, sheet, prices, is_wrong, notes, ()))


def check_stated(audit: Audit, document: Document) -> None:
    """Whether the limit follows from what the file says was counted, without counting."""
    certificate = document["certificate"]
    if document["training"]["goal"] is not None or certificate["bound"] != "pool":
        return  # what it pays depends on thresholds, which are not known without training
    prices = menu_prices(audit, document, {})
    if prices and compare_prices(audit, "certificate terms", certificate["terms"], prices):
        n = certificate["n_samples"] - certificate["n_compressed"]
        nats = total(stated(certificate["terms"]))
        check_tail(audit, "risk", certificate["risk"], certificate["n_errors"], n, nats)


def _can_train(audit: Audit, document: Document, sheet: Sheet) -> bool:
    """Whether the file is about this table, and its options are such that training ends."""
    data, training, tolerance = (
        document["data"],
        document["training"],
        document["training"]["tolerance"],
    )
    audit.equal("number of rows", data["n_rows"], len(sheet.labels))
    audit.equal("target", data["target"], data["reading"]["target"])
    audit.equal("kept", document["kept"], [])
    audit.equal("rows set aside", data["n_set_aside"], 0)
    for name in _NOTHING:
        audit.equal(name, data[name], None)
    for sentence in _TRUSTED:
        audit.trust(sentence)
    holds = [
        audit.equal("delta", training["delta"], document["certificate"]["delta"]),
        audit.check("tolerance", is_number(tolerance) and 0 <= tolerance < 1, repr(tolerance)[:80]),
        audit.check("group loss", training["group_loss"] in GROUP_QUANTITIES, "is not known"),
    ]
    return all(holds)


# -- training ----------------------------------------------------------------------------------


def _check_training(
    audit: Audit, document: Document, sheet: Sheet, again: Document, E: Floats
) -> None:
    """The same pool, the same classifier, the same place in the order."""
    training, data = document["training"], document["data"]
    n_pool = pool_size_of(training["pool_share"], sheet.blocks.n)
    pool = sorted(sheet.blocks.rows(n_pool).tolist())
    audit.equal("share of the pool", training["pool_share"], again["pool_share"])
    audit.check("pool", list(again["pool"]) == pool, "the library drew other rows")
    audit.equal("features", data["features"], [name_digest(name) for name in again["features"]])
    audit.equal("number of features", data["n_features"], len(again["features"]))
    audit.equal("columns of words", data["words"], again["words"])
    fitted, wanted = document["fitted"], again["fitted"]
    where = difference(fitted, wanted)
    if audit.check("classifier, trained again", not where, where):
        where = score_difference(fitted["machine"], wanted["machine"], E)
        audit.check("scores of the classifier, trained again", not where, where)
    audit.equal("rank in the pool's order", training["rank"], again["rank"])
    audit.equal("number of candidates", training["n_candidates"], len(again["order"]))
    audit.equal("roles", training["roles"], role_ranks(again["order"], again["named"]))
    if training["is_default"]:
        audit.equal("chosen by the tolerance", training["chosen"], again["default"])
    else:
        audit.check("choice", training["is_default"] is False, "must be true or false")
    audit.equal("case", data["reading"]["positive"], again["case"])


def _check_estimators(
    audit: Audit, fitted: Document, sheet: Sheet, found: Sequence[Any], wanted: Sequence[Any]
) -> None:
    """Estimators of other libraries: the same types, the same state, the same labels anywhere."""
    of_type, of_value = state_differences(list(found), list(wanted))
    if not audit.check("types of the estimators, trained again", not of_type, of_type):
        return
    if not of_value:
        return
    cells = rows_beside(sheet.columns, [c["name"] for c in fitted["columns"]["columns"]])
    theirs, ours = (predicted_words(fitted, cells, part) for part in (found, wanted))
    n, n_other = N_NEAR + N_FAR, sum(a != b for a, b in zip(theirs, ours, strict=True))
    said = f"other labels for {n_other} of {n} rows around the table and far from it"
    audit.check("labels of the estimators beside the table", not n_other, said)
    audit.leave(OPEN.format(n=n, where=of_value))


def predicted_words(
    fitted: Document, cells: Mapping[str, Any], estimators: Sequence[Any] = ()
) -> list[str]:
    """Labels that the classifier of a file gives to the rows of a table."""
    columns = fitted["columns"]["columns"]
    beside = Beside(estimators, table_of(columns, cells)) if estimators else Beside()
    return [
        fitted["classes"][k] for k in labels_of(fitted["machine"], encode(columns, cells), beside)
    ]


def _labels(
    audit: Audit, fitted: Document, sheet: Sheet, estimators: Sequence[Any], again: Document
) -> list[str]:
    """The label of each row; the classifier trained again says the same of all.

    A row whose class the pool lacks is an error of every classifier.
    """
    known = sorted({sheet.labels[i] for i in again["pool"]})
    if sorted(fitted["classes"]) != known:
        raise ValueError(f"classes {fitted['classes'][:10]}, the pool has {known[:10]}")
    found = predicted_words(fitted, sheet.columns, estimators)
    n_other = sum(a != str(b) for a, b in zip(found, again["labels"], strict=True))
    detail = f"the classifier of the file gives other labels to {n_other} rows"
    audit.check("labels of the classifier, trained again", not n_other, detail)
    return found


# -- the claim ---------------------------------------------------------------------------------


def role_ranks(order: Sequence[str], named: int | None) -> list[list[Any]]:
    """Who plays a role in the pool's order: role and rank.

    Examples
    --------
    >>> role_ranks(["linear", "one rule", "score card"], None)
    [['favourite', 1], ['pocket', 2]]
    """
    if named is not None:
        return [["named", named]]
    carried = [rank + 1 for rank, form in enumerate(order) if form in _POCKET]
    return [["favourite", 1], *(["pocket", rank] for rank in carried[:1])]


def rank_mass(rank: int, n: int, roles: Sequence[Sequence[Any]]) -> Any:
    """Prior mass of a rank among n: by its role, or a share of the rest by 1 / rank.

    Examples
    --------
    >>> roles = [["favourite", 1], ["pocket", 3]]
    >>> [round(float(rank_mass(rank, 3, roles)), 3) for rank in (1, 2, 3)]
    [0.6, 0.1, 0.3]
    """
    ranks = {place for _, place in roles}
    own = {"favourite": _BEST, "named": _BEST + _CARRIED, "pocket": _CARRIED}
    tenths = {place: MP.mpf(own[role]) for role, place in roles}
    if len(ranks) == 1:
        tenths = {place: MP.mpf(_BEST + _CARRIED) for place in ranks}
    others = sum((MP.mpf(1) / k for k in range(1, n + 1) if k not in ranks), MP.mpf(0))
    whole = sum(tenths.values(), MP.mpf(_REST if n > len(ranks) else 0))
    return tenths[rank] / whole if rank in ranks else _REST / (rank * others * whole)


def _are_roles(audit: Audit, roles: Any, n: int) -> bool:
    """Whether roles are such as a menu of n rows can have."""
    is_list = isinstance(roles, list) and all(isinstance(r, list) and len(r) == 2 for r in roles)
    played = [str(role) for role, _ in roles] if is_list else []
    known = played in (["favourite"], ["favourite", "pocket"], ["named"])
    if not audit.check("roles", known, repr(roles)[:80]):
        return False
    return all(audit.count("rank of a role", rank, 1, n) for _, rank in roles)


def menu_prices(audit: Audit, document: Document, again: Document) -> Prices | None:
    """What the certificate must pay: its rank, one of several thresholds, the confidence."""
    n, rank = document["training"]["n_candidates"], document["training"]["rank"]
    # The price is a sum over all candidates: their number must be one that can be added up.
    if not audit.count("number of candidates", n, 1, _MOST_CANDIDATES):
        return None
    if not audit.count("rank", rank, 1, n):
        return None
    roles = document["training"]["roles"]
    if not _are_roles(audit, roles, n):
        return None
    text = next((_ROLES[role] for role, place in roles if place == rank), "")
    text = text or f"rank {rank} of {n} in the pool's order"
    prices = [Price("rank", text, -log(rank_mass(rank, n, roles)))]
    if again.get("n_thresholds") is not None:  # a goal moved the threshold
        m = round(again["n_thresholds"])
        prices.append(Price("threshold", f"one of {m} thresholds from the pool", log(m)))
    return [*prices, confidence(document["certificate"]["delta"])]


def _claim(
    document: Document,
    sheet: Sheet,
    prices: Prices,
    is_wrong: Mask,
    notes: tuple[str, ...],
    before: Sequence[Any],
) -> Claim:
    """What the certificate must say of the rows, or groups, outside the pool."""
    training, certificate, blocks = document["training"], document["certificate"], sheet.blocks
    n_pool, loss = pool_size_of(training["pool_share"], blocks.n), training["group_loss"]
    counted = blocks.rows_of[n_pool:]
    is_grouped = blocks.is_grouped
    quantity: Key = GROUP_QUANTITIES[loss] if is_grouped else "misclassified"
    drawn = "digest-order" if document["data"]["seed"] is None else "random-state"
    named = named_beforehand(document)
    if is_grouped and certificate["bound"] == "betting":
        return Claim(
            *("betting", "betting", prices),
            ("iid-groups", "ordered", "prepared", drawn, "groups", *named),
            BETTING_REFERENCE,
            n_samples=len(counted),
            quantity=quantity,
            notes=("Method: betting.", *notes),
            losses=group_losses(is_wrong, counted),
            before=before,
        )
    return Claim(
        *("pool", "tail", prices),
        ("iid", "blind-pool", "prepared", drawn, *(("groups",) if is_grouped else ()), *named),
        LANGFORD,
        n_samples=blocks.n,
        n_errors=group_errors(is_wrong, counted, loss if is_grouped else "any"),
        n_compressed=n_pool,
        n_counted=len(counted),
        quantity=quantity,
        notes=notes,
        rates=() if is_grouped else _rates(document, sheet, is_wrong, [i for (i,) in counted]),
    )


def _rates(
    document: Document, sheet: Sheet, is_wrong: Mask, counted: Sequence[int]
) -> tuple[Rate, ...]:
    """Errors among the cases of each of two classes, those of the case last."""
    classes, reading = document["fitted"]["classes"], document["data"]["reading"]
    if len(classes) != 2:
        return ()
    case = classes[1] if reading is None else reading["positive"]
    out = []
    for name, label in zip(_GIVEN, sorted(classes, key=lambda own: own == case), strict=True):
        rows = [i for i in counted if sheet.labels[i] == label]
        out.append(Rate(name, int(is_wrong[rows].sum()), len(rows)))
    return tuple(out)


def _with_goal(
    audit: Audit, document: Document, sheet: Sheet, claim: Claim, chain: Document | None, E: Floats
) -> Claim:
    """Both rates at the last threshold that is accepted in a fixed order, and that it is this one.

    The errors at every threshold are counted again, each is tested at the whole level of the row.
    Of an accepted one the goal may be said, nothing more; of the first that is not, or if all are
    accepted, the limit itself. The other rate pays for no threshold, as the labels are given.
    """
    if chain is None:
        return claim
    (quantity, value), classes = document["training"]["goal"], document["fitted"]["classes"]
    case = document["data"]["reading"]["positive"]
    names = sorted(classes, key=lambda own: own == case)  # of the rates: the case comes last
    own = int(quantity == "sensitivity")
    n_pool = pool_size_of(document["training"]["pool_share"], sheet.blocks.n)
    counted = [i for rows in sheet.blocks.rows_of[n_pool:] for i in rows]
    truth = np.array([sheet.labels[i] for i in counted], dtype=object)
    values, slack = sums_of(chain["machine"], E)
    # From low to high for a class above the threshold, back for one below it.
    order = sorted(map(float, chain["thresholds"]), reverse=names[own] != classes[1])
    wrong = []
    for threshold in order:
        said = np.array(classes, dtype=object)[(values[:, 0] - threshold > slack).astype(int)]
        wrong.append([int(((truth == c) & (said[counted] != c)).sum()) for c in names])
    sizes = [int((truth == c).sum()) for c in names]
    free, limit = log(len(order)), 1.0 - value
    nats = total(claim.prices) - free + log(2)
    bounds = [tail_bound(errors[own], sizes[own], nats) for errors in wrong]
    n_accepted = next((j for j, b in enumerate(bounds) if b > limit), len(bounds))
    is_last = wrong[max(0, n_accepted - 1)] == [rate.n_errors for rate in claim.rates]
    audit.check("threshold of the goal", is_last, "it is not the last one that is accepted")
    rates = [rate._replace(unpaid=free) for rate in claim.rates]
    is_said = 0 < n_accepted < len(bounds)
    rates[own] = rates[own]._replace(goal=limit if is_said else None)
    return replace(claim, rates=tuple(rates))


def named_beforehand(document: Document) -> tuple[Key, ...]:
    """What a menu assumes of settings that are not the defaults."""
    training, limits = document["training"], _CARD_LIMITS
    is_own = {
        "the forms": training["candidates"] != "readable",
        "the favourite": training["favourite"] is not None,
        "the share of the pool": training["pool_share"] != 0.5,
        limits: [training["max_items"], training["max_points"]] != [8, 5]
        or bool((document["data"]["reading"] or {}).get("must_ask")),
        "delta": training["delta"] != 0.05,
        "the goal": training["goal"] is not None and not training["after_looking"],
    }
    names = [name for name, own in is_own.items() if own]
    if not names:
        return ()
    verb = "was" if len(names) == 1 and names[0] not in ("the forms", limits) else "were"
    listed = " and ".join(part for part in (", ".join(names[:-1]), names[-1]) if part)
    return (("named", {"names": listed, "verb": verb}),)


def _notes(sheet: Sheet, share: float) -> tuple[str, ...]:
    """What must be said of labels that no row of the pool has, and of a table of few rows."""
    known = {sheet.labels[i] for i in sheet.blocks.rows(pool_size_of(share, sheet.blocks.n))}
    counts = sorted(Counter(label for label in sheet.labels if label not in known).items())
    said = [(n, f"the label {label[:40]!r}") for label, n in counts[:_MOST_LABELS]]
    if rest := counts[_MOST_LABELS:]:
        said.append((sum(n for _, n in rest), f"one of {len(rest)} other labels"))
    end = "which the pool does not know: {} counts as an error of every form."
    notes = [
        f"{n} {'row has' if n == 1 else 'rows have'} {what}, "
        + end.format("it" if n == 1 else "each")
        for n, what in said
    ]
    if sheet.n_distinct < _FEW_DISTINCT:
        notes.append(_FEW.format(sheet.n_distinct, "groups" if sheet.blocks.is_grouped else "rows"))
    return tuple(notes)


def _check_band(
    audit: Audit, document: Document, sheet: Sheet, again: Document, is_wrong: Mask, E: Floats
) -> None:
    """Silence in doubt: a width from the pool, and what follows from the counted rows outside.

    Of groups one row of each is counted.
    """
    band, share = document["training"]["band"], document["training"]["pool_share"]
    if not audit.fields("band", band, _BAND_FIELDS):
        return
    known = [float(width) for width in again["widths"] or ()] if is_number(band["width"]) else []
    near = [width for width in known if is_close(band["width"], width, width)]
    if not audit.check("band: width", bool(near), "is not one of the pool's"):
        return
    sizes = np.abs(sums_of(document["fitted"]["machine"], E).values[:, 0])
    wanted = np.abs(sums_of(again["fitted"]["machine"], E).values[:, 0]) > near[0]
    holds = bool(((sizes > band["width"]) == wanted).all())
    audit.check("band: rows", holds, "other rows are answered than by what was trained again")
    n_pool = pool_size_of(share, sheet.blocks.n)
    blocks = sheet.blocks.rows_of[n_pool:]
    counted = [rows[0] for rows in blocks]  # of groups the first row, which is a blind one
    n, n_said = len(counted), int(wanted[counted].sum())
    n_errors = int((wanted & is_wrong)[counted].sum())
    audit.equal("band: answers", band["n_answered"], n_said)
    audit.equal("band: errors", band["n_errors"], n_errors)
    # The price of the row and of the confidence; one of several widths; two limits at once.
    nats = total(stated(document["certificate"]["terms"])) + log(len(known)) + log(2)
    limit, least = band["errs_at_most"], band["answers_at_least"]
    is_bound = is_number(limit) and (
        is_tail_bound(limit, n_errors, n_said, nats) if n_said else limit == 1.0
    )
    audit.check("band: errs at most", is_bound, f"the file says {limit!r}")
    # One minus a limit is rounded, to either side.
    silent = min(1.0, 1.0 - least + _ROUNDING) if is_number(least) else -1.0
    holds = is_tail_bound(silent, n - n_said, n, nats)
    audit.check("band: answers at least", holds, f"the file says {least!r}")

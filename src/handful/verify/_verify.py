"""The whole re-check, in the order in which a doubtful reader would do it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from handful.verify._audit import Audit, Verdict
from handful.verify._certificate import Counts, check_certificate, compare_terms, count
from handful.verify._document import check_head, hash_of
from handful.verify._draws import (
    difference,
    digest_of_table,
    drawn_order,
    names_in,
    places,
    table_rows,
)
from handful.verify._files import check_file
from handful.verify._geometry import machine_scores, rule_values, same_covers
from handful.verify._grouped import check_grouped
from handful.verify._linear import check_linear
from handful.verify._plain import check_plain
from handful.verify._pool import is_made_of, make_directions, plain_regression, rank_prices
from handful.verify._prices import code_terms, pool_codes, pool_index
from handful.verify._reading import check_reading, left_rows
from handful.verify._rebuild import OTHER_ROWS, check_rules, named_examples
from handful.verify._restore import with_examples, with_names, with_numbers, with_words
from handful.verify._rows import read_rows
from handful.verify._scores import check_scores, machines_of
from handful.verify._settings import check_settings, has_fields
from handful.verify._terms import Terms
from handful.verify._unfold import is_plain, unfolded
from handful.verify._units import Units, make_units
from handful.verify._wording import check_wording, rule_wording

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Document = Mapping[str, Any]

_TRUST_SETTINGS = (
    "the settings (rule families, kinds, kernels, costs, delta, seed) were fixed before the data"
)
_TRUST_DRAW = (
    "the examples come independently from the distribution of the new cases, and neither rows nor "
    "columns were chosen by looking at certificates"
)


def verify_model(
    path: str | os.PathLike[str],
    X: Any,
    y: Any,
    groups: Any = None,
    *,
    raw: Any = None,
    reading: Mapping[str, Any] | None = None,
) -> Verdict:
    """Re-check a model file against its training data, sharing no code with what wrote it.

    Parameters
    ----------
    path : path
        The model file.
    X : data frame or array (n_samples, n_features)
        The training data; columns are found by the names in the file.
    y : sequence (n_samples,)
        The labels.
    groups : sequence (n_samples,), optional
        The groups, where the machine was trained with some.
    raw : data frame, optional
        Of a model that was learned from a raw table: all its labelled rows as they were read, with
        all columns. ``X`` and ``y`` then are the clean rows that were not set aside.
    reading : mapping, optional
        How the columns of such a table are read, as plain data; the file must say the same of
        those that it uses.

    Returns
    -------
    Verdict
        ``is_valid``, every finding, and what had to be taken on trust.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from handful import SetCoveringMachine, load_dataset, save_model
    >>> data = load_dataset("haberman-294")
    >>> machine = SetCoveringMachine(rules="stumps", random_state=0).fit(data.X, data.y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "model.json"
    ...     _ = save_model(machine, path)
    ...     good = verify_model(path, data.X, data.y)
    ...     text = path.read_text().replace('"risk": 0.3', '"risk": 0.2')
    ...     _ = path.write_text(text)
    ...     bad = verify_model(path, data.X, data.y)
    >>> good.is_valid, bad.is_valid
    (True, False)
    """
    return check_file(path, ModelVerifier(X, y, groups, raw=raw, reading=reading).check)


class ModelVerifier:
    """Re-checks documents of one table, which is prepared once; parameters as in `verify_model`.

    Examples
    --------
    >>> from handful import SetCoveringMachine, load_dataset
    >>> from handful.files import model_to_dict
    >>> data = load_dataset("haberman-294")
    >>> machine = SetCoveringMachine(rules="stumps", random_state=0).fit(data.X, data.y)
    >>> document = model_to_dict(machine)
    >>> document["content_sha256"] = hash_of(document)
    >>> verifier = ModelVerifier(data.X, data.y)
    >>> verifier.check(document).status
    'VALID'
    """

    def __init__(
        self,
        X: Any,
        y: Any,
        groups: Any = None,
        *,
        raw: Any = None,
        reading: Mapping[str, Any] | None = None,
    ) -> None:
        self.X, self.groups, self.raw, self.reading = X, groups, raw, reading
        self.labels = np.asarray(y, dtype=object)
        self._made: dict[Any, Any] = {}

    def check(self, document: Document, digest: str | None = None, beside: str = "") -> Verdict:
        """The verdict on a document whose content has the hash ``digest``.

        Parameters
        ----------
        document : mapping
            A model file as plain data.
        digest : str, optional
            `content_hash` of its text, where that is known; by default that of its own.
        beside : str
            Not used: machines have no second file.
        """
        audit = Audit()
        with audit.guard("the model file"), np.errstate(all="ignore"):
            if check_head(audit, document, hash_of(document) if digest is None else digest):
                _check(audit, document, self)
        return audit.verdict(document)

    def once(self, key: Any, make: Callable[[], Any]) -> Any:
        """What was made for a key before, or is made now."""
        if key not in self._made:
            self._made[key] = make()
        return self._made[key]


def _check(audit: Audit, document: Document, table: ModelVerifier) -> None:
    whole = unfolded(audit, document)
    audit.equal("number of rows", document["data"]["n_rows"], len(table.labels))
    if not check_reading(audit, whole, table.reading, table.X, is_open=is_plain(document)):
        return
    if is_plain(document):
        drawn = _check_digest(audit, whole, table)
        if drawn is not None:
            labels = [str(label) for label in table.labels[drawn.places]]
            check_plain(audit, document, table, drawn, labels)
        return
    found = _check_data(audit, whole, table)
    if found is not None:
        labels = [str(label) for label in table.labels[found.places]]
        _check_content(audit, found, labels)


class Examples(NamedTuple):
    """The training rows: where they are in the data, as numbers, and as they enter pools.

    ``document`` is the file's, completed from them.
    """

    document: Document
    places: Ints
    rows: Floats
    units: Units


def _check_data(audit: Audit, document: Document, table: ModelVerifier) -> Examples | None:
    X, groups = table.X, table.groups
    n_columns = len(X.columns) if hasattr(X, "columns") else np.asarray(X).shape[1]
    n_features = document["n_features"]
    if not audit.check(
        "number of features",
        type(n_features) is int and 0 < n_features <= n_columns,
        f"the file says {n_features!r}, the data have {n_columns}",
    ):
        return None
    if document["feature_names"] is None and n_features != n_columns:
        audit.equal("number of features", n_features, n_columns)
        return None
    drawn = _check_digest(audit, document, table)
    if drawn is None:
        return None
    units, whole = _units_of(audit, document, drawn, groups), with_names(audit, document, X)
    if units is None or whole is None:
        return None
    if document["codes"] is None:
        is_sum = document["provenance"]["estimator"] == "LPBoostMKL"
        whole = {**whole, "machines": machines_of(whole["form"], is_sum=is_sum)}
        named = with_numbers(audit, whole, drawn.digests)
        if named is None:
            return None
        return Examples(named, drawn.places, _rows_of(named, table)[drawn.places], units)
    whole = with_words(audit, whole, X)
    if whole is None:
        return None
    rows = _rows_of(whole, table)[drawn.places]
    whole = with_examples(audit, whole, rows, drawn.digests, units)
    if whole is None:
        return None
    n_samples = document["certificate"]["n_samples"]
    if groups is None and not audit.equal("number of examples", n_samples, len(rows)):
        return None
    return Examples(whole, drawn.places, rows, units)


def _rows_of(document: Document, table: ModelVerifier) -> Floats:
    names = ("n_features", "feature_names", "categories")
    key = "rows", repr([document[name] for name in names])
    rows: Floats = table.once(key, lambda: read_rows(document, table.X))
    return rows


class Drawn(NamedTuple):
    """Rows by number: where each is in the data, its digest, and the order of the pools."""

    places: Ints
    digests: list[bytes]
    order: Ints


def _units_of(audit: Audit, document: Document, drawn: Drawn, groups: Any) -> Units | None:
    """What enters pools whole: groups where the file is about groups, else rows."""
    is_grouped = document["codes"] is not None and document["settings"]["group_loss"] is not None
    if not audit.check(
        "groups",
        is_grouped == (groups is not None),
        "the file is about groups, which must be given" if is_grouped else "the file knows none",
    ):
        return None
    seed = document["provenance"]["random_state"]
    given = np.asarray(groups, dtype=object)[drawn.places].tolist() if is_grouped else None
    return make_units(drawn.order, given, drawn.digests, seed)


def _check_digest(audit: Audit, document: Document, table: ModelVerifier) -> Drawn | None:
    """Whether these are the training data; where each is, and the order of the pools."""
    provenance = document["provenance"]
    X: Any = table.X
    y: Any = table.labels
    if table.raw is not None:
        X, y = left_rows(audit, document, table)
    stored, seed = provenance["data"], provenance["random_state"]
    is_seed = seed is None or type(seed) is int
    if not audit.check("seed", is_seed, f"must be a whole number or null, got {seed!r}"):
        return None
    said = None if stored is None else stored["columns"]
    covered = names_in(X, said)
    absent = len(said or []) - len(covered or [])
    if not audit.check("columns", not absent, f"{absent} of {len(said or [])} are not in the data"):
        return None
    if table.raw is None and document["reading"]["options"] is not None:  # of the whole table
        covered = [str(name) for name in getattr(X, "columns", ())] or None
    key = None if covered is None else tuple(covered), len(X), repr(document["reading"]["options"])
    rows = table.once(("digests", key), lambda: table_rows(X, y, covered))
    digest = table.once(("digest", key), lambda: digest_of_table(rows))
    at: Ints | None = np.arange(len(rows))
    if stored is None or stored["sha256"] is None:
        audit.trust("these are the training data: the file has no digest of them")
    else:
        is_same = stored["sha256"] == digest
        if not audit.check(
            "the training data", is_same, "" if is_same else difference(rows, stored)
        ):
            return None
        at = places(rows, stored)
    if not audit.check("codes of the training rows", at is not None, "are not those of the data"):
        return None
    assert at is not None
    digests = [rows[i] for i in at]
    return Drawn(at, digests, drawn_order(digests, digest, seed))


def _check_content(audit: Audit, found: Examples, labels: list[str]) -> None:
    document, X, units = found.document, found.rows, found.units
    classes = [str(label) for label in document["classes"]]
    if not audit.check(
        "classes",
        len(set(classes)) == len(classes) and set(labels) == set(classes),
        f"the file has {classes[:10]}, the data have {sorted(set(labels))[:10]}",
    ):
        return
    codes = np.array([classes.index(label) for label in labels])
    if document["codes"] is None:
        check_scores(audit, document, X, codes, units.rows(units.n))
        return
    n_machines = 1 if len(classes) == 2 else len(classes)
    is_complete = len(document["machines"]) == len(document["codes"]) == n_machines
    if not audit.check("machines", is_complete, f"must be {n_machines}, each with its code"):
        return
    audit.trust(_TRUST_DRAW)
    audit.trust(_TRUST_SETTINGS)
    if not check_settings(audit, document["settings"]):
        return
    terms: Terms = []
    for k in range(n_machines):
        positive = 1 if n_machines == 1 else k
        name = "" if n_machines == 1 else f" (class {document['classes'][k]})"
        y = np.where(codes == positive, 1, -1)
        parts = _check_machine(audit, document, k, X, y, units)
        terms += [term._replace(text=f"{term.text}{name}") for term in parts]
    _check_whole(audit, document, X, codes, terms, units)


def _check_whole(
    audit: Audit, document: Document, X: Floats, codes: Ints, terms: Terms, units: Units
) -> None:
    """Compression set, errors of the combined machine, certificate."""
    codes_and_machines = list(zip(document["codes"], document["machines"], strict=True))
    kept = sorted({i for code, _ in codes_and_machines for i in code["kept"]})
    named = {i for code, m in codes_and_machines for i in _named(code, m["rules"])}
    audit.equal("compression set", sorted(document["compression_set"]), sorted(named))
    scores = [machine_scores(machine, X) for machine in document["machines"]]
    is_binary = len(scores) == 1
    is_list = document["settings"]["kinds"] == ["list"]
    estimator = "DecisionListMachine" if is_list else "SetCoveringMachine"
    audit.equal("estimator", document["provenance"]["estimator"], estimator)
    if units.is_grouped:
        said = scores[0] > 0 if is_binary else np.argmax(np.column_stack(scores), axis=1)
        check_grouped(audit, document, units, terms, set(kept), said != codes)
        return
    if is_binary:
        counts = count(np.where(scores[0] > 0, 1, -1), np.where(codes == 1, 1, -1), kept)
    else:
        counts = count(np.argmax(np.column_stack(scores), axis=1), codes, kept)
    settings, certificate = document["settings"], document["certificate"]
    check_certificate(audit, certificate, settings, terms, counts, is_binary=is_binary)
    seed = document["provenance"]["random_state"]
    check_wording(audit, certificate, rule_wording(document["codes"], settings, len(X), seed))


def _named(code: Document, rules: Sequence[Document]) -> list[int]:
    """Examples that a file must name: all that are kept, or those that a pool's rules are of."""
    if code["scheme"] == "compression":
        return list(code["kept"])
    return [i for rule in rules for i in named_examples(rule)]


def _check_machine(
    audit: Audit, document: Document, k: int, X: Floats, y: Ints, units: Units
) -> Terms:
    """One machine and its code; returns the terms that it must pay."""
    code, machine, settings = document["codes"][k], document["machines"][k], document["settings"]
    where = f"machine {k + 1}"
    if not has_fields(audit, f"{where}, code", "code", code):
        return []
    is_word = np.array([c is not None for c in document["categories"] or [None] * X.shape[1]])
    _check_kind(audit, where, machine, code, settings)
    _check_drawn(audit, where, code, settings, units, y)
    rank_nats: Any = None
    if code["scheme"] == "compression":
        check_rules(audit, code, machine["rules"], X, y, is_word)
    elif code["scheme"] == "plain":
        _check_plain_rule(audit, document, k, X, y, units)
    elif code["scheme"] == "pool":
        rank_nats = _check_pool_rules(audit, document, k, X, y, units, is_word)
    else:
        audit.equal(f"{where}: number of rules", len(machine["rules"]), 0)
    _check_counts(audit, where, code, machine, X, y, units)
    shape = (units.n, X.shape[1])
    terms = code_terms(code, machine["rules"], settings, shape, y, rank_nats)
    compare_terms(audit, f"{where}, code", code["terms"], terms)
    return terms


def _check_kind(
    audit: Audit, where: str, machine: Document, code: Document, settings: Document
) -> None:
    kind = code["kind"]
    if machine["kind"] == "list":
        labels = [*machine["outputs"], machine["default"]]
        is_signed = all(type(label) is int and label in (-1, 1) for label in labels)
        audit.check(f"{where}: outputs", is_signed, "must be -1 or 1")
    if settings["kinds"] == ["list"] and kind != "list":  # a set, written as a list
        sign = 1 if kind == "conjunction" else -1
        outputs = [-sign] * len(machine["rules"])
        audit.equal(f"{where}: kind", machine["kind"], "list")
        audit.equal(f"{where}: outputs", machine["outputs"], outputs)
        audit.equal(f"{where}: default", machine["default"], sign)
        return
    audit.equal(f"{where}: kind", machine["kind"], kind)
    audit.check(f"{where}: kind was allowed", kind in settings["kinds"] or not machine["rules"])


def _check_drawn(
    audit: Audit, where: str, code: Document, settings: Document, units: Units, y: Ints
) -> None:
    """The pool, drawn again; and the constant that a pool votes for."""
    size, kept = code["pool_size"], code["kept"]
    is_fixed = code["scheme"] == "constant" and size == units.n
    if is_fixed:
        audit.equal(f"{where}: kept examples", list(kept), [])
        return
    is_size = type(size) is int and 0 < size <= units.n
    if not audit.check(f"{where}: pool size", is_size, f"{size!r} of {units.n} examples"):
        return
    is_whole = code["scheme"] in ("pool", "plain", "constant")
    pool = set(units.rows(size).tolist() if is_whole else units.names(size))
    holds = set(kept) == pool if is_whole else set(kept) <= pool
    audit.check(f"{where}: pool", holds, "is not what the data's digest (or the seed) draws")
    if code["scheme"] == "constant":
        majority = "conjunction" if y[list(kept)].sum() > 0 else "disjunction"
        audit.equal(f"{where}: constant", code["kind"], majority)
    if settings["candidates"] != "auto":
        wanted = settings["candidates"] if settings["candidates"] is not None else units.n
        audit.equal(f"{where}: pool size", size, min(wanted, units.n))


def _check_plain_rule(
    audit: Audit, document: Document, k: int, X: Floats, y: Ints, units: Units
) -> None:
    """The only rule is the regression of the pool, fitted again."""
    code, rules = document["codes"][k], document["machines"][k]["rules"]
    where = f"machine {k + 1}"
    pool = units.rows(code["pool_size"])
    audit.equal(f"{where}: size of the pool", len(pool), len(code["kept"]))
    if not audit.equal(f"{where}: types", [rule["type"] for rule in rules], ["linear"]):
        return
    rule, side = rules[0], "below" if code["kind"] == "conjunction" else "above"
    audit.equal(f"{where}: side", rule["side"], side)
    audit.equal(f"{where}: tolerance", rule["tol"], 0.0)
    audit.equal(f"{where}: examples", rule["indices"], [])
    found = plain_regression(X[pool], y[pool])
    if not audit.check(f"{where}: regression", found is not None, "the pool has none"):
        return
    assert found is not None
    again = (found[0].tolist(), found[1])
    check_linear(audit, where, (rule["weights"], rule["threshold"]), again, X)
    whole = {**rule, "weights": again[0], "threshold": again[1]}
    audit.check(f"{where}: rows", same_covers(rule, whole, X), OTHER_ROWS)


def _check_pool_rules(
    audit: Audit,
    document: Document,
    k: int,
    X: Floats,
    y: Ints,
    units: Units,
    is_word: NDArray[np.bool_],
) -> Any:
    """The rules among the candidates of the pool, and what their ranks cost."""
    code, machine = document["codes"][k], document["machines"][k]
    where = f"machine {k + 1}"
    drawn = units.rows(code["pool_size"])
    audit.equal(f"{where}: size of the pool", len(drawn), len(code["kept"]))
    rules = machine["rules"]
    settings = document["settings"]
    index = pool_index(code, settings, units.n)
    if not audit.check(f"{where}: pool size", index is not None, str(code["pool_size"])):
        return float("nan")
    assert index is not None
    known = pool_codes(settings, units.n)[index]._replace(size=len(drawn))
    pool, directions = make_directions(X, y, drawn, known, is_word)
    sign = 1 if code["kind"] == "conjunction" else -1
    name = f"{where}: rules on the pool"
    try:
        prices, places = rank_prices(
            rules,
            directions,
            np.where(y[pool] == sign, -1, 1),
            with_missing=sign > 0 and settings["kinds"] != ["list"],
        )
    except LookupError as error:
        audit.check(name, False, str(error))
        return float("nan")
    audit.check(name, True)
    for i, (rule, (t, j)) in enumerate(zip(rules, places, strict=True)):
        name, again = f"{where}, rule {i + 1}", directions[t].template
        cut = float(directions[t].cuts[j])
        holds = is_made_of(rule, directions[t], cut, pool, X)
        audit.check(f"{name}: examples", holds, "are not those that it is made of")
        cut_name = "radius" if rule["type"] == "ball" else "threshold"
        whole = {**again, "side": rule["side"], cut_name: cut}
        if rule["type"] == "linear":
            whole["tol"] = directions[t].tolerance
        audit.check(f"{name}: rows", same_covers(rule, whole, X), OTHER_ROWS)
        if rule["type"] == "linear":
            wanted = (again["weights"], cut)
            check_linear(audit, name, (rule["weights"], rule["threshold"]), wanted, X)
            continue
        values, own = rule_values(rule, X), rule_values(again, X)
        gap = np.nanmax(np.abs(values - own), initial=0.0)
        size = np.nanmax(np.abs(own), initial=0.0)
        audit.check(f"{name}: values", gap <= 1e-8 * max(size, 1e-300))
    return sum(prices)


def _check_counts(
    audit: Audit,
    where: str,
    code: Document,
    machine: Document,
    X: Floats,
    y: Ints,
    units: Units,
) -> None:
    predicted = np.where(machine_scores(machine, X) > 0, 1, -1)
    kept = units.whole(code["kept"]) if units.is_grouped else code["kept"]
    counts: Counts = count(predicted, y, kept)
    audit.equal(f"{where}: false positives", code["n_false_positives"], counts.n_false_positives)
    audit.equal(f"{where}: false negatives", code["n_false_negatives"], counts.n_false_negatives)
    n_training = int((predicted != y).sum())
    audit.equal(f"{where}: training errors", code["n_training_errors"], n_training)

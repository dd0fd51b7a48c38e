"""Machines made of rules: pools drawn again, rules rebuilt, codes priced, errors counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from handful.verify.arithmetic import log
from handful.verify.audit import Audit, Document, Floats, Ints, Mask, is_number
from handful.verify.claims import (
    BETTING_REFERENCE,
    GROUP_QUANTITIES,
    LANGFORD,
    MOST,
    Claim,
    Key,
    Price,
    Prices,
    Rate,
    check_claim,
    check_record,
    compare_prices,
    confidence,
    drawn_by,
    group_errors,
    group_losses,
    is_share,
)
from handful.verify.code_prices import MIXTURES, code_terms, pool_codes, pool_index
from handful.verify.covers import (
    OTHER_ROWS,
    Cover,
    CoverPart,
    CoverReader,
    asked_of,
    check_linear,
    check_rules,
    code_with_kept,
    kept_rows,
    same_rows,
)
from handful.verify.evaluate import labels_of, value_of
from handful.verify.pool_candidates import (
    CutLine,
    is_made_of,
    make_lines,
    plain_regression,
    rank_prices,
)
from handful.verify.redraw import Blocks
from handful.verify.sheets import Given, Sheet, column_at, offered_places, wide_rows, words_of

_TRUST_SETTINGS = (
    "the settings (rule families, kinds, kernels, costs, delta, seed) were fixed before the data"
)
_TRUST_DRAW = (
    "the examples come independently from the distribution of the new cases, and neither rows nor "
    "columns were chosen by looking at certificates"
)
_POOL_NOTE = (
    "The kept examples were drawn without looking at labels and are not counted; scales, linear "
    "models and the ranking of rules were computed from them alone."
)
_CLASSES_NOTE = (
    "The classes were known before the data; one too rare to be in the sample is always an error."
)
_FAMILIES = ("stumps", "balls", "half-spaces", "two-point")
_POOL_FAMILIES = ("stumps", "linear", "balls", "half-spaces")
_CODE_FIELDS = (
    *("scheme", "family", "kind", "pool_size", "kept", "terms", "n_false_positives"),
    *("n_false_negatives", "n_training_errors"),
)
_BOTH = Price("method", "means of groups, or one row of each", log(2))


# -- settings ----------------------------------------------------------------------------------


def _are_words(found: Any, allowed: tuple[str, ...]) -> bool:
    is_list = isinstance(found, list) and all(isinstance(word, str) for word in found)
    return is_list and len(set(found)) == len(found) and set(found) <= set(allowed)


def _are_costs(costs: Any) -> bool:
    if costs is None:
        return True
    is_pair = isinstance(costs, list) and len(costs) == 2 and all(map(is_number, costs))
    return is_pair and min(costs) >= 0 and max(costs) > 0


def _are_sets(sets: Any, pool_families: Any) -> bool:
    is_list = isinstance(sets, list) and all(f and _are_words(f, _FAMILIES) for f in sets)
    return is_list and (bool(sets) or pool_families == ["linear"])


def check_settings(audit: Audit, settings: Document) -> bool:
    """Whether the settings of a machine made of rules are of the right kind and range."""
    n, kinds, delta = settings["candidates"], settings["kinds"], settings["delta"]
    pool_families = settings["pool_families"]
    is_kinds = kinds == ["list"] or (
        bool(kinds) and _are_words(kinds, ("conjunction", "disjunction"))
    )
    holds = {
        "candidates": n is None or n in MIXTURES or (type(n) is int and 0 < n <= MOST),
        "family_sets": _are_sets(settings["family_sets"], pool_families),
        "pool_families": _are_words(pool_families, _POOL_FAMILIES),
        "kinds": is_kinds,
        "delta": is_share(delta),
        "group_loss": settings["group_loss"] in (None, "mean", "any"),
        "costs": _are_costs(settings["costs"]),
    }
    found = [audit.check(f"settings: {k}", v, repr(settings[k])[:80]) for k, v in holds.items()]
    numbers = ("n_kernels", "n_groups")
    return all([*found, *(audit.count(f"settings: {k}", settings[k], 1, MOST) for k in numbers)])


# -- one code ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class CodeCheck:
    """One code with its rules: ``y`` are the labels -1 and 1, ``said`` the predictions.

    ``X`` has all features that were offered, ``is_word`` says which of them hold words.
    """

    audit: Audit
    where: str
    settings: Document
    code: Document
    part: CoverPart
    X: Floats
    y: Ints
    said: Ints
    blocks: Blocks
    is_word: Mask

    @property
    def named(self) -> list[int]:
        """The examples that a file must name: those kept, or those that a pool's rules are of."""
        if self.code["scheme"] == "compression":
            return list(self.code["kept"])
        return [i for cover in self.part.covers for i in cover.examples]

    def prices(self) -> Prices:
        """Check the code and its rules; what they must pay."""
        code, covers = self.code, self.part.covers
        self._check_kind()
        self._check_drawn()
        rank_nats: Any = None
        if code["scheme"] == "compression":
            check_rules(self.audit, code, covers, self.X, self.y, self.is_word)
        elif code["scheme"] == "plain":
            self._check_plain()
        elif code["scheme"] == "pool":
            rank_nats = self._check_pool()
        else:
            self.audit.equal(f"{self.where}: number of rules", len(covers), 0)
        self._check_counts()
        shape = (self.blocks.n, self.X.shape[1])
        prices = code_terms(code, covers, self.settings, shape, self.y, rank_nats)
        compare_prices(self.audit, f"{self.where}, code", code["terms"], prices)
        return prices

    def _check_kind(self) -> None:
        kind, covers = self.code["kind"], self.part.covers
        kinds = self.settings["kinds"]
        if kinds == ["list"] and kind != "list":  # a set, written as a list
            sign = 1 if kind == "conjunction" else -1
            self.audit.equal(f"{self.where}: outputs", self.part.outputs, [-sign] * len(covers))
            self.audit.equal(f"{self.where}: default", self.part.default, sign)
            return
        self.audit.check(f"{self.where}: kind was allowed", kind in kinds or not covers)
        known = ("list",) if kinds == ["list"] else ("conjunction", "disjunction")
        self.audit.check(f"{self.where}: kind", kind in known, repr(kind)[:80])

    def _check_drawn(self) -> None:
        """The pool, drawn again; and the constant that a pool votes for."""
        audit, code, blocks = self.audit, self.code, self.blocks
        size, kept = code["pool_size"], code["kept"]
        if code["scheme"] == "constant" and size == blocks.n:
            audit.equal(f"{self.where}: kept examples", list(kept), [])
            return
        is_size = type(size) is int and 0 < size <= blocks.n
        if not audit.check(f"{self.where}: pool size", is_size, f"{size!r} of {blocks.n} examples"):
            return
        is_whole = code["scheme"] in ("pool", "plain", "constant")
        pool = set(blocks.rows(size).tolist() if is_whole else blocks.names(size))
        holds = set(kept) == pool if is_whole else set(kept) <= pool
        detail = "is not what the data's digest (or the seed) draws"
        audit.check(f"{self.where}: pool", holds, detail)
        if code["scheme"] == "constant":
            majority = "conjunction" if self.y[list(kept)].sum() > 0 else "disjunction"
            audit.equal(f"{self.where}: constant", code["kind"], majority)
        wanted = self.settings["candidates"]
        if wanted not in MIXTURES:
            least = blocks.n if wanted is None else min(wanted, blocks.n)
            audit.equal(f"{self.where}: pool size", size, least)

    def _check_plain(self) -> None:
        """The only rule is the regression of the pool, fitted again."""
        audit, where, X = self.audit, self.where, self.X
        pool = self.blocks.rows(self.code["pool_size"])
        kinds = [cover.kind for cover in self.part.covers]
        if not audit.equal(f"{where}: types", kinds, ["linear"]):
            return
        (cover,) = self.part.covers
        audit.equal(f"{where}: kind of the value", cover.value["kind"], "sum")
        audit.equal(f"{where}: side", cover.op, "<" if self.code["kind"] == "conjunction" else ">")
        audit.equal(f"{where}: tolerance", cover.tol, 0.0)
        audit.equal(f"{where}: examples", list(cover.examples), [])
        found = plain_regression(X[pool], self.y[pool])
        if not audit.check(f"{where}: regression", found is not None, "the pool has none"):
            return
        assert found is not None
        weights, cut = found[0].tolist(), found[1]
        check_linear(audit, where, (cover.value["weights"], cover.cut), (weights, cut), X)
        again = cover._replace(value={**cover.value, "weights": weights}, cut=cut)
        audit.check(f"{where}: rows", same_rows(cover, again, X), OTHER_ROWS)

    def _check_pool(self) -> Any:
        """The rules among the candidates of the pool, and what their ranks cost."""
        audit, where, settings = self.audit, self.where, self.settings
        drawn = self.blocks.rows(self.code["pool_size"])
        index = pool_index(self.code, settings, self.blocks.n)
        if not audit.check(f"{where}: pool size", index is not None, str(self.code["pool_size"])):
            return float("nan")
        assert index is not None
        known = pool_codes(settings, self.blocks.n)[index]._replace(size=len(drawn))
        pool, lines = make_lines(self.X, self.y, drawn, known, self.is_word)
        sign = 1 if self.code["kind"] == "conjunction" else -1
        signs = np.where(self.y[pool] == sign, -1, 1)
        with_missing = sign > 0 and settings["kinds"] != ["list"]
        try:
            prices, places = rank_prices(self.part.covers, lines, signs, with_missing)
        except LookupError as error:
            audit.check(f"{where}: rules on the pool", False, str(error))
            return float("nan")
        audit.check(f"{where}: rules on the pool", True)
        for i, (cover, (t, j)) in enumerate(zip(self.part.covers, places, strict=True), 1):
            self._check_candidate(f"{where}, rule {i}", cover, lines[t], j, pool)
        return sum(prices)

    def _check_candidate(self, name: str, cover: Cover, line: CutLine, j: int, pool: Ints) -> None:
        """A rule against the candidate that it is."""
        audit, X, again = self.audit, self.X, line.cover(j, cover.op)
        holds = is_made_of(cover, line, again.cut, pool, X)
        audit.check(f"{name}: examples", holds, "are not those that it is made of")
        audit.check(f"{name}: rows", same_rows(cover, again, X), OTHER_ROWS)
        if cover.kind == "linear":
            wanted = (line.value["weights"], again.cut)
            check_linear(audit, name, (cover.value["weights"], cover.cut), wanted, X)
            return
        values, own = value_of(cover.value, X), value_of(line.value, X)
        gap = np.nanmax(np.abs(values - own), initial=0.0)
        size = np.nanmax(np.abs(own), initial=0.0)
        audit.check(f"{name}: values", gap <= 1e-8 * max(size, 1e-300))

    def _check_counts(self) -> None:
        kept = self.code["kept"]
        outside = np.ones(len(self.y), dtype=bool)
        outside[self.blocks.whole(kept) if self.blocks.is_grouped else list(kept)] = False
        wrong = self.said != self.y
        counts = {
            "n_false_positives": wrong & outside & (self.y == -1),
            "n_false_negatives": wrong & outside & (self.y == 1),
            "n_training_errors": wrong,
        }
        for name, where in counts.items():
            said = name.removeprefix("n_").replace("_", " ")
            self.audit.equal(f"{self.where}: {said}", self.code[name], int(where.sum()))


# -- the whole machine -------------------------------------------------------------------------


def check_cover(audit: Audit, document: Document, sheet: Sheet, given: Given, E: Floats) -> None:
    """A machine made of rules, on encoded rows ``E``: its rules, its codes, its certificate."""
    training, names = document["training"], ("rule set", "SetCoveringMachine")
    if training["kinds"] == ["list"]:
        names = ("rule list", "DecisionListMachine")
    audit.equal("form", document["fitted"]["form"], names[0])
    audit.equal("estimator", document["provenance"]["estimator"], names[1])
    if not check_settings(audit, training):
        return
    holds = not (sheet.blocks.is_grouped and training["costs"])
    audit.check("costs", holds, "must be null for groups")
    wide = _wide_words(audit, document, given)
    rows = kept_rows(audit, document, sheet.digests, sheet.blocks)
    if wide is None or rows is None:
        return
    audit.trust(_TRUST_DRAW)
    audit.trust(_TRUST_SETTINGS)
    X, known = wide[0][sheet.rows], wide[1]
    reader = CoverReader(audit, asked_of(document), known, rows, X)
    checks = _code_checks(document, sheet, reader, E)
    if checks is None:
        return
    prices = _prices_by_class(checks, document["fitted"]["classes"])
    named = {i for check in checks for i in check.named}
    audit.equal("compression set", sorted(rows), sorted(named))
    if check_record(audit, document["certificate"]):
        codes = [check.code for check in checks]
        check_claim(audit, document, _claim(document, sheet, codes, prices, E))


def _prices_by_class(checks: list[CodeCheck], classes: list[str]) -> Prices:
    """The prices of all codes; each names its class if there are several."""
    prices: Prices = []
    for k, check in enumerate(checks):
        name = "" if len(checks) == 1 else f" (class {classes[k]})"
        prices += [price._replace(text=f"{price.text}{name}") for price in check.prices()]
    return prices


def _code_checks(
    document: Document, sheet: Sheet, reader: CoverReader, E: Floats
) -> list[CodeCheck] | None:
    """One check for two classes, else one a class against the rest."""
    audit, training, machine = reader.audit, document["training"], document["fitted"]["machine"]
    classes = list(document["fitted"]["classes"])
    n_parts = 1 if len(classes) == 2 else len(classes)
    members = machine["members"] if machine["machine"] == "one against the rest" else [machine]
    is_complete = len(members) == len(training["codes"]) == n_parts
    if not audit.check("machines", is_complete, f"must be {n_parts}, each with its code"):
        return None
    checks = []
    for k, (member, stored) in enumerate(zip(members, training["codes"], strict=True)):
        where = f"machine {k + 1}"
        if not audit.fields(f"{where}, code", stored, _CODE_FIELDS):
            return None
        code = code_with_kept(audit, stored, reader.rows, sheet.blocks)
        part = reader.part(member, code, training["kinds"] == ["list"])
        positive = classes[1 if n_parts == 1 else k]
        y = np.array([1 if label == positive else -1 for label in sheet.labels])
        said, is_word = (
            2 * labels_of(member, E) - 1,
            np.array([w is not None for w in reader.known]),
        )
        args = (where, training, code, part, reader.X, y, said, sheet.blocks, is_word)
        checks.append(CodeCheck(audit, *args))
    return checks


def _wide_words(
    audit: Audit, document: Document, given: Given
) -> tuple[Floats, list[list[str] | None]] | None:
    """All features of the data as numbers, and all words of the columns that hold words."""
    at, words = offered_places(document, given.X), document["data"]["words"]
    are_places = all(type(j) is int and 0 <= j < len(at) for j in words)
    if not audit.check("columns of words", are_places, "are not among the features"):
        return None

    def make() -> tuple[Floats, list[list[str] | None]]:
        known = [words_of(column_at(given.X, j)) if k in words else None for k, j in enumerate(at)]
        return wide_rows(given.X, at, known), known

    found: tuple[Floats, list[list[str] | None]] = given.once(("wide", (*at, *words)), make)
    return found


def _claim(
    document: Document,
    sheet: Sheet,
    codes: Sequence[Document],
    prices: Prices,
    E: Floats,
) -> Claim:
    """What the certificate of rules must say of the errors outside what they are made of."""
    settings, certificate, fitted = (
        document["training"],
        document["certificate"],
        document["fitted"],
    )
    truth = np.array([list(fitted["classes"]).index(label) for label in sheet.labels])
    is_wrong = labels_of(fitted["machine"], E) != truth
    kept = {i for code in codes for i in code["kept"]}
    if sheet.blocks.is_grouped:
        return _group_claim(document, sheet.blocks, codes, prices, kept, is_wrong)
    outside = np.ones(len(truth), dtype=bool)
    outside[sorted(kept)] = False
    costs = settings["costs"]
    paid = [*prices, confidence(certificate["delta"])]
    paid += [Price("rates", "two rates at once, ln 2", log(2))] if costs else []
    return Claim(
        "cost" if costs else "compression",
        "cost" if costs else "tail",
        paid,
        _assumptions(codes, len(truth), document["data"]["seed"]),
        LANGFORD,
        n_samples=len(truth),
        n_errors=int((is_wrong & outside).sum()),
        n_compressed=len(kept),
        n_counted=int(outside.sum()),
        quantity="cost" if costs else "misclassified",
        notes=_notes(codes),
        rates=_rates(truth, is_wrong, outside, costs) if len(codes) == 1 else (),
        costs=costs or None,
    )


def _rates(truth: Ints, is_wrong: Mask, outside: Mask, costs: Any) -> tuple[Rate, ...]:
    """Errors by class among all counted cases; without costs also among those of the class."""
    n = int(outside.sum())
    names = {"false_positive": ("negative", 0), "false_negative": ("positive", 1)}
    whole, given = [], []
    for name, (of, k) in names.items():
        own = outside & (truth == k)
        n_wrong = int((is_wrong & own).sum())
        whole.append(Rate(name, n_wrong, n))
        given.append(Rate(f"{name}_given_{of}", n_wrong, int(own.sum())))
    return tuple(whole if costs else whole + given)


def _assumptions(codes: Sequence[Document], n: int, seed: int | None) -> tuple[Key, ...]:
    is_drawn = any(code["pool_size"] != n for code in codes)
    drawn: tuple[Key, ...] = ("blind-pool", drawn_by(seed)) if is_drawn else ()
    return ("iid", "preprocessing", "named-blindly", *drawn)


def _notes(codes: Sequence[Document]) -> tuple[str, ...]:
    is_pool = len(codes) == 1 and codes[0]["scheme"] in ("pool", "plain")
    return (*((_POOL_NOTE,) if is_pool else ()), _CLASSES_NOTE)


def _group_claim(
    document: Document,
    blocks: Blocks,
    codes: Sequence[Document],
    prices: Prices,
    kept: set[int],
    is_wrong: Mask,
) -> Claim:
    """Mean errors of groups, or one drawn row of each; ``kept`` are rows of groups not counted."""
    certificate, loss = document["certificate"], document["training"]["group_loss"]
    held = [rows for rows in blocks.rows_of if kept & set(rows)]
    counted = [rows for rows in blocks.rows_of if not kept & set(rows)]
    # What the kept groups look like is known to the code, so that its price may depend on it.
    is_single = bool(held) and all(len(rows) == 1 for rows in held)
    is_binomial = loss == "any" or is_single or not counted
    paid = [*prices, *([] if is_binomial else [_BOTH]), confidence(certificate["delta"])]
    is_drawn = any(code["pool_size"] != blocks.n for code in codes)
    drawn: tuple[Key, ...] = ("blind-pool",) if is_drawn else ()
    drawn = ("groups", *drawn, drawn_by(document["data"]["seed"]))
    first, notes = ("iid-groups", "preprocessing", "named-blindly"), _notes(codes)
    if is_binomial or certificate["bound"] != "betting":
        return Claim(
            *("compression", "tail", paid, (*first, *drawn), LANGFORD),
            n_samples=blocks.n,
            n_errors=group_errors(is_wrong, counted, loss),
            n_compressed=len(held),
            n_counted=len(counted),
            quantity=GROUP_QUANTITIES[loss],
            notes=notes,
        )
    return Claim(
        *("betting", "betting", paid, (*first, "ordered", *drawn), BETTING_REFERENCE),
        n_samples=len(counted),
        quantity=GROUP_QUANTITIES[loss],
        notes=("Method: betting.", *notes),
        losses=group_losses(is_wrong, counted),
        before=group_losses(is_wrong, held),
    )

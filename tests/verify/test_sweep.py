"""Forgeries of every kind of model file: single edits, edits of two fields, nudges of numbers.

A forgery is a parsed document under a hash that fits; its table is prepared once, its training done
once. A forgery passes for the truth if the verdict is VALID although the file now claims something
else. What may be VALID: an edit of a field that is stated and not checked, an edit that no reader
of files accepts, and an edit that changes no claim (rounding of a number that moves no label).

``pytest -m thorough -s tests/verify/test_sweep.py`` tries them all and prints the numbers.
"""

from __future__ import annotations

import copy
import json
import random
from collections import Counter
from typing import Any

import numpy as np
import pytest

from handful.verify import content_hash
from tests.verify.forging import numbers_of, put, restated
from tests.verify.sweeping import Kind, form_names, make, model_names
from tests.verify.test_forgeries import forgeries, is_proven_norm

ROUNDING = 1e-8  # relative: what an honest file may differ by on another processor
#: Fields that nothing can be checked against; the verdict shows them as stated, not checked.
STATED = {
    ("provenance", "versions"): "the versions that wrote the file",
    ("data", "file"): "the name of a file",
}
#: Options: said beforehand, so that their values are trusted, and no claim of their own. They are
#: forged like all other fields: what they do is derived again.
OPTIONS = {
    ("training", "candidates"): "which forms stood on the menu; ranks, prices and the classifier "
    "are derived again",
    ("training", "tolerance"): "the row that it chooses is derived again",
    ("data", "reading"): "cells, labels, pool and the case are derived again",
}
#: Forms whose options are forged, too: each of them is trained again.
TRAINED_AGAIN = ("form: one rule", "form: groups mean")
#: Of a machine that was given a clean table these are stated alone, too.
STATED_NAMES = {("data", "target"), ("data", "groups"), ("provenance", "notes")}
#: Edits that leave a true statement: such a file could have been written by an honest run.
TRUE = {
    ("training", "is_default"): "the row is the one that the tolerance chooses, and now says so",
    ("training", "goal", 1): "the same row and threshold reach the other goal, trained again",
    ("training", "band"): "without its band a file claims less",
    ("training", "protocol"): "without its protocol a file claims less",
}
PER_PLACE, N_PAIRS, N_QUICK = 1, 100, 40
STEPS = (1e-9, 1e-7, 1e-5)


def is_stated(path: tuple[Any, ...], document: Any) -> bool:
    """Whether a field is on the list of those that are not checked."""
    is_clean = document["data"]["reading"] is None
    return path[:2] in STATED or (is_clean and path[:2] in STATED_NAMES)


def _is_option(path: tuple[Any, ...], document: Any) -> bool:
    """Whether a field is an option of a menu."""
    return document["training"]["kind"] == "menu" and path[:2] in OPTIONS


def _template(path: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple("*" if isinstance(key, int) else key for key in path)


def _few(pairs: list[Any], per_place: int) -> list[Any]:
    """Of places that differ in their numbers in lists alone, the first and the last few."""
    by_template: dict[Any, dict[Any, list[Any]]] = {}
    for path, value in pairs:
        by_template.setdefault(_template(path), {}).setdefault(path, []).append((path, value))
    out = []
    for places in by_template.values():
        paths = list(places)
        chosen = {*paths[:per_place], paths[-1]}
        out += [pair for path in paths if path in chosen for pair in places[path]]
    return out


def singles(kind: Kind, name: str) -> list[Any]:
    """One field, another value."""
    pairs = [
        pair
        for pair in forgeries(kind.document)
        if not is_stated(pair[0], kind.document)
        and (not _is_option(pair[0], kind.document) or name in TRAINED_AGAIN)
    ]
    return [[pair] for pair in _few(pairs, PER_PLACE)]


def pairs(kind: Kind, seed: str) -> list[Any]:
    """Two fields at once: numbers of the certificate with any other field, and any two fields."""
    every = [pair for (pair,) in singles(kind, seed) if not _is_option(pair[0], kind.document)]
    told = [p for p in every if p[0][0] in ("certificate", "training") and len(p[0]) > 1]
    draw = random.Random(seed)
    out = []
    while len(out) < N_PAIRS:
        one = draw.choice(told if told and len(out) % 2 else every)
        other = draw.choice(every)
        n = min(len(one[0]), len(other[0]))
        if one[0][:n] != other[0][:n]:
            out.append([one, other])
    return out


def blinded(kind: Kind, name: str) -> list[Any]:
    """Any field beside a risk that is far too small: is there one that stops the re-check?"""
    pretty = (("certificate", "risk"), 0.001)
    singles_ = (pair for (pair,) in singles(kind, name))
    return [[pair, pretty] for pair in singles_ if pair[0] not in (("certificate",), pretty[0])]


def nudges(kind: Kind) -> list[Any]:
    """Every number by little, and to the values of the table beside it."""
    found = [
        (p, v)
        for p, v in numbers_of(kind.document)
        if not is_stated(p, kind.document) and not _is_option(p, kind.document)
    ]
    out = []
    for path, value in _few(found, PER_PLACE):
        others = [value * (1 + sign * step) for step in STEPS for sign in (1, -1)]
        at = int(np.searchsorted(kind.values, value))
        others += kind.values[max(at - 1, 0) : at + 2].tolist()
        out += [[(path, other)] for other in others if other != value]
    return out


def careful(kind: Kind) -> list[Any]:
    """Numbers of a form moved, and all counts and limits made to fit what it then does."""
    if kind.truth is None:
        return []
    out = []
    for edits in nudges(kind):
        if edits[0][0][:2] != ("fitted", "machine"):
            continue
        model = kind.loaded(forged(kind.document, edits))
        if model is None:
            continue
        labels, held_back = kind.truth
        wrong = model.predict(kind.table) != np.asarray(labels, dtype=object)
        told = restated(copy.deepcopy(kind.document), wrong, labels, held_back)["certificate"]
        out.append([*edits, (("certificate",), told)])
    return out


FAMILIES = {
    "single": singles,
    "pair": pairs,
    "blinded": blinded,
    "nudge": lambda kind, name: nudges(kind),
    "careful": lambda kind, name: careful(kind),
}


def forged(document: Any, edits: Any) -> Any:
    """The document with some values put in, under a hash that fits."""
    out = document
    for path, value in edits:
        out = put(out, path, value)
    out = {k: v for k, v in out.items() if k != "content_sha256"}
    return {**out, "content_sha256": content_hash(json.dumps(out))}


def _same_numbers(a: Any, b: Any) -> bool:
    """Equal but for the rounding of floats."""
    if isinstance(a, float) and isinstance(b, float):
        return abs(a - b) <= ROUNDING * max(abs(a), abs(b), 1e-300)
    if type(a) is not type(b):
        return False
    if isinstance(a, dict):
        return list(a) == list(b) and all(_same_numbers(a[k], b[k]) for k in a)
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(_same_numbers, a, b))
    return bool(a == b)


def _told(model: Any, kind: Kind) -> Any:
    """What a user is told and gets: certificate, conditions, labels of all rows."""
    certificate = model.certificate and model.certificate.to_dict()
    labels, document = model.predict(kind.table).tolist(), model.to_document([])
    names = [model.fitted.classes, model.needs, model.kept, model.fitted.form]
    if document["training"]["kind"] != "menu":  # settings are said, and what they do is derived
        return list(map(str, labels)), certificate, names
    hidden = {*STATED, *OPTIONS}
    more = [
        (part, name, value)
        for part in ("training", "data", "provenance")
        for name, value in document[part].items()
        if (part, name) not in hidden
    ]
    return labels, certificate, names, more


def outcome(kind: Kind, edits: Any, honest: Any) -> str:
    """What becomes of a forgery; "false" is what must not be."""
    document = forged(kind.document, edits)
    status = kind.check(document).status
    if status == "NOT VALID":
        return "refused"
    if document["certificate"] is None or status != "VALID":
        return "not vouched for"
    model = kind.loaded(document)
    if model is None:
        return "not loaded"
    with np.errstate(all="ignore"):
        told = _told(model, kind)
    if _same_numbers(_plain(told), honest):
        return "same claim"
    return "true statement" if all(_is_true(path, document) for path, _ in edits) else "false"


def _is_true(path: tuple[Any, ...], document: Any) -> bool:
    """Whether a forgery that is called VALID says another true thing."""
    return path in TRUE or is_proven_norm(path, document)


def _plain(told: Any) -> Any:
    return json.loads(json.dumps(told, default=str))


def run(kind: Kind, every: list[Any]) -> tuple[Counter[str], list[Any]]:
    """How many forgeries end in which way, and those that pass for the truth."""
    honest = _plain(_told(kind.loaded(kind.document), kind))
    tally: Counter[str] = Counter()
    missed = []
    for edits in every:
        found = outcome(kind, edits, honest)
        tally[found] += 1
        if found == "false":
            missed.append(edits)
    return tally, missed


NAMES = [*form_names(), *model_names()]


@pytest.mark.thorough
@pytest.mark.parametrize("name", NAMES)
def test_no_forgery_passes(name, tmp_path):
    kind = make(name, tmp_path)
    assert kind.check(kind.document).status != "NOT VALID"
    missed = []
    for family, make_edits in FAMILIES.items():
        every = make_edits(kind, name)
        tally, false = run(kind, every)
        print(f"{name} | {family} | {len(every)} | {dict(tally)}", flush=True)
        missed += false
    assert not missed, (len(missed), missed[:10])


@pytest.fixture(scope="module", params=["form: score card", "form: linear", "cover: stumps"])
def few(request, tmp_path_factory):
    """Some kinds of files, which stand for all in the usual run."""
    return request.param, make(request.param, tmp_path_factory.mktemp("few"))


@pytest.mark.parametrize("family", FAMILIES)
def test_a_few_forgeries_of_some_kinds(family, few):
    name, kind = few
    every = FAMILIES[family](kind, name)
    chosen = random.Random(name).sample(every, min(N_QUICK, len(every)))
    tally, missed = run(kind, chosen)
    assert not missed, missed
    assert tally["refused"] >= len(chosen) // 3

"""A model file taken apart: its classifier over all features that were offered, class by class.

A file holds a classifier over the columns that it reads. What it was learned from, and what its
code is priced by, are all columns. Here weights, features and words are put in their places, and
conditions are said as the rules that covered rows.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from handful.verify._audit import Audit, is_close, is_number
from handful.verify._draws import name_digest
from handful.verify._geometry import RELATIVE

Document = Mapping[str, Any]

SCORES = ("constant", "linear", "votes", "kernels", "nonconformity")  # what is derived again
_MOST_FEATURES = 100_000  # before a list of so many is made
_PLACE = re.compile(r"x(0|[1-9][0-9]{0,6})")  # a column without a name
_SIDES = {"<": "below", ">": "above", "=": "equal", "≠": "unequal"}
_OPPOSITE_SIDES = {">=": "below", "<=": "above", "≠": "equal", "=": "unequal"}


class Feature(NamedTuple):
    """An encoded feature: its column among all features, and the word that it asks for."""

    place: int
    word: str | None


def places_of(document: Document) -> list[int]:
    """Positions of the columns of a file among the features that were offered."""
    data = document["data"]
    width, known = data["n_features"], data["features"]
    if type(width) is not int or not 0 < width <= _MOST_FEATURES:
        raise ValueError(f"the number of features is {width!r}")
    names = [column["name"] for column in document["fitted"]["columns"]["columns"]]
    if known is None:
        found = [_PLACE.fullmatch(name) for name in names]
        places = [int(match[1]) if match else width for match in found]
    else:
        places = [known.index(name_digest(name)) for name in names]
    if any(place >= width for place in places) or len(set(places)) < len(places):
        raise ValueError("the columns are not among the features")
    return places


def _features(document: Document, places: Sequence[int]) -> list[Feature]:
    """What each encoded feature asks; only rules ask for words."""
    out = []
    for place, column in zip(places, document["fitted"]["columns"]["columns"], strict=True):
        words = column["words"]
        if column["has_missing"] is not False:
            raise ValueError("a flag for missing values, which these machines do not have")
        if words is None:
            out.append(Feature(place, None))
            continue
        if document["training"]["kind"] != "rules" or len({w.casefold() for w in words}) < len(
            words
        ):
            raise ValueError("words that only rules ask for, or the same word twice")
        out += [Feature(place, word) for word in words]
    return out


def is_plain(document: Document) -> bool:
    """Whether nothing here trains the classifier again: its form is evaluated as it is."""
    kind = document["training"]["kind"]
    is_score = document["fitted"]["machine"]["machine"] in SCORES
    return bool(kind == "menu" or (kind == "machine" and not is_score))


def unfolded(audit: Audit, document: Document) -> dict[str, Any]:
    """The parts of a file by the columns that were offered; see the module."""
    training, data, fitted = document["training"], document["data"], document["fitted"]
    places, width = places_of(document), data["n_features"]
    columns = fitted["columns"]["columns"]
    names: list[str | None] = [None] * width
    words: list[list[str] | None] = [None] * width
    cells: list[Any] = [None] * width
    for place, column in zip(places, columns, strict=True):
        names[place], words[place], cells[place] = column["name"], column["words"], column
    settings = {name: value for name, value in training.items() if name not in ("kind", "codes")}
    is_cover = training["kind"] == "rules"
    out = {
        "classes": fitted["classes"],
        "n_features": width,
        "feature_names": None if data["features"] is None else names,
        "categories": words if data["words"] else None,
        "reading": {
            "options": data["reading"],
            "n_rows": data["n_set_aside"],
            "columns": cells,
        },
        "codes": training["codes"] if is_cover else None,
        "settings": settings,
        "compression_set": document["kept"],
        "certificate": document["certificate"],
        "provenance": {
            "estimator": document["provenance"]["estimator"],
            "random_state": data["seed"],
            "data": data,
        },
    }
    form = fitted["machine"]["machine"]
    if is_cover:
        form = "rule list" if training["kinds"] == ["list"] else "rule set"
    if training["kind"] != "menu":
        audit.equal("form", fitted["form"], form)
    if is_plain(document):
        return out
    features = _features(document, places)
    if is_cover:
        out["machines"] = _covers(audit, fitted["machine"], training, features, out)
    else:
        out["form"] = widened(fitted["machine"], [f.place for f in features], width)
    return out


# -- scores over all features ------------------------------------------------------------------


def _spread(values: Sequence[Any], places: Sequence[int], width: int) -> list[Any]:
    """Numbers of some features as numbers of all; zero where there is none."""
    if len(values) != len(places):
        raise ValueError(f"{len(values)} numbers for {len(places)} columns")
    out: list[Any] = [0.0] * width
    for place, value in zip(places, values, strict=True):
        out[place] = value
    return out


def widened(machine: Document, places: Sequence[int], width: int) -> dict[str, Any]:
    """A score over the columns of a file as one over all features."""
    kind = machine["machine"]
    if kind == "linear":
        return {**machine, "weights": [_spread(row, places, width) for row in machine["weights"]]}
    if kind == "votes":
        votes = [
            {**vote, "features": [places[j] for j in vote["features"]]} for vote in machine["votes"]
        ]
        return {**machine, "votes": votes}
    if kind == "kernels":
        parts = [_wide_part(part, places, width) for part in machine["parts"]]
        return {**machine, "parts": parts}
    if kind == "nonconformity":
        scorers = [widened(scorer, places, width) for scorer in machine["scorers"]]
        return {**machine, "scorers": scorers}
    return dict(machine)


def _wide_part(part: Document, places: Sequence[int], width: int) -> dict[str, Any]:
    """A kernel of all columns must have them all, in their order."""
    if part["columns"] is not None:
        return {**part, "columns": [places[j] for j in part["columns"]]}
    if part["centers"] and list(places) != list(range(width)):
        raise ValueError("a kernel of all columns, of which some are left out")
    return dict(part)


# -- rules over all features -------------------------------------------------------------------


def _covers(
    audit: Audit, machine: Document, training: Document, features: Sequence[Feature], out: Document
) -> list[dict[str, Any]]:
    """The rules that covered rows, one set or list a class."""
    members = [machine]
    if machine["machine"] == "one against the rest":
        members = machine["members"]
    is_list = training["kinds"] == ["list"]
    wanted = "rule list" if is_list else "rule set"
    made = []
    for member, code in zip(members, training["codes"], strict=True):
        audit.equal("form of the rules", member["machine"], wanted)
        audit.equal("classes of the rules", member["n_classes"], 2)
        make = _list if is_list else _set
        made.append(make(audit, member, code["kind"], features, out))
    return made


def _list(
    audit: Audit, member: Document, kind: str, features: Sequence[Feature], out: Document
) -> dict[str, Any]:
    rules = []
    for rule in member["rules"]:
        (condition,) = rule["conditions"]
        rules.append(_rule(audit, condition, _SIDES, features, out))
    outputs = [_sign(rule["label"]) for rule in member["rules"]]
    default = _sign(member["default"])
    return {"kind": "list", "rules": rules, "outputs": outputs, "default": default}


def _sign(label: Any) -> int:
    if type(label) is not int or label not in (0, 1):
        raise ValueError(f"a rule for the class {label!r} of two")
    return 2 * label - 1


def _set(
    audit: Audit, member: Document, kind: str, features: Sequence[Feature], out: Document
) -> dict[str, Any]:
    """A conjunction is one rule that asks for the opposites; a disjunction one rule a cover."""
    conditions = [rule["conditions"] for rule in member["rules"]]
    labels = [_sign(rule["label"]) for rule in member["rules"]]
    is_constant = not conditions and kind == "conjunction"
    audit.equal("labels of the rules", labels, [1] * len(conditions))
    audit.equal("label of other cases", _sign(member["default"]), 1 if is_constant else -1)
    if kind == "conjunction" and conditions:
        (asked,) = conditions
        sides = _OPPOSITE_SIDES
    else:
        asked, sides = [own for (own,) in conditions], _SIDES
    rules = [_rule(audit, condition, sides, features, out) for condition in asked]
    return {"kind": kind, "rules": rules}


def _rule(
    audit: Audit,
    condition: Document,
    sides: Mapping[str, str],
    features: Sequence[Feature],
    out: Document,
) -> dict[str, Any]:
    """A condition as the rule that covers the rows on one side of a cut."""
    value, cut, tol = condition["value"], condition["cut"], condition["tol"]
    if condition["op"] not in sides or not (is_number(cut) and is_number(tol) and tol >= 0.0):
        raise ValueError(f"a condition {condition['op']!r} {cut!r} within {tol!r}")
    side, kind = sides[condition["op"]], value["kind"]
    rule: dict[str, Any] = {"side": side, "indices": list(condition["examples"])}
    if kind == "feature":
        audit.equal("tolerance of a feature", tol, 0.0)
        return {**rule, "type": "stump", **_stump(audit, value, cut, side, features, out)}
    if side not in ("below", "above"):
        raise ValueError("only words are compared by equality")
    places, width = [feature.place for feature in features], out["n_features"]
    if value.get("fill") is not None:
        raise ValueError("a rule that was found in complete rows fills none")
    if kind == "sum":
        weights = _spread(value["weights"], places, width)
        return {**rule, "type": "linear", "weights": weights, "threshold": cut, "tol": tol}
    if places != list(range(width)):
        raise ValueError("a distance or kernel of all columns, of which some are left out")
    if kind == "distance":
        holds = is_close(tol, RELATIVE * cut, RELATIVE * abs(cut))
        audit.check("tolerance of a ball", holds, f"the file says {tol!r}")
        shape = {name: value[name] for name in ("center", "metric", "scale", "kernel")}
        return {**rule, "type": "ball", **shape, "radius": cut, "tol": tol}
    if kind != "kernel difference":
        raise ValueError(f"a condition on a value of the kind {kind!r}")
    pair = {name: value[name] for name in ("a", "b", "kernel")}
    return {**rule, "type": "pair", **pair, "threshold": cut, "tol": tol}


def _stump(
    audit: Audit,
    value: Document,
    cut: float,
    side: str,
    features: Sequence[Feature],
    out: Document,
) -> dict[str, Any]:
    """A number against a cut, or whether a word is the one that a flag asks for."""
    if type(value["feature"]) is not int or value["feature"] < 0:
        raise ValueError(f"there is no feature {value['feature']!r}")
    place, word = features[value["feature"]]
    if word is None:
        audit.check("side of a number", side in ("below", "above"), side)
        return {"feature": place, "threshold": cut}
    audit.check("side of a word", side in ("equal", "unequal"), side)
    audit.equal("flag of a word", cut, 1.0)
    return {"feature": place, "threshold": float(out["categories"][place].index(word))}

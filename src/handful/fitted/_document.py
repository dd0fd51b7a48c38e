"""Machines as plain documents, and back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from handful.fitted._additive import Additive, Curve
from handful.fitted._card import Card, Item
from handful.fitted._conditions import Cut, condition_from_document, condition_to_document
from handful.fitted._kernel import KernelExpansion
from handful.fitted._linear import LinearScore
from handful.fitted._machine import Machine, as_floats
from handful.fitted._opaque import Opaque
from handful.fitted._simple import Constant, OrderedRules, Rule, Vote
from handful.fitted._thresholded import Thresholded


def machine_to_document(machine: Machine, estimators: list[Any] | None = None) -> dict[str, Any]:
    """Plain data (JSON-ready) from which `machine_from_document` rebuilds an equal machine.

    Estimators of other libraries are no data: they are appended to ``estimators``, where one is
    given, and the document names their places in it.

    Examples
    --------
    >>> document = machine_to_document(Constant(1))
    >>> document
    {'machine': 'constant', 'label': 1, 'n_classes': 2}
    >>> machine_from_document(document) == Constant(1)
    True
    """
    if estimators is not None and isinstance(machine, Opaque):
        estimators.append(machine.estimator)
        fields = {"takes": machine.takes, "n_classes": machine.n_classes}
        place = len(estimators) - 1
        return {"machine": FOREIGN, "place": place, **fields, "fill": list(machine.fill)}
    if isinstance(machine, Vote):
        members = [machine_to_document(member, estimators) for member in machine.members]
        return {"machine": "vote", "members": members, "n_classes": machine.n_classes}
    if isinstance(machine, Thresholded):
        base = machine_to_document(machine.base, estimators)
        return {"machine": "thresholded", "base": base, "threshold": machine.threshold}
    for name, (kind, write, _) in FORMS.items():
        if isinstance(machine, kind):
            return {"machine": name, **write(machine)}
    raise TypeError(
        f"{type(machine).__name__} has no document: it is not made of plain data. "
        "Save the estimator itself, beside the digest that its certificate names."
    )


def is_plain(machine: Machine) -> bool:
    """Whether a machine has a document."""
    if isinstance(machine, Vote):
        return all(is_plain(member) for member in machine.members)
    if isinstance(machine, Thresholded):
        return is_plain(machine.base)
    return any(isinstance(machine, kind) for kind, _, _ in FORMS.values())


def machine_from_document(document: Mapping[str, Any], estimators: Sequence[Any] = ()) -> Any:
    """Rebuild what `machine_to_document` gave, with the same ``estimators``."""
    name = document.get("machine")
    if name == FOREIGN:
        fill = as_floats(document["fill"])
        estimator = estimators[int(document["place"])]
        return Opaque(estimator, str(document["takes"]), int(document["n_classes"]), fill)
    if name == "vote":
        members = tuple(machine_from_document(v, estimators) for v in document["members"])
        return Vote(members, int(document["n_classes"]))
    if name == "thresholded":
        base = machine_from_document(document["base"], estimators)
        return Thresholded(base, float(document["threshold"]))
    if name not in FORMS:
        known = sorted([*FORMS, "vote", "thresholded", FOREIGN])
        raise ValueError(f"`machine` must be one of {known}, got {name!r}.")
    return FORMS[name][2](document)


def _constant(d: Mapping[str, Any]) -> Constant:
    return Constant(int(d["label"]), int(d["n_classes"]))


def _write_rules(m: OrderedRules) -> dict[str, Any]:
    rules = [
        {"label": r.label, "conditions": [condition_to_document(c) for c in r.conditions]}
        for r in m.rules
    ]
    return {"rules": rules, "default": m.default, "n_classes": m.n_classes}


def _rules(d: Mapping[str, Any]) -> OrderedRules:
    rules = tuple(
        Rule(tuple(condition_from_document(c) for c in r["conditions"]), int(r["label"]))
        for r in d["rules"]
    )
    return OrderedRules(rules, int(d["default"]), int(d["n_classes"]))


def _write_card(m: Card) -> dict[str, Any]:
    items = [{"points": i.points, **condition_to_document(i.condition)} for i in m.items]
    return {"items": items, "threshold": m.threshold, "scale": m.scale, "offset": m.offset}


def _card(d: Mapping[str, Any]) -> Card:
    items = []
    for item in d["items"]:
        condition = condition_from_document(item)
        if not isinstance(condition, Cut):
            raise ValueError("`items` of a score card must be cuts of single features.")
        items.append(Item(condition, int(item["points"])))
    return Card(tuple(items), int(d["threshold"]), float(d["scale"]), float(d["offset"]))


def _write_linear(m: LinearScore) -> dict[str, Any]:
    weights = [list(row) for row in m.weights]
    fields = {"intercepts": list(m.intercepts), "fill": list(m.fill), "spread": list(m.spread)}
    return {"weights": weights, **fields}


def _linear(d: Mapping[str, Any]) -> LinearScore:
    names = ("weights", "intercepts", "fill", "spread")
    return LinearScore(*(as_floats(d[name]) for name in names))


def _write_additive(m: Additive) -> dict[str, Any]:
    curves = [
        {
            "feature": c.feature,
            "cuts": list(c.cuts),
            "values": [list(row) for row in c.values],
            "missing": list(c.missing),
        }
        for c in m.curves
    ]
    return {"curves": curves, "intercepts": list(m.intercepts)}


def _additive(d: Mapping[str, Any]) -> Additive:
    curves = tuple(
        Curve(
            int(c["feature"]), as_floats(c["cuts"]), as_floats(c["values"]), as_floats(c["missing"])
        )
        for c in d["curves"]
    )
    return Additive(curves, as_floats(d["intercepts"]))


def _write_kernel(m: KernelExpansion) -> dict[str, Any]:
    return {
        "gamma": m.gamma,
        "centers": [list(row) for row in m.centers],
        "coefficients": [list(row) for row in m.coefficients],
        "intercepts": list(m.intercepts),
        "scale": list(m.scale),
        "fill": list(m.fill),
    }


_KERNEL_ARRAYS = ("centers", "coefficients", "intercepts", "scale", "fill")


def _kernel(d: Mapping[str, Any]) -> KernelExpansion:
    arrays = {name: as_floats(d[name]) for name in _KERNEL_ARRAYS}
    return KernelExpansion(gamma=float(d["gamma"]), **arrays)


FOREIGN = "foreign"  # the name of what is not made of plain data
FORMS: dict[str, tuple[type, Callable[[Any], dict[str, Any]], Callable[[Any], Any]]] = {
    "constant": (Constant, lambda m: {"label": m.label, "n_classes": m.n_classes}, _constant),
    "rules": (OrderedRules, _write_rules, _rules),
    "score card": (Card, _write_card, _card),
    "linear": (LinearScore, _write_linear, _linear),
    "additive": (Additive, _write_additive, _additive),
    "kernel expansion": (KernelExpansion, _write_kernel, _kernel),
}

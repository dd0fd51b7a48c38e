"""Every form by name: how it is learned, whether a person can read it, how simple it is."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import Any

from sklearn.base import is_classifier

from handful.certified import (
    additive_forms,
    card_forms,
    foreign_forms,
    kernel_forms,
    linear_forms,
    rule_forms,
)
from handful.certified.training_pool import Learner, on_first_rows

MANY = 1500  # rows from which forms learn that compare rows with each other


@dataclass(frozen=True)
class NamedForm:
    """A name that may stand in ``candidates``.

    Attributes
    ----------
    name : str
    learn : callable
        From a pool to proposals.
    is_readable : bool
    for_two : bool
        Whether it is for two classes only.
    keeps_directions : bool
        Whether it can be made to rise, or fall, with a column.
    estimator : object or None
        The user's estimator, if it is no form of ours.
    """

    name: str
    learn: Learner
    is_readable: bool = True
    for_two: bool = False
    keeps_directions: bool = False
    estimator: Any = None


FORMS: dict[str, NamedForm] = {
    form.name: form
    for form in (
        NamedForm("constant", rule_forms.constant, keeps_directions=True),
        NamedForm("one rule", rule_forms.one_rule, keeps_directions=True),
        NamedForm("rule set", rule_forms.rule_set, for_two=True, keeps_directions=True),
        NamedForm(
            "rule list", on_first_rows(rule_forms.rule_list, 2 * MANY), keeps_directions=True
        ),
        NamedForm("score card", card_forms.score_card, for_two=True, keeps_directions=True),
        NamedForm("sparse linear", linear_forms.sparse_linear, for_two=True, keeps_directions=True),
        NamedForm("linear", linear_forms.linear, keeps_directions=True),
        NamedForm("additive", additive_forms.additive, keeps_directions=True),
        NamedForm("half-spaces", on_first_rows(rule_forms.half_spaces, MANY), for_two=True),
        NamedForm("balls", on_first_rows(rule_forms.balls, MANY), for_two=True),
        NamedForm("prototypes", on_first_rows(kernel_forms.prototypes, MANY)),
        NamedForm(
            "support vectors", on_first_rows(kernel_forms.support_vectors, MANY), is_readable=False
        ),
        NamedForm("adaboost", foreign_forms.ada_boost, is_readable=False),
        NamedForm("random forest", foreign_forms.random_forest, is_readable=False),
        NamedForm("gradient boosting", foreign_forms.gradient_boosting, is_readable=False),
    )
}
# Simplest first; the default choice goes by this order.
SIMPLICITY = (
    "constant",
    "one rule",
    "rule set",
    "rule list",
    "short score card",
    "score card",
    "other score card",
    "sparse linear",
    "linear",
    "additive",
    "half-spaces",
    "balls",
    "prototypes",
    "support vectors",
    "adaboost",
    "random forest",
    "gradient boosting",
    "vote",
)
CARDS = ("short score card", "score card", "other score card")
# What is believed of a form before the data, in standard errors of the pool's estimate: a
# smaller number puts it further up in the pool's order. Smooth scores and votes hold what
# cross-validation promises more often than single rules do. Chosen on other tables.
BELIEF = {
    "constant": 0.8,
    "one rule": 0.8,
    "rule set": 0.8,
    "rule list": 0.8,
    "short score card": 0.4,
    "score card": 0.4,
    "other score card": 0.8,
    "linear": -0.4,
    "additive": -1.2,
    "half-spaces": 0.8,
    "balls": 0.8,
    "prototypes": -1.2,
    "vote": -2.5,
}
# With more classes each has curves and similarities of its own to learn: fewer numbers hold what
# they promise more often.
BELIEF_OF_MANY = {**BELIEF, "linear": -1.0, "additive": -0.4, "prototypes": 0.0}
READABLE = tuple(name for name, form in FORMS.items() if form.is_readable)


def belief_in(form: str, n_classes: int) -> float:
    """What is believed of a form before the data, in standard errors of the pool's estimate.

    Examples
    --------
    >>> belief_in("linear", 2), belief_in("linear", 3)
    (-0.4, -1.0)
    """
    return (BELIEF if n_classes == 2 else BELIEF_OF_MANY).get(form, 0.0)


def is_readable(form: str) -> bool:
    """Whether a person can read a form of this name; an estimator of another library is not."""
    return form in READABLE or form in CARDS


def simplicity_of(form: str) -> int:
    """Position in the order of forms; foreign ones come last."""
    return SIMPLICITY.index(form) if form in SIMPLICITY else len(SIMPLICITY)


def wanted_forms(candidates: Any, n_classes: int) -> tuple[list[NamedForm], bool]:
    """The forms asked for, and whether a vote of the best is wanted beside them.

    Examples
    --------
    >>> [form.name for form in wanted_forms(["linear", "one rule"], 2)[0]]
    ['linear', 'one rule']
    """
    if isinstance(candidates, str):
        if candidates not in ("readable", "all"):
            candidates = [candidates]
        else:
            names = READABLE if candidates == "readable" else tuple(FORMS)
            forms = [FORMS[name] for name in names]
            fitting = [form for form in forms if n_classes == 2 or not form.for_two]
            return fitting, candidates == "all"
    forms = [_form_of(candidate) for candidate in candidates]
    if not forms or len({form.name for form in forms}) != len(forms):
        given = [form.name for form in forms]
        raise ValueError(f"`candidates` must name one form or more, each once, got {given}.")
    return forms, False


def check_favourite(favourite: Any, candidates: Any) -> None:
    """Refuse a favourite that is not among the candidates.

    Examples
    --------
    >>> check_favourite("linear", ["linear", "one rule"])
    """
    if favourite is None:
        return
    names = [form.name for form in wanted_forms(candidates, 2)[0]]
    if favourite not in names:
        raise ValueError(
            f"`favourite` must be one of the candidates, {', '.join(names)}; got {favourite!r}. "
            "Name it as it stands in `candidates`."
        )


def check_row_name(name: str) -> None:
    """Refuse a name that no row of a menu of our forms can have, before one is learned.

    Examples
    --------
    >>> check_row_name("score card")
    >>> check_row_name("score card with age")
    """
    known = list(dict.fromkeys((*SIMPLICITY, *FORMS)))
    is_other = name.startswith(("score card with ", "other score card "))  # named by the pool
    if name not in known and not is_other:
        near = difflib.get_close_matches(name.lower(), known, n=3) or known
        raise ValueError(
            f"`--choose` must be the number or the name of a row of the menu, got {name!r}. Names "
            f"like it: {', '.join(near)}."
        )


def named_candidates(candidates: Any) -> tuple[str | list[str], dict[str, Any]]:
    """The names that `candidates` means, and the estimators behind those that are no forms.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> names, estimators = named_candidates(["linear", ("mine", DummyClassifier())])
    >>> names, list(estimators)
    (['linear', 'mine'], ['mine'])
    """
    if isinstance(candidates, str):
        return candidates, {}
    named = [(c, None) if isinstance(c, str) else _named(c) for c in candidates]
    return [name for name, _ in named], {name: e for name, e in named if e is not None}


def _named(candidate: Any) -> tuple[str, Any]:
    """Name and estimator of a candidate that is not a form of ours."""
    if isinstance(candidate, tuple) and len(candidate) == 2 and isinstance(candidate[0], str):
        return candidate
    return type(candidate).__name__.lower(), candidate


def _form_of(candidate: Any) -> NamedForm:
    if isinstance(candidate, str):
        if candidate not in FORMS:
            raise ValueError(
                f"`candidates` must be 'readable', 'all', or from {sorted(FORMS)}, "
                f"got {candidate!r}. Pass your own as (name, estimator)."
            )
        return FORMS[candidate]
    name, estimator = _named(candidate)
    # a stack has no `predict` before it is fitted
    if not hasattr(estimator, "fit") or not (
        hasattr(estimator, "predict") or is_classifier(estimator)
    ):
        raise TypeError(
            f"`candidates` must be names or classifiers with fit and predict, got {candidate!r}."
        )
    if name in SIMPLICITY:
        raise ValueError(f"`candidates`: {name!r} is the name of a form. Choose another name.")
    learn = foreign_forms.foreign(name, estimator)
    return NamedForm(name, learn, is_readable=False, estimator=estimator)

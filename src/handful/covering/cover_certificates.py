"""Certificates of fitted covers, from their stored counts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from handful._checks import check_choice
from handful.bounds import GROUP_QUANTITIES, Certificate, Term, assume, drawn_by
from handful.candidates import Code, certify
from handful.covering.codes.cover_candidate import cover_code

if TYPE_CHECKING:
    from handful.covering.cover_fit import CoverFit

BOUND_NAMES = ("compression", "compression-kl", "compression-closed-form", "cost")
GROUP_BOUNDS = ("compression", "compression-kl")
_OF_A_CODE = assume("preprocessing", "named-blindly")  # what any code takes for granted
_POOL_NOTE = (
    "The kept examples were drawn without looking at labels and are not counted; scales, linear "
    "models and the ranking of rules were computed from them alone."
)
_CLASSES_NOTE = (
    "The classes were known before the data; one too rare to be in the sample is always an error."
)


def certify_cover(fit: CoverFit, delta: float, bound: str) -> Certificate:
    """One code for the machine, or for those of all classes; their joint errors are counted.

    The code contains "which examples are kept" already, so naming them costs nothing more.
    """
    check_choice("bound", bound, ("auto", *BOUND_NAMES))
    code, counts, is_single = cover_code_of(fit), fit.counts, len(fit.parts) == 1
    if counts.groups is not None:
        made = _of_groups(fit, code, delta, bound)
    elif is_single:
        own = "compression" if fit.settings.costs is None else "cost"
        chosen = own if bound == "auto" else bound
        made = certify(code, counts, delta, bound=chosen, costs=fit.settings.costs)
    elif bound in ("auto", "compression"):
        made = certify(code, counts, delta)
    else:
        raise ValueError(
            f"`bound` must be 'auto' or 'compression' for more than two classes, got {bound!r}."
        )
    is_drawn = any(candidate.pool_size != counts.n_units for candidate in fit.chosen)
    words = [*(("blind-pool",) if is_drawn else ())]
    if is_drawn or counts.groups is not None:
        made = made.assuming(*words, drawn_by(fit.draw.seed))
    # Which labels there are is in no message: for two classes it is taken for known as for more.
    has_pool = is_single and fit.chosen[0].scheme in ("pool", "plain")
    notes = (*((_POOL_NOTE,) if has_pool else ()), _CLASSES_NOTE)
    return replace(made, notes=(*made.notes, *notes))


def _of_groups(fit: CoverFit, code: Code, delta: float, bound: str) -> Certificate:
    """The certificate of groups; "compression-kl" is Chernoff's bound of their mean errors."""
    counts, groups = fit.counts, fit.counts.groups
    if bound not in ("auto", *GROUP_BOUNDS) or groups is None:
        raise ValueError(
            f"`bound` must be 'auto' or one of {GROUP_BOUNDS} for groups, got {bound!r}."
        )
    if bound == "compression-kl" and len(groups.losses):
        counts = replace(counts, groups=replace(groups, how="kl"))
    made = certify(code, counts, delta)
    more = tuple(one for one in made.assumptions[1:] if one not in _OF_A_CODE)
    assumptions = (*assume("iid-groups"), *_OF_A_CODE, *more, *assume("groups"))
    return replace(made, quantity=GROUP_QUANTITIES[groups.loss], assumptions=assumptions)


def cover_code_of(fit: CoverFit) -> Code:
    """The code of the machine, or of those of all classes together."""
    if len(fit.parts) == 1:
        return fit.chosen[0].code
    return cover_code(*_terms_by_class(fit))


def _terms_by_class(fit: CoverFit) -> list[Term]:
    return [
        replace(term, text=f"{term.text} (class {label})")
        for label, candidate in zip(fit.classes, fit.chosen, strict=True)
        for term in candidate.terms
    ]

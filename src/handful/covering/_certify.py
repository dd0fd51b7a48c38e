"""Certificates of fitted machines, from stored counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from handful._checks import check_choice
from handful.bounds import (
    Certificate,
    ClassCounts,
    Message,
    Term,
    closed_form_compression_bound,
    compression_bound,
    cost_bound,
    drawn_by,
    kl_compression_bound,
)
from handful.covering.codes.candidate import Candidate
from handful.covering.groups import GroupCounts, certify_groups
from handful.rules import Rows
from handful.tables import Draw

if TYPE_CHECKING:
    from handful.covering.cover_fit import CoverFit

BOUND_NAMES = ("compression", "compression-kl", "compression-closed-form", "cost")
_POOL_NOTE = (
    "The kept examples were drawn without looking at labels and are not counted; scales, linear "
    "models and the ranking of rules were computed from them alone."
)
_CLASSES_NOTE = (
    "The classes were known before the data; one too rare to be in the sample is always an error."
)
_RELAXED: dict[str, Callable[..., Certificate]] = {
    "compression-kl": kl_compression_bound,
    "compression-closed-form": closed_form_compression_bound,
}


def certify_candidate(
    candidate: Candidate,
    counts: ClassCounts,
    *,
    delta: float,
    bound: str = "auto",
    costs: tuple[float, float] | None = None,
    draw: Draw | None = None,
) -> Certificate:
    """Certificate of one candidate, with joint and class-conditional rates.

    The code of the candidate contains "which examples are kept" already, so the bound is told
    that naming them costs nothing more.
    """
    check_choice("bound", bound, ("auto", *BOUND_NAMES))
    if bound == "auto":
        bound = "compression" if costs is None else "cost"
    common = {
        "message_nats": Message(candidate.terms),
        "size_nats": 0.0,
        "which_nats": 0.0,
        "delta": delta,
    }
    m, d = counts.n_positives + counts.n_negatives, len(candidate.kept)
    if bound == "cost":
        c_fp, c_fn = costs if costs is not None else (1.0, 1.0)
        certificate = cost_bound(
            m,
            d,
            candidate.n_false_positives,
            candidate.n_false_negatives,
            cost_false_positive=c_fp,
            cost_false_negative=c_fn,
            **common,  # type: ignore[arg-type]
        )
    elif bound == "compression":
        certificate = compression_bound(
            m,
            d,
            candidate.n_errors,
            counts=counts,
            **common,  # type: ignore[arg-type]
        )
    else:
        certificate = _RELAXED[bound](m, d, candidate.n_errors, **common)
    certificate = with_assumptions(certificate, [candidate], draw)
    # Which labels there are is in no message: for two classes it is taken for known as for more.
    notes = (*_pool_note(candidate), _CLASSES_NOTE)
    return replace(certificate, notes=(*certificate.notes, *notes))


def _pool_note(candidate: Candidate) -> tuple[str, ...]:
    return (_POOL_NOTE,) if candidate.scheme in ("pool", "plain") else ()


def with_assumptions(
    certificate: Certificate, candidates: Sequence[Candidate], draw: Draw | None = None
) -> Certificate:
    """The same certificate, saying where a pool was drawn, and by what."""
    if all(candidate.pool_size == certificate.n_samples for candidate in candidates):
        return certificate
    how = () if draw is None else (drawn_by(draw.seed),)
    return certificate.assuming("blind-pool", *how)


def certify_grouped(fit: CoverFit, counts: GroupCounts, delta: float, bound: str) -> Certificate:
    """One code for the machine, or for those of all classes, over groups."""
    terms = fit.chosen[0].terms if len(fit.parts) == 1 else tuple(_terms_by_class(fit))
    made = certify_groups(counts, terms, delta, "compression" if bound == "auto" else bound)
    is_drawn = any(candidate.pool_size != counts.n_groups for candidate in fit.chosen)
    words = (*(("blind-pool",) if is_drawn else ()), drawn_by(fit.draw.seed))
    notes = (*(_pool_note(fit.chosen[0]) if len(fit.parts) == 1 else ()), _CLASSES_NOTE)
    return replace(made.assuming(*words), notes=(*made.notes, *notes))


def _terms_by_class(fit: CoverFit) -> list[Term]:
    return [
        replace(term, text=f"{term.text} (class {label})")
        for label, candidate in zip(fit.classes, fit.chosen, strict=True)
        for term in candidate.terms
    ]


def certify_together(fit: CoverFit, delta: float, bound: str) -> Certificate:
    """One code for all machines of one class against the rest; their joint errors are counted."""
    if bound not in ("auto", "compression"):
        raise ValueError(
            f"`bound` must be 'auto' or 'compression' for more than two classes, got {bound!r}."
        )
    certificate = compression_bound(
        fit.n_samples,
        len(fit.held_back),
        fit.n_errors,
        message_nats=Message(_terms_by_class(fit)),
        size_nats=0.0,
        which_nats=0.0,
        delta=delta,
    )
    certificate = with_assumptions(certificate, fit.chosen, fit.draw)
    return replace(certificate, notes=(*certificate.notes, _CLASSES_NOTE))


def class_counts(candidate: Candidate, rows: Rows) -> ClassCounts:
    """Counts by class of a candidate; ``rows`` hold at least the kept examples."""
    kept, totals = np.array(candidate.kept, dtype=np.int64), rows.totals
    kept_positives = int((rows.y[rows.row_of[kept]] > 0).sum())
    return ClassCounts(
        n_positives=totals[1],
        n_negatives=totals[-1],
        n_compressed_positives=kept_positives,
        n_compressed_negatives=len(kept) - kept_positives,
        n_false_positives=candidate.n_false_positives,
        n_false_negatives=candidate.n_false_negatives,
    )

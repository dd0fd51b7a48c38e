"""Covering machines as plain data: rules without training rows, examples by their digests.

Only columns that the rules look at are named, of a column of words only the words that rules
name. Half-spaces are weights and a threshold. Examples are known by the digests of their rows, so
that who has the data can find them again, and nobody else. Balls, and half-spaces of other kernels
than the linear one, contain training rows; they are written only where that is allowed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from handful._types import Ints
from handful.covering import CoverFit
from handful.files._reading import Reading, reading_of
from handful.files._rules import machine_to_dict
from handful.rules import RuleList, RuleSet, Stump

Machine = RuleSet | RuleList


OTHER_ROW = "another row of the menu"
WITHOUT_CENTRES = "rules='stumps' or half-spaces of the linear kernel, which are written without"


def refuse_rows(n_rows: int, include_rows: bool, instead: str = WITHOUT_CENTRES) -> None:
    """Stop where training rows would be written without leave; ``instead`` says what has none."""
    if n_rows and not include_rows:
        rows = "1 training row" if n_rows == 1 else f"{n_rows} training rows"
        raise ValueError(
            f"this form contains {rows}. Say `include_rows=True` (--include-rows) to write it, or "
            f"use {instead}."
        )


def cover_to_dict(
    fit: CoverFit, include_rows: bool, reading: Reading | None = None
) -> dict[str, Any]:
    """The fields of a model file that say what a covering machine is and how it was coded."""
    words = _named_words(fit)
    reading = reading_of(fit) if reading is None else reading
    document = {
        "feature_names": _names(fit),
        "categories": None if fit.columns is None else words,
        "reading": None if reading is None else reading.used(fit, words).to_document(),
        "machines": [machine_to_dict(_plain(m, fit, words)) for m in fit.machines],
        "codes": [_code(chosen, fit.named) for chosen in fit.chosen],
        "settings": _settings(fit),
        "compression_set": [digest.tobytes().hex() for digest in fit.digests],
    }
    refuse_rows(fit.n_training_rows, include_rows)
    return document


def _names(fit: CoverFit) -> list[str | None] | None:
    """Names of the columns that are used, null for the others."""
    if fit.names is None:
        return None
    return [name if j in fit.used_features else None for j, name in enumerate(fit.names)]


def _named_words(fit: CoverFit) -> list[list[str] | None]:
    """The words that rules name, by column; every other word is as good as unknown."""
    found: list[list[str] | None] = [None] * fit.n_features
    for rule in fit.rules:
        known = None
        if isinstance(rule, Stump) and fit.categories is not None:
            known = fit.categories[rule.feature]
        if isinstance(rule, Stump) and known is not None:
            word = known[int(rule.threshold)]
            found[rule.feature] = sorted({*(found[rule.feature] or ()), word})
    return found


def _plain(machine: Machine, fit: CoverFit, words: Sequence[list[str] | None]) -> Machine:
    """The machine without rows, words by their place among those that are written."""
    place = np.full(fit.n_samples, -1, dtype=np.int64)
    place[fit.named] = np.arange(len(fit.named))
    rules = []
    for rule in machine.rules:
        plain = rule.without_rows().renumbered(place)
        named = words[plain.feature] if isinstance(plain, Stump) else None
        if isinstance(plain, Stump) and named is not None and fit.categories is not None:
            word = (fit.categories[plain.feature] or ())[int(plain.threshold)]
            plain = replace(plain, threshold=float(named.index(word)))
        rules.append(plain)
    return replace(machine, rules=tuple(rules))


def _code(chosen: Any, named: Ints) -> dict[str, Any]:
    """How a machine was coded: what is needed to check its price.

    ``kept`` are places in the compression set; null stands for the whole pool, which follows
    from the digest of the data.
    """
    is_pool = chosen.scheme != "compression"
    own = chosen.kept if chosen.named is None else chosen.named
    kept = None if is_pool else np.searchsorted(named, np.array(own, dtype=np.int64))
    return {
        "scheme": chosen.scheme,
        "family": chosen.family,
        "kind": chosen.kind,
        "pool_size": int(chosen.pool_size),
        "kept": None if kept is None else kept.tolist(),
        "terms": [term.to_dict() for term in chosen.terms],
        "n_false_positives": int(chosen.n_false_positives),
        "n_false_negatives": int(chosen.n_false_negatives),
        "n_training_errors": int(chosen.n_training_errors),
    }


def _settings(fit: CoverFit) -> dict[str, Any]:
    """What was fixed before the data and decides the prior masses."""
    settings = fit.settings
    return {
        "candidates": settings.candidates,
        "family_sets": [list(families) for families in settings.family_sets],
        "pool_families": list(settings.pool_families),
        "kinds": list(settings.kinds),
        "n_kernels": len(settings.geometries),
        "n_groups": 1,
        "delta": float(settings.delta),
        "costs": None if settings.costs is None else [float(c) for c in settings.costs],
        "group_loss": None if fit.groups is None else fit.groups.loss,
    }


def features_of(fit: CoverFit) -> dict[str, Any]:
    """Which columns were offered, and which of them hold words: a re-check needs them all."""
    words = [] if fit.columns is None else np.flatnonzero(fit.columns.is_categorical).tolist()
    return {"features": named_by_digest(fit.names), "words": words}


def named_by_digest(names: Sequence[str] | None) -> list[str] | None:
    """Columns by 64 bits of the SHA-256 of their names: who has the table finds them there.

    Examples
    --------
    >>> named_by_digest(["age"])
    ['5c557c970f513a62']
    """
    if names is None:
        return None
    texts = [f"handful column {name}".encode() for name in names]
    return [hashlib.sha256(text).hexdigest()[:16] for text in texts]

"""All half-spaces of a training set, as in the paper: candidates from the exact engine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, cast

import numpy as np

from handful._types import Floats, Ints
from handful.bounds import Term, half_space_message
from handful.candidates import log_choices
from handful.covering.codes.cover_candidate import CoverCandidate, PathCounter, cover_code
from handful.models import Condition, RuleSet
from handful.rules import Rows, SweepOptions, is_covered, rule_set
from handful.rules.directions import kernel_rows, pair_value
from handful.rules.family import KIND_SIGNS, Geometry
from handful.rules.half_space import rebuild_half_spaces
from handful.rules.search.exact import HalfSpaceStep, exact_half_space_paths
from handful.rules.table import check_finite

Terms = tuple[Term, ...]


def kernel_of_rows(rows: Rows, geometry: Geometry) -> Floats:
    """Kernel matrix of the distinct rows."""
    if geometry.kernel.name == "precomputed":
        return np.ascontiguousarray(rows.X[:, first_examples(rows)])
    with np.errstate(over="ignore", invalid="ignore"):
        K = kernel_rows(geometry.kernel, rows.X, rows.X)
    check_finite(K)
    return K


def first_examples(rows: Rows) -> Ints:
    """The first original example of each row."""
    example_of = np.empty(rows.X.shape[0], dtype=np.int64)
    example_of[rows.row_of[::-1]] = np.arange(rows.n_samples)[::-1]
    return example_of


def exact_candidates(
    rows: Rows,
    geometry: Geometry,
    kinds: Sequence[str],
    penalties: Sequence[float],
    options: SweepOptions,
    scheme_terms: Terms,
) -> Iterator[CoverCandidate]:
    """Every prefix of every path over all half-spaces of three examples."""
    K = kernel_of_rows(rows, geometry)
    for kind in kinds:
        paths = exact_half_space_paths(
            K,
            rows.y,
            kind=cast(Literal["conjunction", "disjunction"], kind),
            penalties=list(penalties),
            max_rules=options.max_rules,
            stop_on_nonpositive=options.stop_on_nonpositive,
            weights=rows.searched(),
            n_threads=options.n_threads,
        )
        yield from candidates_of_paths(rows, geometry, kind, penalties, paths, scheme_terms)


def candidates_of_paths(
    rows: Rows,
    geometry: Geometry,
    kind: str,
    penalties: Sequence[float],
    paths: Sequence[Sequence[HalfSpaceStep]],
    scheme_terms: Terms,
    position: Ints | None = None,
) -> Iterator[CoverCandidate]:
    """Candidates of found paths; ``position`` maps the steps' rows to those of ``rows``."""
    example_of = first_examples(rows)
    for penalty, steps in zip(penalties, paths, strict=True):
        counter = PathCounter(rows, rows.totals)
        covers: list[Condition] = []
        for step in steps:
            triple = [step.a, step.b, step.c]
            if position is not None:
                triple = [int(position[row]) for row in triple]
            covers.append(_cover(rows, geometry, kind, triple, example_of))
            counter.cover(is_covered(covers[-1], kind, rows.X), -KIND_SIGNS[kind])
            yield _candidate(rows, geometry, tuple(covers), kind, penalty, counter, scheme_terms)


def _cover(
    rows: Rows, geometry: Geometry, kind: str, triple: Sequence[int], example_of: Ints
) -> Condition:
    a, b, c = (int(example_of[row]) for row in triple)
    value, tol = pair_value(rows.X[triple[0]], rows.X[triple[1]], geometry.kernel, (a, b))
    cut = float(value.of(rows.X[[triple[2]]])[0])
    return Condition(value, "<" if kind == "conjunction" else ">", cut, tol, (a, b, c))


def _candidate(
    rows: Rows,
    geometry: Geometry,
    covers: tuple[Condition, ...],
    kind: str,
    penalty: float,
    counter: PathCounter,
    scheme_terms: Terms,
) -> CoverCandidate:
    firsts, seconds, thirds = ({cover.examples[k] for cover in covers} for k in range(3))
    kept = tuple(sorted(firsts | seconds | thirds))
    n_c = len(thirds - (firsts if kind == "conjunction" else seconds))
    message = half_space_message(len(covers), len(firsts), len(seconds), n_c, kind=kind)
    which = Term("kept", "which examples are kept", log_choices(rows.n_samples, len(kept)))
    counts = counter.counts(kept, KIND_SIGNS[kind])
    return CoverCandidate(
        scheme="compression",
        family="half-spaces",
        kind=kind,
        penalty=penalty,
        n_rules=len(covers),
        pool_size=rows.n_samples,
        kept=kept,
        code=cover_code(*scheme_terms, which, *message.terms),
        counts=counts,
        build=lambda: _build(rows, geometry, covers, kind, kept),
    )


def _build(
    rows: Rows,
    geometry: Geometry,
    covers: tuple[Condition, ...],
    kind: str,
    kept: tuple[int, ...],
) -> RuleSet:
    """The machine, rebuilt from its kept examples and its message."""
    at = {example: position for position, example in enumerate(kept)}
    used = {e for cover in covers for e in cover.examples[:2]}
    kept_rows = rows.row_of[list(kept)]
    rebuilt = rebuild_half_spaces(
        rows.X[kept_rows],
        rows.y[kept_rows],
        np.array([e not in used for e in kept]),
        [(at[cover.examples[0]], at[cover.examples[1]]) for cover in covers],
        kind,
        kernel=geometry.kernel,
        indices=kept,
    )
    return rule_set(rebuilt, kind)

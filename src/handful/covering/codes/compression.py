"""Compression schemes: rules made of training examples, coded as in `handful.bounds`.

For each rule family and each pool of candidate examples, one sweep a kind and penalty gives
every size. Penalty and size only influence which classifier is chosen, so they cost nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from handful.arrays import Floats, Ints
from handful.bounds import Term
from handful.covering.codes.cover_candidate import (
    CoverCandidate,
    PathCounter,
    Searches,
    Terms,
    cover_code,
    kept_term,
)
from handful.models import Condition
from handful.rules import (
    HALF_SPACES,
    KIND_SIGNS,
    CandidateTable,
    CodedPath,
    CodedRule,
    Family,
    Geometry,
    HalfSpaceStep,
    Rows,
    Step,
    Sweep,
    SweepOptions,
    exact_half_space_paths,
    grow,
    is_covered,
    kernel_values,
    pair_value,
    rule_set,
)
from handful.rules.search.ball_sweep import BallSweep


def constant_candidates(
    rows: Rows, scheme_terms: Terms, kinds: Sequence[str], kept: tuple[int, ...] = ()
) -> Iterator[CoverCandidate]:
    """No rule at all: one of the two constants, or the one that ``kept`` voted for."""
    for kind in kinds:
        counts = PathCounter(rows, rows.totals).counts(kept, KIND_SIGNS[kind])
        price = math.log(len(kinds))
        which = (Term("constant", "which constant", price),) if price else ()
        yield CoverCandidate(
            scheme="constant",
            family="none",
            kind=kind,
            penalty=math.nan,
            n_rules=0,
            pool_size=len(kept) or rows.n_samples,
            kept=kept,
            code=cover_code(*scheme_terms, *which),
            counts=counts,
            build=lambda kind=kind: rule_set((), kind),  # type: ignore[misc]
            found_by=((kind,),),
        )


# -- rules of a table ----------------------------------------------------------------------------


def distinct_examples(rows: Rows, pool: Ints) -> Ints:
    """One example a row, ordered by content, so that ties do not depend on row order."""
    _, first = np.unique(rows.row_of[pool], return_index=True)
    return np.asarray(pool[first])


def make_table(
    family: Family, rows: Rows, pool: Ints, geometry: Geometry, n_threads: int = 1
) -> CandidateTable:
    """Candidates of one family over the examples of a pool (duplicates dropped)."""
    return family.table(rows, distinct_examples(rows, pool), geometry, n_threads=n_threads)


def compression_candidates(
    rows: Rows,
    table: CandidateTable,
    *,
    pool_size: int,
    kinds: Sequence[str],
    penalties: Sequence[float],
    options: SweepOptions,
    scheme_terms: Terms = (),
) -> Iterator[CoverCandidate]:
    """All prefixes of all greedy paths over one table (no rule at all has a code of its own)."""
    counter = rows.counter([table], n_threads=options.n_threads)
    sweeps = {k: Sweep(table, rows, KIND_SIGNS[k], options, counter=counter) for k in kinds}
    keys = [(kind, penalty) for kind in kinds for penalty in penalties]
    found = grow(counter, [sweeps[kind].rounds(penalty) for kind, penalty in keys])
    paths = dict(zip(keys, found, strict=True))
    yield from _prefixes(rows, table, paths, pool_size, scheme_terms)


def ball_candidates(
    rows: Rows,
    geometry: Geometry,
    *,
    kinds: Sequence[str],
    penalties: Sequence[float],
    options: SweepOptions,
    scheme_terms: Terms = (),
) -> Iterator[CoverCandidate]:
    """The same over the balls of all examples, without a table of all distances."""
    pool = distinct_examples(rows, np.arange(rows.n_samples))
    for kind in kinds:
        sweep = BallSweep(rows, pool, KIND_SIGNS[kind], options, geometry)
        table, found = sweep.paths(penalties)
        paths = {(kind, p): steps for p, steps in zip(penalties, found, strict=True)}
        yield from _prefixes(rows, table, paths, rows.n_samples, scheme_terms)


def _prefixes(
    rows: Rows,
    table: CandidateTable,
    paths: Mapping[tuple[str, float], Sequence[Step]],
    pool_size: int,
    scheme_terms: Terms,
) -> Iterator[CoverCandidate]:
    """Every distinct prefix of every path, once."""
    found_by = searches_of(paths)
    for (kind, penalty), steps in paths.items():
        errors = PathCounter(rows, rows.searched_totals)
        for size, step in enumerate(steps, start=1):
            errors.follow(table, step)
            prefix = tuple(steps[:size])
            searches = found_by[kind, prefix]
            if searches[0] != (kind, penalty):
                continue
            path = CodedPath.of(rows, table, prefix, kind)
            yield _candidate(path, searches, errors, pool_size, scheme_terms)


def searches_of(
    paths: Mapping[tuple[Any, ...], Sequence[Step]],
) -> dict[tuple[str, tuple[Step, ...]], Searches]:
    """The searches of each kind and prefix, in their order; a search begins with its kind."""
    found: dict[tuple[str, tuple[Step, ...]], Searches] = {}
    for search, steps in paths.items():
        for size in range(1, len(steps) + 1):
            at = search[0], tuple(steps[:size])
            found[at] = (*found.get(at, ()), search)
    return found


def _candidate(
    path: CodedPath,
    searches: Searches,
    counter: PathCounter,
    pool_size: int,
    scheme_terms: Terms,
) -> CoverCandidate:
    family, kind, kept = path.family, path.kind, path.kept
    which = kept_term(pool_size, kept)
    return CoverCandidate(
        scheme="compression",
        family=family.name,
        kind=kind,
        penalty=searches[0][1],
        n_rules=len(path.rules),
        pool_size=pool_size,
        kept=kept,
        code=cover_code(*scheme_terms, which, *family.message(path).terms),
        counts=counter.counts(kept, path.sign),
        build=lambda: rule_set(family.rebuild(path), kind),
        found_by=searches,
    )


# -- all half-spaces of a training set, as in the paper ------------------------------------------


def kernel_of_rows(rows: Rows, geometry: Geometry) -> Floats:
    """Kernel matrix of the distinct rows."""
    if geometry.kernel.name == "precomputed":
        return np.ascontiguousarray(rows.X[:, first_examples(rows)])
    return kernel_values(rows.X, geometry.kernel, rows.X)


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
            kind=kind,
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
        rules: list[CodedRule] = []
        for step in steps:
            triple = [step.a, step.b, step.c]
            if position is not None:
                triple = [int(position[row]) for row in triple]
            rules.append(CodedRule(*(int(example_of[row]) for row in triple)))
            cover = _cover(rows, geometry, kind, triple, rules[-1])
            counter.cover(is_covered(cover, kind, rows.X), -KIND_SIGNS[kind])
            path = CodedPath(rows, HALF_SPACES, geometry, kind, tuple(rules))
            yield _candidate(path, ((kind, penalty),), counter, rows.n_samples, scheme_terms)


def _cover(
    rows: Rows, geometry: Geometry, kind: str, triple: Sequence[int], rule: CodedRule
) -> Condition:
    """The half-space of three rows."""
    a, b, c = triple
    pair = rule.first, rule.second
    value, tol = pair_value(rows.X[a], rows.X[b], geometry.kernel, pair)
    cut = float(value.of(rows.X[[c]])[0])
    return Condition(value, "<" if kind == "conjunction" else ">", cut, tol)

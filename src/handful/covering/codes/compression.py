"""Compression schemes: rules made of training examples, coded as in `handful.bounds`.

For each rule family and each pool of candidate examples, one sweep a kind and penalty gives
every size. Penalty and size only influence which classifier is chosen, so they cost nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from handful._types import Ints
from handful.bounds import Term
from handful.candidates import log_choices
from handful.covering.codes.cover_candidate import CoverCandidate, PathCounter, cover_code
from handful.rules import Rows, Step, Sweep, SweepOptions, Table, rule_set
from handful.rules.family import KIND_SIGNS, CodedPath, Family, Geometry
from handful.rules.search.ball_sweep import BallSweep
from handful.rules.search.greedy import grow
from handful.rules.table import covered_rows


def distinct_examples(rows: Rows, pool: Ints) -> Ints:
    """One example a row, ordered by content, so that ties do not depend on row order."""
    _, first = np.unique(rows.row_of[pool], return_index=True)
    return np.asarray(pool[first])


def make_table(
    family: Family, rows: Rows, pool: Ints, geometry: Geometry, n_threads: int = 1
) -> Table:
    """CoverCandidate table of one family over the examples of a pool (duplicates dropped)."""
    return family.table(rows, distinct_examples(rows, pool), geometry, n_threads=n_threads)


def compression_candidates(
    rows: Rows,
    table: Table,
    *,
    pool_size: int,
    kinds: Sequence[str],
    penalties: Sequence[float],
    options: SweepOptions,
    scheme_terms: tuple[Term, ...] = (),
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
    scheme_terms: tuple[Term, ...] = (),
) -> Iterator[CoverCandidate]:
    """The same over the balls of all examples, without a table of all distances."""
    pool = distinct_examples(rows, np.arange(rows.n_samples))
    for kind in kinds:
        sweep = BallSweep(
            rows,
            pool,
            KIND_SIGNS[kind],
            options,
            metric=geometry.metric,
            kernel=geometry.ball_kernel,
        )
        table, found = sweep.paths(penalties)
        paths = {(kind, p): steps for p, steps in zip(penalties, found, strict=True)}
        yield from _prefixes(rows, table, paths, rows.n_samples, scheme_terms)


def _prefixes(
    rows: Rows,
    table: Table,
    paths: Mapping[tuple[str, float], Sequence[Step]],
    pool_size: int,
    scheme_terms: tuple[Term, ...],
) -> Iterator[CoverCandidate]:
    """Every distinct prefix of every path, once."""
    example_of = _example_of_row(rows, table)
    seen: set[tuple[str, tuple[Step, ...]]] = set()
    for (kind, penalty), steps in paths.items():
        sign = KIND_SIGNS[kind]
        errors = PathCounter(rows, rows.searched_totals)
        for size, step in enumerate(steps, start=1):
            covered = covered_rows(table, step.t, step.j, step.side)
            errors.cover(covered, -sign, {sign: step.n_same, -sign: step.n_other})
            prefix = tuple(steps[:size])
            if (kind, prefix) in seen:
                continue
            seen.add((kind, prefix))
            yield _candidate(
                rows, table, prefix, kind, penalty, errors, example_of, pool_size, scheme_terms
            )


def _example_of_row(rows: Rows, table: Table) -> dict[int, int]:
    return {int(rows.row_of[e]): int(e) for e in table.pool[::-1]}


def _candidate(
    rows: Rows,
    table: Table,
    steps: tuple[Step, ...],
    kind: str,
    penalty: float,
    counter: PathCounter,
    example_of: dict[int, int],
    pool_size: int,
    scheme_terms: tuple[Term, ...],
) -> CoverCandidate:
    path = CodedPath(rows, table, steps, kind, example_of)
    family = _family_of(table)
    kept = path.kept
    which = log_choices(pool_size, len(kept))
    counts = counter.counts(kept, KIND_SIGNS[kind])
    return CoverCandidate(
        scheme="compression",
        family=family.name,
        kind=kind,
        penalty=penalty,
        n_rules=len(steps),
        pool_size=pool_size,
        kept=kept,
        code=cover_code(
            *scheme_terms,
            Term("kept", "which examples are kept", which),
            *family.message(path).terms,
        ),
        counts=counts,
        build=lambda: rule_set(family.rebuild(path), kind),
    )


def _family_of(table: Table) -> Family:
    if table.family is None:
        raise ValueError("`table` must be of one family, got one of several.")
    return table.family


def constant_candidates(
    rows: Rows,
    scheme_terms: tuple[Term, ...],
    kinds: Sequence[str],
    kept: tuple[int, ...] = (),
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
        )

"""From rows to a certified machine: run every scheme, certify every candidate, take the best."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from handful._progress import report_progress
from handful._types import Floats, Ints, Mask
from handful.bounds import ClassCounts, Term
from handful.covering._certify import class_counts
from handful.covering.codes.all_half_spaces import exact_candidates
from handful.covering.codes.candidate import (
    Candidate,
    best_candidate,
    certified_risks,
    counted,
    recount,
)
from handful.covering.codes.compression import (
    ball_candidates,
    compression_candidates,
    constant_candidates,
    make_table,
)
from handful.covering.codes.listed import listed_candidates
from handful.covering.codes.plain import plain_candidates
from handful.covering.codes.pool import pool_candidates
from handful.covering.codes.schemes import Scheme, auto_schemes, fixed_schemes, is_affordable
from handful.covering.groups import GroupCounts, Grouping, group_risks
from handful.models import RuleSet, SignedRules
from handful.rules import (
    BALLS,
    FAMILIES,
    HALF_SPACES,
    STUMPS,
    Rows,
    SweepOptions,
    as_list,
    signs_of,
)
from handful.rules.family import KIND_SIGNS, Geometry
from handful.rules.pooled import LARGEST, make_projections

PENALTIES = (0.5, 1.0, 1.5, 3.0, math.inf)
LIST_PENALTIES = (1.0, 2.0, 5.0, math.inf)
POOL_PENALTIES = (0.7, 1.0, 1.5)  # around one: an error covered counts about as an error left
AUTO_RULES = 6  # default of `max_rules`: further rules rarely pay for themselves
AUTO_POOL_RULES = 4  # ranks are paid rule by rule
SMALL_TABLE = 1000  # so many examples are faster by a table of all distances


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What a fit is asked for, after validation."""

    family_sets: tuple[tuple[str, ...], ...]
    pool_families: tuple[str, ...]
    kinds: tuple[str, ...]
    penalties: tuple[float, ...] | None
    max_rules: int | None
    geometries: tuple[Geometry, ...]
    candidates: str | int | None
    delta: float
    costs: tuple[float, float] | None = None
    stop_on_nonpositive: bool = True
    n_threads: int = 1

    @property
    def is_list(self) -> bool:
        """Whether rules have outputs of their own."""
        return self.kinds == ("list",)

    @property
    def set_kinds(self) -> tuple[str, ...]:
        """Kinds of sets; a list may be any of them."""
        return tuple(KIND_SIGNS) if self.is_list else self.kinds


@dataclass(frozen=True)
class Learned:
    """The chosen machine, all candidates with their certificates, and which of them it is.

    ``n_covered`` are the examples that meet each of its rules, and those that meet none; ``groups``
    are the errors by groups, if there are some.
    """

    machine: SignedRules
    place: int
    counts: ClassCounts
    n_covered: tuple[int, ...]
    candidates: tuple[Candidate, ...]
    risks: Floats
    groups: GroupCounts | None = None

    @property
    def chosen(self) -> Candidate:
        """The candidate behind the machine."""
        return self.candidates[self.place]

    @property
    def named(self) -> tuple[int, ...]:
        """Examples that the code or the rules name one by one."""
        if self.chosen.scheme != "compression":
            return self.machine.examples
        return self.chosen.kept if self.chosen.named is None else self.chosen.named

    @property
    def made_of(self) -> tuple[int, ...]:
        """Examples that the machine is made of: a pool only if its rules name none of it."""
        asked = self.machine.conditions
        is_named = bool(asked) and all(condition.examples for condition in asked)
        return self.named if is_named else self.chosen.kept

    def alone(self) -> Learned:
        """The same without the candidates that were not chosen."""
        return replace(self, place=0, candidates=(self.chosen,), risks=self.risks[[self.place]])


def learn(rows: Rows, settings: Settings, groups: Grouping | None = None) -> Learned:
    """Choose a machine by certificate; the certificate holds for this whole procedure.

    The examples come in an order that nobody chose (`handful.tables.blind_order`): every pool is
    the first of them, and ties go to the earlier one.
    """
    if groups is not None:
        return _learn_groups(rows, settings, groups)
    schemes = _schemes(rows.n_samples, rows, settings)
    rows = rows.holding(max(scheme.pool_size for scheme in schemes))
    candidates = list(_candidates(rows, settings, schemes, None))
    if rows.steering is not None:  # weights steer the search; the certificate counts examples
        candidates = [recount(c, c.build(), rows) for c in candidates]
    if settings.max_rules is not None:
        candidates = _longest(candidates)
    risks = certified_risks(candidates, rows.n_samples, settings.delta, settings.costs)
    while True:
        best = best_candidate(candidates, risks)
        machine = _machine_of(candidates[best], settings)
        judged = rows.judge(machine)
        chosen = counted(candidates[best], machine, rows, judged)
        if chosen.counts == candidates[best].counts:
            break
        candidates[best] = chosen
        risks[best] = certified_risks([chosen], rows.n_samples, settings.delta, settings.costs)[0]
    made = tuple(replace(c, build=_forgotten) for c in candidates)  # frees the tables
    return Learned(machine, best, class_counts(chosen, rows), judged.n_covered, made, risks)


def _learn_groups(rows: Rows, settings: Settings, groups: Grouping) -> Learned:
    """The same over groups: every candidate is built and counted group by group."""
    schemes = _schemes(groups.n_groups, rows, settings)
    candidates = list(_candidates(rows, settings, schemes, groups))
    if settings.max_rules is not None:
        candidates = _longest(candidates)
    counts = []
    for i, candidate in enumerate(candidates):
        machine = _machine_of(candidate, settings)
        candidates[i] = recount(candidate, machine, rows)
        counts.append(groups.count(_is_wrong(machine, rows), candidate.kept))
    risks, best = group_risks(counts, candidates, settings.delta)
    chosen, machine = candidates[best], _machine_of(candidates[best], settings)
    made = tuple(replace(c, build=_forgotten) for c in candidates)
    n_covered = rows.judge(machine).n_covered
    counted_by_class = class_counts(chosen, rows)
    return Learned(machine, best, counted_by_class, n_covered, made, risks, counts[best])


def _machine_of(candidate: Candidate, settings: Settings) -> SignedRules:
    machine = candidate.build()
    if settings.is_list and candidate.kind != "list":
        # before it is counted: missing values fare differently
        return as_list(cast(RuleSet, machine), candidate.kind)
    return machine


def _is_wrong(machine: SignedRules, rows: Rows) -> Mask:
    """Which of the original examples a machine gets wrong."""
    return np.asarray((signs_of(machine, rows.X) != rows.y)[rows.row_of])


def renumbered(learned: Learned, order: Ints) -> Learned:
    """The same machine and candidates, whose example i is the user's row ``order[i]``."""
    names = {}  # pools are long and many candidates share theirs

    def named(candidate: Candidate) -> Candidate:
        for part in (candidate.kept, candidate.named):
            if part is not None and part not in names:
                names[part] = tuple(np.sort(order[np.array(part, dtype=np.int64)]).tolist())
        named = None if candidate.named is None else names[candidate.named]
        return replace(candidate, kept=names[candidate.kept], named=named)

    return replace(
        learned,
        machine=learned.machine.renumbered(order),
        candidates=tuple(named(candidate) for candidate in learned.candidates),
    )


def _forgotten() -> SignedRules:
    raise RuntimeError("only the chosen candidate is built; fit again with fixed parameters")


def _longest(candidates: Sequence[Candidate]) -> list[Candidate]:
    """With a fixed number of rules only whole paths are machines, not their prefixes."""
    last: dict[tuple[object, ...], Candidate] = {}
    for c in candidates:
        key = (c.scheme, c.family, c.kind, c.penalty, c.pool_size)
        if key not in last or c.n_rules > last[key].n_rules:
            last[key] = c
    whole = [c for c in last.values() if c.scheme != "constant"]
    return whole or list(last.values())


def _candidates(
    rows: Rows,
    settings: Settings,
    schemes: Sequence[Scheme],
    groups: Grouping | None,
) -> Iterator[Candidate]:
    """Candidates of all schemes; of groups, at the price of naming groups."""
    only_stumps = not rows.largest <= LARGEST  # a missing value counts as too large
    if only_stumps and ("stumps",) not in settings.family_sets:
        raise ValueError(
            f"`X` has values above {LARGEST:g}, whose distances and inner products overflow. "
            "Scale the columns by factors fixed beforehand, or set rules='stumps'."
        )
    for scheme in schemes:
        # What the examples look like must not move prior mass: codes they cannot use are lost.
        if scheme.name == "compression" and only_stumps and scheme.families != ("stumps",):
            continue
        report_progress(f"{scheme.name} {'+'.join(scheme.families)} {scheme.pool_size}")
        if groups is None:
            pool = np.arange(min(scheme.pool_size, rows.n_samples))
            yield from _candidates_of(rows, settings, scheme, pool)
            continue
        if scheme.name != "compression":
            pool = groups.pool(scheme.pool_size)
        elif is_affordable(scheme, *rows.X.shape):
            pool = groups.named(scheme.pool_size)
        else:
            continue
        for candidate in _candidates_of(rows, settings, scheme, pool):
            yield groups.priced(candidate, scheme.pool_size if candidate.kept else groups.n_groups)


def _candidates_of(
    rows: Rows, settings: Settings, scheme: Scheme, pool: Ints
) -> Iterator[Candidate]:
    if scheme.name == "constant":
        yield from _constants(rows, settings, scheme, pool)
    elif scheme.name == "plain":
        yield from plain_candidates(rows, pool, kinds=settings.kinds, scheme_terms=scheme.terms)
    elif scheme.name == "pool":
        yield from _pool(rows, settings, scheme, pool)
    else:
        yield from _compression(rows, settings, scheme, pool)


def _schemes(m: int, rows: Rows, settings: Settings) -> list[Scheme]:
    """The codes of m examples or groups."""
    n = rows.X.shape[1]
    if settings.candidates == "auto":
        return auto_schemes(m, n, settings.family_sets, settings.pool_families)
    size = settings.candidates if isinstance(settings.candidates, int) else None
    return fixed_schemes(m, settings.family_sets, size)


def _constants(rows: Rows, settings: Settings, scheme: Scheme, pool: Ints) -> Iterator[Candidate]:
    """The constant that a few label-blind examples vote for; paid by ln 2 where they are few."""
    if len(pool) == 0:
        yield from constant_candidates(rows, scheme.terms, ("conjunction", "disjunction"))
        return
    label = 1 if rows.y[rows.row_of[pool]].sum() > 0 else -1
    kind = "conjunction" if label > 0 else "disjunction"
    kept = tuple(sorted(int(e) for e in pool))
    yield from constant_candidates(rows, scheme.terms, (kind,), kept)


def _pool(rows: Rows, settings: Settings, scheme: Scheme, pool: Ints) -> Iterator[Candidate]:
    projections = make_projections(rows, pool, scheme.families)
    yield from pool_candidates(
        rows,
        projections,
        kinds=settings.set_kinds,
        penalties=settings.penalties or POOL_PENALTIES,
        max_rules=settings.max_rules or AUTO_POOL_RULES,
        scheme_terms=scheme.terms,
        n_threads=settings.n_threads,
        is_list=settings.is_list,
    )


def _compression(rows: Rows, settings: Settings, scheme: Scheme, pool: Ints) -> Iterator[Candidate]:
    terms = list(scheme.terms)
    if len(settings.kinds) > 1:
        terms.append(Term("logic", "conjunction or disjunction", math.log(len(settings.kinds))))
    if len(settings.geometries) > 1:
        n = len(settings.geometries)
        terms.append(Term("kernel", f"choice among {n} kernels", math.log(n)))
    if settings.candidates != "auto":
        yield from _no_rule(rows, settings, scheme, tuple(terms))
    for geometry in settings.geometries:
        yield from _sweeps(rows, settings, scheme, pool, geometry, tuple(terms))


def _is_listed(settings: Settings, scheme: Scheme) -> bool:
    """Whether rules are coded one by one: of several families, or with outputs of their own."""
    return settings.is_list or len(scheme.families) > 1


def _sweeps(
    rows: Rows,
    settings: Settings,
    scheme: Scheme,
    pool: Ints,
    geometry: Geometry,
    terms: tuple[Term, ...],
) -> Iterator[Candidate]:
    max_rules = settings.max_rules or AUTO_RULES
    if _is_listed(settings, scheme):
        yield from listed_candidates(
            [
                make_table(FAMILIES[f], rows, pool, geometry, settings.n_threads)
                for f in scheme.families
            ],
            rows,
            pool_size=len(pool),
            kinds=settings.kinds,
            penalties=settings.penalties or LIST_PENALTIES,
            max_rules=max_rules,
            scheme_terms=terms,
        )
        return
    options = SweepOptions(
        max_rules=max_rules,
        stop_on_nonpositive=settings.stop_on_nonpositive,
        prefer_kept=settings.stop_on_nonpositive,
        n_threads=settings.n_threads,
    )
    penalties = settings.penalties or PENALTIES
    family = FAMILIES[scheme.families[0]]
    if family is HALF_SPACES and len(pool) == rows.n_samples:
        yield from exact_candidates(rows, geometry, settings.kinds, penalties, options, terms)
        return
    if family is BALLS and len(pool) == rows.n_samples > SMALL_TABLE:
        yield from ball_candidates(
            rows,
            geometry,
            kinds=settings.kinds,
            penalties=penalties,
            options=options,
            scheme_terms=terms,
        )
        return
    yield from compression_candidates(
        rows,
        make_table(family, rows, pool, geometry, settings.n_threads),
        pool_size=len(pool),
        kinds=settings.kinds,
        penalties=penalties,
        options=options,
        scheme_terms=terms,
    )


def _no_rule(
    rows: Rows, settings: Settings, scheme: Scheme, terms: tuple[Term, ...]
) -> Iterator[Candidate]:
    """The empty machine, coded by the family's own message."""
    # rule by rule, no example is kept exactly when there is no rule
    family = STUMPS if _is_listed(settings, scheme) else FAMILIES[scheme.families[0]]
    message = family.empty_message()
    for kind in settings.set_kinds:
        which = (Term("constant", "which constant", math.log(2.0)),) if settings.is_list else ()
        yield from constant_candidates(rows, (*terms, *message.terms, *which), (kind,))

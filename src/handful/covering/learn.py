"""From rows to a certified machine: run every scheme, certify every candidate, take the best."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import cast

import numpy as np

from handful.arrays import Ints, Mask
from handful.bounds import Term
from handful.candidates import Counts, GroupLosses, Menu
from handful.covering.codes import (
    CoverCandidate,
    Scheme,
    Terms,
    auto_schemes,
    ball_candidates,
    compression_candidates,
    constant_candidates,
    counted,
    cover_code,
    exact_candidates,
    fixed_schemes,
    is_affordable,
    kept_term,
    listed_candidates,
    make_table,
    plain_candidates,
    pool_candidates,
    recount,
)
from handful.covering.folds import Offer, choose_by_folds
from handful.models import RuleSet, SignedRules
from handful.progress import report_progress
from handful.rules import (
    BALLS,
    FAMILIES,
    HALF_SPACES,
    KIND_SIGNS,
    STUMPS,
    Geometry,
    Rows,
    SweepOptions,
    as_list,
    make_projections,
    signs_of,
)
from handful.rules.pooled import LARGEST
from handful.tables import Grouping

MIXTURES = ("auto", "wide")  # values of `candidates` that mix codes
PENALTIES = (0.5, 1.0, 1.5, 3.0, math.inf)
LIST_PENALTIES = (1.0, 2.0, 5.0, math.inf)
FOLD_PENALTIES = (0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0, math.inf)  # if folds choose
FOLD_LIST_PENALTIES = (0.5, 1.0, 2.0, 5.0, 10.0, math.inf)  # for either output
POOL_PENALTIES = (0.7, 1.0, 1.5)  # around one: an error covered counts about as an error left
AUTO_RULES = 6  # default of `max_rules`: further rules rarely pay for themselves
FOLD_RULES = 12  # folds ask no price for a rule
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
    group_loss: str = "mean"
    by: str = "certificate"

    @property
    def is_list(self) -> bool:
        """Whether rules have outputs of their own."""
        return self.kinds == ("list",)

    @property
    def set_kinds(self) -> tuple[str, ...]:
        """Kinds of sets; a list may be any of them."""
        return tuple(KIND_SIGNS) if self.is_list else self.kinds


@dataclass(frozen=True, eq=False)
class Learned:
    """The chosen machine, the menu of all candidates, and which of them it is.

    ``n_covered`` are the examples that meet each of its rules, and those that meet none.
    """

    machine: SignedRules
    menu: Menu[CoverCandidate]
    place: int
    n_covered: tuple[int, ...]

    @property
    def chosen(self) -> CoverCandidate:
        """The candidate behind the machine."""
        return self.menu.candidates[self.place]

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
        return replace(self, place=0, menu=self.menu.alone(self.place))


def learn(
    rows: Rows, settings: Settings, groups: Grouping | None = None, *, n_offered: int = 1
) -> list[Learned]:
    """The machine with the smallest certificate, and others that may be taken in its place.

    All candidates are certified at once: their codes share one prior mass. So the certificate
    holds for this whole procedure, and that of any other candidate holds as well. The examples
    come in blind order (`handful.tables.blind_order`): every pool is the first of them, and ties
    go to the earlier one. ``n_offered`` machines at most are built.
    """
    # Prior masses look at the number of examples (or groups) and of features alone.
    schemes = _schemes(rows.n_samples if groups is None else len(groups), rows, settings)
    by_folds = settings.by == "cv"
    if groups is None:
        most = rows.n_samples if by_folds else max(scheme.pool_size for scheme in schemes)
        rows = rows.holding(most)
    offers = list(_offers(rows, settings, schemes, groups))
    candidates = _weighed(rows, settings, offers, groups)
    menu = Menu(tuple(candidates), settings.delta, costs=settings.costs)
    chosen = None
    if by_folds:
        propose = partial(_proposed, settings=settings)
        chosen = choose_by_folds(menu, rows, offers, propose, groups=groups, costs=settings.costs)
    # candidates of groups were counted with the machine that they build
    return _built(menu, rows, settings, n_offered, chosen, is_exact=groups is not None)


def _weighed(
    rows: Rows, settings: Settings, offers: Sequence[Offer], groups: Grouping | None
) -> list[CoverCandidate]:
    """All candidates, with the counts by which they are compared."""
    candidates = list(candidates_of(rows, settings, offers))
    if groups is not None:
        sizes = [scheme.pool_size for scheme, _ in offers]
        candidates = [
            _priced(c, groups, sizes[c.found_by[0][0]] if c.kept else len(groups))
            for c in candidates
        ]
    if groups is None and rows.steering is not None:
        # Weights steer the search; the certificate counts every example once.
        candidates = [recount(c, c.build(), rows) for c in candidates]
    if settings.max_rules is not None:
        candidates = _longest(candidates)
    if groups is not None:
        candidates = [_by_groups(c, rows, settings, groups) for c in candidates]
    return candidates


def _built(
    menu: Menu[CoverCandidate],
    rows: Rows,
    settings: Settings,
    n_offered: int,
    chosen: int | None,
    *,
    is_exact: bool,
) -> list[Learned]:
    """The best candidates as machines, counted as they are built, the chosen one first."""
    # Choosing is free: all certificates of the menu hold at once. The chosen machine is counted as
    # it is built; if it errs more than the search counted, another candidate may be the best.
    while True:
        wanted = [
            menu.best if chosen is None else chosen,
            *(best_of_each_size(menu) if n_offered > 1 else ()),
        ]
        places = list(dict.fromkeys(wanted))[:n_offered]
        machines = [_machine_of(menu.candidates[place], settings) for place in places]
        judged = rows.judge(machines)
        found = list(zip(places, machines, judged, strict=True))
        exact = [counted(menu.candidates[at], made, one, rows=rows) for at, made, one in found]
        if is_exact or exact[0].counts == menu.candidates[places[0]].counts:
            break
        menu = menu.replaced(places[0], exact[0])
    menu = menu.changed(lambda c: replace(c, build=_forgotten))  # frees the tables
    learned = []
    for (place, machine, one), candidate in zip(found, exact, strict=True):
        is_same = is_exact or candidate.counts == menu.candidates[place].counts
        offer = menu if is_same else menu.replaced(place, replace(candidate, build=_forgotten))
        learned.append(Learned(machine, offer, place, one.n_covered))
    return learned


def best_of_each_size(menu: Menu[CoverCandidate]) -> list[int]:
    """Positions of the best candidate of each code, family and number of rules, best first."""
    found: dict[tuple[str, str, int], int] = {}
    for place in menu.order.tolist():
        one = menu.candidates[place]
        found.setdefault((one.scheme, one.family, one.n_rules), place)
    return list(found.values())


def _by_groups(
    candidate: CoverCandidate, rows: Rows, settings: Settings, groups: Grouping
) -> CoverCandidate:
    """The candidate, counted group by group with the machine that it builds."""
    machine = _machine_of(candidate, settings)
    found = recount(candidate, machine, rows)
    counts = count_groups(
        found.counts, groups, _is_wrong(machine, rows), candidate.kept, settings.group_loss
    )
    return replace(found, counts=counts)


def count_groups(
    counts: Counts, groups: Grouping, is_wrong: Mask, kept: Iterable[int], loss: str
) -> Counts:
    """The counts with groups as units: those of the kept examples are held back whole.

    The errors of the other groups are counted as means and as the error of one blind row of each,
    and ln 2 is paid for both. Groups of one row each are certified as rows are.
    """
    # Rows of one group depend on each other: a kept row holds back its whole group.
    held = np.zeros(len(groups), dtype=bool)
    held[groups.member[np.array([*kept], dtype=np.int64)]] = True
    losses = GroupLosses.of(groups, is_wrong, held, loss)
    return replace(
        counts,
        n_held=int(held.sum()),
        n_counted=len(losses.losses),
        n_errors=losses.n_errors,
        groups=losses,
    )


def _whole(groups: Grouping, examples: tuple[int, ...]) -> tuple[int, ...]:
    """All examples of the groups of some examples, sorted."""
    held = np.zeros(len(groups), dtype=bool)
    held[groups.member[np.array(examples, dtype=np.int64)]] = True
    return tuple(np.flatnonzero(held[groups.member]).tolist())


def _priced(candidate: CoverCandidate, groups: Grouping, n_pool: int) -> CoverCandidate:
    """A candidate of single examples as one of groups: what it names, what is not counted.

    A rule that is made of examples may use one row of each group of its pool, the first of the
    blind order. So the code names d of the n groups of the pool, and need not say which of their
    rows: that was drawn blindly. The whole group of a kept row is left out of the count.
    """
    named, terms = candidate.kept, candidate.terms
    if candidate.scheme == "compression":
        which = kept_term(n_pool, named, "groups")
        terms = tuple(which if term.kind == "kept" else term for term in terms)
    return replace(
        candidate,
        code=cover_code(*terms),
        kept=_whole(groups, named),
        named=named,
        pool_size=n_pool,
    )


def _machine_of(candidate: CoverCandidate, settings: Settings) -> SignedRules:
    machine = candidate.build()
    if settings.is_list and candidate.kind != "list":
        # Before it is counted: a conjunction and a list treat missing values differently.
        return as_list(cast(RuleSet, machine), candidate.kind)
    return machine


def _is_wrong(machine: SignedRules, rows: Rows) -> Mask:
    """Which of the original examples a machine gets wrong."""
    return np.asarray((signs_of(machine, rows.X) != rows.y)[rows.row_of])


def renumbered(learned: Sequence[Learned], order: Ints) -> list[Learned]:
    """The same machines and candidates, whose example i is the user's row ``order[i]``."""
    names = {}  # pools are long and many candidates share theirs
    menus: dict[int, Menu[CoverCandidate]] = {}  # machines that were offered together share one

    def named(candidate: CoverCandidate) -> CoverCandidate:
        for part in (candidate.kept, candidate.named):
            if part is not None and part not in names:
                names[part] = tuple(np.sort(order[np.array(part, dtype=np.int64)]).tolist())
        named = None if candidate.named is None else names[candidate.named]
        return replace(candidate, kept=names[candidate.kept], named=named)

    for one in learned:
        if id(one.menu) not in menus:
            menus[id(one.menu)] = one.menu.changed(named)
    return [
        replace(one, machine=one.machine.renumbered(order), menu=menus[id(one.menu)])
        for one in learned
    ]


def _forgotten() -> SignedRules:
    raise RuntimeError("only the chosen candidate is built; fit again with fixed parameters")


def _longest(candidates: Sequence[CoverCandidate]) -> list[CoverCandidate]:
    """With a fixed number of rules only whole paths are machines, not their prefixes."""
    last: dict[tuple[object, ...], CoverCandidate] = {}
    for c in candidates:
        for search in c.found_by:
            if search not in last or c.n_rules > last[search].n_rules:
                last[search] = c
    whole = [c for c in last.values() if c.scheme != "constant"]
    return list(dict.fromkeys(whole or last.values()))


Stream = Iterator[CoverCandidate]


def _offers(
    rows: Rows,
    settings: Settings,
    schemes: Sequence[Scheme],
    groups: Grouping | None,
) -> Iterator[Offer]:
    """The codes that the rows can use, each with its pool. With groups, the codes name groups."""
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
        if groups is None:
            yield scheme, np.arange(min(scheme.pool_size, rows.n_samples))
        elif scheme.name != "compression":
            yield scheme, np.arange(groups.n_rows(scheme.pool_size))
        elif is_affordable(scheme, *rows.X.shape):
            yield scheme, groups.first[: scheme.pool_size]


def candidates_of(rows: Rows, settings: Settings, offers: Sequence[Offer]) -> Stream:
    """Candidates of codes and pools; the number of its code begins the name of each search."""
    for k, (scheme, pool) in enumerate(offers):
        report_progress(f"{scheme.name} {'+'.join(scheme.families)} {scheme.pool_size}")
        yield from _named(k, _candidates_of(rows, settings, scheme, pool))


def _proposed(
    rows: Rows, offers: Sequence[Offer], settings: Settings
) -> Iterator[tuple[CoverCandidate, SignedRules]]:
    """The candidates of a fold, with their machines."""
    candidates = list(candidates_of(rows, settings, offers))
    for candidate in candidates if settings.max_rules is None else _longest(candidates):
        yield candidate, _machine_of(candidate, settings)


def _named(number: int, stream: Stream) -> Stream:
    for one in stream:
        yield replace(one, found_by=tuple((number, *search) for search in one.found_by))


def _candidates_of(rows: Rows, settings: Settings, scheme: Scheme, pool: Ints) -> Stream:
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
    if settings.candidates in MIXTURES:
        is_wide = settings.candidates == "wide"
        return auto_schemes(m, n, settings.family_sets, settings.pool_families, is_wide=is_wide)
    size = settings.candidates if isinstance(settings.candidates, int) else None
    return fixed_schemes(m, settings.family_sets, size)


def _constants(rows: Rows, settings: Settings, scheme: Scheme, pool: Ints) -> Stream:
    """The constant that a few label-blind examples vote for; paid by ln 2 if they are few."""
    if len(pool) == 0:
        yield from constant_candidates(rows, scheme.terms, ("conjunction", "disjunction"))
        return
    # The voters are held back, so their choice of the constant is free.
    label = 1 if rows.y[rows.row_of[pool]].sum() > 0 else -1
    kind = "conjunction" if label > 0 else "disjunction"
    kept = tuple(sorted(int(e) for e in pool))
    yield from constant_candidates(rows, scheme.terms, (kind,), kept)


def _pool(rows: Rows, settings: Settings, scheme: Scheme, pool: Ints) -> Stream:
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


def _compression(rows: Rows, settings: Settings, scheme: Scheme, pool: Ints) -> Stream:
    terms = list(scheme.terms)
    if len(settings.kinds) > 1:
        terms.append(Term("logic", "conjunction or disjunction", math.log(len(settings.kinds))))
    if len(settings.geometries) > 1:
        n = len(settings.geometries)
        terms.append(Term("kernel", f"choice among {n} kernels", math.log(n)))
    if settings.candidates not in MIXTURES:  # else the constant has a scheme of its own
        yield from _no_rule(rows, settings, scheme, tuple(terms))
    for k, geometry in enumerate(settings.geometries):
        yield from _named(k, _sweeps(rows, settings, scheme, pool, geometry, tuple(terms)))


def _is_listed(settings: Settings, scheme: Scheme) -> bool:
    """Whether rules are coded one by one: of several families, or with outputs of their own."""
    return settings.is_list or len(scheme.families) > 1


def _sweeps(
    rows: Rows,
    settings: Settings,
    scheme: Scheme,
    pool: Ints,
    geometry: Geometry,
    terms: Terms,
) -> Stream:
    by_folds = settings.by == "cv"
    max_rules = settings.max_rules or (FOLD_RULES if by_folds else AUTO_RULES)
    if _is_listed(settings, scheme):
        yield from listed_candidates(
            [
                make_table(FAMILIES[f], rows, pool, geometry, settings.n_threads)
                for f in scheme.families
            ],
            rows,
            pool_size=len(pool),
            kinds=settings.kinds,
            penalties=settings.penalties or (FOLD_LIST_PENALTIES if by_folds else LIST_PENALTIES),
            all_pairs=by_folds,
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
    penalties = settings.penalties or (FOLD_PENALTIES if by_folds else PENALTIES)
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


def _no_rule(rows: Rows, settings: Settings, scheme: Scheme, terms: Terms) -> Stream:
    """The empty machine, coded by the family's own message."""
    # rule by rule, no example is kept exactly when there is no rule
    family = STUMPS if _is_listed(settings, scheme) else FAMILIES[scheme.families[0]]
    message = family.empty_message()
    for kind in settings.set_kinds:
        which = (Term("constant", "which constant", math.log(2.0)),) if settings.is_list else ()
        yield from constant_candidates(rows, (*terms, *message.terms, *which), (kind,))

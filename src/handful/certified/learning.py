"""From a pool to candidates: learn and rank the forms, merge equals, price roles, add counts."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import numpy as np
from joblib import effective_n_jobs

from handful.arrays import Ints
from handful.candidates import (
    Code,
    Counting,
    Counts,
    Failure,
    GroupLosses,
    Tally,
    ThresholdGrid,
)
from handful.certified.foreign_forms import few_rows, vote
from handful.certified.form_candidates import FormCandidate, Scored
from handful.certified.forms import NamedForm, belief_in, is_readable, simplicity_of
from handful.certified.masses import Roles
from handful.certified.training_pool import Pool, Proposal
from handful.models import Fitted, RiskCurve, refuse_fitted
from handful.progress import current_progress
from handful.tables import Grouping
from handful.threads import one_blas_thread, thread_controller

Learned = tuple[list[Proposal], list[Failure]]


def learn_all(pool: Pool, forms: list[NamedForm], with_vote: bool, n_jobs: int | None) -> Learned:
    """Proposals of all forms, in the order of the forms, and the forms that failed."""
    for form in forms:
        if form.estimator is not None:  # beside a fitted one no certificate of the menu holds
            refuse_fitted("candidates", form.name, form.estimator, *few_rows(pool))
    controller = thread_controller()
    report = current_progress()  # here: other threads do not see what listens

    def run(form: NamedForm) -> Learned:
        start = time.perf_counter()
        report(form.name)
        try:
            # on small tables, threads inside a learner would only wait for each other
            with controller.limit(limits=1, user_api="openmp"):
                found = form.learn(pool)
        except Exception as error:  # a foreign estimator may raise anything
            reason = f"{type(error).__name__}: {error}"
            return [], [Failure(form.name, reason, time.perf_counter() - start)]
        seconds = (time.perf_counter() - start) / max(1, len(found))
        return [replace(p, seconds=seconds, wanted=form.name) for p in found], []

    n_threads = effective_n_jobs(n_jobs)
    with one_blas_thread():  # so that no bit of a result follows the number of threads
        if n_threads == 1:
            done = [run(form) for form in forms]
        else:
            with ThreadPoolExecutor(max_workers=n_threads) as threads:
                done = list(threads.map(run, forms))
    made = [proposal for found, _ in done for proposal in found]
    failures = [failure for _, failed in done for failure in failed]
    return (made + vote(pool, made) if with_vote else made), failures


def standard_error(error: float, n: int) -> float:
    """Standard error of an error rate of n units; never 0, because no error is not certainty."""
    rate = (error * n + 0.5) / (n + 1.0)
    return math.sqrt(rate * (1.0 - rate) / n)


def ranked(
    pool: Pool,
    proposals: Sequence[Proposal],
    classes: tuple[str, ...],
    held_back: Ints,
    favourite: str | None = None,
) -> tuple[list[FormCandidate], list[Failure]]:
    """The proposals in the pool's order, each with the price of its role; nothing is counted yet.

    Cross-validated errors are compared after adding what is believed of each form, in standard
    errors of the smallest one; equals go by simplicity. Proposals that give the same labels on all
    rows of the pool become one row, at the best of their ranks (see `_simplest`); proposals that
    cannot label the pool are given back with the reason. All this is computed from the pool, which
    is not counted, so that roles and masses are fixed before anything is counted. ``favourite`` was
    named beforehand: the best of its proposals plays that role; if it has none, the roles are the
    usual ones.
    """
    made, failures = _labelled(pool, proposals, classes)
    if not made:
        return [], failures
    unit = standard_error(min(one.error for one in made), pool.n_units)
    order = sorted(
        range(len(made)),
        key=lambda i: (
            made[i].error + belief_in(made[i].proposal.form, pool.n_classes) * unit,
            simplicity_of(made[i].proposal.form),
            i,
        ),
    )
    groups: dict[bytes, list[_Labelled]] = {}
    for i in order:
        groups.setdefault(made[i].labels.tobytes(), []).append(made[i])
    rows, named = [], None
    for rank, group in enumerate(groups.values(), start=1):
        wanted = [one for one in group if one.proposal.wanted == favourite]
        if wanted and named is None:
            named = rank
            rows.append(_simplest(wanted, pool))
        else:
            rows.append(_simplest(group, pool))
    roles = Roles.of([row.proposal.form for row in rows], named)
    out = []
    for rank, (row, group) in enumerate(zip(rows, groups.values(), strict=True), start=1):
        also = tuple(other.name for other in group if other is not row)
        out.append(replace(_candidate(pool, row, rank, roles, held_back), also=also))
    return out, failures


@dataclass(frozen=True, eq=False)
class _Labelled:
    """A proposal, its error by the folds of the pool, and its labels of the pool's rows."""

    proposal: Proposal
    fitted: Fitted
    error: float
    labels: Ints

    @property
    def name(self) -> str:
        return self.proposal.name or self.proposal.form


def _labelled(
    pool: Pool, proposals: Sequence[Proposal], classes: tuple[str, ...]
) -> tuple[list[_Labelled], list[Failure]]:
    """The proposals with their labels of the pool, and those that gave none."""
    made, failures = [], []
    for proposal in proposals:
        machine = proposal.machine
        fitted = Fitted(proposal.form, pool.columns, classes, machine, _risk(pool, proposal))
        try:
            labels = machine.labels(pool.table if machine.reads_table else pool.X)
        except Exception as error:  # a foreign estimator may raise anything
            reason = f"{type(error).__name__}: {error}"
            failures.append(Failure(proposal.name or proposal.form, reason, proposal.seconds))
            continue
        made.append(_Labelled(proposal, fitted, _pool_error(pool, proposal), labels))
    return made, failures


def _simplest(group: Sequence[_Labelled], pool: Pool) -> _Labelled:
    """The simplest of some proposals that the pool cannot tell apart, the first of equals.

    A small pool is often fitted without an error by forms that differ elsewhere. So only those
    stand for the others whose error on the folds is the smallest up to a standard error.
    """
    least = min(one.error for one in group)
    near = least + standard_error(least, pool.n_units)
    return min(
        (one for one in group if one.error <= near),
        key=lambda one: (simplicity_of(one.proposal.form), one.fitted.machine.size),
    )


def _candidate(
    pool: Pool, row: _Labelled, rank: int, roles: Roles, held_back: Ints
) -> FormCandidate:
    proposal = row.proposal
    return FormCandidate(
        name=row.name,
        fitted=row.fitted,
        code=Code("pool", (roles.term(rank),)),
        counts=Counts(
            n_held=pool.n_units, n_counted=0, n_errors=0, groups=_on_pool(pool, proposal)
        ),
        held_back=held_back,
        rank=rank,
        roles=roles,
        pool_error=row.error,
        seconds=proposal.seconds,
        is_readable=is_readable(proposal.form),
        simplicity=simplicity_of(proposal.form),
    )


def _risk(pool: Pool, proposal: Proposal) -> RiskCurve | None:
    """The curve of the form's score, by scores of machines that had not seen the row."""
    if proposal.scores is None or pool.n_classes != 2:
        return None
    return RiskCurve.fitted(proposal.scores, pool.y, pool.weight)


def _on_pool(pool: Pool, proposal: Proposal) -> GroupLosses | None:
    """Cross-validated losses of the pool's groups, which decide how groups are certified."""
    if pool.groups is None:
        return None
    warm_up = Grouping.of(pool.groups).means(proposal.guesses != pool.y)
    return GroupLosses(losses=np.zeros(0), warm_up=warm_up, n_first=0)


def _pool_error(pool: Pool, proposal: Proposal) -> float:
    """Error of the guesses; the mean over groups if rows belong together."""
    groups = _on_pool(pool, proposal)
    is_wrong = proposal.guesses != pool.y
    return float(np.mean(is_wrong if groups is None else groups.warm_up))


def counting_of(
    candidates: Sequence[FormCandidate], pool: Pool, positions: Ints, keeps_scores: bool = False
) -> Counting:
    """What counts the candidates; the grids of thresholds come from the pool.

    Groups have no thresholds, because their rows are not independent. ``positions`` are the
    classes of the codes of labels.
    """
    is_by_row = pool.groups is not None
    fitted = tuple(candidate.fitted for candidate in candidates)
    has_grid = pool.n_classes == 2 and not is_by_row
    grids = [
        ThresholdGrid.of(one.machine.scores(pool.X))
        if has_grid and one.machine.has_thresholds
        else None
        for one in fitted
    ]
    return Counting(
        *(fitted, tuple(grids), pool.columns, positions, pool.n_classes, is_by_row, keeps_scores)
    )


def with_counts(
    candidates: Sequence[FormCandidate],
    counted: Sequence[Tally],
    on_pool: Sequence[Tally],
    groups: Grouping | None,
    loss: str,
    delta: float,
) -> tuple[list[FormCandidate], list[Failure]]:
    """The candidates with their counts, and those that could not be counted.

    ``counted`` are the counts of each on the rows outside the pool, in blind order, ``on_pool``
    those on the pool, ``groups`` the groups of the counted rows.
    """
    made, failures = [], []
    for candidate, tally, pool in zip(candidates, counted, on_pool, strict=True):
        if problem := tally.problem or pool.problem:
            failures.append(Failure(candidate.name, problem, candidate.seconds))
            continue
        counts = replace(
            candidate.counts,
            n_counted=tally.n_rows,
            n_errors=tally.n_errors,
            by_class=tally.by_class,
            held_by_class=tuple(n for n, _ in pool.by_class),
            n_unknown=tally.n_unknown,
            n_errors_all=tally.n_errors + pool.n_errors,
            n_said=tuple(a + b for a, b in zip(tally.n_said, pool.n_said, strict=True)),
        )
        if groups is not None and tally.is_wrong is not None and counts.groups is not None:
            losses = GroupLosses.of(groups, tally.is_wrong, loss=loss)
            losses = replace(losses, warm_up=counts.groups.warm_up)
            losses = losses.decided(candidate.nats - math.log(delta))
            n_errors = losses.n_errors
            counts = replace(counts, n_counted=len(groups), n_errors=n_errors, groups=losses)
        made.append(
            replace(
                candidate,
                counts=counts,
                thresholds=tally.thresholds,
                scored=None if tally.scores is None else Scored(tally.scores),
                pool_thresholds=pool.thresholds,
            )
        )
    return made, failures

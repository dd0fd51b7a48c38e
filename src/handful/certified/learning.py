"""From a pool to candidates: learn and rank the forms, merge equals, price roles, add counts."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
from joblib import effective_n_jobs

from handful.arrays import Floats, Ints
from handful.candidates import (
    Code,
    Counting,
    Counts,
    Failure,
    GroupLosses,
    Tally,
    ThresholdGrid,
)
from handful.certified.foreign_forms import few_rows, vote, vote_of
from handful.certified.form_candidates import FormCandidate, Scored
from handful.certified.forms import (
    FORMS,
    NamedForm,
    belief_in,
    is_readable,
    simplicity_of,
    wanted_forms,
)
from handful.certified.masses import Roles
from handful.certified.training_pool import Pool, Proposal
from handful.models import Fitted, RiskCurve, refuse_fitted
from handful.progress import current_progress
from handful.tables import Grouping
from handful.threads import one_blas_thread, thread_controller

_N_MIXED, _MOST_MIXED = 4, 1000  # made-up rows for each row of the pool, and rows that are mixed
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


def learned_again(pool: Pool, candidate: FormCandidate, candidates: Any) -> tuple[Fitted, Proposal]:
    """The form of a candidate with its settings, learned from other rows.

    ``candidates`` are those of the machine that made it.
    """
    named = {form.name: form for form in wanted_forms(candidates, pool.n_classes)[0]}
    forms, old = {**FORMS, **named}, candidate.fitted
    with one_blas_thread(), thread_controller().limit(limits=1, user_api="openmp"):
        made = [
            replace(forms[name].learn(replace(pool, setting=setting))[0], wanted=name)
            for name, setting in candidate.recipe
        ]
    proposal = made[0] if old.form != "vote" else vote_of(pool, made)
    risk = _risk(pool, proposal)
    return Fitted(old.form, pool.columns, old.classes, proposal.machine, risk), proposal


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
) -> list[FormCandidate]:
    """The proposals in the pool's order, each with the price of its role; nothing is counted yet.

    Cross-validated errors are compared after adding what is believed of each form, in standard
    errors of the smallest one; equals go by simplicity. Proposals that are one classifier (see
    `_behaviour`) become one row: the simplest of them, at the best of their ranks. All this is
    computed from the pool, which is not counted, so that roles and masses are fixed before anything
    is counted. ``favourite`` was named beforehand: the best of its proposals plays that role; if it
    has none, the roles are the usual ones.
    """
    errors = [pool_error(pool, proposal) for proposal in proposals]
    unit = standard_error(min(errors), pool.n_units)
    keys = [
        (error + belief_in(p.form, pool.n_classes) * unit, simplicity_of(p.form), i)
        for i, (error, p) in enumerate(zip(errors, proposals, strict=True))
    ]
    probe = _probe(pool)
    groups: dict[Any, list[int]] = {}
    for *_, i in sorted(keys):
        groups.setdefault(_behaviour(proposals[i], pool, probe) or i, []).append(i)
    rows, named = [], None
    for rank, group in enumerate(groups.values(), start=1):
        wanted = [i for i in group if proposals[i].wanted == favourite]
        if wanted and named is None:
            named, group = rank, wanted
        rows.append(min(group, key=lambda i: (simplicity_of(proposals[i].form), proposals[i].size)))
    roles = Roles.of([proposals[i].form for i in rows], named)
    out = []
    for rank, (i, group) in enumerate(zip(rows, groups.values(), strict=True), start=1):
        proposal = proposals[i]
        out.append(
            FormCandidate(
                name=proposal.in_menu,
                also=tuple(proposals[other].in_menu for other in group if other != i),
                fitted=Fitted(
                    proposal.form, pool.columns, classes, proposal.machine, _risk(pool, proposal)
                ),
                code=Code("pool", (roles.term(rank),)),
                counts=Counts(
                    n_held=pool.n_units, n_counted=0, n_errors=0, groups=_on_pool(pool, proposal)
                ),
                held_back=held_back,
                rank=rank,
                roles=roles,
                pool_error=errors[i],
                seconds=proposal.seconds,
                recipe=proposal.recipe,
                is_readable=is_readable(proposal.form),
                simplicity=simplicity_of(proposal.form),
            )
        )
    return out


def _probe(pool: Pool) -> Floats:
    """The pool's rows, and rows made up of its cells: each column shifted against the others.

    On a small pool forms that differ elsewhere often give the same labels to its rows.
    """
    some = pool.X[:_MOST_MIXED]
    n, columns = len(some), np.arange(some.shape[1])
    rows, steps = np.arange(n)[:, None], columns + 1
    mixed = [some[(rows - k * steps) % n, columns] for k in range(1, _N_MIXED + 1)]
    return np.ascontiguousarray(np.vstack([pool.X, *mixed]))


def _behaviour(proposal: Proposal, pool: Pool, probe: Floats) -> bytes | None:
    """Labels of all rows of the pool, and of rows made up of its cells; None if not comparable.

    Proposals with equal labels are one classifier, as far as the pool can tell.
    """
    if proposal.machine.reads_table:  # an estimator of the user is a row of its own
        return None
    return bytes(proposal.machine.labels(probe).tobytes())


def _risk(pool: Pool, proposal: Proposal) -> RiskCurve | None:
    """The curve of the form's score, by scores of machines that had not seen the row."""
    if proposal.scores is None or pool.n_classes != 2:
        return None
    found = RiskCurve.fitted(proposal.scores, pool.y, pool.weight)
    return found if proposal.odds is None else found.after(proposal.odds)


def _on_pool(pool: Pool, proposal: Proposal) -> GroupLosses | None:
    """Cross-validated losses of the pool's groups, which decide how groups are certified."""
    if pool.groups is None:
        return None
    warm_up = Grouping.of(pool.groups).means(proposal.guesses != pool.y)
    return GroupLosses(losses=np.zeros(0), warm_up=warm_up, n_first=0)


def pool_error(pool: Pool, proposal: Proposal) -> float:
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
    some = slice(None) if groups is None else groups.first  # one blindly drawn row of each group
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
                scored=None if tally.scores is None else Scored(tally.scores[some]),
                pool_thresholds=pool.thresholds,
            )
        )
    return made, failures

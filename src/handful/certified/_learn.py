"""From a pool to a menu: learn, rank, price, count."""

from __future__ import annotations

import math
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from threadpoolctl import ThreadpoolController

from handful._progress import current_progress
from handful._threads import one_blas_thread
from handful._types import Ints
from handful.bounds import Term
from handful.certified._counting import Counting, by_classes
from handful.certified._foreign_forms import vote
from handful.certified._forms import BELIEF, FORMS, Form, simplicity_of
from handful.certified._groups import count_groups, group_means
from handful.certified._pool import Pool
from handful.certified._proposals import Proposal
from handful.certified._records import Candidate, Counts, Failure, rank_masses
from handful.fitted import Fitted
from handful.tables import Units

Learned = tuple[list[tuple[Proposal, float]], list[Failure]]


def learn_all(pool: Pool, forms: list[Form], with_vote: bool, n_jobs: int | None) -> Learned:
    """Proposals of all forms in the order of the forms, each with its seconds; failures apart."""
    controller = ThreadpoolController()
    report = current_progress()  # here: other threads do not see who watches

    def run(form: Form) -> tuple[list[Proposal], float, str]:
        start = time.perf_counter()
        report(form.name)
        try:
            # on small tables, threads inside a learner would only wait for each other
            with controller.limit(limits=1, user_api="openmp"):
                found, reason = form.learn(pool), ""
        except Exception as error:  # a foreign estimator may raise anything
            found, reason = [], f"{type(error).__name__}: {error}"
        return found, time.perf_counter() - start, reason

    n_threads = effective_n_jobs(n_jobs)
    with one_blas_thread():  # so that no bit of a result follows the number of threads
        if n_threads == 1:
            done = [run(form) for form in forms]
        else:
            with ThreadPoolExecutor(max_workers=n_threads) as threads:
                done = list(threads.map(run, forms))
    made: list[tuple[Proposal, float]] = []
    failures = []
    for form, (found, seconds, reason) in zip(forms, done, strict=True):
        made += [(proposal, seconds / len(found)) for proposal in found]
        if reason:
            failures.append(Failure(form.name, reason, seconds))
    if with_vote:
        made += [(proposal, 0.0) for proposal in vote(pool, [p for p, _ in made])]
    return made, failures


def ranked(pool: Pool, made: list[tuple[Proposal, float]]) -> list[tuple[Proposal, float, float]]:
    """Proposals in the pool's order, with their seconds and cross-validated errors.

    Errors are compared after adding what is believed of each form, in standard errors of the
    smallest one; equals go by simplicity.
    """
    errors = [pool_error(pool, proposal.guesses) for proposal, _ in made]
    unit = standard_error(min(errors), units_in_pool(pool))
    keys = [
        (error + BELIEF.get(proposal.form, 0.0) * unit, simplicity_of(proposal.form), i)
        for i, (error, (proposal, _)) in enumerate(zip(errors, made, strict=True))
    ]
    return [(*made[key[2]], errors[key[2]]) for key in sorted(keys)]


def standard_error(error: float, n: int) -> float:
    """Of an error rate estimated from n units; never 0, as no error is not certainty."""
    rate = (error * n + 0.5) / (n + 1.0)
    return math.sqrt(rate * (1.0 - rate) / n)


def pool_error(pool: Pool, guesses: Ints) -> float:
    """Error of the guesses; the mean over groups where there are groups."""
    is_wrong = guesses != pool.y
    if pool.groups is None:
        return float(np.mean(is_wrong))
    return float(np.mean(group_means(is_wrong, pool.groups)))


def make_candidates(
    pool: Pool,
    made: list[tuple[Proposal, float]],
    table: Any,
    y: Ints,
    units: Units,
    classes: tuple[str, ...],
    delta: float,
    group_loss: str,
) -> tuple[list[Candidate], list[Failure]]:
    """Price every proposal by its rank and count its errors on the rows outside the pool."""
    in_order = ranked(pool, made)
    masses = rank_masses(len(in_order))
    n_pool = units_in_pool(pool)
    held_back = np.sort(units.rows_of(units.order[:n_pool]))
    counted = units.rows_of(units.order[n_pool:])
    candidates, failures = [], []
    all_fitted = [Fitted(p.form, pool.columns, classes, p.machine) for p, _, _ in in_order]
    labelled = Counting.of(all_fitted, pool).rows(table, y, counted)
    for rank, ((proposal, seconds, error), fitted, found, mass) in enumerate(
        zip(in_order, all_fitted, labelled, masses, strict=True), start=1
    ):
        name = proposal.name or proposal.form
        term = Term("rank", f"rank {rank} of {len(in_order)} in the pool's order", -math.log(mass))
        if isinstance(found, Exception):
            failures.append(Failure(name, f"{type(found).__name__}: {found}", seconds))
            continue
        guess, grades = found
        counts = _counts(pool, proposal, guess, y[counted], counted, units, term.nats, delta,
                         group_loss)  # fmt: skip
        form = FORMS.get(proposal.form)
        candidates.append(
            Candidate(
                name=name,
                fitted=fitted,
                made_of=held_back,
                held_back=held_back,
                terms=(term,),
                counts=counts,
                rank=rank,
                pool_error=error,
                seconds=seconds,
                is_readable=proposal.form.endswith("score card") or bool(form and form.is_readable),
                simplicity=simplicity_of(proposal.form),
                n_ranked=len(in_order),
                grades=grades,
            )
        )
    return candidates, failures


def units_in_pool(pool: Pool) -> int:
    """Rows or groups in the pool."""
    return len(pool) if pool.groups is None else len(np.unique(pool.groups))


def _counts(
    pool: Pool,
    proposal: Proposal,
    guess: Ints,
    y: Ints,
    rows: Ints,
    units: Units,
    nats: float,
    delta: float,
    group_loss: str,
) -> Counts:
    is_wrong = guess != y
    by_class = by_classes(guess, y, pool.n_classes)
    if units.member is None or pool.groups is None:
        return Counts(len(rows), int(np.count_nonzero(is_wrong)), by_class)
    pool_losses = group_means(proposal.guesses != pool.y, pool.groups)
    counts = count_groups(
        is_wrong, units.member[rows], pool_losses, group_loss, nats - math.log(delta)
    )
    return Counts(counts.n_counted, counts.n_errors, by_class, counts.losses, counts.warm_up)

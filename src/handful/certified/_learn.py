"""From a pool to a menu: learn, rank, price, count."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from threadpoolctl import ThreadpoolController

from handful._progress import current_progress
from handful._threads import one_blas_thread
from handful._types import Ints
from handful.bounds import Term
from handful.certified._counting import Counting, Tally, by_classes
from handful.certified._foreign_forms import few_rows, vote
from handful.certified._forms import FORMS, Form, belief_in, simplicity_of
from handful.certified._grades import Grades
from handful.certified._groups import count_groups, group_means
from handful.certified._pool import Pool
from handful.certified._proposals import Proposal
from handful.certified._records import Candidate, Counts, Failure, rank_masses
from handful.models import Fitted, refuse_fitted
from handful.tables import Units

Learned = tuple[list[tuple[Proposal, float]], list[Failure]]


def learn_all(pool: Pool, forms: list[Form], with_vote: bool, n_jobs: int | None) -> Learned:
    """Proposals of all forms in the order of the forms, each with its seconds; failures apart."""
    for form in forms:
        if form.estimator is not None:  # beside a fitted one no certificate of the menu holds
            refuse_fitted("candidates", form.name, form.estimator, *few_rows(pool))
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
        (error + belief_in(proposal.form, pool.n_classes) * unit, simplicity_of(proposal.form), i)
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


@dataclass(frozen=True, eq=False)
class Priced:
    """A proposal with its place in the pool's order, before anything is counted."""

    proposal: Proposal
    fitted: Fitted
    rank: int
    term: Term
    pool_error: float
    seconds: float


Counted = tuple[Counts, Grades | None] | str  # what was counted, or what went wrong


def price(pool: Pool, made: list[tuple[Proposal, float]], classes: tuple[str, ...]) -> list[Priced]:
    """All proposals in the pool's order, each with the price of its rank."""
    in_order = ranked(pool, made)
    n, masses = len(in_order), rank_masses(len(in_order))
    return [
        Priced(
            proposal,
            Fitted(proposal.form, pool.columns, classes, proposal.machine),
            rank,
            Term("rank", f"rank {rank} of {n} in the pool's order", -math.log(mass)),
            error,
            seconds,
        )
        for rank, ((proposal, seconds, error), mass) in enumerate(
            zip(in_order, masses, strict=True), start=1
        )
    ]


def count_rows(
    pool: Pool,
    priced: list[Priced],
    table: Any,
    y: Ints,
    units: Units,
    delta: float,
    group_loss: str,
) -> list[Counted]:
    """Errors of all candidates on the rows of a table outside the pool."""
    counted = units.rows_of(units.order[units_in_pool(pool) :])
    counting = Counting.of([one.fitted for one in priced], pool)
    out: list[Counted] = []
    for one, found in zip(priced, counting.rows(table, y, counted), strict=True):
        if isinstance(found, Exception):
            out.append(f"{type(found).__name__}: {found}")
            continue
        guess, grades = found
        counts = _counts(pool, one.proposal, guess, y[counted], counted, units, one.term.nats,
                         delta, group_loss)  # fmt: skip
        out.append((counts, grades))
    return out


def counted_tally(tally: Tally) -> Counted:
    """What was added up over chunks of rows."""
    if tally.problem:
        return tally.problem
    return Counts.of_classes(tally.by_class, tally.n_unknown), tally.grades


def make_candidates(
    priced: list[Priced], counted: Sequence[Counted], held_back: Ints
) -> tuple[list[Candidate], list[Failure]]:
    """Candidates with prices and counts; those that could not be counted apart."""
    candidates, failures = [], []
    for one, found in zip(priced, counted, strict=True):
        proposal = one.proposal
        name = proposal.name or proposal.form
        if isinstance(found, str):
            failures.append(Failure(name, found, one.seconds))
            continue
        form = FORMS.get(proposal.form)
        candidates.append(
            Candidate(
                name=name,
                fitted=one.fitted,
                made_of=held_back,
                held_back=held_back,
                terms=(one.term,),
                counts=found[0],
                rank=one.rank,
                pool_error=one.pool_error,
                seconds=one.seconds,
                is_readable=proposal.form.endswith("score card") or bool(form and form.is_readable),
                simplicity=simplicity_of(proposal.form),
                n_ranked=len(priced),
                grades=found[1],
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
    is_wrong = guess != y  # also where the pool does not know the class, at -1
    by_class = by_classes(guess, y, pool.n_classes)
    n_unknown = int(np.count_nonzero(y < 0))
    if units.member is None or pool.groups is None:
        return Counts.of_classes(by_class, n_unknown)
    pool_losses = group_means(proposal.guesses != pool.y, pool.groups)
    counts = count_groups(
        is_wrong, units.member[rows], pool_losses, group_loss, nats - math.log(delta)
    )
    return replace(counts, by_class=by_class, n_unknown=n_unknown)

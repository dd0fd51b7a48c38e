"""All candidates with certificates that hold at once."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from handful._types import Floats, Ints
from handful.bounds import (
    MISCLASSIFIED,
    Assumption,
    Certificate,
    Message,
    Quantity,
    betting_bound,
    binomial_tail_inverse,
    pool_bound,
)
from handful.certified._records import Candidate, Failure

if TYPE_CHECKING:
    import pandas as pd

CANDIDATES, POOL_SHARE, DELTA = "readable", 0.4, 0.05  # the defaults of a menu
COLUMNS = (
    "form",
    "size",
    "uses",
    "n_errors",
    "certificate",
    "price",
    "pool_error",
    "seconds",
    "simplicity",
    "is_readable",
    "reason",
)


@dataclass(frozen=True, eq=False)
class Menu:
    """Candidates in the order of their certificates, and those that failed.

    Every certificate holds at the same time as all others, so that whoever looks at the menu may
    take any row: the union over candidates is paid in each price.

    Parameters
    ----------
    candidates : tuple of Candidate
    n_samples, n_held_back : int
        Units (rows or groups) in the table, and those that are not counted.
    delta : float
    failures : tuple of Failure
    quantity, assumptions, notes
        What the certificates are about, what they assume, and what a reader should know.
    named : tuple of str
        What was set other than by default; see `named_settings`.
    """

    candidates: tuple[Candidate, ...]
    n_samples: int
    n_held_back: int
    delta: float
    failures: tuple[Failure, ...] = ()
    quantity: Quantity = MISCLASSIFIED
    assumptions: tuple[Assumption, ...] = ()
    named: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @cached_property
    def risks(self) -> Floats:
        """Certified risks of all candidates at once."""
        return self.risks_at(self.delta)

    def risks_at(self, delta: float) -> Floats:
        """Certified risks at another confidence."""
        errors = np.array([c.counts.n_errors for c in self.candidates], dtype=np.int64)
        counted = np.array([c.counts.n_counted for c in self.candidates], dtype=np.int64)
        # Each candidate pays for its own rank, so that all limits hold at once.
        log_delta = math.log(delta) - np.array([c.nats for c in self.candidates])
        out = np.atleast_1d(np.asarray(binomial_tail_inverse(errors, counted, log_delta))).copy()
        for i, candidate in enumerate(self.candidates):
            if candidate.counts.losses is not None:
                out[i] = self._betting(candidate, delta).risk
        return out

    @cached_property
    def order(self) -> Ints:
        """Positions of the candidates, smallest certificate first; then the simpler."""
        keys = [
            (self.risks[i], c.simplicity, c.fitted.machine.size, c.rank)
            for i, c in enumerate(self.candidates)
        ]
        return np.array(sorted(range(len(keys)), key=lambda i: keys[i]), dtype=np.int64)

    def default(self, tolerance: float) -> int:
        """Position in ``order`` of the simplest candidate within ``tolerance`` of the best."""
        risks = self.risks[self.order]
        # Choosing is free: every row of the menu holds, whoever takes it and for whatever reason.
        near = np.flatnonzero(risks <= risks[0] + tolerance)

        def key(row: int) -> tuple[int, int, int]:
            candidate = self.candidates[self.order[row]]
            return candidate.simplicity, candidate.fitted.machine.size, row

        return int(min(near.tolist(), key=key))

    def __len__(self) -> int:
        return len(self.candidates)

    def __getitem__(self, row: int) -> Candidate:
        """The candidate in a row of the menu."""
        return self.candidates[self.order[row]]

    def row_of(self, choice: Any) -> int:
        """Row of a number or a name."""
        names = [self[row].name for row in range(len(self))]
        if isinstance(choice, str):
            if choice in names:
                return names.index(choice)
            failed = {failure.name: failure.reason for failure in self.failures}
            if choice in failed:
                raise ValueError(f"{choice!r} has no certificate: {failed[choice]}")
            raise ValueError(f"`choice` must be one of {names}, got {choice!r}.")
        if isinstance(choice, bool) or not isinstance(choice, (int, np.integer)):
            raise TypeError(f"`choice` must be a row number or a name, got {choice!r}.")
        if not 0 <= choice < len(self):
            raise ValueError(f"`choice` must be in [0, {len(self) - 1}], got {choice}.")
        return int(choice)

    def certificate(self, row: int, delta: float | None = None, n_choices: int = 1) -> Certificate:
        """The itemised certificate of a row; the other rows stay valid beside it."""
        return self.certify(self[row], delta, n_choices)

    def certify(
        self, candidate: Candidate, delta: float | None = None, n_choices: int = 1
    ) -> Certificate:
        """The itemised certificate of a candidate, which may be a row moved to a threshold."""
        delta = self.delta if delta is None else delta
        counts = candidate.counts
        if counts.losses is not None:
            made = self._betting(candidate, delta, n_choices)
        else:
            n_samples = self.n_held_back + counts.n_counted
            made = pool_bound(
                n_samples,
                self.n_held_back,
                counts.n_errors,
                message_nats=_message(candidate),
                delta=delta,
                n_choices=n_choices,
            )
        names = self.named_beforehand(candidate, delta)
        named = (named_beforehand(names),) if names else ()
        made = made.assuming("prepared", *self.assumptions, *named)
        return replace(made, quantity=self.quantity, notes=(*made.notes, *self.notes))

    def named_beforehand(self, candidate: Candidate, delta: float) -> tuple[str, ...]:
        """What must have been named before any certificate was seen, or nobody paid for it."""
        more = {
            "delta": delta != DELTA,
            "the goal": any(term.kind == "threshold" for term in candidate.terms),
        }
        return (*self.named, *(name for name, is_named in more.items() if is_named))

    def _betting(self, candidate: Candidate, delta: float, n_choices: int = 1) -> Certificate:
        counts = candidate.counts
        assert counts.losses is not None
        return betting_bound(
            counts.losses.tolist(),
            warm_up=[] if counts.warm_up is None else counts.warm_up.tolist(),
            message_nats=_message(candidate),
            delta=delta,
            n_choices=n_choices,
        )

    def frame(self) -> pd.DataFrame:
        """One row a candidate, then one a failure."""
        import pandas as pd

        rows = [_row(self[i], float(self.risks[self.order[i]])) for i in range(len(self))]
        frame = pd.DataFrame(rows, columns=["name", *COLUMNS]).set_index("name")
        if not self.failures:
            return frame
        failed = pd.DataFrame(
            [
                {"name": f.name, "form": f.name, "seconds": f.seconds, "reason": f.reason}
                for f in self.failures
            ]
        ).set_index("name")
        return pd.concat([frame.astype(object), failed.astype(object)])[list(COLUMNS)]


def named_settings(candidates: Any, pool_share: float) -> tuple[str, ...]:
    """Settings of a menu that are not the defaults, in words.

    Fitting the row that one likes alone, after a look at the whole menu, drops its price.

    Examples
    --------
    >>> named_settings(["one rule"], 0.4)
    ('the forms',)
    """
    is_default = isinstance(candidates, str) and candidates == CANDIDATES
    other = {"the forms": not is_default}
    other["the share of the pool"] = pool_share != POOL_SHARE
    return tuple(name for name, is_named in other.items() if is_named)


def named_beforehand(names: tuple[str, ...]) -> Assumption:
    """The assumption that goes with settings of one's own.

    Examples
    --------
    >>> print(named_beforehand(("the forms", "delta")))
    the forms and delta were named before any certificate was seen
    """
    listed = " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
    verb = "were" if len(names) > 1 or names[0] == "the forms" else "was"
    return Assumption.of("named", names=listed, verb=verb)


def _message(candidate: Candidate) -> Message:
    return Message(candidate.terms)


def _row(candidate: Candidate, risk: float) -> dict[str, Any]:
    fitted = candidate.fitted
    return {
        "name": candidate.name,
        "form": fitted.form,
        "size": fitted.machine.size,
        "uses": ", ".join(fitted.uses) or ("–" if candidate.is_readable else "?"),
        "n_errors": candidate.counts.n_errors,
        "certificate": risk,
        "price": candidate.nats,
        "pool_error": candidate.pool_error,
        "seconds": candidate.seconds,
        "simplicity": candidate.simplicity,
        "is_readable": candidate.is_readable,
        "reason": "",
    }

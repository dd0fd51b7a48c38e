"""All candidates with certificates that hold at once: ordered, chosen, shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np

from handful.arrays import Floats, Ints
from handful.bounds import MISCLASSIFIED, Assumption, Certificate, Quantity
from handful.candidates.candidate import Candidate, Failure
from handful.candidates.pricing import Costs, certified_risks, certify

if TYPE_CHECKING:
    import pandas as pd

C = TypeVar("C", bound=Candidate)


@dataclass(frozen=True, eq=False)
class Menu(Generic[C]):
    """Candidates in the order of their certificates, and those that failed.

    Each price pays for the union over all candidates. So every certificate holds at the same time
    as all others, and any row may be chosen, for any reason.

    Parameters
    ----------
    candidates : tuple of Candidate
    delta : float
        Allowed probability that any certificate fails.
    failures : tuple of Failure
    quantity, assumptions, notes
        What the certificates are about, what they assume, and what a reader should know.
    costs : pair of float, optional
        Costs of a false positive and of a false negative; candidates are then compared by them.
    """

    candidates: tuple[C, ...]
    delta: float
    failures: tuple[Failure, ...] = ()
    quantity: Quantity = MISCLASSIFIED
    assumptions: tuple[Assumption, ...] = ()
    notes: tuple[str, ...] = ()
    costs: Costs | None = None
    _made: dict[tuple[Candidate, float, int], Certificate] = field(
        default_factory=dict, init=False, repr=False
    )

    @cached_property
    def risks(self) -> Floats:
        """Certified risks of all candidates, in the order of ``candidates``."""
        return certified_risks(self.candidates, self.delta, self.costs)

    @property
    def best(self) -> int:
        """Position of the candidate with the smallest certificate, the simplest of equals."""
        keys = ((self.risks[i], c.tie_break, i) for i, c in enumerate(self.candidates))
        return min(keys)[-1]

    def replaced(self, position: int, candidate: C) -> Menu[C]:
        """The same menu with one other candidate; the other risks are not computed again."""
        candidates, risks = list(self.candidates), self.risks.copy()
        candidates[position] = candidate
        risks[position] = certified_risks([candidate], self.delta, self.costs)[0]
        return self._with(candidates, risks)

    def changed(self, change: Callable[[C], C]) -> Menu[C]:
        """The same menu; ``change`` moves nothing in a candidate that its risk depends on."""
        return self._with([change(candidate) for candidate in self.candidates], self.risks)

    def alone(self, position: int) -> Menu[C]:
        """One of the candidates, and no others."""
        return self._with([self.candidates[position]], self.risks[[position]])

    def _with(self, candidates: Sequence[C], risks: Floats) -> Menu[C]:
        made = replace(self, candidates=tuple(candidates))
        vars(made)["risks"] = risks
        return made

    @cached_property
    def order(self) -> Ints:
        """Positions of the candidates, smallest certificate first, then the simplest."""
        keys = [(self.risks[i], c.tie_break, i) for i, c in enumerate(self.candidates)]
        return np.array([key[-1] for key in sorted(keys)], dtype=np.int64)

    def __len__(self) -> int:
        return len(self.candidates)

    def __getitem__(self, row: int) -> C:
        """The candidate in a row of the menu."""
        return self.candidates[self.order[row]]

    def default(self, tolerance: float, among: Iterable[int] | None = None) -> int:
        """Row of the simplest candidate within ``tolerance`` of the best, among some rows."""
        rows = list(range(len(self)) if among is None else among)
        risks = self.risks[self.order]
        best = min(risks[row] for row in rows)
        # Choosing is free: every row of the menu holds.
        near = [row for row in rows if risks[row] <= best + tolerance]
        return min(near, key=lambda row: (self[row].tie_break, row))

    def row_of(self, choice: Any) -> int:
        """Row of a number or a name; equal candidates are one row."""
        names = [self[row].name for row in range(len(self))]
        if isinstance(choice, str):
            if choice in names:
                return names.index(choice)
            if equal := [row for row in range(len(self)) if choice in self[row].also]:
                return equal[0]
            failed = {failure.name: failure.reason for failure in self.failures}
            if choice in failed:
                raise ValueError(f"{choice!r} has no certificate: {failed[choice]}")
            raise ValueError(f"`choice` must be one of {names}, got {choice!r}.")
        if isinstance(choice, bool) or not isinstance(choice, (int, np.integer)):
            raise TypeError(f"`choice` must be a row number or a name, got {choice!r}.")
        if not 0 <= choice < len(self):
            raise ValueError(f"`choice` must be in [0, {len(self) - 1}], got {choice}.")
        return int(choice)

    def certificate(
        self, candidate: C, delta: float | None = None, n_choices: int = 1
    ) -> Certificate:
        """The itemised certificate of a candidate, which may be a row at another threshold.

        It is computed once for each candidate and confidence.
        """
        delta = self.delta if delta is None else delta
        key = (candidate, delta, n_choices)
        if key not in self._made:
            made = certify(candidate.code, candidate.counts, delta, n_choices=n_choices)
            made = candidate.stated(made)
            made = made.assuming(*self.assumptions)
            notes = (*made.notes, *self.notes)
            self._made[key] = replace(made, quantity=self.quantity, notes=notes)
        return self._made[key]

    def frame(self) -> pd.DataFrame:
        """One row a candidate, smallest certificate first; then one a failure."""
        import pandas as pd

        shown = [self[row].shown(float(self.risks[self.order[row]])) for row in range(len(self))]
        frame = pd.DataFrame(shown).set_index("name")
        if not self.failures:
            return frame
        failed = pd.DataFrame(
            [
                {"name": f.name, "form": f.name, "seconds": f.seconds, "reason": f.reason}
                for f in self.failures
            ]
        ).set_index("name")
        both = pd.concat([frame.astype(object), failed.astype(object)])
        return both[list(frame.columns)]

    def path(self, chosen: Candidate) -> pd.DataFrame:
        """One row a candidate, in the order in which they were made; the chosen one is marked."""
        import pandas as pd

        return pd.DataFrame(
            {**candidate.shown(float(risk)), "is_chosen": candidate is chosen}
            for candidate, risk in zip(self.candidates, self.risks, strict=True)
        )

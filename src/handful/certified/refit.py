"""The chosen form learned from all rows: an estimate, or a certificate by disagreement."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handful.bounds import Certificate, disagreement_bound, percent_text
from handful.certified.form_candidates import named_beforehand
from handful.evidence import score_rows_needed
from handful.models import Fitted
from handful.tables import FeatureReader, SeenRows, as_pandas

NOT_CERTIFIED = (
    "NOT CERTIFIED: this rule was learned from the counted rows too: none is left to count, and it "
    "carries no certificate."
)
BY_DISAGREEMENT = (
    "This rule was learned from the counted rows too: it has no certificate but that by its "
    "disagreement with the certified rule on unlabelled rows."
)


@dataclass(frozen=True, eq=False)
class Refit:
    """The chosen row with its settings, learned from all rows; what is said of it is an estimate.

    Attributes
    ----------
    machine : CertifiedClassifier
        The machine with the certified rule.
    fitted : Fitted
        The new rule as data.
    n_rows, n_same : int
        Rows that it was learned from, and those of them that get the label of the certified rule.
    error : float
        Its cross-validated error on these rows: an estimate. Its form and settings were chosen
        before, by looking at some of them.
    certificate : Certificate or None
        By disagreement, if unlabelled rows were given to `certify`.
    n_unlabelled, n_disagreements : int
        These rows, and those of them that get another label than by the certified rule.
    is_picked : bool
        Whether the row may have been picked after a look at disagreements.
    """

    machine: Any
    fitted: Fitted
    n_rows: int
    n_same: int
    error: float
    _reader: Any = field(repr=False)
    _seen: SeenRows = field(repr=False)
    certificate: Certificate | None = None
    n_unlabelled: int = 0
    n_disagreements: int = 0
    is_picked: bool = True

    @property
    def sentence(self) -> str:
        """What must be said before any label of it."""
        return NOT_CERTIFIED if self.certificate is None else BY_DISAGREEMENT

    def predict(self, X: Any) -> NDArray[Any]:
        """Labels by the new rule."""
        return np.asarray(self._reader.predict(X))

    def rows_needed(self) -> int | None:
        """New labelled rows that would certify it as well as the certified rule, if it errs so.

        None if no number would. They must be used for nothing else; see `handful validate`.
        """
        target = self.machine.certificate_.risk
        if not self.error < target < 1.0:
            return None
        return score_rows_needed(target, self.error, delta=self.machine.delta)

    def certify(self, X: Any, *, is_picked: bool = True) -> Refit:
        """The same with a certificate by disagreement with the certified rule.

        Statement: with probability 1 - delta, for the refits of all rows of the menu at once, the
        risk is at most the certificate of the row at half of its share of delta, plus the limit of
        the share of new rows on which the two disagree at the other half.

        Parameters
        ----------
        X : array or data frame
            Unlabelled rows: as new cases are, and used in no training, scaling or choice. Rows
            that equal rows of the table are refused, unless equal rows are as frequent in it.
        is_picked : bool
            The row may have been picked after a look at disagreements, and pays its price for them
            too. Say False only if this row alone was fixed before.

        Examples
        --------
        >>> from handful import CertifiedClassifier
        >>> X = np.random.default_rng(0).normal(size=(400, 2))
        >>> y = X[:200, 0] > 0
        >>> machine = CertifiedClassifier(["linear"]).fit(X[:200], y)
        >>> machine.refit(X[:200], y).certify(X[200:]).certificate.risk < 0.25
        True
        """
        machine = self.machine
        if machine.candidate_.counts.groups is not None:
            raise ValueError(
                "`X` must have rows that are independent, got a machine of groups. Collect labels "
                "of new groups instead."
            )
        X = _as_fitted(machine, X)
        told = machine.predict(X)
        self._seen.refuse(FeatureReader(machine.columns_)(X), np.zeros(len(told)))
        nats = machine.candidate_.nats
        half = machine.certify(machine.delta / 2.0)
        n, k = len(told), int(np.count_nonzero(told != self.predict(X)))
        made = disagreement_bound(
            *(n, k, half.risk), message_nats=nats if is_picked else 0.0, delta=machine.delta
        )
        kept = [one for one in machine.certificate_.assumptions if one.key != "iid"]
        kept += [] if is_picked else [named_beforehand(("the compared row",))]
        made = replace(made.assuming(*kept), notes=half.notes)
        return replace(
            self, certificate=made, n_unlabelled=n, n_disagreements=k, is_picked=is_picked
        )

    def lines(self) -> list[str]:
        """What is known of the new rule, one sentence a line; the first says what it carries."""
        certificate, needed = self.machine.certificate_, self.rows_needed()
        known = f"{percent_text(certificate.risk)}, the certificate of the certified rule"
        is_grouped = self.machine.candidate_.counts.groups is not None
        unit = "new groups (a labelled row of each)" if is_grouped else "new labelled rows"
        said = [
            self.sentence,
            f"Estimate, not certified: it errs on {100.0 * self.error:.1f} % of new cases (cross-"
            f"validated on its {self.n_rows} rows; form and settings had been chosen before).",
            f"It gives the label of the certified rule to {self.n_same} of these {self.n_rows} "
            "rows.",
        ]
        if needed is not None:
            said.append(
                f"About {needed} {unit}, used for nothing else, would certify it at {known}, if it "
                "errs as often as estimated (handful validate)."
            )
        elif not certificate.is_vacuous:
            said.append(f"If it errs as often as estimated, no number of {unit} certifies {known}.")
        if self.certificate is not None:
            own, other = (percent_text(term.nats) for term in self.certificate.terms)
            said.insert(
                1,
                f"{self.certificate.statement()} The certified rule errs on at most {own} (at half "
                f"of delta), and the two disagree on {self.n_disagreements} of "
                f"{self.n_unlabelled} unlabelled rows, at most {other} of new cases.",
            )
        return said

    def to_dict(self) -> dict[str, Any]:
        """The same as plain data."""
        return {
            "sentence": self.sentence,
            "form": self.fitted.form,
            "rule": self.fitted.sentences(),
            "n_rows": self.n_rows,
            "n_same": self.n_same,
            "estimated_error": self.error,
            "rows_needed": self.rows_needed(),
            "certificate": None if self.certificate is None else self.certificate.to_dict(),
            "n_unlabelled": self.n_unlabelled,
            "n_disagreements": self.n_disagreements,
        }


def _as_fitted(machine: Any, X: Any) -> Any:
    """A frame with the columns that the machine was fitted to; those that are not used may lack."""
    if not hasattr(X, "columns"):
        return X
    frame = as_pandas(X)
    used = [column.name for column in machine.columns_ if column.role == "feature"]
    if lacking := [name for name in used if name not in frame.columns]:
        raise ValueError(
            f"`X` must have the columns that were learned from, got none named {lacking[0]!r}. "
            f"It has: {list(frame.columns)[:10]}."
        )
    return frame.reindex(columns=list(machine.feature_names_in_))

"""Displays of certificates: along the path of a machine, and what one certificate pays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handful.arrays import Floats
from handful.bounds import Certificate
from handful.display import Display, legend_above


@dataclass
class BoundPathDisplay(Display):
    """Certificate and training error against the number of rules, best candidate of each size.

    Examples
    --------
    >>> from handful import BoundPathDisplay, SetCoveringMachine, load_dataset
    >>> data = load_dataset("haberman-294")
    >>> machine = SetCoveringMachine(rules="stumps", random_state=0).fit(data.X, data.y)
    >>> display = BoundPathDisplay.from_estimator(machine)
    >>> list(display.frame().columns)
    ['n_rules', 'certificate', 'training_error', 'is_chosen']
    """

    n_rules: NDArray[np.int64]
    certificate: Floats
    training_error: Floats
    is_chosen: NDArray[np.bool_]

    @classmethod
    def from_estimator(cls, machine: Any, *, label: Any = None) -> BoundPathDisplay:
        """From a fitted `SetCoveringMachine` or `DecisionListMachine`.

        Parameters
        ----------
        machine : fitted estimator
        label : object, optional
            With more than two classes, the class whose machine is shown; the first by default.
        """
        path = machine.path_
        first = path["machine"].iloc[0] if label is None else label
        path = path[path["machine"] == first].sort_values(
            ["n_rules", "certificate", "is_chosen"], ascending=[True, True, False], kind="stable"
        )
        # Of equal certificates the chosen candidate comes first, so that it is the one drawn.
        best = path.groupby("n_rules", sort=True).head(1)
        return cls(
            best["n_rules"].to_numpy(),
            best["certificate"].to_numpy(),
            best["n_training_errors"].to_numpy() / machine.n_samples_,
            best["is_chosen"].to_numpy(),
        )

    def _columns(self) -> dict[str, Any]:
        names = ("n_rules", "certificate", "training_error", "is_chosen")
        return {name: getattr(self, name) for name in names}

    def plot(self, ax: Any = None) -> BoundPathDisplay:
        """Two curves and the chosen point."""
        ax = self._axes(ax)
        ax.plot(self.n_rules, self.certificate, "o-", label="certificate")
        ax.plot(self.n_rules, self.training_error, "s--", label="training error")
        chosen = np.flatnonzero(self.is_chosen)
        ax.plot(
            self.n_rules[chosen],
            self.certificate[chosen],
            "o",
            ms=15,
            mfc="none",
            mec="C2",
            mew=2,
            label="chosen",
        )
        ax.set(xlabel="number of rules", ylabel="risk", ylim=(0, None))
        ax.set_xticks(np.unique(self.n_rules)[:: max(1, len(self.n_rules) // 12)])
        legend_above(ax)
        return self


@dataclass
class CertificateDisplay(Display):
    """Every nat of a certificate as a bar.

    Examples
    --------
    >>> from handful import CertificateDisplay
    >>> from handful.bounds import compression_bound
    >>> CertificateDisplay(compression_bound(615, 3, 15)).frame()["nats"].round(2).tolist()
    [17.47, 3.27, 3.0]
    """

    certificate: Certificate

    def _columns(self) -> dict[str, Any]:
        terms = self.certificate.terms
        return {
            "kind": [term.kind for term in terms],
            "term": [term.text for term in terms],
            "nats": [term.nats for term in terms],
        }

    def plot(self, ax: Any = None) -> CertificateDisplay:
        """Horizontal bars, the first term on top."""
        ax = self._axes(ax)
        names = [term.text for term in self.certificate.terms]
        values = [term.nats for term in self.certificate.terms]
        ax.barh(range(len(names)), values)
        ax.set_yticks(range(len(names)), names, parse_math=False)
        ax.invert_yaxis()
        unit = "nats" if self.certificate.unit == "nats" else "risk"
        ax.set(xlabel=unit, title=str(self.certificate).split(" (")[0])
        return self

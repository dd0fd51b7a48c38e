"""Displays of certificates: along the path of a machine, and what one certificate pays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from handful._types import Floats
from handful.bounds import Certificate
from handful.report._axes import axes_or_new, legend_above

if TYPE_CHECKING:
    import pandas as pd


@dataclass
class BoundPathDisplay:
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
        best = path.groupby("n_rules", sort=True).head(1)
        return cls(
            best["n_rules"].to_numpy(),
            best["certificate"].to_numpy(),
            best["n_training_errors"].to_numpy() / machine.n_samples_,
            best["is_chosen"].to_numpy(),
        )

    def frame(self) -> pd.DataFrame:
        """What is plotted."""
        import pandas as pd

        names = ("n_rules", "certificate", "training_error", "is_chosen")
        return pd.DataFrame({name: getattr(self, name) for name in names})

    def plot(self, ax: Any = None) -> BoundPathDisplay:
        """Two curves and the chosen point."""
        ax = axes_or_new(ax)
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
        self.ax_, self.figure_ = ax, ax.figure
        return self


@dataclass
class CertificateDisplay:
    """Every nat of a certificate as a bar.

    Examples
    --------
    >>> from handful import CertificateDisplay
    >>> from handful.bounds import compression_bound
    >>> CertificateDisplay(compression_bound(615, 3, 15)).frame()["nats"].round(2).tolist()
    [17.47, 3.27, 3.0]
    """

    certificate: Certificate

    def frame(self) -> pd.DataFrame:
        """Terms and their size."""
        import pandas as pd

        return pd.DataFrame(
            [(term.kind, term.text, term.nats) for term in self.certificate.terms],
            columns=["kind", "term", "nats"],
        )

    def plot(self, ax: Any = None) -> CertificateDisplay:
        """Horizontal bars, the first term on top."""
        ax = axes_or_new(ax)
        names = [term.text for term in self.certificate.terms]
        values = [term.nats for term in self.certificate.terms]
        ax.barh(range(len(names)), values)
        ax.set_yticks(range(len(names)), names, parse_math=False)
        ax.invert_yaxis()
        unit = "nats" if self.certificate.unit == "nats" else "risk"
        ax.set(xlabel=unit, title=str(self.certificate).split(" (")[0])
        self.ax_, self.figure_ = ax, ax.figure
        return self

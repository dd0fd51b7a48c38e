"""Displays of covering machines: the path, the price of a certificate, the rules in the plane."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from handful.bounds import Certificate

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]


def _axes(ax: Any) -> Any:
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots()[1]


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
    def from_estimator(cls, machine: Any) -> BoundPathDisplay:
        """From a fitted `SetCoveringMachine` or `DecisionListMachine`."""
        path = machine.path_
        best = path.loc[path.groupby("n_rules")["certificate"].idxmin()]
        return cls(
            best["n_rules"].to_numpy(),
            best["certificate"].to_numpy(),
            best["n_training_errors"].to_numpy() / machine.n_samples_,
            best["is_chosen"].to_numpy(),
        )

    def frame(self) -> pd.DataFrame:
        """What is plotted."""
        import pandas as pd

        return pd.DataFrame(vars(self))

    def plot(self, ax: Any = None) -> BoundPathDisplay:
        """Two curves and the chosen point."""
        ax = _axes(ax)
        ax.plot(self.n_rules, self.certificate, "o-", label="certificate")
        ax.plot(self.n_rules, self.training_error, "s--", label="training error")
        chosen = np.flatnonzero(self.is_chosen)
        ax.plot(self.n_rules[chosen], self.certificate[chosen], "o", ms=14, mfc="none", mec="C3")
        ax.set(xlabel="number of rules", ylabel="risk", ylim=(0, None))
        ax.legend()
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

        return pd.DataFrame(self.certificate.terms, columns=["term", "nats"])

    def plot(self, ax: Any = None) -> CertificateDisplay:
        """Horizontal bars, the first term on top."""
        ax = _axes(ax)
        names, values = zip(*self.certificate.terms, strict=True)
        ax.barh(range(len(names)), values)
        ax.set_yticks(range(len(names)), names)
        ax.invert_yaxis()
        unit = "nats" if self.certificate.unit == "nats" else "risk"
        ax.set(xlabel=unit, title=str(self.certificate).split(" (")[0])
        self.ax_, self.figure_ = ax, ax.figure
        return self


@dataclass
class RulesDisplay:
    """The machine's decision in the plane of two features, others held at their medians.

    Examples
    --------
    >>> from handful import RulesDisplay, SetCoveringMachine, load_dataset
    >>> data = load_dataset("breastw")
    >>> machine = SetCoveringMachine(rules="stumps", random_state=0).fit(data.X, data.y)
    >>> RulesDisplay.from_estimator(machine, features=(0, 1)).decision.shape
    (80, 80)
    """

    grid_x: Floats
    grid_y: Floats
    decision: Floats
    points: Floats
    is_positive: NDArray[np.bool_]
    is_kept: NDArray[np.bool_]
    names: tuple[str, str]

    @classmethod
    def from_estimator(
        cls, machine: Any, *, features: tuple[int, int] | None = None, n_grid: int = 80
    ) -> RulesDisplay:
        """From a fitted two-class machine; without ``features`` the two that tell most."""
        if len(machine.classes_) != 2:
            raise ValueError("`machine` must have two classes to be drawn in the plane.")
        X = machine._X
        i, j = features if features is not None else _telling_features(machine)
        grid_x, grid_y = (np.linspace(*_span(X[:, k]), n_grid) for k in (i, j))
        new = np.tile(np.nanmedian(X, axis=0), (n_grid * n_grid, 1))
        new[:, i], new[:, j] = np.tile(grid_x, n_grid), np.repeat(grid_y, n_grid)
        decision = machine.machine_.decision_function(new).reshape(n_grid, n_grid)
        names = getattr(machine, "feature_names_in_", [f"x[{k}]" for k in range(X.shape[1])])
        kept = np.zeros(len(X), dtype=bool)
        kept[machine.compression_set_] = True
        return cls(
            grid_x,
            grid_y,
            decision,
            X[:, [i, j]],
            machine._y_signed > 0,
            kept,
            (str(names[i]), str(names[j])),
        )

    def frame(self) -> pd.DataFrame:
        """The examples that are drawn."""
        import pandas as pd

        frame = pd.DataFrame(self.points, columns=list(self.names))
        return frame.assign(is_positive=self.is_positive, is_kept=self.is_kept)

    def plot(self, ax: Any = None) -> RulesDisplay:
        """Regions, examples, and the kept examples ringed."""
        ax = _axes(ax)
        sign = (self.decision > 0).astype(float)
        ax.contourf(self.grid_x, self.grid_y, sign, levels=[-0.5, 0.5, 1.5], alpha=0.25)
        for positive, marker in ((True, "+"), (False, "_")):
            chosen = self.points[self.is_positive == positive]
            ax.plot(chosen[:, 0], chosen[:, 1], marker, alpha=0.6)
        kept = self.points[self.is_kept]
        ax.plot(kept[:, 0], kept[:, 1], "o", mfc="none", mec="k", ms=9)
        ax.set(xlabel=self.names[0], ylabel=self.names[1])
        self.ax_, self.figure_ = ax, ax.figure
        return self


def _span(values: Floats) -> tuple[float, float]:
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    margin = 0.05 * (high - low) or 1.0
    return low - margin, high + margin


def _telling_features(machine: Any) -> tuple[int, int]:
    """The two features whose shuffling changes most predictions."""
    X = machine._X[:2000]
    before = machine.machine_.predict(X)
    changes = []
    for j in range(X.shape[1]):
        moved = X.copy()
        moved[:, j] = np.roll(moved[:, j], len(X) // 2 + 1)
        changes.append(int((machine.machine_.predict(moved) != before).sum()))
    order = np.argsort(-np.array(changes), kind="stable")
    return int(order[0]), int(order[1 % len(order)])

"""The price of readability: certificates against how much there is to read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handful._display import Display
from handful.bounds import held_out_bound

SHARE_HELD_OUT = 0.3  # the usual split


def hold_out_marks(errors: NDArray[np.float64], n_samples: int, delta: float) -> Any:
    """What a hold-out would certify, were errors as frequent as estimated on the pool.

    Examples
    --------
    >>> hold_out_marks(np.array([0.1]), 100, 0.05).round(3).tolist()
    [0.239]
    """
    n = max(1, round(SHARE_HELD_OUT * n_samples))
    counts = np.minimum(np.ceil(errors * n - 1e-9), n).astype(int)
    return np.array([held_out_bound(n, int(k), delta=delta).risk for k in counts])


@dataclass
class MenuDisplay(Display):
    """Certificates of a menu, simplest form on the left, with estimates from the pool.

    Examples
    --------
    >>> from handful import CertifiedClassifier, MenuDisplay, load_dataset
    >>> data = load_dataset("haberman-294")
    >>> machine = CertifiedClassifier(["constant", "one rule"]).fit(data.X, data.y)
    >>> MenuDisplay.from_estimator(machine).frame()["name"].tolist()
    ['constant', 'one rule']
    """

    names: list[str]
    certificates: NDArray[np.float64]
    estimates: NDArray[np.float64]
    hold_outs: NDArray[np.float64]
    is_readable: NDArray[np.bool_]
    chosen: str

    @classmethod
    def from_estimator(cls, machine: Any) -> MenuDisplay:
        """From a fitted `CertifiedClassifier`."""
        menu = machine.menu_.dropna(subset=["certificate"])
        menu = menu.sort_values(["simplicity", "size"], kind="stable")
        return cls(
            [str(name) for name in menu.index],
            menu["certificate"].to_numpy(dtype=np.float64),
            menu["pool_error"].to_numpy(dtype=np.float64),
            hold_out_marks(
                menu["pool_error"].to_numpy(dtype=np.float64),
                machine.certificate_.n_samples,
                machine.delta,
            ),
            menu["is_readable"].to_numpy(dtype=bool),
            str(machine.chosen_),
        )

    def _columns(self) -> dict[str, Any]:
        return {
            "name": self.names,
            "certificate": self.certificates,
            "estimate": self.estimates,
            "hold_out": self.hold_outs,
            "is_readable": self.is_readable,
            "is_chosen": [name == self.chosen for name in self.names],
        }

    def plot(self, ax: Any = None) -> MenuDisplay:
        """Certificates as points; errors estimated on the pool, and hold-outs, as marks.

        The mark of a hold-out is for orientation: what a 70/30 hold-out of the same form would
        certify if its errors were as frequent as on the folds of the pool.
        """
        ax = self._axes(ax, figsize=(7.0, 4.0), layout="constrained")
        place = np.arange(len(self.names))
        for mask, style, label in (
            (self.is_readable, "o", "certificate, readable form"),
            (~self.is_readable, "D", "certificate, black box"),
        ):
            if mask.any():
                ax.plot(place[mask], self.certificates[mask], style, label=label)
        ax.plot(place, self.estimates, "_", color="0.5", ms=10, label="estimate from the pool")
        label = "70/30 hold-out, an estimate from the pool's folds"
        ax.plot(place, self.hold_outs, "x", color="0.5", ms=5, label=label)
        at = [i for i, name in enumerate(self.names) if name == self.chosen]
        ax.plot(at, self.certificates[at], "o", ms=15, mfc="none", mec="C2", mew=2, label="chosen")
        ax.set_xticks(place, self.names, rotation=40, ha="right", parse_math=False)
        ax.set(ylabel="risk", ylim=(0, None))
        ax.legend(loc="upper right", fontsize="small")
        return self

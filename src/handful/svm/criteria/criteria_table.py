"""Every criterion of many machines side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from threadpoolctl import threadpool_limits

from handful._types import Floats
from handful.svm._model import SVMModel
from handful.svm._sklearn import models_of
from handful.svm._store import KernelStore
from handful.svm.criteria.registry import CRITERIA, get_criterion
from handful.svm.grid import SVMGrid

if TYPE_CHECKING:
    import pandas as pd


def criteria_table(
    machines: SVMGrid | Sequence[Any],
    X: Any = None,
    y: Any = None,
    *,
    names: Sequence[str] | None = None,
) -> pd.DataFrame:
    """A data frame with one row a machine and one column a criterion.

    Parameters
    ----------
    machines : SVMGrid, or sequence of SupportVectorMachine or sklearn.svm.SVC
        Binary and fitted on the same data.
    X, y : array-like
        The training data; not needed for an `SVMGrid`.
    names : sequence of str, optional
        Names of ``CRITERIA``; by default all that are not slow.

    Returns
    -------
    DataFrame
        Columns ``kernel``, ``gamma``, ``C``, ``n_support``, ``gap``, then the criteria.

    Examples
    --------
    >>> import numpy as np
    >>> from handful.svm import fit_svm_grid
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> grid = fit_svm_grid(X, np.array([-1.0, -1.0, 1.0, 1.0]), gammas=[0.5], Cs=[1, 10])
    >>> criteria_table(grid, names=["span", "c2"]).shape
    (2, 7)
    """
    import pandas as pd

    if names is None:
        names = [name for name, entry in CRITERIA.items() if not entry.is_slow]
    entries = [get_criterion(name) for name in names]
    if isinstance(machines, SVMGrid):
        models, X = list(machines), machines.X
    else:
        if X is None:
            raise ValueError("`X` must be the training data of the machines, got None.")
        X = np.asarray(X, dtype=np.float64)
        models = [_only_model(machine, X, y) for machine in machines]
    rows = []
    with threadpool_limits(limits=1, user_api="blas"):
        store = KernelStore(X)
        for model in models:
            geometry = store.geometry(model)
            row: dict[str, Any] = {
                "kernel": model.kernel.name,
                "gamma": model.kernel.gamma,
                "C": model.C,
                "n_support": geometry.n_support,
                "gap": model.gap,
            }
            row.update({entry.name: float(entry.function(geometry)) for entry in entries})
            rows.append(row)
    return pd.DataFrame(rows)


def _only_model(machine: Any, X: Floats, y: Any) -> SVMModel:
    models = models_of(machine, X, y)
    if len(models) != 1:
        raise ValueError(
            f"`machines` must have two classes each, got one with {len(models)} binary machines. "
            "Use its method `criterion`, which takes their mean."
        )
    return models[0]

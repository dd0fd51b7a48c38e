"""Support vector machines over a (kernel, C) grid: their geometry, criteria and certificates.

What lives here: the grid solver, the single machine, what can be read off a fitted machine, and
the certificates that hold for it. What does not: the bounds themselves (`handful.bounds`) and
the search that chooses among machines (`handful.selection`).
"""

from handful.svm._grid import SVMGrid, fit_svm_grid
from handful.svm._model import SVMModel

__all__ = ["SVMGrid", "SVMModel", "fit_svm_grid"]

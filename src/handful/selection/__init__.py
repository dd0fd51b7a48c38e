"""Choosing among machines by certificate, by a criterion, or by cross-validation.

What lives here: `BoundSearch`, which knows machines only by protocol. A machine has
``certify(delta)``; it may have ``criterion(name)`` (numbers without guarantee),
``search_criterion`` (the one to choose by unless told), ``free_parameters`` (names of parameters
that its certificate holds for simultaneously) and ``fit_grid(X, y, settings, criterion=None)``
(all settings at once, sharing work; the criterion is computed on the way). What does not: machines.
"""

from handful.selection._search import BoundSearch

__all__ = ["BoundSearch"]

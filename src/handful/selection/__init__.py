"""The choice among machines by certificate, by a criterion, or by cross-validation.

What lives here: `BoundSearch`, which uses machines by a protocol only. A machine has
``certify(delta)``. It may have ``criterion(name)`` (numbers without guarantee),
``search_criterion`` (the default criterion), ``free_parameters`` (names of parameters for all
values of which its certificate holds at once) and ``fit_grid(X, y, settings, criterion=None)``
(fits all settings, which then share work, and computes the criterion). What does not: machines.
"""

from handful.selection.bound_search import BoundSearch

__all__ = ["BoundSearch"]

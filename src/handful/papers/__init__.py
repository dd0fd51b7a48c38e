"""Published tables, run again: one module a paper.

What lives here: for each paper a module with ``TABLES``, functions that run the experiment and
return a data frame with our numbers, theirs and the difference; ``expected/*.csv`` holds the
published numbers, which are compared and never used as ours. What does not: machines.

To add a paper: a module with ``TABLES``, its published numbers in ``expected/``, a line in
``PAPERS``, a quick test on one small data set.
"""

from handful.papers._registry import PAPERS, run_table

__all__ = ["PAPERS", "run_table"]

"""Published tables, run again: one module a paper.

What lives here: for each paper a module with ``TABLES``, functions that run the experiment and
return a data frame with our numbers, theirs and the difference, and ``FIGURES``, functions that
draw what such a frame holds; ``expected/*.csv`` holds the
published numbers, which are compared and never used as ours. What does not: machines.

To add a paper: a module with ``TABLES``, ``FIGURES`` and ``files_needed``, its published numbers
in ``expected/``, a line in ``PAPERS``, a quick test on one small data set.
"""

from handful.papers._registry import PAPERS, draw_table, run_table, tables_with_figures

__all__ = ["PAPERS", "draw_table", "run_table", "tables_with_figures"]

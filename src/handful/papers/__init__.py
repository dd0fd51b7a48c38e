"""Published tables, run again: one module for each paper.

What lives here: for each paper a module with ``TABLES``, functions of a `TableRun` that run the
experiment and return a data frame with our numbers, theirs and the difference; and ``FIGURES``,
functions that draw such a frame. ``expected/*.csv`` holds the published numbers, which are
compared and never used as ours. What does not: machines.

To add a paper: a module with ``TABLES``, ``FIGURES`` and ``files_needed``, its published numbers
in ``expected/``, a line in ``PAPERS``, a quick test on one small data set.
"""

from handful.papers.paper_registry import PAPERS, draw_table, run_table, tables_with_figures

__all__ = ["PAPERS", "draw_table", "run_table", "tables_with_figures"]

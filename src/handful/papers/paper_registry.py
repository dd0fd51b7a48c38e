"""The papers by the names of the command line, and how one of their tables is run."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from handful.papers.paper_data import Folder, check_data
from handful.papers.paper_figures import svg_text

if TYPE_CHECKING:
    import pandas as pd

PAPERS: dict[str, str] = {
    "compression-2004": "handful.papers.compression_2004",
    "mcm-2014": "handful.papers.mcm_2014",
    "nonconformity-2009": "handful.papers.nonconformity_2009",
    "scm-2003": "handful.papers.scm_2003",
}


@dataclass(frozen=True, kw_only=True)
class TableRun:
    """Settings with which a table is run; ``say`` reports the next step to ``progress``."""

    data_dir: Folder = None
    quick: bool = False
    random_state: int = 0
    progress: Callable[[str], None] | None = None

    def say(self, stage: str) -> None:
        """Report the name of a stage."""
        if self.progress is not None:
            self.progress(stage)


#: Runs a table. Some tables take further options.
MakeTable = Callable[..., Any]


def run_table(
    paper: str,
    table: str,
    *,
    data_dir: Folder = None,
    quick: bool = False,
    random_state: int = 0,
    progress: Callable[[str], None] | None = None,
    **options: Any,
) -> pd.DataFrame:
    """Run one table of a paper; unknown names raise ValueError with the known ones.

    Parameters
    ----------
    paper : str
        A name of ``PAPERS``.
    table : str
        A name of the paper's ``TABLES``.
    data_dir : path, optional
        Folder with the data sets; by default that of the environment variable ``HANDFUL_DATA``.
    quick : bool
        Run a few small data sets only.
    random_state : int
    progress : callable, optional
        Called with the name of each stage.
    **options
        Further options of the table, such as ``names`` of data sets.

    Returns
    -------
    DataFrame
    """
    module = _module(paper)
    if table not in module.TABLES:
        known = ", ".join(module.TABLES)
        raise ValueError(f"`table` must be one of {known} for {paper}, got {table!r}.")
    check_data(module.files_needed(bool(quick), options.get("names")), data_dir)
    run = TableRun(data_dir=data_dir, quick=quick, random_state=random_state, progress=progress)
    frame: pd.DataFrame = module.TABLES[table](run, **options)
    if frame.index.name is None:
        return frame
    notes = frame.attrs
    frame = frame.reset_index()  # names of data sets are a column for all readers
    frame.attrs = notes
    return frame


def _module(paper: str) -> Any:
    if paper not in PAPERS:
        raise ValueError(f"`paper` must be one of {', '.join(PAPERS)}, got {paper!r}.")
    return importlib.import_module(PAPERS[paper])


def tables_with_figures(paper: str) -> list[str]:
    """Names of the tables of a paper that `draw_table` can draw."""
    return list(_module(paper).FIGURES)


def draw_table(paper: str, table: str, frame: pd.DataFrame) -> str:
    """SVG of the figure of a table that `run_table` made."""
    figures = _module(paper).FIGURES
    if table not in figures:
        known = ", ".join(figures) or "none"
        raise ValueError(f"`table` must be one with a figure, {known}, got {table!r}.")
    return svg_text(figures[table](frame))


def expected(name: str) -> pd.DataFrame:
    """Published numbers of a table."""
    import pandas as pd

    from handful.tables import exact_floats

    path = Path(__file__).parent / "expected" / f"{name}.csv"
    return pd.read_csv(path, **exact_floats())


def noted(frame: pd.DataFrame, *notes: str) -> pd.DataFrame:
    """The frame with notes, unless it has some."""
    frame.attrs.setdefault("notes", list(notes))
    return frame

"""Which papers can be reproduced, by the name the command line uses."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from handful.papers._data import check_data
from handful.papers._figures import svg_text

if TYPE_CHECKING:
    import pandas as pd

PAPERS: dict[str, str] = {
    "compression-2004": "handful.papers.compression_2004",
    "mcm-2014": "handful.papers.mcm_2014",
    "nonconformity-2009": "handful.papers.nonconformity_2009",
    "scm-2003": "handful.papers.scm_2003",
}


def run_table(paper: str, table: str, **options: Any) -> pd.DataFrame:
    """Run one table of a paper; unknown names raise ValueError with the known ones.

    Parameters
    ----------
    paper : str
        A name of ``PAPERS``.
    table : str
        A name of the paper's ``TABLES``.
    **options
        ``data_dir``, ``quick``, ``random_state``, ``progress``. Without ``data_dir`` the folder
        is that of the environment variable ``HANDFUL_DATA``.
    """
    module = _module(paper)
    if table not in module.TABLES:
        known = ", ".join(module.TABLES)
        raise ValueError(f"`table` must be one of {known} for {paper}, got {table!r}.")
    needed = module.files_needed(bool(options.get("quick")), options.get("names"))
    check_data(needed, options.get("data_dir"))
    frame: pd.DataFrame = module.TABLES[table](**options)
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

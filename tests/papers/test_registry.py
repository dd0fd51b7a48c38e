"""Every paper has tables, published numbers and notes."""

import importlib
import re

import pandas as pd
import pytest

from handful.cli.reproduce_command import reproduce
from handful.papers import PAPERS, run_table
from handful.papers.paper_registry import expected


@pytest.mark.parametrize("paper", sorted(PAPERS))
def test_papers_have_tables(paper):
    module = importlib.import_module(PAPERS[paper])
    assert module.TABLES
    assert all(callable(table) and table.__doc__ for table in module.TABLES.values())


def test_published_numbers_are_read():
    frame = expected("scm-2003")
    assert frame.set_index("set").loc["Pima", "errors_half_spaces"] == 175


def test_names_of_data_sets_are_a_column(monkeypatch):
    made = pd.DataFrame({"dataset": ["a"], "ours": [1.0]}).set_index("dataset")
    made.attrs["notes"] = ["a note"]
    module = importlib.import_module(PAPERS["mcm-2014"])
    monkeypatch.setattr(module, "files_needed", lambda *options: [])
    monkeypatch.setitem(module.TABLES, "table-2", lambda run: made)
    frame = run_table("mcm-2014", "table-2", data_dir=None)
    assert list(frame.columns) == ["dataset", "ours"]
    assert frame.attrs["notes"] == ["a note"]


@pytest.mark.parametrize("paper", sorted(PAPERS))
def test_names_of_tables_follow_one_pattern_and_stand_in_the_help(paper):
    """`table-1` and `figure-3` as the paper counts, words for what it does not number."""
    module = importlib.import_module(PAPERS[paper])
    for name in module.TABLES:
        assert re.fullmatch(r"(table|figure)-\d|[a-z]+(-[a-z]+)*", name), name
    assert set(module.FIGURES) <= set(module.TABLES)
    line = f"{paper}: {', '.join(module.TABLES)}"
    assert line in " ".join((reproduce.__doc__ or "").split()), line

"""Every paper has tables, published numbers and notes."""

import importlib

import pytest

from handful.papers import PAPERS
from handful.papers._registry import expected


@pytest.mark.parametrize("paper", sorted(PAPERS))
def test_papers_have_tables(paper):
    module = importlib.import_module(PAPERS[paper])
    assert module.TABLES
    assert all(callable(table) and table.__doc__ for table in module.TABLES.values())


def test_published_numbers_are_read():
    frame = expected("scm-2003")
    assert frame.set_index("set").loc["Pima", "errors_half_spaces"] == 175

"""Figures are drawn from the frames of their tables."""

import importlib
import xml.etree.ElementTree as ET

import numpy as np
import pandas as pd
import pytest

from handful.papers import PAPERS, compression_2004, draw_table, run_table, tables_with_figures

NAMES = ["abalone", "banana", "heart", "image", "splice", "thyroid", "usps"]


@pytest.fixture(scope="module")
def machines():
    """Made-up machines of seven data sets."""
    rng = np.random.default_rng(0)
    keys = [(d, s, C, w) for d in NAMES for s in (0, 1) for C in (1.0, 10.0, 100.0)
            for w in (0.1, 1.0, 10.0)]  # fmt: skip
    frame = pd.DataFrame(keys, columns=["data", "subset", "C", "sigma"])
    for column in ("test error", *compression_2004.CODES, *compression_2004.OTHERS,
                   *compression_2004.PARTS):  # fmt: skip
        frame[column] = rng.random(len(frame))
    frame.loc[::5, "sparse-margin"] = np.inf
    return frame


def texts(svg):
    root = ET.fromstring(svg)
    return ["".join(e.itertext()).strip() for e in root.iter() if e.tag.endswith("text")]


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("table", "finish", "sets"),
    [
        ("figure-3", compression_2004.code_choices, NAMES),
        ("figure-4", compression_2004.criterion_choices, NAMES),
        ("figure-5", compression_2004.part_curves, NAMES[:6]),
    ],
)
def test_one_panel_a_data_set(machines, table, finish, sets):
    frame = finish(machines)
    words = texts(draw_table("compression-2004", table, frame))
    assert [word for word in words if word in NAMES] == sets
    assert set(frame.columns[2:]) <= set(words)  # the legend


@pytest.mark.thorough
def test_shapes_for_every_second_cost(machines):
    words = texts(
        draw_table("compression-2004", "figure-6", compression_2004.shape_curves(machines))
    )
    assert [w for w in words if w.startswith("banana")] == ["banana, C = 1", "banana, C = 100"]
    assert not [w for w in words if w.startswith("usps")]  # the seventh


def test_bound_against_error():
    words = texts(draw_table("scm-2003", "table-1", run_table("scm-2003", "table-1", quick=True)))
    assert {"Haberman", "Glass", "certificate (valid)"} <= set(words)


def test_filtering_curve():
    frame = pd.DataFrame({"threshold": [0.0, 0.1], "error": [0.1, 0.2], "accepted": [0.5, 1.0]})
    frame["published value"] = frame["threshold"] + 3.0
    words = texts(draw_table("nonconformity-2009", "figure-2", frame))
    assert "epsilon_crit" in words


@pytest.mark.thorough
def test_the_same_frame_is_the_same_text(machines):
    frame = compression_2004.code_choices(machines)
    first, second = (draw_table("compression-2004", "figure-3", frame) for _ in range(2))
    assert first == second


def test_which_tables_have_figures():
    assert tables_with_figures("mcm-2014") == []
    assert tables_with_figures("compression-2004") == [
        "figure-3",
        "figure-4",
        "figure-5",
        "figure-6",
    ]
    for paper in PAPERS:
        assert set(tables_with_figures(paper)) <= set(importlib.import_module(PAPERS[paper]).TABLES)
    with pytest.raises(ValueError, match="`table` must be one with a figure, none"):
        draw_table("mcm-2014", "table-2", pd.DataFrame())

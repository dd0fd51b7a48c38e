"""Numbers are the floats nearest to their text on every road in; pieces equal the whole."""

import ast
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import handful
from handful.tables import exact_floats, read_chunks, read_frame


@pytest.fixture
def texts(rng):
    """17 digits, where parsers that are not exact go wrong."""
    values = rng.normal(size=3000) * 10.0 ** rng.integers(-30, 30, size=3000)
    return [f"{value:.17g}" for value in values]


def test_whole_and_in_pieces_the_floats_are_the_nearest(texts, tmp_path, monkeypatch):
    expected = np.array([float(text) for text in texts])
    path = tmp_path / "a.csv"
    path.write_text("x,y\n" + "".join(f"{text},a\n" for text in texts))
    assert (read_frame(path)["x"].to_numpy() == expected).all()
    monkeypatch.setattr("handful.tables.table_files.CHUNK", 700)
    pieces = [chunk["x"].to_numpy() for chunk in read_chunks(path, ["x"])]
    assert len(pieces) == 5
    assert (np.concatenate(pieces) == expected).all()


@pytest.mark.parametrize(
    ("version", "options"),
    [
        ("2.1.4", {"float_precision": "round_trip"}),
        ("3.0.0rc1", {"float_precision": "round_trip"}),
        ("3.1.0", {}),
        ("4.0.0.dev0", {}),
    ],
)
def test_older_versions_are_asked_for_exact_floats(version, options, monkeypatch):
    monkeypatch.setattr(pd, "__version__", version)
    assert exact_floats() == options


def test_every_road_in_asks():
    """Each call of a ``read_csv`` of pandas or Dask in the package passes the keywords."""
    n_calls = 0
    for path in Path(handful.__file__).parent.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text)):
            is_call = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
            if is_call and node.func.attr in ("read_csv", "read_table", "read_fwf"):
                n_calls += 1
                words = ast.unparse(node)
                assert "exact_floats()" in words or "_options(table)" in words, (path, words)
    assert n_calls >= 4


@pytest.mark.parametrize("n_digits", [400, 4000])
def test_integers_that_no_float_can_hold(n_digits, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(f"x,y\n1,a\n-{'7' * n_digits},b\n")
    with pytest.raises(ValueError, match=rf"'x' holds a whole number of about {n_digits} digits"):
        read_frame(path)


def test_integers_beyond_64_bits_are_floats(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(f"x,y\n1,a\n{10**30 + 1},b\n,c\n")
    assert read_frame(path)["x"].tolist()[:2] == [1.0, float(10**30 + 1)]
    assert read_frame(path)["x"].dtype == np.float64


def test_too_many_cells_are_refused_before_they_are_parsed(tmp_path, monkeypatch):
    path = tmp_path / "a.csv"
    path.write_text("x,y\n" + "1,2\n" * 1000)
    monkeypatch.setattr("handful.tables.text_files.MAX_BYTES", 15_999)
    monkeypatch.setattr(pd, "read_csv", lambda *a, **k: pytest.fail("it was parsed"))
    with pytest.raises(ValueError, match=r"1000 rows of 2 columns need 15\.6 KiB of memory"):
        read_frame(path)

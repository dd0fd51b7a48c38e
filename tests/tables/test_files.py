"""Hostile files: each gets an error that says what is wrong, at little cost."""

import gzip
import tracemalloc

import pytest

from handful.tables import load_table, read_frame, read_study
from handful.tables.sources import MAX_CELL, ending_of, open_source
from handful.tables.text_files import inspect_text as inspect_source

GOOD = "a,b,label\n1,2,x\n3,4,y\n"


def inspect_text(path):
    with open_source(path) as source:
        return inspect_source(source)


def _write(tmp_path, content, name="data.csv"):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize(
    ("content", "delimiter", "names"),
    [
        (GOOD, ",", ("a", "b", "label")),
        ("\ufeff" + GOOD, ",", ("a", "b", "label")),
        (("\ufeff" + GOOD).encode("utf-16-le"), ",", ("a", "b", "label")),
        (GOOD.replace(",", ";"), ";", ("a", "b", "label")),
        (GOOD.replace(",", "|"), "|", ("a", "b", "label")),
        ('"a,1","b ""c""",label\n1,2,x\n3,4,y\n', ",", ("a,1", 'b "c"', "label")),
        ('"a\nb",c,label\n1,2,x\n3,4,y\n', ",", ("a\nb", "c", "label")),
        (GOOD.replace("\n", "\r\n"), ",", ("a", "b", "label")),
    ],
    ids=["plain", "bom", "utf-16", "semicolon", "bar", "quotes", "line-in-name", "crlf"],
)
def test_what_is_read(content, delimiter, names, tmp_path):
    table = inspect_text(_write(tmp_path, content))
    assert (table.delimiter, table.names) == (delimiter, names)
    read = read_frame(_write(tmp_path, content))
    assert list(read.columns) == list(names)
    assert read.iloc[0].tolist() == [1, 2, "x"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "it is empty"),
        (b"\n\n\n", "first line is empty"),
        (b"a,b\n1,2\x00\n", "NUL bytes"),
        (bytes(range(1, 256)) * 50, "not utf-8 text"),
        ("a,label\nü,1\n".encode() + "ü,2\n".encode("latin-1"), "not utf-8 text"),
        (b"\xff\xfea", "not utf-16 text"),
        (b"a,b,label\n1,2,3\n1,2\n", "line 3 has 2 cells, the header has 3"),
        (b"a,b,label\n1,2,3\n1,2,3,4\n", "line 3 has 4 cells"),
        (b"a,a,label\n1,2,3\n", "the column 'a' occurs twice"),
        (b",,label\n1,2,3\n", "without a name"),
        (b'a,label\n"' + b"x" * 200_000, "is a quote left open"),
        (b"a,label\n" + b"x" * (MAX_CELL + 1) + b",1\n", "a cell of more than"),
        (b"a,label\n" + b"y" * 1_000_000 + b",1\n", "line 2: field larger than field limit"),
        (b"a" + b",b" * 1_000_000 + b"\n1\n", "more than 100000 columns"),
        (b"a,label\n1" + b",2" * 1_000_000 + b"\n", "line 2 has more than 100000 columns"),
        (b"x" * 20_000_000, "longer than"),
    ],
    ids=lambda value: value[:24] if isinstance(value, str) else "",
)
def test_what_is_refused_and_how_much_it_costs(content, message, tmp_path):
    path = _write(tmp_path, content)
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match=message):
            inspect_text(path)
        assert tracemalloc.get_traced_memory()[1] < 250 * 2**20
    finally:
        tracemalloc.stop()


def test_formula_cells_are_words(tmp_path):
    cells = ["=1+1", "@SUM(A1)", "+cmd|' /C calc'!A0", "-2+3"]
    rows = "".join(f'"{cell}",{label}\n' for cell in cells for label in "xy")
    study = read_study(load_table(_write(tmp_path, "f,label\n" + rows)).frame)
    assert study.X["f"].tolist() == [cell for cell in cells for _ in "xy"]


def test_gzip(tmp_path):
    path = tmp_path / "data.csv.gz"
    path.write_bytes(gzip.compress(GOOD.encode()))
    assert load_table(path).frame.shape == (2, 3)
    path.write_bytes(gzip.compress(GOOD.encode())[:-9])
    with pytest.raises(ValueError, match="not a whole gzip file"):
        load_table(path)
    path.write_text("no gzip at all")
    with pytest.raises(ValueError, match="not a whole gzip file"):
        load_table(path)


ARFF = """% a comment that isn't data
@RELATION 'x y'
@attribute age NUMERIC
@ATTRIBUTE 'the colour' {red, 'dark blue'}
@attribute class {a,b}
@DATA
1, red, a
?, 'dark blue', b
% more
3, red, a
"""


def test_arff(tmp_path):
    table = load_table(_write(tmp_path, ARFF, "data.arff")).frame
    assert list(table.columns) == ["age", "the colour", "class"]
    assert table["the colour"].tolist() == ["red", "dark blue", "red"]
    assert table["age"].isna().tolist() == [False, True, False]
    for text, message in (("@relation x\n", "no @data line"), ("@data\n1\n", "no @attribute")):
        with pytest.raises(ValueError, match=message):
            load_table(_write(tmp_path, text, "data.arff"))


def test_suffixes(tmp_path):
    assert ending_of("DATA.CSV") == (".csv", "")
    assert ending_of("a.csv.gz") == (".csv", ".gz")
    with pytest.raises(ValueError, match=r"must end with one of .*got 'a.exe'"):
        load_table(_write(tmp_path, "", "a.exe"))

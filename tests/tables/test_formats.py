"""One table in every format: the same digest, columns and machine; and what each reader refuses."""

import bz2
import gzip
import io
import lzma
import sys
import tracemalloc
import types
import zipfile

import numpy as np
import pandas as pd
import pyreadstat
import pytest

from handful import CertifiedClassifier
from handful.tables import load_table, read_chunks, read_frame, read_study, table_digest

N = 120
RNG = np.random.default_rng(1)


def _table():
    age = RNG.integers(30, 80, N).astype(float)
    age[::17] = np.nan
    frame = pd.DataFrame(
        {
            "id": [f"p{i:03d}" for i in range(N)],
            "age": age,
            "crp": RNG.gamma(2.0, 3.0, N).round(6),  # Excel keeps 15 digits
            "colour": RNG.choice(["red", "grün", "blue"], N),
            "smoker": RNG.choice([True, False], N),
            "visit": pd.date_range("2020-01-01", periods=N),
            "nodes": RNG.integers(0, 9, N),
            "outcome": np.where(np.nan_to_num(age, nan=50) + RNG.normal(0, 9, N) > 55, "ill", "ok"),
        }
    )
    frame.loc[::13, "colour"] = None
    return frame


TABLE = _table()
TEXT = TABLE.to_csv(index=False)


def _zipped(*names, content=None):
    content = TEXT.encode() if content is None else content
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names:
            archive.writestr(name, content)
    return out.getvalue()


def _lines():
    days = TABLE["visit"].dt.strftime("%Y-%m-%d")
    return TABLE.assign(visit=days).to_json(orient="records", lines=True, double_precision=15)


BYTES = {
    "plain.csv": TEXT.encode(),
    "bom.csv": TEXT.encode("utf-8-sig"),
    "utf16.csv": TEXT.encode("utf-16"),
    "no-mark-utf16.csv": TEXT.encode("utf-16-le"),
    "windows.csv": TEXT.encode("cp1252"),
    "crlf.csv": TEXT.replace("\n", "\r\n").encode(),
    "cr.csv": TEXT.replace("\n", "\r").encode(),
    "semicolons.csv": TABLE.to_csv(index=False, sep=";").encode(),
    "bars.csv": TABLE.to_csv(index=False, sep="|").encode(),
    "tabs.tsv": TABLE.to_csv(index=False, sep="\t").encode(),
    "blanks.txt": TABLE.to_csv(index=False, sep=" ", na_rep="NA").encode(),
    "many-blanks.csv": TABLE.to_csv(index=False, sep=" ", na_rep="?").replace(" ", "  ").encode(),
    "quoted.csv": TABLE.to_csv(index=False, quoting=1).encode(),
    "a.csv.gz": gzip.compress(TEXT.encode()),
    "a.csv.bz2": bz2.compress(TEXT.encode()),
    "a.csv.xz": lzma.compress(TEXT.encode()),
    "two-streams.csv.xz": lzma.compress(TEXT.encode()[:99]) + lzma.compress(TEXT.encode()[99:]),
    "a.zip": _zipped("folder/a.csv"),
    "named-by-pandas.zip": _zipped("named-by-pandas"),
    "a.tsv.zip": _zipped("a.tsv", content=TABLE.to_csv(index=False, sep="\t").encode()),
}


def _write(folder, name):
    path = folder / name
    if name in BYTES:
        path.write_bytes(BYTES[name])
    elif name.endswith(".jsonl"):
        path.write_text(_lines())
    elif name.endswith(".parquet"):
        TABLE.to_parquet(path)
    elif name.endswith(".feather"):
        TABLE.to_feather(path)
    elif name.endswith(".arrow"):
        import pyarrow as pa

        table = pa.Table.from_pandas(TABLE)
        with pa.ipc.new_stream(path, table.schema) as stream:
            stream.write_table(table)
    elif name.endswith(".xlsx"):
        TABLE.to_excel(path, index=False)
    elif name.endswith((".sav", ".zsav", ".xpt")):
        words = TABLE.assign(colour=TABLE["colour"].fillna(""), visit=TABLE["visit"].dt.date)
        words["smoker"] = words["smoker"].astype(float)
        if name.endswith(".xpt"):
            pyreadstat.write_xport(words, path, file_format_version=5)
        else:
            pyreadstat.write_sav(words, path, compress=name.endswith(".zsav"))
    else:
        words = TABLE.assign(colour=TABLE["colour"].fillna(""))
        words.assign(smoker=words["smoker"].astype(int)).to_stata(
            path, write_index=False, convert_dates={"visit": "td"}, version=118
        )
    return path


FILES = [*BYTES, "a.jsonl", "a.parquet", "a.feather", "stream.arrow", "a.xlsx", "a.dta"]
FILES += ["a.sav", "a.zsav", "a.xpt"]
UNLIKE = ("a.dta", "a.sav", "a.zsav", "a.xpt")  # which have no true and false


@pytest.fixture(scope="module")
def wanted():
    return read_study(TABLE)


@pytest.mark.parametrize("name", FILES)
def test_every_format_gives_the_same_table(name, wanted, tmp_path):
    path = _write(tmp_path, name)
    study = read_study(load_table(path).frame)
    assert table_digest(study.digests.digests) == table_digest(wanted.digests.digests)
    assert study.pool.tolist() == wanted.pool.tolist()
    if name not in UNLIKE:
        assert study.columns == wanted.columns
    chunks = pd.concat(list(read_chunks(path, ["nodes", "crp"])), ignore_index=True)
    assert chunks["crp"].astype(float).tolist() == TABLE["crp"].tolist()
    assert chunks["nodes"].astype(int).tolist() == TABLE["nodes"].tolist()


@pytest.mark.parametrize("name", ["plain.csv", "a.parquet", "a.xlsx", "a.jsonl", "a.feather"])
def test_round_trips_give_the_same_machine(name, wanted, tmp_path):
    forms = ["one rule", "sparse linear"]
    here = CertifiedClassifier(forms).fit(wanted)
    frame = load_table(_write(tmp_path, name)).frame
    there = CertifiedClassifier(forms).fit(read_study(frame))
    assert here.fitted_ == there.fitted_
    assert here.certificate_ == there.certificate_
    assert here.menu_risks_.tolist() == there.menu_risks_.tolist()


@pytest.mark.parametrize("library", ["polars", "pyarrow", "category", "nullable"])
def test_frames_give_the_same_digest(library, wanted):
    if library == "polars":
        frame = pytest.importorskip("polars").from_pandas(TABLE)
    elif library == "pyarrow":
        frame = pytest.importorskip("pyarrow").Table.from_pandas(TABLE)
    elif library == "category":
        frame = TABLE.assign(colour=TABLE["colour"].astype("category"))
    else:
        frame = TABLE.convert_dtypes()
    study = read_study(frame)
    assert table_digest(study.digests.digests) == table_digest(wanted.digests.digests)
    assert study.columns == wanted.columns


def test_marks_of_nothing_are_the_same_in_frames_and_files(tmp_path):
    words = ["red", "NA", "", "blue", "?", "None", "n/a"] * 20
    frame = pd.DataFrame({"w": words, "x": np.arange(140) % 9, "outcome": ["a", "b"] * 70})
    frame.to_csv(tmp_path / "a.csv", index=False)
    frame.to_parquet(tmp_path / "a.parquet")
    roads = [frame, read_frame(tmp_path / "a.csv"), read_frame(tmp_path / "a.parquet")]
    assert len({table_digest(read_study(road).digests.digests) for road in roads}) == 1


@pytest.mark.parametrize(
    ("name", "note"),
    [
        ("windows.csv", "not UTF-8; it was read as Windows-1252"),
        ("no-mark-utf16.csv", "it was read as UTF-16"),
        ("utf16.csv", None),
        ("plain.csv", None),
    ],
)
def test_encodings_are_said(name, note, tmp_path):
    notes = load_table(_write(tmp_path, name)).notes
    assert (notes == ()) if note is None else (note in notes[0])


def test_latin_1_and_mixtures(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes("a,b\nü\x90,1\n".encode("latin-1"))
    assert "read as Latin-1" in load_table(path).notes[0]
    path.write_bytes("a,b\nü,1\n".encode() + "ü,2\n".encode("latin-1"))
    with pytest.raises(ValueError, match="not utf-8 text throughout, but in part"):
        load_table(path)
    path.write_bytes(b"a,b\n\xff\x02,1\n")
    with pytest.raises(ValueError, match="it holds controls"):
        load_table(path)


def test_standard_input_is_known_by_its_content(monkeypatch, tmp_path, wanted):
    for name in ("plain.csv", "semicolons.csv", "a.csv.gz", "a.zip", "a.parquet", "a.xlsx",
                 "a.jsonl", "stream.arrow", "a.feather", "a.dta"):  # fmt: skip
        if name == "stream.arrow":
            continue  # a stream has no mark; it needs its name
        content = _write(tmp_path, name).read_bytes()
        monkeypatch.setattr(sys, "stdin", types.SimpleNamespace(buffer=io.BytesIO(content)))
        loaded = load_table("-")
        assert loaded.name == "standard input"
        digest = table_digest(read_study(loaded.frame).digests.digests)
        assert digest == table_digest(wanted.digests.digests), name


def test_patterns_join_files_with_the_same_columns(tmp_path):
    TABLE[:70].to_csv(tmp_path / "part-1.csv", index=False)
    TABLE[TABLE.columns[::-1]][70:].to_parquet(tmp_path / "part-2.parquet")
    loaded = load_table(tmp_path / "part-*")
    assert loaded.frame["crp"].astype(float).tolist() == TABLE["crp"].tolist()
    assert [len(digest) for _, digest in loaded.digests] == [64, 64]
    TABLE.drop(columns="age").to_csv(tmp_path / "part-3.csv", index=False)
    with pytest.raises(ValueError, match=r"part-3.csv must have the columns of .*part-1.csv"):
        load_table(tmp_path / "part-*")
    with pytest.raises(FileNotFoundError, match="no file matches"):
        load_table(tmp_path / "absent*")


def test_a_file_is_opened_once(tmp_path, monkeypatch):
    from pathlib import Path

    opened = []
    original = Path.open

    def count(self, *args, **more):
        opened.append(self.name)
        return original(self, *args, **more)

    monkeypatch.setattr(Path, "open", count)
    for name in ("plain.csv", "windows.csv", "a.csv.gz", "a.zip", "a.parquet", "a.xlsx", "a.dta"):
        path = _write(tmp_path, name)
        opened.clear()
        load_table(path)
        assert opened.count(name) == 1


def test_sheets(tmp_path):
    path = tmp_path / "a.xlsx"
    with pd.ExcelWriter(path) as book:
        TABLE.to_excel(book, sheet_name="Data", index=False, startrow=2, startcol=1)
        TABLE.head(2).to_excel(book, sheet_name="Notes", index=False)
    loaded = load_table(path)
    assert list(loaded.frame.columns) == list(TABLE.columns)
    assert len(loaded.frame) == N
    assert "2 sheets; 'Data' was read" in loaded.notes[0]
    pd.DataFrame([["a", "a"], [1, 2]]).to_excel(path, index=False, header=False)
    with pytest.raises(ValueError, match="the column 'a' occurs twice"):
        load_table(path)


def test_labels_of_values_take_the_place_of_their_codes(tmp_path):
    codes = pd.DataFrame({"sex": [1.0, 2.0, np.nan, 9.0], "nodes": [0.0, 3.0, 1.0, 2.0]})
    labels, gone = {"sex": {1: "female", 2: "male"}}, {"sex": [9.0]}
    pyreadstat.write_sav(codes, tmp_path / "a.sav", variable_value_labels=labels,
                         missing_ranges=gone)  # fmt: skip
    loaded = load_table(tmp_path / "a.sav")
    assert loaded.frame["sex"].fillna("").tolist() == ["female", "male", "", ""]
    assert loaded.frame["nodes"].tolist() == [0.0, 3.0, 1.0, 2.0]
    assert "Labels took the place of codes in sex." in loaded.notes
    pyreadstat.write_sav(codes, tmp_path / "b.sav")
    assert load_table(tmp_path / "b.sav").notes == ()


@pytest.mark.parametrize("name", ["a.sav", "a.zsav", "a.xpt"])
def test_files_of_statistics_that_lack_their_end_are_refused(name, tmp_path):
    path = _write(tmp_path, name)
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(ValueError, match="is not a readable table"):
        load_table(path)


def test_a_transport_file_cannot_say_how_many_rows_it_had(tmp_path):
    notes = load_table(_write(tmp_path, "a.xpt")).notes
    assert notes == (f"A SAS transport file does not say how many rows it has; {N} were read.",)


def test_another_sheet_by_its_name(tmp_path):
    path = tmp_path / "a.xlsx"
    with pd.ExcelWriter(path) as book:
        pd.DataFrame({"read me": ["first"]}).to_excel(book, sheet_name="About", index=False)
        TABLE.to_excel(book, sheet_name="2024 data", index=False)
    loaded = load_table(path, "2024 data")
    assert list(loaded.frame.columns) == list(TABLE.columns)
    assert "2 sheets; '2024 data' was read." in loaded.notes[0]
    assert "--sheet names another" in load_table(path).notes[0]
    pieces = list(read_chunks(path, ["age"], sheet="2024 data"))
    assert sum(map(len, pieces)) == N
    with pytest.raises(ValueError, match=r"`--sheet` must .* got 'data'. It has: 'About', '2024 "):
        load_table(path, "data")
    TABLE.to_csv(tmp_path / "a.csv", index=False)
    with pytest.raises(ValueError, match="`--sheet` is for Excel files"):
        load_table(tmp_path / "a.csv", "data")


def _sheet(path, upper, lower, rows, *, first=()):
    from openpyxl import Workbook

    book = Workbook()
    sheet = book.active
    for row in (*first, upper, lower, *rows):
        sheet.append(row)
    book.save(path)
    return path


ROWS = [
    [30 + k, "f" if k % 2 else "m", 1.5 * k, k % 3, "ill" if k % 4 else "ok"] for k in range(40)
]
LOWER = ["age", "sex", "crp", "hb", "outcome"]


@pytest.mark.parametrize(
    ("upper", "lower", "names"),
    [
        (
            ["patient", None, "labs", None, "end"],
            LOWER,
            ["patient age", "patient sex", "labs crp", "labs hb", "end outcome"],
        ),
        (
            ["age", "sex", "labs", None, None],
            [None, None, "crp", "hb", "outcome"],
            ["age", "sex", "labs crp", "labs hb", "labs outcome"],
        ),
    ],
)
def test_merged_names_are_joined_and_said(upper, lower, names, tmp_path):
    path = _sheet(tmp_path / "a.xlsx", upper, lower, ROWS, first=[["Ward 7"]])
    table = load_table(path)
    assert list(table.frame.columns) == names
    assert len(table.frame) == 40
    joined = next(name for name in names if " " in name)
    assert any(f"Two rows of names were joined, as {joined!r}" in note for note in table.notes)


def test_missing_names_are_no_merged_names(tmp_path):
    upper = ["age", None, "crp", None, "outcome"]  # the first row below holds numbers
    with pytest.raises(ValueError, match="column without a name"):
        load_table(_sheet(tmp_path / "a.xlsx", upper, ROWS[0], ROWS[1:]))
    words = [["a", "b", "c", "d", "e"]] * 30  # words below words may be rows
    with pytest.raises(ValueError, match="column without a name"):
        load_table(_sheet(tmp_path / "b.xlsx", upper, LOWER, words))


def test_an_empty_sheet_names_the_others(tmp_path):
    with pd.ExcelWriter(tmp_path / "a.xlsx") as book:
        pd.DataFrame({"see next": []}).to_excel(book, sheet_name="readme", index=False)
        TABLE.to_excel(book, sheet_name="visits", index=False)
    with pytest.raises(ValueError, match="'readme' has no rows; --sheet names another: 'visits'"):
        load_table(tmp_path / "a.xlsx")


def test_titles_above_the_names_of_a_sheet(tmp_path):
    path = tmp_path / "a.xlsx"
    rows = [["Registry 2024", None, None], [None, "printed on Monday", None]]
    names, values = (
        ["age", "sex", "outcome"],
        [[40 + k, "fm"[k % 2], "ab"[k % 2]] for k in range(9)],
    )
    pd.DataFrame([*rows, [None] * 3, names, *values]).to_excel(path, index=False, header=False)
    loaded = load_table(path)
    assert list(loaded.frame.columns) == names
    assert len(loaded.frame) == 9
    assert "2 rows of one cell above the names" in loaded.notes[-1]
    pd.DataFrame([["age", None, None], *values]).to_excel(path, index=False, header=False)
    with pytest.raises(ValueError, match="name"):  # a row of values is no header
        load_table(path)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.zip", _zipped("a.csv", "b.csv"), r"must hold one table, it holds 2 \('a.csv', 'b.csv'"),
        ("a.zip", _zipped(), "it holds 0"),
        ("a.zip", _zipped("a.exe"), "must end with one of"),
        ("a.zip", _zipped("a.csv.gz"), "packed again"),
        ("a.zip", b"PK", "not a whole zip file"),
        ("a.csv.bz2", bz2.compress(b"a,b\n1,2\n")[:-4], "not a whole bz2 file"),
        ("a.csv.xz", lzma.compress(b"a,b\n1,2\n")[:-4], "not a whole xz file"),
        ("a.xlsx", b"a,b\n1,2\n", "no whole Excel"),
        ("a.xlsx", _zipped("xl/workbook.xml"), "no whole Excel"),
        ("a.dta", b"a,b\n1,2\n", "no whole Stata"),
        ("a.sav", b"a,b\n1,2\n", "no whole SPSS"),
        ("a.sas7bdat", b"a,b\n1,2\n", "no whole SAS file"),
        ("a.xpt", b"a,b\n1,2\n", "no whole SAS transport"),
        (
            "a.rds",
            b"1",
            r"as CSV there: x <- readRDS\('a.rds'\); write.csv",
        ),
        ("a.RData", b"1", r"x <- get\(load\('a.RData'\)\); write.csv\(x, 'data.csv'"),
        ("a.feather", b"a,b\n1,2\n", "no whole Arrow"),
        ("a.jsonl", b'{"a": [1, 2]}\n', "holds lists"),
        ("a.jsonl", b'{"a": 1\n', "no whole JSON lines"),
        ("a.jsonl", b"", "it is empty"),
        ("a.csv", b"", "it is empty"),
    ],
    # an archive holds the time at which it was made: as a name it differs between processes
    ids=lambda value: "content" if isinstance(value, bytes) else value[:30],
)
def test_what_is_refused(name, content, message, tmp_path):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ValueError, match=message):
        load_table(tmp_path / name)


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress, "zip"])
def test_small_files_that_become_huge(pack, tmp_path, monkeypatch):
    monkeypatch.setattr("handful.tables.sources.MAX_BYTES", 2**21)
    content = b"a,b\n" + b"1,2\n" * 2**20
    ending = {gzip.compress: ".gz", bz2.compress: ".bz2", lzma.compress: ".xz"}.get(pack, ".zip")
    path = tmp_path / f"a.csv{ending}"
    packed = _zipped("a.csv", content=content) if pack == "zip" else pack(content)
    path.write_bytes(packed)
    assert len(packed) < 2**16
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match=r"larger than 2.0 MiB"):
            load_table(path)
        assert tracemalloc.get_traced_memory()[1] < 40 * 2**20
    finally:
        tracemalloc.stop()


def test_a_sheet_with_one_far_cell(tmp_path):
    """Padded to a rectangle it would be 17 billion cells."""
    import openpyxl

    book = openpyxl.Workbook()
    sheet = book.active
    for place, value in (("A1", "a"), ("XFD1", "b"), ("A1048576", 1)):
        sheet[place] = value
    book.save(tmp_path / "a.xlsx")
    with pytest.raises(ValueError, match="reach row 1048576 and column 16384"):
        load_table(tmp_path / "a.xlsx")


@pytest.mark.parametrize("name", ["a.parquet", "a.feather", "a.xlsx"])
def test_readers_that_are_absent_say_how_to_get_them(name, tmp_path, monkeypatch):
    path = _write(tmp_path, name)
    for package in ("pyarrow", "openpyxl"):
        monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ValueError, match=r'python -m pip install "handful\[tables\]"'):
        load_table(path)


def test_blanks_part_columns_only_where_rows_agree(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("blood pressure\n120\n130\n")
    assert list(read_frame(path).columns) == ["blood pressure"]
    path.write_text("age dose\n40 1.5\n50 2.5\n")
    assert read_frame(path)["dose"].tolist() == [1.5, 2.5]

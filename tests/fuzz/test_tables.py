"""Damaged tables through every reader: a table, or an error that says what is wrong.

A few hundred cases in the usual run and several thousand with ``-m slow``;
``HANDFUL_FUZZ=20000 pytest tests/fuzz`` makes it that many of each kind. The seed is fixed, so that
a failure comes back. No case may take long, nor the memory of this process grow much.
"""

import bz2
import gzip
import io
import json
import lzma
import os
import random
import resource
import time
import zipfile

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handful.cli.study_rows import StudyRows, read_rest
from handful.tables import Choices, LoadedTable, Study, load_table, read_chunks, read_study

N_CASES = int(os.environ.get("HANDFUL_FUZZ", "150"))
N_SLOW = 2000
LONGEST = 2000  # characters of an error
SLOWEST = 5.0  # seconds of one file
GROWTH = 600 * 1024  # KiB of memory over all files of a kind


def _check(path):
    """Read a file as `certify` and as `predict` do; gives whether it was a table."""
    n_read = 0
    roads = (
        lambda: read_rest(path, Choices()),
        lambda: list(read_chunks(path, ["a"])),
        lambda: load_table(path),
        lambda: read_study(load_table(path).frame),
    )
    for read in roads:
        start = time.process_time()
        try:
            found = read()
        except (ValueError, OSError) as error:
            caught = error
        else:
            caught = ""
            n_read += 1
            assert isinstance(found, StudyRows | list | LoadedTable | Study)
        assert len(str(caught)) < LONGEST
        assert time.process_time() - start < SLOWEST
    return n_read > 0


def _check_many(make, path, n_cases):
    """So many damaged files; some must still be tables, and some must not."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    n_tables = 0
    for _ in range(n_cases):
        path.write_bytes(make())
        n_tables += _check(path)
    print(f"{n_cases} damaged {path.name} files: {n_tables} still tables")
    assert 0 < n_tables < n_cases
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < GROWTH


CELLS = [
    *("1", "-2.5", "1e400", "nan", "inf", "?", "", "x", '"', '""', "'", "=1+1", "é", "\t", " "),
    *("\r", "\n", "0x10", "1_000", "true", "None", "9" * 20, "9" * 400, "\x0b", "\u2028", "%"),
    *("[bold]", "{}", "\x1b[2J", "\x00", "1" * 5000, "-0.0", "1e-400", "١", "a,b", "@data"),
]


def _text(random_):
    """A good table, with some cells, rows, names and bytes gone wrong."""
    end = random_.choice(["\n", "\r\n", "\r"])
    mark = random_.choice([",", ",", ";", "\t", "|"])
    rows = [["a", "b", "label"]]
    for k in range(random_.randrange(12)):
        rows.append([str(random_.random()), random_.choice(["u", "v"]), "xy"[k % 2]])
    for _ in range(random_.randrange(4)):
        row = random_.choice(rows)
        what = random_.randrange(4)
        if what == 0:
            row.append(random_.choice(CELLS))
        elif what == 1 and row:
            row.pop()
        elif row:
            row[random_.randrange(len(row))] = random_.choice(CELLS)
    content = bytearray(end.join(mark.join(row) for row in rows).encode())
    return _damage(content, random_, 3)


def _damage(content, random_, most):
    """Flip, remove, repeat or cut a few bytes."""
    content = bytearray(content)
    for _ in range(random_.randrange(most + 1)):
        if not content:
            break
        k = random_.randrange(len(content))
        what = random_.randrange(4)
        if what == 0:
            content[k] = random_.randrange(256)
        elif what == 1:
            del content[k : k + random_.randrange(1, 9)]
        elif what == 2:
            content[k:k] = content[k : k + 40] * random_.randrange(1, 9)
        else:
            del content[random_.randrange(len(content)) :]
    return bytes(content)


FRAME = pd.DataFrame(
    {"a": [1.5, 2.0, None, 4.0] * 9, "b": ["u", "v", None, "w"] * 9, "label": list("xyxy") * 9}
)


def _arff(random_):
    head = "@relation r\n@attribute a numeric\n@attribute b {u,v}\n@attribute label {x,y}\n"
    return _damage((head + "@data\n").encode() + _text(random_), random_, 2)


def _lines(random_):
    """Objects with some keys, values and lines gone wrong, and some bytes."""
    values = [1, -2.5, "u", None, True, [1], {"c": 2}, 10**30, 1e300, "x" * 300, float("nan")]
    rows = []
    for k in range(random_.randrange(1, 12)):
        row = {"a": k / 3, "b": random_.choice("uv"), "label": "xy"[k % 2]}
        if random_.random() < 0.2:
            row[random_.choice(["a", "b", "c"])] = random_.choice(values)
        if random_.random() < 0.1:
            row.pop("a")
        rows.append(json.dumps(row))
    if random_.random() < 0.2:
        rows[random_.randrange(len(rows))] = random_.choice(["", "[]", "3", "{", "null", "{}"])
    return _damage("\n".join(rows).encode(), random_, 1)


def _archive(random_):
    """A zip archive: damaged inside, outside, or with members too many or ill named."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        names = ["a.csv", "a.txt", "d/a.tsv", "../a.csv", "a.exe", "b.csv"]
        for name in random_.sample(names, random_.choice([1, 1, 1, 1, 2, 0])):
            archive.writestr(name, _text(random_))
    return _damage(out.getvalue(), random_, 2)


def _workbook(random_):
    """An Excel file whose parts are damaged before they are packed."""
    whole, out = io.BytesIO(), io.BytesIO()
    FRAME.to_excel(whole, index=False)
    with zipfile.ZipFile(whole) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        names = old.namelist()
        broken = random_.choice(names)
        for name in names:
            content = old.read(name)
            new.writestr(name, _damage(content, random_, 3) if name == broken else content)
    return out.getvalue() if random_.random() < 0.8 else _damage(out.getvalue(), random_, 2)


def _written(write, **options):
    out = io.BytesIO()
    write(out, **options)
    return out.getvalue()


def _binary(content):
    return lambda random_: _damage(content, random_, 2)


MAKERS = {
    ".csv": _text,
    ".tsv": _text,
    ".txt": _text,
    ".arff": _arff,
    ".jsonl": _lines,
    ".csv.gz": lambda r: _damage(gzip.compress(_text(r), mtime=0), r, 2),
    ".csv.bz2": lambda r: _damage(bz2.compress(_text(r)), r, 1),
    ".csv.xz": lambda r: _damage(lzma.compress(_text(r)), r, 1),
    ".zip": _archive,
    "-utf16.csv": lambda r: _damage(_text(r).decode("latin-1").encode("utf-16"), r, 2),
    "-western.csv": lambda r: _text(r).replace(b"u", "ü".encode("cp1252")),
    "-snappy.parquet": _binary(_written(FRAME.to_parquet, compression="snappy")),
    "-zstd.parquet": _binary(_written(FRAME.to_parquet, compression="zstd")),
    "-plain.parquet": _binary(_written(FRAME.to_parquet, compression=None)),
    "-lz4.feather": _binary(_written(FRAME.to_feather)),
    "-plain.feather": _binary(_written(FRAME.to_feather, compression="uncompressed")),
    ".dta": _binary(_written(FRAME.fillna({"b": ""}).to_stata, write_index=False)),
    ".xlsx": _workbook,
}
SLOW_MAKERS = {".xlsx": 8}  # times fewer files


@pytest.mark.sample(4)
@pytest.mark.parametrize("kind", sorted(MAKERS))
def test_damaged_files(kind, tmp_path):
    random_ = random.Random(kind)
    n_cases = max(20, N_CASES // SLOW_MAKERS.get(kind, 2))
    _check_many(lambda: MAKERS[kind](random_), tmp_path / f"t{kind}", n_cases)


@pytest.mark.slow
@pytest.mark.parametrize("kind", sorted(MAKERS))
def test_many_damaged_files(kind, tmp_path):
    random_ = random.Random(f"many {kind}")
    n_cases = max(N_CASES, N_SLOW // SLOW_MAKERS.get(kind, 1))
    _check_many(lambda: MAKERS[kind](random_), tmp_path / f"t{kind}", n_cases)


def _columns(random_):
    """A table of odd columns, as a data frame."""
    n = random_.randrange(1, 60)
    out = {}
    for j in range(random_.randrange(1, 6)):
        kind = random_.randrange(6)
        if kind == 0:
            cells = [random_.choice([1.5, -999, float("inf"), None, 1e300]) for _ in range(n)]
        elif kind == 1:
            cells = [random_.choice(["2020-01-01", "31.12.2020", "x", ""]) for _ in range(n)]
        elif kind == 2:
            cells = [random_.choice(["1,5", "1.000,5", "<3", "12 %", "NA"]) for _ in range(n)]
        elif kind == 3:
            cells = list(range(random_.randrange(9), n + 9))[:n]
            cells += [0] * (n - len(cells))
        elif kind == 4:
            cells = [random_.choice(CELLS) for _ in range(n)]
        else:
            cells = [random_.choice([True, False, None, 3, "yes", "no"]) for _ in range(n)]
        out[random_.choice(["id", "x", "site", "patient", "weight", "y z"]) + str(j)] = cells
    out["label"] = [random_.choice(["a", "b", "A ", 1, None][: random_.randrange(2, 6)])
                    for _ in range(n)]  # fmt: skip
    return pd.DataFrame(out)


def _check_frames(n_cases, seed):
    """Odd frames are read, or refused with a sentence; what is read is a whole study."""
    random_ = random.Random(seed)
    n_read = 0
    for _ in range(n_cases):
        frame = _columns(random_)
        try:
            study, said = read_study(frame), ""
        except ValueError as error:
            study, said = None, str(error)
        assert len(said) < LONGEST
        if study is None:
            continue
        n_read += 1
        assert len(study.X) == len(study.y) == len(frame)
        assert set(study.pool.tolist()) < set(range(len(frame)))
        assert all(column.role for column in study.columns)
        turned = read_study(frame.iloc[::-1].reset_index(drop=True))
        drawn = [{row.tobytes() for row in s.digests.digests[s.pool]} for s in (study, turned)]
        assert drawn[0] == drawn[1]
    assert 0 < n_read < n_cases


def test_odd_frames():
    _check_frames(N_CASES, "frames")


@pytest.mark.slow
def test_many_odd_frames():
    _check_frames(N_SLOW, "many frames")


@settings(max_examples=N_CASES, deadline=None)
@given(
    st.binary(max_size=400),
    st.sampled_from(["d.csv", "d.tsv", "d.txt", "d.arff", "d.csv.gz", "d.jsonl", "d.zip", "d.dta"]),
)
def test_arbitrary_bytes(tmp_path_factory, content, name):
    path = tmp_path_factory.getbasetemp() / name
    path.write_bytes(content)
    _check(path)

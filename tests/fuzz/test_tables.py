"""Damaged tables through every reader: a table, or an error that says what is wrong.

A few hundred cases in the usual run; ``HANDFUL_FUZZ=20000 pytest tests/fuzz`` makes it that many
of each kind. The seed is fixed, so that a failure comes back.
"""

import gzip
import io
import os
import random

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handful.cli._tables import TableData, read_table
from handful.tables import read_chunks

N_CASES = int(os.environ.get("HANDFUL_FUZZ", "150"))
LONGEST = 2000  # characters of an error


def _check(path):
    """Read a file as `certify` and as `predict` do; gives whether it was a table."""
    n_read = 0
    for read in (lambda: read_table(path, None), lambda: list(read_chunks(path, ["a"]))):
        try:
            found = read()
        except (ValueError, OSError) as error:
            caught = error
        else:
            caught = ""
            n_read += 1
            assert isinstance(found, TableData | list)
        assert len(str(caught)) < LONGEST
    return n_read > 0


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


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".txt", ".arff", ".csv.gz"])
def test_damaged_text(suffix, tmp_path):
    random_ = random.Random(suffix)
    n_tables = 0
    for _ in range(N_CASES):
        content = _text(random_)
        if suffix == ".arff":
            head = "@relation r\n@attribute a numeric\n@attribute b {u,v}\n@attribute label {x,y}\n"
            content = _damage((head + "@data\n").encode() + content, random_, 2)
        if suffix.endswith(".gz"):
            content = _damage(gzip.compress(content, mtime=0), random_, 2)
        (tmp_path / f"t{suffix}").write_bytes(content)
        n_tables += _check(tmp_path / f"t{suffix}")
    print(f"{N_CASES} damaged {suffix} files: {n_tables} still tables")
    assert 0 < n_tables < N_CASES


@pytest.mark.parametrize("compression", ["snappy", "zstd", None])
def test_damaged_parquet(compression, tmp_path):
    pytest.importorskip("pyarrow")
    random_ = random.Random(str(compression))
    frame = pd.DataFrame(
        {"a": [1.5, 2.0, None, 4.0] * 9, "b": ["u", "v", None, "w"] * 9, "label": list("xyxy") * 9}
    )
    buffer = io.BytesIO()
    frame.to_parquet(buffer, compression=compression)
    n_tables = 0
    for _ in range(N_CASES):
        (tmp_path / "t.parquet").write_bytes(_damage(buffer.getvalue(), random_, 2))
        n_tables += _check(tmp_path / "t.parquet")
    print(f"{N_CASES} damaged {compression} Parquet files: {n_tables} still tables")
    assert 0 < n_tables < N_CASES


@settings(max_examples=N_CASES)
@given(st.binary(max_size=400), st.sampled_from(["d.csv", "d.tsv", "d.txt", "d.arff", "d.csv.gz"]))
def test_arbitrary_bytes(tmp_path_factory, content, name):
    path = tmp_path_factory.getbasetemp() / name
    path.write_bytes(content)
    _check(path)

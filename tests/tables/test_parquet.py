"""Parquet: sizes are asked before they cost anything, damage is said of the file."""

import resource
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from handful.tables import read_chunks, read_frame
from tests.cli.program import ENVIRONMENT

pa = pytest.importorskip("pyarrow")
import pyarrow.parquet as pq  # noqa: E402


@pytest.fixture
def frame(rng):
    return pd.DataFrame(
        {
            "x": rng.normal(size=3000),
            "n": rng.integers(0, 9, size=3000),
            "w": rng.choice(["red", "dark blue", None], size=3000),
            "b": rng.random(3000) < 0.5,
        }
    )


def test_it_reads_what_pandas_reads(frame, tmp_path):
    frame.to_parquet(tmp_path / "a.parquet", row_group_size=700)
    pd.testing.assert_frame_equal(
        read_frame(tmp_path / "a.parquet"), pd.read_parquet(tmp_path / "a.parquet")
    )
    frame.set_index("n").to_parquet(tmp_path / "a.parquet")
    pd.testing.assert_frame_equal(
        read_frame(tmp_path / "a.parquet"), pd.read_parquet(tmp_path / "a.parquet")
    )


def test_pieces_equal_the_whole(frame, tmp_path, monkeypatch):
    monkeypatch.setattr("handful.tables.table_files.CHUNK", 1000)
    frame.to_parquet(tmp_path / "a.parquet")
    pieces = list(read_chunks(tmp_path / "a.parquet", ["w", "x"]))
    assert len(pieces) == 3
    pd.testing.assert_frame_equal(pd.concat(pieces, ignore_index=True), frame[["w", "x"]])
    with pytest.raises(ValueError, match="must have the columns"):
        list(read_chunks(tmp_path / "a.parquet", ["absent"]))


def _constant(path, n_rows, n_columns=2):
    """A few kilobytes that say `n_rows` equal rows."""
    ones = pa.array(np.ones(1_000_000))
    table = pa.table({f"c{k}": ones for k in range(n_columns)})
    with pq.ParquetWriter(path, table.schema, compression="zstd") as writer:
        for _ in range(n_rows // 1_000_000):
            writer.write_table(table)


def test_a_bomb_is_refused_by_its_own_footer(tmp_path):
    path = tmp_path / "bomb.parquet"
    _constant(path, 100_000_000)
    assert path.stat().st_size < 2**20
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(ValueError, match=r"expand to 1\.5 GiB, more than 200 times as much"):
        read_frame(path)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200 * 1024  # KiB


def test_too_large_is_too_large(frame, tmp_path, monkeypatch):
    frame.to_parquet(tmp_path / "a.parquet")
    monkeypatch.setattr("handful.tables.binary_files.MAX_BYTES", 95_999)
    with pytest.raises(ValueError, match=r"3000 rows of 4 columns need 93\.8 KiB of memory"):
        read_frame(tmp_path / "a.parquet")


WORDS = """
import re, sys
from pathlib import Path
from handful.tables import read_chunks, read_frame
try:
    read_frame(Path(sys.argv[1])) if sys.argv[2] == "frame" else list(
        read_chunks(Path(sys.argv[1]), ["w"]))
except ValueError as error:
    print(error)
# of this program alone: getrusage remembers the one that started it
print(int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) // 1024)
"""


@pytest.mark.parametrize("how", ["frame", "chunks"])
@pytest.mark.parametrize(
    ("length", "message"),
    [(1_000_000, "a cell of more than 100000 characters"), (90_000, "of words")],
)
def test_one_long_word_in_every_row(how, length, message, tmp_path):
    """18 GB or more once decoded, in a small file."""
    words = pa.DictionaryArray.from_arrays(np.zeros(200_000, dtype=np.int32), ["v" * length])
    pq.write_table(pa.table({"w": words}), tmp_path / "a.parquet")
    ran = subprocess.run(
        [sys.executable, "-c", WORDS, str(tmp_path / "a.parquet"), how],
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    said, peak = ran.stdout.strip().rsplit("\n", 1)
    assert message in said
    assert int(peak) < 600


def test_lists_and_twins_are_refused(tmp_path):
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"x": [[1, 2], [3]]}), path)
    with pytest.raises(ValueError, match="hold lists"):
        read_frame(path)
    pq.write_table(pa.table([[1], [2]], names=["x", "x"]), path)
    with pytest.raises(ValueError, match="occurs twice"):
        read_frame(path)


def test_damaged_metadata_is_said_of_the_file(frame, tmp_path):
    """What pandas notes beside the columns is JSON, which may be anything."""
    path = tmp_path / "a.parquet"
    table = pa.Table.from_pandas(frame)
    for metadata in (b"{", b"[]", b"{}", b'{"index_columns": 3, "columns": []}', b"\xff"):
        pq.write_table(table.replace_schema_metadata({"pandas": metadata}), path)
        with pytest.raises(ValueError, match="is not a readable table: it is no whole Parquet"):
            read_frame(path)


@pytest.mark.parametrize("content", [b"", b"PAR1", b"PAR1" + b"\xff" * 50 + b"PAR1"])
def test_what_is_no_parquet(content, tmp_path):
    path = tmp_path / "a.parquet"
    path.write_bytes(content)
    with pytest.raises(ValueError, match="no whole Parquet file"):
        read_frame(path)
    with pytest.raises(ValueError, match="no whole Parquet file"):
        list(read_chunks(path, ["x"]))


def test_no_rows(tmp_path):
    pd.DataFrame({"x": [1.0], "y": ["a"]}).head(0).to_parquet(tmp_path / "a.parquet")
    with pytest.raises(ValueError, match="a header but no rows"):
        read_frame(tmp_path / "a.parquet")

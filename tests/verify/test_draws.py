"""Digests, orders and codes of the rows, computed by two pieces of code that share nothing."""

import datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from handful.tables import RowDigests, blind_order, row_codes, row_digests, table_digest
from handful.verify.redraw import code_of, digest_of_table, drawn_order, row_digests_of

DAYS = pd.to_datetime(["2020-01-01", "2020-01-02", None, "2020-01-01"])
FRAMES = {
    "numbers": pd.DataFrame({"b": [1, 2, 3, 1], "a": [0.5, -0.0, np.nan, 0.5]}),
    "words": pd.DataFrame({"w": ["x", None, " x ", "7.00"], "v": [1.5, 2.0, 2.5, 1.5]}),
    "categories": pd.DataFrame({"c": pd.Categorical(["x", "y", None, "x"])}),
    "mixed": pd.DataFrame({"m": pd.Series([1, "1", True, None], dtype=object)}),
    "strange": pd.DataFrame(
        {"m": pd.Series([Decimal("1.5"), b"1", 2**70, np.bool_(1)], dtype=object)}
    ),
    "numbers as text": pd.DataFrame(
        {"n": ["3", "3.0", " 03", "1e5"], "m": ["nan", "inf", "-0", "0.5"]}
    ),
    "nullable": pd.DataFrame({"n": pd.array([1, None, 3, 1], dtype="Int64")}),
    "truth": pd.DataFrame({"t": [True, False, True, True]}),
    "days": pd.DataFrame({"d": DAYS, "e": [datetime.date(2020, 1, 1)] * 4}),
}


LABELS = [
    *([1, 0, 1, 1], [1.0, 0.5, 1.0, 1.0], list("abaa"), [True] * 4, ["1.50", "007", " 1e2", "-0"]),
    *(["TRUE", "False", "true ", "x"], ["inf", "2.0", "True", "1"]),
]


@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize("name", FRAMES)
def test_both_read_the_same_rows(name, labels):
    frame = FRAMES[name]
    mine = row_digests(frame, labels)
    theirs = row_digests_of([frame[name] for name in sorted(frame)], labels)
    assert [row.tobytes() for row in mine] == theirs
    assert table_digest(mine) == digest_of_table(theirs)


@pytest.mark.parametrize("seed", [None, 0, 12])
def test_both_draw_the_same_order(rng, seed):
    X, y = rng.integers(0, 2, (50, 3)).astype(float), rng.integers(0, 2, 50)
    blind = blind_order(X, y, random_state=seed)
    rows = row_digests_of(X.T, y)
    assert drawn_order(rows, blind.digest, seed).tolist() == blind.order.tolist()
    codes = row_codes(row_digests(X, y), blind.digest)
    assert [code_of(row, blind.digest) for row in rows] == codes.tolist()


def test_types_of_columns_do_not_matter():
    whole, floats = pd.DataFrame({"x": [1, 2]}), pd.DataFrame({"x": [1.0, 2.0]})
    objects = pd.DataFrame({"x": pd.Series([1, 2], dtype=object)})
    digests = {table_digest(row_digests(frame, ["1", "2"])) for frame in (whole, floats, objects)}
    assert len(digests) == 1
    assert table_digest(row_digests(whole, [1, 2.0])) in digests


def test_digests_of_a_table_know_their_columns():
    frame = FRAMES["numbers"]
    assert RowDigests.of(frame, [1, 0, 1, 1]).columns == ("a", "b")
    assert blind_order(frame[["a"]], random_state=RowDigests.of(frame)).draw.columns == ("a", "b")

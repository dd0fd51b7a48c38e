"""Whatever is missing in new rows: one meaning for every mark, and no row depends on another."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handful import CertifiedClassifier
from handful.tables import read_study

FORMS = ["one rule", "rule list", "score card", "linear", "additive", "half-spaces", "balls",
         "prototypes"]  # fmt: skip
MARKS = (None, "", "NA", " n/a ", ".", "?", "missing", float("nan"))
N = 120


def _table():
    rng = np.random.default_rng(5)
    age, dose = rng.integers(20, 90, N), rng.gamma(2.0, 3.0, N).round(2)
    stage, site = rng.choice(["I", "II", "III"], N), rng.choice(["a", "b", "c"], N)
    sick = age + 4 * dose + 20 * (stage == "III") + rng.normal(0, 12, N) > 82
    table = pd.DataFrame({"age": age, "dose": dose, "stage": stage, "site": site}, dtype=object)
    table = table.mask(rng.random(table.shape) < 0.08, None)
    return table.assign(outcome=np.where(sick, "ill", "well"))


TABLE = _table()


@pytest.fixture(scope="module")
def menu():
    machine = CertifiedClassifier(FORMS).fit(read_study(TABLE))
    assert not machine.failures_
    return [candidate.fitted for candidate in machine.candidates_]


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.integers(0, N - 1), st.integers(0, 3), st.sampled_from(MARKS)),
                max_size=30))  # fmt: skip
def test_any_pattern_of_any_marks(menu, holes):
    plain = TABLE.drop(columns="outcome").astype(object)
    marked = plain.copy()
    for row, column, mark in holes:
        plain.iat[row, column] = None
        marked.iat[row, column] = mark
    untouched = sorted(set(range(N)) - {row for row, _, _ in holes})
    whole = TABLE.drop(columns="outcome")
    for fitted in menu:
        labels = fitted.labels(plain)
        assert labels.tolist() == fitted.labels(marked).tolist()
        assert labels[untouched].tolist() == fitted.labels(whole)[untouched].tolist()
        some = plain.iloc[10:20]
        assert fitted.labels(some).tolist() == labels[10:20].tolist()
        assert np.isfinite(fitted.scores(plain)).all()
        gaps = fitted.columns.is_missing(marked)
        names = [column.name for column in fitted.columns.columns]
        for row, column, _ in holes:
            name = plain.columns[column]
            assert name not in names or gaps[row, names.index(name)]

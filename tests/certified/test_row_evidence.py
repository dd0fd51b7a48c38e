"""Evidence about rows of a menu: what is counted, what it pays, and how often it misses."""

import math

import numpy as np
import pandas as pd
import pytest

from handful import CertifiedClassifier, load_dataset
from handful.evidence import rate_limits

FORMS = ["one rule", "score card", "sparse linear", "linear"]


@pytest.fixture(scope="module")
def data():
    return load_dataset("haberman-294").named()


@pytest.fixture(scope="module")
def machine(data):
    return CertifiedClassifier(FORMS).fit(*data)


@pytest.mark.parametrize("form", ["score card", "linear"])
def test_the_counted_rows_are_counted_and_no_others(machine, data, form):
    X, y = data
    row = machine.choose(form)
    found = row.evidence()
    counted = np.setdiff1d(np.arange(len(y)), row.held_back_)
    words, said = np.asarray(y)[counted], row.predict(X.iloc[counted])
    case = row.case_
    flagged, is_case = said == case, words == case
    by_hand = [flagged & is_case, ~flagged & is_case, flagged & ~is_case, ~flagged & ~is_case]
    assert found.counts == tuple(int(part.sum()) for part in by_hand)
    assert found.n_errors == row.candidate_.counts.n_errors
    scores = row.predict_proba(X.iloc[counted])[:, list(row.classes_).index(case)]
    wins = (scores[is_case][:, None] > scores[~is_case]).mean()
    ties = (scores[is_case][:, None] == scores[~is_case]).mean()
    assert found.area.estimate == pytest.approx(wins + 0.5 * ties, abs=1e-12)
    assert found.calibration.in_the_large.estimate == pytest.approx(
        np.mean(is_case - scores), abs=1e-12
    )


def test_a_row_pays_its_share_of_delta(machine):
    for candidate in machine.candidates_:
        if candidate.scored is None:
            continue
        found = machine.choose(candidate.name).evidence(0.1)
        assert math.fsum(found.levels.values()) == pytest.approx(0.1 * math.exp(-candidate.nats))


def test_all_shares_of_a_menu_sum_to_delta_at_most(machine):
    total = sum(math.exp(-candidate.nats) for candidate in machine.candidates_)
    assert total <= 1.0 + 1e-12


def test_the_case_may_be_the_first_class(data):
    X, y = data
    both = {}
    for case in sorted(set(y)):
        said = {"positive": case}
        both[case] = CertifiedClassifier(["linear"], columns=said).fit(X, y).evidence()
    one, other = both.values()
    assert one.counts == other.counts[::-1]
    assert one.area.estimate == pytest.approx(other.area.estimate, abs=1e-12)
    assert one.rates.sensitivity.estimate == other.rates.specificity.estimate


def test_a_goal_moves_the_rule_and_not_the_curve(machine):
    reached = machine.reach(sensitivity=0.5)
    found = reached.evidence()
    assert found.n_errors == reached.candidate_.counts.n_errors
    by_class = dict(zip(reached.fitted_.classes, reached.candidate_.counts.by_class, strict=True))
    n, n_missed = by_class[reached.case_]
    assert found.counts[:2] == (n - n_missed, n_missed)


def test_subgroups_are_those_named_beforehand(data):
    X, y = data
    X = X.assign(sex=np.resize(["f", "m", "m"], len(X)))
    machine = CertifiedClassifier(["linear"], columns={"subgroups": ["sex"]}).fit(X, y)
    groups = machine.evidence().subgroups
    assert [group.label for group in groups] == ["sex = f", "sex = m"]
    counted = np.setdiff1d(np.arange(len(y)), machine.held_back_)
    assert sum(group.n_rows for group in groups) == len(counted)
    assert groups[0].n_rows == int((X["sex"].iloc[counted] == "f").sum())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"form": "one rule"}, "has labels only"),
        ({"groups": True}, "independent"),
        ({"three": True}, "two classes"),
    ],
)
def test_what_has_no_evidence_says_why(data, change, message):
    X, y = data
    y = np.asarray(y).copy()
    groups = np.arange(len(y)) // 2 if change.get("groups") else None
    if change.get("three"):
        y[::3] = "third"
    machine = CertifiedClassifier(["one rule", "linear"]).fit(X, y, groups=groups)
    machine = machine.choose(change.get("form", "linear"))
    with pytest.raises(ValueError, match=message):
        machine.evidence()


def test_subgroups_of_an_array_are_refused(data):
    X, y = data
    with pytest.raises(ValueError, match="`subgroups` must name columns of a data frame"):
        CertifiedClassifier(["linear"], columns={"subgroups": ["x0"]}).fit(X.to_numpy(), y)


# -- how often it misses -------------------------------------------------------------------------

N_DRAWS, DELTA = 150, 0.2


def _misses(found):
    """Whether a statement is false where labels are coins: everything but luck is one half."""
    tops = [limits.lower > 0.5 for limits in (found.rates.ppv, found.rates.npv)]
    return any(tops) or not found.area.lower <= 0.5 <= found.area.upper


def _misses_unpaid(found):
    """The same statements, each at the whole of delta."""
    hit, missed, alarm, cleared = found.counts
    pairs = [(hit, hit + alarm), (cleared, cleared + missed)]
    return any(rate_limits(k, n, delta=DELTA, side="below").lower > 0.5 for k, n in pairs)


@pytest.mark.thorough
def test_a_person_who_takes_the_best_looking_row_is_not_misled():
    """All rows at once miss at most delta; each statement at the whole of it, far more often."""
    rng = np.random.default_rng(7)
    paid = unpaid = 0
    for _ in range(N_DRAWS):
        X, y = pd.DataFrame(rng.normal(size=(90, 3)), columns=list("abc")), rng.integers(0, 2, 90)
        machine = CertifiedClassifier(FORMS, delta=DELTA).fit(X, y)
        rows = [machine.choose(candidate.name) for candidate in machine.candidates_]
        found = [row.evidence() for row in rows if not row.why_no_evidence()]
        paid += any(map(_misses, found))
        unpaid += any(map(_misses_unpaid, found))
    assert paid / N_DRAWS <= DELTA + 3.0 * math.sqrt(DELTA * (1 - DELTA) / N_DRAWS)
    assert unpaid / N_DRAWS > 2.0 * DELTA  # the power to see payments that are missing


def test_frames_of_words_and_numbers_have_the_same_evidence_from_an_array(data):
    X, y = data
    one = CertifiedClassifier(["linear"], random_state=3).fit(X, y).evidence()
    other = CertifiedClassifier(["linear"], random_state=3).fit(X.to_numpy(), y).evidence()
    assert one.counts == other.counts
    assert one.area == other.area

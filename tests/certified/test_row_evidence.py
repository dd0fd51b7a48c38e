"""Evidence about rows of a menu: what is counted, what it pays, and how often it misses."""

import math

import numpy as np
import pandas as pd
import pytest

from handful import CertifiedClassifier, load_dataset
from handful.evidence import rate_limits
from tests.chance import n_allowed

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
        ({"form": "constant"}, "every case gets the same label"),
        ({"three": True}, "several classes have `class_evidence`"),
    ],
)
def test_what_has_no_evidence_says_why(data, change, message):
    X, y = data
    y = np.asarray(y).copy()
    if change.get("three"):
        y[::3] = "third"
    machine = CertifiedClassifier(["constant", "linear"]).fit(X, y)
    machine = machine.choose(change.get("form", "linear"))
    with pytest.raises(ValueError, match=message):
        machine.evidence()


def test_subgroups_of_several_classes_are_refused_before_learning(data):
    X, y = data
    y = np.asarray(y).copy()
    y[::3] = "third"
    X = X.assign(sex=np.resize(["f", "m"], len(X)))
    machine = CertifiedClassifier(["linear"], columns={"subgroups": ["sex"]})
    with pytest.raises(ValueError, match=r"`subgroups` needs two classes.*got 3 classes"):
        machine.fit(X, y)


def test_a_rule_without_a_score_is_one_threshold(machine):
    row = machine.choose("one rule")
    found, counts = row.evidence(), row.candidate_.counts
    assert found.n_errors == counts.n_errors
    r = found.rates
    half = 0.5 * (r.sensitivity.estimate + r.specificity.estimate)
    assert found.area.estimate == pytest.approx(half)
    assert found.calibration is None
    n_flagged = found.counts[0] + found.counts[2]
    n_labels = (n_flagged > 0) + (n_flagged < found.n_rows)
    assert len(found.ledger.thresholds) == n_labels + 1


@pytest.mark.parametrize("form", ["one rule", "linear"])
def test_one_row_of_each_group_is_counted(data, form):
    """The rows are those that the certificate counts as the first of their groups."""
    X, y = data
    groups = np.arange(len(y)) // 3
    machine = CertifiedClassifier([form], group_loss="mean").fit(X, y, groups=groups)
    found = machine.evidence()
    assert found.n_rows == len(np.unique(groups)) - len(np.unique(groups[machine.held_back_]))
    assert found.n_errors == machine.candidate_.counts.groups.n_first
    by_class = machine.class_evidence()
    assert sum(one.counts[1] for one in by_class) == found.n_errors
    assert math.fsum(one.rates.delta for one in by_class) == pytest.approx(
        machine.delta * math.exp(-machine.candidate_.nats)
    )


@pytest.mark.parametrize("form", ["one rule", "linear"])
def test_each_of_several_classes_is_counted(data, form):
    X, y = data
    y = np.where(np.arange(len(y)) % 5 == 0, "third", y)
    machine = CertifiedClassifier([form]).fit(X, y)
    counted = np.setdiff1d(np.arange(len(y)), machine.held_back_)
    words, said = y[counted], machine.predict(X.iloc[counted])
    for one in machine.class_evidence():
        flagged, case = said == one.label, words == one.label
        pairs = [flagged & case, ~flagged & case, flagged & ~case, ~flagged & ~case]
        assert one.counts == tuple(int(part.sum()) for part in pairs)
        r = one.rates
        level = machine.delta * math.exp(-machine.candidate_.nats) / 3
        assert r.delta == pytest.approx(level)
        n, k = int(flagged.sum()), one.counts[0]
        assert r.ppv.lower == pytest.approx(
            rate_limits(k, n, delta=level / 4, side="below").lower, abs=1e-12
        )


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


def _unpaid_classes(machine, X, y):
    """Whether a rate of some class looks better than luck, each at the whole of delta."""
    counted = np.setdiff1d(np.arange(len(y)), machine.held_back_)
    words, said = y[counted], machine.predict(X.iloc[counted])
    right = [(words[said == k] == k, 1 / 3) for k in range(3)]
    right += [(words[said != k] != k, 2 / 3) for k in range(3)]
    return any(
        rate_limits(int(hits.sum()), hits.size, delta=DELTA, side="below").lower > luck
        for hits, luck in right
    )


@pytest.mark.thorough
def test_the_best_looking_class_of_the_best_looking_row_is_paid_for():
    rng = np.random.default_rng(11)
    paid = unpaid = 0
    for _ in range(60):
        X, y = pd.DataFrame(rng.normal(size=(90, 3)), columns=list("abc")), rng.integers(0, 3, 90)
        machine = CertifiedClassifier(["one rule", "linear"], delta=DELTA).fit(X, y)
        rows = [machine.choose(candidate.name) for candidate in machine.candidates_]
        rows = [row for row in rows if not row.why_no_evidence()]
        paid += any(
            one.rates.ppv.lower > 1 / 3 or one.rates.npv.lower > 2 / 3
            for row in rows
            for one in row.class_evidence()
        )
        unpaid += any(_unpaid_classes(row, X, y) for row in rows)
    assert paid <= n_allowed(60, DELTA)
    assert unpaid > 2 * DELTA * 60


@pytest.mark.thorough
def test_rows_of_one_group_are_not_taken_for_independent():
    """Patients with eight equal rows and a coin as label: all rows together promise too much."""
    rng = np.random.default_rng(12)
    paid = unpaid = 0
    for _ in range(60):
        X = pd.DataFrame(np.repeat(rng.normal(size=(60, 2)), 8, axis=0), columns=list("ab"))
        y, groups = np.repeat(rng.integers(0, 2, 60), 8), np.repeat(np.arange(60), 8)
        machine = CertifiedClassifier(["one rule"], delta=DELTA).fit(X, y, groups=groups)
        if machine.why_no_evidence():
            continue
        paid += _misses(machine.evidence())
        counted = np.setdiff1d(np.arange(len(y)), machine.held_back_)
        words, said = y[counted], machine.predict(X.iloc[counted])
        pairs = [(int((words[said == k] == k).sum()), int((said == k).sum())) for k in (0, 1)]
        unpaid += any(
            rate_limits(k, n, delta=DELTA / 4, side="below").lower > 0.5 for k, n in pairs
        )
    assert paid <= n_allowed(60, DELTA)
    assert unpaid > n_allowed(60, DELTA)


def test_frames_of_words_and_numbers_have_the_same_evidence_from_an_array(data):
    X, y = data
    one = CertifiedClassifier(["linear"], random_state=3).fit(X, y).evidence()
    other = CertifiedClassifier(["linear"], random_state=3).fit(X.to_numpy(), y).evidence()
    assert one.counts == other.counts
    assert one.area == other.area

"""Cases after deployment: order of entry, labels late, twice and never, alarms, the state file."""

from __future__ import annotations

import itertools
import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handful.codec import ModelFileError
from handful.evidence import running_limits
from handful.monitoring import (
    CORRECTED,
    LATE,
    CaseWatch,
    WatchDisplay,
    WatchPlan,
    load_watch,
    save_watch,
    watch_to_dict,
)
from handful.verify import verify_watch
from tests.chance import n_allowed
from tests.oracles import evidence as oracle

ALL = (("error", 0.1), ("missed", 0.2), ("false", 0.1))


def _plan(**more):
    return WatchPlan(**{"claims": ALL, "horizon": 20, **more})


def _counts(watch, name):
    one = watch.claims[name]
    return one.state.n_cases, one.state.n_errors, one.n_unresolved


def test_each_claim_speaks_of_its_cases():
    watch = CaseWatch(_plan())
    watch.add("abcdef", [1, 1, 0, 0, 1, 0], [1, 0, 1, 0, 1, 1])
    assert _counts(watch, "error") == (6, 3, 0)
    assert _counts(watch, "missed") == (4, 2, 0)
    assert _counts(watch, "false") == (2, 1, 0)


def test_cases_enter_in_the_order_of_predictions():
    watch = CaseWatch(_plan())
    watch.add(range(10), [True] * 10, [-1, *[0] * 9])
    assert (watch.n_entered, watch.n_waiting) == (0, 10)
    counts = watch.add([0], [False], [1])
    assert (counts.n_new, counts.n_labelled, counts.n_entered) == (0, 1, 10)
    assert _counts(watch, "error") == (10, 9, 0)  # the first prediction counts, not the second


@pytest.mark.parametrize(("n_later", "is_over"), [(19, False), (20, True)])
def test_a_label_that_never_comes(n_later, is_over):
    watch = CaseWatch(_plan())
    watch.add(["first"], [True], [-1])
    watch.add(range(n_later), [True] * n_later, [1] * n_later)
    assert (watch.n_entered > 0) == is_over
    if not is_over:
        return
    # given up: no error for the alarm, of any claim; an error for the limits from above
    assert _counts(watch, "error") == (n_later + 1, 0, 1)
    assert _counts(watch, "false") == (1, 0, 1)
    lower, upper = watch.claims["error"].limits(0.05)
    assert upper == running_limits([1], [n_later + 1], alpha=0.05)[1][0]
    assert lower == 0.0
    before = dict(watch.claims)
    watch.add(["first"], [True], [0])  # too late: recorded, not applied
    assert watch.count(LATE) == 1
    assert watch.claims == before


def test_a_label_that_comes_twice():
    watch = CaseWatch(_plan())
    first = watch.add(["a", "b"], [True, True], [1, -1])
    again = watch.add(["a", "a", "b", "b"], [True] * 4, [1, 0, 1, 0])
    assert (first.n_labelled, again.n_labelled) == (1, 1)
    assert (again.n_repeated, again.n_corrected, again.n_new) == (1, 2, 0)
    assert watch.count(CORRECTED) == 2
    assert _counts(watch, "error") == (2, 0, 0)  # the first labels count


def test_a_case_twice_in_one_batch():
    watch = CaseWatch(_plan())
    counts = watch.add(["a", "a"], [True, False], [-1, 0])
    assert (counts.n_new, counts.n_labelled) == (1, 1)
    assert watch.is_new(["a", "b", "b"]).tolist() == [False, True, False]


@settings(max_examples=25, deadline=None)
@given(
    cases=st.lists(
        st.tuples(st.booleans(), st.integers(-1, 1)), min_size=1, max_size=60
    ),
    cuts=st.lists(st.integers(0, 60), max_size=4),
)  # fmt: skip
def test_batches_do_not_matter_where_labels_come_at_once_or_never(cases, cuts):
    flags, labels = map(list, zip(*cases, strict=True))
    whole = CaseWatch(_plan(horizon=5))
    whole.add(range(len(flags)), flags, labels)
    parts = CaseWatch(_plan(horizon=5))
    ends = sorted({0, len(flags), *(min(cut, len(flags)) for cut in cuts)})
    for start, end in itertools.pairwise(ends):
        parts.add(range(start, end), flags[start:end], labels[start:end])
    assert parts.claims == whole.claims
    assert parts.n_entered == whole.n_entered
    assert (parts.cells == whole.cells).all()


def test_the_alarm_is_that_of_the_slow_twin(rng):
    watch = CaseWatch(_plan(claims=(("error", 0.1),), alpha=0.2))
    y = rng.random(60) < 0.5
    flags = np.where(rng.random(60) < 0.4, ~y, y)
    watch.add(range(60), flags, y.astype(int))
    wrong, plan = (flags != y).tolist(), watch.plan.watch("error")
    t = np.arange(1, 61)
    shares = 1 / np.log2(t + 1) - 1 / np.log2(t + 2)
    for n in range(1, 61):
        mixture = oracle.mixture_evidence(sum(wrong[:n]), n, 0.1, 2.0, 8.0)
        late = oracle.late_capital(wrong[:n], 0.1, plan.drifts(), shares[:n])
        if 0.6 * mixture + 0.4 * late >= 5.0:
            break
    assert watch.claims["error"].alarm_case == n


def _streams(rng, n_streams, n, alpha, by_arrival=False):
    """Streams whose claims are exactly true; errors are labelled at once, others later."""
    alarms = 0
    for _ in range(n_streams):
        y = rng.random(n) < 0.3
        flags = np.where(rng.random(n) < 0.1, ~y, y)
        watch = CaseWatch(
            WatchPlan(claims=(("error", 0.1), ("missed", 0.1), ("false", 0.1)), alpha=alpha,
                      horizon=50)
        )  # fmt: skip
        order = np.argsort(np.arange(n) + 30 * (flags == y), kind="stable")
        if by_arrival:  # what must not be done: a case is predicted when its label comes
            watch.add(order, flags[order], y[order].astype(int))
        else:
            for start in range(0, n, 25):
                watch.add(range(start, min(n, start + 25)), flags[start : start + 25],
                          [-1] * len(flags[start : start + 25]))  # fmt: skip
                there = order[(order < start + 25)]
                there = there[(there + 30 * (flags == y)[there]) <= start + 25]
                watch.add(there, flags[there], y[there].astype(int))
        alarms += watch.has_alarm
    return alarms


@pytest.mark.thorough
def test_false_alarms_with_labels_that_come_late(rng):
    assert _streams(rng, 50, 300, 0.2) <= n_allowed(50, 0.2)


@pytest.mark.thorough
def test_entering_by_the_arrival_of_labels_would_be_seen(rng):
    assert _streams(rng, 60, 300, 0.2, by_arrival=True) > n_allowed(60, 0.2)


@pytest.mark.thorough
def test_drifts_are_found_soon(rng):
    delays = []
    for _ in range(120):
        y = rng.random(500) < 0.3
        flags = np.where(rng.random(500) < 0.2, ~y, y)
        watch = CaseWatch(_plan(claims=(("error", 0.1), ("missed", 0.9), ("false", 0.9))))
        watch.add(range(500), flags, y.astype(int))
        delays.append(watch.claims["error"].alarm_case or math.inf)
    assert 40 <= np.median(delays) <= 120


def _some(rng, n=300, **more):
    watch = CaseWatch(_plan(**more))
    y = rng.random(n) < 0.4
    labels = np.where(rng.random(n) < 0.1, -1, y.astype(int))
    watch.add([f"patient-{i}" for i in range(n)], np.where(rng.random(n) < 0.3, ~y, y), labels)
    return watch


def test_the_state_continues_after_an_interruption(rng, tmp_path):
    watch, path = _some(rng), tmp_path / "watch.json"
    save_watch(watch, path)
    text = path.read_text("utf-8")
    assert "patient-" not in text
    again = load_watch(path)
    for one in (watch, again):
        one.add(["patient-3", "new"], [True, True], [1, 0])
    assert watch_to_dict(again) == watch_to_dict(watch)
    assert path.read_text("utf-8") == text


def test_the_salt_hides_names(rng):
    first, second = CaseWatch(_plan()), CaseWatch(_plan())
    assert first.keys(["a"]) != second.keys(["a"])


def test_a_state_that_was_cut_or_changed_is_refused(rng, tmp_path):
    path = tmp_path / "watch.json"
    save_watch(_some(rng), path)
    text = path.read_text("utf-8")
    path.write_text(text[: len(text) // 2], encoding="utf-8")
    with pytest.raises(ModelFileError, match="not a whole state file"):
        load_watch(path)
    path.write_text(text.replace('"alpha": 0.05', '"alpha": 0.5'), encoding="utf-8")
    with pytest.raises(ModelFileError, match="its digest differs"):
        load_watch(path)
    path.write_text("{}", encoding="utf-8")
    with pytest.raises(ModelFileError, match="no state of a watch"):
        load_watch(path)


def _forged(document, path, change):
    import hashlib

    change(document)
    rest = {name: part for name, part in document.items() if name != "content_sha256"}
    text = json.dumps(rest, sort_keys=True, separators=(",", ":"))
    document["content_sha256"] = hashlib.sha256(text.encode("utf-8")).hexdigest()
    path.write_text(json.dumps(document), encoding="utf-8")
    return verify_watch(path)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (lambda d: None, ""),
        (lambda d: d["claims"][0].update(n_errors=d["claims"][0]["n_errors"] - 1), "errors"),
        (lambda d: d["claims"][0].update(alarm_case=None), "first alarm"),
        (lambda d: d["claims"][1].update(n_unresolved=0), "without a label"),
        (lambda d: d["claims"][2]["late"].__setitem__(0, 0.0), "late capital"),
        (lambda d: d["claims"][0].update(log_evidence=0.5), "log_evidence"),
        (lambda d: d.update(n_entered=d["n_entered"] - 1), "order of entry"),
        (lambda d: d["plan"].update(horizon=1000), "horizon"),
        (lambda d: d["plan"]["claims"].reverse(), "claims"),
        (lambda d: d.update(cells=d["cells"][:-4]), "one digest a case"),
        (lambda d: d.pop("plan"), "the state file"),
    ],
)
def test_the_re_check_finds_forgeries(rng, tmp_path, change, named):
    document = watch_to_dict(_some(rng))
    assert document["claims"][0]["alarm_case"] is not None
    verdict = _forged(json.loads(json.dumps(document)), tmp_path / "watch.json", change)
    assert verdict.is_valid == (named == "")
    if named:
        assert any(named in line for line in verdict.differences), verdict.differences


def test_the_picture_is_the_path(rng):
    import matplotlib as mpl

    mpl.use("Agg")
    watch = _some(rng)
    frame = WatchDisplay(watch).frame()
    for name, one in watch.claims.items():
        part = frame[frame["claim"] == name]
        assert len(part) == one.state.n_cases
        assert part["log_evidence"].iloc[-1] == pytest.approx(one.log_evidence)
    assert WatchDisplay(watch).plot().ax_ is not None
    mpl.pyplot.close("all")


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"claims": ()}, "`claims` must name"),
        ({"claims": (("wrong", 0.1),)}, "`claims` must name"),
        ({"claims": (("error", 1.0),)}, "`claim` must be in"),
        ({"alpha": 0.0}, "`delta` must be in"),
        ({"horizon": 0}, "`horizon` must be at least 1"),
    ],
)
def test_bad_plans(more, message):
    with pytest.raises(ValueError, match=message):
        _plan(**more)


def test_bad_batches():
    watch = CaseWatch(_plan())
    with pytest.raises(ValueError, match="equally long, got 1, 2 and 1"):
        watch.add(["a"], [True, False], [1])
    with pytest.raises(ValueError, match="must be 1, 0 or -1"):
        watch.add(["a"], [True], [2])
    assert watch.n_cases == 0

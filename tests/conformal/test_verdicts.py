"""P-values, the critical epsilon and ties."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from handful.conformal.verdicts import (
    ValidationTable,
    critical_counts,
    decision_values,
    judge_by_margin,
    judge_by_model,
    judge_by_nonconformity,
    label_scores,
    margin_scores,
)
from tests.oracles import conformity


def binary(values):
    return np.stack([-values, values], axis=2)


def make_table(values, codes):
    return ValidationTable.from_scores(binary(values), codes)


def test_figure_1_vector():
    """SPEC G.5: six margins, f(x) = 0.3."""
    margins = np.array([[-0.8, -0.3, 0.2, 0.5, 0.9, 1.4]])
    table = make_table(margins, np.ones(6, dtype=np.intp))
    counts = table.count_at_most(np.array([[0.3, -0.3]]))
    assert (counts / 6).tolist() == [[0.5, 2 / 6]]  # -0.3 <= -0.3 counts


def small_problems():
    """Integer scores, so that ties are everywhere."""
    return st.tuples(
        arrays(np.int64, (3, 7), elements=st.integers(-4, 4)),
        arrays(np.int64, 7, elements=st.integers(0, 1)),
        arrays(np.int64, (3, 5), elements=st.integers(-4, 4)),
    )


@given(small_problems())
def test_epsilon_crit_matches_the_triple_loop(problem):
    held, codes, values = problem
    table = make_table(held.astype(float), codes)
    got = critical_counts(table, binary(values.astype(float))).min(axis=0) / 7
    margins = np.where(codes == 1, 1, -1) * held
    for i in range(5):
        want, _ = conformity.epsilon_crit(margins.tolist(), values[:, i].tolist())
        assert got[i] == want


@given(small_problems(), st.sampled_from(["vote", "validation", "random"]))
def test_the_prediction_is_one_of_the_winners(problem, tie):
    held, codes, values = problem
    table = make_table(held.astype(float), codes)
    draws = np.linspace(0.0, 0.99, 5)
    verdict = judge_by_nonconformity(table, binary(values.astype(float)), tie, draws)
    margins = np.where(codes == 1, 1, -1) * held
    for i in range(5):
        _, winners = conformity.epsilon_crit(margins.tolist(), values[:, i].tolist())
        assert (verdict.model[i], 2 * verdict.label[i] - 1) in winners
        assert verdict.scores[i].argmax() == verdict.label[i]


@given(small_problems())
def test_the_vote_beats_every_minority(problem):
    held, codes, values = problem
    table = make_table(held.astype(float), codes)
    scores = binary(values.astype(float))
    verdict = judge_by_nonconformity(table, scores, "vote")
    counts = critical_counts(table, scores)
    for i in range(5):
        tied = counts[:, i] == counts[:, i].min()
        votes = scores[tied, i].argmax(axis=1)
        assert 2 * (votes == verdict.label[i]).sum() >= votes.size


def test_ties_go_to_the_lowest_validation_error_then_the_lowest_index():
    held = np.array([[1.0, -1.0, 1.0], [1.0, 1.0, 1.0], [1.0, 1.0, 1.0]])
    table = make_table(held, np.ones(3, dtype=np.intp))
    assert table.n_errors.tolist() == [1, 0, 0]
    values = np.array([[5.0], [-5.0], [-5.0]])
    verdict = judge_by_nonconformity(table, binary(values), "validation")
    assert (verdict.model[0], verdict.label[0], verdict.doubt[0]) == (1, 0, 0.0)


def test_an_even_vote_goes_to_the_lowest_validation_error():
    held = np.array([[1.0, -1.0, 1.0], [1.0, 1.0, 1.0]])
    table = make_table(held, np.ones(3, dtype=np.intp))
    for values, want in (([[5.0], [-5.0]], 0), ([[-5.0], [5.0]], 1)):
        verdict = judge_by_nonconformity(table, binary(np.array(values)), "vote")
        assert (verdict.model[0], verdict.label[0]) == (1, want)


def test_random_ties_reach_every_tied_model():
    table = make_table(np.ones((4, 3)), np.ones(3, dtype=np.intp))
    values = np.repeat([[5.0], [-5.0], [5.0], [0.5]], 300, axis=1)
    draws = np.linspace(0.0, 1.0, 300, endpoint=False)
    verdict = judge_by_nonconformity(table, binary(values), "random", draws)
    assert np.bincount(verdict.model).tolist() == [75, 75, 75, 75]


def test_composite_score_orders_by_doubt_first():
    held = np.array([[-2.0, -1.0, 1.0, 2.0]])
    table = make_table(held, np.ones(4, dtype=np.intp))
    verdict = judge_by_nonconformity(table, binary(np.array([[0.5, 1.5, 3.0]])), "vote")
    assert verdict.doubt.tolist() == [0.5, 0.25, 0.0]
    assert (np.diff(verdict.scores[:, 1]) > 0).all()
    assert (np.diff(verdict.scores[:, 0]) < 0).all()


def test_the_same_row_computed_twice_counts_as_equal():
    table = make_table(np.array([[0.1 + 0.2]]), np.ones(1, dtype=np.intp))
    assert table.count_at_most(np.array([[0.3]]))[0, 0] == 1  # 0.30000000000000004 <= 0.3
    assert table.count_at_most(np.array([[0.2999]]))[0, 0] == 0


def test_three_labels_use_the_second_best():
    scores = np.array([[[3.0, 1.0, -2.0]], [[0.5, 0.4, 0.0]]])
    held = np.tile(np.array([[2.0, -1.0, -1.0]]), (2, 4, 1))
    held[1, :2] = [0.2, -1.0, -1.0]
    table = ValidationTable.from_scores(held, np.zeros(4, dtype=np.intp))
    assert critical_counts(table, scores).tolist() == [[0], [2]]
    verdict = judge_by_nonconformity(table, scores, "vote")
    assert (verdict.model[0], verdict.label[0], verdict.doubt[0]) == (0, 0, 0.0)


def test_margin_scores():
    got = margin_scores(np.array([[3.0, 1.0, 2.0], [1.0, 1.0, 0.0]]))
    assert got.tolist() == [[1.0, -2.0, -1.0], [0.0, 0.0, -1.0]]


def test_largest_margin_takes_the_largest_functional_margin():
    values = np.array([[0.5, -3.0], [-2.0, 1.0]])
    verdict = judge_by_margin(binary(values))
    assert verdict.model.tolist() == [1, 0]
    assert verdict.label.tolist() == [0, 0]
    assert verdict.doubt.tolist() == [-4.0, -6.0]


def test_judge_by_model_follows_the_model():
    values = np.array([[0.5, -3.0], [-2.0, 1.0]])
    assert judge_by_model(binary(values), np.array([0, 0])).label.tolist() == [1, 0]


class Fixed:
    """A classifier with given outputs."""

    def __init__(self, classes, **outputs):
        self.classes_ = np.array(classes)
        for name, value in outputs.items():
            setattr(self, name, lambda X, value=value: np.array(value))


def test_label_scores_of_two_classes_more_classes_and_unseen_ones():
    two = Fixed(["a", "b"], decision_function=[1.0, -2.0])
    classes = np.array(["a", "b"])
    assert label_scores(two, None, classes).tolist() == [[-1.0, 1.0], [2.0, -2.0]]
    proba = Fixed(["a", "c"], predict_proba=[[0.75, 0.25]])
    got = label_scores(proba, None, np.array(["a", "b", "c"]))
    assert got.tolist() == [[0.5, -np.inf, -0.5]]
    assert decision_values(got).tolist() == [[0.5, -1.5, -0.5]]


def test_label_scores_refuses_what_it_cannot_read():
    with pytest.raises(TypeError, match="must have decision_function or predict_proba"):
        label_scores(Fixed(["a", "b"]), None, np.array(["a", "b"]))
    pairs = Fixed(["a", "b", "c", "d"], decision_function=np.zeros((1, 6)))
    with pytest.raises(ValueError, match="Set decision_function_shape='ovr'"):
        label_scores(pairs, None, np.array(["a", "b", "c", "d"]))

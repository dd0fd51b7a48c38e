"""The functions draw what their problems draw, and the registry is complete."""

import dataclasses
import inspect

import numpy as np
import pytest

import handful.datasets as datasets
from handful.datasets.generators import as_generator
from tests.truth import PROBLEMS


@pytest.mark.parametrize("name", sorted(PROBLEMS))
def test_functions_agree_with_their_problems(name):
    make = getattr(datasets, f"make_{name.replace('-', '_')}")
    X, y = make(30, random_state=5)
    expected = PROBLEMS[name]().sample(30, 5)
    np.testing.assert_array_equal(X, expected[0])
    np.testing.assert_array_equal(y, expected[1])
    assert make()[0].shape[0] == 100


@pytest.mark.parametrize("name", sorted(PROBLEMS))
def test_functions_have_their_problems_parameters_and_defaults(name):
    parameters = inspect.signature(getattr(datasets, f"make_{name.replace('-', '_')}")).parameters
    fields = {field.name: field.default for field in dataclasses.fields(PROBLEMS[name])}
    assert {k: p.default for k, p in parameters.items()} == {
        "n_samples": 100, "random_state": None, **fields
    }  # fmt: skip


def test_parameters_are_passed_on():
    assert datasets.make_two_norm(3, n_features=4)[0].shape == (3, 4)
    X, y = datasets.make_ring_norm(200, n_features=4, mean_norm=100.0, random_state=0)
    np.testing.assert_allclose(X[y == -1].mean(axis=0), 50.0, atol=0.5)
    assert np.ptp(datasets.make_banana(300, spread=50.0, random_state=0)[0]) > 100
    assert datasets.make_noise(9, positive_probability=1.0)[1].tolist() == [1] * 9
    X, y = datasets.make_axis_rules(
        50,
        thresholds=[0.5, 0.7],
        directions=[-1, 1],
        kind="disjunction",
        label_noise=0,
        n_irrelevant=0,
    )
    np.testing.assert_array_equal(y == 1, (X[:, 0] <= 0.5) | (X[:, 1] > 0.7))
    X, y = datasets.make_balls(50, centers=[[0.0]], radii=[1.0], label_noise=0)
    np.testing.assert_array_equal(y == 1, np.abs(X[:, 0]) <= 1.0)


def test_every_generator_is_registered_and_has_its_truth():
    made = {f.__name__: f for f in vars(datasets).values() if inspect.isfunction(f)}
    made = {f for name, f in made.items() if name.startswith("make_")}
    assert set(datasets.GENERATORS.values()) == made
    assert set(datasets.GENERATORS) == set(PROBLEMS)
    assert all(problem.name == name for name, problem in PROBLEMS.items())


def test_public_names_are_sorted_strings_that_exist():
    names = datasets.__all__
    assert all(isinstance(name, str) and hasattr(datasets, name) for name in names)
    assert len(set(names)) == len(names)


def test_generators_pass_through_and_integers_seed():
    rng = np.random.default_rng(3)
    assert as_generator(rng) is rng
    assert as_generator(5).random() == as_generator(np.int64(5)).random()
    assert as_generator(None).random() != as_generator(None).random()


@pytest.mark.parametrize("value", ["0", 1.0, True, np.random.RandomState(0)])
def test_other_random_states_are_refused(value):
    with pytest.raises(TypeError, match=r"`random_state` must be None, an int or a numpy"):
        as_generator(value)


def test_a_negative_seed_is_refused():
    with pytest.raises(ValueError, match=r"must be at least 0, got -1"):
        as_generator(-1)

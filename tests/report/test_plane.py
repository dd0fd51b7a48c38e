"""The picture says what the machine says."""

from copy import copy

import numpy as np
import pytest

from handful import RulesDisplay, SetCoveringMachine
from handful.report.plane import MAX_POINTS, class_margins
from tests.report.conftest import CASES


@pytest.mark.parametrize("name", sorted(set(CASES) - {"words"}))
def test_regions_are_the_predictions(fitted, name):
    machine, X, _ = fitted(name)
    leads = class_margins(machine, np.asarray(X))
    predicted = machine.classes_[np.argmax(leads, axis=1)]
    np.testing.assert_array_equal(predicted, machine.predict(X))


@pytest.mark.parametrize("name", sorted(CASES))
def test_every_machine_is_drawn(fitted, name):
    machine, X, y = fitted(name)
    display = RulesDisplay.from_estimator(machine, X, y, n_grid=30)
    display.plot()
    assert display.margins.shape == (len(machine.classes_), 30, 30)
    assert len(display.frame()) == len(y)
    assert display.frame()["label"].tolist() == [str(label) for label in y]
    legend = [text.get_text().strip() for text in display.ax_.get_legend().get_texts()]
    assert legend[: len(machine.classes_)] == [str(label) for label in machine.classes_]


def test_kept_examples_are_marked(fitted):
    machine, X, y = fitted("stumps")
    frame = RulesDisplay.from_estimator(machine, X, y).frame()
    assert np.flatnonzero(frame["is_kept"]).tolist() == machine.compression_set_.tolist()


def test_the_features_that_are_used_are_shown(fitted):
    machine, X, y = fitted("stumps")
    display = RulesDisplay.from_estimator(machine, X, y)
    used = {f"x{j}" for rule in machine.rules_ for j in rule.features}
    assert used & set(display.names)
    assert len(used) < 2 or set(display.names) <= used


def test_boundaries_of_single_rules(fitted):
    machine, X, y = fitted("half-spaces")
    display = RulesDisplay.from_estimator(machine, X, y, n_grid=20)
    assert len(display.boundaries) == (len(machine.rules_) if len(machine.rules_) > 1 else 0)
    machine, X, y = fitted("list")
    display = RulesDisplay.from_estimator(machine, X, y, n_grid=20)
    assert len(display.boundaries) == len(machine.rules_) > 1


def test_questions_about_words_are_answered_on_the_axis(fitted):
    machine, X, y = fitted("words")
    features = machine.fitted_.columns.features
    j = next(j for j, feature in enumerate(features) if feature.is_flag)
    other = next(j for j, feature in enumerate(features) if not feature.is_flag)
    display = RulesDisplay.from_estimator(machine, X, y, features=(j, other)).plot()
    labels = [text.get_text() for text in display.ax_.get_xticklabels()]
    assert labels == ["no", "yes"]
    assert display.ax_.get_xlabel() == features[j].name


def test_one_feature_is_drawn_against_the_class(rng):
    x = rng.normal(size=(60, 1))
    y = np.where(x[:, 0] > 0, "up", "down")
    machine = SetCoveringMachine(rules="stumps", candidates=None).fit(x, y)
    display = RulesDisplay.from_estimator(machine, x, y, n_grid=11).plot()
    assert display.names == ("x0", "class")
    is_up = display.margins[1] > 0
    assert (is_up == is_up[0]).all()  # the class axis does not change the prediction
    assert is_up.any()
    assert not is_up.all()


def test_many_points_are_thinned(rng):
    x = rng.normal(size=(3 * MAX_POINTS, 2))
    y = x[:, 0] > 0
    machine = SetCoveringMachine(rules="stumps", candidates=20, random_state=0).fit(x, y)
    display = RulesDisplay.from_estimator(machine, x, y, n_grid=10).plot()
    drawn = sum(len(c.get_offsets()) for c in display.ax_.collections if hasattr(c, "_sizes"))
    assert drawn <= MAX_POINTS + 60
    assert len(display.frame()) == len(x)


def test_a_kernel_matrix_has_no_plane(fitted):
    machine, X, y = fitted("half-spaces")
    machine = copy(machine).set_params(kernel="precomputed")
    with pytest.raises(ValueError, match="got a kernel matrix"):
        RulesDisplay.from_estimator(machine, X, y)

"""What the page says of the path, and which pictures it shows."""

import numpy as np
import pytest

from handful import SetCoveringMachine
from handful.report.sections import read_sections


def test_path_marks_the_chosen_candidate(fitted):
    machine, X, y = fitted("pool")
    rows = read_sections(machine, X, y)["path"]["rows"]
    chosen = [row for row in rows if row["is_chosen"]]
    assert len(chosen) == 1
    assert float(chosen[0]["certificate"]) == pytest.approx(machine.certificate_.risk, abs=1e-4)


@pytest.mark.parametrize("name", ["stumps", "list", "costs", "pool", "three"])
def test_the_chosen_candidate_has_the_smallest_value(fitted, name):
    """What the page says of the path."""
    path = fitted(name)[0].path_
    chosen = path[path["is_chosen"]].groupby("machine")["certificate"].min()
    assert (chosen == path.groupby("machine")["certificate"].min()).all()


def test_numbers_are_never_rounded_down(fitted):
    machine, X, y = fitted("stumps")
    path = read_sections(machine, X, y)["path"]
    exact = sorted(machine.path_.groupby("n_rules")["certificate"].min())
    shown = sorted(float(row["certificate"]) for row in path["rows"])
    assert shown[0] >= exact[0] - 1e-12
    assert f"at most {shown[0]:.4f}" in path["pictures"][0]["title"]


def test_other_families_show_their_own_displays(fitted):
    assert "Margins" in read_sections(*fitted("boosting"))["pictures"]["more"][0]["title"]
    assert "path" in read_sections(*fitted("pursuit"))["pictures"]["more"][0]["title"]
    for name in ("svm", "stumps"):
        assert read_sections(*fitted(name))["pictures"]["more"] == []


def test_a_constant_has_no_picture(rng):
    X, y = rng.normal(size=(40, 2)), rng.permutation(np.repeat([0, 1], [36, 4]))
    machine = SetCoveringMachine(rules="stumps", random_state=0).fit(X, y)
    assert machine.rules_ == ()
    sections = read_sections(machine, X, y)
    assert sections["plane"] is None
    assert "Always predict" in " ".join(sections["rule"][0]["words"])

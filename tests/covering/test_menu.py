"""The menu of a covering machine: other covers of the path, certified at once with the chosen."""

import pickle

import numpy as np
import pytest

from handful import DecisionListMachine, SetCoveringMachine, load_dataset
from handful.files import model_to_dict, save_model
from handful.verify import verify_model

MACHINES = {
    "auto": SetCoveringMachine(),
    "stumps": SetCoveringMachine("stumps"),
    "fixed": SetCoveringMachine("stumps", candidates=40, max_rules=2),
    "list": DecisionListMachine(),
    "costs": SetCoveringMachine("stumps", costs=(1.0, 5.0)),
}


@pytest.fixture(scope="module")
def breast():
    data = load_dataset("breastw")
    return data.X, data.y


@pytest.fixture(params=sorted(MACHINES))
def machine(request, breast):
    return MACHINES[request.param].fit(*breast)


def test_rows_are_the_best_of_each_code_family_and_size(machine):
    path = machine.path_
    best = path.groupby(["scheme", "family", "n_rules"])["certificate"].min()
    risks = machine.menu_risks_.tolist()
    assert risks == sorted(risks)
    np.testing.assert_array_equal(risks, sorted(best)[: len(risks)])
    assert len(risks) == min(10, len(best))
    assert machine.certificate_.risk == pytest.approx(risks[0], rel=1e-12)
    assert machine.menu_.index.is_unique


def test_every_row_is_what_its_counts_say(machine, breast):
    X, y = breast
    for row, risk in enumerate(machine.menu_risks_):
        other = machine.choose(row)
        assert other.certificate_.risk == pytest.approx(risk, rel=1e-12)
        is_wrong = other.predict(X) != y
        assert other.n_training_errors_ == is_wrong.sum()
        counted = np.ones(len(y), dtype=bool)
        counted[other.held_back_] = False
        assert other.certificate_.n_errors == is_wrong[counted].sum()
        assert len(other.held_back_) == other.certificate_.n_compressed
        assert sum(other.path_["is_chosen"]) == 1
        assert other.get_rules()["n_covered"].notna().all()


def test_rows_are_chosen_by_name_and_stay_after_pickling(breast):
    machine = SetCoveringMachine("stumps").fit(*breast)
    name = machine.menu_.index[1]
    other = pickle.loads(pickle.dumps(machine)).choose(name)
    assert other.chosen_ == name
    assert machine.chosen_ == machine.menu_.index[0]
    assert other.without_data().candidates_[0].name == name
    with pytest.raises(ValueError, match="`choice` must be one of"):
        machine.choose("no such row")


@pytest.mark.parametrize("name", ["stumps", "fixed"])
def test_every_row_is_verified(name, breast, tmp_path):
    X, y = breast
    machine = MACHINES[name].fit(X, y)
    for row in range(len(machine.candidates_)):
        path = tmp_path / f"{row}.json"
        save_model(machine.choose(row), path)
        verdict = verify_model(path, X, y)
        assert verdict.is_valid, verdict.differences


def test_files_name_the_examples_of_the_chosen_row_alone(breast):
    machine = SetCoveringMachine("stumps").fit(*breast)
    for row in range(len(machine.candidates_)):
        other = machine.choose(row)
        assert len(model_to_dict(other)["kept"]) == len(other.cover_.named)


def test_several_classes_offer_one_row():
    X = np.random.default_rng(0).normal(size=(150, 2))
    machine = SetCoveringMachine("stumps").fit(X, np.digitize(X[:, 0], [-0.5, 0.5]))
    assert len(machine.candidates_) == 1
    assert machine.menu_risks_[0] == pytest.approx(machine.certificate_.risk, rel=1e-12)


def test_groups_have_a_menu_too(rng):
    X = rng.normal(size=(300, 2))
    y, groups = X[:, 0] > 0.2, np.repeat(np.arange(60), 5)
    machine = SetCoveringMachine("stumps").fit(X, y, groups=groups)
    for row, risk in enumerate(machine.menu_risks_):
        assert machine.choose(row).certificate_.risk == pytest.approx(risk, rel=1e-12)

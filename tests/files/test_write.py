"""What a document holds, and what it refuses to hold."""

import numpy as np
import pytest

from handful import BoundSearch, SetCoveringMachine, load_dataset
from handful.bounds import held_out_bound
from handful.codec import encode
from handful.files.save import model_to_dict, plain_label
from handful.tables import row_digests


@pytest.fixture(scope="module")
def data():
    return load_dataset("haberman-294")


def test_codes_hold_what_a_check_needs(data):
    machine = SetCoveringMachine("stumps", candidates=40, max_rules=2, random_state=0)
    document = model_to_dict(machine.fit(data.X, data.y))
    code = document["training"]["codes"][0]
    digests = row_digests(data.X, data.y)[machine.compression_set_]
    assert document["kept"] == [digest.tobytes().hex() for digest in digests]
    assert code["kept"] == list(range(len(machine.compression_set_)))
    assert code["terms"] == encode(machine.cover_.chosen[0].terms)
    assert code["n_training_errors"] == machine.n_training_errors_
    rules = document["fitted"]["machine"]["rules"]
    named = [i for rule in rules for asked in rule["conditions"] for i in asked["examples"]]
    assert set(named) == set(code["kept"])


def test_a_search_is_written_with_the_price_of_its_choice(data):
    grid = {"rules": ["stumps", "balls"]}
    search = BoundSearch(SetCoveringMachine(candidates=40, random_state=0), param_grid=grid)
    document = model_to_dict(search.fit(data.X, data.y), include_rows=True)
    assert document["training"]["n_groups"] == 2
    last = document["certificate"]["terms"][-1]
    assert (last["kind"], last["text"]) == ("groups", "choice among 2 groups of settings")


def test_a_given_certificate_is_kept(data):
    machine = SetCoveringMachine("stumps", random_state=0).fit(data.X, data.y)
    certificate = held_out_bound(10, 1)
    document = model_to_dict(machine, certificate=certificate)
    assert document["certificate"] == certificate.to_dict()


def test_labels():
    assert plain_label(np.int64(3)) == 3
    assert plain_label(np.str_("a")) == "a"
    with pytest.raises(TypeError, match="must be text or numbers"):
        plain_label(np.datetime64("2020-01-01"))

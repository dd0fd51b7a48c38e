import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from handful import AdaBoost, CertifiedClassifier, load_model
from handful.certified import Proposal
from handful.certified import foreign_forms as forms
from handful.files import Retraining, save_model
from handful.models import Additive, Constant, Vote
from handful.tables import read_study
from handful.verify import verify_model
from tests.certified.cases import error, linear_pool, make_pool


@pytest.mark.sample(1)
@pytest.mark.parametrize("learn", [forms.ada_boost, forms.random_forest, forms.gradient_boosting])
def test_black_boxes_learn(learn, rng):
    pool = linear_pool(rng, n=150)
    (proposal,) = learn(pool)
    assert error(proposal, pool) < 0.2
    assert 0.05 < np.mean(proposal.guesses != pool.y) < 0.4


@pytest.mark.parametrize("n_classes", [2, 3])
def test_adaboost_is_plain_data(n_classes, rng):
    """The votes of its stumps add up to curves: no other library is needed to write them."""
    X = rng.normal(size=(200, 3))
    X[rng.random(X.shape) < 0.1] = np.nan
    filled = np.where(np.isnan(X), 0.0, X)
    y = np.digitize(filled[:, 0] + 0.3 * rng.normal(size=200), [0.0, 0.8][: n_classes - 1])
    pool = make_pool(X, y)
    (proposal,) = forms.ada_boost(pool)
    assert isinstance(proposal.machine, Additive)
    same = AdaBoost(n_rounds=60).fit(pool.filled, pool.y)
    assert (proposal.machine.labels(pool.X) == same.predict(pool.filled)).all()
    new = pool.X[rng.permutation(200)[:50]]
    new[rng.random(new.shape) < 0.3] = np.nan
    wanted = same.predict(np.where(np.isnan(new), pool.fill, new))
    assert (proposal.machine.labels(new) == wanted).all()


def test_adaboost_is_written_without_other_libraries(rng, tmp_path):
    X = rng.normal(size=(200, 2)).round(2)
    ill = X[:, 0] + 0.5 * rng.normal(size=200) > 0
    frame = pd.DataFrame(X, columns=["a", "b"]).assign(y=np.where(ill, "ill", "well"))
    study = read_study(frame)
    machine = CertifiedClassifier(["adaboost", "constant"]).fit(study).choose("adaboost")
    path = tmp_path / "m.json"
    assert save_model(machine, path) == [path]
    assert (load_model(path).predict(frame) == machine.predict(study.table)).all()
    verdict = verify_model(path, frame, library=Retraining(path, frame))
    assert verdict.is_valid, verdict.differences


def test_a_pipeline_is_cloned_and_gets_the_table(rng):
    pool = linear_pool(rng)
    pipeline = make_pipeline(StandardScaler(), LogisticRegression())
    (proposal,) = forms.foreign("mine", pipeline)(pool)
    assert not hasattr(pipeline[-1], "coef_")
    assert proposal.machine.takes == "table"
    assert error(proposal, pool) < 0.25


def test_weights_reach_the_last_step_or_are_refused(rng):
    pool = linear_pool(rng, noise=3.0)
    heavy = make_pool(pool.X, pool.y, weight=np.where(pool.y == 1, 50.0, 1.0))
    for machine in (LogisticRegression(), make_pipeline(StandardScaler(), LogisticRegression())):
        (proposal,) = forms.foreign("mine", machine)(heavy)
        assert proposal.machine.labels(pool.X).mean() > 0.95
    with pytest.raises(ValueError, match="does not take `sample_weight`"):
        forms.foreign("mine", KNeighborsClassifier())(heavy)
    assert forms.foreign("mine", DummyClassifier())(heavy)


def test_a_vote_is_of_forms_that_are_not_clearly_worse(rng):
    pool = linear_pool(rng, n=100)
    bad = np.where(rng.random(100) < 0.5, 1 - pool.y, pool.y)

    def proposal(form, n_wrong):
        guess = pool.y.copy()
        guess[:n_wrong] = 1 - guess[:n_wrong]
        return Proposal(form, Constant(0), guess)

    good = [proposal(form, k) for k, form in enumerate(("linear", "additive", "prototypes"))]
    worse = Proposal("random forest", Constant(1), bad)
    (made,) = forms.vote(pool, [*good, worse])
    assert isinstance(made.machine, Vote)
    assert made.machine.members == (Constant(0),) * 3
    assert forms.vote(pool, good[:2]) == []
    assert forms.vote(pool, []) == []


@pytest.mark.parametrize(("n_forms", "n_voters"), [(3, 3), (4, 3), (5, 5), (6, 5), (7, 7), (8, 7)])
def test_an_odd_number_votes_at_most_seven_and_the_worst_stays_out(n_forms, n_voters, rng):
    pool = linear_pool(rng, n=100)
    proposals = []
    for k, form in enumerate(forms.VOTERS[:n_forms]):
        guess = np.where(np.arange(100) < 20 + k, 1 - pool.y, pool.y)
        proposals.append(Proposal(form, Constant(0, n_classes=2 + k), guess))
    (made,) = forms.vote(pool, proposals[::-1])
    assert made.machine.members == tuple(p.machine for p in proposals[:n_voters])

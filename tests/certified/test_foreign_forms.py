import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from handful.certified import Proposal
from handful.certified import _foreign_forms as forms
from handful.fitted import Constant, Vote
from tests.certified.cases import error, linear_pool, make_pool


@pytest.mark.parametrize("learn", [forms.ada_boost, forms.random_forest, forms.gradient_boosting])
def test_black_boxes_learn(learn, rng):
    pool = linear_pool(rng, n=150)
    (proposal,) = learn(pool)
    assert error(proposal, pool) < 0.2
    assert 0.05 < np.mean(proposal.guesses != pool.y) < 0.4


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

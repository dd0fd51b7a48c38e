import numpy as np

from handful.models import Opaque, Vocabulary


class Threshold:
    def predict(self, X):
        assert not np.isnan(X).any()
        return (X[:, 0] > 0).astype(int)

    def __repr__(self):
        return "Threshold()"


def test_fills_missing_values_where_asked():
    machine = Opaque(Threshold(), "filled", 2, (1.0,))
    X = np.array([[np.nan], [-1.0]])
    assert machine.labels(X).tolist() == [1, 0]
    assert machine.scores(X).tolist() == [1.0, -1.0]
    assert machine.sentences(Vocabulary((), ("a", "b"))) == ["Threshold() (not readable)."]


def test_more_classes_are_scored_by_the_label():
    assert Opaque(Threshold(), "encoded", 3).scores(np.ones((1, 1))).tolist() == [[0.0, 1.0, 0.0]]

import json

import numpy as np
import pandas as pd

from handful.models import Condition, Constant, Fitted, Opaque, OrderedRules, Rule
from handful.tables import Column, Columns

FRAME = pd.DataFrame({"age": [30.0, 20.0, np.nan], "colour": ["red", "green", "blue"]})
COLUMNS = Columns((Column("age", ""), Column("colour", "words"))).asking(FRAME)


def test_predicts_from_the_table_and_names_its_columns():
    red = COLUMNS.names.index("colour = red")
    machine = OrderedRules((Rule((Condition.on(red, ">=", 0.5),), 1),), 0)
    fitted = Fitted("one rule", COLUMNS, ("n", "p"), machine)
    assert fitted.labels(FRAME).tolist() == [1, 0, 0]
    assert fitted.scores(FRAME).tolist() == [1.0, -1.0, -1.0]
    assert fitted.uses == ("colour",)
    assert fitted.sentences() == ["If colour = red: p.", "Otherwise: n."]
    again = Fitted.from_document(json.loads(json.dumps(fitted.to_document())))
    assert again == fitted


def test_foreign_machines_get_the_table_itself():
    class Seen:
        def predict(self, X):
            assert X is FRAME
            return np.ones(len(X))

    fitted = Fitted("mine", COLUMNS, ("n", "p"), Opaque(Seen(), "table", 2))
    assert fitted.labels(FRAME).tolist() == [1, 1, 1]


def test_a_constant_uses_nothing():
    assert Fitted("constant", COLUMNS, ("n", "p"), Constant(0)).uses == ()

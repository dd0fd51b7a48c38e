"""
A decision list: rules with exceptions
======================================

Questions in order; the first yes decides. So a rule may have exceptions, which a conjunction or a
disjunction cannot say.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from handful import BoundPathDisplay, DecisionListMachine, SetCoveringMachine

# %%
# A thousand cases. High fever means "treat". Otherwise a child waits, and of the others those are
# treated whose marker is high. One label in twenty is wrong.
rng = np.random.default_rng(0)
X = pd.DataFrame(
    {
        "temperature": rng.normal(38.0, 1.0, 1000).round(1),
        "age": rng.integers(1, 80, 1000),
        "marker": rng.normal(10.0, 3.0, 1000).round(1),
    }
)
has_fever, is_child, is_high = X["temperature"] >= 39.0, X["age"] < 30, X["marker"] >= 9.0
y = np.where((has_fever | (~is_child & is_high)) ^ (rng.random(1000) < 0.05), "treat", "wait")

# %%
machine = DecisionListMachine().fit(X, y)
print(machine.explain())
BoundPathDisplay.from_estimator(machine).plot()
plt.show()

# %%
# A set covering machine of the same questions, for comparison.
cover = SetCoveringMachine("stumps").fit(X, y)
print("list ", len(machine.get_rules()), "lines, certificate", round(machine.certificate_.risk, 3))
print("cover", len(cover.get_rules()), "lines, certificate", round(cover.certificate_.risk, 3))

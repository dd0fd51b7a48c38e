"""
Turning doubtful cases away
===========================

All models of a grid are kept, and each case picks the one that is surest about it. The value
``epsilon_crit`` sorts the cases: turning away those with a large value lowers the error among
the rest. A calibration set certifies that error, for every threshold at once.
"""

# %%
# Two noisy half moons, 24 support vector machines, 300 examples set aside for the guarantee.

import matplotlib.pyplot as plt
from sklearn.datasets import make_moons

from handful import FilteringDisplay, NonconformityClassifier

X, y = make_moons(3000, noise=0.35, random_state=0)
grid = {"gamma": [0.03, 0.1, 0.3, 1.0, 3.0, 10.0], "C": [0.1, 1.0, 10.0, 100.0]}
machine = NonconformityClassifier(param_grid=grid, calibration_size=300, random_state=0)
machine.fit(X[:800], y[:800])

# %%
# The dashed line holds for all thresholds at once with 95 % confidence.

FilteringDisplay.from_estimator(machine, X[800:], y[800:]).plot()
plt.show()

# %%
# The published bound (Proposition 4.2) is above 1 here, and would not be a guarantee if it were
# below: it speaks of a model fixed before the case is seen.

print(machine.published_value(X[800:801])[0].explain())

# %%
# What holds for the rule as it is:

print(machine.certify().explain())
print(machine.selective_certificate(threshold=0.02))

# %%
# Label sets that hold the true label nine times in ten: one label where the case is clear.

sets = machine.predict_set(X[800:], level=0.9)
own = sets[range(len(sets)), y[800:]]
print(f"hold the label: {own.mean():.3f}, one label: {(sets.sum(axis=1) == 1).mean():.3f}")

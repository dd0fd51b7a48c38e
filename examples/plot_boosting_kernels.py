"""
Which kernel does the work?
===========================

Two views of each example: one coordinate decides by its sign, two others by their distance from
the origin. Multiple kernel learning shares its vote among the kernels that help.
"""

import matplotlib.pyplot as plt
import numpy as np

from handful.boosting import LPBoostMKL

rng = np.random.default_rng(0)
X = rng.normal(size=(300, 4))
y = np.where(X[:, 0] + 2.0 * ((X[:, 1:3] ** 2).sum(axis=1) < 1.4) > 0.8, "in", "out")

kernels = [
    {"kernel": "linear", "columns": [0]},
    {"kernel": "rbf", "gamma": 1.0, "columns": [1, 2]},
    {"kernel": "rbf", "gamma": 1.0, "columns": [3]},
    {"kernel": "rbf", "gamma": 0.1},
]
machine = LPBoostMKL(kernels, nu=0.3, normalise=False).fit(X[:200], y[:200])
print(machine.get_rules())
print(machine.certify(X=X[200:], y=y[200:]))

# %%
# The kernel on noise gets next to nothing.
fig, ax = plt.subplots()
ax.barh(machine.get_rules()["condition"], machine.kernel_weights_)
ax.set(xlabel="share of the vote")
fig.tight_layout()
plt.show()

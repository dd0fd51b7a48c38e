"""
Margins: what AdaBoost and LPBoost leave behind
===============================================

AdaBoost drives down the exponential loss and keeps pushing every example away from the border.
LPBoost gives up on a fraction of the examples and makes the margin of all others as large as it
can. The distribution of the margins shows the difference.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from handful.boosting import AdaBoost, LPBoost, MarginDisplay

X, y = load_breast_cancer(return_X_y=True)
X, X_new, y, y_new = train_test_split(X, y, random_state=0)

ada = AdaBoost(n_rounds=100).fit(X, y)
soft = LPBoost(nu=0.2).fit(X, y)
softer = LPBoost(nu=0.4).fit(X, y)
machines = {"AdaBoost": ada, "LPBoost, nu = 0.2": soft, "LPBoost, nu = 0.4": softer}

MarginDisplay.from_estimators(**machines).plot()

# %%
# The optimality gap of LPBoost is certified at every round.
fig, ax = plt.subplots()
for name, machine in list(machines.items())[1:]:
    ax.semilogy(machine.path_["round"], machine.path_["gap"].clip(1e-9), label=name)
ax.set(xlabel="round", ylabel="certified gap")
ax.legend()

# %%
# Examples that had no part in training give each machine a certificate.
for name, machine in machines.items():
    print(name, machine.certify(X=X_new, y=y_new), sep=": ")

plt.show()

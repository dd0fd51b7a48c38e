"""
Where the coefficients come from decides what can be certified
==============================================================

Plain matching pursuit uses all the data for its coefficients: only a bound that says nothing
holds. A pool, coefficients of the chosen examples alone, or rounded coefficients give true
statements about nearly the same classifier.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

from handful import KernelMatchingPursuitClassifier

X, y = make_moons(600, noise=0.2, random_state=0)
X_new, y_new = make_moons(5000, noise=0.2, random_state=1)
kinds = ["least_squares", "quantised", "chosen", "pool"]
risks, errors = [], []
for kind in kinds:
    machine = KernelMatchingPursuitClassifier(
        20, gamma=[0.5, 1.0, 2.0], scale=None, coefficients=kind
    ).fit(X, y)
    certificate = machine.certify()
    print(f"{kind:14s} {machine.n_centers_:2d} centres  {certificate}")
    risks.append(certificate.risk)
    errors.append(1.0 - machine.score(X_new, y_new))

# %%
# Error on 5000 new cases (bars) and what was promised (lines).
figure, ax = plt.subplots()
places = np.arange(len(kinds))
ax.bar(places, errors, width=0.5, label="error on new cases")
ax.hlines(risks, places - 0.3, places + 0.3, color="black", label="certificate, 95 %")
ax.set(xticks=places, xticklabels=kinds, ylim=(0.0, 1.02), ylabel="risk")
ax.legend()
plt.show()

"""
How many centres, and what can be promised?
===========================================

One pursuit gives every size at once. The residual falls with each centre; the certificate first
falls and then rises, because further centres stop helping new cases.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer

from handful import KernelMatchingPursuitClassifier, PursuitCentersDisplay, PursuitPathDisplay

X, y = load_breast_cancer(return_X_y=True)
machine = KernelMatchingPursuitClassifier().fit(X, y)
print(machine.certify().explain())

# %%
# The path: residual on the pool, certificate from the other examples.
figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4))
PursuitPathDisplay.from_estimator(machine).plot(ax=left)

# %%
# The centres, numbered in order of choice, in the plane of the first two components.
PursuitCentersDisplay.from_estimator(machine, X, y).plot(ax=right)
figure.tight_layout()
plt.show()

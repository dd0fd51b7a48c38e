"""
Choosing a support vector machine without cross-validation
==========================================================

All machines of a grid are fitted at once. Criteria and the test error are drawn against the width
of the kernel, and two ways to choose are compared with their certificates.
"""

import matplotlib.pyplot as plt
import numpy as np

from handful.bounds import stable_bound
from handful.svm import CriteriaDisplay, criteria_table, fit_svm_grid, stable_set

rng = np.random.default_rng(0)


def draw(n):
    X = rng.uniform(-1, 1, size=(n, 2))
    return X, np.where(X[:, 0] + np.sin(3 * X[:, 1]) + 0.1 * rng.normal(size=n) > 0, 1.0, -1.0)


X, y = draw(300)
X_test, y_test = draw(3000)
gammas = 2.0 ** np.arange(-6, 7)
grid = fit_svm_grid(X, y, gammas=gammas, Cs=[1.0, 10.0, 100.0])

# %%
# Shapes of the criteria
# ----------------------
# Each curve is scaled to [0, 1]: only where its minimum lies matters.

fig, axes = plt.subplots(1, 2, figsize=(11, 4))
names = ["c2", "c3", "span", "radius-margin"]
CriteriaDisplay.from_grid(grid, at=1, names=names, X_test=X_test, y_test=y_test).plot(
    axes[0], normalise=True
)
CriteriaDisplay.from_parts(grid, code="c3", at=8).plot(axes[1])
fig.tight_layout()

# %%
# Two choices and their certificates
# ----------------------------------
# By the span estimate, and by the certificate itself, which prefers machines with few examples
# inside the margin. All machines were looked at, so both certificates pay for all.

sizes = [stable_set(model, X).members.size for model in grid]
by_span = int(criteria_table(grid, names=["span"])["span"].argmin())
errors = (np.sign(grid.decision_function(X_test)) != y_test).mean(axis=1)
for name, best in (("span", by_span), ("certificate", int(np.argmin(sizes)))):
    print(f"by {name}: gamma {grid[best].kernel.gamma:g}, C {grid[best].C:g}")
    print(f"  test error {errors[best]:.3f}; {stable_bound(300, sizes[best], n_choices=len(grid))}")
plt.show()

"""
How short can a kernel expansion be?
====================================

The published minimal complexity machine fits every label when its kernel is nonsingular: as many
support vectors as examples, whatever C. A price on the coefficients keeps a handful of them.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np

from handful.programs import InterpolationWarning, MinimalComplexityMachine

rng = np.random.default_rng(1)
X = rng.normal(size=(150, 2))
y = np.where(X[:, 0] ** 2 + X[:, 1] ** 2 + 0.4 * rng.normal(size=150) > 1.2, 1, 0)

# %%
# The published program, and two prices on the coefficients.

machines = {}
for name, sparsity in {"as published": "paper", "price 0.1": 0.1, "price 1": 1.0}.items():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InterpolationWarning)
        machines[name] = MinimalComplexityMachine("rbf", gamma=1.0, sparsity=sparsity).fit(X, y)

# %%
# The price removes the islands around single noisy labels.

side = np.linspace(-3, 3, 120)
grid = np.array([[u, v] for v in side for u in side])
figure, axes = plt.subplots(1, 3, figsize=(11, 3.8), sharey=True)
for ax, (name, machine) in zip(axes, machines.items(), strict=True):
    f = machine.decision_function(grid).reshape(120, 120)
    ax.contourf(side, side, f > 0, alpha=0.25, cmap="coolwarm")
    ax.scatter(*X.T, c=y, s=8, cmap="coolwarm")
    ax.scatter(*machine.support_vectors_.T, s=50, facecolors="none", edgecolors="k", lw=0.6)
    ax.set_title(f"{name}: {len(machine.support_)} of {len(X)} kept")
figure.tight_layout()

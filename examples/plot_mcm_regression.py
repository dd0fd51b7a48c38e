"""
A regressor that says how often it is off
=========================================

The minimal complexity machine for numbers minimises its largest deviation and what leaves a tube.
With a tolerance fixed beforehand, its training examples certify how often a new prediction is off
by more than that; no test set is needed.
"""

import matplotlib.pyplot as plt
import numpy as np

from handful import MinimalComplexityRegressor

rng = np.random.default_rng(0)
x = rng.uniform(-1.0, 1.0, size=300)
y = 2.0 * x + 1.0 + rng.uniform(-0.3, 0.3, size=300)

# %%
# The linear machine: the tube that the program chose, and the certificate.

machine = MinimalComplexityRegressor(epsilon=0.4).fit(x[:, None], y)
certificate = machine.certify()
print(certificate)
print(f"tube {machine.tube_:.3f}, {len(machine.compression_set_)} of 300 examples touch it")

# %%
# With a kernel, few examples carry the function, here with both losses.

wave = np.sin(3.0 * x) + 0.1 * rng.normal(size=300)
grid = np.linspace(-1.0, 1.0, 200)[:, None]
figure, axes = plt.subplots(1, 2, figsize=(10, 3.8))
axes[0].scatter(x, y, s=6, color="gray")
line = machine.predict(grid)
axes[0].plot(grid, line)
axes[0].fill_between(grid[:, 0], line - machine.tube_, line + machine.tube_, alpha=0.2)
axes[0].set_title(f"off by more than 0.4: at most {certificate.risk:.1%}")
axes[1].scatter(x, wave, s=6, color="gray")
for loss in ("epsilon_insensitive", "squared"):
    curve = MinimalComplexityRegressor("rbf", gamma=4.0, epsilon=0.1, loss=loss)
    curve.fit(x[:, None], wave)
    axes[1].plot(grid, curve.predict(grid), label=f"{loss}: {len(curve.support_)} kept")
axes[1].legend()
figure.tight_layout()

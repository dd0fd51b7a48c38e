"""
Half-spaces of three examples
=============================

A half-space that is made of examples: one of each class gives the direction, a third one the
threshold. Two such rules describe 24 points without an error.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from handful import RulesDisplay, SetCoveringMachine, load_dataset

i = np.arange(1, 25)
X = pd.DataFrame({"east": np.sin(i), "north": np.cos(2 * i)})
y = np.where((X**2).sum(axis=1) < 0.9, "inside", "outside")

# %%
# As in the paper of 2003: all examples are candidates, no error is allowed on one class, and the
# greedy algorithm stops after six rules at the latest.
machine = SetCoveringMachine(
    "half-spaces", kind="conjunction", penalty=np.inf, max_rules=6, candidates=None
).fit(X, y)
print(machine.explain())
print("Made of the rows", machine.compression_set_.tolist())
RulesDisplay.from_estimator(machine, X, y).plot()
plt.show()

# %%
# The default draws a pool of rows that are not counted, and chooses penalty and size by
# certificate. On 683 cases of a tumour:
X, y = load_dataset("breastw").named()
machine = SetCoveringMachine("half-spaces").fit(X, y)
print(machine.explain())

# %%
# The price of every other size, kind and penalty that was looked at is in the path.
columns = ["kind", "penalty", "n_rules", "n_errors", "certificate"]
print(machine.path_.sort_values("certificate")[columns].head().to_string(index=False))

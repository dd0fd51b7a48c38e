"""
More rows than memory
=====================

Fit a machine to rows that are made chunk by chunk, and see that the cut does not matter. Nothing
but threads of this process is needed.
"""

import dask.array as da
import matplotlib.pyplot as plt
import numpy as np

from handful import SetCoveringMachine
from handful.distributed import watch_passes


def rows_of(block):
    """Rows from their numbers: the same each time."""
    return np.random.default_rng(int(block[0, 0])).normal(size=(len(block), 5))


def labels_of(X):
    """A box, with two of a hundred labels wrong."""
    inside = (X[:, 0] < 0.8) & (X[:, 1] > -0.9)
    return np.where(inside ^ (np.modf(np.abs(X[:, 2]) * 1e4)[0] < 0.02), "in", "out")


numbers = da.arange(100_000, chunks=20_000).reshape(-1, 1)
X = numbers.map_blocks(rows_of, chunks=(numbers.chunks[0], (5,)), dtype=float)
y = X.map_blocks(labels_of, drop_axis=1, dtype="<U3")

machine = SetCoveringMachine("stumps", candidates=160, random_state=0)
with watch_passes() as passes:
    machine.fit(X, y)
print(machine.explain())

# %%
# The same machine for another cut, and the same as in memory.
again = SetCoveringMachine("stumps", candidates=160, random_state=0)
again.fit(X.rechunk((7_000, -1)), y.rechunk(7_000))
in_memory = SetCoveringMachine("stumps", candidates=160, random_state=0)
in_memory.fit(X.compute(), y.compute())
assert again.certificate_ == machine.certificate_ == in_memory.certificate_

# %%
# What travels is small: rules go out, counts come back.
for record in passes:
    print(f"{record.name:8} {record.n_requests:2} paths, {record.bytes_up:8} bytes a chunk")

# %%
# Bytes that each pass sends from a chunk.
figure, ax = plt.subplots(constrained_layout=True)
ax.bar(range(len(passes)), [record.bytes_up for record in passes])
ax.set_xticks(range(len(passes)), [record.name for record in passes], rotation=45)
ax.set(ylabel="bytes a chunk", title="Rules go out, counts come back")
plt.show()

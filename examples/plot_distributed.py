"""
More rows than memory
=====================

Fit a machine to rows that are made chunk by chunk, see that the cut does not matter, and plan a
fit on far more rows. Nothing but threads of this process is needed.
"""

import dask.array as da
import matplotlib.pyplot as plt
import numpy as np

from handful import SetCoveringMachine
from handful.distributed import Rates, simulate_schedule, watch_passes


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
# A plan: seconds by rows and threads, at 20 ns a row and round and 200 ns a row and read.
figure, ax = plt.subplots(constrained_layout=True)
threads = [2**k for k in range(1, 11)]
rates = Rates(seconds_per_row=2e-8, seconds_per_read=2e-7)
for n_rows in (10**7, 10**8, 10**9, 10**10):
    plans = [simulate_schedule(n_rows, rates, n_threads=n) for n in threads]
    ax.loglog(threads, [plan.seconds for plan in plans], marker="o", label=f"{n_rows:.0e} rows")
ax.set(xlabel="threads", ylabel="seconds", title="Where the scheduler takes over, lines flatten")
ax.legend()
plt.show()

"""The same machines beyond one machine: many models and many rows, on Dask.

What lives here: fits of `CertifiedClassifier`, `SetCoveringMachine`, `DecisionListMachine`,
`AdaBoost` and kernel matching pursuits on Dask arrays and data frames, which need not fit into
memory; lazy predictions on them; `scheduler`, which sends sweeps over many models to a cluster.
What does not: any search or certificate of its own. The compiled engine of `handful.rules` counts
each chunk, and the results are those of the machine in memory, bit for bit, however the rows are
cut (up to rounding for pursuits, whose sums are not whole numbers). Install it with
``pip install 'handful[dask]'``.

To add a machine: let its solver ask for sums over rows that are integers, count them over
`Chunks`, and dispatch to it in ``fit``; compare with the machine in memory for many chunkings.
"""

from handful.distributed._fit import fit
from handful.distributed._mapping import count_seen, count_wrong, map_rows
from handful.distributed._order import chunk_digests
from handful.distributed.cluster import ClusterError, Pass, scheduler, watch_passes

__all__ = [
    "ClusterError",
    "Pass",
    "chunk_digests",
    "count_seen",
    "count_wrong",
    "fit",
    "map_rows",
    "scheduler",
    "watch_passes",
]

"""The same machines beyond one machine: many models and many rows, on Dask.

What lives here: fits of `CertifiedClassifier`, `SetCoveringMachine`, `DecisionListMachine`,
`AdaBoost` and kernel matching pursuits on Dask arrays and data frames, which need not fit into
memory (`ChunkRows`, the `handful.tables.RowSource` of chunks); lazy predictions on them;
`scheduler`, which sends sweeps over many models to a cluster. What does not: any search, fit or
certificate of its own. The results are those of the machine in memory, bit for bit, however the
rows are cut (up to rounding for pursuits, whose sums are not whole numbers). Install it with
``pip install 'handful[dask]'``.

To add a machine: let it say in `row_needs` how its rows are read, and fit it in `fit_rows` by jobs
whose results can be added; compare with the machine in memory for many chunkings.
"""

from handful.distributed.chunk_reading import chunk_digests, read_chunks
from handful.distributed.chunk_rows import ChunkRows
from handful.distributed.cluster import ClusterError, Pass, scheduler, watch_passes
from handful.distributed.machines import count_seen, count_wrong, fit, map_rows

__all__ = [
    "ChunkRows",
    "ClusterError",
    "Pass",
    "chunk_digests",
    "count_seen",
    "count_wrong",
    "fit",
    "map_rows",
    "read_chunks",
    "scheduler",
    "watch_passes",
]

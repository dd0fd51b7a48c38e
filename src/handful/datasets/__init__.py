"""Small data sets, and generators whose law is known.

Lives here: four embedded UCI sets and the reader of CSV folders (`load_dataset`,
`list_datasets`); functions ``make_*`` that draw examples of well-known problems, all in
`GENERATORS`.

Does not live here: splitting, scaling, or anything about machines and bounds; only the readers of
`handful.tables` are imported. The exact laws and true risks of the problems are the tests'
(``tests/truth``).

To add a generator: a function ``make_*`` with its entry in ``GENERATORS``. To add an embedded
set: its facts go into `embedded.py`, the way it is made from the raw file into
``tools/embed_datasets.py``; its licence must be clear.
"""

from handful.datasets.dataset import Dataset
from handful.datasets.generators import (
    GENERATORS,
    make_axis_rules,
    make_balls,
    make_banana,
    make_noise,
    make_ring_norm,
    make_two_norm,
    make_waveform,
)
from handful.datasets.loading import list_datasets, load_dataset

__all__ = [
    "GENERATORS",
    "Dataset",
    "list_datasets",
    "load_dataset",
    "make_axis_rules",
    "make_balls",
    "make_banana",
    "make_noise",
    "make_ring_norm",
    "make_two_norm",
    "make_waveform",
]

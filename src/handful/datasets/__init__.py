"""Small data sets, and problems whose truth is known.

Lives here: four embedded UCI sets and the reader of CSV folders (`load_dataset`,
`list_datasets`); problems that can draw examples *and* say their Bayes error and the true
risk of any classifier (`TwoNorm`, `RingNorm`, `Waveform`, `Banana`, `AxisRules`, `Balls`,
`Noise`, all in `PROBLEMS`), each with a function ``make_*`` that only draws.

Does not live here: splitting, scaling, or anything about machines and bounds; nothing else of
the package is imported.

To add a problem: write a final frozen dataclass on `AbstractProblem` that draws, states its
Bayes error and gives its law (one of `_laws.py`, or a new one); list it in ``PROBLEMS`` and add
its ``make_*``. To add an embedded set: its facts go into `_embedded.py`, the way it is made from
the raw file into ``tools/embed_datasets.py``; its licence must be clear.
"""

from handful.datasets._classifiers import BoxClassifier, LinearClassifier
from handful.datasets._concept_problems import AxisRules, Balls
from handful.datasets._curve_problems import Banana, Waveform
from handful.datasets._dataset import Dataset
from handful.datasets._gaussian_problems import Noise, RingNorm, TwoNorm
from handful.datasets._load import list_datasets, load_dataset
from handful.datasets._make import (
    PROBLEMS,
    make_axis_rules,
    make_balls,
    make_banana,
    make_noise,
    make_ring_norm,
    make_two_norm,
    make_waveform,
)
from handful.datasets._problem import AbstractProblem, RiskEstimate

__all__ = [
    "PROBLEMS",
    "AbstractProblem",
    "AxisRules",
    "Balls",
    "Banana",
    "BoxClassifier",
    "Dataset",
    "LinearClassifier",
    "Noise",
    "RingNorm",
    "RiskEstimate",
    "TwoNorm",
    "Waveform",
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

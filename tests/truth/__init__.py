"""Problems about which everything is known: draws, Bayes error, true risk of any classifier.

The generators themselves are in `handful.datasets`; each problem here draws the same examples by
its own code, so that the two check each other, and adds the law.
"""

from tests.truth.classifiers import BoxClassifier, LinearClassifier
from tests.truth.concept_problems import AxisRules, Balls
from tests.truth.curve_problems import Banana, Waveform
from tests.truth.gaussian_problems import Noise, RingNorm, TwoNorm
from tests.truth.problem import AbstractProblem, RiskEstimate

PROBLEMS: dict[str, type[AbstractProblem]] = {
    problem.name: problem
    for problem in (AxisRules, Balls, Banana, Noise, RingNorm, TwoNorm, Waveform)
}

__all__ = [
    "PROBLEMS",
    "AbstractProblem",
    "AxisRules",
    "Balls",
    "Banana",
    "BoxClassifier",
    "LinearClassifier",
    "Noise",
    "RingNorm",
    "RiskEstimate",
    "TwoNorm",
    "Waveform",
]

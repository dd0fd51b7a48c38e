"""Stable (preferent) compression schemes: the kernel perceptron and pick-to-learn.

The compression set of the perceptron is the examples with an update. Pick-to-learn makes a
stable scheme of any learner. Machines that are stable because they solve a convex program are in
`handful.svm` and `handful.programs`.

To add a scheme: show that the removal of an example outside the compression set changes nothing,
test this, and certify the scheme with `handful.bounds.stable_bound`.
"""

from handful.stable.perceptron import KernelPerceptron
from handful.stable.pick_to_learn import PickToLearn

__all__ = ["KernelPerceptron", "PickToLearn"]

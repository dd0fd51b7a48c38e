"""Machines certified by what may be left out: stable (preferent) compression schemes.

What lives here: the kernel perceptron, whose compression set is the examples it ever corrected
itself on, and pick-to-learn, which makes any learner a stable scheme. What does not: machines
that are stable because they solve a convex program (`handful.svm`, `handful.programs`).

To add one: show that leaving out any example outside its compression set leaves it unchanged,
test exactly that, and certify it with `handful.bounds.stable_bound`.
"""

from handful.stable.perceptron import KernelPerceptron
from handful.stable.pick_to_learn import PickToLearn

__all__ = ["KernelPerceptron", "PickToLearn"]

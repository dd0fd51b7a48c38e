"""Kernel matching pursuit."""
from handful.pursuit._classifier import KernelMatchingPursuitClassifier

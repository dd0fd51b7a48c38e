"""The registry of bounds: it drives validation, the command line, the docs and the tests."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from handful.bounds import (
    _betting,
    _compression,
    _finite_class,
    _held_out,
    _margin,
    _projection,
    _published,
    _real_loss,
    _stable,
)
from handful.bounds._certificate import Certificate, Criterion


@dataclass(frozen=True)
class Bound:
    """An entry of ``BOUNDS``: a function with its name and what it returns.

    Attributes
    ----------
    name : str
    function : callable
    is_guarantee : bool
        Whether it returns a `Certificate`; otherwise a `Criterion`.
    """

    name: str
    function: Callable[..., Certificate | Criterion]
    is_guarantee: bool = True

    @property
    def summary(self) -> str:
        """First line of the function's docstring."""
        return (inspect.getdoc(self.function) or "").splitlines()[0]

    @property
    def parameters(self) -> dict[str, inspect.Parameter]:
        """The arguments that are plain numbers, words or flags."""
        everything = inspect.signature(self.function).parameters
        return {name: p for name, p in everything.items() if name != "counts"}

    def __call__(self, *args: Any, **kwargs: Any) -> Certificate | Criterion:
        """Call the function."""
        return self.function(*args, **kwargs)


BOUNDS: dict[str, Bound] = {
    bound.name: bound
    for bound in (
        Bound("adaboost-training", _margin.adaboost_training_bound, is_guarantee=False),
        Bound("betting", _betting.betting_bound),
        Bound("code-length", _projection.code_length_bound),
        Bound("compression", _compression.compression_bound),
        Bound("compression-closed-form", _compression.closed_form_compression_bound),
        Bound("compression-folk", _compression.folk_compression_bound),
        Bound("compression-kl", _compression.kl_compression_bound),
        Bound("cost", _compression.cost_bound),
        Bound("finite-class", _finite_class.finite_class_bound),
        Bound("half-space-published", _published.published_half_space_bound, is_guarantee=False),
        Bound("half-space-repaired", _published.repaired_half_space_bound),
        Bound("held-out", _held_out.held_out_bound),
        Bound("ball-published", _published.published_ball_bound, is_guarantee=False),
        Bound("margin-distribution", _margin.margin_distribution_bound),
        Bound("matching-pursuit", _projection.matching_pursuit_bound),
        Bound("multiple-kernel", _margin.multiple_kernel_bound),
        Bound("pac-bayes", _real_loss.pac_bayes_bound),
        Bound("perceptron", _projection.perceptron_bound),
        Bound("pool", _compression.pool_bound),
        Bound("rademacher-margin", _margin.rademacher_margin_bound),
        Bound("real-loss", _real_loss.real_loss_bound),
        Bound("selective-error", _held_out.selective_error_bound),
        Bound("sparse-pca", _projection.sparse_pca_bound),
        Bound("stable", _stable.stable_bound),
    )
}

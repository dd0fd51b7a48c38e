"""The registry of bounds, used by validation, the command line, the docs and the tests."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from handful.bounds import (
    classical,
    compression_bounds,
    losses,
    margin_bounds,
    published,
    sparse_expansions,
    stable_schemes,
)
from handful.bounds.certificates import Certificate, Criterion


@dataclass(frozen=True)
class Bound:
    """An entry of ``BOUNDS``: a function with its name and the type of its result.

    Attributes
    ----------
    name : str
    function : callable
    is_guarantee : bool
        Whether the function returns a `Certificate`; otherwise a `Criterion`.
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
        """The arguments that are numbers, words or flags."""
        everything = inspect.signature(self.function).parameters
        return {name: p for name, p in everything.items() if name != "counts"}

    def __call__(self, *args: Any, **kwargs: Any) -> Certificate | Criterion:
        """Call the function."""
        return self.function(*args, **kwargs)


BOUNDS: dict[str, Bound] = {
    bound.name: bound
    for bound in (
        Bound("adaboost-training", margin_bounds.adaboost_training_bound, is_guarantee=False),
        Bound("betting", losses.betting_bound),
        Bound("code-length", classical.code_length_bound),
        Bound("compression", compression_bounds.compression_bound),
        Bound("compression-closed-form", compression_bounds.closed_form_compression_bound),
        Bound("compression-folk", compression_bounds.folk_compression_bound),
        Bound("compression-kl", compression_bounds.kl_compression_bound),
        Bound("cost", compression_bounds.cost_bound),
        Bound("disagreement", classical.disagreement_bound),
        Bound("finite-class", classical.finite_class_bound),
        Bound("half-space-published", published.published_half_space_bound, is_guarantee=False),
        Bound("half-space-repaired", published.repaired_half_space_bound),
        Bound("held-out", classical.held_out_bound),
        Bound("ball-published", published.published_ball_bound, is_guarantee=False),
        Bound("margin-distribution", margin_bounds.margin_distribution_bound),
        Bound("matching-pursuit", sparse_expansions.matching_pursuit_bound),
        Bound("multiple-kernel", margin_bounds.multiple_kernel_bound),
        Bound("pac-bayes", losses.pac_bayes_bound),
        Bound("perceptron", sparse_expansions.perceptron_bound),
        Bound("pool", compression_bounds.pool_bound),
        Bound("rademacher-margin", margin_bounds.rademacher_margin_bound),
        Bound("real-loss", losses.real_loss_bound),
        Bound("selective-error", classical.selective_error_bound),
        Bound("sparse-pca", sparse_expansions.sparse_pca_bound),
        Bound("stable", stable_schemes.stable_bound),
    )
}

"""The simulations: which toy learner tests which bound; ``python -m tests.bounds.simulation``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.stats import binom

from handful import bounds
from tests.bounds import toys

Draws = tuple[np.ndarray, np.ndarray]  # (certified, true), one row a draw


@dataclass(frozen=True)
class Simulation:
    """``run(rng, n_draws, delta)``; its mean certificate must stay below ``reach``."""

    bound: str
    run: Callable[[np.random.Generator, int, float], Draws]
    reach: float = 1.0


def n_allowed(n_draws, delta):
    """Number of misses that a valid bound exceeds with probability 0.001 at most."""
    return int(binom.ppf(0.999, n_draws, delta))


def n_missed(certified, true):
    missed = true > certified
    return int(np.count_nonzero(missed.any(axis=1) if missed.ndim > 1 else missed))


SIMULATIONS = {
    "compression": Simulation("compression", toys.compression, 0.75),
    "compression, pure noise": Simulation("compression", partial(toys.compression, noise=0.5), 1.0),
    "compression, pool": Simulation("compression", partial(toys.compression, pool=8), 0.75),
    "joint rates": Simulation("compression", partial(toys.class_rates, names=toys.JOINT), 0.75),
    "conditional rates": Simulation(
        "compression", partial(toys.class_rates, names=toys.CONDITIONAL), 0.97
    ),
    "conditional rates, pool": Simulation(
        "compression", partial(toys.class_rates, names=toys.CONDITIONAL, m=12, pool=5), 0.99
    ),
    "conditional rates, uncounted pool": Simulation("compression", toys.uncounted_pool_rates, 0.97),
    "kl": Simulation("compression-kl", partial(toys.relaxed, bounds.kl_compression_bound), 0.75),
    "closed form": Simulation(
        "compression-closed-form", partial(toys.relaxed, bounds.closed_form_compression_bound), 0.75
    ),
    "folk": Simulation("compression-folk", toys.folk, 0.6),
    "pool": Simulation("pool", toys.pool, 0.6),
    "cost": Simulation("cost", toys.cost, 3.0),
    "half-space repaired": Simulation("half-space-repaired", toys.half_space, 0.75),
    "stable, interval": Simulation("stable", toys.interval, 0.7),
    "stable, staircase": Simulation("stable", toys.staircase, 0.8),
    "stable, one staircase": Simulation("stable", partial(toys.staircase, n_choices=1), 0.8),
    "real loss, kl": Simulation("real-loss", partial(toys.real_loss, "kl"), 2.5),
    "real loss, kl published": Simulation(
        "real-loss", partial(toys.real_loss, "kl-published"), 2.7
    ),
    "real loss, linear": Simulation("real-loss", partial(toys.real_loss, "linear"), 2.7),
    "real loss, catoni": Simulation("real-loss", partial(toys.real_loss, "catoni"), 2.7),
    "betting": Simulation("betting", toys.betting, 0.7),
    "betting, warm": Simulation("betting", partial(toys.betting, n_warm=6, spread=3.0), 0.6),
    "betting, whole groups": Simulation("betting", partial(toys.betting, size=1), 0.7),
    "groups, kl": Simulation("betting", partial(toys.betting, method="kl"), 0.7),
    "PAC-Bayes": Simulation("pac-bayes", toys.pac_bayes, 0.65),
    "PAC-Bayes, vote": Simulation("pac-bayes", partial(toys.pac_bayes, majority_vote=True)),
    "Rademacher": Simulation("rademacher-margin", toys.rademacher, 0.65),
    "Rademacher, empirical": Simulation(
        "rademacher-margin", partial(toys.rademacher, empirical=True), 0.8
    ),
    "margin, uniform": Simulation("margin-distribution", toys.margin_distribution, 0.8),
    "margin, fixed": Simulation(
        "margin-distribution", partial(toys.margin_distribution, fixed=True), 0.6
    ),
    "multiple kernels": Simulation("multiple-kernel", toys.multiple_kernel, 0.7),
    "matching pursuit": Simulation("matching-pursuit", toys.matching_pursuit, 0.9),
    "sparse PCA, kl": Simulation("sparse-pca", partial(toys.sparse_pca, "kl"), 1.2),
    "sparse PCA, Hoeffding": Simulation("sparse-pca", partial(toys.sparse_pca, "hoeffding"), 1.4),
    "sparse PCA, published": Simulation("sparse-pca", partial(toys.sparse_pca, "published"), 1.5),
    "perceptron": Simulation("perceptron", toys.perceptron, 0.6),
    "perceptron, two noisy passes": Simulation(
        "perceptron", partial(toys.perceptron, n_passes=2, noise=0.05)
    ),
    "finite class": Simulation("finite-class", toys.finite_class),
    "finite class, noisy": Simulation("finite-class", partial(toys.finite_class, noise=0.2)),
    "code length, exact": Simulation("code-length", toys.code_length, 0.7),
    "code length, simple": Simulation("code-length", partial(toys.code_length, exact=False), 0.8),
    "held-out, one model": Simulation("held-out", partial(toys.held_out, n_choices=1), 0.75),
    "held-out, best of eight": Simulation("held-out", toys.held_out, 0.75),
    "disagreement, picked": Simulation("disagreement", toys.disagreement, 0.3),
    "disagreement, one row": Simulation("disagreement", partial(toys.disagreement, n_rows=1), 0.28),
    "DKW above": Simulation("dkw", toys.dkw),
    "DKW below": Simulation("dkw", partial(toys.dkw, side="below")),
    "DKW both": Simulation("dkw", partial(toys.dkw, side="both")),
    "DKW, three models": Simulation("dkw", partial(toys.dkw, n_choices=3)),
    "conformal": Simulation("conformal", toys.conformal),
    "conformal, ties": Simulation("conformal", partial(toys.conformal, n_values=5)),
    "selective error": Simulation("selective-error", toys.selective, 0.5),
}


def main(n_draws=20_000):
    """Print the share of misses at delta = 0.05 and 0.2."""
    print(f"{'simulation':32s}  missed at 0.05   at 0.2   mean certificate at 0.05   mean truth")
    for name, simulation in SIMULATIONS.items():
        rng = np.random.default_rng(1)
        small = simulation.run(rng, n_draws, 0.05)
        shares = [n_missed(*small), n_missed(*simulation.run(rng, n_draws, 0.2))]
        certified, true = (float(np.mean(v)) for v in small)
        line = "".join(f"{share / n_draws:13.4f}" for share in shares)
        print(f"{name:32s}{line}{certified:20.3f}{true:18.3f}")


if __name__ == "__main__":
    main()

"""Toy learners that select with the data, on laws whose true risk is known exactly.

Each function draws many training sets at once and returns, for every draw, the certificate of
the selected machine and the truth it bounds.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from handful import bounds


def by_row(function, *columns):
    """``function(*row)`` for every row, called once for each distinct row."""
    table = np.stack([np.asarray(c, dtype=float) for c in np.broadcast_arrays(*columns)], axis=1)
    rows, back = np.unique(table, axis=0, return_inverse=True)
    return np.array([function(*row) for row in rows])[back.ravel()]


# ---- thresholds on the unit interval: y = 1[x > cut], flipped with probability ``noise`` ------


@dataclass(frozen=True)
class Law:
    cut: float = 0.5
    noise: float = 0.2

    def draw(self, rng, n_draws, m):
        """x sorted within each draw, and labels."""
        x = np.sort(rng.random((n_draws, m)), axis=1)
        return x, (x > self.cut) ^ (rng.random((n_draws, m)) < self.noise)

    def false_rates(self, t, up=True):
        """P(called +, is -) and P(called -, is +) of "+ iff x > t" (or x < t)."""
        mass = [np.maximum(t - self.cut, 0), np.maximum(self.cut - t, 0)]
        right = [1 - np.maximum(t, self.cut), np.minimum(t, self.cut)]  # called and truly +, -
        fp = (1 - self.noise) * mass[1] + self.noise * right[0]
        fn = (1 - self.noise) * mass[0] + self.noise * right[1]
        if up:
            return fp, fn
        n_plus = self.positives
        return (1 - n_plus) - fp, n_plus - fn

    @property
    def positives(self):
        return self.noise * self.cut + (1 - self.noise) * (1 - self.cut)


def errors_of_thresholds(y, up=True):
    """False positives and negatives of "+ iff x > x_i" outside i, for every i of sorted x."""
    after = np.cumsum(y[:, ::-1], axis=1)[:, ::-1] - y  # positives right of i
    m = y.shape[1]
    n_after = m - 1 - np.arange(m)
    before = y.sum(axis=1, keepdims=True) - y - after
    fp, fn = n_after - after, before
    return (fp, fn) if up else (np.arange(m) - before, after)


def best_stump(law, rng, n_draws, m, cost=(1.0, 1.0), columns=None):
    """The stump of least cost over thresholds (in ``columns``) and directions, per draw."""
    x, y = law.draw(rng, n_draws, m)
    if columns is not None:  # a pool: random columns, the same number in each draw
        allowed = np.argsort(rng.random((n_draws, m)), axis=1) < columns
    else:
        allowed = np.ones((n_draws, m), dtype=bool)
    up, down = errors_of_thresholds(y, True), errors_of_thresholds(y, False)
    fp, fn = (np.concatenate([u, d], axis=1) for u, d in zip(up, down, strict=True))
    score = np.where(np.tile(allowed, 2), cost[0] * fp + cost[1] * fn, np.inf)
    best = np.argmin(score, axis=1)
    rows = np.arange(n_draws)
    at = best % m
    pairs = (law.false_rates(x[rows, at], True), law.false_rates(x[rows, at], False))
    rates = [np.where(best < m, u, d) for u, d in zip(*pairs, strict=True)]
    return {
        "fp": fp[rows, best],
        "fn": fn[rows, best],
        "risk": rates[0] + rates[1],
        "rates": np.stack(rates, axis=1),
        "n_positives": y.sum(axis=1),
        "kept_positive": y[rows, at].astype(int),
        "pool_positives": (y & allowed).sum(axis=1),
    }


def compression(rng, n_draws, delta, noise=0.2, m=40, pool=None):
    """The smaller certificate of the best stump and of no stump at all (constant +)."""
    law = Law(noise=noise)
    best = best_stump(law, rng, n_draws, m, columns=pool)
    one = {"message_nats": bounds.stump_message(1, 1, 1), "size_nats": 0, "pool_size": pool}
    none = {"message_nats": bounds.stump_message(0, 0, 1), "size_nats": 0, "pool_size": pool}
    stump = by_row(
        lambda k: bounds.compression_bound(m, 1, k, delta=delta, **one).risk,
        best["fp"] + best["fn"],
    )
    constant = by_row(
        lambda k: bounds.compression_bound(m, 0, k, delta=delta, **none).risk,
        m - best["n_positives"],
    )
    truth = np.where(stump <= constant, best["risk"], 1 - law.positives)
    return np.minimum(stump, constant), truth


def relaxed(function, rng, n_draws, delta, m=40, noise=0.2):
    """kl and closed form, best of the stumps of both directions (ln 2 for the direction)."""
    best = best_stump(Law(noise=noise), rng, n_draws, m)
    options = {"message_nats": np.log(2.0), "size_nats": 0.0, "delta": delta}
    risk = by_row(lambda k: function(m, 1, k, **options).risk, best["fp"] + best["fn"])
    return risk, best["risk"]


def folk(rng, n_draws, delta, m=200):
    law = Law(noise=0.05)
    x, y = law.draw(rng, n_draws, m)
    k = sum(errors_of_thresholds(y))
    at = np.argmin(k, axis=1)
    rows = np.arange(n_draws)
    risk = by_row(lambda k: bounds.folk_compression_bound(m, 1, k, delta=delta).risk, k[rows, at])
    return risk, sum(law.false_rates(x[rows, at]))


def pool(rng, n_draws, delta, m=40, m0=10):
    """Candidates are the pool's thresholds, coded by their rank on the pool."""
    law = Law(noise=0.2)
    x, y = law.draw(rng, n_draws, m)
    order = np.argsort(rng.random((n_draws, m)), axis=1)
    x, y = np.take_along_axis(x, order, axis=1), np.take_along_axis(y, order, axis=1)
    wrong = (x[:, None, :] > x[:, :m0, None]) != y[:, None, :]
    rank = np.argsort(np.argsort(wrong[:, :, :m0].sum(axis=2), axis=1, kind="stable"), axis=1)
    prior = 1.0 / (np.arange(1, m0 + 1) * (1 + np.log(np.arange(1, m0 + 1))) ** 2)
    nats = -np.log(prior / prior.sum())[rank]
    k = wrong[:, :, m0:].sum(axis=2)
    risk = by_row(
        lambda k, n: bounds.pool_bound(m, m0, k, message_nats=n, delta=delta).risk,
        k.ravel(),
        nats.ravel(),
    ).reshape(k.shape)
    at, rows = np.argmin(risk, axis=1), np.arange(n_draws)
    return risk[rows, at], sum(law.false_rates(x[rows, at]))


def class_rates(rng, n_draws, delta, names, m=16, pool=None, cost=(1.0, 3.0)):
    """Joint or class-conditional rates of the stump of least cost."""
    law = Law(cut=0.6, noise=0.15)
    best = best_stump(law, rng, n_draws, m, cost=cost, columns=pool)
    message = bounds.stump_message(1, 1, 1)

    def certify(fp, fn, n_positives, kept, in_pool):
        counts = bounds.ClassCounts(
            n_positives=n_positives,
            n_negatives=m - n_positives,
            n_compressed_positives=kept,
            n_compressed_negatives=1 - kept,
            n_false_positives=fp,
            n_false_negatives=fn,
            n_pool_positives=None if pool is None else in_pool,
        )
        certificate = bounds.compression_bound(
            m, 1, fp + fn, message_nats=message, size_nats=0, delta=delta, pool_size=pool,
            counts=counts,
        )  # fmt: skip
        return [certificate.rate(name) for name in names]

    in_pool = 0 if pool is None else best["pool_positives"]
    certified = by_row(
        certify, best["fp"], best["fn"], best["n_positives"], best["kept_positive"], in_pool
    )
    classes = np.array([1 - law.positives, law.positives])
    return certified, best["rates"] / (classes if "given" in names[0] else 1.0)


def uncounted_pool_rates(rng, n_draws, delta, m=24, m0=8):
    """Rates within each class of the best of the pool's thresholds; the pool is not counted."""
    law = Law(cut=0.6, noise=0.15)
    x, y = law.draw(rng, n_draws, m)
    order = np.argsort(rng.random((n_draws, m)), axis=1)
    x, y = np.take_along_axis(x, order, axis=1), np.take_along_axis(y, order, axis=1)
    called = x[:, None, m0:] > x[:, :m0, None]
    fp = (called & ~y[:, None, m0:]).sum(axis=2)
    fn = (~called & y[:, None, m0:]).sum(axis=2)
    at, rows = np.argmin(fp + 3 * fn, axis=1), np.arange(n_draws)

    def certify(fp, fn, n_positives, in_pool):
        counts = bounds.ClassCounts(
            n_positives=n_positives,
            n_negatives=m - n_positives,
            n_compressed_positives=in_pool,
            n_compressed_negatives=m0 - in_pool,
            n_false_positives=fp,
            n_false_negatives=fn,
        )
        options = {"message_nats": np.log(m0), "size_nats": 0.0, "which_nats": 0.0}
        certificate = bounds.compression_bound(
            m, m0, fp + fn, delta=delta, counts=counts, **options
        )
        return [certificate.rate(name) for name in CONDITIONAL]

    n_positives, in_pool = y.sum(axis=1), y[:, :m0].sum(axis=1)
    certified = by_row(certify, fp[rows, at], fn[rows, at], n_positives, in_pool)
    rates = np.stack(law.false_rates(x[rows, at]), axis=1)
    return certified, rates / np.array([1 - law.positives, law.positives])


JOINT = ("false_positive", "false_negative")
CONDITIONAL = ("false_positive_given_negative", "false_negative_given_positive")


def cost(rng, n_draws, delta, m=60):
    best = best_stump(Law(cut=0.6, noise=0.15), rng, n_draws, m, cost=(1.0, 5.0))
    options = {"cost_false_negative": 5.0, "message_nats": np.log(2.0), "size_nats": 0.0}
    certified = by_row(
        lambda fp, fn: bounds.cost_bound(m, 1, fp, fn, delta=delta, **options).risk,
        best["fp"],
        best["fn"],
    )
    return certified, best["rates"] @ np.array([1.0, 5.0])


def half_space(rng, n_draws, delta, m=80, noise=0.1):
    """Half-space "+ iff x >= x_a" with b a negative left of a (threshold example c = a)."""
    law = Law(noise=noise)
    x, y = law.draw(rng, n_draws, m)
    fp, fn = errors_of_thresholds(y)
    has_b = np.cumsum(~y, axis=1) > 0  # a negative further left is called - and is right
    k = np.where(y & has_b, fp + fn, m)
    at, rows = np.argmin(k, axis=1), np.arange(n_draws)
    fits = k[rows, at] < m
    certified = by_row(
        lambda k: bounds.repaired_half_space_bound(m, 1, 1, 0, k, 1, delta=delta).risk,
        np.minimum(k[rows, at], m - 2),
    )
    truth = sum(law.false_rates(x[rows, at]))
    return np.where(fits, certified, 1.0), truth


# ---- stable schemes --------------------------------------------------------------------------


def interval(rng, n_draws, delta, m=12):
    """Smallest enclosing interval: two points kept, a new point outside changes it."""
    x = rng.random((n_draws, m))
    risk = bounds.stable_bound(m, 2, delta=delta).risk
    return np.full(n_draws, risk), 1.0 - (x.max(axis=1) - x.min(axis=1))


def staircase(rng, n_draws, delta, m=15, n_choices=4):
    """Maximal points of the unit square, in the orientation with the fewest of them."""
    points = rng.random((n_draws, m, 2))
    certified, truth = np.ones(n_draws), np.ones(n_draws)
    best = np.full(n_draws, m + 1)
    for flip in ((0, 0), (0, 1), (1, 0), (1, 1))[:n_choices]:
        p = np.abs(points - np.array(flip))
        p = np.take_along_axis(p, np.argsort(-p[:, :, :1], axis=1), axis=1)  # x falling
        height = np.maximum.accumulate(p[:, :, 1], axis=1)
        is_kept = np.diff(height, axis=1, prepend=0.0) > 0
        covered = (p[:, :, 0] * np.diff(height, axis=1, prepend=0.0)).sum(axis=1)
        n_kept = is_kept.sum(axis=1)
        better = n_kept < best
        best, truth = np.where(better, n_kept, best), np.where(better, 1.0 - covered, truth)
    certified = by_row(
        lambda k: bounds.stable_bound(m, k, delta=delta, n_choices=n_choices).risk, best
    )
    return certified, truth


# ---- real losses, randomised classifiers -----------------------------------------------------


def real_loss(method, rng, n_draws, delta, m=40, scale=3.0, parameter=0.7):
    """The example nearest to all others on {0, 1/2, 1}; loss = scale times the distance."""
    values, weights = np.array([0.0, 0.5, 1.0]), np.array([0.35, 0.2, 0.45])
    counts = rng.multinomial(m, weights, size=n_draws)
    distance = scale * np.abs(values[:, None] - values[None, :])
    mean = np.where(counts > 0, counts @ distance / (m - 1), np.inf)
    at, rows = np.argmin(mean, axis=1), np.arange(n_draws)
    options = {"size_nats": 0.0, "delta": delta, "max_loss": scale}
    certified = by_row(
        lambda q: (
            bounds.real_loss_bound(m, 1, q, method=method, parameter=parameter, **options).risk
        ),
        mean[rows, at],
    )
    return certified, (distance @ weights)[at]


def pac_bayes(rng, n_draws, delta, m=40, n_kept=5, majority_vote=False):
    """Posterior uniform on the five best thresholds, prior uniform on all m."""
    law = Law(noise=0.2)
    x, y = law.draw(rng, n_draws, m)
    k = sum(errors_of_thresholds(y))
    best = np.argsort(k, axis=1, kind="stable")[:, :n_kept]
    gibbs = np.take_along_axis(k, best, axis=1).mean(axis=1) / (m - 1)
    chosen = np.take_along_axis(x, best, axis=1)
    divergence = np.log(m / n_kept)
    certified = by_row(
        lambda q: (
            bounds.pac_bayes_bound(
                m, 1, q, divergence, delta=delta, majority_vote=majority_vote
            ).risk
        ),
        gibbs,
    )
    if majority_vote:
        return certified, sum(law.false_rates(np.median(chosen, axis=1)))
    return certified, sum(law.false_rates(chosen)).mean(axis=1)


# ---- margins ---------------------------------------------------------------------------------

GRID = np.linspace(0.05, 0.95, 10)


def _grid_counts(law, rng, n_draws, m):
    """Errors of ten fixed thresholds: counts of both labels between neighbouring grid points."""
    edges = np.concatenate([[0.0], GRID, [1.0]])
    mass = np.diff(edges)
    above = np.clip(1 - law.cut - np.maximum(1 - edges[1:], 0), 0, mass)  # part right of the cut
    plus = above * (1 - law.noise) + (mass - above) * law.noise
    cells = rng.multinomial(m, np.concatenate([plus, mass - plus]), size=n_draws)
    return cells[:, : mass.size], cells[:, mass.size :]


def _grid_errors(positives, negatives):
    """Errors of "+ iff x > t" for each grid threshold t."""
    left = np.cumsum(positives, axis=1)[:, :-1]
    right = np.cumsum(negatives[:, ::-1], axis=1)[:, ::-1][:, 1:]
    return left + right


def rademacher(rng, n_draws, delta, m=400, empirical=False):
    """f = scale times the best of 20 stumps; the scale in {1/2, 1, 2} is chosen by the bound."""
    law = Law(noise=0.1)
    k = _grid_errors(*_grid_counts(law, rng, n_draws, m))
    at, rows = np.argmin(k, axis=1), np.arange(n_draws)
    complexity = bounds.finite_class_rademacher(20, m)
    error = k[rows, at] / m

    def certify(error):
        def at_scale(scale):
            hit, miss = max(0.0, 1.0 - scale), 1.0
            slack = error * miss + (1.0 - error) * hit
            return bounds.rademacher_margin_bound(
                m, slack, complexity, scale=scale, scale_is_fixed=False, empirical=empirical,
                delta=delta,
            ).risk  # fmt: skip

        return min(at_scale(scale) for scale in (0.5, 1.0, 2.0))

    return by_row(certify, error), sum(law.false_rates(GRID[at]))


def margin_distribution(rng, n_draws, delta, m=1000, fixed=False):
    """f = mean of the two best stumps; the margin in {1/2, 1} is chosen by the bound."""
    law = Law(noise=0.05)
    positives, negatives = _grid_counts(law, rng, n_draws, m)
    k = _grid_errors(positives, negatives)
    two = np.sort(np.argsort(k, axis=1, kind="stable")[:, :2], axis=1)
    rows, cells = np.arange(n_draws)[:, None], np.arange(GRID.size + 1)[None, :]
    between = (cells > two[:, :1]) & (cells <= two[:, 1:])  # f = 0 there
    n_between = ((positives + negatives) * between).sum(axis=1)
    left = np.cumsum(positives, axis=1)[rows, two[:, :1]][:, 0]
    right = np.cumsum(negatives[:, ::-1], axis=1)[:, ::-1]
    right = np.concatenate([right, np.zeros((n_draws, 1))], axis=1)[rows, two[:, 1:] + 1][:, 0]
    share = (left + right + n_between) / m  # margins are -1, 0, 1: the same for both thetas
    complexity = bounds.finite_class_rademacher(20, m)
    certified = by_row(
        lambda e: min(
            bounds.margin_distribution_bound(
                m, e, theta, complexity, margin_is_fixed=fixed, delta=delta
            ).risk
            for theta in ((1.0,) if fixed else (0.5, 1.0))
        ),
        share,
    )
    low, high = GRID[two[:, 0]], GRID[two[:, 1]]
    wrong_left, wrong_right = law.false_rates(low)[1], law.false_rates(high)[0]
    return certified, wrong_left + wrong_right + (high - low)  # P(y f <= 0), zero included


def multiple_kernel(rng, n_draws, delta, m=4000, n_kernels=3):
    """Features in {-1, 1}, one linear kernel each; g = the best feature; margin 1."""
    noise = np.array([0.1, 0.12, 0.5])[:n_kernels]
    k = rng.binomial(m, noise, size=(n_draws, n_kernels))
    at = np.argmin(k, axis=1)
    certified = by_row(
        lambda k: (
            bounds.multiple_kernel_bound(m, n_kernels, 1.0, float(m), 2.0 * k, delta=delta).risk
        ),
        k[np.arange(n_draws), at],
    )
    return certified, noise[at]


# ---- projections, codes ----------------------------------------------------------------------


def matching_pursuit(rng, n_draws, delta, m=4000, n_features=6):
    """One centre e_j with weight: f follows feature j of {-1, 1}; the best feature is chosen."""
    noise = np.linspace(0.02, 0.05, n_features)
    k = rng.binomial(m - 1, noise, size=(n_draws, n_features))
    at = np.argmin(k, axis=1)
    certified = by_row(
        lambda k: bounds.matching_pursuit_bound(m, 1, k, delta=delta).risk,
        k[np.arange(n_draws), at],
    )
    return certified, noise[at]


def sparse_pca(method, rng, n_draws, delta, m=100, scale=2.0):
    """Orthogonal directions of squared length ``scale``; the most frequent t are kept."""
    weights = np.array([0.4, 0.3, 0.1, 0.1, 0.05, 0.05])
    counts = rng.multinomial(m, weights, size=n_draws)
    order = np.argsort(-counts, axis=1, kind="stable")
    found = np.cumsum(np.take_along_axis(counts, order, axis=1), axis=1)
    truth = scale * (1.0 - np.cumsum(weights[order], axis=1))
    sizes = np.arange(1, 5)
    present = np.take_along_axis(counts, order, axis=1)[:, : sizes.size] > 0
    mean = scale * (m - found[:, : sizes.size]) / (m - sizes)
    options = {"max_residual": scale, "delta": delta, "method": method}
    certified = by_row(
        lambda t, q: bounds.sparse_pca_bound(m, t, q, **options).risk,
        np.broadcast_to(sizes, mean.shape).ravel(),
        mean.ravel(),
    ).reshape(mean.shape)
    certified = np.where(present, certified, scale)
    at, rows = np.argmin(certified, axis=1), np.arange(n_draws)
    return certified[rows, at], truth[rows, at]


def perceptron(rng, n_draws, delta, m=60, n_angles=24, n_passes=None, noise=0.0):
    """Directions on a circle, perceptrons of all draws run side by side."""
    angles = 2 * np.pi * (np.arange(n_angles) + 0.5) / n_angles
    plane = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    label = np.where(plane[:, 0] > 0, 1, -1)
    pick = rng.integers(n_angles, size=(n_draws, m))
    y = label[pick] * np.where(rng.random((n_draws, m)) < noise, -1, 1)
    w, updated = np.zeros((n_draws, 2)), np.zeros((n_draws, m), dtype=bool)
    for _ in range(n_passes or 1000):
        clean = np.ones(n_draws, dtype=bool)
        for i in range(m):
            x = plane[pick[:, i]]
            wrong = y[:, i] * (w * x).sum(axis=1) <= 1e-9
            w += np.where(wrong, y[:, i], 0)[:, None] * x
            updated[:, i] |= wrong
            clean &= ~wrong
        if clean.all():
            break
    fits = y * np.einsum("dmi,di->dm", plane[pick], w) > 1e-9
    k = (~fits & ~updated).sum(axis=1)
    assert n_passes or not k.any()
    right = (label * (w @ plane.T) > 1e-9).mean(axis=1)
    certified = by_row(
        lambda d, k: (
            bounds.perceptron_bound(m, d, n_errors=int(k), n_passes=n_passes, delta=delta).risk
        ),
        updated.sum(axis=1),
        k,
    )
    return certified, noise + (1 - 2 * noise) * (1 - right)


def code_length(rng, n_draws, delta, m=12, bits=4, exact=True):
    """Sixteen thresholds in four bits; the worst of those that reproduce the training labels."""
    x = rng.random((n_draws, 2 * m))
    wrong = (x[:, None, :] > (np.arange(16) / 16)[None, :, None]) != (x > 0.5)[:, None, :]
    fits = ~wrong[:, :, :m].any(axis=2)
    share = np.where(fits, wrong[:, :, m:].mean(axis=2), 0.0).max(axis=1)
    return np.full(n_draws, bounds.code_length_bound(bits, m, delta=delta, exact=exact).risk), share


def finite_class(rng, n_draws, delta, m=30, bits=3, noise=0.0):
    """Eight thresholds, labels by one of them; the member with the largest excess is reported."""
    cuts = np.arange(8) / 8
    x = rng.random((n_draws, m))
    flipped = rng.random((n_draws, m)) < noise
    wrong = ((x[:, None, :] > cuts[None, :, None]) != (x > 0.5)[:, None, :]) ^ flipped[:, None, :]
    k = wrong.sum(axis=2)
    risk = noise + (1.0 - 2.0 * noise) * np.abs(cuts - 0.5)
    table = by_row(
        lambda k: bounds.finite_class_bound(bits, m, n_errors=k, delta=delta).risk, np.arange(m + 1)
    )
    worst = (risk - table[k]).argmax(axis=1)
    rows = np.arange(n_draws)
    return table[k][rows, worst], risk[worst]


# ---- losses of groups -----------------------------------------------------------------------


def betting(rng, n_draws, delta, n=15, method="betting", spread=0.3, size=4, n_warm=0):
    """Mean errors of groups of a few rows, whose error rates differ from group to group."""
    rate = 0.25
    a, b = spread * rate, spread * (1.0 - rate)
    p = rng.beta(a, b, size=(n_draws, n + n_warm))
    losses = rng.binomial(size, p) / size
    certified = np.array(
        [
            bounds.betting_bound(
                row[n_warm:], warm_up=row[:n_warm], method=method, delta=delta
            ).risk
            for row in losses
        ]
    )
    return certified, np.full(n_draws, rate)


# ---- held-out data ---------------------------------------------------------------------------


def held_out(rng, n_draws, delta, n=30, n_choices=8, n_paid=None):
    """The best of several models that all guess: n_paid of them are paid for."""
    k = rng.binomial(n, 0.5, size=(n_draws, n_choices)).min(axis=1)
    paid = n_choices if n_paid is None else n_paid
    certified = by_row(lambda k: bounds.held_out_bound(n, k, n_choices=paid, delta=delta).risk, k)
    return certified, np.full(n_draws, 0.5)


def disagreement(rng, n_draws, delta, n=300, n_rows=20, share=0.2, is_paid=True):
    """Twenty rows whose certified rules never err; whoever looks picks the luckiest refit of all.

    Where a refit differs it errs: the sum of both parts is its risk.
    """
    k = rng.binomial(n, share, size=(n_draws, n_rows)).min(axis=1)
    nats = np.log(n_rows)  # equal masses
    half = float(bounds.binomial_tail_inverse(0, 10**6, np.log(delta / 2.0) - nats))
    price = nats if is_paid else 0.0
    certified = by_row(
        lambda k: bounds.disagreement_bound(n, k, half, message_nats=price, delta=delta).risk, k
    )
    return certified, np.full(n_draws, share)


def dkw(rng, n_draws, delta, n=20, n_choices=1, side="above"):
    """Largest distance of the empirical from the uniform distribution function."""
    x = np.sort(rng.random((n_draws, n_choices, n)), axis=2)
    above = (np.arange(1, n + 1) / n - x).max(axis=(1, 2))
    below = (x - np.arange(n) / n).max(axis=(1, 2))
    truth = {"above": above, "below": below, "both": np.maximum(above, below)}[side]
    deviation = bounds.dkw_deviation(n, delta=delta, n_choices=n_choices, two_sided=side == "both")
    return np.full(n_draws, deviation), truth


def conformal(rng, n_draws, delta, n=9, n_values=None):
    """The true label is excluded where its p-value is at most delta; ties are allowed."""
    scores = rng.random((n_draws, n + 1)) if n_values is None else None
    scores = rng.integers(n_values, size=(n_draws, n + 1)) if scores is None else scores
    count = (scores[:, 1:] <= scores[:, :1]).sum(axis=1)
    p = by_row(lambda c: bounds.conformal_p_value(c, n), count)
    return p, np.full(n_draws, np.nextafter(delta, 1.0))  # missed where p <= delta


def selective(rng, n_draws, delta, n=300):
    """Errs with probability score / 2; the threshold is chosen to make the certificate small."""
    g = np.sort(rng.random((n_draws, n)), axis=1)
    wrong = np.cumsum(rng.random((n_draws, n)) < g / 2, axis=1)
    grid = np.arange(n // 10, n + 1, n // 10)
    certified = by_row(
        lambda s, e: bounds.selective_error_bound(n, s, e, delta=delta).risk,
        np.broadcast_to(grid, (n_draws, grid.size)).ravel(),
        wrong[:, grid - 1].ravel(),
    ).reshape(n_draws, grid.size)
    at, rows = np.argmin(certified, axis=1), np.arange(n_draws)
    return certified[rows, at], g[rows, grid[at] - 1] / 4

"""The kernel perceptron, rebuilt from the examples with an update."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handful.arrays import Floats
from handful.bounds import Certificate, NotCertifiableError, perceptron_bound, stable_bound
from handful.checks import check_count, check_real
from handful.estimator import BaseClassifier, shared_certificate
from handful.kernels import kernel_of
from handful.models import Form, kernel_expansion, linear_score
from handful.tables import canonical_order

Ints = NDArray[np.intp]

_TOLERANCE = 1e-10  # times k(x, x): a smaller margin is zero up to rounding and is a mistake


@dataclass(frozen=True, eq=False)
class PerceptronRun:
    """Updates of each example, number of passes, and whether the last pass had no update."""

    n_updates: Ints
    n_passes: int
    is_converged: bool


def run_perceptron(
    K: Floats, y_signed: Floats, max_passes: int, *, margin: float = 0.0
) -> PerceptronRun:
    """Cycle through the examples in order and add y_i k(x_i, .) if the margin is too small.

    The condition is y_i f(x_i) <= margin |f| + 1e-10 k(x_i, x_i); |f| is the norm of f in the
    space of the kernel. The tolerance decides exact ties, so that rounding does not. The run
    stops after a pass without updates, or after ``max_passes``.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([-2.0, 1.0, 3.0])
    >>> run = run_perceptron(np.outer(x, x), np.array([-1.0, 1.0, 1.0]), 10)
    >>> run.n_updates, run.n_passes, run.is_converged
    (array([1, 0, 0]), 2, True)
    """
    m = y_signed.size
    diagonal = np.diagonal(K)
    slack = _TOLERANCE * diagonal
    margins = np.zeros(m)  # y_i f(x_i)
    norm2 = 0.0
    n_updates = np.zeros(m, dtype=np.intp)
    for n_passes in range(1, max_passes + 1):
        start, is_clean = 0, True
        while start < m:
            is_short = margins[start:] <= slack[start:] + margin * math.sqrt(norm2)
            first = int(is_short.argmax())
            if not is_short[first]:
                break
            i = start + first
            n_updates[i] += 1
            # |f + y k(x, .)|^2 = |f|^2 + 2 y f(x) + k(x, x); rounding may take it below 0.
            norm2 = max(0.0, norm2 + 2.0 * float(margins[i]) + float(diagonal[i]))
            margins += y_signed[i] * y_signed * K[i]
            # The pass goes on behind the updated example: earlier ones are asked again in the next
            # pass.
            start, is_clean = i + 1, False
        if is_clean:
            return PerceptronRun(n_updates, n_passes, True)
    return PerceptronRun(n_updates, max_passes, False)


class KernelPerceptron(BaseClassifier):
    """Kernel perceptron with a certificate from the examples it was updated on.

    The order of the examples depends on their content (a digest of the features, then the label),
    not on their position. Examples without an update change nothing: a run on the other examples
    alone makes the same updates in the same order. So the updated examples are a stable
    compression set. This holds for every rule that decides on updates, also with a ``margin``.

    Parameters
    ----------
    kernel : {"rbf", "linear", "poly"} or callable
    gamma : float or "auto"
        "auto" is 1 / n_features, which does not depend on the data.
    degree, coef0
        Parameters of the kernel "poly".
    fit_intercept : bool
        Add 1 to the kernel, which gives the machine a bias.
    max_passes : int
        Fix it before the data are seen.
    margin : float
        Update if the distance of an example from the separating plane, in the space of the
        kernel, is at most ``margin``. 0 updates at mistakes only. Fix it before the data are
        seen. With a Gaussian kernel and a bias all examples have norm 1.41, and 0.1 is a good
        start. A larger margin keeps more examples: errors fall and the certificate rises.
    delta : float
        Allowed probability that a certificate fails.

    Attributes
    ----------
    classes_ : ndarray
    compression_set_ : ndarray
        Sorted indices of the examples with an update. More than two classes are learnt one
        against the rest; the set is the union over classes.
    n_updates_ : ndarray of shape (n_machines, n_compressed)
        Number of updates of each kept example: one row for two classes, otherwise one for each.
    n_passes_ : int
        The largest number of passes of a machine.
    is_converged_ : bool
        Whether every machine ended with a pass without updates.
    n_errors_ : int
        Training errors outside the compression set.
    kernel_, support_vectors_, dual_coef_, intercept_
        The kernel expansion: the updated examples, and a row of signed updates for each machine.
    is_rebuilt_ : bool
        Whether a run on the compression set alone gave the same updates.

    Notes
    -----
    Certificates: "stable" (the default) counts the examples that are updated or misclassified at
    the end, for every margin. All other examples can be removed without any change, and a
    misclassified new case cannot. "perceptron" is sample compression on the updated examples; if
    training stopped before a clean pass, it counts the other errors and pays for the number of
    passes. "held-out" is the third.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> X, y = make_moons(500, noise=0.1, random_state=0)
    >>> machine = KernelPerceptron(gamma=2.0).fit(X, y)
    >>> machine.is_converged_, machine.compression_set_.size, machine.score(X, y)
    (True, 14, 1.0)
    >>> print(machine.certify())
    risk <= 5.44 % with 95 % confidence (stable, 500 examples, 14 kept, 3.0 nats)
    """

    _bounds = ("stable", "perceptron")

    def __init__(
        self,
        kernel="rbf",
        *,
        gamma="auto",
        degree=3,
        coef0=0.0,
        fit_intercept=True,
        max_passes=100,
        margin=0.0,
        delta=0.05,
    ):
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.fit_intercept = fit_intercept
        self.max_passes = max_passes
        self.margin = margin
        self.delta = delta

    def fit(self, X: Any, y: Any) -> KernelPerceptron:
        """Run the perceptron until a pass without updates.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)

        Returns
        -------
        self
        """
        self._check_parameters()
        X, y, codes = self._read_examples(X, y)
        self.kernel_ = kernel_of(self, X.shape[1])
        runs, order = self._run(X, codes)
        is_updated = np.zeros(codes.size, dtype=bool)
        is_updated[order] = np.any([run.n_updates > 0 for run in runs], axis=0)
        self._keep_examples(np.flatnonzero(is_updated))
        self.n_passes_ = max(run.n_passes for run in runs)
        self.is_converged_ = all(run.is_converged for run in runs)
        self._keep(X, codes, runs, order)
        is_error = self._codes(X) != codes
        self.n_training_errors_ = int(is_error.sum())
        self.n_errors_ = int((is_error & ~is_updated).sum())
        return self

    def _check_parameters(self) -> None:
        if self.kernel == "precomputed":
            raise ValueError(
                "`kernel` must be a function of the features, got 'precomputed'. "
                "The order of the examples is read from their features; pass a callable."
            )
        check_count("max_passes", self.max_passes, low=1)
        hint = "It is a distance in the space of the kernel; 0 updates at mistakes only."
        check_real("margin", self.margin, low=0.0, hint=hint)

    def _gram(self, X: Floats, Z: Floats) -> Floats:
        return self.kernel_(X, Z) + float(bool(self.fit_intercept))

    def _run(self, X: Floats, codes: Ints) -> tuple[list[PerceptronRun], Ints]:
        """One run for each machine, on the examples in their canonical order."""
        order = canonical_order(X, codes)
        K = self._gram(X[order], X[order])
        runs = [
            run_perceptron(K, s[order], int(self.max_passes), margin=float(self.margin))
            for s in self._signs(codes)
        ]
        return runs, order

    def _keep(self, X: Floats, codes: Ints, runs: list[PerceptronRun], order: Ints) -> None:
        """Store the compression set, and check that a run on it alone gives the same updates."""
        kept = self.compression_set_
        self.support_vectors_, kept_codes = X[kept], codes[kept]
        position = np.empty(order.size, dtype=np.intp)
        position[order] = np.arange(order.size)
        self.n_updates_ = np.stack([run.n_updates[position[kept]] for run in runs])
        self.dual_coef_ = self.n_updates_ * np.stack(self._signs(kept_codes))
        # Kept examples keep their order by content, so a run on them alone must repeat every
        # update.
        again, own_order = self._run(self.support_vectors_, kept_codes)
        self.is_rebuilt_ = all(
            np.array_equal(run.n_updates, counts[own_order])
            for run, counts in zip(again, self.n_updates_, strict=True)
        )

    def _scores(self, rows: Floats) -> Floats:
        if self.kernel_.name == "linear":  # the arithmetic of the form that a file holds
            return self._machine().scores(rows)
        values = self._gram(rows, self.support_vectors_) @ self.dual_coef_.T
        return values[:, 0] if self.classes_.size == 2 else values

    @property
    def intercept_(self) -> Floats:
        """The bias of each machine: the sum of its signed updates, or 0 without an intercept."""
        shift = float(bool(self.fit_intercept))
        return np.array([shift * float(np.sum(row)) for row in self.dual_coef_])

    def _machine(self) -> Form:
        if not self.kernel_.is_named:
            return self._closed_kernel(self.kernel_)
        if self.kernel_.name == "linear":
            return linear_score(self.dual_coef_ @ self.support_vectors_, self.intercept_)
        return kernel_expansion(
            self.kernel_, self.support_vectors_, self.dual_coef_.T, self.intercept_
        )

    def _certify(self, bound: str, delta: float, n_choices: int) -> Certificate:
        if not self.is_rebuilt_:
            raise NotCertifiableError(
                "The compression set did not give the same updates again: rounding decided a tie. "
                "Rescale the features or use another kernel."
            )
        m, d = self.n_samples_, self.compression_set_.size
        if bound == "perceptron":
            # The updated examples and max_passes, fixed beforehand, determine the machine: given
            # them, its errors on the other examples are binomial.
            # After a clean pass more passes change nothing, so their number need not be told.
            n_passes = None if self.is_converged_ else self.n_passes_
            certificate = shared_certificate(
                lambda share: perceptron_bound(
                    m, d, n_errors=self.n_errors_, n_passes=n_passes, delta=share
                ),
                delta,
                n_choices,
            )
        else:
            # Errors outside the updates join the set: a new error would enlarge it.
            certificate = stable_bound(m, d + self.n_errors_, delta=delta, n_choices=n_choices)
        return certificate.assuming("perceptron")

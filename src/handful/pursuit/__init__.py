"""Matching pursuit: sparse kernel machines whose few examples are chosen greedily.

What lives here: the exact greedy path over kernel columns (`orthogonal_pursuit`), the classifier
and the regressor made of it, sparse kernel PCA as a partial Cholesky factorisation, sparse kernel
CCA for two views, and pictures of paths and centres. What does not: bounds (they are in
``handful.bounds``), kernels, and any compiled loop: all work is matrix products.

To add a greedy method: write its state with the methods of ``orthogonal.Pursuit`` (choose,
deflate, absorb, share, fork) and run it with ``orthogonal.pursue``; give it an oracle that
deflates the whole matrix in ``tests/oracles/pursuit.py``.
"""

from handful.pursuit.display import PursuitCentersDisplay, PursuitPathDisplay
from handful.pursuit.estimators import KernelMatchingPursuitClassifier
from handful.pursuit.kernel_columns import KernelColumns
from handful.pursuit.kernel_regression import KernelMatchingPursuitRegressor
from handful.pursuit.orthogonal import PursuitPath, orthogonal_pursuit
from handful.pursuit.partial_cholesky import PartialCholesky, partial_cholesky
from handful.pursuit.path_points import PathPoint
from handful.pursuit.sparse_kernels import SparseKernelCCA, SparseKernelPCA

__all__ = [
    "KernelColumns",
    "KernelMatchingPursuitClassifier",
    "KernelMatchingPursuitRegressor",
    "PartialCholesky",
    "PathPoint",
    "PursuitCentersDisplay",
    "PursuitPath",
    "PursuitPathDisplay",
    "SparseKernelCCA",
    "SparseKernelPCA",
    "orthogonal_pursuit",
    "partial_cholesky",
]

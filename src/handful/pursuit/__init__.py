"""Matching pursuit: sparse kernel machines whose few examples are chosen greedily.

What lives here: the exact greedy path over kernel columns (`orthogonal_pursuit`), the classifier
and the regressor made of it, sparse kernel PCA as a partial Cholesky factorisation, sparse kernel
CCA for two views, and pictures of paths and centres. What does not: bounds (they are in
``handful.bounds``), kernels, and any compiled loop: all work is matrix products.

To add a greedy method: write its state with the methods of ``_lookahead.Pursuit`` (choose,
deflate, absorb, share, fork) and run it with ``_lookahead.pursue``; give it an oracle that
deflates the whole matrix in ``tests/oracles/pursuit.py``.
"""

from handful.pursuit._cholesky import PartialCholesky, partial_cholesky
from handful.pursuit._classifier import KernelMatchingPursuitClassifier
from handful.pursuit._columns import KernelColumns
from handful.pursuit._display import PursuitCentersDisplay, PursuitPathDisplay
from handful.pursuit._orthogonal import PursuitPath, orthogonal_pursuit
from handful.pursuit._path import PathPoint
from handful.pursuit._regressor import KernelMatchingPursuitRegressor
from handful.pursuit._sparse_cca import SparseKernelCCA
from handful.pursuit._sparse_pca import SparseKernelPCA

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

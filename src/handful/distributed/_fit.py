"""One door for fits on Dask inputs."""

from __future__ import annotations

from typing import Any


def fit(machine: Any, X: Any, y: Any, *, classes: Any = None, sample_weight: Any = None) -> Any:
    """Fit a machine to a Dask array or data frame; ``machine.fit(X, y)`` calls this.

    Parameters
    ----------
    machine : CertifiedClassifier, covering machine, AdaBoost or kernel matching pursuit
        ``candidates`` of a covering machine must name a pool ("auto" or a number).
    X : dask array or dask data frame
        Cut into chunks of rows; it need not fit into memory. It is read several times, so its
        source must give the same rows each time.
    y : dask array or series
        Cut like X.
    classes : array-like, optional
        The labels that may occur. A chunk with another label is an error that names the chunk;
        without ``classes`` every label that is found is a class (of a `CertifiedClassifier`, every
        label of its pool).
    sample_weight : None
        Not accepted: repeat the rows.

    Returns
    -------
    machine
        Fitted, and equal to what a fit in memory gives for the same ``random_state``; a matching
        pursuit, whose sums are not whole numbers, up to rounding.

    Examples
    --------
    >>> import dask.array as da
    >>> from handful import SetCoveringMachine, load_dataset
    >>> from handful.distributed import fit
    >>> data = load_dataset("breastw")
    >>> X, y = da.from_array(data.X, chunks=(100, -1)), da.from_array(data.y, chunks=100)
    >>> there = fit(SetCoveringMachine("stumps", candidates=40, random_state=0), X, y)
    >>> here = SetCoveringMachine("stumps", candidates=40, random_state=0).fit(data.X, data.y)
    >>> there.certificate_ == here.certificate_
    True
    """
    from handful.boosting import AdaBoost
    from handful.certified import CertifiedClassifier
    from handful.covering.classifier import CoveringClassifier
    from handful.distributed._boosting import fit_boosting
    from handful.distributed._certified import fit_certified
    from handful.distributed._covering import fit_covering
    from handful.distributed._pursuit import fit_pursuit
    from handful.pursuit.base import BasePursuit

    if sample_weight is not None:
        raise ValueError(
            "`sample_weight` is not accepted with Dask inputs. Repeat the rows instead."
        )
    if isinstance(machine, CoveringClassifier):
        return fit_covering(machine, X, y, classes)
    if isinstance(machine, CertifiedClassifier):
        return fit_certified(machine, X, y, classes)
    if isinstance(machine, AdaBoost):
        return fit_boosting(machine, X, y, classes)
    if isinstance(machine, BasePursuit):
        return fit_pursuit(machine, X, y, classes)
    raise TypeError(
        "`machine` must be a CertifiedClassifier, SetCoveringMachine, DecisionListMachine, "
        "AdaBoost or kernel matching pursuit for Dask inputs, got "
        f"{type(machine).__name__}. Call compute() on data that fit into memory."
    )

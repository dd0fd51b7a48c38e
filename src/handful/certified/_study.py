"""From a table that was made ready to a menu, with one pool for both."""

from __future__ import annotations

from typing import Any

import numpy as np

from handful.certified._classifier import CertifiedClassifier
from handful.tables import Study


def fit_study(study: Study, **parameters: Any) -> CertifiedClassifier:
    """Fit the menu to a table that `handful.tables.read_study` made ready.

    What the columns hold was decided by the rows of the study's pool, so the menu must be learned
    from the same pool: it is drawn from the digests of the whole rows.

    Parameters
    ----------
    study : Study
    **parameters
        Of `CertifiedClassifier`, but for ``columns``, ``classes``, ``pool_share`` and
        ``random_state``, which are those of the study.

    Examples
    --------
    >>> import pandas as pd
    >>> from handful import load_dataset
    >>> from handful.tables import read_study
    >>> X, y = load_dataset("haberman-294").named()
    >>> machine = fit_study(read_study(X.assign(outcome=y)), candidates=["constant", "one rule"])
    >>> machine.certificate_.n_samples
    294
    """
    machine = CertifiedClassifier(
        **parameters,
        columns=study.features,
        classes=study.classes,
        pool_share=study.pool_share,
        random_state=study.digests,
    )
    machine.fit(study.X, study.y, sample_weight=study.weights, groups=study.groups)
    if not np.array_equal(machine.held_back_, np.sort(study.pool)):
        raise RuntimeError("the pool that read the columns is not the one that was learned from.")
    return machine

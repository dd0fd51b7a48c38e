"""How stable a form is: its items and cuts when it is learned again from resampled pools.

Only the pool is resampled, which no certificate counts, so that looking costs nothing. What is
found describes the learner; it is no certificate.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from handful.certified.form_candidates import FormCandidate
from handful.certified.learning import learned_again
from handful.certified.training_pool import Pool
from handful.models import Fitted

if TYPE_CHECKING:
    import pandas as pd

_LEAST = 0.25  # share of the resamples below which an item of other rules is not listed


def stability(
    pool: Pool, candidate: FormCandidate, candidates: Any, n_resamples: int
) -> pd.DataFrame:
    """One row an item: in how many resamples of the pool it is asked, and its cuts there.

    Parameters
    ----------
    pool : Pool
    candidate : FormCandidate
        Its form is learned again with its settings.
    candidates : names and classifiers
        Those of the machine that made it.
    n_resamples : int
    """
    import pandas as pd

    found: dict[str, list[list[float]]] = {}
    reasons: list[str] = []
    for some in _resamples(pool, n_resamples):
        try:
            fitted, _ = learned_again(some, candidate, candidates)
        except ValueError as error:  # such as a resample of one class
            reasons.append(str(error))
            continue
        for name, cuts in _items(fitted).items():
            found.setdefault(name, []).append(cuts)
    n = n_resamples - len(reasons)
    if n == 0:
        raise ValueError(f"No resample of the pool could be learned from: {reasons[0]}")
    own = _items(candidate.fitted)
    rows = [
        {"item": name, "in_rule": name in own, "n": len(found.get(name, ())), "of": n,
         **_spread([cut for cuts in found.get(name, ()) for cut in cuts])}
        for name in {**own, **found}
    ]  # fmt: skip
    frame = pd.DataFrame(
        rows, columns=["item", "in_rule", "n", "of", "lowest_cut", "middle_cut", "highest_cut"]
    )
    order = ["in_rule", "n"]
    return frame.sort_values(order, ascending=False, kind="stable").set_index("item")


def _resamples(pool: Pool, n_resamples: int) -> Iterator[Pool]:
    """Pools of as many rows (or groups), drawn from this one with replacement."""
    rng = np.random.default_rng(pool.seed)
    member = np.arange(len(pool)) if pool.groups is None else pool.groups
    places = [np.flatnonzero(member == group) for group in np.unique(member)]
    for _ in range(n_resamples):
        drawn = np.sort(rng.integers(0, len(places), len(places)))  # in blind order
        yield pool.only(np.concatenate([places[i] for i in drawn]))


def _items(fitted: Fitted) -> dict[str, list[float]]:
    """What a rule asks, with its cuts if these are numbers of one column."""
    found: dict[str, list[float]] = {fitted.columns.names[j]: [] for j in fitted.machine.features}
    for condition in fitted.machine.conditions:
        feature = fitted.columns.features[condition.features[0]]
        if len(condition.features) == 1 and not feature.is_flag:
            found[feature.name].append(condition.cut)
    return found


def _spread(cuts: list[float]) -> dict[str, float]:
    low, middle, high = np.quantile(cuts, [0.0, 0.5, 1.0]) if cuts else (np.nan,) * 3
    return {"lowest_cut": low, "middle_cut": middle, "highest_cut": high}


def stability_lines(frame: pd.DataFrame) -> list[str]:
    """What `stability` gave in sentences; the first says that it is a description.

    Examples
    --------
    >>> import pandas as pd
    >>> row = {"in_rule": True, "n": 19, "of": 20, "lowest_cut": 2.5, "middle_cut": 3.5,
    ...        "highest_cut": 4.5}
    >>> stability_lines(pd.DataFrame([row], index=["crp"]))[1:]
    ['crp: in 19 of 20, cuts from 2.5 to 4.5 (half of them up to 3.5)']
    """
    n = int(frame["of"].max())
    lines = [
        f"A description, not certified: the form was learned again from {n} resamples of the "
        "teaching rows alone."
    ]
    for row in frame.itertuples():
        if not row.in_rule and row.n < _LEAST * n:
            continue
        text = f"{row.Index}: in {row.n} of {n}" + ("" if row.in_rule else ", not in this rule")
        if row.lowest_cut < row.highest_cut:
            text += f", cuts from {row.lowest_cut:g} to {row.highest_cut:g} (half of them up to "
            text += f"{row.middle_cut:g})"
        elif row.lowest_cut == row.highest_cut:
            text += f", cut {row.lowest_cut:g}"
        lines.append(text)
    return lines

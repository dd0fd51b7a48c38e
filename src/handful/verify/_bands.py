"""Silence in doubt, counted again: how often there is an answer, and how often it is wrong."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from handful.verify._arithmetic import is_tail_bound, log
from handful.verify._audit import Audit, is_close, is_number
from handful.verify._forms import scores_of
from handful.verify._table import Table, encode
from handful.verify._terms import stated, total

Document = Mapping[str, Any]

_FIELDS = ["answers_at_least", "errs_at_most", "n_answered", "n_errors", "width"]
_ROUNDING = 1e-14  # of one minus a limit


def check_band(
    audit: Audit, document: Document, table: Table, again: Document, is_wrong: Any
) -> None:
    """A width from the pool, and what follows from the counted rows outside of it."""
    band, certificate = document["training"]["band"], document["certificate"]
    if not audit.equal("band: fields", sorted(band), _FIELDS):
        return
    widths = again["widths"]
    known = [] if widths is None else [float(width) for width in widths]
    if not is_number(band["width"]) or table.groups is not None:
        known = []
    near = [width for width in known if is_close(band["width"], width, width)]
    if not audit.check("band: width", bool(near), "is not one of the pool's"):
        return
    X = encode(
        document["fitted"]["columns"]["columns"], table.columns, np.arange(len(table.labels))
    )
    sizes = np.abs(scores_of(document["fitted"]["machine"], X))
    wanted = np.abs(scores_of(again["fitted"]["machine"], X)) > near[0]
    holds = bool(((sizes > band["width"]) == wanted).all())
    audit.check("band: rows", holds, "other rows are answered than by what was trained again")
    is_said = wanted[table.counted]
    n, n_said = len(is_said), int(is_said.sum())
    n_errors = int((is_said & is_wrong).sum())
    audit.equal("band: answers", band["n_answered"], n_said)
    audit.equal("band: errors", band["n_errors"], n_errors)
    # The price of the row and of the confidence; one of several widths; two limits at once.
    nats = total(stated(certificate["terms"])) + log(len(known)) + log(2)
    limit = band["errs_at_most"]
    holds = is_number(limit) and (
        is_tail_bound(limit, n_errors, n_said, nats) if n_said else limit == 1.0
    )
    audit.check("band: errs at most", holds, f"the file says {limit!r}")
    share = band["answers_at_least"]
    # One minus a limit is rounded, to either side.
    silent = min(1.0, 1.0 - share + _ROUNDING) if is_number(share) else -1.0
    holds = is_tail_bound(silent, n - n_said, n, nats)
    audit.check("band: answers at least", holds, f"the file says {share!r}")

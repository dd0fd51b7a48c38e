"""Pictures of the page, made by the same displays that serve notebooks."""

from __future__ import annotations

import math
from typing import Any

from handful.report._displays import BoundPathDisplay
from handful.report._features import cover_of
from handful.report._figures import draw_svg
from handful.report._plane import MAX_RINGS, RulesDisplay

MAX_PATHS = 6  # lines that can be told apart in one picture
MAX_ROWS = 60  # of the table beside the picture


def read_path(machine: Any) -> dict[str, Any] | None:
    cover = cover_of(machine)
    if cover is None:
        return None
    path = machine.path_
    labels = list(dict.fromkeys(path["machine"]))[:MAX_PATHS]
    pictures = []
    for k, label in enumerate(labels):
        display = BoundPathDisplay.from_estimator(machine, label=label)
        chosen = display.frame()[display.is_chosen]
        title = "Certificate and training error against the number of rules" + (
            f", for {label} against the rest" if len(labels) > 1 else ""
        )
        if len(chosen):
            n_rules, value = int(chosen.iloc[0]["n_rules"]), float(chosen.iloc[0]["certificate"])
            title += f". Chosen: {n_rules} rule{'s' * (n_rules != 1)}, at most {_four(value)}"
        size = (7.2, 4.2) if len(labels) == 1 else (5.0, 3.4)
        svg = draw_svg(display, name=f"path{k}", title=title, size=size)
        pictures.append({"svg": svg, "title": title})
    best = path.sort_values(["certificate", "n_rules"], kind="stable")
    best = best.groupby(["machine", "scheme", "family", "n_rules"], sort=False).head(1)
    wanted = best[best["machine"].isin(labels)].head(MAX_ROWS)
    return {
        "pictures": pictures,
        "n_candidates": len(path),
        "is_shared": len(labels) > 1,
        "is_cost": cover.settings.costs is not None,
        "rows": [
            {
                "machine": str(row.machine),
                "scheme": row.scheme,
                "family": row.family,
                "n_rules": int(row.n_rules),
                "n_compressed": int(row.n_compressed),
                "n_errors": int(row.n_errors),
                "nats": f"{row.nats:.2f}",
                "certificate": _four(row.certificate),
                "is_chosen": bool(row.is_chosen),
            }
            for row in wanted.itertuples()
        ],
    }


def _four(value: float) -> str:
    """Four decimals, rounded up: never prettier than the truth."""
    return f"{math.ceil(value * 1e4 - 1e-9) / 1e4:.4f}"


def read_plane(machine: Any, X: Any, y: Any) -> dict[str, Any] | None:
    cover = cover_of(machine)
    if not hasattr(machine, "classes_") or (cover is not None and not any(cover.rules)):
        return None
    try:
        display = RulesDisplay.from_estimator(machine, X, y, n_grid=120)
    except (ValueError, TypeError):
        return None  # no numbers to draw: words in X, a kernel matrix
    title = f"Predictions and examples in the plane of {display.names[0]} and {display.names[1]}"
    return {
        "svg": draw_svg(display, name="plane", title=title, size=(7.2, 5.4)),
        "names": display.names,
        "n_others": machine.n_features_in_ - 2,
        "has_rings": 0 < display.is_kept.sum() <= MAX_RINGS,
        "has_boundaries": len(display.boundaries) > 1,
    }


def read_pictures(machine: Any) -> list[dict[str, Any]]:
    """Displays of other families: margins of a vote, the path of a pursuit."""
    from handful.boosting import MarginDisplay
    from handful.boosting.estimators import OneVersusRest
    from handful.pursuit import PursuitPathDisplay
    from handful.pursuit.base import BasePursuit

    display: Any
    if isinstance(machine, OneVersusRest):
        display, title = MarginDisplay.from_estimator(machine), "Margins of the training examples"
    elif isinstance(machine, BasePursuit):
        try:
            display = PursuitPathDisplay.from_estimator(machine)
        except TypeError:
            return []  # not every pursuit has a path
        title = "The path of the pursuit"
    else:
        return []
    return [{"title": title, "svg": draw_svg(display, name="more", title=title)}]

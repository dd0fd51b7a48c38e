"""Pictures of the page, made by the same displays that serve notebooks."""

from __future__ import annotations

import io
import math
import re
import warnings
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from handful.report.certificate_displays import BoundPathDisplay
from handful.report.plane import MAX_RINGS, RulesDisplay
from handful.report.telling_features import cover_of

MAX_PATHS = 6  # lines that can be told apart in one picture
MAX_ROWS = 60  # of the table beside the picture
SECTIONS = ("rule", "evidence", "menu", "more")


def _evidence_displays(machine: Any) -> Iterator[tuple[str, Any, float]]:
    """Pictures of the evidence about the chosen row, if there is any."""
    from handful.evidence import (
        CalibrationDisplay,
        DecisionCurveDisplay,
        ForestDisplay,
        RocDisplay,
        decides,
    )

    if machine.why_no_evidence() or len(machine.fitted_.classes) > 2:
        return
    found = machine.evidence()
    yield "ROC curve, with limits for all thresholds at once", RocDisplay.from_evidence(found), 4.4
    if found.calibration is not None:
        title = "Estimated risks and what happened; bars end at limits that hold at once"
        yield title, CalibrationDisplay.from_evidence(found), 4.4
    if decides(found):
        yield "Net benefit", DecisionCurveDisplay.from_evidence(found), 4.4
    if found.subgroups:
        display = ForestDisplay.from_evidence(found)
        title = "Sensitivity in subgroups that were named beforehand, with the cases counted"
        yield title, display, 1.2 + 0.4 * len(found.subgroups)


def read_path(machine: Any) -> dict[str, Any] | None:
    """Certificates along the path of a cover, as pictures and as a table."""
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
    # The best candidate of each kind and size; equal ones keep the order of the path.
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
    """Predictions and examples in the plane of the two features that tell most."""
    cover = cover_of(machine)
    if (
        X is None
        or not hasattr(machine, "classes_")
        or (cover is not None and not any(cover.rules))
    ):
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


def read_pictures(machine: Any) -> dict[str, list[dict[str, Any]]]:
    """Displays of a family, by the section of the page: "rule", "evidence", "menu" or "more"."""
    found: dict[str, list[dict[str, Any]]] = {name: [] for name in SECTIONS}
    for k, (section, title, display, height) in enumerate(_displays(machine)):
        width = 5.0 if section == "evidence" else 7.2  # two stand side by side
        svg = draw_svg(display, name=f"more{k}", title=title, size=(width, height))
        found[section].append({"title": title, "svg": svg})
    return found


def _displays(machine: Any) -> Iterator[tuple[str, str, Any, float]]:
    """Sections, titles, displays and heights."""
    from handful.boosting import MarginDisplay
    from handful.boosting.estimators import OneVersusRest
    from handful.certified import AdditiveDisplay, CertifiedClassifier, MenuDisplay
    from handful.pursuit import PursuitPathDisplay
    from handful.pursuit.base import BasePursuit
    from handful.scoring import ScoreCardDisplay

    if isinstance(machine, OneVersusRest):
        yield "more", "Margins of the training examples", MarginDisplay.from_estimator(machine), 4.2
    if isinstance(machine, BasePursuit):
        with suppress(TypeError):  # not every pursuit has a path
            yield "more", "The path of the pursuit", PursuitPathDisplay.from_estimator(machine), 4.2
    if not isinstance(machine, CertifiedClassifier):
        return
    with suppress(TypeError):  # the row is no score card
        card = ScoreCardDisplay.from_estimator(machine)
        height = max(2.6, 0.4 * len(card.items()) + 1.4)
        yield "rule", "The score card, and what its totals mean", card, height
    with suppress(TypeError):  # nor additive
        curves = AdditiveDisplay.from_estimator(machine)
        title = "Points of each column; dotted where the value is missing"
        yield "rule", title, curves, 2.0 * curves.n_rows
    for shown in _evidence_displays(machine):
        yield "evidence", *shown
    title = "The price of readability: certificates of all forms, the simplest on the left"
    yield "menu", title, MenuDisplay.from_estimator(machine), 4.6


# -- displays as SVG text that follows the colours of the page -----------------------------------

N_SERIES = 7  # colours that the style sheet of the page names
# Colours that matplotlib writes and the page replaces: name of a CSS variable -> marker colour.
_INKS = {"ink": "#010203", "muted": "#010204", "rule": "#010205"}
_SERIES = {f"series-{k}": f"#0102{k + 16:02x}" for k in range(N_SERIES)}


def _style() -> Any:
    from cycler import cycler

    return {
        "svg.fonttype": "none",
        "svg.hashsalt": "handful",
        "text.parse_math": False,
        "text.color": _INKS["ink"],
        "axes.labelcolor": _INKS["ink"],
        "axes.edgecolor": _INKS["rule"],
        "axes.facecolor": "none",
        "axes.grid": True,
        "axes.grid.axis": "both",
        "axes.axisbelow": True,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "grid.color": _INKS["rule"],
        "grid.linewidth": 0.6,
        "grid.alpha": 0.5,
        "xtick.color": _INKS["muted"],
        "ytick.color": _INKS["muted"],
        "figure.facecolor": "none",
        "font.size": 11,
        "lines.linewidth": 2.2,
        "axes.prop_cycle": cycler(color=list(_SERIES.values())),
    }


def draw_svg(display: Any, *, name: str, title: str, size: tuple[float, float] = (7.2, 4.2)) -> str:
    """The picture of a display as one ``<svg>`` element.

    Parameters
    ----------
    display : display
        Anything with ``plot(ax)``.
    name : str
        Prefix of all identifiers, so that several pictures share a page.
    title : str
        What a screen reader says.
    size : (float, float)
        Width and height; the page scales it.
    """
    import matplotlib as mpl
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    with mpl.rc_context(_style()), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # glyphs that the measuring font lacks; the page has them
        figure = Figure(figsize=size, layout="constrained")
        FigureCanvasSVG(figure)
        display.plot(figure.add_subplot())
        buffer = io.StringIO()
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    return _for_page(buffer.getvalue(), name, title)


def _for_page(svg: str, name: str, title: str) -> str:
    from markupsafe import escape

    body = svg[svg.index("<svg") :]
    body = re.sub(r"<metadata>.*?</metadata>", "", body, flags=re.DOTALL)
    head, _, rest = body.partition(">")
    head = re.sub(r'\s(?:width|height|version|xmlns(?::xlink)?)="[^"]*"', "", head)
    head += f' role="img" aria-labelledby="{name}-title"'
    # only inside tags: text between tags comes from the data and stays as it is
    rest = re.sub(r"<[^>]*>", lambda tag: _own_tag(tag.group(), name), rest)
    return f'{head}>\n<title id="{name}-title">{escape(title)}</title>{rest.strip()}'


def _own_tag(tag: str, name: str) -> str:
    tag = re.sub(r'\sid="', f' id="{name}-', tag)
    tag = tag.replace('href="#', f'href="#{name}-').replace("url(#", f"url(#{name}-")
    for variable, colour in (*_INKS.items(), *_SERIES.items()):
        tag = tag.replace(colour, f"var(--{variable})")
    return tag

"""Displays as SVG text that follows the colours of the page around it."""

from __future__ import annotations

import io
import re
import warnings
from typing import Any

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

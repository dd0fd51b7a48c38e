"""Draw the menu of the landing page: docs/menu.svg.

python tools/landing_picture.py
"""

from __future__ import annotations

from pathlib import Path

from matplotlib.figure import Figure

from handful import CertifiedClassifier, MenuDisplay, load_dataset
from handful.papers.paper_figures import svg_text

PICTURE = Path(__file__).resolve().parents[1] / "docs" / "menu.svg"


def draw() -> str:
    """The menu of the embedded data, the score card chosen, as the first screen prints it."""
    X, y = load_dataset("breastw").named()
    machine = CertifiedClassifier().fit(X, y).choose("score card")
    figure = Figure(figsize=(8.0, 4.5), layout="constrained")
    axes = figure.subplots()
    MenuDisplay.from_estimator(machine).plot(axes)
    axes.set_ylabel("errors of new cases")
    return svg_text(figure)


if __name__ == "__main__":
    PICTURE.write_text(draw(), encoding="utf-8")

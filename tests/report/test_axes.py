"""Displays draw where they are told, with a legend that can be read."""

import pytest
from matplotlib.figure import Figure

from handful.display import axes_or_new, legend_above


def test_given_axes_are_used_and_new_ones_made():
    ax = axes_or_new(None)
    assert axes_or_new(ax) is ax


def test_the_legend_hides_no_data():
    ax = axes_or_new(None)
    ax.plot([0, 1], [0, 1], label="line")
    legend = legend_above(ax)
    ax.figure.canvas.draw()
    assert legend.get_window_extent().y0 >= ax.get_window_extent().y1


@pytest.mark.parametrize(
    "names",
    [
        [f"class number {k}" for k in range(3)],
        [f"a rather long name of class {k}" for k in range(7)],
        ["short", "a name that is longer than any picture is wide " * 5],
        ["$\\notmath$", "b$"],
    ],
)
def test_the_legend_is_within_the_figure(names):
    figure = Figure(figsize=(7.2, 5.4), layout="constrained")
    ax = figure.add_subplot()
    for name in names:
        ax.plot([0, 1], [0, 1], label=name)
    ax.set_ylabel("feature")
    legend = legend_above(ax)
    figure.draw_without_rendering()
    box = legend.get_window_extent()
    assert box.x0 >= 0
    assert box.x1 <= figure.bbox.x1 + 1
    assert box.y1 <= figure.bbox.y1 + 1
    assert ax.get_window_extent().width > 0.5 * figure.bbox.width
    assert ax.get_window_extent().height > 0.3 * figure.bbox.height

from handful.report._axes import axes_or_new, legend_above


def test_given_axes_are_used_and_new_ones_made():
    ax = axes_or_new(None)
    assert axes_or_new(ax) is ax


def test_the_legend_hides_no_data():
    ax = axes_or_new(None)
    ax.plot([0, 1], [0, 1], label="line")
    legend = legend_above(ax)
    ax.figure.canvas.draw()
    assert legend.get_window_extent().y0 >= ax.get_window_extent().y1

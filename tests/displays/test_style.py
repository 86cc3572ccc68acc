"""The style: nobody else's figures change, labels keep apart, and SVG is fit for a page."""

import io
from itertools import pairwise

import matplotlib as mpl
import matplotlib.pyplot as plt
import matplotlib.text
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sklearn_rank import MeasureAtKDisplay
from sklearn_rank.displays import plot_style
from sklearn_rank.displays.base import COLOURS, series_style, shown_name, spread

HOSTILE = "</svg><script>$a_1$ & 'b'\x1b[31m\u202e"


def close_curves(names):
    """Curves that end in almost the same point."""
    values = [[0.5, 0.6 + number / 1000] for number in range(len(names))]
    return MeasureAtKDisplay(k=[1, 20], values=values, names=names)


def boxes(display):
    """Of the texts alone, without the lines that lead to them."""
    display.figure_.draw_without_rendering()
    return [mpl.text.Text.get_window_extent(text) for text in display.ax_.texts]


def test_settings_outside_are_left_alone():
    before = dict(mpl.rcParams)
    display = close_curves(["a", "b"])
    display.plot()
    with plot_style():
        assert mpl.rcParams["axes.spines.top"] is False
    assert dict(mpl.rcParams) == before


@pytest.mark.parametrize(
    ("size", "dpi"), [((6.4, 3.8), 100), ((3.2, 2.4), 100), ((12, 8), 100), ((6.4, 3.8), 300)]
)
def test_labels_neither_overlap_nor_are_cut_off(size, dpi):
    display = close_curves([f"system {number}" for number in range(8)]).plot()
    display.figure_.set_size_inches(size)
    display.figure_.set_dpi(dpi)
    extents = boxes(display)
    ordered = sorted(extents, key=lambda box: box.y0)
    assert all(low.y1 <= high.y0 for low, high in pairwise(ordered))
    # Centres stand in the order of the curves.
    assert extents == ordered
    figure = display.figure_.bbox
    assert all(box.x0 >= figure.x0 and box.x1 <= figure.x1 for box in extents)


def test_a_figure_that_makes_no_room_has_a_legend():
    _, ax = plt.subplots()
    display = close_curves(["a", "_b"]).plot(ax)
    assert not ax.texts
    assert [text.get_text()[-2:] for text in ax.get_legend().get_texts()] == ["a", "_b"]
    assert display.figure_ is ax.figure
    assert ax.spines["top"].get_visible()
    # Names beside small axes would take the room of the picture.
    _, axes = plt.subplots(2, 2, layout="constrained")
    close_curves(["a", "b"]).plot(axes[0, 0])
    assert not axes[0, 0].texts
    assert len(axes[0, 0].get_legend().get_texts()) == 2


@given(
    st.lists(st.floats(-5, 15), min_size=1, max_size=8),
    st.floats(0.1, 2),
)
def test_spread_places_keep_gap_and_limits(wanted, gap):
    places = np.sort(spread(np.array(wanted), gap, 0.0, 10.0))
    assert (np.diff(places) >= gap - 1e-9).all()
    assert places[0] >= -1e-9
    if gap * (len(wanted) - 1) <= 10:
        assert places[-1] <= 10 + 1e-9


def test_places_that_are_apart_stay():
    assert spread(np.array([7.0, 1.0, 4.0]), 2, 0, 10).tolist() == [7, 1, 4]
    # Three at one place: the middle one stays.
    assert spread(np.array([5.0, 5.0, 5.0]), 2, 0, 10).tolist() == [3, 5, 7]


def luminance(colour):
    channels = np.array(mpl.colors.to_rgb(colour))
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


def test_the_first_series_differ_without_colour_and_stand_out():
    strokes = [(str(style["linestyle"]), style["marker"]) for style in map(series_style, range(28))]
    assert len(set(strokes)) == 28
    # 3:1 is the least contrast of graphics in WCAG 2.
    assert all(1.05 / (luminance(colour) + 0.05) >= 2.9 for colour in COLOURS[:5])


def test_names_are_printable_and_short():
    assert shown_name("a\nb\x1b") == "a\\x0ab\\x1b"
    assert shown_name(17) == "17"
    assert len(shown_name("x" * 200)) == 28
    # Models of one maker differ at their ends.
    assert shown_name("sentence-transformers/all-MiniLM-L6-v2") == "sentence-…s/all-MiniLM-L6-v2"


@pytest.mark.parametrize("form", ["png", "svg"])
def test_pictures_are_written(form):
    stream = io.BytesIO()
    close_curves([HOSTILE, "b"]).plot().figure_.savefig(stream, format=form)
    head = stream.getvalue()[:200]
    assert head.startswith(b"\x89PNG") if form == "png" else b"<?xml" in head

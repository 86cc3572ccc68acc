"""One style for all pictures: colours, strokes and markers, applied to the picture alone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_style"]

INK = "#24292f"
"""Text, axes and everything that is no series. In SVG it becomes the text colour of the page."""

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", INK, "#e69f00", "#56b4e9")
"""Of Okabe and Ito, whom colour-blind readers can follow; strongest contrast with white first.
Yellow is left out: on white it cannot be seen."""

BETTER, WORSE = COLOURS[0], COLOURS[1]

_DASHES = ("-", (0, (5, 1.5)), (0, (1.5, 1.2)), (0, (7, 1.5, 1.5, 1.5)))
_MARKERS = "os^DvPX"
"""As many as colours; with four dashes the first 28 series differ in print, too."""

SIZE = (6.4, 3.8)
"""Inches of one picture: the text stays readable at the width of a page's column."""

_RC: Any = {
    "figure.figsize": SIZE,
    "figure.facecolor": "white",
    "figure.constrained_layout.use": True,
    "font.family": "sans-serif",
    "font.size": 10.0,
    "text.color": INK,
    "axes.titlesize": 11.0,
    "axes.titlelocation": "left",
    "axes.titlepad": 10.0,
    "axes.facecolor": "none",
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": INK,
    "grid.alpha": 0.14,
    "grid.linewidth": 0.6,
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.labelsize": 9.0,
    "ytick.labelsize": 9.0,
    "legend.frameon": False,
    "legend.fontsize": 9.0,
    "lines.linewidth": 1.7,
    "lines.markersize": 4.0,
    "svg.fonttype": "none",
    "svg.hashsalt": "sklearn-rank",
}


@contextmanager
def plot_style() -> Iterator[None]:
    """The style of the displays for figures of your own; outside of the context nothing changes.

    Create and save a figure inside of it. Displays that make their own figure do this themselves.

    Yields
    ------
    None

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from sklearn_rank.displays import plot_style
    >>> with plot_style():
    ...     figure, (left, right) = plt.subplots(1, 2)
    >>> left.spines["top"].get_visible()
    False
    """
    import matplotlib as mpl

    with mpl.rc_context(_RC):
        yield


@contextmanager
def canvas(ax: Axes | None, owner: str, size: tuple[float, float] = SIZE) -> Iterator[Axes]:
    """Where to draw: the caller's axes, in the caller's style; else axes of a new figure."""
    if ax is not None:
        yield ax
        return
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        msg = (
            f"{owner}.plot requires matplotlib. You can install matplotlib with "
            "`pip install matplotlib`"
        )
        raise ImportError(msg) from error
    with plot_style():
        yield plt.subplots(figsize=size)[1]


def series_style(number: int) -> dict[str, Any]:
    """Colour, dashes and marker by which a series is told, in colour and without."""
    return {
        "color": COLOURS[number % len(COLOURS)],
        "linestyle": _DASHES[number % len(_DASHES)],
        "marker": _MARKERS[number % len(_MARKERS)],
    }


def ink_of(ax: Axes) -> Any:
    """Colour of the text around the axes, which may be those of a dark figure."""
    return ax.xaxis.label.get_color()

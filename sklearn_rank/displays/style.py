"""What all displays share: one style, the base class, and figures as SVG."""

from __future__ import annotations

import copy
import io
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import quoteattr

from sklearn_rank.support.text import safe_text

if TYPE_CHECKING:
    from typing import Self

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

__all__ = ["plot_style"]

INK = "#24292f"
"""Text, axes and everything that is no series. In SVG it becomes the text colour of the page."""

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", INK, "#e69f00", "#56b4e9")
"""The palette of Okabe and Ito for colour-blind readers, strongest contrast with white first and
without yellow, which white hides."""

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
    """The caller's axes in the caller's style, or the axes of a new figure in ours."""
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
    """Colour, dashes and marker of a series: distinct in colour and in print."""
    return {
        "color": COLOURS[number % len(COLOURS)],
        "linestyle": _DASHES[number % len(_DASHES)],
        "marker": _MARKERS[number % len(_MARKERS)],
    }


def text_color(ax: Axes) -> Any:
    """Colour of the text around the axes, which may belong to a dark figure."""
    return ax.xaxis.label.get_color()


class Display:
    """The values of a picture; ``plot`` draws it.

    Attributes
    ----------
    ax_, figure_ : matplotlib.axes.Axes, matplotlib.figure.Figure
        The axes and the figure, after ``plot``; ImportError without Matplotlib.
    """

    ax_: Axes
    figure_: Figure | SubFigure

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw the picture."""
        raise NotImplementedError

    def to_svg(
        self,
        *,
        size: tuple[float, float] = SIZE,
        title: str = "",
        prefix: str = "",
        **options: Any,
    ) -> str:
        """The picture as one ``<svg>`` element, for a page; nothing is shown on a screen.

        Parameters
        ----------
        size : (float, float), default=(6.4, 3.8)
            Width and height in inches; a page scales it, the text with it.
        title : str, default=""
            What the picture shows, for those who cannot see it.
        prefix : str, default=""
            Put before all ids, which must differ between the pictures of a page.
        **options
            As in ``plot``.

        Returns
        -------
        svg : str
            Text is text, axes take the page's text colour, the background is the page's.
        """
        import matplotlib.figure

        with plot_style():
            figure = matplotlib.figure.Figure(figsize=size)
            # A copy keeps the axes on which this display was drawn before.
            copy.copy(self).plot(figure.subplots(), **options)
            return svg_of(figure, title=title, prefix=prefix)

    def _drawn_on(self, ax: Axes) -> Self:
        self.ax_, self.figure_ = ax, ax.figure
        return self


_IDS = re.compile(r'(\bid="|xlink:href="#|url\(#)')
_HEAD = re.compile(r"<svg\b[^>]*?viewBox=\"([^\"]+)\"[^>]*>")
_METADATA = re.compile(r"\s*<metadata>.*?</metadata>", re.DOTALL)


def svg_of(figure: Figure, *, title: str = "", prefix: str = "") -> str:
    """A figure as one ``<svg>`` element to put into HTML.

    Text stays text, in the fonts of the page; what is drawn in the ink of the style takes the
    page's text colour, and the background is the page's, so that one picture serves light and dark.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        Any figure; it need not belong to pyplot.
    title : str, default=""
        What the picture shows, for those who cannot see it.
    prefix : str, default=""
        Put before all ids, which must differ between the pictures of a page.

    Returns
    -------
    svg : str
        The same text for the same figure, on every day.
    """
    stream = io.StringIO()
    with plot_style(), warnings.catch_warnings():
        # The page has fonts of its own for what Matplotlib's lacks.
        warnings.filterwarnings("ignore", "Glyph .* missing", UserWarning)
        figure.savefig(stream, format="svg", transparent=True, metadata={"Date": None})
    text = stream.getvalue()
    body = _METADATA.sub("", text[text.index("<svg") :])
    body = body.replace(INK, "currentColor")
    body = _IDS.sub(rf"\g<1>{prefix}", body)
    label = quoteattr(safe_text(title, limit=1_000))
    return _HEAD.sub(
        lambda head: (
            '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
            f'role="img" aria-label={label} viewBox="{head[1]}" '
            'style="width:100%;height:auto">'
        ),
        body,
        count=1,
    )

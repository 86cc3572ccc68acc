"""Shared by all displays: the style, the base class with its docstrings, and figures as SVG."""

from __future__ import annotations

import copy
import inspect
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


# Displays ----------------------------------------------------------------------------------------

_PARAMETERS = """\
evaluations : Evaluation or {name: Evaluation}
    Results of :func:`evaluate`, by any measures.
comparison : Comparison
    Result of :func:`compare` or :func:`compare_all`.
y_true, y_score
    Ground truth and rankings in any layout of :func:`evaluate`.
groups : array-like of shape (n_samples,), default=None
    Query id of each row, unless X or y carries it.
slices : mapping, callable or str, default=None
    As in :meth:`Evaluation.by_slice`: a row for each slice.
level : float, default=0.95
    Level of the intervals.
measure : str, default="measure"
    Label of the axis.
greater_is_better : bool, default=True
    Direction of the measure.
n_named : int, default=5
    Number of queries named at each end; queries that did not change never are.
names : list of str, default=None
    Names of the systems; None takes the keys of the evaluations, or those of the display.
ax : matplotlib.axes.Axes, default=None
    Axes to draw in; None makes a figure.
curve_kwargs : dict or list of dict, default=None
    Keywords of ``Axes.plot``, for all lines or one for each."""
"""Entries of the parameters that several displays take."""

_RETURNS = """\
display : Display
    The display, drawn: with ``ax_``, ``figure_`` and its artists."""


def _entries(body: str) -> dict[str, str]:
    """Entries of a list of parameters, by each of their names."""
    found: dict[str, str] = {}
    for entry in filter(None, re.split(r"\n(?=\S)", body)):
        names = entry.partition("\n")[0].partition(" : ")[0]
        found.update((name.strip("* "), entry) for name in names.split(","))
    return found


def _complete(documented: Any) -> None:
    """Add the shared entries to a docstring, in the order of the signature."""
    if not documented.__doc__:  # which python -OO leaves out
        return
    text, *rest = re.split(r"\n\n(\w+)\n-+\n", inspect.cleandoc(documented.__doc__))
    own = dict(zip(rest[::2], rest[1::2], strict=True))
    entries = {**_entries(_PARAMETERS), **_entries(own.pop("Parameters", ""))}
    named = [entries[name] for name in inspect.signature(documented).parameters if name in entries]
    parts = {"Parameters": "\n".join(dict.fromkeys(named))} if named else {}
    if not isinstance(documented, type):
        parts["Returns"] = own.pop("Returns", _RETURNS)
    for title, body in {**parts, **own}.items():
        text += f"\n\n{title}\n{'-' * len(title)}\n{body}"
    documented.__doc__ = text


class Display:
    """The values of a picture; ``plot`` draws it.

    Attributes
    ----------
    ax_, figure_ : matplotlib.axes.Axes, matplotlib.figure.Figure
        The axes and the figure, after ``plot``; ImportError without Matplotlib.
    """

    ax_: Axes
    figure_: Figure | SubFigure

    def __init_subclass__(cls) -> None:
        """Complete the docstrings of the class and of the methods that draw."""
        _complete(cls)
        for name, method in vars(cls).items():
            if name == "plot" or name.startswith("from_"):
                _complete(getattr(method, "__func__", method))

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw the picture."""
        raise NotImplementedError

    @contextmanager
    def _canvas(self, ax: Axes | None, size: tuple[float, float] = SIZE) -> Iterator[Axes]:
        """The caller's axes in the caller's style, or the axes of a new figure in ours."""
        if ax is not None:
            yield ax
        else:
            try:
                import matplotlib.pyplot as plt
            except ImportError as error:
                msg = (
                    f"{type(self).__name__}.plot requires matplotlib. You can install matplotlib "
                    "with `pip install matplotlib`"
                )
                raise ImportError(msg) from error
            with plot_style():
                ax = plt.subplots(figsize=size)[1]
                yield ax
        self.ax_, self.figure_ = ax, ax.figure

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
            Description of the picture, for those who cannot see it.
        prefix : str, default=""
            Start of all ids, which must differ between the pictures of a page.
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


_IDS = re.compile(r'(\bid="|xlink:href="#|url\(#)')
_HEAD = re.compile(r"<svg\b[^>]*?viewBox=\"([^\"]+)\"[^>]*>")
_METADATA = re.compile(r"\s*<metadata>.*?</metadata>", re.DOTALL)


def svg_of(figure: Figure, *, title: str = "", prefix: str = "") -> str:
    """A figure as one ``<svg>`` element to put into HTML.

    Text stays text, in the fonts of the page; the ink of the style becomes the page's text colour,
    and the background is the page's, so that one picture serves light and dark.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        Any figure; it need not belong to pyplot.
    title, prefix : str, default=""
        As in ``to_svg`` of a display.

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
    body = _METADATA.sub("", text[text.index("<svg") :]).replace(INK, "currentColor")
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

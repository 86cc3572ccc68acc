"""Shared by all displays: the style, the base class, input, names in pictures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from sklearn_rank.evaluation.evaluate import with_measures
from sklearn_rank.evaluation.result import Evaluation
from sklearn_rank.measures.catalogue import Measure
from sklearn_rank.measures.grammar import measure as read_measure
from sklearn_rank.support.checks import refuse_unordered
from sklearn_rank.support.text import safe_repr, safe_text
from sklearn_rank.typing import FloatArray

if TYPE_CHECKING:
    from typing import Self

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure
    from matplotlib.lines import Line2D
    from matplotlib.transforms import Transform

__all__ = ["plot_style"]

Point = tuple[float, float]
Side = Literal["margin", "right", "left"]

INK = "#24292f"
"""Text, axes and everything that is no series."""

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


class Display:
    """The values of a picture; ``plot`` draws it, into ``ax_`` of ``figure_``."""

    ax_: Axes
    figure_: Figure | SubFigure

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


# Input -------------------------------------------------------------------------------------------


def read_systems(evaluations: Any, owner: str) -> tuple[list[Evaluation], list[str] | None]:
    """Evaluations and names of their systems; one evaluation needs no name."""
    if isinstance(evaluations, Evaluation):
        return [evaluations], None
    systems = list(evaluations.values()) if isinstance(evaluations, Mapping) else []
    if not systems or not all(isinstance(system, Evaluation) for system in systems):
        msg = (
            f"{owner} takes a result of evaluate, or several as {{name: result}}, got "
            f"{safe_repr(evaluations)}"
        )
        raise TypeError(msg)
    return systems, list(map(str, evaluations))


def check_names(names: Any, count: int) -> list[str] | None:
    """One name for each line, or None."""
    if names is None:
        return None
    refuse_unordered(names, "names")
    if len(names) != count:
        msg = f"names must hold one label for each curve ({count}), got {len(names)}"
        raise ValueError(msg)
    return [str(name) for name in names]


def read_arrays(
    name: str, given: Sequence[Any], shapes: Sequence[tuple[int, ...]]
) -> list[FloatArray]:
    """One array of each shape."""
    if len(given) != len(shapes):
        msg = f"{name} must hold {len(shapes)} arrays, one for each line, got {len(given)}"
        raise ValueError(msg)
    arrays = [np.asarray(one, dtype=np.float64) for one in given]
    for array, shape in zip(arrays, shapes, strict=True):
        if array.shape != shape:
            msg = f"{name} holds an array of shape {array.shape}; here it has to be {shape}"
            raise ValueError(msg)
    return arrays


def measure_of(evaluation: Evaluation, measure: str | Measure | None) -> Measure:
    """A measure with the parameters of the evaluation, such as a convention's; None: its first."""
    if measure is None:
        return evaluation.measures[0]
    wanted = read_measure(measure)
    for known in evaluation.measures:
        if known.metric is wanted.metric and wanted.agrees_with(known):
            return replace(known, k=wanted.k)
    return wanted


def measured_by(evaluation: Evaluation, measures: Sequence[Measure]) -> Evaluation:
    """Rankings by these measures, evaluated before or not."""
    is_known = all(measure in evaluation.measures for measure in measures)
    return evaluation if is_known else with_measures(evaluation, measures)


# Names in a picture ------------------------------------------------------------------------------

FONT_SIZE = 9.0
_LINE = 1.3
"""Height of a line of text, in sizes of its font."""
_GAP = 8.0
"""Points between the axes (or a point) and its label."""
_LONGEST = 28
"""Characters of a name that are shown: more would leave little room for the picture."""
_NARROW = 3.0
"""Inches of axes that have no room for names beside them, whatever the layout of the figure."""


def shown_name(name: object) -> str:
    """A name or id as one printable line; cut in the middle, as models differ at their ends."""
    text = safe_text(str(name), limit=10_000)
    return text if len(text) <= _LONGEST else f"{text[:9]}…{text[9 - _LONGEST + 1 :]}"


def spread(wanted: FloatArray, gap: float, low: float, high: float) -> FloatArray:
    """Places nearest to the wanted ones that are ``gap`` apart and, if that fits, in [low, high].

    Least squares under "each at least a gap above the one below" is isotonic regression after
    subtracting the gaps.
    """
    from sklearn.isotonic import isotonic_regression

    order = np.argsort(wanted, kind="stable")
    steps = gap * np.arange(len(wanted))
    highest = max(high - gap * (len(wanted) - 1), low)
    placed = np.empty(len(wanted))
    placed[order] = isotonic_regression(wanted[order] - steps, y_min=low, y_max=highest) + steps
    return placed


def _place(ax: Axes, points: Sequence[Point], number: int, side: Side, renderer: Any) -> Transform:
    """Place of one of several labels, in pixels; computed anew each time a figure is drawn."""
    from matplotlib.transforms import Affine2D

    pixels = ax.transData.transform(np.asarray(points))
    point, box = renderer.points_to_pixels(1.0), ax.bbox
    half = FONT_SIZE * _LINE / 2 * point
    heights = spread(pixels[:, 1], 2 * half, box.y0 + half, box.y1 - half)
    x = box.x1 if side == "margin" else float(pixels[number, 0])
    shift = -_GAP if side == "left" else _GAP
    return Affine2D().translate(x + shift * point, float(heights[number]))


def place_labels(
    ax: Axes,
    points: Sequence[Point],
    texts: Sequence[str],
    side: Side,
    colours: Sequence[Any] | None = None,
) -> list[Any]:
    """Texts in the right margin, or right or left of their points; a hair line leads to each."""
    ink, is_left = text_color(ax), side == "left"
    return [
        ax.annotate(
            text,
            point,
            xytext=(0, 0),
            textcoords=partial(_place, ax, points, number, side),
            annotation_clip=False,
            fontsize=FONT_SIZE,
            color=ink,
            ha="right" if is_left else "left",
            va="center",
            parse_math=False,
            arrowprops={
                "arrowstyle": "-",
                "color": ink if colours is None else colours[number],
                "linewidth": 0.7,
                "alpha": 0.7,
                "relpos": (1.0 if is_left else 0.0, 0.5),
                "shrinkA": 1.0,
                "shrinkB": 2.0,
            },
        )
        for number, (point, text) in enumerate(zip(points, texts, strict=True))
    ]


def has_margin(ax: Axes) -> bool:
    """Whether the figure makes room beside the axes, as figures of the displays do."""
    figure = ax.get_figure()
    if figure is None or figure.get_layout_engine() is None:
        return False
    return ax.get_window_extent().width / figure.dpi >= _NARROW


def name_lines(ax: Axes, lines: Sequence[Line2D], names: Sequence[str] | None) -> None:
    """Names at the ends of lines; in a legend where the figure would cut the margin off."""
    if names is None:
        return
    texts = set_names(lines, names)
    if not has_margin(ax):
        add_legend(ax, lines)
        return
    ends, shown, colours = [], [], []
    for line, text in zip(lines, texts, strict=True):
        points = np.asarray(line.get_xydata(), dtype=np.float64)
        points = points[np.isfinite(points).all(axis=1)]
        if len(points):
            ends.append((float(points[-1, 0]), float(points[-1, 1])))
            shown.append(text)
            colours.append(line.get_color())
    place_labels(ax, ends, shown, "margin", colours)


def set_names(artists: Sequence[Any], names: Sequence[str]) -> list[str]:
    """Give artists their labels for a legend; returns the names as they are shown."""
    texts = [shown_name(name) for name in names]
    for artist, text in zip(artists, texts, strict=False):
        # A leading underscore would hide the artist from legends.
        artist.set_label(f"\N{ZERO WIDTH SPACE}{text}" if text.startswith("_") else text)
    return texts


def add_legend(ax: Axes, handles: Sequence[Any], loc: str = "best") -> None:
    """A legend that reads no formula from names; "above" the axes where nothing may be covered."""
    place: dict[str, Any] = {"loc": loc}
    if loc == "above":
        longest = max(len(str(handle.get_label())) for handle in handles)
        columns = max(1, min(len(handles), 60 // (longest + 4)))
        place = {"loc": "lower right", "bbox_to_anchor": (1, 1), "ncols": columns}
        place |= {"borderaxespad": 0.2, "handletextpad": 0.4, "columnspacing": 1.4}
    for text in ax.legend(handles=list(handles), **place).get_texts():
        text.set_parse_math(False)

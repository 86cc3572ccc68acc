"""Names beside what they name, pushed apart where they would overlap, or in a legend."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from sklearn_rank.displays.style import text_color
from sklearn_rank.support.text import safe_text
from sklearn_rank.typing import FloatArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D
    from matplotlib.transforms import Transform

Point = tuple[float, float]
Side = Literal["margin", "right", "left"]

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

    Least squares under "each at least a gap above the one below" is isotonic regression of what is
    left when the gaps are taken away.

    >>> spread(np.array([1.0, 1.0, 9.0]), 2, 0, 10)
    array([0., 2., 9.])
    """
    from sklearn.isotonic import isotonic_regression

    order = np.argsort(wanted, kind="stable")
    steps = gap * np.arange(len(wanted))
    highest = max(high - gap * (len(wanted) - 1), low)
    placed = np.empty(len(wanted))
    placed[order] = isotonic_regression(wanted[order] - steps, y_min=low, y_max=highest) + steps
    return placed


class _Place:
    """Place of one of several labels, in pixels; computed anew each time a figure is drawn."""

    def __init__(self, ax: Axes, points: Sequence[Point], number: int, side: Side) -> None:
        self.ax, self.points, self.number, self.side = ax, points, number, side

    def __call__(self, renderer: Any) -> Transform:
        """Transform that takes the origin to the place of the label."""
        from matplotlib.transforms import Affine2D

        pixels = self.ax.transData.transform(np.asarray(self.points))
        point, box = renderer.points_to_pixels(1.0), self.ax.bbox
        half = FONT_SIZE * _LINE / 2 * point
        heights = spread(pixels[:, 1], 2 * half, box.y0 + half, box.y1 - half)
        x = box.x1 if self.side == "margin" else float(pixels[self.number, 0])
        shift = -_GAP if self.side == "left" else _GAP
        return Affine2D().translate(x + shift * point, float(heights[self.number]))


def place_labels(
    ax: Axes,
    points: Sequence[Point],
    texts: Sequence[str],
    side: Side,
    colours: Sequence[Any] | None = None,
) -> list[Any]:
    """Texts in the right margin, or right or left of their points; a hair line leads to each."""
    ink = text_color(ax)
    is_left = side == "left"
    return [
        ax.annotate(
            text,
            point,
            xytext=(0, 0),
            textcoords=_Place(ax, points, number, side),
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
    """Whether the figure makes room beside the axes, as those of the displays do."""
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
        drawn = points[np.isfinite(points).all(axis=1)]
        if len(drawn):
            ends.append((float(drawn[-1, 0]), float(drawn[-1, 1])))
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

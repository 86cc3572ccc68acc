"""What all displays have: where they were drawn, and their picture as SVG."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from sklearn_rank.displays.style import SIZE, plot_style
from sklearn_rank.displays.svg import svg_of

if TYPE_CHECKING:
    from typing import Self

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure


class Display:
    """Values of a picture, and the picture after ``plot``."""

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
            # A copy: where this display was drawn before is not forgotten.
            copy.copy(self).plot(figure.subplots(), **options)
            return svg_of(figure, title=title, prefix=prefix)

    def _drawn_on(self, ax: Axes) -> Self:
        self.ax_, self.figure_ = ax, ax.figure
        return self

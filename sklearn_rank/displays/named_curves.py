"""Displays of one curve for each system, and how all of them are drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from sklearn_rank.displays.base import Display
from sklearn_rank.displays.style import SIZE, canvas
from sklearn_rank.displays.systems import check_names, check_styles

if TYPE_CHECKING:
    from typing import Self

    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D


class NamedCurves(Display):
    """One curve for each system, and its name."""

    names: list[str] | None
    lines_: list[Line2D]
    _SIZE: ClassVar[tuple[float, float]] = SIZE

    def plot(
        self,
        ax: Axes | None = None,
        *,
        names: Sequence[str] | None = None,
        curve_kwargs: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None,
    ) -> Self:
        """Draw the curves.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, default=None
            Where to draw; None makes a figure.
        names : list of str, default=None
            Names of the systems; None takes those of the display.
        curve_kwargs : dict or list of dict, default=None
            Keywords of ``Axes.plot``, for all curves or one for each.

        Returns
        -------
        display : object
            This object, with ``lines_``, ``ax_`` and ``figure_``, and ``bands_`` where there are
            intervals.

        Raises
        ------
        ValueError
            If ``names`` or ``curve_kwargs`` has another length than the curves.
        """
        count = self._count()
        shown = self.names if names is None else check_names(names, count)
        styles = check_styles(curve_kwargs, count)
        with canvas(ax, type(self).__name__, self._SIZE) as ax:
            self._draw(ax, styles)
            self._finish(ax, shown)
            return self._drawn_on(ax)

    def _count(self) -> int:
        """Number of the curves."""
        raise NotImplementedError

    def _draw(self, ax: Axes, styles: Sequence[Mapping[str, Any]]) -> None:
        """Draw ``lines_``, each in its style, and what belongs to the axes."""
        raise NotImplementedError

    def _finish(self, ax: Axes, names: Sequence[str] | None) -> None:
        """Name the curves, if they have names."""
        raise NotImplementedError

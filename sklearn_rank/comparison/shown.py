"""What a comparison is shown as: pictures, a report, data frames, plain objects and tables."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

from sklearn_rank.comparison import export, tables
from sklearn_rank.evaluation.worst import QueryText
from sklearn_rank.measures.record import Measure
from sklearn_rank.tables.frames import FrameBackend, native_frame
from sklearn_rank.tables.table import Table
from sklearn_rank.tables.tabular import Tabular


class Shown(Tabular):
    """The half of a comparison that shows it."""

    _ROWS = ("systems", "differences")

    @property
    def _whole(self) -> Any:
        """The comparison, which stands on this module: not even its type can be named here."""
        return self

    def plot(self, kind: str = "forest", **options: Any) -> Any:
        """Draw the comparison; needs Matplotlib.

        Parameters
        ----------
        kind : str, default="forest"
            "forest" (differences from the baseline with intervals), "differences" (of the
            queries, sorted), "at_k" (a measure against k), "distribution" (the values of the
            queries), "roc" or "precision_recall".
        **options
            As in ``from_comparison`` or ``from_evaluation`` of the display.

        Returns
        -------
        display : display of :mod:`sklearn_rank.displays`
            Drawn, with ``ax_`` and ``figure_``.

        Examples
        --------
        >>> from sklearn_rank import compare, evaluate
        >>> truth = {"q1": {"a"}, "q2": {"b"}}
        >>> old = evaluate(truth, {"q1": ["x", "a"], "q2": ["b", "x"]}, "mrr")
        >>> new = evaluate(truth, {"q1": ["a", "x"], "q2": ["b", "x"]}, "mrr")
        >>> compare({"old": old, "new": new}).plot("differences").ax_.get_title(loc="left")
        '1 better, 1 equal, 0 worse'
        """
        from sklearn_rank.displays.plotting import plot_comparison

        return plot_comparison(self._whole, kind, options)

    def report(
        self,
        path: str | os.PathLike[str],
        *,
        title: str | None = None,
        measure: str | Measure | None = None,
        slices: Mapping[Any, Any] | Callable[[Any], Any] | str | None = None,
        query_text: QueryText = None,
        pictures: bool = True,
    ) -> None:
        """Write everything to one HTML file, which needs no network.

        It has the tables, which sort; the pictures; and all queries to search and unfold, with the
        ranks of their relevant items and what each has to do with the change.

        Parameters
        ----------
        path : str or path
            Of the file; a report that is there is replaced, any other file is an error.
        title : str, default=None
            Of the page; None names the systems.
        measure : str or Measure, default=None
            Whose changes are told by item and drawn; None takes the first with values per query.
        slices : mapping, callable or str, default=None
            As those of ``by_slice``, for a table of slices.
        query_text : mapping or callable, default=None
            What queries ask: {query: text}, or a function of the query id; None takes that of the
            comparison.
        pictures : bool, default=True
            Whether to draw; without Matplotlib there are none.

        Examples
        --------
        >>> import tempfile
        >>> from pathlib import Path
        >>> from sklearn_rank import compare
        >>> runs = {"old": {"q": ["x", "a"]}, "new": {"q": ["a"]}}
        >>> compared = compare({"q": {"a"}}, runs, measures="mrr")
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = Path(folder) / "report.html"
        ...     compared.report(path, pictures=False)
        ...     "<title>new against old</title>" in path.read_text(encoding="utf-8")
        True
        """
        from sklearn_rank.report.doors import report_comparison

        report_comparison(
            self._whole,
            path,
            title=title,
            measure=measure,
            slices=slices,
            query_text=self._whole._query_text if query_text is None else query_text,
            pictures=pictures,
        )

    def to_frame(self, backend: FrameBackend = "pandas") -> Any:
        """One row per measure and compared system.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, default="pandas"
            Library of the data frame; it has to be installed.

        Returns
        -------
        frame : data frame
            Columns measure, baseline, system, queries, value, difference, low, high, effect, p,
            p_corrected, wins, ties, losses and detectable; the baseline's value is ``value -
            difference``. What there is not, such as the p-value of a pooled measure, is NaN or
            null.

        Examples
        --------
        >>> from sklearn_rank import compare
        >>> runs = {"old": {"q": ["x", "a"]}, "new": {"q": ["a"]}}
        >>> frame = compare({"q": {"a"}}, runs, measures="mrr").to_frame("polars")
        >>> frame.select("system", "value", "difference").rows()
        [('new', 1.0, 0.5)]
        """
        return native_frame(export.columns_of(self._whole.rows), backend)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python objects, NaN as None.

        Examples
        --------
        >>> from sklearn_rank import compare
        >>> runs = {"old": {"q": ["x", "a"]}, "new": {"q": ["a"]}}
        >>> compare({"q": {"a"}}, runs, measures="mrr").to_dict()["rows"][0]["difference"]
        0.5
        """
        return export.to_dict(self._whole, self._whole._settings)

    def _table(self, rows: str) -> Table:
        if rows == "differences":
            return tables.differences_table(self._whole)
        return tables.systems_table(self._whole)

    def _printed(self) -> tuple[Table, ...]:
        return tables.printed(self._whole)

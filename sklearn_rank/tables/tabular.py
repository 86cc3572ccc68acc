"""What every result that is a table can be written as."""

from __future__ import annotations

from typing import ClassVar

from sklearn_rank.support.checks import check_option
from sklearn_rank.tables.csv import to_csv
from sklearn_rank.tables.html import to_html
from sklearn_rank.tables.latex import to_latex
from sklearn_rank.tables.markdown import to_markdown
from sklearn_rank.tables.table import Table
from sklearn_rank.tables.text import to_text


class Tabular:
    """A result that prints as a table, and can be pasted as one into a paper or a page."""

    _ROWS: ClassVar[tuple[str, ...]] = ()
    """What a row may be, the default first."""

    def _table(self, rows: str) -> Table:
        """The table whose rows are these."""
        raise NotImplementedError

    def _printed(self) -> tuple[Table, ...]:
        """What a terminal and a notebook show."""
        return (self._table(self._ROWS[0]),)

    def __repr__(self) -> str:
        return "\n\n".join(map(to_text, self._printed()))

    def _repr_html_(self) -> str:
        return "\n".join(map(to_html, self._printed()))

    def _chosen(self, rows: str | None, method: str) -> Table:
        if rows is None:
            return self._table(self._ROWS[0])
        check_option(rows, "rows", self._ROWS, method)
        return self._table(rows)

    def to_markdown(self, *, rows: str | None = None) -> str:
        """The table in Markdown; names cannot become markup, links or mentions.

        Parameters
        ----------
        rows : str, default=None
            What a row is: "measures" (default) or "queries" of an evaluation, "systems" (default)
            or "differences" of a comparison.

        Examples
        --------
        >>> from sklearn_rank import evaluate
        >>> ev = evaluate({"q1": {"a"}, "q2": {"b"}}, {"q1": ["b", "a"], "q2": ["b"]}, "mrr")
        >>> print(ev.to_markdown())
        | measure | score | 95 % interval | queries |
        | --- | ---: | ---: | ---: |
        | mrr | 0.7500 | 0.0000..1.0000 | 2 |
        <BLANKLINE>
        2 queries
        >>> print(ev.to_markdown(rows="queries"))
        | query | mrr |
        | --- | ---: |
        | q1 | 0.5000 |
        | q2 | 1.0000 |
        """
        return to_markdown(self._chosen(rows, "to_markdown"))

    def to_latex(
        self, *, rows: str | None = None, caption: str | None = None, label: str | None = None
    ) -> str:
        r"""The table in LaTeX, with the rules of the package booktabs.

        Parameters
        ----------
        rows : str, default=None
            What a row is, as in :meth:`to_markdown`.
        caption : str, default=None
            Caption of a floating table, as plain text.
        label : str, default=None
            Its label; with neither, there is a tabular alone, and remarks are comments.

        Returns
        -------
        text : str
            Numbers stand in line; names cannot become commands. Of a comparison, the best values
            are bold, and superscripts are the letters of systems that are significantly worse.

        Examples
        --------
        >>> from sklearn_rank import evaluate
        >>> print(evaluate([{"a"}, {"b"}], [["b", "a"], ["b"]], "mrr").to_latex())
        % \usepackage{booktabs}
        % 2 queries
        \begin{tabular}{lrrr}
        \toprule
        measure & score & 95 \% interval & queries \\
        \midrule
        mrr & 0.7500 & $[0.0000, 1.0000]$ & 2 \\
        \bottomrule
        \end{tabular}
        """
        return to_latex(self._chosen(rows, "to_latex"), caption=caption, label=label)

    def to_html(self, *, rows: str | None = None) -> str:
        """The table in HTML, for light ground and dark; no name can become an element.

        Parameters
        ----------
        rows : str, default=None
            What a row is, as in :meth:`to_markdown`.

        Examples
        --------
        >>> from sklearn_rank import evaluate
        >>> page = evaluate([{"a"}, {"b"}], [["b", "a"], ["b"]], "mrr").to_html()
        >>> '<td class="number">0.7500</td>' in page
        True
        """
        return to_html(self._chosen(rows, "to_html"))

    def to_csv(self, *, rows: str | None = None) -> str:
        """The table as comma-separated values, numbers in full; no name can become a formula.

        Parameters
        ----------
        rows : str, default=None
            What a row is, as in :meth:`to_markdown`.

        Examples
        --------
        >>> from sklearn_rank import evaluate
        >>> print(evaluate([{"a"}, {"b"}], [["b", "a"], ["b"]], "mrr").to_csv(), end="")
        measure,score,interval_low,interval_high,queries
        mrr,0.75,0.0,1.0,2
        """
        return to_csv(self._chosen(rows, "to_csv"))

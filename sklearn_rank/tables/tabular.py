"""What every result that is a table can be written as."""

from __future__ import annotations

from sklearn_rank.tables.html import to_html
from sklearn_rank.tables.latex import to_latex
from sklearn_rank.tables.markdown import to_markdown
from sklearn_rank.tables.table import Table
from sklearn_rank.tables.text import to_text


class Tabular:
    """A result that prints as a table, and can be pasted as one into a paper or a page."""

    def _table(self) -> Table:
        """What is shown."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return to_text(self._table())

    def _repr_html_(self) -> str:
        return self.to_html()

    def to_markdown(self) -> str:
        """The table in Markdown; names cannot become markup, links or mentions.

        Examples
        --------
        >>> from sklearn_rank import evaluate
        >>> print(evaluate([{"a"}, {"b"}], [["b", "a"], ["b"]], "mrr").to_markdown())
        | measure | score | 95 % interval | queries |
        | --- | ---: | ---: | ---: |
        | mrr | 0.7500 | 0.0000..1.0000 | 2 |
        <BLANKLINE>
        2 queries
        """
        return to_markdown(self._table())

    def to_latex(self, *, caption: str | None = None, label: str | None = None) -> str:
        r"""The table in LaTeX, with the rules of the package booktabs.

        Parameters
        ----------
        caption : str, default=None
            Caption of a floating table, as plain text.
        label : str, default=None
            Its label; with neither, there is a tabular alone, and remarks are comments.

        Returns
        -------
        text : str
            Numbers stand in line; names cannot become commands.

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
        return to_latex(self._table(), caption=caption, label=label)

    def to_html(self) -> str:
        """The table in HTML, as notebooks show it: every name escaped, on light ground and dark.

        Examples
        --------
        >>> from sklearn_rank import evaluate
        >>> page = evaluate([{"a"}, {"b"}], [["b", "a"], ["b"]], "mrr").to_html()
        >>> '<td class="number">0.7500</td>' in page
        True
        """
        return to_html(self._table())

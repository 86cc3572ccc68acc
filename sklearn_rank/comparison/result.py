"""Results of a comparison, measure by measure and system by system, and their tables."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, fields, replace
from functools import cached_property, partial
from typing import Any, Never

import numpy as np

from sklearn_rank.comparison.changes import (
    Direction,
    QueryChange,
    query_changes,
    title_function,
)
from sklearn_rank.comparison.differences import (
    Change,
    changes_of,
    describe_family,
    notes_of,
)
from sklearn_rank.comparison.join import Joined
from sklearn_rank.evaluation.base import BaseEvaluation, QueryText, text_function
from sklearn_rank.evaluation.compute import find_measure
from sklearn_rank.evaluation.losses import LossChange, refuse_unexplained
from sklearn_rank.evaluation.slices import read_slices
from sklearn_rank.evaluation.tables import gain_notes
from sklearn_rank.exceptions import InvalidParameterError, UnknownMeasureError
from sklearn_rank.measures.record import Measure
from sklearn_rank.support.checks import check_integer, check_option
from sklearn_rank.support.text import as_text, closest, format_list, safe_repr, safe_text
from sklearn_rank.tables.formats import Parts, Rows, Tabular
from sklearn_rank.tables.table import (
    Column,
    FrameBackend,
    Table,
    count_cell,
    id_column,
    interval_cell,
    number_cell,
    p_cell,
    text_cell,
)
from sklearn_rank.typing import FloatArray

__all__ = ["Comparison"]

_LONGEST_TEXT = 80
"""Characters of a query's text; an explanation of its change may have twice as many."""
FIELDS = tuple(field.name for field in fields(Change))
_OF_QUERIES = "values({0}) has the values of query_ids, and most_changed() the items of queries"
_CHANGE = "result[{0}] has change, low, high, p, significant, better and more"
_VERDICT = f"{_CHANGE}, and report(path, max_drop=0.02) shows a verdict"
_SOUGHT_IN_COMPARISONS = {
    **dict.fromkeys(FIELDS, _CHANGE),
    **dict.fromkeys(("ci", "delta", "deltas", "diff", "difference", "differences", "get"), _CHANGE),
    **dict.fromkeys(("changes", "effect_size", "interval", "intervals", "is_significant"), _CHANGE),
    **dict.fromkeys(("mean", "p_value", "p_values", "pvalue", "pvalues", "value"), _CHANGE),
    **dict.fromkeys(("statistic", "stats", "test", "ttest"), _CHANGE),
    **dict.fromkeys(("best", "conclusion", "ok", "passed", "result", "verdict"), _VERDICT),
    **dict.fromkeys(("winner", "results"), _VERDICT),
    **dict.fromkeys(("worst", "improved", "regressions"), "most_changed() lists queries"),
    **dict.fromkeys(("items", "queries", "query"), _OF_QUERIES),
    "per_query": "values({0}) has the values of each system, in the order of query_ids",
    "systems": "see result.names and result.evaluations",
    "to_judge": "evaluations['new'].to_judge(baseline=result.evaluations['old']) lists items",
}
"""Attributes of other libraries' comparisons, and where to find their content."""
ItemText = Mapping[Any, Any] | Callable[[Any], Any] | None


class Comparison(Tabular):
    """Result of :func:`compare`.

    Attributes
    ----------
    names, others : tuple of str
        Names of all systems, the baseline first; and of all but the baseline.
    baseline : str
        The first system.
    measures : tuple of str
        Names of the compared measures.
    rows : tuple of Change
        Changes from the baseline, measure by measure and system by system.
    family_text : str
        The test, and which p-values are corrected together.
    alpha : float
        See :func:`compare`.

    Examples
    --------
    >>> from sklearn_rank import compare
    >>> truth = {"q1": {"a"}, "q2": {"b"}, "q3": {"c"}}
    >>> old = {"q1": ["x", "a"], "q2": ["b", "x"], "q3": ["x", "y", "c"]}
    >>> new = {"q3": ["c"], "q2": ["b", "x"], "q1": ["a", "x"]}
    >>> row = compare(truth, {"old": old, "new": new}, measures="mrr")["mrr"]
    >>> round(row.change, 4), row.wins, row.ties, row.losses  # (1/2 + 0 + 2/3) / 3
    (0.3889, 2, 1, 0)
    """

    _ROWS = ("changes",)
    _ELSEWHERE = _SOUGHT_IN_COMPARISONS
    __float__ = __lt__ = __le__ = __gt__ = __ge__ = Tabular._is_no_number

    def __init__(
        self,
        joined: Joined,
        alpha: float,
        rows: tuple[Change, ...],
        family_text: str,
        omissions: Sequence[str] = (),
    ) -> None:
        self._joined, self._omissions = joined, omissions
        self.names = tuple(joined.systems)
        self.baseline, self.others = self.names[0], self.names[1:]
        self.measures = joined.measures
        self.rows, self.family_text, self.alpha = rows, family_text, alpha

    @property
    def query_ids(self) -> list[Any]:
        """Queries that all systems have, in the order of the first; a copy."""
        return list(self._joined.query_ids)

    @property
    def evaluations(self) -> dict[str, BaseEvaluation]:
        """The systems as they were given, with all their queries; a copy."""
        return dict(self._joined.systems)

    @property
    def counts(self) -> dict[str, Any]:
        """Number of common ``queries``, and by system of ``left_out`` and ``missing`` queries.

        A missing query is judged but not ranked; it counts as an empty ranking.
        """
        return {
            "queries": len(self._joined.query_ids),
            "left_out": dict(self._joined.left_out),
            "missing": {name: len(queries) for name, queries in self._joined.missing.items()},
        }

    @cached_property
    def scores(self) -> dict[str, dict[str, float]]:
        """Values over the common queries, by measure and system."""
        value = self._joined.value
        return {
            name: {system: value(system, name) for system in self.names} for name in self.measures
        }

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """Sentences on few queries, queries left out, measures without a test, and so on."""
        return (*self._omissions, *notes_of(self.rows, self._joined, self.alpha))

    def __iter__(self) -> Iterator[Change]:
        return iter(self.rows)

    def _measures(self) -> Iterable[str]:
        return self.measures

    def __getitem__(self, key: str | Measure | tuple[str | Measure, str]) -> Change:
        """The change of a measure: ``[measure]``, or ``[measure, system]``."""
        measure, system = key if isinstance(key, tuple) else (key, None)
        key = self._find(measure), self._system(system)
        return next(row for row in self.rows if (row.measure, row.system) == key)

    def values(self, measure: str | Measure) -> dict[str, FloatArray]:
        """Values per query of each system, in the order of ``query_ids``; NaN if undefined."""
        name = self._find(measure)
        return {system: self._joined.values_per_query(system, name).copy() for system in self.names}

    def measure(self, measure: str | Measure) -> Measure:
        """A compared measure, with the parameters of its convention."""
        return self._joined.measure(self._find(measure))

    def greater_is_better(self, measure: str | Measure) -> bool:
        """Whether higher values of a measure are better."""
        return self.measure(measure).metric.greater_is_better

    def by_slice(
        self, slices: Mapping[Any, Any] | Callable[[Any], Any] | str
    ) -> dict[Any, Comparison]:
        """Compare the systems in each slice of the queries.

        The tests of all slices form one family, as in a report. They do not affect the result over
        all queries.

        Parameters
        ----------
        slices : mapping, callable or str
            See :meth:`Evaluation.by_slice`; columns are read from the baseline's data frames.

        Returns
        -------
        comparisons : dict of label to Comparison
            One comparison per slice, in order of first appearance. P-values are corrected over all
            systems, measures and slices.

        Raises
        ------
        InvalidParameterError
            If neither the keys are queries nor the values collections of queries, or a column is
            missing or has several labels for a query.

        Examples
        --------
        >>> from sklearn_rank import compare
        >>> truth = {"q1": {"a"}, "q2": {"b"}, "q3": {"c"}, "q4": {"d"}}
        >>> old = {"q1": ["x", "a"], "q2": ["x", "b"], "q3": ["c"], "q4": ["d"]}
        >>> new = {"q1": ["a"], "q2": ["x", "y", "b"], "q3": ["c"], "q4": ["d"]}
        >>> whole = compare(truth, {"old": old, "new": new}, measures="mrr")
        >>> parts = whole.by_slice({"head": {"q1", "q3"}, "tail": {"q2", "q4"}})
        >>> {label: round(part["mrr"].change, 4) for label, part in parts.items()}
        {'head': 0.25, 'tail': -0.0833}
        """
        joined = self._joined
        if isinstance(slices, str):
            slices = joined.systems[self.baseline].ranking_data.labels(slices)
        queries: set[Any] = set()
        for system in joined.systems.values():
            queries.update(system.ranking_data.listed_ids(), system.ranking_data.left_out)
        labels = read_slices(slices, joined.query_ids, queries)
        groups = [joined.take(queries) for queries in labels.values()]
        parts = comparisons_of(groups, self.alpha, of_slices=True)
        return Parts(dict(zip(labels, parts, strict=True)), slices_table, slice_columns)

    # Single queries ------------------------------------------------------------------------------

    def most_changed(
        self,
        n: int = 10,
        *,
        measure: str | Measure | None = None,
        system: str | None = None,
        direction: Direction = "both",
        query_text: QueryText = None,
        item_text: ItemText = None,
    ) -> list[QueryChange]:
        """The queries that changed most, and the items that explain the changes.

        The contribution of an item is its part of the change: for DCG, its gain times the change in
        its discount. The contributions of all relevant items sum exactly to the query's change. The
        guide "Comparing" defines them for each measure.

        Parameters
        ----------
        n : int, default=10
            Maximum number; queries that did not change are never included.
        measure : str or Measure, default=None
            Measure of the change; by default the first with values per query.
        system : str, default=None
            System to compare with the baseline; by default the second one.
        direction : {"both", "worse", "better"}, default="both"
            Which changes to list: better or worse, taking the measure's direction into account.
        query_text, item_text : mapping or callable, default=None
            {query: text} and {item: title}, or functions of the id.

        Returns
        -------
        changes : list of QueryChange
            Queries, the largest change first.

        Raises
        ------
        InvalidParameterError
            If the measure is pooled, or a parameter does not apply.

        Examples
        --------
        >>> from sklearn_rank import compare
        >>> truth = {"q1": {"a", "b"}, "q2": {"c"}}
        >>> runs = {
        ...     "old": {"q1": ["a", "b", "x"], "q2": ["c"]},
        ...     "new": {"q1": ["b", "x", "a"], "q2": ["c"]},
        ... }
        >>> texts = {"q1": "who is it"}
        >>> (change,) = compare(truth, runs).most_changed(measure="map", query_text=texts)
        >>> change.query, change.text, round(change.change, 4)
        ('q1', 'who is it', -0.1667)
        >>> change.why()
        'a 1→3 -0.42; b 2→1 +0.25'
        """
        check_option(direction, "direction", ("both", "worse", "better"), "most_changed")
        n = check_integer(n, "n", "most_changed", at_least=0)
        if measure is None:
            by_query = [name for name in self.measures if not self.measure(name).is_pooled]
            measure = (by_query or self.measures)[0]
        name = self._find(measure)
        pair = self.baseline, self.others[0] if system is None else self._system(system)
        old, new = (self._joined.values_per_query(side, name) for side in pair)
        gains = np.nan_to_num(new - old, nan=0.0) * (1 if self.greater_is_better(name) else -1)
        sizes = {"both": np.abs(gains), "worse": -gains, "better": gains}[direction]
        order = np.argsort(-sizes, kind="stable").tolist()
        numbers = [number for number in order[:n] if sizes[number] > 0]
        text, title = text_function(query_text), title_function(item_text)
        changes = query_changes(self._joined, name, pair, text, numbers, title_of=title)
        as_table = partial(changes_table, baseline=pair[0], new=pair[1])
        return Rows(changes, as_table, query_columns)

    def losses(self, measure: str | Measure | None = None, system: str | None = None) -> LossChange:
        """Parts of a measure's change: unretrieved items, and the order of the others.

        Parameters
        ----------
        measure : str or Measure, default=None
            See :meth:`Evaluation.losses`; by default the first measure.
        system : str, default=None
            System to compare with the baseline; by default the second one.

        Returns
        -------
        losses : LossChange
            ``change``, and its parts ``not_retrieved`` and ``order``, negative for losses.

        Raises
        ------
        InvalidParameterError
            If the measure has no such parts, or a baseline file holds means over runs.

        Examples
        --------
        >>> from sklearn_rank import compare
        >>> runs = {"old": [["a", "b"]], "new": [["x", "a"]]}
        >>> print(compare([{"a", "b"}], runs, "map").losses())
        MAP -0.750: -0.500 not retrieved, -0.250 order
        """
        name = self.measures[0] if measure is None else self._find(measure)
        refuse_unexplained(self.measure(name))
        pair = self.baseline, self.others[0] if system is None else self._system(system)
        losses = self._joined.losses(name, pair)
        if losses is None:
            msg = "a baseline of repeated runs only has ranks of the first run; evaluate the runs"
            raise InvalidParameterError(msg)
        return losses

    # What it is shown as -------------------------------------------------------------------------

    def plot(self, kind: str = "changes", **options: Any) -> Any:
        """Draw the comparison; needs Matplotlib.

        Parameters
        ----------
        kind : str, default="changes"
            "changes": sorted changes of the queries between the baseline and ``system=`` by
            ``measure=``, with names for ``n_named=`` queries at each end; or a kind of
            :meth:`Evaluation.plot`, with a line for each system.
        **options
            Options of the kind, and ``ax=``.

        Returns
        -------
        display : display
            The drawn display, with ``ax_`` and ``figure_``; its ``plot`` draws it again.
        """
        from sklearn_rank.view.plot import plot

        return plot(self, kind, options)

    def report(
        self,
        path: str | os.PathLike[str],
        *,
        title: str | None = None,
        measure: str | Measure | None = None,
        slices: Mapping[Any, Any] | Callable[[Any], Any] | str | None = None,
        query_text: QueryText = None,
        item_text: ItemText = None,
        about: Sequence[str] = (),
        max_drop: float | Mapping[str | Measure, float] | None = None,
        max_slice_drop: float | None = None,
        **unknown: Never,
    ) -> None:
        """Write the answer and every query to one HTML file, which needs no network.

        The verdict in a sentence comes first, then the measures by slice or system, whose cells
        filter the queries below, largest losses first. Each query shows both lists of items, the
        item that explains its change, and buttons to judge items.

        Parameters
        ----------
        path : str or path
            Name of the file; an existing report is replaced, any other file is an error.
        title : str, default=None
            Line above the verdict.
        measure : str or Measure, default=None
            Measure to sort the queries by at first; by default the one in the verdict.
        slices : mapping, callable or str, default=None
            See ``by_slice``.
        query_text : mapping or callable, default=None
            Texts of queries: {id: text}, or a function of the id.
        item_text : mapping or callable, default=None
            Titles of items, or mappings with ``title``, ``text``, ``url`` (a link) and ``image``
            (shown if it is a ``data:`` URI, otherwise a link).
        about : sequence of str, default=()
            Additions to the line below the verdict, such as files and the command.
        max_drop : float or {measure: float}, default=None
            Limit of a gate whose verdict the page shows. By default the page shows significant
            changes, and what a gate with 0.02 would decide.
        max_slice_drop : float, default=None
            Limit of that gate for every slice; the page also names slices that fell without one.
        **unknown
            Not accepted; the error suggests the intended name.
        """
        from sklearn_rank.view.systems import write_report

        write_report(
            self,
            path,
            title=title,
            measure=measure,
            slices=slices,
            query_text=query_text,
            item_text=item_text,
            about=about,
            max_drop=max_drop,
            max_slice_drop=max_slice_drop,
            **unknown,
        )

    def to_frame(self, backend: FrameBackend = "pandas") -> Any:
        """One row per measure and compared system.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, default="pandas"
            Library of the data frame; it must be installed.

        Returns
        -------
        frame : data frame
            A column for each field of :class:`Change`. Missing values, such as the p-value of a
            pooled measure, are NaN or null.

        Examples
        --------
        >>> from sklearn_rank import compare
        >>> runs = {"old": {"q": ["x", "a"]}, "new": {"q": ["a"]}}
        >>> frame = compare({"q": {"a"}}, runs, measures="mrr").to_frame("polars")
        >>> frame.select("system", "new", "change").rows()
        [('new', 1.0, 0.5)]
        """
        return super().to_frame(backend)

    def _columns(self) -> dict[str, list[Any]]:
        return {name: [getattr(row, name) for row in self.rows] for name in FIELDS}

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python objects, NaN as None."""
        return {
            "names": list(self.names),
            "measures": list(self.measures),
            "alpha": self.alpha,
            "family_text": self.family_text,
            "counts": self.counts,
            "notes": list(self.notes),
            "rows": [
                {name: None if value != value else value for name, value in asdict(row).items()}
                for row in self.rows
            ],
        }

    def _table(self, rows: str) -> Table:  # noqa: ARG002
        table = slices_table({"": self}).without(0)
        return replace(table, notes=(*table.notes, *self.notes))

    # ---------------------------------------------------------------------------------------------

    def _find(self, measure: str | Measure) -> str:
        """The name under which a measure was compared."""
        scored = self._joined.systems[self.baseline].scored
        try:
            return find_measure(measure, {name: scored[name] for name in self.measures})
        except (TypeError, ValueError):
            is_system = measure in self.names
            if not is_system and measure not in self._joined.query_ids:
                raise
        told = self._in_terms_of_a_measure(f"query, not a measure; {_OF_QUERIES}")
        if is_system:
            told = "system; its change is result[measure, system]"
        msg = f"{safe_repr(measure)} is a {told}"
        raise UnknownMeasureError(msg)

    def _system(self, name: Any) -> str:
        """One of the systems that are compared with the baseline."""
        if name is None and len(self.others) == 1:
            return self.others[0]
        if name in self.others:
            return str(name)
        hint = "" if name is None else closest(str(name), self.others)
        asked = "name one of the systems" if name is None else f"no system {safe_repr(name)}{hint}"
        of = f"systems compared with {safe_repr(self.baseline)}: {format_list(self.others)}"
        msg = f"{asked}; {of}"
        raise InvalidParameterError(msg)


def comparisons_of(
    groups: Sequence[Joined],
    alpha: float,
    omissions: Sequence[str] = (),
    *,
    of_slices: bool = False,
) -> list[Comparison]:
    """A comparison for each group of queries; all tests are one family."""
    if not groups:
        return []
    rows = changes_of(groups, alpha)
    text = describe_family(rows, of_slices=of_slices)
    return [
        Comparison(joined, alpha, changes, text, omissions)
        for joined, changes in zip(groups, rows, strict=True)
    ]


# Tables ------------------------------------------------------------------------------------------


def slices_table(parts: Mapping[Any, Comparison]) -> Table:
    """The changes in every slice of the queries."""
    first = next(iter(parts.values()))
    listed = [row for part in parts.values() for row in part.rows]
    # Columns with a single value are the first that a narrow terminal leaves out.
    one_system, one_number = (
        len({getattr(row, name) for row in listed}) == 1 for name in ("system", "queries")
    )
    columns = (
        Column("slice"),
        Column("measure"),
        Column("system", spare=2 * one_system),
        Column("queries", "number", spare=3 * one_number),
        Column("baseline", "number"),
        Column("new", "number"),
        Column("change", "number"),
        Column(f"{100 - 100 * first.alpha:g}% interval", "number"),
        Column("effect", "number", spare=6),
        Column("p", "number", spare=3),
        Column("p (Holm)", "number"),
        Column("wins", "number", spare=1),
        Column("ties", "number", spare=4),
        Column("losses", "number", spare=1),
        Column("detectable", "number", spare=5),
    )
    rows = tuple(
        (
            *map(text_cell, (label, row.measure, row.system)),
            count_cell(row.queries),
            number_cell(row.baseline_value),
            number_cell(row.new),
            number_cell(
                row.change,
                signed=True,
                best=row.significant,
                worse=row.significant and row.better is False,
            ),
            interval_cell(row.low, row.high, signed=True),
            number_cell(row.effect, digits=2, signed=True),
            p_cell(row.p),
            p_cell(row.p_holm),
            *map(count_cell, (row.wins, row.ties, row.losses)),
            number_cell(row.detectable),
        )
        for label, part in parts.items()
        for row in part.rows
    )
    about = f"changes from {first.baseline}; {first.family_text}; alpha {first.alpha:g}"
    lower = [name for name in first.measures if not first.greater_is_better(name)]
    notes = [about, *([f"lower is better: {', '.join(lower)}"] if lower else [])]
    baseline = first.evaluations[first.baseline]
    notes += gain_notes(map(first.measure, first.measures), baseline.ranking_data)
    return Table(columns, rows, notes=tuple(notes), meaning=f"significant at {first.alpha:g}")


def slice_columns(parts: Mapping[Any, Comparison]) -> dict[str, list[Any]]:
    """Columns with a row per slice, measure and compared system."""
    rows = [row for part in parts.values() for row in part.rows]
    labels = [label for label, part in parts.items() for _ in part.rows]
    columns = {name: [getattr(row, name) for row in rows] for name in FIELDS}
    return {"slice": id_column(labels), **columns}


def changes_table(
    changes: Sequence[QueryChange], baseline: str = "baseline", new: str = "new", *, most: int = 6
) -> Table:
    """Queries with texts and ids, and up to ``most`` items that explain each change."""
    moved, value = "main reason" if most == 1 else "what moved", "new"
    if changes and all(math.isnan(change.baseline_value) for change in changes):
        moved, value = "relevant at ranks", "value"
    columns = (
        Column("query", longest=None),
        *(Column(title, "number") for title in ("baseline", value, "change")),
        Column(moved, longest=None),
    )
    rows = tuple(
        (
            text_cell(_titled(change.query, change.text)),
            number_cell(change.baseline_value),
            number_cell(change.new),
            number_cell(change.change, signed=True),
            text_cell(safe_text(change.why(most), limit=2 * _LONGEST_TEXT)),
        )
        for change in changes
    )
    by = f"largest changes by {changes[0].measure}" if changes else "no query changed"
    notes = tuple(dict.fromkeys(change.remark for change in changes if change.remark))
    table = Table(columns, rows, notes=(f"{new} against {baseline}: {by}", *notes))
    # Without a baseline there is one value.
    return table.without(3).without(1) if rows and not any(row[1].text for row in rows) else table


def query_columns(changes: Sequence[QueryChange]) -> dict[str, list[Any]]:
    """Columns with a row per query that changed."""
    names = ("text", "measure", "baseline_value", "new", "change")
    return {
        "query": id_column([change.query for change in changes]),
        **{name: [getattr(change, name) for change in changes] for name in names},
        "why": [change.why() for change in changes],
    }


def _titled(query: Any, text: str) -> str:
    if not text:
        return as_text(query)
    return (
        f"{safe_text(text, limit=_LONGEST_TEXT)} ({safe_text(as_text(query), limit=_LONGEST_TEXT)})"
    )

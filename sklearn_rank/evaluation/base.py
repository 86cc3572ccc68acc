"""What an evaluation has, measured or recorded: values per query, weights, ranks, slices."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Collection, Iterable, Iterator, KeysView, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Never, Self

import numpy as np

from sklearn_rank.evaluation.averaging import warn_of_undefined_slices
from sklearn_rank.evaluation.collection import collection_counts
from sklearn_rank.evaluation.compute import ByMeasure, Scored, find_measure
from sklearn_rank.evaluation.losses import LossParts, parts_of
from sklearn_rank.exceptions import InvalidParameterError, UnknownMeasureError
from sklearn_rank.inputs.frames import by_index
from sklearn_rank.measures.record import Measure, Metric
from sklearn_rank.rankings.data import ItemIds, RankingData
from sklearn_rank.rankings.reading import Reading
from sklearn_rank.support.checks import check_option
from sklearn_rank.support.text import safe_repr
from sklearn_rank.tables.formats import Parts, Tabular
from sklearn_rank.tables.table import FrameBackend, Table, id_column, native_frame
from sklearn_rank.typing import BoolArray, FloatArray, IntArray

if TYPE_CHECKING:
    from sklearn_rank.rankings.placements import Placement

QueryText = Mapping[Any, str] | Callable[[Any], Any] | None
_SCORE = "result[{0}] is one score, and result.scores has them all"
_BY_QUERY = "to_frame() has a row per query; sort it with .sort_values({0})"
_INTERVAL = "use confidence_interval({0})"
_IN_COMPARISON = "use compare(y_true, {{'old': old, 'new': new}})[{0}]"
_SOUGHT_IN_EVALUATIONS = {
    **dict.fromkeys(
        ("compute", "get", "item", "items", "mean", "metrics", "result", "results"), _SCORE
    ),
    **dict.fromkeys(("score", "value", "values"), _SCORE),
    **dict.fromkeys(("best", "best_queries", "worst", "worst_queries"), _BY_QUERY),
    **dict.fromkeys(("ci", "interval", "intervals", "std", "stderr"), _INTERVAL),
    **dict.fromkeys(("change", "diff", "p", "p_value", "p_values", "significant"), _IN_COMPARISON),
    **dict.fromkeys(("compare", "delta", "difference", "improvement", "pvalue"), _IN_COMPARISON),
    **dict.fromkeys(("query", "ranks"), "to_frame() has a row per query, placements() its ranks"),
    **dict.fromkeys(("n_queries", "num_queries", "size"), "use counts['queries']"),
    "queries": "query_ids has the ids, and per_query[{0}] the values",
}
"""Names in other libraries' evaluations, and what to use instead."""


@dataclass(frozen=True, repr=False, eq=False)
class BaseEvaluation(Tabular):
    """Values per query, weights, ids, ranks and slices, measured or recorded."""

    scored: Mapping[str, Scored]
    """By requested spelling, or with all parameters if two spellings are the same."""
    ranking_data: RankingData
    """The evaluated rankings, with their ids and judgements."""
    _ROWS = ("measures", "queries")
    _ELSEWHERE: ClassVar[Mapping[str, str]] = _SOUGHT_IN_EVALUATIONS

    @property
    def runs(self) -> tuple[BaseEvaluation, ...]:
        """The evaluation of each run; for a single run, only this one."""
        return (self,)

    @property
    def lacks_judgements(self) -> str:
        """Why no other measure can be computed from the rankings; empty: they have judgements."""
        return ""

    def spread(self, measure: str | Measure) -> FloatArray:
        """Standard deviation of each query's value between the runs."""
        raise NotImplementedError

    @property
    def counts(self) -> dict[str, Any]:
        """Counts of queries and items that every evaluation has."""
        known = ("queries", "ranked", "retrieved", "undefined", "averaged")
        counts = counts_of(self.ranking_data, self.scored)
        return {name: counts[name] for name in known}

    @property
    def query_ids(self) -> Any:
        """Ids of the queries in the caller's order, shape (n_queries,)."""
        return self.ranking_data.query_ids

    @property
    def n_ranked(self) -> IntArray:
        """Length of each ranking, shape (n_queries,)."""
        return self.ranking_data.rankings.n_ranked

    @property
    def sample_weight(self) -> FloatArray | None:
        """Weight of each query in the data, shape (n_queries,); None: equal weights."""
        return self.ranking_data.weights

    @property
    def clusters(self) -> Any:
        """Cluster label of each query, array of shape (n_queries,); None: no clusters."""
        return self.ranking_data.clusters

    @property
    def hint(self) -> str:
        """Probable reason why no relevant item was retrieved; empty if there is none."""
        return self.ranking_data.hint

    @property
    def assumed(self) -> str:
        """Assumption about items that the ground truth does not name.

        "complete": they are irrelevant; "partial": they are unjudged, and most measures count them
        as irrelevant; "positives": the same, under a convention in which nothing is judged
        irrelevant; "": none, because arrays grade every item and sets are complete.
        """
        return self.ranking_data.assumed

    @cached_property
    def reading(self) -> Reading:
        """How the data were read; evaluations that were read differently are not comparable."""
        return self.ranking_data.reading

    @property
    def item_ids(self) -> ItemIds | None:
        """Ids of the items that were read; None without ``keep_items`` or ids."""
        return self.ranking_data.ids

    @property
    def measures(self) -> tuple[Measure, ...]:
        """Computed measures, with the parameters of the convention filled in."""
        return tuple(scored.measure for scored in self.scored.values())

    @property
    def scores(self) -> dict[str, float]:
        """Mean of each measure over the queries for which it is defined; NaN if there are none."""
        scores = {name: scored.average.value for name, scored in self.scored.items()}
        return ByMeasure(scores, self.scored)

    @property
    def per_query(self) -> dict[str, FloatArray]:
        """Values of each measure in the order of ``query_ids``; pooled measures have none.

        An undefined query has the value set by ``zero_division`` or the convention, or NaN if it
        is left out.
        """
        values = {}
        for name, scored in self.scored.items():
            counted = scored.counted
            if counted is not None:
                values[name] = counted.view()
                values[name].flags.writeable = False
        return ByMeasure(values, self.scored)

    def is_undefined(self, measure: str | Measure) -> BoolArray:
        """Whether a measure is undefined for each query, array of shape (n_queries,).

        Examples
        --------
        >>> from sklearn_rank import evaluate
        >>> ev = evaluate([{"a"}, set()], [["a"], ["b"]], "mrr", zero_division=0.0)
        >>> ev.per_query["mrr"], ev.is_undefined("mrr")
        (array([1., 0.]), array([False,  True]))
        """
        return np.isnan(self._values(measure))

    def _values(self, measure: str | Measure) -> FloatArray:
        """Values, NaN if undefined; InvalidParameterError for a pooled measure."""
        values = self._record(measure).values
        return self.per_query[measure] if values is None else values  # type: ignore[index]

    def __iter__(self) -> Iterator[str]:
        return iter(self.scored)

    def __len__(self) -> int:
        return len(self.scored)

    def keys(self) -> KeysView[str]:
        """Names of the measures, so that ``dict(result)`` has all scores."""
        return self.scored.keys()

    def __contains__(self, measure: object) -> bool:
        return measure in self.scores

    def __getitem__(self, measure: str | Measure) -> float:
        return float(self._record(measure).average.value)

    __float__ = __round__ = __lt__ = __le__ = __gt__ = __ge__ = Tabular._is_no_number

    def __format__(self, spec: str) -> str:
        return self._is_no_number() if spec else str(self)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        """TypeError for pandas, which would make a column of names; an element of an object array.

        numpy asks for an element of a Series or of an array of objects with their dtype.
        """
        if np.dtype(dtype) != np.dtype(object):
            told = "to_frame() makes a data frame, of slices by_slice(...).to_frame()"
            msg = f"{type(self).__name__!r} is not an array; {told}"
            raise TypeError(msg)
        element = np.empty((), object)
        element[()] = self
        return element

    def _measures(self) -> Iterable[str]:
        return self.scored

    def confidence_interval(
        self,
        measure: str | Measure,
        confidence_level: float = 0.95,
    ) -> tuple[float, float]:
        """Confidence interval of a score over queries, within the measure's range.

        It is exact if all values are 0 or 1 with equal weights. Otherwise it is Student's t with
        half a pseudo-observation at each end of the range, or plain Student's t if there is no
        upper end.

        Parameters
        ----------
        measure : str or Measure
            One of the measures evaluated, in any spelling.
        confidence_level : float, default=0.95
            In (0, 1).

        Returns
        -------
        low, high : float
            NaN if no query has a value. A single value or equal values have no spread: NaN
            for a measure without an upper bound.

        Raises
        ------
        InvalidParameterError
            If the measure is pooled and has no values per query, or another argument is invalid.
        """
        from sklearn_rank.statistics.means import mean_interval

        scored, values = self._record(measure), self.per_query[measure]  # type: ignore[index]
        metric = scored.measure.metric
        bounds = metric.lower, metric.upper
        return mean_interval(values, scored.weights, bounds, confidence_level, self.clusters)

    def query_weights(self, measure: str | Measure) -> FloatArray | None:
        """Weights of the queries in the mean of a measure, shape (n_queries,); None: equal weights.

        Examples
        --------
        >>> from sklearn_rank import evaluate
        >>> ev = evaluate([{"a", "b"}, {"c"}], [["a", "b", "x"], ["x", "c"]], "auc")
        >>> ev.query_weights("auc")
        array([2., 1.])
        """
        return self._record(measure).weights

    def placements(self, queries: Iterable[int] | None = None) -> list[Placement]:
        """Ranks of each query's relevant items, and the unretrieved relevant items.

        Item ids are available after ``evaluate(..., keep_items=True)`` with ranked lists or
        mappings, the layouts that have ids. Ranks come from ``rankings``.

        Parameters
        ----------
        queries : iterable of int, default=None
            Positions of the queries, counted from 0; None takes all.

        Returns
        -------
        placements : list of Placement
            In the order of ``query_ids`` or of ``queries``.
        """
        from sklearn_rank.rankings.placements import placements_of

        return placements_of(self.ranking_data, queries)

    def by_slice(self, slices: Mapping[Any, Any] | Callable[[Any], Any] | str) -> dict[Any, Self]:
        """One evaluation for each slice of the queries.

        Parameters
        ----------
        slices : mapping, callable or str
            {query: label}, {query: labels}, {label: set or list of queries}, a function from query
            id to label, or the name of a column of the data frames evaluated. If every key
            is a query, values are read as labels. Queries without a label are in no slice; a
            warning lists those to which a mapping or function gives none ([] does so silently). Ids
            that ``evaluate`` left out are ignored.

        Returns
        -------
        evaluations : dict of label to Evaluation
            In order of first appearance; pooled measures are ranked again within each slice. Counts
            that belong to no query (unjudged queries, dropped duplicates, missed items of one
            shared ground truth) appear only in a slice of all queries.

        Raises
        ------
        InvalidParameterError
            If neither the keys nor the values are evaluated queries, or a column does not exist or
            has several labels for a query.
        """
        from sklearn_rank.evaluation.tables import slice_columns, slices_table

        given = self.ranking_data.labels(slices) if isinstance(slices, str) else slices
        return Parts(self._parts(given), slices_table, slice_columns)

    def _parts(self, slices: Any) -> dict[Any, Self]:
        """The evaluation of each slice; for all queries together, this one.

        It includes counts that belong to no single query: unjudged queries, missed items.
        """
        from sklearn_rank.evaluation.slices import read_slices

        query_ids, left_out = self.ranking_data.listed_ids(), self.ranking_data.left_out
        labels = read_slices(slices, query_ids, left_out)
        # Shared by all slices: a copy for each would be as long as all queries together.
        every = (*query_ids, *left_out)
        parts = {
            label: self if len(queries) == len(query_ids) else self._part(queries, every)
            for label, queries in labels.items()
        }
        if any(scored.zero_division == "warn" for scored in self.scored.values()):
            warn_of_undefined_slices(
                {
                    label: {name: one.average for name, one in part.scored.items()}
                    for label, part in parts.items()
                    if part is not self
                }
            )
        return parts

    def _part(self, queries: IntArray, every: Collection[Any]) -> Self:
        """The evaluation of some queries; ``every`` id may be named in further slices."""
        raise NotImplementedError

    def plot(self, kind: str = "at_k", **options: Any) -> Any:
        """Draw the evaluation; needs Matplotlib.

        Parameters
        ----------
        kind : str, default="at_k"
            "at_k" (``measure=`` against the cutoffs ``k=``), "roc" or "precision_recall"
            (``average="pooled"`` or "macro").
        **options
            Options for this kind, ``confidence_level=``, ``ax=``, and ``curve_kwargs=``, keywords
            of ``Axes.plot``.

        Returns
        -------
        display : display
            The drawn plot, with ``ax_`` and ``figure_``; its ``plot`` method draws it again.

        Examples
        --------
        >>> from sklearn_rank import evaluate
        >>> evaluate({"q": {"a"}}, {"q": ["x", "a"]}).plot("at_k", measure="recall", k=2).values
        [array([0., 1.])]
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
        item_text: Mapping[Any, Any] | Callable[[Any], Any] | None = None,
        about: Sequence[str] = (),
        **unknown: Never,
    ) -> None:
        """Write the values, their distribution and all queries, worst first, to one HTML file.

        Parameters
        ----------
        path, title, slices, query_text, item_text, about
            See :meth:`Comparison.report`.
        measure : str or Measure, default=None
            Measure that orders the queries; by default the first with values per query.
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
            **unknown,
        )

    def to_dict(self) -> dict[str, Any]:
        """Scores, counts and values per query as plain Python objects, NaN as None."""
        from sklearn_rank.evaluation.tables import to_dict

        return to_dict(self)

    def to_frame(self, backend: FrameBackend = "pandas", *, rows: str = "queries") -> Any:
        """A row per query, with its value of each measure that is not pooled; or per measure.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, default="pandas"
            Library of the data frame; it must be installed.
        rows : {"queries", "measures"}, default="queries"
            Content of a row.

        Returns
        -------
        frame : data frame
            Columns ``query`` and the measures in canonical spelling; or ``measure``, ``score``,
            ``low`` and ``high``, its 95% interval, and the averaged ``queries``. Undefined values
            are NaN.

        Examples
        --------
        >>> from sklearn_rank import evaluate
        >>> ev = evaluate([{"a"}, {"b"}], [["a", "b"], ["a", "b"]], "mrr")
        >>> ev.to_frame("polars", rows="measures").rows()
        [('mrr', 0.75, 0.0, 1.0, 2)]
        """
        from sklearn_rank.evaluation.tables import measure_columns

        check_option(rows, "rows", self._ROWS, "to_frame")
        if rows == "measures":
            return native_frame(measure_columns(self), backend)
        return super().to_frame(backend)

    def _columns(self) -> dict[str, list[Any]]:
        values = {name: column.tolist() for name, column in self.per_query.items()}
        return {"query": id_column(self.ranking_data.listed_ids()), **values}

    def _table(self, rows: str) -> Table:
        from sklearn_rank.evaluation.tables import queries_table, table_of

        return queries_table(self) if rows == "queries" else table_of(self)

    def _loss_parts(self, measure: str) -> LossParts:
        """What the losses of one run are made of, per query."""
        return parts_of(
            self._record(measure), self.ranking_data, self.ranking_data.rankings.widened()
        )

    @property
    def _given(self) -> dict[Measure, FloatArray]:
        """Values that were measured elsewhere."""
        return {
            record.measure: record.values
            for record in self.scored.values()
            if record.values is not None and record.measure.metric.is_given
        }

    def _record(self, measure: str | Measure) -> Scored:
        try:
            return self.scored[find_measure(measure, self.scored)]
        except (TypeError, ValueError):
            if measure not in self.ranking_data.listed_ids():
                raise
        msg = f"{safe_repr(measure)} is a query, not a measure; to_frame() has a row per query"
        raise UnknownMeasureError(msg)


def counts_of(data: RankingData, scored: Mapping[str, Scored]) -> dict[str, Any]:
    """All counts of rankings with their judgements."""
    rankings, left_out, unjudged = data.rankings, data.counts, data.rankings.unjudged
    if data.assumed == "positives":  # nobody could have judged the others
        unjudged = None
    without = rankings.n_relevant == 0
    return {
        "queries": len(rankings),
        "missing": left_out.missing,
        "unjudged": left_out.unjudged,
        "no_relevant": int(np.count_nonzero(without)),
        "false_answers": int(np.count_nonzero(without & (rankings.n_ranked > 0))),
        "tied": data.by_score.n_tied,
        "ranked": int(rankings.n_ranked.sum()),
        "relevant": int(rankings.relevant_offsets[-1]),
        "retrieved": int(rankings.offsets[-1]),
        "duplicates": left_out.duplicates,
        "missed": left_out.missed,
        "unjudged_grades": left_out.unjudged_grades,
        "unjudged_items": 0 if unjudged is None else int(unjudged.counts.sum()),
        "assumed": data.assumed,
        **collection_counts(data),
        "undefined": {name: one.average.n_undefined for name, one in scored.items()},
        "averaged": {name: one.average.n_averaged for name, one in scored.items()},
    }


def worst_of(values: FloatArray, metric: Metric, n: int) -> list[int]:
    """Positions of the ``n`` queries with the worst values, worst first.

    Undefined queries and queries with the best possible value are left out.
    """
    greater = metric.greater_is_better
    best = metric.upper if greater else metric.lower
    order = np.argsort(values if greater else -values, kind="stable").tolist()
    return [
        position
        for position in order
        if not math.isnan(values[position]) and values[position] != best
    ][:n]


def text_function(texts: Any, name: str = "query_text") -> Callable[[Any], str]:
    """Function from a query (or an item) to its text, empty if there is none."""
    look_up = {} if texts is None else by_index(texts, name)
    look_up = look_up.get if isinstance(look_up, Mapping) else look_up
    if not callable(look_up):
        msg = f"{name} must be {{id: text}} or a function of the id, got {safe_repr(texts)}"
        raise InvalidParameterError(msg)

    def text_of(one: Any) -> str:
        text = look_up(one)
        return "" if text is None else str(text)

    return text_of


def item_function(texts: Any) -> Callable[[Any], Any]:
    """Function from an item to its title, or to a mapping with title, text, url and image."""
    text_function(texts, "item_text")  # refuses anything else
    texts = by_index(texts, "item_text")
    return (lambda _: "") if texts is None else getattr(texts, "get", texts)

"""What measures made of one input, and how it is read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from sklearn_rank.evaluation import tables
from sklearn_rank.evaluation.averaging import Average
from sklearn_rank.evaluation.by_measure import ByMeasure, counts_of, find_measure
from sklearn_rank.evaluation.compute import Scored
from sklearn_rank.evaluation.engine_frame import to_engine_frame
from sklearn_rank.evaluation.interval import interval_of
from sklearn_rank.evaluation.worst import QueryText, QueryValue, text_function, worst_of
from sklearn_rank.measures.catalogue import Measure
from sklearn_rank.measures.grammar import safe_names
from sklearn_rank.rankings.data import KeptItems, RankingData
from sklearn_rank.rankings.placements import Placement, placements_of
from sklearn_rank.rankings.unjudged_items import UnjudgedItem, unjudged_items
from sklearn_rank.statistics import IntervalMethod
from sklearn_rank.support.checks import check_integer, check_option
from sklearn_rank.tables.table import Table
from sklearn_rank.tables.tabular import Tabular
from sklearn_rank.typing import FloatArray, IntArray


@dataclass(frozen=True, repr=False, eq=False)
class MeasuredValues(Tabular):
    """Values of measures over rankings, and what was counted on the way."""

    _scored: Mapping[str, Scored]
    """By the spelling that was asked for; with its convention's parameters where two are alike."""
    _judged: RankingData
    _ROWS = ("measures", "queries")

    @property
    def query_ids(self) -> Any:
        """Ids of the queries in the caller's order, shape (n_queries,)."""
        return self._judged.query_ids

    @property
    def rankings(self) -> Any:
        """Where the relevant items stand; ranked anew, if no measure read below its cutoff."""
        return self._judged.whole.widened()

    @property
    def n_ranked(self) -> IntArray:
        """Length of each ranking, shape (n_queries,)."""
        return self._judged.rankings.n_ranked

    @property
    def sample_weight(self) -> FloatArray | None:
        """Weight of each query in the data, shape (n_queries,); None: all alike."""
        return self._judged.weights

    @property
    def measures(self) -> tuple[Measure, ...]:
        """What was computed, with the parameters of the convention filled in."""
        return tuple(scored.measure for scored in self._scored.values())

    @cached_property
    def scores(self) -> Mapping[str, float]:
        """Mean of each measure, keyed by any spelling of it."""
        return ByMeasure(
            {name: scored.average.value for name, scored in self._scored.items()}, self._scored
        )

    @property
    def per_query(self) -> Mapping[str, FloatArray]:
        """Values of each measure, shape (n_queries,), keyed by any spelling of it."""
        values = {
            name: _read_only(scored.values)
            for name, scored in self._scored.items()
            if scored.values is not None
        }
        return ByMeasure(values, self._scored)

    @property
    def hint(self) -> str:
        """In what the ids of both sides seem to differ, where no relevant item was retrieved."""
        return self._judged.hint

    @property
    def assumed(self) -> str:
        """What items count as that the ground truth does not name.

        "complete": they are irrelevant; "partial": nobody judged them, though every measure counts
        them as irrelevant; "": nothing had to be assumed, for arrays grade every item, and sets
        are complete.
        """
        return self._judged.assumed

    def __iter__(self) -> Iterator[str]:
        return iter(self.scores)

    def __len__(self) -> int:
        return len(self.scores)

    def __contains__(self, measure: object) -> bool:
        return measure in self.scores

    def __getitem__(self, measure: str | Measure) -> float:
        return self.scores[measure]  # type: ignore[index]

    @cached_property
    def counts(self) -> dict[str, Any]:
        """Queries, and everything that was left out or could mislead.

        ``queries`` evaluated; ``missing`` judged queries without a ranking; ``unjudged`` ranked
        queries without judgements; ``no_relevant`` queries without a relevant item; ``tied``
        queries in which a relevant item shares its score; ``ranked``, ``relevant`` and
        ``retrieved`` (relevant) items; ``duplicates`` dropped; ``missed`` items of one shared
        ground truth that no query retrieved; ``unjudged_grades`` negative grades read as "not
        judged"; ``unjudged_items`` ranked items that nobody judged, where the ground truth is
        ``assumed`` to be partial; ``unknown_items`` judged items that ``known_items`` lacks; per
        measure the queries for which it is ``undefined``, and those ``averaged``.
        """
        return counts_of(self._judged, self._scored)

    def confidence_interval(
        self,
        measure: str | Measure,
        level: float = 0.95,
        *,
        method: IntervalMethod = "auto",
        n_resamples: int = 9999,
        random_state: int | np.random.Generator = 0,
    ) -> tuple[float, float]:
        """Confidence interval of a score over queries, within the measure's range.

        It is :func:`sklearn_rank.statistics.mean_confidence_interval` of the values per query,
        their weights and the range of the measure.

        Parameters
        ----------
        measure : str or Measure
            One of the measures evaluated, in any spelling.
        level : float, default=0.95
            In (0, 1).
        method : {"auto", "t", "bootstrap"}, default="auto"
            "auto" is exact for values that are all 0 or 1, and covers for other values in [0, 1];
            Student's t and the BCa bootstrap see no more than the sample, and are too narrow
            where most queries are perfect.
        n_resamples : int, default=9999
            Resamples of the bootstrap.
        random_state : int or numpy.random.Generator, default=0
            Seed of the bootstrap.

        Returns
        -------
        low, high : float
            NaN without a query that counts (for which the measure is defined, or to which
            ``zero_division`` gave a value). A single value and equal ones have no spread: NaN
            for "t" and "bootstrap", and for a measure without an upper bound.

        Raises
        ------
        InvalidParameterError
            If the measure is pooled: it has no values per query to resample.
        InvalidParameterError
            If ``level``, ``method``, ``n_resamples`` or ``random_state`` is wrong.

        References
        ----------
        .. [1] Sakai, Laboratory Experiments in Information Retrieval, 2018.
        .. [2] Brown, Cai and DasGupta, Interval Estimation for a Binomial Proportion, 2001.

        Examples
        --------
        >>> from sklearn_rank import evaluate
        >>> ev = evaluate([{"a"}] * 4, [["a"], ["b", "a"], ["a"], ["b", "c", "d", "a"]], "mrr")
        >>> low, high = ev.confidence_interval("mrr")
        >>> round(low, 4), round(high, 4)
        (0.1306, 1.0)
        """
        return interval_of(
            self._scored[find_measure(measure, self._scored)],
            level=level,
            method=method,
            n_resamples=n_resamples,
            random_state=random_state,
        )

    def query_weights(self, measure: str | Measure) -> FloatArray | None:
        """Weights of the queries in the mean of a measure, shape (n_queries,); None: all alike.

        Examples
        --------
        >>> from sklearn_rank import evaluate
        >>> ev = evaluate([{"a", "b"}, {"c"}], [["a", "b", "x"], ["x", "c"]], "auc")
        >>> ev.query_weights("auc")
        array([2., 1.])
        """
        return self._scored[find_measure(measure, self._scored)].weights

    @property
    def items(self) -> KeptItems | None:
        """Ids of the items that were read; None unless ``keep_items``, and where there are none."""
        return self._judged.items

    def placements(self, queries: Iterable[int] | None = None) -> list[Placement]:
        """Where the relevant items of each query stand, and which were not retrieved.

        Ids of items are there after ``evaluate(..., keep_items=True)``, in the layouts that have
        any: ranked lists and mappings. Places come from ``rankings``.

        Parameters
        ----------
        queries : iterable of int, default=None
            Numbers of the wanted queries, counted from 0; None takes all.

        Returns
        -------
        placements : list of Placement
            One for each query, in the order of ``query_ids`` or of ``queries``.

        Examples
        --------
        >>> from sklearn_rank import evaluate
        >>> ev = evaluate([{"a", "b"}], [["x", "a"]], "map", keep_items=True)
        >>> placement = ev.placements()[0]
        >>> [(hit.item, hit.rank) for hit in placement.hits], placement.not_retrieved
        ([('a', 2)], ['b'])
        """
        return placements_of(self._judged, queries)

    def unjudged_items(self, k: int | None = None) -> list[list[UnjudgedItem]]:
        """Retrieved items of each query that nobody judged, with their places.

        Ids of items are there after ``evaluate(..., keep_items=True)``.

        Parameters
        ----------
        k : int, default=None
            Ranks that are looked at; None looks at all.

        Returns
        -------
        items : list of list of UnjudgedItem
            For each query, in the order of ``query_ids``; empty lists where the ground truth is
            taken as complete.

        Examples
        --------
        >>> from sklearn_rank import evaluate
        >>> ev = evaluate({"q": {"a": 1, "b": 0}}, {"q": ["x", "a", "y"]}, "map", keep_items=True)
        >>> [(item.item, item.rank) for item in ev.unjudged_items()[0]]
        [('x', 1), ('y', 3)]
        """
        return unjudged_items(self._judged, k)

    def worst(
        self, n: int = 10, *, measure: str | Measure | None = None, query_text: QueryText = None
    ) -> list[QueryValue]:
        """The queries that are answered worst.

        Parameters
        ----------
        n : int, default=10
            At most so many; queries of the best possible value are never among them.
        measure : str or Measure, default=None
            By which they are; None takes the first that has values per query.
        query_text : mapping or callable, default=None
            {query: text}, or a function of the query id.

        Returns
        -------
        queries : list of QueryValue
            The worst value first.

        Raises
        ------
        InvalidParameterError
            If the measure is pooled.

        Examples
        --------
        >>> from sklearn_rank import evaluate
        >>> ev = evaluate({"q1": {"a"}, "q2": {"b"}}, {"q1": ["a"], "q2": ["x", "b"]}, "mrr")
        >>> [(bad.query, bad.text, bad.value) for bad in ev.worst(query_text={"q2": "what?"})]
        [('q2', 'what?', 0.5)]
        """
        n = check_integer(n, "n", "worst", at_least=0)
        text = text_function(query_text)
        first = next(iter([*self.per_query, *self.scores]))
        name = find_measure(first if measure is None else measure, self._scored)
        values = self.per_query[name]
        numbers = worst_of(values, self._scored[name].measure.metric, n)
        return [
            QueryValue(place.query, text(place.query), name, float(values[number]), place)
            for number, place in zip(numbers, self.placements(numbers), strict=True)
        ]

    def to_dict(self, *, names: Literal["canonical", "safe"] = "canonical") -> dict[str, Any]:
        """Scores, counts and values per query as plain Python objects, NaN as None.

        Parameters
        ----------
        names : {"canonical", "safe"}, default="canonical"
            Names of the measures: ``ndcg@10``, or ``ndcg_at_10``, of which MLflow, Weights & Biases
            and file systems take every character.

        Examples
        --------
        >>> from sklearn_rank import evaluate
        >>> ev = evaluate([{"a"}], [["b", "a"]], "mrr@10")
        >>> ev.to_dict()["scores"], ev.to_dict(names="safe")["scores"]
        ({'mrr@10': 0.5}, {'mrr_at_10': 0.5})
        """
        check_option(names, "names", ("canonical", "safe"), "to_dict")
        measures = {name: str(scored.measure) for name, scored in self._scored.items()}
        shown = safe_names(self._scored) if names == "safe" else {name: name for name in measures}
        return tables.to_dict(self, self._judged.listed_ids(), measures, shown)

    def to_frame(self, backend: Literal["pandas", "polars", "pyarrow", "spark"] = "pandas") -> Any:
        """One row per query: its id and the value of each measure that has one.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow", "spark"}, default="pandas"
            Library of the data frame; it has to be installed. Frames of Spark alone become one
            of Spark.

        Returns
        -------
        frame : data frame of shape (n_queries, 1 + n_measures)
            Columns ``query`` and the measures in canonical spelling; undefined values are NaN.

        Examples
        --------
        >>> from sklearn_rank import evaluate
        >>> evaluate({"q1": {"a"}}, {"q1": ["b", "a"]}, "mrr").to_frame("polars").rows()
        [('q1', 0.5)]
        """
        if backend == "spark":
            return to_engine_frame(self._judged, self._scored)
        return tables.to_frame(self._judged.listed_ids(), self.per_query, backend)

    def _table(self, rows: str) -> Table:
        if rows == "queries":
            return tables.queries_table(self._judged.listed_ids(), self.per_query)
        return tables.table_of(self)

    @property
    def _averages(self) -> dict[str, Average]:
        return {name: scored.average for name, scored in self._scored.items()}


def _read_only(values: FloatArray) -> FloatArray:
    view = values.view()
    view.flags.writeable = False
    return view

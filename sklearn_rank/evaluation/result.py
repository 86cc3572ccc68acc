"""Evaluations, and what is made of them: slices, joined ones, bounds, pictures."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from sklearn_rank.bounds.result import Bounds
from sklearn_rank.evaluation.averaging import warn_of_undefined_slices
from sklearn_rank.evaluation.bounding import bounds_of
from sklearn_rank.evaluation.by_label import read_slices, take_queries
from sklearn_rank.evaluation.by_measure import find_measure
from sklearn_rank.evaluation.compute import score_measures, score_slice
from sklearn_rank.evaluation.judging import check_number, columns_of, next_to_judge
from sklearn_rank.evaluation.merge import check_same_measures, check_same_policy, merge_scored
from sklearn_rank.evaluation.values import MeasuredValues
from sklearn_rank.measures.catalogue import Measure
from sklearn_rank.rankings.condensed import condensed
from sklearn_rank.rankings.merge import merge_judged
from sklearn_rank.support.text import safe_repr
from sklearn_rank.tables.frames import FrameBackend, native_frame
from sklearn_rank.typing import IntArray

__all__ = ["Evaluation"]


@dataclass(frozen=True, repr=False, eq=False)
class Evaluation(MeasuredValues):
    """What :func:`evaluate` found: scores, values per query, and counts.

    Every mapping keyed by a measure takes any spelling that parses to it.

    Attributes
    ----------
    scores : mapping of str to float
        Mean of each measure over the queries for which it is defined; NaN if it is for none.
    per_query : mapping of str to ndarray of shape (n_queries,)
        Values in the order of ``query_ids``, NaN where undefined; pooled measures have none.
    query_ids : sequence of shape (n_queries,)
        Ids of the queries in the caller's order.
    counts : mapping
        Queries, and everything that was left out or could mislead.

    Examples
    --------
    >>> from sklearn_rank import evaluate
    >>> ev = evaluate([{"a"}, {"b"}], [["a", "b"], ["a", "b"]], ("mrr", "f1@1"))
    >>> ev
    measure   score   95 % interval  queries
    mrr      0.7500  0.0000..1.0000        2
    fbeta@1  0.5000  0.0126..0.9874        2
    2 queries
    """

    def bounds(
        self,
        measure: str | Measure,
        *,
        scope: Literal["retrieved", "all"] = "retrieved",
        max_grade: float | None = None,
        unretrieved: int | None = None,
    ) -> Bounds:
        """Least and greatest value of a measure over all ways to grade the unjudged items.

        They are exact: there are grades with which :func:`evaluate` gives either of them, and none
        with which it gives less or more. Where nothing is unjudged both are the value.

        Parameters
        ----------
        measure : str or Measure
            One of the measures evaluated, in any spelling.
        scope : {"retrieved", "all"}, default="retrieved"
            Which unjudged items may be relevant: those that were retrieved, or others as well,
            which an ideal or a recall counts though no ranking holds them.
        max_grade : float, default=None
            Highest grade that an unjudged item may have; None: the highest of the data.
        unretrieved : int, default=None
            With ``scope="all"`` the most items of a query that were not retrieved and may be
            relevant; None: as many as the cutoff.

        Returns
        -------
        bounds : Bounds
            ``low`` and ``high`` of the mean, and of each query. A query without a relevant item
            enters the mean only with grades that give it one, unless ``zero_division`` is a number.

        Raises
        ------
        UndefinedMetricError
            If the measure has no exact bounds, or none that are found in time.
        InvalidParameterError
            If an argument has a value that its rule does not allow, or ``scope="all"`` needs
            ``unretrieved``.

        Examples
        --------
        >>> from sklearn_rank import evaluate
        >>> ev = evaluate([{"a": 1, "b": 0}], [["new", "a", "b"]], ("ndcg@10", "mrr"))
        >>> bounds = ev.bounds("ndcg@10")
        >>> round(bounds.low, 4), bounds.high, round(ev["ndcg@10"], 4)
        (0.6309, 1.0, 0.6309)
        """
        scored = self._scored[find_measure(measure, self._scored)]
        return bounds_of(
            scored, self._judged, scope=scope, max_grade=max_grade, unretrieved=unretrieved
        )

    def by_slice(
        self, slices: Mapping[Any, Any] | Callable[[Any], Any] | str
    ) -> dict[Any, Evaluation]:
        """The same evaluation for each slice of the queries.

        Parameters
        ----------
        slices : mapping, callable or str
            {query: label}, {query: labels}, {label: set or list of queries}, a function from
            query id to label, or the name of a column of the data frames evaluated. A mapping
            whose keys are all queries is read in the first way. Queries without a label are in no
            slice; where a mapping of queries lacks some, they are warned of ([] is no label). Ids
            that were given to ``evaluate`` and left out there are passed over; others are an error.

        Returns
        -------
        evaluations : dict of label to Evaluation
            In order of first appearance; pooled measures are ranked anew within each slice. What
            belongs to no query in particular (unjudged queries, dropped duplicates, missed items
            of one shared ground truth) is part of a slice of all queries only.

        Raises
        ------
        InvalidParameterError
            If the keys are not queries and the values not collections of queries, or a column is
            not there or has several labels for a query.

        Warns
        -----
        RankingDataWarning
            If a mapping of queries to labels lacks some of the queries.

        References
        ----------
        .. [1] Fairlearn, MetricFrame, https://fairlearn.org

        Examples
        --------
        >>> from sklearn_rank import evaluate
        >>> ev = evaluate({"q1": {"a"}, "q2": {"b"}}, {"q1": ["a"], "q2": ["c", "b"]}, "mrr")
        >>> {
        ...     label: part["mrr"]
        ...     for label, part in ev.by_slice({"q1": "head", "q2": "tail"}).items()
        ... }
        {'head': 1.0, 'tail': 0.5}
        """
        if isinstance(slices, str):
            slices = self._judged.labels(slices)
        query_ids = self._judged.listed_ids()
        labels = read_slices(slices, query_ids, self._judged.left_out)
        # Shared by all slices: a copy for each would be as long as all queries together.
        known = (*query_ids, *self._judged.left_out)
        parts = {label: self._slice(queries, known) for label, queries in labels.items()}
        if any(scored.zero_division == "warn" for scored in self._scored.values()):
            warn_of_undefined_slices(
                {label: part._averages for label, part in parts.items() if part is not self}
            )
        return parts

    def merge(self, *others: Evaluation) -> Evaluation:
        """One evaluation of the queries of this one and of others: shards, days, machines.

        Every value has the bits that one call over all queries would give; so have intervals and
        pooled measures. Queries that go by position (lists and matrices) are numbered through.
        Ids of items (``keep_items=True``) are not kept.

        Parameters
        ----------
        *others : Evaluation
            Of the same measures and ``zero_division``, over queries of their own.

        Returns
        -------
        evaluation : Evaluation
            The queries of this one, then those of the others in their order.

        Raises
        ------
        QueryMismatchError
            If a query is in more than one of them.
        InvalidParameterError
            If they have different measures or policies, weights in some only, or one shared
            ground truth with missed items.

        Examples
        --------
        >>> from sklearn_rank import evaluate
        >>> monday = evaluate({"q1": {"a"}}, {"q1": ["a", "b"]}, "mrr")
        >>> tuesday = evaluate({"q2": {"a"}}, {"q2": ["b", "a"]}, "mrr")
        >>> monday.merge(tuesday)["mrr"]
        0.75
        """
        evaluations = (self, *others)
        for evaluation in evaluations:
            if not isinstance(evaluation, Evaluation):
                msg = f"merge takes results of evaluate, got {safe_repr(evaluation)}"
                raise TypeError(msg)
        check_same_measures([evaluation.measures for evaluation in evaluations])
        scored = [evaluation._scored for evaluation in evaluations]
        check_same_policy(scored)
        judged = merge_judged([evaluation._judged for evaluation in evaluations])
        return Evaluation(merge_scored(scored, judged), judged)

    def to_judge(
        self,
        n: int | None = 20,
        other: Evaluation | None = None,
        *,
        measure: str | Measure | None = None,
        max_grade: float | None = None,
        backend: FrameBackend | None = "pandas",
    ) -> Any:
        """What to judge next: unjudged items by how much the grade of each could move a result.

        Ids of items are there after ``evaluate(..., keep_items=True)``.

        Parameters
        ----------
        n : int, default=20
            So many items; None takes all.
        other : Evaluation, default=None
            Another system: items then go by how much they could move the difference of the two
            over their common queries.
        measure : str or Measure, default=None
            One of the measures evaluated; None takes the first.
        max_grade : float, default=None
            Highest grade that an item may get; None takes the highest of the judgements.
        backend : {"pandas", "polars", "pyarrow"}, default="pandas"
            Library of the data frame; None returns {column: list}.

        Returns
        -------
        frame : data frame of shape (n_items, 5 or 6)
            Columns ``query``, ``item``, ``grade`` (empty, to be filled in), ``rank``,
            ``rank_other`` (with ``other``) and ``move``, the largest change of the result that the
            grade of this item alone can make; the largest first.

        Raises
        ------
        InvalidParameterError
            If ids were not kept, or ``n`` is wrong.
        InvalidParameterError
            If the measure is pooled.
        QueryMismatchError
            If the two evaluations have no query in common.

        References
        ----------
        .. [1] Carterette, Allan and Sitaraman, Minimal Test Collections for Retrieval Evaluation,
           SIGIR 2006.

        Examples
        --------
        >>> from sklearn_rank import evaluate
        >>> truth = {"q": {"a": 1, "b": 0}}
        >>> ev = evaluate(truth, {"q": ["x", "a", "y"]}, "ndcg@10", keep_items=True)
        >>> ev.to_judge(2, backend=None)["item"]
        ['x', 'y']
        """
        sides = [own for own in (self, other) if own is not None]
        rows = next_to_judge(
            [(own._scored, own._judged) for own in sides], measure, check_number(n), max_grade
        )
        columns = columns_of(rows, with_other=other is not None)
        return columns if backend is None else native_frame(columns, backend)

    def condensed(self) -> Evaluation:
        """The same evaluation of condensed lists: without the items that nobody judged.

        What stood below an unjudged item moves up. It needs whole rankings:
        ``evaluate(..., keep_items=True)``. The guide "Judgements with holes" says why this is no
        default: a new system loses its own finds, and is read as worse than it is.

        Returns
        -------
        evaluation : Evaluation
            This one, where the ground truth is taken as complete.

        Raises
        ------
        InvalidParameterError
            If items below a cutoff are not known.
        InvalidParameterError
            If a measure is pooled.

        References
        ----------
        .. [1] Sakai, Alternatives to Bpref, SIGIR 2007.

        Examples
        --------
        >>> from sklearn_rank import evaluate
        >>> ev = evaluate({"q": {"a": 1, "b": 0}}, {"q": ["x", "a"]}, "mrr", keep_items=True)
        >>> ev["mrr"], ev.condensed()["mrr"]
        (0.5, 1.0)
        """
        judged = condensed(self._judged)
        if judged is self._judged:
            return self
        kept = self._scored.values()
        measures, settled = zip(*((own.measure, own.zero_division) for own in kept), strict=True)
        scored = score_measures(measures, judged, settled)
        return Evaluation(dict(zip(self._scored, scored, strict=True)), judged)

    def plot(self, kind: str = "forest", **options: Any) -> Any:
        """Draw the evaluation; needs Matplotlib.

        Parameters
        ----------
        kind : str, default="forest"
            "forest" (measures, or slices of the queries, with intervals), "at_k" (a measure
            against k), "distribution" (the values of the queries), "correlation" (of two
            measures), "roc" or "precision_recall".
        **options
            As in ``from_evaluation`` of the display.

        Returns
        -------
        display : display of :mod:`sklearn_rank.displays`
            Drawn, with ``ax_`` and ``figure_``.

        Examples
        --------
        >>> from sklearn_rank import evaluate
        >>> ev = evaluate([{"a"}, {"b"}], [["a", "b"], ["a", "b"]], "mrr")
        >>> ev.plot("at_k", measure="recall", k=2).lines_[0].get_ydata().tolist()
        [0.5, 1.0]
        """
        from sklearn_rank.displays.plotting import plot_evaluation

        return plot_evaluation(self, kind, options)

    def _slice(self, queries: IntArray, known: Collection[Any]) -> Evaluation:
        if len(queries) == len(self.query_ids):
            # With what belongs to no query in particular: unjudged queries, missed items.
            return self
        judged = take_queries(self._judged, queries, known)
        scored = {name: score_slice(whole, queries, judged) for name, whole in self._scored.items()}
        return Evaluation(scored, judged)

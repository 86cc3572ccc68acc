"""Evaluations: scores, values per query, counts, and tables, slices and plots of them."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, Never

import numpy as np

from sklearn_rank.evaluation.averaging import Average, warn_of_undefined_slices
from sklearn_rank.evaluation.collection import collection_counts
from sklearn_rank.evaluation.compute import (
    ByMeasure,
    Scored,
    averaged,
    find_measure,
    score_measures,
)
from sklearn_rank.evaluation.losses import (
    Losses,
    losses_of,
    mean_parts,
    parts_of,
    refuse_unexplained,
)
from sklearn_rank.evaluation.losses import (
    Parts as LossParts,
)
from sklearn_rank.exceptions import InvalidParameterError
from sklearn_rank.inputs.frames import by_index
from sklearn_rank.measures.record import Measure, Metric
from sklearn_rank.rankings.data import ItemIds, RankingData, no_items
from sklearn_rank.rankings.judged import without_unjudged
from sklearn_rank.rankings.reading import Reading
from sklearn_rank.support.checks import check_integer
from sklearn_rank.support.text import safe_repr
from sklearn_rank.tables.formats import Parts, Tabular
from sklearn_rank.typing import BoolArray, FloatArray, IntArray

if TYPE_CHECKING:
    from sklearn_rank.rankings.placements import Placement
    from sklearn_rank.tables.table import FrameBackend, Table

__all__ = ["Evaluation"]

QueryText = Mapping[Any, str] | Callable[[Any], Any] | None


@dataclass(frozen=True, repr=False, eq=False)
class Evaluation(Tabular):
    """Result of :func:`evaluate`: scores, values per query, and counts.

    Every mapping keyed by a measure takes any spelling that parses to it.

    Examples
    --------
    >>> from sklearn_rank import evaluate
    >>> ev = evaluate([{"a"}, {"b"}], [["a", "b"], ["a", "b"]], ("mrr", "f1@1"))
    >>> ev
    measure   score    95% interval  queries
    mrr      0.7500  0.0000..1.0000        2
    fbeta@1  0.5000  0.0126..0.9874        2
    2 queries
    """

    _scored: Mapping[str, Scored]
    """By requested spelling; with its convention's parameters where two are alike."""
    _judged: RankingData
    _runs: tuple[Evaluation, ...] = ()
    """Runs of :class:`Repeats`, whose means these values are; ranks are those of the first run."""
    _ROWS = ("measures", "queries")

    @property
    def query_ids(self) -> Any:
        """Ids of the queries in the caller's order, shape (n_queries,)."""
        return self._judged.query_ids

    @property
    def rankings(self) -> Any:
        """Ranks of the relevant items."""
        return self._judged.rankings.widened()

    @property
    def n_ranked(self) -> IntArray:
        """Length of each ranking, shape (n_queries,)."""
        return self._judged.rankings.n_ranked

    @property
    def sample_weight(self) -> FloatArray | None:
        """Weight of each query in the data, shape (n_queries,); None: equal weights."""
        return self._judged.weights

    @property
    def clusters(self) -> Any:
        """Cluster label of each query, array of shape (n_queries,); None: no clusters."""
        return self._judged.clusters

    @property
    def hint(self) -> str:
        """If no relevant item was retrieved, why the ids of both sides seem to differ."""
        return self._judged.hint

    @property
    def assumed(self) -> str:
        """Assumption about items that the ground truth does not name.

        "complete": they are irrelevant; "partial": nobody judged them, though every measure counts
        them as irrelevant; "positives": the same under a convention that always assumes it, where
        nothing is judged irrelevant; "": none, for arrays grade every item, and sets are complete.
        """
        return self._judged.assumed

    @cached_property
    def reading(self) -> Reading:
        """How the data were read; evaluations that were read differently are not comparable."""
        return self._judged.reading

    @property
    def items(self) -> ItemIds | None:
        """Ids of the items that were read; None without ``keep_items`` or ids."""
        return self._judged.ids

    @property
    def measures(self) -> tuple[Measure, ...]:
        """Computed measures, with the parameters of the convention filled in."""
        return tuple(scored.measure for scored in self._scored.values())

    @property
    def scores(self) -> dict[str, float]:
        """Mean of each measure over the queries for which it is defined; NaN if there are none."""
        scores = {name: scored.average.value for name, scored in self._scored.items()}
        return ByMeasure(scores, self._scored)

    @property
    def per_query(self) -> dict[str, FloatArray]:
        """Values of each measure in the order of ``query_ids``; pooled measures have none.

        An undefined query has the value set by ``zero_division`` or the convention, or NaN if it
        is left out.
        """
        values = {}
        for name, scored in self._scored.items():
            counted = scored.counted
            if counted is not None:
                values[name] = counted.view()
                values[name].flags.writeable = False
        return ByMeasure(values, self._scored)

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

    @property
    def runs(self) -> tuple[Evaluation, ...]:
        """The evaluation of each run of :class:`Repeats`; for a single run, only this one."""
        return self._runs or (self,)

    def spread(self, measure: str | Measure) -> FloatArray:
        """Standard deviation of each query's value between the runs of :class:`Repeats`.

        Parameters
        ----------
        measure : str or Measure
            One of the measures evaluated, in any spelling.

        Returns
        -------
        spread : array of shape (n_queries,)
            In the units of the measure, NaN if a query is undefined.

        Raises
        ------
        InvalidParameterError
            If a single run was evaluated, or the measure is pooled.
        """
        values = [run.per_query[measure] for run in self.runs]  # type: ignore[index]
        if len(values) == 1:
            msg = "a single run has no spread between runs; evaluate Repeats([run, run, ...])"
            raise InvalidParameterError(msg)
        return np.asarray(np.std(values, axis=0, ddof=1))

    def __iter__(self) -> Iterator[str]:
        return iter(self.scores)

    def __len__(self) -> int:
        return len(self.scores)

    def __contains__(self, measure: object) -> bool:
        return measure in self.scores

    def __getitem__(self, measure: str | Measure) -> float:
        return self.scores[measure]  # type: ignore[index]

    @property
    def counts(self) -> dict[str, Any]:
        """Numbers of queries and items, and of everything that was left out or could mislead.

        ``queries`` evaluated; ``missing`` judged queries without a ranking; ``unjudged`` ranked
        queries without judgements; ``no_relevant`` queries without a relevant item,
        ``false_answers`` such queries for which something was ranked; ``tied`` queries in which a
        relevant item shares its score; ``ranked``, ``relevant`` and ``retrieved`` (relevant) items;
        ``duplicates`` dropped; ``missed`` items of one shared ground truth that no query retrieved;
        ``unjudged_grades`` negative grades read as "not judged"; ``unjudged_items`` ranked items
        that nobody judged,
        where the ground truth is ``assumed`` to be partial; with a ``collection``, relevant items
        that are ``outside_collection``, and queries that ``cannot_be_won``; per measure the queries
        for which it is ``undefined``, and those ``averaged``.
        """
        return {name: dict(n) if isinstance(n, dict) else n for name, n in self._counts.items()}

    @cached_property
    def _counts(self) -> dict[str, Any]:
        data, rankings, left_out = self._judged, self._judged.rankings, self._judged.counts
        unjudged, averages = rankings.unjudged, [record.average for record in self._scored.values()]
        if data.assumed == "positives":  # nobody could have judged the others
            unjudged = None
        return {
            "queries": len(rankings),
            "missing": left_out.missing,
            "unjudged": left_out.unjudged,
            "no_relevant": int((rankings.n_relevant == 0).sum()),
            "false_answers": int(((rankings.n_relevant == 0) & (rankings.n_ranked > 0)).sum()),
            "tied": data.by_score.n_tied,
            "ranked": int(rankings.n_ranked.sum()),
            "relevant": int(rankings.n_relevant.sum()),
            "retrieved": int(rankings.n_hits.sum()),
            "duplicates": left_out.duplicates,
            "missed": left_out.missed,
            "unjudged_grades": left_out.unjudged_grades,
            "unjudged_items": 0 if unjudged is None else int(unjudged.counts.sum()),
            "assumed": data.assumed,
            **collection_counts(data),
            "undefined": dict(
                zip(self._scored, (one.n_undefined for one in averages), strict=True)
            ),
            "averaged": dict(zip(self._scored, (one.n_averaged for one in averages), strict=True)),
        }

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

    def losses(self, measure: str | Measure | None = None) -> Losses:
        """Why a score is below 1: out of reach, not retrieved, or ranked too low.

        *Out of reach* is 1 minus the value of the ideal list of all relevant items, which is not 0
        for ERR, P@k and recall@k. *Not retrieved* is what the relevant items cost that are nowhere
        in the ranking, *too low* what the order of the others costs.

        Parameters
        ----------
        measure : str or Measure, default=None
            nDCG, MAP, MRR, ERR, precision, recall or hit rate, as evaluated; None takes the first
            measure.

        Returns
        -------
        losses : Losses
            ``out_of_reach``, ``not_retrieved`` and ``too_low``, whose sum is ``1 - value``, and
            each of them ``per_query``.

        Raises
        ------
        InvalidParameterError
            If the losses of a measure have no such parts, or a baseline file lacks judgements.

        Examples
        --------
        >>> from sklearn_rank import evaluate
        >>> ev = evaluate([{"a": 3, "b": 1, "c": 2}], [["x", "a", "b"]], "map")
        >>> losses = ev.losses("map")  # AP is (1/2 + 2/3) / 3, of a, b at the top 2/3
        >>> round(losses.out_of_reach, 4), round(losses.not_retrieved, 4), round(losses.too_low, 4)
        (0.0, 0.3333, 0.2778)
        """
        name = next(iter(self._scored)) if measure is None else find_measure(measure, self._scored)
        refuse_unexplained(self._scored[name].measure)
        parts = mean_parts([run._loss_parts(name) for run in self.runs])
        return losses_of(name, parts, self._scored[name].weights)

    def _loss_parts(self, measure: str) -> LossParts:
        """What the losses of one run are made of, per query."""
        return parts_of(self._record(measure), self._judged, self.rankings)

    def placements(self, queries: Iterable[int] | None = None) -> list[Placement]:
        """Ranks of the relevant items of each query, and the unretrieved ones.

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

        return placements_of(self._judged, queries)

    def by_slice(
        self, slices: Mapping[Any, Any] | Callable[[Any], Any] | str
    ) -> dict[Any, Evaluation]:
        """One evaluation for each slice of the queries.

        Parameters
        ----------
        slices : mapping, callable or str
            {query: label}, {query: labels}, {label: set or list of queries}, a function from
            query id to label, or the name of a column of the data frames evaluated. A mapping
            whose keys are all queries is read in the first way. Queries without a label are in no
            slice; a warning lists those that a mapping of queries lacks ([] is no label). Ids
            that ``evaluate`` left out are ignored.

        Returns
        -------
        evaluations : dict of label to Evaluation
            In order of first appearance; pooled measures are ranked anew within each slice. Counts
            of no query in particular (unjudged queries, dropped duplicates, missed items of one
            shared ground truth) are part of a slice of all queries only.

        Raises
        ------
        InvalidParameterError
            If the keys are not queries and the values not collections of queries, or a column is
            not there or has several labels for a query.
        """
        from sklearn_rank.evaluation.slices import read_slices, take_queries
        from sklearn_rank.evaluation.tables import slices_table

        judged, query_ids = self._judged, self._judged.listed_ids()
        if isinstance(slices, str):
            slices = judged.labels(slices)
        if self._runs:
            from sklearn_rank.evaluation.repeats import mean_of_runs

            of_runs = [run.by_slice(slices) for run in self._runs]
            means = {label: mean_of_runs([one[label] for one in of_runs]) for label in of_runs[0]}
            return Parts(means, slices_table)
        labels = read_slices(slices, query_ids, judged.left_out)
        # Shared by all slices: a copy for each would be as long as all queries together.
        all_queries = (*query_ids, *judged.left_out)
        parts: dict[Any, Evaluation] = {}
        undefined: dict[Any, dict[str, Average]] = {}
        for label, queries in labels.items():
            if len(queries) == len(query_ids):
                # With what belongs to no query in particular: unjudged queries, missed items.
                parts[label] = self
                continue
            data, scored = take_queries(judged, queries, all_queries), {}
            for name, record in self._scored.items():
                values = None if record.values is None else record.values[queries]
                weights = None if record.weights is None else record.weights[queries]
                scored[name] = averaged(record.measure, data, values, weights, record.zero_division)
            parts[label] = Evaluation(scored, data)
            undefined[label] = {name: one.average for name, one in scored.items()}
        if any(scored.zero_division == "warn" for scored in self._scored.values()):
            warn_of_undefined_slices(undefined)
        return Parts(parts, slices_table)

    def to_judge(
        self,
        n: int | None = 20,
        baseline: Evaluation | None = None,
        *,
        measure: str | Measure | None = None,
        backend: FrameBackend | None = "pandas",
    ) -> Any:
        """Unjudged items whose grades would change a result most, to judge next.

        Item ids are available after ``evaluate(..., keep_items=True)``.

        Parameters
        ----------
        n : int, default=20
            Number of items; None takes all.
        baseline : Evaluation, default=None
            Another system; items are then ordered by their effect on the difference of the two
            means over the common queries.
        measure : str or Measure, default=None
            One of the measures evaluated; None takes the first.
        backend : {"pandas", "polars", "pyarrow"}, default="pandas"
            Library of the data frame; None returns {column: list}.

        Returns
        -------
        frame : data frame of shape (n_items, 5 or 6)
            Columns ``query``, ``item``, ``grade`` (empty, to be filled in), ``rank``,
            ``baseline_rank`` (with ``baseline``) and ``change``, the change of the result if only
            this item had the highest grade; largest first.

        Raises
        ------
        InvalidParameterError
            If ids were not stored, ``n`` is invalid, or a grade has no effect on the measure.
        QueryMismatchError
            If the two evaluations have no query in common.

        References
        ----------
        .. [1] Carterette, Allan and Sitaraman, Minimal Test Collections for Retrieval Evaluation,
           SIGIR 2006.
        """
        from sklearn_rank.evaluation.judge_next import next_to_judge
        from sklearn_rank.tables.table import native_frame

        n = None if n is None else check_integer(n, "n", "to_judge", at_least=1)
        systems = [self] if baseline is None else [self, baseline]
        columns = next_to_judge(systems, measure, n)
        return columns if backend is None else native_frame(columns, backend)

    def condensed(self) -> Evaluation:
        """Evaluation of condensed lists: without the items that nobody judged.

        Items below an unjudged one move up. The guide "Unjudged items" explains why this is not
        the default: a new system loses the items that only it retrieved, and looks worse than it
        is.

        Returns
        -------
        evaluation : Evaluation
            The same evaluation if the ground truth is assumed to be complete.

        Raises
        ------
        InvalidParameterError
            If a measure is pooled.

        References
        ----------
        .. [1] Sakai, Alternatives to Bpref, SIGIR 2007.

        Examples
        --------
        >>> from sklearn_rank import evaluate
        >>> ev = evaluate({"q": {"a": 1, "b": 0}}, {"q": ["x", "a"]}, "mrr")
        >>> ev["mrr"], ev.condensed()["mrr"]
        (0.5, 1.0)
        """
        if self._runs:
            from sklearn_rank.evaluation.repeats import mean_of_runs

            return mean_of_runs([run.condensed() for run in self._runs])
        judged = _without_unjudged(self._judged)
        if judged is self._judged:
            return self
        record = self._scored.values()
        policies = [one.zero_division for one in record]
        measures = [one.measure for one in record]
        scored = score_measures(measures, judged, policies, given=self._given)
        return Evaluation(dict(zip(self._scored, scored, strict=True)), judged)

    def plot(self, kind: str = "at_k", **options: Any) -> Any:
        """Draw the evaluation; needs Matplotlib.

        Parameters
        ----------
        kind : str, default="at_k"
            "at_k" (``measure=`` against the cutoffs ``k=``), "roc" or "precision_recall"
            (``average="pooled"`` or "macro").
        **options
            Those of the kind, ``confidence_level=``, ``ax=``, and ``curve_kwargs=``, keywords of
            ``Axes.plot``.

        Returns
        -------
        display : display
            Drawn, with ``ax_`` and ``figure_``; ``plot`` draws it again.

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
        """Write the values, their distribution and every query to one HTML file, worst first.

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

    def to_frame(self, backend: Literal["pandas", "polars", "pyarrow"] = "pandas") -> Any:
        """One row per query: its id and the value of each measure that has one.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, default="pandas"
            Library of the data frame; it must be installed.

        Returns
        -------
        frame : data frame of shape (n_queries, 1 + n_measures)
            Columns ``query`` and the measures in canonical spelling; undefined values are NaN.
        """
        from sklearn_rank.evaluation.tables import to_frame

        return to_frame(self._judged.listed_ids(), self.per_query, backend)

    def _table(self, rows: str) -> Table:
        from sklearn_rank.evaluation.tables import queries_table, table_of

        return queries_table(self) if rows == "queries" else table_of(self)

    @property
    def _given(self) -> dict[Measure, FloatArray]:
        """Values that were measured elsewhere."""
        return {
            record.measure: record.values
            for record in self._scored.values()
            if record.values is not None and record.measure.metric.is_given
        }

    def _record(self, measure: str | Measure) -> Scored:
        return self._scored[find_measure(measure, self._scored)]


def _without_unjudged(judged: RankingData) -> RankingData:
    """Rankings without their unjudged items."""
    rankings, unjudged, ids = judged.rankings, judged.rankings.unjudged, judged.ids
    if unjudged is None:
        return judged
    if ids is not None:
        ranked = dict(ids.rankings)
        for query, n_unjudged in zip(judged.listed_ids(), unjudged.counts.tolist(), strict=True):
            if not n_unjudged:
                continue  # one that counts as completely judged keeps all items
            items, scores = ids.rankings[query]
            truth = ids.truths[query] if ids.shared is None else ids.shared
            rows = [row for row, item in enumerate(items) if item in truth]
            judged_items = [item for item in items if item in truth]
            ranked[query] = judged_items, None if scores is None else scores[rows]
        ids = replace(ids, rankings=ranked)
    items = no_items("condensed lists have no scores that compare across queries")
    if judged.has_relevance:
        items = judged.items.without_unjudged()._replace(no_pool=items.no_pool)
    return replace(
        judged,
        rankings=without_unjudged(rankings),
        items=items,
        chosen=judged.chosen if judged.has_relevance else None,
        ids=ids,
    )


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

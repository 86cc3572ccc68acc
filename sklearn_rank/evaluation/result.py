"""Evaluations: scores, values per query, counts, and tables, slices and plots of them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from sklearn_rank.evaluation.base import BaseEvaluation, counts_of
from sklearn_rank.evaluation.compute import (
    averaged,
    find_measure,
    score_measures,
)
from sklearn_rank.evaluation.losses import (
    Losses,
    losses_of,
    mean_parts,
    refuse_unexplained,
)
from sklearn_rank.exceptions import InvalidParameterError
from sklearn_rank.measures.record import Measure
from sklearn_rank.rankings.data import RankingData, no_items
from sklearn_rank.rankings.judged import without_unjudged
from sklearn_rank.support.checks import check_integer
from sklearn_rank.typing import FloatArray, IntArray

if TYPE_CHECKING:
    from sklearn_rank.tables.table import FrameBackend

__all__ = ["Evaluation"]


@dataclass(frozen=True, repr=False, eq=False)
class Evaluation(BaseEvaluation):
    """Result of :func:`evaluate`: scores, values per query, and counts.

    Mappings keyed by measures accept any spelling of a measure.

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

    _runs: tuple[Evaluation, ...] = ()
    """Runs of :class:`Repeats`: values are their means, ranks those of the first run."""

    @property
    def rankings(self) -> Any:
        """Ranks of the relevant items."""
        return self.ranking_data.rankings.widened()

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

    @property
    def counts(self) -> dict[str, Any]:
        """Numbers of queries and items, and of everything that was left out or could mislead.

        ``queries`` evaluated; ``missing`` judged queries without a ranking; ``unjudged`` ranked
        queries without judgements; ``no_relevant`` queries without a relevant item,
        ``false_answers`` such queries for which something was ranked; ``tied`` queries in which a
        relevant item shares its score; ``ranked``, ``relevant`` and ``retrieved`` (relevant) items;
        ``duplicates`` dropped; ``missed`` items of one shared ground truth that no query retrieved;
        ``unjudged_grades`` negative grades read as unjudged; ``unjudged_items`` ranked items
        without a judgement, if the ground truth is ``assumed`` to be partial; with a
        ``collection``, relevant items that are ``outside_collection``, and queries that
        ``cannot_be_won``; per measure the queries for which it is ``undefined``, and those
        ``averaged``.
        """
        return {name: dict(n) if isinstance(n, dict) else n for name, n in self._counts.items()}

    @cached_property
    def _counts(self) -> dict[str, Any]:
        return counts_of(self.ranking_data, self.scored)

    def losses(self, measure: str | Measure | None = None) -> Losses:
        """Why a score is below 1: out of reach, not retrieved, or ranked too low.

        *Out of reach* is 1 minus the value of the ideal list of all relevant items, which is not 0
        for ERR, P@k and recall@k. *Not retrieved* is the loss from relevant items outside the
        ranking, *too low* the loss from the order of the others.

        Parameters
        ----------
        measure : str or Measure, default=None
            nDCG, MAP, MRR, ERR, precision, recall or hit rate, as evaluated; None takes the first
            measure.

        Returns
        -------
        losses : Losses
            ``out_of_reach``, ``not_retrieved`` and ``too_low``, whose sum is ``1 - value``;
            ``per_query`` has them for each query.

        Raises
        ------
        InvalidParameterError
            If the losses of a measure have no such parts, or a baseline file lacks judgements.

        Examples
        --------
        >>> from sklearn_rank import evaluate
        >>> ev = evaluate([{"a": 3, "b": 1, "c": 2}], [["x", "a", "b"]], "map")
        >>> losses = ev.losses("map")  # AP is (1/2 + 2/3) / 3; with a, b at the top, 2/3
        >>> round(losses.out_of_reach, 4), round(losses.not_retrieved, 4), round(losses.too_low, 4)
        (0.0, 0.3333, 0.2778)
        """
        name = next(iter(self.scored)) if measure is None else find_measure(measure, self.scored)
        refuse_unexplained(self.scored[name].measure)
        parts = mean_parts([run._loss_parts(name) for run in self.runs])
        weights = self.scored[name].weights
        return losses_of(name, parts, weights, self.ranking_data.listed_ids())

    def _parts(self, slices: Any) -> dict[Any, Self]:
        """As for one run; for several, the means over them."""
        if not self._runs:
            return super()._parts(slices)
        from sklearn_rank.evaluation.repeats import mean_of_runs

        of_runs: Any = [run.by_slice(slices) for run in self._runs]
        means: Any = {label: mean_of_runs([one[label] for one in of_runs]) for label in of_runs[0]}
        return dict(means)

    def _part(self, queries: IntArray, every: Collection[Any]) -> Self:
        from sklearn_rank.evaluation.slices import take_queries

        data, scored = take_queries(self.ranking_data, queries, every), {}
        for name, record in self.scored.items():
            values = None if record.values is None else record.values[queries]
            weights = None if record.weights is None else record.weights[queries]
            scored[name] = averaged(record.measure, data, values, weights, record.zero_division)
        return type(self)(scored, data)

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
        """Evaluation of condensed lists, without unjudged items.

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
        judged = _without_unjudged(self.ranking_data)
        if judged is self.ranking_data:
            return self
        record = self.scored.values()
        policies = [one.zero_division for one in record]
        measures = [one.measure for one in record]
        scored = score_measures(measures, judged, policies, given=self._given)
        return Evaluation(dict(zip(self.scored, scored, strict=True)), judged)


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
    items = no_items("condensed lists have no scores comparable across queries")
    if judged.has_relevance:
        items = judged.items.without_unjudged()._replace(no_pool=items.no_pool)
    return replace(
        judged,
        rankings=without_unjudged(rankings),
        items=items,
        chosen=judged.chosen if judged.has_relevance else None,
        ids=ids,
    )

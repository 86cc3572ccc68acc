"""From frames of Spark to judged rankings."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from sklearn_rank.engines.problem import Problem
from sklearn_rank.engines.spark import plans
from sklearn_rank.engines.spark.counting import counted
from sklearn_rank.engines.spark.later import FrameMaker, LeftOut, SparkColumns, SparkScores, sample
from sklearn_rank.engines.spark.partitions import Partitions
from sklearn_rank.engines.spark.sides import can_meet, find_frames, refuse_no_order
from sklearn_rank.engines.spark.survey import (
    Survey,
    refuse_apart,
    refuse_changed,
    refuse_duplicates,
    refuse_faults,
    refuse_unknown_columns,
    take_survey,
)
from sklearn_rank.engines.spark.unjudged import UnjudgedRows
from sklearn_rank.engines.spark.waist import WaistRows, rankings_of
from sklearn_rank.exceptions import DuplicateItemError, InvalidParameterError
from sklearn_rank.inputs.hints import with_mismatch_hint
from sklearn_rank.inputs.join import query_weights
from sklearn_rank.rankings.data import InputCounts, NoPool, RankingData
from sklearn_rank.rankings.remote import RankingSizes, refuse_remote
from sklearn_rank.rankings.ties import TIE_RULES, grade_order
from sklearn_rank.rankings.unjudged import Unjudged
from sklearn_rank.support.runtime import waiting
from sklearn_rank.typing import IntArray

if TYPE_CHECKING:
    import pyarrow as pa

_BROADCAST = 1 << 10
"""Bytes of a driver's memory for each relevant judgement that is sent to all executors: its table
takes about 200, and is there in several forms for a moment."""
_ROW = 1 << 7
"""Bytes of the waist of a relevant judgement on its way through the driver."""

_IN_MEMORY_ALONE = ("string_provider", "relevance", "keep_items")
"""What needs the ids of all items as Python objects."""

_NO_POOL = NoPool("their scores stay in Spark; rank them there, or evaluate a part in memory")


def read(problem: Problem) -> RankingData:
    """Judged rankings of a problem of which at least one side is a frame of Spark."""
    asked = [name for name in _IN_MEMORY_ALONE if problem.told.get(name) not in (None, False)]
    if problem.known_items is not None:
        asked.append("known_items")
    if asked:
        msg = (
            f"{asked[0]} needs the ids of all items in memory, as gates with a baseline do, and "
            "those of a frame of Spark stay there; leave it out, or pass toPandas() of what fits"
        )
        raise InvalidParameterError(msg)
    return _Reading(problem).judged()


class _Reading:
    """One problem."""

    def __init__(self, problem: Problem) -> None:
        self.told = problem.told
        self.options = problem.options
        self.ties = self.told.get("ties", "average")
        self.missing = self.told.get("missing", "zero")
        self.raises = self.told.get("duplicates", "raise") == "raise"
        self._refuse_count(is_away=self.options.waist == "executors")
        self.sides = find_frames(problem)

    @property
    def by_id(self) -> bool:
        """Whether tied items stand in falling order of their ids; ranks have no ties."""
        return TIE_RULES[self.ties].by_id and not self.sides.ranks

    @property
    def _rule(self) -> str:
        """The rule for ties, of which ranks have none."""
        return "" if self.sides.ranks else self.ties

    def judged(self) -> RankingData:
        """Ask, refuse, choose a way, and go it."""
        for side in (self.sides.truth, self.sides.run):
            refuse_unknown_columns(self.sides, side)
        refuse_no_order(self.sides, self.ties)
        if not can_meet(self.sides):
            refuse_apart(self.sides, self.missing)
        with self._showing("Spark counts rows"):
            survey = take_survey(self.sides, self.missing)
        negative = self.told.get("negative_grades", "raise")
        refuse_faults(self.sides, survey, self.missing, negative)
        assume, has_zero = self.told.get("assume"), survey.n_irrelevant > 0
        assumed = self.sides.assumed(assume, has_zero=has_zero)
        is_partial = assumed == "partial"
        is_away = self._is_away(survey)
        with self._showing("Spark finds the places of relevant items"):
            if self._way(survey, is_partial=is_partial, is_away=is_away) == "count":
                judged = self._at_hand(self._counted(is_partial=is_partial), is_partial=is_partial)
            elif is_away:
                judged = self._away(self._windowed(), is_partial=is_partial)
            else:
                judged = self._at_hand(self._windowed().toArrow(), is_partial=is_partial)
        return self._with_counts(survey, replace(judged, assumed=assumed, ties=self._rule))

    def _showing(self, doing: str) -> AbstractContextManager[None]:
        """What goes on, on a terminal."""
        return waiting(doing) if self.options.progress else nullcontext()

    # Which way ----------------------------------------------------------------------------------

    def _is_away(self, survey: Survey) -> bool:
        """Whether measures are computed in the executors."""
        if self.options.waist == "auto":
            return (survey.n_relevant + survey.n_judged) * _ROW > self._memory
        return self.options.waist == "executors"

    def _way(self, survey: Survey, *, is_partial: bool, is_away: bool) -> str:
        cannot_count = self._refuse_count(is_away=is_away)
        if cannot_count or self.options.way != "auto":
            return "window" if cannot_count else self.options.way
        n_sent = survey.n_relevant + (survey.n_irrelevant if is_partial else 0)
        return "count" if n_sent * _BROADCAST <= self._memory else "window"

    def _refuse_count(self, *, is_away: bool) -> bool:
        """Whether places cannot be found by counting; InvalidParameterError if that was asked."""
        reason = ""
        if is_away:
            reason = "finds places on the driver, and measures are computed in the executors"
        elif not self.raises:
            reason = "does not see which item of several has the best score (duplicates='first')"
        if reason and self.options.way == "count":
            msg = f"way='count' {reason}; pass way='window'"
            raise InvalidParameterError(msg)
        return bool(reason)

    @cached_property
    def _memory(self) -> int:
        """Bytes that a result may take on the driver, through which it comes."""
        if self.options.memory_limit is not None:
            return self.options.n_bytes
        names = ("spark.driver.memory", "spark.driver.maxResultSize")
        sizes = [_bytes_of(self.sides.session.conf.get(name, "1g")) for name in names]
        # 0 says that results have no limit.
        return min(size for size in sizes if size) // 2

    # The two ways -------------------------------------------------------------------------------

    def _windowed(self) -> Any:
        """The rows of the waist, in Spark, by ranking all rows of each query."""
        return self.sides.sql(plans.window(by_id=self.by_id, skips=self.missing == "skip"))

    def _counted(self, *, is_partial: bool) -> pa.Table:
        """The rows of the waist, by counting the greater scores of each hit."""
        self._refuse_repeated(self.sides.sql(plans.REPEATED).toArrow()["repeated"][0].as_py())
        return counted(
            self.sides, by_id=self.by_id, skips=self.missing == "skip", all_judged=is_partial
        )

    def _refuse_repeated(self, number: int) -> int:
        """Rows that repeat an item: an error unless the best of them counts."""
        if number and self.raises:
            refuse_duplicates(self.sides, number)
        return number

    # What comes of it ----------------------------------------------------------------------------

    def _at_hand(self, table: pa.Table, *, is_partial: bool) -> RankingData:
        """The waist on the driver."""
        table = table.sort_by("q")
        rows = WaistRows.of(table)
        repeated = self._refuse_repeated(int(table["repeated"].to_numpy()[rows.starts].sum()))
        rankings = rankings_of(rows, self.ties)
        if is_partial:
            counts = table["unjudged"].to_numpy()[rows.starts]
            unjudged = self._unjudged(list(rows.query_ids), counts)
            rankings = replace(rankings, unjudged=unjudged)
        return RankingData(rankings, _NO_POOL, counts=InputCounts(duplicates=repeated))

    def _away(self, frame: Any, *, is_partial: bool) -> RankingData:
        """Sizes alone; the waist stays where it is until it is measured."""
        frame = frame.persist()
        table = self.sides.sql(plans.SIZES, rows=frame).toArrow().sort_by("q")
        try:
            repeated = self._refuse_repeated(int(table["repeated"].to_numpy().sum()))
        except DuplicateItemError:
            frame.unpersist()
            raise
        columns = {name: table[name].to_numpy() for name in table.column_names[1:]}
        query_ids = table["q"].to_pylist()
        sizes = RankingSizes.of(
            query_ids,
            **{name: columns[name] for name in ("n_ranked", "n_relevant", "n_retrieved")},
            n_graded=columns["n_graded"],
            in_ties=columns["in_ties"] & (self.ties == "average"),
        )
        if is_partial:
            sizes = replace(sizes, unjudged=self._unjudged(query_ids, columns["unjudged"]))
        return RankingData(
            sizes,
            _NO_POOL,
            counts=InputCounts(duplicates=repeated),
            rank_all=refuse_remote,
            remote=Partitions(frame, self.ties, self._showing),
        )

    def _unjudged(self, query_ids: Sequence[Any], counts: IntArray) -> Unjudged:
        depth = self.told.get("depth")
        plan = plans.unjudged(by_id=self.by_id, depth=depth)
        rows = UnjudgedRows(self.sides, plan, query_ids)
        return Unjudged(counts, rows, depth, grade_order=grade_order(self.ties))

    def _with_counts(self, survey: Survey, judged: RankingData) -> RankingData:
        """The same with what was counted, weights, and what else is known of the queries."""
        rankings = judged.rankings
        if rankings.n_ranked.sum() + judged.counts.duplicates != survey.n_evaluated:
            refuse_changed("y_score")
        if rankings.n_relevant.sum() != survey.n_relevant:
            refuse_changed("y_true")
        query_ids = list(rankings.query_ids)
        weights = query_weights(self.told.get("sample_weight"), query_ids)
        judged = replace(
            judged,
            rankings=replace(rankings, weights=weights),
            counts=replace(
                judged.counts,
                missing=survey.n_judged - survey.n_common,
                unjudged=survey.n_ranked - survey.n_common,
                unjudged_grades=survey.faults["truth_value_negative"],
            ),
            missing=np.flatnonzero(rankings.n_ranked == 0),
            left_out=LeftOut(self.sides, skips=self.missing == "skip"),
            keyed=True,
            query_columns=tuple(map(SparkColumns, (self.sides.truth, self.sides.run))),
            count_scores=SparkScores(self.sides),
            make_frame=FrameMaker(self.sides.session),
        )
        if rankings.n_retrieved.any():
            return judged
        truth, run = (sample(self.sides, side) for side in ("truth", "run"))
        return with_mismatch_hint(judged, truth, run, None)


_SIZE = re.compile(r"\s*(\d+)\s*([kmgtp]?)b?\s*", re.IGNORECASE)


def _bytes_of(size: str) -> int:
    """A size as Spark writes it: megabytes unless it says otherwise."""
    parts = _SIZE.fullmatch(size)
    if parts is None:
        return 1 << 30
    unit = parts[2].lower() or "m"
    return int(parts[1]) << 10 * (1 + "kmgtp".index(unit))

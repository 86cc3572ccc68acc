"""From frames of Spark to judged rankings."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from sklearn_rank.engines.problem import Problem
from sklearn_rank.engines.spark import plans
from sklearn_rank.engines.spark.partitions import Partitions
from sklearn_rank.engines.spark.sides import Sides, SparkSide, can_meet, find_frames
from sklearn_rank.engines.spark.survey import (
    Survey,
    refuse_apart,
    refuse_duplicates,
    refuse_faults,
    take_survey,
)
from sklearn_rank.engines.spark.waist import WaistRows, rankings_of
from sklearn_rank.exceptions import InvalidParameterError
from sklearn_rank.inputs.frames import DIVIDED_QUERY
from sklearn_rank.inputs.mappings import query_weights
from sklearn_rank.inputs.unmet import with_hint
from sklearn_rank.rankings.away import AwayRankings, refuse_away
from sklearn_rank.rankings.judged import JudgedRankings
from sklearn_rank.rankings.source import InputCounts, Judged, NoPool, one_label_each
from sklearn_rank.rankings.ties import TIE_RULES
from sklearn_rank.support.arrays import is_missing

if TYPE_CHECKING:
    import pyarrow as pa

PAIRS_PER_ROW = 20
"""Up to so many relevant items per row of the run, comparing each row with those of its query takes
less than to shuffle and sort it; measured on 10 M rows."""
_BROADCAST = 1 << 10
"""Bytes of a driver's memory for each relevant judgement that is sent to all executors: its table
takes about 200, and is there in several forms for a moment."""
_ROW = 1 << 7
"""Bytes of the waist of a relevant judgement on its way through the driver."""

_IN_MEMORY_ALONE = ("string_provider", "relevance", "keep_items")
"""What needs the ids of all items as Python objects."""

_NO_POOL = NoPool("their scores stay in Spark; rank them there, or evaluate a part in memory")


def read(problem: Problem) -> Judged:
    """Judged rankings of a problem of which at least one side is a frame of Spark."""
    asked = [name for name in _IN_MEMORY_ALONE if problem.told.get(name) not in (None, False)]
    if problem.known_items is not None:
        asked.append("known_items")
    if asked:
        msg = (
            f"{asked[0]} needs the ids of all items in memory, and those of a frame of Spark stay "
            "there; leave it out, or collect the queries in question"
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
        self.sides = find_frames(problem)

    @property
    def by_id(self) -> bool:
        """Whether tied items stand in falling order of their ids; ranks have no ties."""
        return TIE_RULES[self.ties].by_id and not self.sides.ranks

    def judged(self) -> Judged:
        """Ask, refuse, choose a way, and go it."""
        if not can_meet(self.sides):
            refuse_apart(self.sides, self.missing)
        survey = take_survey(self.sides, self.missing)
        negative = self.told.get("negative_grades", "raise")
        refuse_faults(self.sides, survey, self.missing, negative)
        away = self._is_away(survey)
        if self._way(survey, away=away) == "count":
            return self._finished(survey, self._counted(), 0)
        rows = self.sides.sql(plans.window(by_id=self.by_id, skips=self.missing == "skip"))
        if away:
            return self._away(survey, rows)
        table = rows.toArrow()
        return self._finished(survey, table, self._repeated(table))

    # Which way ----------------------------------------------------------------------------------

    def _is_away(self, survey: Survey) -> bool:
        """Whether measures are computed in the executors."""
        if self.options.waist == "auto":
            return (survey.n_relevant + survey.n_judged) * _ROW > self._memory
        return self.options.waist == "executors"

    def _way(self, survey: Survey, *, away: bool) -> str:
        way = self.options.way
        reason = ""
        if away:
            reason = "finds places on the driver, and measures are computed in the executors"
        elif not self.raises:
            reason = "does not see which item of several has the best score (duplicates='first')"
        if way == "count" and reason:
            msg = f"way='count' {reason}; pass way='window'"
            raise InvalidParameterError(msg)
        if way != "auto" or reason:
            return "window" if reason else way
        fits = survey.n_relevant * _BROADCAST <= self._memory
        return "count" if fits and survey.n_pairs <= PAIRS_PER_ROW * survey.n_rows else "window"

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

    def _counted(self) -> pa.Table:
        """The rows of the waist, by counting the greater scores of each hit."""
        import pyarrow as pa
        import pyarrow.compute as pc

        if self.raises:
            repeated = self.sides.sql(plans.REPEATED).toArrow()["repeated"][0].as_py()
            if repeated:
                refuse_duplicates(self.sides, repeated)
        table = self.sides.sql(plans.hits(skips=self.missing == "skip")).toArrow()
        above = np.full(table.num_rows, -1, dtype=np.int64)
        tied = np.ones(table.num_rows, dtype=np.int64)
        numbered = table.append_column("number", pa.array(np.arange(table.num_rows)))
        hits = numbered.filter(pc.is_valid(table["x"])).select(["q", "i", "x", "number"])
        if hits.num_rows:
            frame = self.sides.session.createDataFrame(hits)
            counts = self.sides.sql(plans.count(by_id=self.by_id), hits=frame).toArrow()
            places = counts["number"].to_numpy()
            above[places] = counts["above"].to_numpy()
            tied[places] = counts["tied"].to_numpy()
        return table.append_column("above", pa.array(above)).append_column("tied", pa.array(tied))

    def _repeated(self, table: pa.Table) -> int:
        """Repeated rows of the run; an error unless the best of them counts."""
        first = WaistRows.of(table).starts
        number = int(table["repeated"].to_numpy()[first].sum())
        if number and self.raises:
            refuse_duplicates(self.sides, number)
        return number

    def _away(self, survey: Survey, rows: Any) -> Judged:
        """Sizes alone; the waist stays where it is until it is measured."""
        rows = rows.persist()
        table = self.sides.session.sql(plans.SIZES, rows=rows).toArrow().sort_by("q")
        number = int(table["repeated"].to_numpy().sum())
        if number and self.raises:
            rows.unpersist()
            refuse_duplicates(self.sides, number)
        sizes = AwayRankings.of(
            table["q"].to_pylist(),
            **{
                name: table[name].to_numpy()
                for name in ("n_ranked", "n_relevant", "n_retrieved", "n_graded", "in_ties")
            },
        )
        return self._with_counts(survey, sizes, Partitions(rows, self.ties), number)

    # What comes of it ----------------------------------------------------------------------------

    def _finished(self, survey: Survey, table: pa.Table, repeated: int) -> Judged:
        rankings = rankings_of(WaistRows.of(table.sort_by("q")), self.ties)
        return self._with_counts(survey, rankings, None, repeated)

    def _with_counts(
        self, survey: Survey, rankings: JudgedRankings, away: Partitions | None, repeated: int
    ) -> Judged:
        skips = self.missing == "skip"
        query_ids = list(rankings.query_ids)
        weights = query_weights(self.told.get("sample_weight"), query_ids)
        rankings = replace(rankings, weights=weights)
        judged = Judged(
            rankings,
            _NO_POOL,
            counts=InputCounts(
                missing=survey.n_judged - survey.n_common,
                unjudged=survey.n_ranked - survey.n_common,
                duplicates=repeated,
                unjudged_grades=survey.faults["truth_value_negative"],
            ),
            missing=np.flatnonzero(rankings.n_ranked == 0),
            left_out=_LeftOut(self.sides, skips=skips),
            keyed=True,
            query_columns=tuple(map(_Columns, (self.sides.truth, self.sides.run))),
            rank_all=None if away is None else refuse_away,
            away=away,
        )
        if rankings.n_retrieved.any():
            return judged
        samples = (_sample(self.sides, side) for side in ("truth", "run"))
        return with_hint(judged, *samples, None)


_SIZE = re.compile(r"\s*(\d+)\s*([kmgtp]?)b?\s*", re.IGNORECASE)


def _bytes_of(size: str) -> int:
    """A size as Spark writes it: megabytes unless it says otherwise."""
    parts = _SIZE.fullmatch(size)
    if parts is None:
        return 1 << 30
    unit = parts[2].lower() or "m"
    return int(parts[1]) << 10 * (1 + "kmgtp".index(unit))


def _sample(sides: Sides, side: str) -> dict[Any, Any]:
    """Some queries of a side as a mapping, to see how ids are written."""
    rows = sides.sql(plans.sample(side)).toArrow().to_pylist()
    mapping: dict[Any, dict[Any, Any]] = {}
    for row in rows:
        mapping.setdefault(row["q"], {})[row["i"]] = row["x"]
    return mapping


@dataclass(frozen=True, eq=False)
class _LeftOut(Collection[Any]):
    """Ids of queries that were given but not evaluated, fetched when somebody asks."""

    sides: Sides
    skips: bool

    @cached_property
    def _ids(self) -> dict[Any, None]:
        text = plans.left_out(skips=self.skips)
        return dict.fromkeys(self.sides.sql(text).toArrow()["q"].to_pylist())

    def __contains__(self, query: object) -> bool:
        return query in self._ids

    def __iter__(self) -> Iterator[Any]:
        return iter(self._ids)

    def __len__(self) -> int:
        return len(self._ids)


@dataclass(frozen=True)
class _Columns:
    """Columns of a frame that say something of its queries, read when they are asked for."""

    side: SparkSide

    def __contains__(self, name: object) -> bool:
        return name in self.side.frame.columns

    def labels(self, name: str) -> dict[Any, Any]:
        """{query: label}; InvalidParameterError if a query has several."""
        query = plans.quoted(self.side.side.named["query"])
        pairs = self.side.frame.selectExpr(f"{query} AS q", f"{plans.quoted(name)} AS label")
        rows = pairs.distinct().orderBy("q").toArrow().to_pylist()
        labels = ((row["q"], row["label"]) for row in rows if not is_missing(row["label"]))
        return one_label_each(name, labels, DIVIDED_QUERY)

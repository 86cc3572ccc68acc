"""Places by counting: the run meets the scores of the few relevant items, and its rows stay."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sklearn_rank.engines.spark import plans
from sklearn_rank.engines.spark.sides import Sides
from sklearn_rank.engines.spark.survey import refuse_changed
from sklearn_rank.engines.spark.waist import first_rows
from sklearn_rank.support.segments import offsets_of
from sklearn_rank.typing import BoolArray, IntArray

if TYPE_CHECKING:
    import pyarrow as pa


def counted(sides: Sides, *, by_id: bool, skips: bool, all_judged: bool) -> pa.Table:
    """The rows of the waist; ``all_judged`` counts the ranked items that nobody judged, too."""
    import pyarrow as pa

    table = sides.sql(plans.hits(by_id=by_id, all_judged=all_judged)).toArrow()
    keys = ["q", "x", "i"] if by_id else ["q", "x"]
    table = table.sort_by([(name, "ascending") for name in keys])
    hits = _Hits.of(table, keys[1:])
    frame = sides.session.createDataFrame(hits.scores)
    counts = sides.sql(plans.count(longest=hits.longest, by_id=by_id), hits=frame).toArrow()
    columns = {name: pa.array(values) for name, values in hits.placed(counts).items()}
    rows = pa.table({"q": table["q"], "grade": table["grade"], **columns})
    return rows.filter(pa.array(hits.kept(columns["n_ranked"].to_numpy(), skips=skips)))


class _Hits(NamedTuple):
    """Judgements by query and score; those of which none was retrieved last."""

    starts: IntArray
    """(Q,) the first row of each query."""
    query: IntArray
    """(N,) the number of its query."""
    is_relevant: BoolArray
    is_ranked: BoolArray
    bins: IntArray
    """(N,) where rows of the same score are counted, if it is a hit."""
    bases: IntArray
    """(Q + 1,) the first bin of each query, of rows below all of its hits."""
    scores: pa.Table
    """Columns ``q``, ``base``, and ``scores``: those of its hits, each once and ascending."""

    @classmethod
    def of(cls, table: pa.Table, keys: list[str]) -> _Hits:
        """Judgements as ``plans.hits`` makes them, sorted by query and keys."""
        import pyarrow as pa
        import pyarrow.compute as pc

        starts = first_rows(table["q"])
        query = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, table.num_rows)))
        is_relevant = table["grade"].to_numpy() > 0
        is_ranked = pc.is_valid(table["x"]).to_numpy()
        is_hit = is_relevant & is_ranked
        hits, of_hit = table.filter(pa.array(is_hit)).select(keys), query[is_hit]
        is_other = np.append(True, of_hit[1:] != of_hit[:-1])[: len(of_hit)]
        for name in keys:
            is_other[first_rows(hits[name])] = True
        n_scores = np.bincount(of_hit[is_other], minlength=len(starts))
        offsets = offsets_of(n_scores)
        bins = np.zeros(len(query), dtype=np.int64)
        # Each query has a bin more than scores, its first.
        bins[is_hit] = np.cumsum(is_other) + of_hit
        bases = offsets + np.arange(len(starts) + 1)
        return cls(
            starts,
            query,
            is_relevant,
            is_ranked,
            bins,
            bases,
            pa.table(
                {
                    "q": table["q"].take(starts),
                    "base": bases[:-1],
                    "scores": _lists(hits.filter(pa.array(is_other)), offsets),
                }
            ),
        )

    @property
    def longest(self) -> int:
        """The most scores that a query has."""
        return int(np.diff(self.bases).max(initial=1)) - 1

    def placed(self, counts: pa.Table) -> dict[str, IntArray]:
        """What was counted by bin, as columns of the waist."""
        numbers = {name: np.zeros(self.bases[-1], dtype=np.int64) for name in ("n", "same")}
        for name, of_bin in numbers.items():
            of_bin[counts["bin"].to_numpy()] = counts[name].to_numpy()
        same = numbers["same"]
        # Rows of all bins before, and rows of all bins before the next query.
        before = offsets_of(numbers["n"])
        ends = before[self.bases[1:]]
        n_ranked = (ends - before[self.bases[:-1]])[self.query]
        is_hit = self.is_relevant & self.is_ranked
        if not same[self.bins[is_hit]].all():
            refuse_changed("y_score")
        above = ends[self.query] - before[self.bins] - same[self.bins]
        n_judged = np.bincount(self.query[self.is_ranked], minlength=len(self.starts))
        return {
            "n_ranked": n_ranked,
            "above": np.where(is_hit, above, -1),
            "tied": np.where(is_hit, same[self.bins], 1),
            "unjudged": n_ranked - n_judged[self.query],
            "repeated": np.zeros_like(n_ranked),
        }

    def kept(self, n_ranked: IntArray, *, skips: bool) -> BoolArray:
        """Rows of the waist: relevant judgements, and one of each query without any."""
        kept = self.is_relevant.copy()
        has_none = np.bincount(self.query[kept], minlength=len(self.starts)) == 0
        kept[self.starts[has_none]] = True
        return kept & (n_ranked > 0) if skips else kept


def _lists(scores: pa.Table, offsets: IntArray) -> pa.ListArray:
    """Scores, or scores and ids, by query."""
    import pyarrow as pa

    columns = [column.combine_chunks() for column in scores.columns]
    values = pa.StructArray.from_arrays(columns, scores.column_names)
    return pa.ListArray.from_arrays(
        pa.array(offsets, pa.int32()), columns[0] if len(columns) == 1 else values
    )

"""Measures that ask only whether an item is relevant, or judged."""

from __future__ import annotations

import math

import numpy as np

from sklearn_rank.kernels.expectation import (
    ItemParts,
    PositionSums,
    as_float,
    chance_within,
    depth,
    first_relevant,
    hypergeometric,
    member_weights,
    parts_of,
    ratio,
    reach,
    top_hits,
    where_relevant,
)
from sklearn_rank.rankings.judged import JudgedRankings, TieGroups
from sklearn_rank.support.segments import (
    offsets_of,
    segment_index,
    segment_sum,
    similar_length_blocks,
)
from sklearn_rank.typing import FloatArray, IntArray

_PIECE = 1 << 14
"""Items whose ranks and values stay in the nearest caches: half the time of passes over all."""


def precision(rankings: JudgedRankings, *, k: int | None, denominator: str = "k") -> FloatArray:
    """Relevant items within the first k, over k (or over the items there)."""
    hits, _ = top_hits(rankings, k)
    return where_relevant(rankings, ratio(hits, _read(rankings, k, denominator)))


def precision_parts(
    rankings: JudgedRankings, *, k: int | None, denominator: str = "k"
) -> ItemParts:
    """The share of an item within the first k."""
    return parts_of(rankings, chance_within(rankings, k), _read(rankings, k, denominator))


def _read(rankings: JudgedRankings, k: int | None, denominator: str) -> FloatArray | float:
    """Items that are read, or would be in a longer ranking."""
    listed = rankings.n_ranked.astype(np.float64)
    if k is None:
        return listed
    return np.minimum(listed, as_float(k)) if denominator == "retrieved" else as_float(k)


def recall(rankings: JudgedRankings, *, k: int | None, denominator: str = "relevant") -> FloatArray:
    """Relevant items within the first k, over all relevant items (at most k of them)."""
    hits, _ = top_hits(rankings, k)
    return where_relevant(rankings, ratio(hits, _sought(rankings, k, denominator)))


def recall_parts(
    rankings: JudgedRankings, *, k: int | None, denominator: str = "relevant"
) -> ItemParts:
    """The share of an item within the first k."""
    return parts_of(rankings, chance_within(rankings, k), _sought(rankings, k, denominator))


def _sought(rankings: JudgedRankings, k: int | None, denominator: str) -> IntArray:
    """Relevant items; with "min", at most k of them."""
    return _capped(rankings, k) if denominator == "min" else rankings.n_relevant


def f_measure(rankings: JudgedRankings, *, k: int | None, beta: float = 1.0) -> FloatArray:
    """(1 + b^2) P R / (b^2 P + R) of P@k and R@k, which is (1 + b^2) h / (b^2 R + k)."""
    hits, _ = top_hits(rankings, k)
    factor, divisor = _f_terms(rankings, k, beta)
    return where_relevant(rankings, ratio(factor * hits, divisor))


def f_measure_parts(rankings: JudgedRankings, *, k: int | None, beta: float = 1.0) -> ItemParts:
    """The share of an item within the first k: the value is linear in the hits."""
    factor, divisor = _f_terms(rankings, k, beta)
    return parts_of(rankings, factor * chance_within(rankings, k), divisor)


def _f_terms(
    rankings: JudgedRankings, k: int | None, beta: float
) -> tuple[float, FloatArray | IntArray]:
    """Factor and divisor of the hits."""
    of_precision, of_recall = member_weights(beta)
    if not of_precision:
        return 1.0, rankings.n_relevant
    read = _read(rankings, k, "k")
    divisor = of_recall * rankings.n_relevant + of_precision * read
    return of_precision + of_recall, np.asarray(divisor, dtype=np.float64)


def hit_rate(rankings: JudgedRankings, *, k: int | None) -> FloatArray:
    """1 if a relevant item is within the first k, else 0."""
    chance = first_relevant(rankings, k, np.ones_like)
    # A group whose irrelevant items alone cannot fill the cutoff is a certain hit.
    groups, queries = rankings.groups, np.flatnonzero(rankings.n_hits > 0)
    first = groups.offsets[:-1][queries]
    latest = groups.above[first] + groups.size[first] - groups.relevant[first]
    chance[queries[latest < depth(rankings, k)]] = 1.0
    return where_relevant(rankings, chance)


def hit_rate_parts(rankings: JudgedRankings, *, k: int | None) -> ItemParts:
    """All of it goes to the first relevant item."""
    return _parts_of_first(rankings, hit_rate(rankings, k=k))


def reciprocal_rank(rankings: JudgedRankings, *, k: int | None) -> FloatArray:
    """Reciprocal rank of the first relevant item; 0 if none is within the first k."""
    return where_relevant(rankings, first_relevant(rankings, k, np.reciprocal))


def reciprocal_rank_parts(rankings: JudgedRankings, *, k: int | None) -> ItemParts:
    """All of it goes to the first relevant item."""
    return _parts_of_first(rankings, reciprocal_rank(rankings, k=k))


def _parts_of_first(rankings: JudgedRankings, values: FloatArray) -> ItemParts:
    """The values, shared by the relevant items of the first tie group that has any."""
    hits, groups = np.zeros(len(rankings.above)), rankings.groups
    for query in np.flatnonzero(rankings.n_hits > 0).tolist():
        start, n_first = rankings.offsets[query], groups.relevant[groups.offsets[query]]
        hits[start : start + n_first] = values[query] / n_first
    return parts_of(rankings, hits)


def average_recall(
    rankings: JudgedRankings, *, k: int | None, normalize: bool = False
) -> FloatArray:
    """Sum of Recall@i over the relevant ranks i within k, over min(R, k).

    With h hits that sum is h (h + 1) / (2 R).
    """
    mean, variance = top_hits(rankings, k)
    capped = _capped(rankings, k)
    total = (variance + mean * mean + mean) / 2.0
    best = capped * (capped + 1) / 2.0 if normalize else capped * rankings.n_relevant
    return where_relevant(rankings, ratio(total, best))


def average_precision(
    rankings: JudgedRankings, *, k: int | None, denominator: str = "min"
) -> FloatArray:
    """Sum of P@i over the relevant ranks i within k, over R, min(R, k), k, the hits or the list."""
    if denominator == "retrieved":
        return where_relevant(rankings, _average_precision_per_hit(rankings, k))
    cut = depth(rankings, k)
    groups = rankings.within(cut).groups
    total = segment_sum(_precision_sums(groups, cut), groups.offsets)
    return where_relevant(rankings, ratio(total, precision_divisor(rankings, k, denominator)))


def precision_divisor(
    rankings: JudgedRankings, k: int | None, denominator: str
) -> FloatArray | IntArray:
    """(Q,) what sums of precision are divided by, unless it is the number of hits."""
    if denominator == "min":
        return _capped(rankings, k)
    if denominator == "listed":
        return np.minimum(_capped(rankings, k), rankings.n_ranked)
    if denominator == "k" and k is not None:
        return np.full(len(rankings), as_float(k))
    return rankings.n_relevant


def _capped(rankings: JudgedRankings, k: int | None) -> IntArray:
    return np.minimum(rankings.n_relevant, depth(rankings, k))


def _precision_sums(groups: TieGroups, cut: int) -> FloatArray:
    """(G,) expected sum of P@i over the relevant ranks i of each tie group within the cut."""
    sums = np.empty(len(groups.above))
    for start in range(0, len(sums), _PIECE):
        piece = slice(start, start + _PIECE)
        # Widened one by one, both sides are divided faster than as integers.
        ranks, values = groups.above[piece].astype(np.float64), sums[piece]
        ranks += 1.0
        values[:] = groups.before[piece]
        values += 1.0
        values /= ranks
    tied = groups.tied
    if len(tied):
        above, size, relevant = groups.above[tied], groups.size[tied], groups.relevant[tied]
        sums[tied] = _tied_precision_sums(
            above,
            reach(above, size, cut),
            groups.before[tied],
            relevant / size,
            (relevant - 1) / (size - 1),
            cut,
        )
    return sums


def _tied_precision_sums(
    above: IntArray,
    inside: IntArray,
    before: IntArray,
    share: FloatArray,
    rise: FloatArray,
    cut: int,
) -> FloatArray:
    """Sum over ranks p of a group of share * (before + 1 + (p - above - 1) * rise) / p.

    A position of the group is relevant with probability ``share``, and each position of the group
    above a relevant one then is with probability ``rise``.
    """
    start = np.minimum(above, cut)
    harmonic = PositionSums(1.0 / np.arange(1.0, cut + 1.0)).over(start, start + inside)
    return share * ((before + 1) * harmonic + rise * (inside - (above + 1) * harmonic))


def _average_precision_per_hit(rankings: JudgedRankings, k: int | None) -> FloatArray:
    """Average precision over the relevant items found within k; 0 if none was."""
    cut = depth(rankings, k)
    groups = rankings.within(cut).groups
    inside = reach(groups.above, groups.size, cut)
    whole = inside == groups.size
    total = segment_sum(np.where(whole, _precision_sums(groups, cut), 0.0), groups.offsets)
    n_whole = segment_sum(np.where(whole, groups.relevant, 0.0), groups.offsets)
    values = ratio(total, n_whole)

    # The number of hits varies in a query whose tie group the cutoff divides: go through it.
    cut_groups = np.flatnonzero(~whole)
    widths = np.minimum(groups.relevant, inside)[cut_groups] + 1
    for block in similar_length_blocks(widths):
        chosen, width = cut_groups[block], int(widths[block].max())
        query, drawn = groups.query[chosen], inside[chosen]
        chances = hypergeometric(groups.size[chosen], groups.relevant[chosen], drawn, width)
        hits = np.arange(width)
        sums = total[query][:, None] + _tied_precision_sums(
            groups.above[chosen, None],
            drawn[:, None],
            groups.before[chosen, None],
            hits / drawn[:, None],
            np.maximum(hits - 1, 0) / np.maximum(drawn - 1, 1)[:, None],
            cut,
        )
        expected = chances * ratio(sums, n_whole[query][:, None] + hits)
        valid = hits < widths[block][:, None]
        values[query] = segment_sum(expected[valid], offsets_of(widths[block]))
    return values


# Made of two others -------------------------------------------------------------------------------


def harmonic_mean(first: FloatArray, second: FloatArray, *, beta: float = 1.0) -> FloatArray:
    """(1 + b^2) x y / (b^2 x + y) per query; 0 where both are 0, NaN if one is undefined."""
    of_first, of_second = member_weights(beta)
    divisor = of_second * first + of_first * second
    with np.errstate(divide="ignore", invalid="ignore"):
        value = (of_first + of_second) * first * second / divisor
    return np.where(divisor == 0, 0.0, value)


# How much of a ranking is judged ------------------------------------------------------------------


def zero_results(rankings: JudgedRankings, *, k: int | None) -> FloatArray:
    """1 for an empty ranking, else 0."""
    return np.where(rankings.n_ranked == 0, 1.0, 0.0)


def false_answers(rankings: JudgedRankings, *, k: int | None) -> FloatArray:
    """1 for results of a query without a relevant item, else 0; NaN for all other queries."""
    answered = 1.0 - zero_results(rankings, k=k)
    return np.where(rankings.n_relevant == 0, answered, np.nan)


def judged(rankings: JudgedRankings, *, k: int | None) -> FloatArray:
    """Share of the items within the first k that is judged; NaN for an empty ranking."""
    read = items_within(rankings, k)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(read > 0, (read - unjudged(rankings, k=k)) / read, np.nan)


def unjudged(rankings: JudgedRankings, *, k: int | None) -> FloatArray:
    """Expected number of items within the first k that nobody judged."""
    items = rankings.unjudged
    if items is None:
        return np.zeros(len(rankings))
    if k is None:
        return items.counts.astype(np.float64)
    cut = min(k, rankings.longest)
    positions = items.positions.within(cut)
    above, tied = positions.above.astype(np.int64), positions.tied.astype(np.int64)
    inside, alike = np.minimum(cut - above, tied), tied
    if items.grade_order:
        groups = segment_index(positions.offsets) * (cut + 1) + above
        _, group, counts = np.unique(groups, return_inverse=True, return_counts=True)
        alike = counts[group.ravel()]
        if items.grade_order == "optimistic":
            inside = np.maximum(inside - tied + alike, 0)  # below all that is judged
        inside = np.minimum(inside, alike)
    return segment_sum(inside / alike, positions.offsets)


def unjudged_share(
    rankings: JudgedRankings, *, k: int, queries: IntArray | slice = slice(None)
) -> float:
    """Share of unjudged items within the first k of some queries; 0 for no items."""
    items = int(items_within(rankings, k)[queries].sum())
    return math.fsum(unjudged(rankings, k=k)[queries].tolist()) / items if items else 0.0


def items_within(rankings: JudgedRankings, k: int | None) -> IntArray:
    """(Q,) items within the first k."""
    return np.minimum(rankings.n_ranked, depth(rankings, k))

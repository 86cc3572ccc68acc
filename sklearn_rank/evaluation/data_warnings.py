"""Warnings about data for which values are right, but probably not intended."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from sklearn_rank.exceptions import RankingDataWarning, RankingMatchWarning
from sklearn_rank.measures.catalogue import Measure
from sklearn_rank.rankings.data import UNLISTED_UNJUDGED, RankingData
from sklearn_rank.rankings.judged import JudgedRankings
from sklearn_rank.support.runtime import warn
from sklearn_rank.support.segments import segment_sum
from sklearn_rank.support.text import count, format_list

FEW_IRRELEVANT = 10
"""Fewer rankings or items than this may be alike by chance."""
SAMPLED_ITEMS = 20_000
"""Relevant items to look at, from the first queries."""
_REVERSED = 0.25
"""Mean area under the ROC curve below which scores seem to be distances."""
_UPSIDE_DOWN = 0.45
"""The same limit for inverted labels, if most items are relevant."""
_CUT = 0.9
"""Share of lists that end at a relevant item from which they may have been cut there."""


def warn_of_rankings(measures: Sequence[Measure], data: RankingData) -> None:
    """Warn about data that do not fit the measures or look reversed."""
    if data.masks_by_score:
        counting = _names_where(measures, lambda measure: measure.metric.counts_irrelevant)
        if counting:
            warn(
                f"y_score holds -inf; in {counting} these cells count as irrelevant items ranked "
                "last; to leave them out of the ranking, pass candidates= or a masked array",
                RankingDataWarning,
            )
    is_partial = data.is_told or data.assumed in UNLISTED_UNJUDGED
    if not is_partial and data.judgements is not None:
        _warn_of_bpref(measures)
    if data.counts.missed and not all(measure.is_pooled for measure in measures):
        are, them = ("is", "it") if data.counts.missed == 1 else ("are", "them")
        warn(
            f"{data.counts.missed:,} of {count(data.n_shared, 'item')} of the shared ground truth "
            f"{are} in no ranking, so no query counts {them} as relevant, not even in the "
            "denominator of recall; pass a ground truth per query",
            RankingMatchWarning,
        )
    rankings = data.rankings
    stop = cut_at(rankings)
    if stop:
        _warn_of_cut(measures, stop)
    others = np.count_nonzero(rankings.n_ranked != rankings.n_hits)
    if len(rankings.relevant_grades) >= FEW_IRRELEVANT and not others:
        _warn_of_ratings(measures, rankings, is_array=data.judgements is None)
    if len(rankings) >= FEW_IRRELEVANT and not data.has_relevance:
        _warn_of_distances(data)


def end_at_hits(data: RankingData) -> bool:
    """Whether most ranked lists end at a relevant item, as lists that are cut at a click do."""
    rankings = data.rankings
    answered = rankings.n_hits.nonzero()[0]
    if data.ties or len(answered) < FEW_IRRELEVANT:
        return False
    last = np.maximum.reduceat(rankings.above, rankings.offsets[answered])
    is_cut = last + 1 == rankings.n_ranked[answered]
    return bool(is_cut.mean() >= _CUT and (rankings.n_ranked > rankings.n_hits).any())


def _warn_of_bpref(measures: Sequence[Measure]) -> None:
    """Warn if bpref, which is for partial judgements, reads some that nobody declared partial."""
    asked = _names_where(measures, lambda measure: measure.metric.name == "bpref")
    if asked:
        warn(
            f"nothing is judged irrelevant, so {asked} treats every unjudged item as irrelevant; "
            "pass assume='partial' to leave these out, as trec_eval does, or assume='complete' "
            "if they are irrelevant",
            RankingDataWarning,
        )


def _names_where(measures: Sequence[Measure], applies: Callable[[Measure], bool]) -> str:
    """Measures that have a part to which something applies."""
    return format_list(str(measure) for measure in measures if any(map(applies, measure.parts)))


def cut_at(rankings: JudgedRankings) -> int:
    """Length at which all rankings stop although relevant items are missing; 0 if they do not."""
    if len(rankings) < FEW_IRRELEVANT or rankings.offsets is rankings.relevant_offsets:
        return 0
    lengths = rankings.n_ranked[rankings.n_ranked > 0]
    is_cut = len(lengths) >= FEW_IRRELEVANT and (lengths == lengths[0]).all()
    return int(lengths[0]) if is_cut and (rankings.n_hits < rankings.n_relevant).any() else 0


def _warn_of_cut(measures: Sequence[Measure], stop: int) -> None:
    """Warn about rankings that end before their relevant items, for AUC without ``n_negatives``."""
    cut = _names_where(
        measures,
        lambda measure: (
            measure.options.get("n_negatives", 0) is None
            and measure.options["unretrieved"] == "last"
        ),
    )
    if cut:
        advice = "pass n_negatives= (the number of irrelevant items per query), as in "
        warn_of_stop(stop, cut, f"{advice}'auc(n_negatives=1000)', or whole rankings")


def warn_of_stop(stop: int, what: str, advice: str) -> None:
    """Warn that something ignores what was cut off below this rank."""
    warn(
        f"every ranking stops at {stop:,} items and relevant ones are missing, so {what} ignores "
        f"the irrelevant items that were cut off; {advice}",
        RankingDataWarning,
    )


def _warn_of_ratings(
    measures: Sequence[Measure], rankings: JudgedRankings, *, is_array: bool
) -> None:
    """Warn if only relevant items are ranked although they are graded, as ratings of 1 to 5 are.

    Arrays have irrelevant items, too, unless these were dropped.
    """
    binary = _names_where(measures, lambda measure: measure.options.get("min_rel", 0) is None)
    low, high = rankings.relevant_grades.min(), rankings.relevant_grades.max()
    if binary and low < high:
        least = high - (high - low) // 4  # 4 of ratings from 1 to 5
        warn(
            f"every ranked item is relevant (lowest grade {low:g}), so the order does not matter "
            f"to {binary}; set the lowest relevant grade, as in 'map(min_rel={least:g})'",
            RankingDataWarning,
        )
    elif binary and is_array and len(rankings) >= FEW_IRRELEVANT:
        warn(
            f"every item of every query has the grade {high:g}, so the order does not matter to "
            f"{binary}; pass the irrelevant items, too, with the grade 0",
            RankingDataWarning,
        )


def _warn_of_distances(data: RankingData) -> None:
    """Warn if relevant items are at the end of most rankings, as if scores were distances."""
    rankings = data.rankings
    # A sample of bounded cost, whatever is measured.
    n = min(len(rankings), max(FEW_IRRELEVANT, int(rankings.offsets.searchsorted(SAMPLED_ITEMS))))
    offsets, sizes, n_hits = rankings.offsets[: n + 1], rankings.n_ranked[:n], rankings.n_hits[:n]
    above = rankings.above[: offsets[-1]].astype(np.float64)
    if rankings.are_tied:
        above += (rankings.tied[: offsets[-1]] - 1) / 2
    # Of each ranking, the share of irrelevant items below relevant ones: Mann and Whitney's U.
    misses = segment_sum(above, offsets) - n_hits * (n_hits - 1) / 2
    pairs = n_hits * (sizes - n_hits)
    counted = pairs.nonzero()[0]
    if len(counted) < FEW_IRRELEVANT:
        return
    values = 1 - misses[counted] / pairs[counted]
    # The first of short lists may be an advertisement; made-up ones have a hit at one rank.
    are_many = pairs.sum() > 3 * n_hits.sum() and values.min() < values.max()
    if not (data.ties or (are_many and FEW_IRRELEVANT * (values > 0).sum() >= len(values))):
        return
    mean = float(np.add.reduce(values) / len(values))
    if mean >= max(_UPSIDE_DOWN, _REVERSED):
        return
    grades = rankings.relevant_grades
    are_most = data.ties and 2 * n_hits.sum() > sizes.sum() and grades.min() == grades.max()
    most = _UPSIDE_DOWN if are_most else _REVERSED
    is_far = mean < most and mean + 5 * float(values.std()) / math.sqrt(len(values)) < 0.5
    if is_far and not end_at_hits(data):
        what, advice = "the last items of lists", "the first item is best, so reverse the lists"
        if data.ties:
            what = "lower scores"
            advice = "the highest score ranks first, so negate distances, losses and ranks"
        if are_most:
            share = n_hits.sum() / sizes.sum()
            advice += f", or invert the labels: {share:.0%} of the items are relevant"
        warn(
            f"{what} seem better: on average, relevant items rank below "
            f"{1 - mean:.0%} of the irrelevant ones; {advice}",
            RankingDataWarning,
        )

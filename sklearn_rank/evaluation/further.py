"""Further measures of rankings that an evaluation has read."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

from sklearn_rank.evaluation.compute import score_measures
from sklearn_rank.evaluation.result import Evaluation
from sklearn_rank.measures.catalogue import Measure
from sklearn_rank.measures.grammar import parse_measures
from sklearn_rank.measures.record import deepest
from sklearn_rank.rankings.data import RankingData


def with_measures(evaluation: Evaluation, measures: Iterable[str | Measure]) -> Evaluation:
    """The same rankings by other measures; undefined queries count what they counted before.

    Nobody is warned of them again.
    """
    wanted = parse_measures(list(measures), distinct=False)
    settled = [_settled(evaluation, measure) for measure in wanted]
    judged = _deep_enough(evaluation, wanted)
    scored = score_measures(wanted, judged, settled)
    return Evaluation(dict(zip(map(str, wanted), scored, strict=True)), judged)


def whole_of(evaluation: Evaluation) -> RankingData:
    """What was read, with all relevant items of the rankings."""
    judged = evaluation._judged
    return replace(judged, rankings=judged.whole, rank_all=None)


def _deep_enough(evaluation: Evaluation, measures: Sequence[Measure]) -> RankingData:
    """What was read, ranked anew only where its measures read less deep than these."""
    cutoff, depth = evaluation._judged.rankings.cutoff, deepest(measures)
    if cutoff is None or (depth is not None and depth <= cutoff.depth):
        return evaluation._judged
    return whole_of(evaluation)


def _settled(evaluation: Evaluation, measure: Measure) -> str | float:
    """What an undefined query counts: as in a measure of the same metric, else as in the first."""
    known = list(evaluation._scored.values())
    alike = [scored for scored in known if scored.measure.metric is measure.metric]
    settled = (alike or known)[0].zero_division
    return math.nan if settled == "warn" else settled

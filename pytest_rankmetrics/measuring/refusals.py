"""What a gate cannot measure: nothing at all, or data of which a part would be left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any, NoReturn

import numpy as np

from pytest_rankmetrics._support.typing import DataOptions
from pytest_rankmetrics.failures import RankGateFailure
from pytest_rankmetrics.measuring.evaluation import StrictEvaluation
from pytest_rankmetrics.policy.limits import check_count
from sklearn_rank.inputs.hints import swap_suspicion
from sklearn_rank.inputs.tables import Run
from sklearn_rank.support.segments import segment_sum
from sklearn_rank.support.text import listed, safe_repr


def refuse_empty(y_true: Any, y_score: Any) -> None:
    """RankGateFailure where there is no query, or every ranking is empty."""
    for name, value in (("y_true", y_true), ("y_score", y_score)):
        if _length(value) == 0:
            msg = (
                f"nothing to evaluate: 0 queries ({name} is empty); "
                "an empty result set never passes a gate"
            )
            raise RankGateFailure(msg)
    if isinstance(y_score, Run):
        return  # no query of a long table is without rows
    rankings = y_score.values() if isinstance(y_score, Mapping) else y_score
    if not isinstance(y_score, (list, tuple, Mapping)):
        return
    if all(isinstance(ranking, (list, tuple, Mapping)) and not ranking for ranking in rankings):
        msg = f"nothing was retrieved: the rankings of all {len(y_score):,} queries are empty"
        raise RankGateFailure(msg)


def refuse_swapped(y_true: Any, y_score: Any, allow: Collection[str]) -> None:
    """RankGateFailure where judgements and rankings look swapped: the number would be plausible."""
    suspicion = "" if "swapped" in allow else swap_suspicion(y_true, y_score)
    if suspicion:
        refuse(suspicion, "swapped")


def _length(value: Any) -> int | None:
    """Number of queries or rows; None where that cannot be told."""
    if getattr(value, "shape", ()):
        return int(value.shape[0])
    return len(value) if hasattr(value, "__len__") else None


def refuse_unjudged(y_true: Mapping[Any, Any], y_score: Any, allow: Collection[str]) -> None:
    """RankGateFailure for ranked queries without judgements."""
    unjudged = [] if "unjudged" in allow else [query for query in y_score if query not in y_true]
    if unjudged:
        refuse(f"{_unjudged(len(unjudged))}: {listed(unjudged)}", "unjudged")


def refuse_unjudged_of_engine(measured: StrictEvaluation, allow: Collection[str]) -> None:
    """The same for lazy frames, of which the number is known."""
    number = measured.counts["unjudged"]
    if number and "unjudged" not in allow:
        refuse(_unjudged(number), "unjudged")


def _unjudged(number: int) -> str:
    have = "query has" if number == 1 else "queries have"
    return f"{number:,} ranked {have} no judgements and would be left out"


def refuse_left_out(measured: StrictEvaluation, allow: Collection[str]) -> None:
    """RankGateFailure for what the evaluation left out, or could not have measured."""
    counts = measured.counts
    n_queries = counts["queries"]
    if counts["missed"] and "missed" not in allow:
        refuse(
            f"{counts['missed']:,} items of the one ground truth were found by no query and "
            "would count for none",
            "missed",
        )
    shared = _shared_items(measured)
    if shared and "shared" not in allow:
        refuse(
            f"{len(shared):,} items of the one ground truth were found by several queries "
            f"({listed(shared)}) and would count for each",
            "shared",
        )
    if measured.layout == "rows" and counts["ranked"] == n_queries and "single_rows" not in allow:
        refuse(f"each of {n_queries:,} queries has a single row: nothing is ranked", "single_rows")
    if counts["relevant"] and not counts["retrieved"] and "no_hits" not in allow:
        refuse(
            f"no relevant item was retrieved for any of {n_queries:,} queries: "
            f"do the ids of y_true and y_score meet?{_cause(measured)}",
            "no_hits",
        )


def refuse_undefined(measured: StrictEvaluation, allow: Collection[str]) -> None:
    """RankGateFailure for queries that found nothing, and would not count as such for a measure."""
    settled = measured.zero_division
    if "undefined" in allow:
        return
    rankings = measured.evaluation.rankings
    for name, used in measured.used.items():
        if used.is_pooled or used.metric.of_judgements:
            continue
        if settled == 0 and used.metric.greater_is_better:
            continue  # the worst value
        least = used.options.get("min_rel") or 0.0
        wanted = segment_sum(rankings.judged_grades >= least, rankings.judged_offsets)
        found = segment_sum(rankings.grades >= least, rankings.offsets)
        lost = np.isnan(measured.evaluation.per_query[name]) & (wanted > 0) & (found == 0)
        if lost.any():
            ids = [measured.query_ids[number] for number in np.flatnonzero(lost).tolist()]
            count = "count as well as can be" if settled in (0, 1) else "be left out"
            have = "query has" if len(ids) == 1 else "queries have"
            refuse(
                f"{len(ids):,} {have} relevant items, retrieved none of them and would {count}, "
                f"because {name} is undefined there ({listed(ids)})",
                "undefined",
            )


def refuse_other_number(measured: StrictEvaluation, reading: DataOptions) -> None:
    """RankGateFailure unless as many queries were evaluated as the test says."""
    wanted = check_count(reading.get("n_queries"), "n_queries")
    if wanted is not None and wanted != len(measured):
        refuse(f"{len(measured):,} queries were evaluated, n_queries={wanted}")


def refuse(what: str, word: str | None = None) -> NoReturn:
    """RankGateFailure, with the word that allows it."""
    hint = f'; pass allow={{"{word}"}} if that is right' if word else ""
    msg = f"could not measure: {what}{hint}"
    raise RankGateFailure(msg)


def _shared_items(measured: StrictEvaluation) -> list[Any]:
    """Items of one ground truth that several queries retrieved."""
    kept = measured.evaluation.items
    if kept is None or kept.shared is None:
        return []
    retrieved = Counter(
        item for items, _ in kept.rankings.values() for item in items if item in kept.shared
    )
    return [item for item, times in retrieved.items() if times > 1]


def _cause(measured: StrictEvaluation) -> str:
    """What the ids of both sides seem to differ in, or one of each, to see why they do not meet."""
    if measured.evaluation.hint:
        return f" ({measured.evaluation.hint})"
    for placement in measured.placements():
        if placement.ranking and placement.not_retrieved:
            wanted, ranked = placement.not_retrieved[0], placement.ranking[0]
            return f" (such as {safe_repr(wanted)} and {safe_repr(ranked)})"
    return ""

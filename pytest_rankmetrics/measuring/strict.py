"""One evaluation, read strictly: what the library would leave out is an error here."""

from __future__ import annotations

import threading
import warnings
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from functools import partial
from typing import Any, Literal, get_args

import numpy as np

from pytest_rankmetrics._support.typing import Allowed, DataOptions, refuse_unknown
from pytest_rankmetrics.failures import RankGateFailure
from pytest_rankmetrics.measuring.evaluation import StrictEvaluation, refuse
from pytest_rankmetrics.policy.policy import check_count
from pytest_rankmetrics.policy.settings import UnjudgedPolicy
from sklearn_rank.engines.read import engine_of
from sklearn_rank.evaluation.evaluate import evaluate
from sklearn_rank.evaluation.result import Evaluation
from sklearn_rank.exceptions import (
    InvalidParameterError,
    RankingDataWarning,
    UnknownItemsWarning,
)
from sklearn_rank.inputs.frames import as_tables
from sklearn_rank.inputs.hints import swap_suspicion
from sklearn_rank.inputs.layouts import layout_of
from sklearn_rank.inputs.tables import Run
from sklearn_rank.measures.catalogue import Measure
from sklearn_rank.support.segments import segment_sum
from sklearn_rank.support.text import format_list, safe_repr

_PASSED_ON = (
    *("groups", "candidates", "string_provider", "relevance", "sample_weight", "ties"),
    *("convention", "zero_division", "missing", "duplicates", "known_items", "assume"),
)
"""Arguments of ``evaluate``; the others are the plugin's own."""

_STRICT = {"zero_division": "raise", "missing": "raise", "duplicates": "raise"}


def measure_strictly(
    y_true: Any,
    y_score: Any,
    measures: Sequence[Measure],
    reading: DataOptions,
    *,
    unjudged: UnjudgedPolicy = "irrelevant",
    keep_items: bool = False,
) -> StrictEvaluation:
    """Evaluate, and fail where something would have been left out.

    ``keep_items`` is for gates that need the ids of all items whatever comes out: a baseline.
    """
    refuse_unknown(reading, DataOptions)
    allow = _allowed(reading)
    unknown: Literal["ignore", "error"] = "ignore" if "unknown_items" in allow else "error"
    options = {**_STRICT, **{name: reading[name] for name in _PASSED_ON if name in reading}}  # type: ignore[literal-required]
    is_lazy = engine_of(y_true) is not None or engine_of(y_score) is not None
    if is_lazy:
        options["columns"] = reading.get("columns")
    else:
        y_true, y_score = as_tables(y_true, y_score, reading.get("columns"))
        _refuse_empty(y_true, y_score)
        suspicion = "" if "swapped" in allow else swap_suspicion(y_true, y_score)
        if suspicion:
            refuse(suspicion, "swapped")
    keep_items = keep_items or unjudged == "condense"  # which reads deeper than any cutoff
    read = partial(_evaluate, y_true, y_score, measures, options, unknown)
    measured = StrictEvaluation(
        read(keep_items=keep_items or _needs_items(y_true, reading)),
        reading,
        measures,
        layout_of(y_true),
        unjudged,
        read_again=partial(read, keep_items=True),
    )
    unjudged_queries = measured.counts["unjudged"] if is_lazy else 0
    named = ""
    if not is_lazy and isinstance(y_true, Mapping) and "unjudged" not in allow:
        strangers = [query for query in y_score if query not in y_true]
        unjudged_queries, named = len(strangers), f": {format_list(strangers)}"
    if unjudged_queries and "unjudged" not in allow:
        have = "query has" if unjudged_queries == 1 else "queries have"
        left_out = f"ranked {have} no judgements and would be left out{named}"
        refuse(f"{unjudged_queries:,} {left_out}", "unjudged")
    for word, rule in _RULES.items():
        text = "" if word in allow else rule(measured)
        if text and word in _WARNED:
            measured.warnings.append(text)
        elif text:
            refuse(text, word)
    wanted = check_count(reading.get("n_queries"), "n_queries")
    if wanted is not None and wanted != len(measured):
        refuse(f"{len(measured):,} queries were evaluated, n_queries={wanted}")
    return measured


def _needs_items(y_true: Any, reading: DataOptions) -> bool:
    """Whether ids, and all places, are kept at once.

    A provider is called once for each item, so that there is no second reading; and of one ground
    truth it has to be known which queries share its items. Arrays have no ids, and may be changed
    before a report asks for places.
    """
    given = any(reading.get(name) is not None for name in ("string_provider", "relevance"))
    return given or isinstance(y_true, Set) or layout_of(y_true) in ("rows", "matrix")


def _evaluate(
    y_true: Any,
    y_score: Any,
    measures: Sequence[Measure],
    options: Mapping[str, Any],
    unknown: Literal["ignore", "error"],
    *,
    keep_items: bool,
) -> Evaluation:
    try:
        with _without_warnings(unknown):
            return evaluate(y_true, y_score, measures, keep_items=keep_items, **options)
    except UnknownItemsWarning as warning:
        refuse(str(warning), "unknown_items")


_filters = threading.Lock()
"""``catch_warnings`` replaces filters of the whole process, and gates may run in threads."""


_NO_FAILURE = "y_score holds -inf|lower scores seem better|every judged item"
"""Warnings of data that a gate measures as they are."""


@contextmanager
def _without_warnings(unknown: Literal["ignore", "error"]) -> Iterator[None]:
    """What the library warns of here, the gate either allows or fails for."""
    with _filters, warnings.catch_warnings():
        warnings.simplefilter("ignore", RankingDataWarning)
        warnings.filterwarnings("default", _NO_FAILURE, RankingDataWarning)
        warnings.simplefilter(unknown, UnknownItemsWarning)
        yield


def _allowed(reading: DataOptions) -> Collection[str]:
    allow = reading.get("allow", ())
    if isinstance(allow, str) or not isinstance(allow, Collection):
        msg = f"allow must be a collection of words, got {safe_repr(allow)}"
        raise InvalidParameterError(msg)
    known = get_args(Allowed)
    unknown = [word for word in allow if word not in known]
    if unknown:
        msg = f"allow has the unknown word {safe_repr(unknown[0])}; there are: {', '.join(known)}"
        raise InvalidParameterError(msg)
    return allow


def _refuse_empty(y_true: Any, y_score: Any) -> None:
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


def _length(value: Any) -> int | None:
    """Number of queries or rows; None where that cannot be told."""
    if getattr(value, "shape", ()):
        return int(value.shape[0])
    return len(value) if hasattr(value, "__len__") else None


ENOUGH = 10
"""With fewer queries a perfect score, or rankings of one length, may be chance."""

_MAY_END_EARLY = ("lists", "mapping")
"""Layouts in which a system chooses how much it retrieves; arrays score all candidates."""

_PERFECT_ORDER = ("map", "mrr", "ndcg", "nerr", "auc", "gauc")
"""Metrics that are 1 only if every query is answered as well as can be."""


# Rules of what is read: a sentence, or "" --------------------------------------------------------


def _missed(measured: StrictEvaluation) -> str:
    missed = measured.counts["missed"]
    text = (
        f"{missed:,} items of the one ground truth were found by no query and would count for none"
    )
    return text if missed else ""


def _shared(measured: StrictEvaluation) -> str:
    """Items of one ground truth that several queries retrieved."""
    kept = measured.evaluation.items
    if kept is None or kept.shared is None:
        return ""
    found = Counter(
        item for items, _ in kept.rankings.values() for item in items if item in kept.shared
    )
    shared = [item for item, times in found.items() if times > 1]
    text = f"{len(shared):,} items of the one ground truth were found by several queries"
    return f"{text} ({format_list(shared)}) and would count for each" if shared else ""


def _single_rows(measured: StrictEvaluation) -> str:
    single = measured.layout == "rows" and measured.counts["ranked"] == measured.counts["queries"]
    text = f"each of {measured.counts['queries']:,} queries has a single row: nothing is ranked"
    return text if single else ""


def _no_hits(measured: StrictEvaluation) -> str:
    counts = measured.counts
    if not counts["relevant"] or counts["retrieved"]:
        return ""
    text = f"no relevant item was retrieved for any of {counts['queries']:,} queries"
    return f"{text}: do the ids of y_true and y_score meet?{_cause(measured)}"


def _cause(measured: StrictEvaluation) -> str:
    """What the ids of both sides seem to differ in, or one of each, to see why they do not meet."""
    if measured.evaluation.hint:
        return f" ({measured.evaluation.hint})"
    for placement in measured.placements():
        if placement.ranking and placement.not_retrieved:
            wanted, ranked = placement.not_retrieved[0], placement.ranking[0]
            return f" (such as {safe_repr(wanted)} and {safe_repr(ranked)})"
    return ""


def _undefined(measured: StrictEvaluation) -> str:
    """Queries that found nothing, and would not count as such for a measure."""
    settled, rankings = measured.zero_division, measured.evaluation.rankings
    for name, used in measured.used.items():
        if used.is_pooled or used.metric.of_judgements:
            continue
        if settled == 0 and used.metric.greater_is_better:
            continue  # the worst value
        undefined = np.isnan(measured.evaluation.per_query[name])
        if not undefined.any():
            continue
        least = used.options.get("min_rel") or 0.0
        wanted = segment_sum(rankings.judged_grades >= least, rankings.judged_offsets)
        found = segment_sum(rankings.grades >= least, rankings.offsets)
        lost = undefined & (wanted > 0) & (found == 0)
        if lost.any():
            ids = [measured.query_ids[number] for number in np.flatnonzero(lost).tolist()]
            count = "count as well as can be" if settled in (0, 1) else "be left out"
            have = "query has" if len(ids) == 1 else "queries have"
            return (
                f"{len(ids):,} {have} relevant items, retrieved none of them and would {count}, "
                f"because {name} is undefined there ({format_list(ids)})"
            )
    return ""


def _truncated(measured: StrictEvaluation) -> str:
    """Rankings of which most end at one length, before the cutoff, and lack relevant items."""
    if measured.layout not in _MAY_END_EARLY or len(measured) < ENOUGH:
        return ""
    lengths = measured.n_ranked[measured.n_ranked > 0]
    if not len(lengths) or measured.counts["retrieved"] == measured.counts["relevant"]:
        return ""
    length = int(lengths.max())
    deeper = [name for name, used in measured.used.items() if (used.k or 0) > length]
    if not deeper or 2 * int((lengths == length).sum()) < len(lengths):
        return ""
    return (
        f"{deeper[0]} reads deeper than the rankings, which end at {length} and lack "
        'relevant items; pass allow={"truncated"} if that is right'
    )


def _rewards_silence(measured: StrictEvaluation) -> str:
    """Measures that rise when less is retrieved, with no other beside them."""
    if measured.layout not in _MAY_END_EARLY:
        return ""
    rewarding = [name for name, used in measured.used.items() if used.rewards_short]
    if not rewarding or len(rewarding) < len(measured.used):
        return ""
    return (
        f"{rewarding[0]} gets better when less is retrieved; "
        'gate recall beside it, or pass allow={"unretrieved"}'
    )


def _perfect(measured: StrictEvaluation) -> str:
    """A score of 1 over many queries: perhaps the rankings know the judgements."""
    perfect = [
        name
        for name, used in measured.used.items()
        if used.metric.name in _PERFECT_ORDER and measured.value(name) == 1.0
    ]
    if not perfect or len(measured) < ENOUGH:
        return ""
    return (
        f"{perfect[0]} is exactly 1 over {len(measured):,} queries: do the rankings know the "
        'judgements? Pass allow={"perfect"} if that is right'
    )


_RULES: Mapping[str, Callable[[StrictEvaluation], str]] = {
    "missed": _missed,
    "shared": _shared,
    "single_rows": _single_rows,
    "no_hits": _no_hits,
    "undefined": _undefined,
    "truncated": _truncated,
    "unretrieved": _rewards_silence,
    "perfect": _perfect,
}
"""What is wrong with what was measured, by the word that allows it."""
_WARNED = ("truncated", "unretrieved", "perfect")
"""What is only worth a warning."""

"""One evaluation, read strictly: what the library would leave out is an error here."""

from __future__ import annotations

import threading
import warnings
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from functools import partial
from typing import Any, get_args

import numpy as np

from pytest_rankmetrics._support.typing import Allowed, DataOptions, refuse_unknown
from pytest_rankmetrics.failures import RankGateFailure
from pytest_rankmetrics.measuring.evaluation import StrictEvaluation, refuse
from pytest_rankmetrics.policy.policy import check_count
from pytest_rankmetrics.policy.settings import UnjudgedPolicy
from sklearn_rank.engines.read import engine_of
from sklearn_rank.evaluation.evaluate import evaluate
from sklearn_rank.evaluation.result import Evaluation
from sklearn_rank.exceptions import InvalidParameterError, RankingDataWarning, RankingOrderWarning
from sklearn_rank.inputs.frames import as_tables
from sklearn_rank.inputs.hints import swap_suspicion
from sklearn_rank.inputs.layouts import layout_of
from sklearn_rank.inputs.tables import Run
from sklearn_rank.measures.catalogue import Measure
from sklearn_rank.measures.own import given_measures
from sklearn_rank.support.segments import segment_sum
from sklearn_rank.support.text import format_list, safe_repr

_PASSED_ON = (
    *("groups", "candidates", "string_provider", "relevance", "sample_weight", "ties"),
    "clusters",
    *("convention", "zero_division", "missing", "duplicates", "assume", "values"),
    "ignore_identical_ids",
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
    options = {**_STRICT, **{name: reading[name] for name in _PASSED_ON if name in reading}}  # type: ignore[literal-required]
    if reading.get("clusters") is not None:
        if unjudged == "bounds":
            refuse("unjudged='bounds' has no test by clusters: leave out clusters, or the bounds")
        options["clusters"] = _clusters(reading)
    if reading.get("values") is not None and reading.get("query_ids") is not None:
        options["values"] = {
            own: _by_position(own, given, reading["query_ids"])
            for own, given in given_measures(reading["values"]).items()
        }
    is_lazy = engine_of(y_true) is not None or engine_of(y_score) is not None
    if is_lazy:
        options["columns"] = reading.get("columns")
    else:
        y_true, y_score = as_tables(y_true, y_score, reading.get("columns"))
        _refuse_empty(y_true, y_score)
        suspicion = "" if "swapped" in allow else swap_suspicion(y_true, y_score)
        if suspicion:
            refuse(suspicion, "swapped")
    read = partial(_evaluate, y_true, y_score, measures, options)
    layout = layout_of(y_true)
    # Condensed lists do not compare with a second reading, a provider is called once for each item,
    # and of one ground truth it has to be known which queries share its items. Arrays have no ids,
    # and may be changed before a report asks for places.
    keep_items = keep_items or unjudged == "condense" or isinstance(y_true, Set)
    keep_items = keep_items or layout in ("rows", "matrix")
    keep_items = keep_items or any(
        reading.get(name) is not None for name in ("string_provider", "relevance")
    )
    again = partial(read, keep_items=True)
    measured = StrictEvaluation(
        read(keep_items=keep_items), reading, measures, layout, unjudged, read_again=again
    )
    without = measured.counts["unjudged"]
    if without and "unjudged" not in allow:
        have, named = "query has" if without == 1 else "queries have", ""
        if not is_lazy and isinstance(y_true, Mapping):
            named = f": {format_list([query for query in y_score if query not in y_true])}"
        text = f"{without:,} ranked {have} no judgements and would be left out{named}"
        refuse(text, "unjudged")
    for word, text in _left_out(measured):
        if text and word not in allow:
            refuse(text, word)
    measured.warnings += [text for word, text in _suspicions(measured) if word not in allow]
    wanted = check_count(reading.get("n_queries"), "n_queries")
    if wanted is not None and wanted != len(measured):
        refuse(f"{len(measured):,} queries were evaluated, n_queries={wanted}")
    return measured


def _clusters(reading: DataOptions) -> Any:
    """Clusters by the ids that the evaluation knows, where ``query_ids`` has names for them."""
    given, names = reading["clusters"], reading.get("query_ids")
    if names is None or isinstance(given, str):
        return given
    if callable(given):
        return {number: given(name) for number, name in enumerate(names)}
    return {number: given[name] for number, name in enumerate(names) if name in given}


def _by_position(own: Measure, given: Mapping[Any, Any], query_ids: Any) -> dict[int, Any]:
    """Values of the queries whose names are ``query_ids``, by position."""
    try:
        names = dict.fromkeys(query_ids)
    except TypeError:
        msg = f"query_ids must be one name for each query, got {safe_repr(query_ids)}"
        raise InvalidParameterError(msg) from None
    for what, queries in (
        ("no number for", [name for name in names if name not in given]),
        ("numbers of queries that query_ids lacks:", [name for name in given if name not in names]),
    ):
        if queries:
            msg = f"values of {own}: {what} {format_list(queries)}"
            raise InvalidParameterError(msg)
    return {number: given[name] for number, name in enumerate(names)}


_filters = threading.Lock()
"""``catch_warnings`` replaces filters of the whole process, and gates may run in threads."""

_NO_FAILURE = "y_score holds -inf|lower scores seem better|every judged item"
"""Warnings of data that a gate measures as they are."""


def _evaluate(
    y_true: Any,
    y_score: Any,
    measures: Sequence[Measure],
    options: Mapping[str, Any],
    *,
    keep_items: bool,
) -> Evaluation:
    """Evaluate without warnings: what the library warns of, the gate allows or fails for."""
    try:
        with _filters, warnings.catch_warnings():
            warnings.simplefilter("ignore", RankingDataWarning)
            warnings.filterwarnings("default", _NO_FAILURE, RankingDataWarning)
            warnings.simplefilter("error", RankingOrderWarning)
            return evaluate(y_true, y_score, measures, keep_items=keep_items, **options)
    except RankingOrderWarning as doubt:
        refuse(str(doubt))


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
        shape = getattr(value, "shape", ())
        n = shape[0] if shape else len(value) if hasattr(value, "__len__") else None
        if n == 0:
            msg = (
                f"nothing to evaluate: 0 queries ({name} is empty); "
                "an empty result set never passes a gate"
            )
            raise RankGateFailure(msg)
    # No query of a long table is without rows.
    if not isinstance(y_score, (list, tuple, Mapping)) or isinstance(y_score, Run):
        return
    rankings = y_score.values() if isinstance(y_score, Mapping) else y_score
    if all(isinstance(ranking, (list, tuple, Mapping)) and not ranking for ranking in rankings):
        msg = f"nothing was retrieved: the rankings of all {len(y_score):,} queries are empty"
        raise RankGateFailure(msg)


ENOUGH = 10
"""With fewer queries a perfect score, or rankings of one length, may be chance."""

_PERFECT_ORDER = ("map", "mrr", "ndcg", "nerr", "auc", "gauc")
"""Metrics that are 1 only if every query is answered as well as can be."""


def _left_out(measured: StrictEvaluation) -> Iterator[tuple[str, str]]:
    """Gaps in the measured data, each with the name in ``allow``."""
    counts, kept = measured.counts, measured.evaluation.items
    one = "items of the one ground truth were found by"
    if counts["missed"]:
        yield "missed", f"{counts['missed']:,} {one} no query and would count for none"
    if kept is not None and kept.shared is not None and "shared" not in measured.allow:
        found = Counter(
            item for items, _ in kept.rankings.values() for item in items if item in kept.shared
        )
        shared = [item for item, times in found.items() if times > 1]
        if shared:
            text = f"{len(shared):,} {one} several queries"
            yield "shared", f"{text} ({format_list(shared)}) and would count for each"
    n = counts["queries"]
    if measured.layout == "rows" and counts["ranked"] == n:
        yield "single_rows", f"each of {n:,} queries has a single row: nothing is ranked"
    if counts["relevant"] and not counts["retrieved"] and "no_hits" not in measured.allow:
        text = f"no relevant item was retrieved for any of {n:,} queries"
        yield "no_hits", f"{text}: do the ids of y_true and y_score match?{_cause(measured)}"
    yield "undefined", _undefined(measured)


def _cause(measured: StrictEvaluation) -> str:
    """Apparent difference of the ids of both sides, or an example of each."""
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
        if (
            used.is_pooled
            or used.metric.of_judgements
            or used.metric.of_results
            or used.metric.is_given
        ):
            continue
        if settled == 0 and used.metric.greater_is_better:
            continue  # the worst value
        undefined = measured.evaluation.is_undefined(name)
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


def _suspicions(measured: StrictEvaluation) -> Iterator[tuple[str, str]]:
    """Warnings on the data, each with the name in ``allow``."""
    used, counts = measured.used, measured.counts
    # Layouts in which a system chooses how much it retrieves; arrays score all candidates.
    may_end_early = measured.layout in ("lists", "mapping")
    lengths = measured.evaluation.n_ranked
    lengths = lengths[lengths > 0]
    length = int(lengths.max(initial=0))
    deeper = [name for name, own in used.items() if (own.k or 0) > length]
    lacks, many = counts["retrieved"] < counts["relevant"], len(measured) >= ENOUGH
    most_end = length and 2 * int((lengths == length).sum()) >= len(lengths)
    if may_end_early and many and lacks and deeper and most_end:
        yield (
            "truncated",
            f"{deeper[0]} reads deeper than the rankings, which end at {length} and lack "
            'relevant items; pass allow={"truncated"} if that is right',
        )
    if may_end_early and all(own.rewards_short for own in used.values()):
        yield (
            "unretrieved",
            f"{measured.names[0]} gets better when less is retrieved; "
            'gate recall beside it, or pass allow={"unretrieved"}',
        )
    perfect = [
        name
        for name, own in used.items()
        if own.metric.name in _PERFECT_ORDER and measured.value(name) == 1.0
    ]
    if perfect and many:
        yield (
            "perfect",
            f"{perfect[0]} is exactly 1 over {len(measured):,} queries: do the rankings know the "
            'judgements? Pass allow={"perfect"} if that is right',
        )

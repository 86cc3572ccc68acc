"""Strict measuring: omissions and warnings of the library are errors here."""

from __future__ import annotations

import math
import threading
import warnings
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Set
from functools import cached_property
from typing import Any, NoReturn, get_args

import numpy as np

from sklearn_rank.evaluation.evaluate import evaluate
from sklearn_rank.evaluation.repeats import Repeats
from sklearn_rank.evaluation.result import Evaluation, item_function, text_function
from sklearn_rank.exceptions import InvalidParameterError, RankingDataWarning, RankingOrderWarning
from sklearn_rank.gates.policy import Allowed, Policy, check_count
from sklearn_rank.gates.verdict import Finding, RankGateFailure
from sklearn_rank.inputs.frames import as_tables, is_spark
from sklearn_rank.inputs.hints import swap_suspicion
from sklearn_rank.inputs.layouts import layout_of
from sklearn_rank.inputs.tables import Run
from sklearn_rank.kernels.binary import unjudged_share
from sklearn_rank.measures.own import given_measures
from sklearn_rank.measures.record import Measure
from sklearn_rank.support.segments import segment_sum
from sklearn_rank.support.text import format_list, safe_repr
from sklearn_rank.typing import FloatArray

DECIMALS = 6
"""Decimals of values that are compared, recorded or not: enough to distinguish rankings of a
million items, and few enough for a readable diff."""
_TOP = 10
"""Ranks that people look at."""
_PASSED_ON = (
    *("groups", "string_provider", "relevance", "sample_weight", "ties", "clusters"),
    *("convention", "zero_division", "missing", "values", "ignore_identical_ids"),
)
"""Arguments of ``evaluate``; the others belong to gates."""
_STRICT = {"zero_division": "raise", "missing": "raise"}


def refuse(what: str, word: str | None = None) -> NoReturn:
    """RankGateFailure, with the word that allows it."""
    hint = f'; pass allow={{"{word}"}} if that is right' if word else ""
    msg = f"could not measure: {what}{hint}"
    raise RankGateFailure(msg)


class Measured:
    """An evaluation without omissions, with the names that a test gives its queries."""

    def __init__(self, evaluation: Evaluation, policy: Policy, layout: str) -> None:
        reading = policy.reading
        self.policy = policy
        self.layout = layout
        self.evaluation = evaluation
        self.counts: dict[str, Any] = self.evaluation.counts
        names = [str(measure) for measure in policy.measures]
        self.used: dict[str, Measure] = dict(zip(names, evaluation.measures, strict=True))
        """Measures with the parameters of the convention, by the spelling of the policy."""
        self.top = next((used.k for used in self.used.values() if used.k is not None), _TOP)
        """Number of ranks for the share of unjudged items: the first cutoff of a measure."""
        ids = evaluation.query_ids
        self.own_ids: list[Any] = ids.tolist() if isinstance(ids, np.ndarray) else list(ids)
        """Ids of the queries in the data, where ``query_ids`` may have other names for them."""
        self.query_ids = _named_ids(self.own_ids, reading.get("query_ids"), layout)
        self.allow = frozenset(reading.get("allow", ()))
        self.zero_division = reading.get("zero_division", "raise")
        self.is_partial = evaluation.assumed == "partial"
        """Whether there may be items that nobody judged."""
        self.is_taken_as_complete = layout not in ("rows", "matrix") and not self.is_partial
        self.query_text = text_function(reading.get("query_text"))
        self.item_text = item_function(reading.get("item_text"))
        self.remarks: list[Finding] = []
        options = {
            **evaluation.reading.options,
            "zero_division": self.zero_division,
        }
        self.reading = {name: str(value) for name, value in options.items() if value != ""}
        """Options of reading, which have to agree with the baseline's."""

    def __len__(self) -> int:
        return len(self.query_ids)

    def value(self, name: str) -> float:
        """Score of a measure."""
        return float(self.evaluation[name])

    @cached_property
    def per_query(self) -> dict[str, FloatArray]:
        """Values as they enter the mean, NaN where a query does not; pooled measures have none.

        Rounded as in baselines, so that no comparison depends on whether a side was recorded.
        """
        return {
            name: np.round(self.evaluation.per_query[name], DECIMALS)
            for name, used in self.used.items()
            if not used.is_pooled
        }

    def spread(self, name: str) -> FloatArray | None:
        """Standard deviation of each query's value between runs; None of a single run."""
        if len(self.evaluation.runs) < 2:
            return None
        return np.round(self.evaluation.spread(self.used[name]), DECIMALS)

    @property
    def settled(self) -> float:
        """Number that a query without a value counts; NaN: none."""
        return math.nan if isinstance(self.zero_division, str) else float(self.zero_division)

    def weights(self, name: str) -> FloatArray | None:
        """Weights of the queries in the mean of a measure; None: all alike."""
        return None if self.used[name].is_pooled else self.evaluation.query_weights(name)

    @property
    def ranks_everything(self) -> bool:
        """Whether every ranking holds all items that any of them has, as far as that is known."""
        lengths, kept = self.evaluation.n_ranked, self.evaluation.items
        if self.layout in ("rows", "matrix"):
            return bool(self.counts["retrieved"] == self.counts["relevant"])
        if len(lengths) < 2 or int(lengths.min()) < int(lengths.max()) or kept is None:
            return False
        return len({item for own, _ in kept.rankings.values() for item in own}) == int(lengths[0])

    def greatest(self, name: str) -> float:
        """Greatest value of a measure, for rankings of these lengths."""
        used, longest = self.used[name], int(self.evaluation.n_ranked.max(initial=0))
        if used.metric.is_own or used.metric.greater_is_better:
            return used.metric.upper
        return min(longest if used.k is None else min(used.k, longest), used.metric.upper)

    def share_unjudged(self) -> float | None:
        """Share of the items on top that nobody judged; None where all are judged."""
        return unjudged_share(self.evaluation.rankings, k=self.top) if self.is_partial else None

    def slices(self) -> dict[str, tuple[list[int], Evaluation]]:
        """Numbers of the queries of each slice, and its evaluation."""
        slices = self.policy.slices
        if slices is None:
            return {}
        if callable(slices):
            labels = {query: slices(query) for query in self.query_ids}
            slices = {query: label for query, label in labels.items() if label is not None}
            if not slices:
                msg = "slices gives none of the queries a label"
                raise InvalidParameterError(msg)
        if isinstance(slices, Mapping) and self.query_ids != self.own_ids:
            # In terms of the ids that the evaluation knows.
            own = dict(zip(self.query_ids, self.own_ids, strict=True))
            try:
                if all(key in own for key in slices):
                    slices = {own[key]: label for key, label in slices.items()}
                else:
                    slices = {label: [own[key] for key in keys] for label, keys in slices.items()}
            except KeyError as error:
                msg = f"slices names a query that was not evaluated: {safe_repr(error.args[0])}"
                raise InvalidParameterError(msg) from None
        parts = self.evaluation.by_slice(slices)
        if len({str(label) for label in parts}) < len(parts):
            msg = f"slices has labels that read alike: {format_list(parts)}"
            raise InvalidParameterError(msg)
        place = {query: number for number, query in enumerate(self.own_ids)}
        named = {str(label): part for label, part in parts.items()}
        return {
            label: ([place[query] for query in part.query_ids], part)
            for label, part in sorted(named.items())
        }


def _named_ids(own: list[Any], given: Any, layout: str) -> list[Any]:
    """Names of the queries: the given ones where a query is a position."""
    if given is None:
        return own
    if layout not in ("lists", "matrix"):
        msg = f"query_ids names queries that are positions; y_true is of the {layout} layout"
        raise TypeError(msg)
    names = given.tolist() if isinstance(given, np.ndarray) else list(given)
    if len(names) != len(own):
        msg = f"query_ids has {len(names):,} names for {len(own):,} queries"
        raise ValueError(msg)
    twice = [name for name, times in Counter(names).items() if times > 1]
    if twice:
        msg = f"query_ids names {safe_repr(twice[0])} twice"
        raise ValueError(msg)
    return names


# Measuring ---------------------------------------------------------------------------------------


_filters = threading.Lock()
"""``catch_warnings`` replaces filters of the whole process, and gates may run in threads."""
_NO_FAILURE = "y_score holds -inf|lower scores seem better|every judged item"
"""Warnings of data that a gate measures as they are."""


def measure(y_true: Any, y_score: Any, policy: Policy) -> Measured:
    """Evaluate, and fail where something would have been left out."""
    reading = policy.reading
    allow = _allowed(reading.get("allow", ()))
    options = {**_STRICT, **{name: reading[name] for name in _PASSED_ON if name in reading}}  # type: ignore[literal-required]
    if reading.get("clusters") is not None:
        options["clusters"] = _clusters(reading["clusters"], reading.get("query_ids"))
    if reading.get("values") is not None and reading.get("query_ids") is not None:
        options["values"] = {
            own: _by_position(own, given, reading["query_ids"])
            for own, given in given_measures(reading["values"]).items()
        }
    stays_in_spark = is_spark(y_true) or is_spark(y_score)
    is_repeated = isinstance(y_score, Repeats)
    if stays_in_spark or is_repeated:
        options["columns"] = reading.get("columns")
    else:
        labels = [own for own in (policy.slices, reading.get("clusters")) if isinstance(own, str)]
        y_true, y_score = as_tables(y_true, y_score, reading.get("columns"), labels)
        _refuse_empty(y_true, y_score)
        suspicion = "" if "swapped" in allow else swap_suspicion(y_true, y_score)
        if suspicion:
            refuse(suspicion, "swapped")
    # Ids would leave Spark for a baseline alone.
    options["keep_items"] = not stays_in_spark or bool(policy.max_drop)
    try:
        with _filters, warnings.catch_warnings():
            # What the library warns of, the gate allows or fails for.
            warnings.simplefilter("ignore", RankingDataWarning)
            warnings.filterwarnings("default", _NO_FAILURE, RankingDataWarning)
            warnings.simplefilter("error", RankingOrderWarning)
            evaluation = evaluate(y_true, y_score, policy.measures, **options)
    except RankingOrderWarning as doubt:
        refuse(str(doubt))
    measured = Measured(evaluation, policy, layout_of(y_true))
    without = measured.counts["unjudged"]
    if without and "unjudged" not in allow:
        have, named = "query has" if without == 1 else "queries have", ""
        if isinstance(y_true, Mapping) and isinstance(y_score, Mapping):
            named = f": {format_list([query for query in y_score if query not in y_true])}"
        refuse(f"{without:,} ranked {have} no judgements and would be left out{named}", "unjudged")
    for word, text in _left_out(measured):
        if text and word not in allow:
            refuse(text, word)
    measured.remarks += [own for own in _suspicions(measured) if own.rule not in allow]
    wanted = check_count(reading.get("n_queries"), "n_queries")
    if wanted is not None and wanted != len(measured):
        refuse(f"{len(measured):,} queries were evaluated, n_queries={wanted}")
    return measured


def _clusters(given: Any, names: Any) -> Any:
    """Clusters by the ids that the evaluation knows, where ``query_ids`` has names for them."""
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


def _allowed(allow: Any) -> Collection[str]:
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


# Gaps and suspicions -----------------------------------------------------------------------------

ENOUGH = 10
"""With fewer queries a perfect score, or rankings of one length, may be chance."""
_PERFECT_ORDER = ("map", "mrr", "ndcg", "nerr", "auc", "gauc")
"""Metrics that are 1 only if every query is answered as well as can be."""


def _left_out(measured: Measured) -> Iterator[tuple[str, str]]:
    """Gaps in the measured data, each with the name in ``allow``."""
    counts, kept = measured.counts, measured.evaluation.items
    one = "items of the one ground truth were found by"
    if counts["missed"]:
        yield "missed", f"{counts['missed']:,} {one} no query and would count for none"
    if kept is not None and isinstance(kept.shared, (Mapping, Set)):
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
    if counts["relevant"] and not counts["retrieved"]:
        text = f"no relevant item was retrieved for any of {n:,} queries"
        yield "no_hits", f"{text}: do the ids of y_true and y_score match?{_cause(measured)}"
    yield "undefined", _undefined(measured)


def _cause(measured: Measured) -> str:
    """Apparent difference of the ids of both sides, or an example of each."""
    if measured.evaluation.hint:
        return f" ({measured.evaluation.hint})"
    for placement in measured.evaluation.placements():
        if placement.ranking and placement.not_retrieved:
            wanted, ranked = placement.not_retrieved[0], placement.ranking[0]
            return f" (such as {safe_repr(wanted)} and {safe_repr(ranked)})"
    return ""


def _undefined(measured: Measured) -> str:
    """Queries that found nothing, and would not count as such for a measure."""
    settled, rankings = measured.zero_division, measured.evaluation.rankings
    for name, used in measured.used.items():
        metric = used.metric
        if used.is_pooled or metric.of_judgements or metric.of_results or metric.is_given:
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


def _suspicions(measured: Measured) -> Iterator[Finding]:
    """Remarks on data that look odd, each with its word in ``allow``."""
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
        text = f"{deeper[0]} reads deeper than the rankings, which end at {length}"
        yield _odd("truncated", f"{text} and lack relevant items; {{allow}} if that is right")
    if may_end_early and all(own.rewards_short for own in used.values()):
        text = f"{next(iter(used))} gets better when less is retrieved; gate recall beside it"
        yield _odd("unretrieved", f"{text}, or {{allow}}")
    perfect = [
        name
        for name, own in used.items()
        if own.metric.name in _PERFECT_ORDER and float(measured.evaluation[name]) == 1.0
    ]
    if perfect and many:
        text = f"{perfect[0]} is exactly 1 over {len(measured):,} queries: do the rankings know the"
        yield _odd("perfect", f"{text} judgements? If they do not, {{allow}}")


def _odd(word: str, text: str) -> Finding:
    return Finding(word, None, text.format(allow=f'pass allow={{"{word}"}}'), warns=True)

"""One evaluation, read strictly: what the library would leave out is an error here."""

from __future__ import annotations

import math
import threading
import warnings
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from functools import cached_property, partial
from typing import Any, get_args

import numpy as np

from pytest_rankmetrics._support.typing import Allowed, Reading, refuse_unknown
from pytest_rankmetrics.failures import RankGateFailure
from pytest_rankmetrics.policy.limits import check_count
from sklearn_rank.evaluation.evaluate import evaluate
from sklearn_rank.evaluation.result import Evaluation
from sklearn_rank.exceptions import (
    CutRankingsWarning,
    InvalidParameterError,
    NothingRetrievedWarning,
    SharedTruthWarning,
)
from sklearn_rank.inputs.dispatch import layout_of
from sklearn_rank.inputs.frames import as_tables
from sklearn_rank.inputs.long_tables import Run
from sklearn_rank.measures.catalogue import Measure
from sklearn_rank.rankings.placements import Placement
from sklearn_rank.rankings.source import KeptItems
from sklearn_rank.support.text import listed, safe_repr
from sklearn_rank.typing import FloatArray, IntArray

_PASSED_ON = (
    "groups",
    "candidates",
    "string_provider",
    "relevance",
    "sample_weight",
    "ties",
    "convention",
    "zero_division",
    "missing",
    "duplicates",
)
_STRICT = {"zero_division": "raise", "missing": "raise", "duplicates": "raise"}
SUSPICIOUS = 10
"""From so many queries on, a perfect score or a common cut is remarked on."""


class Measured:
    """An evaluation with the names of its queries, and what was odd about it."""

    def __init__(
        self,
        found: Evaluation,
        reading: Reading,
        measures: Sequence[Measure],
        layout: str,
        read_again: Callable[[], Evaluation] | None = None,
    ) -> None:
        self.evaluation = found
        self._read_again = read_again
        self.layout = layout
        self.names = [str(measure) for measure in measures]
        self.used: dict[str, Measure] = dict(zip(self.names, found.measures, strict=True))
        self.query_ids = _query_ids(found, reading, layout)
        self.zero_division = reading.get("zero_division", "raise")
        self.ties = reading.get("ties")
        self.convention = reading.get("convention", "default")
        self.query_text = _checked_text(reading.get("query_text"))
        self.by_relevance = reading.get("relevance") is not None
        self.warnings: list[str] = []

    def __len__(self) -> int:
        return len(self.query_ids)

    def value(self, name: str) -> float:
        """Score of a measure."""
        return float(self.evaluation[name])

    def per_query(self, name: str) -> FloatArray | None:
        """Values as they enter the mean, NaN where a query does not; None for a pooled measure."""
        if self.used[name].is_pooled:
            return None
        return self.filled(self.evaluation.per_query[name])

    def filled(self, values: FloatArray) -> FloatArray:
        """Values with the number that stands for an undefined one, if there is any."""
        if isinstance(self.zero_division, str) or math.isnan(self.zero_division):
            return values
        return np.where(np.isnan(values), float(self.zero_division), values)

    @cached_property
    def own_ids(self) -> list[Any]:
        """Ids of the queries in the data, where ``query_ids`` may have other names for them."""
        return _ids(self.evaluation)

    def weights(self, name: str) -> FloatArray | None:
        """Weights of the queries in the mean of a measure; None: all alike."""
        return None if self.used[name].is_pooled else self.evaluation.query_weights(name)

    def placements(self, queries: Iterable[int] | None = None) -> list[Placement]:
        """Where the relevant items of some queries (by number), or of all, stand."""
        return self._with_items.placements(queries)

    @cached_property
    def items(self) -> KeptItems | None:
        """Ids of the items that were read; None in a layout that has none."""
        return self._with_items.items

    @cached_property
    def n_ranked(self) -> IntArray:
        """Length of each ranking."""
        lengths: IntArray = self.evaluation.rankings.n_ranked
        return lengths

    @cached_property
    def _with_items(self) -> Evaluation:
        """The evaluation, read once more for the ids of its items where those were not kept.

        Keeping them costs several times the evaluation itself, and only a gate that fails names
        any. Data that changed meanwhile give other places, and then no names.
        """
        first = self.evaluation
        if first.items is not None or self._read_again is None:
            return first
        try:
            again = self._read_again()
        except (TypeError, ValueError):
            return first
        return again if _same_places(first, again) else first

    @cached_property
    def sample_weights(self) -> list[float] | None:
        """Weights of the queries in the data."""
        weights = self.evaluation.rankings.weights
        return None if weights is None else weights.tolist()

    @cached_property
    def counts(self) -> dict[str, Any]:
        """What was found and left out."""
        return self.evaluation.counts

    def slices(self, slices: Any) -> dict[str, Evaluation]:
        """The evaluation of each slice, by label."""
        if callable(slices):
            slices = {query: slices(query) for query in self.query_ids}
        if isinstance(slices, Mapping) and self._renamed:
            slices = self._positions(slices)
        found = self.evaluation.by_slice(slices)
        if len({str(label) for label in found}) < len(found):
            msg = f"slices has labels that read alike: {listed(found)}"
            raise InvalidParameterError(msg)
        return {str(label): part for label, part in found.items()}

    @cached_property
    def _renamed(self) -> bool:
        return self.query_ids != self.own_ids

    def _positions(self, slices: Mapping[Any, Any]) -> dict[Any, Any]:
        """Slices in terms of the ids that the evaluation knows."""
        place = dict(zip(self.query_ids, self.own_ids, strict=True))
        if all(key in place for key in slices):
            return {place[key]: label for key, label in slices.items()}
        try:
            return {label: [place[key] for key in keys] for label, keys in slices.items()}
        except KeyError as error:
            msg = f"slices names a query that was not evaluated: {safe_repr(error.args[0])}"
            raise InvalidParameterError(msg) from None


def _checked_text(given: Any) -> Callable[[Any], Any]:
    """What gives the text of a query; InvalidParameterError unless a mapping or a function."""
    if given is None:
        return lambda _query: ""
    if isinstance(given, Mapping):
        return lambda query: given.get(query, "")
    if callable(given):
        return given  # type: ignore[no-any-return]
    msg = (
        f"query_text must be {{query: text}} or a function of the query id, got {safe_repr(given)}"
    )
    raise InvalidParameterError(msg)


def _same_places(one: Evaluation, other: Evaluation) -> bool:
    return all(
        np.array_equal(getattr(one.rankings, name), getattr(other.rankings, name))
        for name in ("offsets", "above", "tied", "grades", "n_ranked", "judged_grades")
    )


def measure_strictly(
    y_true: Any,
    y_score: Any,
    measures: Sequence[Measure],
    reading: Reading,
    *,
    keep_items: bool = False,
) -> Measured:
    """Evaluate, and fail where something would have been left out.

    ``keep_items`` is for those who need the ids of all items whatever comes out: a baseline.
    """
    refuse_unknown(reading, Reading)
    allow = _allowed(reading)
    options: dict[str, Any] = {
        **_STRICT,
        **{name: value for name, value in reading.items() if name in _PASSED_ON},
    }
    y_true, y_score = as_tables(y_true, y_score, reading.get("columns"))
    _refuse_empty(y_true, y_score)
    layout = layout_of(y_true)
    # A provider is called once for each item; and who shares a truth has to be known.
    given = any(reading.get(name) is not None for name in ("string_provider", "relevance"))
    keep_items = keep_items or given or isinstance(y_true, Set)
    read = partial(_evaluate, y_true, y_score, measures, options)
    found, read_again = read(keep_items), partial(read, True)
    measured = Measured(found, reading, measures, layout, read_again)
    if isinstance(y_true, Mapping) and "unjudged" not in allow:
        _refuse_unjudged([query for query in y_score if query not in y_true])
    _refuse_left_out(measured, allow)
    _check_number(measured, reading)
    _warn_of_truncation(measured, allow)
    _warn_of_rewarded_silence(measured, allow)
    _warn_of_perfection(measured, allow)
    return measured


def _evaluate(
    y_true: Any,
    y_score: Any,
    measures: Sequence[Measure],
    options: Mapping[str, Any],
    keep_items: bool,
) -> Evaluation:
    with _without_warnings():
        return evaluate(y_true, y_score, measures, keep_items=keep_items, **options)


def _refuse_empty(y_true: Any, y_score: Any) -> None:
    for name, value in (("y_true", y_true), ("y_score", y_score)):
        length = value.shape[0] if getattr(value, "shape", ()) else None
        if length is None and hasattr(value, "__len__"):
            length = len(value)
        if length == 0:
            msg = (
                f"nothing to evaluate: 0 queries ({name} is empty); "
                "an empty result set never passes a gate"
            )
            raise RankGateFailure(msg)
    if isinstance(y_score, Run):
        return  # no query of a long table is without rows
    rankings = list(y_score.values()) if isinstance(y_score, Mapping) else y_score
    if isinstance(rankings, (list, tuple)) and all(
        isinstance(one, (list, tuple, Mapping)) and not one for one in rankings
    ):
        msg = f"nothing was retrieved: the rankings of all {len(rankings):,} queries are empty"
        raise RankGateFailure(msg)


_filters = threading.Lock()


@contextmanager
def _without_warnings() -> Iterator[None]:
    """What the library warns of here, the gate either allows or fails for."""
    with _filters, warnings.catch_warnings():
        warnings.simplefilter("ignore", SharedTruthWarning)
        warnings.simplefilter("ignore", NothingRetrievedWarning)
        warnings.simplefilter("ignore", CutRankingsWarning)
        yield


def _allowed(reading: Reading) -> set[str]:
    allow = reading.get("allow", ())
    if isinstance(allow, str) or not isinstance(allow, Collection):
        msg = f"allow must be a collection of words, got {safe_repr(allow)}"
        raise InvalidParameterError(msg)
    unknown = [word for word in allow if word not in get_args(Allowed)]
    if unknown:
        known = ", ".join(get_args(Allowed))
        msg = f"allow has the unknown word {safe_repr(unknown[0])}; there are: {known}"
        raise InvalidParameterError(msg)
    return set(allow)


def _ids(found: Evaluation) -> list[Any]:
    ids = found.query_ids
    return ids.tolist() if isinstance(ids, np.ndarray) else list(ids)


def _query_ids(found: Evaluation, reading: Reading, layout: str) -> list[Any]:
    """Names of the queries: the given ones where a query is a position."""
    own = _ids(found)
    given = reading.get("query_ids")
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


def _refuse_unjudged(unjudged: list[Any]) -> None:
    if unjudged:
        have = "query has" if len(unjudged) == 1 else "queries have"
        _fail(
            f"{len(unjudged):,} ranked {have} no judgements and would be left out: "
            f"{listed(unjudged)}",
            "unjudged",
        )


def _refuse_left_out(measured: Measured, allow: set[str]) -> None:
    """RankGateFailure for what the evaluation left out, or could not have measured."""
    counts = measured.counts
    n_queries = counts["queries"]
    if counts["missed"] and "missed" not in allow:
        _fail(
            f"{counts['missed']:,} items of the one ground truth were found by no query and "
            "would count for none",
            "missed",
        )
    shared = _shared_items(measured)
    if shared and "shared" not in allow:
        _fail(
            f"{len(shared):,} items of the one ground truth were found by several queries "
            f"({listed(shared)}) and would count for each",
            "shared",
        )
    if measured.layout == "rows" and counts["ranked"] == n_queries and "single_rows" not in allow:
        _fail(f"each of {n_queries:,} queries has a single row: nothing is ranked", "single_rows")
    if counts["relevant"] and not counts["retrieved"] and "no_hits" not in allow:
        _fail(
            f"no relevant item was retrieved for any of {n_queries:,} queries: "
            f"do the ids of y_true and y_score meet?{_example(measured)}",
            "no_hits",
        )


def _fail(what: str, word: str | None = None) -> None:
    hint = f'; pass allow={{"{word}"}} if that is right' if word else ""
    msg = f"could not measure: {what}{hint}"
    raise RankGateFailure(msg)


def _shared_items(measured: Measured) -> list[Any]:
    kept = measured.evaluation.items
    if kept is None or kept.shared is None:
        return []
    found = Counter(
        item for items, _ in kept.rankings.values() for item in items if item in kept.shared
    )
    return [item for item, times in found.items() if times > 1]


def _example(measured: Measured) -> str:
    """One item of each side, to see why they do not meet."""
    for placement in measured.placements():
        if placement.ranking and placement.not_retrieved:
            one, other = placement.not_retrieved[0], placement.ranking[0]
            return f" (such as {safe_repr(one)} and {safe_repr(other)})"
    return ""


def _check_number(measured: Measured, reading: Reading) -> None:
    wanted = check_count(reading.get("n_queries"), "n_queries")
    if wanted is not None and wanted != len(measured):
        msg = f"could not measure: {len(measured):,} queries were evaluated, n_queries={wanted}"
        raise RankGateFailure(msg)


def _warn_of_truncation(measured: Measured, allow: set[str]) -> None:
    """Rankings of which most end at one length, before the cutoff, with relevant items missing."""
    if "truncated" in allow or measured.layout not in ("lists", "mapping"):
        return
    lengths = measured.n_ranked[measured.n_ranked > 0]
    if len(measured) < SUSPICIOUS or not len(lengths):
        return
    length = int(lengths.max())
    cut = 2 * int((lengths == length).sum()) >= len(lengths)
    if not cut or measured.counts["retrieved"] == measured.counts["relevant"]:
        return
    deeper = [name for name, one in measured.used.items() if one.k is not None and one.k > length]
    if deeper:
        measured.warnings.append(
            f"{deeper[0]} reads deeper than the rankings, which end at {length} and lack "
            'relevant items; pass allow={"truncated"} if that is right'
        )


def _warn_of_rewarded_silence(measured: Measured, allow: set[str]) -> None:
    """Measures that rise when less is retrieved, with no other beside them."""
    rewarding = [name for name, one in measured.used.items() if _rewards_silence(one)]
    if rewarding and len(rewarding) == len(measured.used) and "unretrieved" not in allow:
        measured.warnings.append(
            f"{rewarding[0]} gets better when less is retrieved; "
            'gate recall beside it, or pass allow={"unretrieved"}'
        )


_PERFECT_ORDER = ("map", "mrr", "ndcg", "nerr", "auc", "gauc")
"""Metrics that are 1 only if every query is answered as well as can be."""


def _warn_of_perfection(measured: Measured, allow: set[str]) -> None:
    """A score of 1 over many queries: perhaps the rankings know the judgements."""
    if "perfect" in allow or len(measured) < SUSPICIOUS:
        return
    perfect = [
        name
        for name, one in measured.used.items()
        if one.metric.name in _PERFECT_ORDER and measured.value(name) == 1.0
    ]
    if perfect:
        measured.warnings.append(
            f"{perfect[0]} is exactly 1 over {len(measured):,} queries: do the rankings know the "
            'judgements? Pass allow={"perfect"} if that is right'
        )


def _rewards_silence(measure: Measure) -> bool:
    options = measure.options
    return options.get("unretrieved") == "ignore" or options.get("denominator") == "retrieved"

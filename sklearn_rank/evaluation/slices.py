"""Some of the queries: which ones a label means, and what was judged of them alone."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from sklearn_rank.exceptions import InvalidParameterError, RankingDataWarning
from sklearn_rank.inputs.ids import numbered
from sklearn_rank.rankings.data import InputCounts, Pool, RankingData
from sklearn_rank.rankings.judged import JudgedRankings
from sklearn_rank.support.checks import MISSING_TYPES, is_missing
from sklearn_rank.support.runtime import warn
from sklearn_rank.support.text import format_list, safe_repr
from sklearn_rank.typing import IntArray


def read_slices(
    slices: Any, query_ids: list[Any], left_out: Collection[Any]
) -> dict[Any, IntArray]:
    """Numbers of the queries of each label, in the order of the queries."""
    place = {query: number for number, query in enumerate(query_ids)}
    if callable(slices):
        slices = {query: slices(query) for query in place}
    if not isinstance(slices, Mapping) or not slices:
        msg = f"slices must be a non-empty mapping or a function, got {safe_repr(slices)}"
        raise InvalidParameterError(msg)
    try:
        return _read_labels(slices, place, {*place, *left_out})
    except InvalidParameterError:
        raise
    except TypeError as error:
        msg = f"slices holds a label or query that is not hashable: {safe_repr(str(error))}"
        raise InvalidParameterError(msg) from error


def _read_labels(
    slices: Mapping[Any, Any], place: dict[Any, int], known: set[Any]
) -> dict[Any, IntArray]:
    members: dict[Any, Any] = {}
    if all(map(known.__contains__, slices)):
        slices = _without_holes(slices)
        members = _by_query(slices, place)
        unlabelled = [query for query in place if query not in slices]
        if unlabelled and any(map(len, members.values())):
            warn(
                f"{len(unlabelled):,} of {len(place):,} queries have no label and are in no slice: "
                f"{format_list(unlabelled)}; label them [] if that is right",
                RankingDataWarning,
            )
    else:
        for label, queries in slices.items():
            if isinstance(queries, (str, bytes)) or not isinstance(queries, Iterable):
                _refuse_unknown(slices, known)
            asked = list(dict.fromkeys(queries))
            _refuse_unknown(asked, known)
            members[label] = sorted(place[query] for query in asked if query in place)
    labelled = {
        label: np.array(numbers, dtype=np.int64)
        for label, numbers in members.items()
        if len(numbers)
    }
    if not labelled:
        msg = "slices leaves every query without a label"
        raise InvalidParameterError(msg)
    return labelled


def _by_query(slices: Mapping[Any, Any], place: dict[Any, int]) -> dict[Any, Any]:
    """Numbers of the queries of each label, told by query."""
    labelled = {query: slices[query] for query in place if query in slices}
    if not any(issubclass(kind, _COLLECTIONS) for kind in set(map(type, labelled.values()))):
        numbers = np.fromiter(map(place.__getitem__, labelled), np.int64, len(labelled))
        distinct, codes = numbered(labelled.values(), len(labelled))
        order = np.argsort(codes, kind="stable")
        borders = np.searchsorted(codes[order], np.arange(1, len(distinct)))
        parts = np.split(numbers[order], borders)
        return dict(zip(distinct, parts, strict=bool(distinct)))  # nothing is split into one part
    members: dict[Any, list[int]] = {}
    for query, labels in labelled.items():
        for label in dict.fromkeys(labels if isinstance(labels, _COLLECTIONS) else (labels,)):
            members.setdefault(label, []).append(place[query])
    return members


def _without_holes(slices: Mapping[Any, Any]) -> Mapping[Any, Any]:
    """Without labels that are NaN, NA or NaT: no two of them are equal, so that none is shared."""
    if not any(_may_be_hole(kind) for kind in set(map(type, slices.values()))):
        return slices
    return {
        query: label for query, label in slices.items() if label is None or not is_missing(label)
    }


def _may_be_hole(kind: type) -> bool:
    return issubclass(kind, (float, np.floating)) or kind.__name__ in MISSING_TYPES


_COLLECTIONS = (set, frozenset, list, tuple)
"""Labels of one query."""


def _refuse_unknown(queries: Iterable[Any], known: Collection[Any]) -> None:
    unknown = [query for query in queries if query not in known]
    if unknown:
        msg = f"slices names queries that were not evaluated: {format_list(unknown)}"
        raise InvalidParameterError(msg)


def take_queries(judged: RankingData, queries: IntArray, known: Collection[Any]) -> RankingData:
    """What was judged of some queries; what belongs to no query in particular stays behind.

    All queries ``known`` by name are left out of it, or are among its own.
    """
    missing = np.flatnonzero(judged.is_missing[queries])
    by_relevance = None if judged.by_relevance is None else judged.by_relevance.take(queries)
    return RankingData(
        judged.rankings.take(queries),
        _SlicedPool(judged.pool, queries),
        by_relevance,
        counts=InputCounts(missing=len(missing)),
        missing=missing,
        left_out=known,
        keyed=judged.keyed,
        assumed=judged.assumed,
        ties=judged.ties,
        query_columns=judged.query_columns,
        rank_all=None if judged.rank_all is None else _SlicedWhole(judged, queries),
    )


@dataclass(frozen=True)
class _SlicedWhole:
    """Ranks some of the queries with all hits."""

    judged: RankingData
    queries: IntArray

    def __call__(self) -> JudgedRankings:
        return self.judged.whole.take(self.queries)


@dataclass(frozen=True)
class _SlicedPool:
    """The pool of some of the queries."""

    whole: Pool
    queries: IntArray

    def __call__(self, queries: IntArray | None = None) -> JudgedRankings:
        """One ranking of the items of the slice, or of some of its queries."""
        return self.whole(self.queries if queries is None else self.queries[queries])

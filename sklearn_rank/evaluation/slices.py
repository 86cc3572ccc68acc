"""Slices of the queries: the queries of each label, and their part of the data."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping
from typing import Any

import numpy as np

from sklearn_rank.exceptions import (
    InvalidParameterError,
    QueryMismatchError,
    RankingDataWarning,
)
from sklearn_rank.inputs.frames import by_index, is_frame
from sklearn_rank.rankings.data import InputCounts, RankingData
from sklearn_rank.rankings.reading import Reading
from sklearn_rank.support.checks import is_missing
from sklearn_rank.support.runtime import warn
from sklearn_rank.support.segments import segment_index, take_segments
from sklearn_rank.support.text import format_list, safe_repr
from sklearn_rank.typing import Array, IntArray


def read_slices(
    slices: Any, query_ids: list[Any], left_out: Collection[Any]
) -> dict[Any, IntArray]:
    """Numbers of the queries of each label, in the order of the queries."""
    position = {query: number for number, query in enumerate(query_ids)}
    slices = by_index(slices, "slices")
    if callable(slices):
        slices = {query: slices(query) for query in position}
    if not isinstance(slices, Mapping) or not slices:
        got = type(slices).__name__ if is_frame(slices) else safe_repr(slices)
        msg = f"slices must be a non-empty mapping, a Series by query id, or a function; got {got}"
        raise InvalidParameterError(msg)
    given = {*position, *left_out}
    try:
        is_by_query = all(map(given.__contains__, slices))
        members = _by_query(slices, position) if is_by_query else _by_label(slices, position, given)
    except InvalidParameterError:
        raise
    except TypeError as error:
        msg = f"slices holds a label or query that is not hashable: {safe_repr(str(error))}"
        raise InvalidParameterError(msg) from error
    if not members:
        msg = "slices gives no query a label; label at least one"
        raise InvalidParameterError(msg)
    return {label: np.array(numbers, dtype=np.int64) for label, numbers in members.items()}


def read_clusters(clusters: Any, judged: RankingData) -> Array:
    """(Q,) label of each query, from a mapping, a function or a column name."""
    look_up = by_index(clusters, "clusters")
    look_up = judged.labels(clusters) if isinstance(clusters, str) else look_up
    if isinstance(look_up, Mapping):
        look_up = look_up.get
    if not callable(look_up):
        msg = (
            "clusters must be {query: label}, such as dict(zip(query_ids, labels)), a function "
            f"of the query id, or the name of a column, got {safe_repr(clusters)}"
        )
        raise InvalidParameterError(msg)
    query_ids = judged.listed_ids()
    labels = np.empty(len(query_ids), dtype=object)
    unlabelled = []
    for number, query in enumerate(query_ids):
        label = labels[number] = look_up(query)
        if not isinstance(label, Hashable):
            msg = f"clusters gives {safe_repr(query)} the label {safe_repr(label)}; pass one label"
            raise InvalidParameterError(msg)
        if is_missing(label):
            unlabelled.append(query)
    if unlabelled:
        msg = (
            f"clusters has no label for {len(unlabelled):,} of {len(labels):,} queries: "
            f"{format_list(unlabelled)}; give each independent query a label of its own"
        )
        raise InvalidParameterError(msg)
    return labels


def _by_query(slices: Mapping[Any, Any], position: Mapping[Any, int]) -> dict[Any, list[int]]:
    """From {query: label or labels}; NaN is no label, since no two are equal."""
    members: dict[Any, list[int]] = {}
    unlabelled = []
    for query, number in position.items():
        labels = slices.get(query, np.nan)
        if not isinstance(labels, (set, frozenset, list, tuple)):
            labels = (labels,)
        of_query = dict.fromkeys(label for label in labels if not is_missing(label))
        if labels and not of_query:
            unlabelled.append(query)
        for label in of_query:
            members.setdefault(label, []).append(number)
    if unlabelled and members:
        warn(
            f"{len(unlabelled):,} of {len(position):,} queries have no label and are in no slice: "
            f"{format_list(unlabelled)}",
            RankingDataWarning,
        )
    return members


def _by_label(
    slices: Mapping[Any, Any], position: Mapping[Any, int], given: Collection[Any]
) -> dict[Any, list[int]]:
    """From {label: queries}; queries that were left out of the evaluation are ignored."""
    members = {}
    for label, queries in slices.items():
        # Of {query: label} with an unknown query, the queries are named.
        is_one = isinstance(queries, (str, bytes)) or not isinstance(queries, Iterable)
        of_label = list(slices if is_one else queries)
        unknown = [query for query in of_label if query not in given]
        if unknown:
            msg = f"slices names queries that were not evaluated: {format_list(unknown)}"
            raise InvalidParameterError(msg)
        members[label] = sorted({position[query] for query in of_label if query in position})
    return {label: numbers for label, numbers in members.items() if numbers}


def common_queries(ids: Iterable[list[Any]]) -> list[IntArray]:
    """Positions of the common queries in each evaluation, in the order of the first."""
    positions = [{query: number for number, query in enumerate(queries)} for queries in ids]
    common = [query for query in positions[0] if all(query in position for position in positions)]
    return [
        np.array([position[query] for query in common], dtype=np.int64) for position in positions
    ]


def refuse_other_options(readings: Mapping[str, Reading]) -> None:
    """InvalidParameterError if systems were read differently."""
    (base, first), *others = readings.items()
    for name, reading in others:
        for option, expected, value in first.differences(reading):
            msg = (
                f"{option}={expected!r} for {safe_repr(base)} and {option}={value!r} for "
                f"{safe_repr(name)}; evaluate all systems the same way"
            )
            raise InvalidParameterError(msg)


def refuse_other_judgements(
    systems: Mapping[str, RankingData], positions: Mapping[str, IntArray]
) -> None:
    """QueryMismatchError if systems have different relevant items for a query.

    ``positions`` are the numbers of the common queries in each.
    """
    (base, first), *others = systems.items()
    expected, sizes = _relevant_grades(first, positions[base])
    for name, data in others:
        grades, offsets = _relevant_grades(data, positions[name])
        differing = np.flatnonzero(np.diff(offsets) != np.diff(sizes))
        if not len(differing) and not np.array_equal(grades, expected):
            # Alike but for the order within each query?
            query = segment_index(offsets)
            of_other, of_base = (side[np.lexsort((side, query))] for side in (grades, expected))
            differing = query[of_other != of_base]
        what = "different numbers or grades"
        if not len(differing):
            differing = first.reading.judged_otherwise(
                data.reading, positions[base], positions[name]
            )
            what = "different ids, or grades of different items"
        if len(differing):
            query_id = first.listed_ids()[positions[base][differing[0]]]
            msg = (
                f"the relevant items of query {safe_repr(query_id)} are not the same for "
                f"{safe_repr(base)} and {safe_repr(name)}: {what}; evaluate all systems with the "
                "same judgements, and with a ground truth for each query"
            )
            raise QueryMismatchError(msg)


def _relevant_grades(data: RankingData, queries: IntArray) -> tuple[Array, IntArray]:
    taken, offsets = take_segments(data.rankings.relevant_offsets, queries)
    return data.rankings.relevant_grades[taken], offsets


def take_queries(judged: RankingData, queries: IntArray, given: Collection[Any]) -> RankingData:
    """The data of some queries, without counts that belong to no single query.

    Ids in ``given`` count as left out unless they are among the queries.
    """
    missing = np.flatnonzero(judged.is_missing[queries])
    return RankingData(
        judged.rankings.take(queries),
        judged.items,
        queries if judged.chosen is None else judged.chosen[queries],
        counts=InputCounts(missing=len(missing)),
        missing=missing,
        left_out=given,
        keyed=judged.keyed,
        assumed=judged.assumed,
        is_told=judged.is_told,
        ties=judged.ties,
        query_columns=judged.query_columns,
        clusters=None if judged.clusters is None else judged.clusters[queries],
        options=judged.options,
        outside=None
        if judged.outside is None
        else tuple(judged.outside[query] for query in queries.tolist()),
        judgements=None if judged.judgements is None else judged.judgements.take(queries),
    )

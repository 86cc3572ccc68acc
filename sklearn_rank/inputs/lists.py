"""Lists: a ranked list per query, and per query a ground truth, or one for all queries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Set
from typing import Any

import numpy as np

from sklearn_rank.exceptions import RankingDataWarning
from sklearn_rank.inputs.frames import is_frame
from sklearn_rank.inputs.items import ItemReader, Where, read_hits, sequence
from sklearn_rank.inputs.join import read_items
from sklearn_rank.rankings.data import RankingData
from sklearn_rank.support.checks import check_same_index, check_same_length, check_weights
from sklearn_rank.support.runtime import warn
from sklearn_rank.support.text import format_list
from sklearn_rank.typing import FloatArray


def from_lists(
    y_true: Any, y_score: Any, *, reader: ItemReader, sample_weight: Any = None, **options: Any
) -> RankingData:
    """Judged rankings of a sequence of ranked lists and their ground truth."""
    lists = _lists(y_true, y_score)
    truths = None
    if not isinstance(y_true, Set):
        truths = sequence(y_true, "y_true")
        check_same_length("y_true", len(truths), "y_score", len(lists))
    if not lists:
        msg = "no queries to evaluate: y_score is empty"
        raise ValueError(msg)
    query_ids = np.arange(len(lists))
    _check_collections(lists, "y_score", "the lists layout takes one ranked list per query")
    if truths is not None:
        _check_collections(truths, "y_true", "pass a set, a list or {item: grade} per query")
    else:
        rankings = reader.rankings(read_hits(lists, [y_true], reader), query_ids)
        truth = reader.truth(y_true, "y_true")
        truths, options["missed"] = _share(truth, rankings)
        lists, options["shared"] = rankings, truth
    weights = None if sample_weight is None else check_weights(sample_weight, len(lists))
    return read_items(lists, truths, query_ids, reader, weights=weights, positional=True, **options)


def _lists(y_true: Any, y_score: Any) -> list[Any]:
    """The rankings, one for each query."""
    if isinstance(y_score, Set) and not isinstance(y_true, Set):
        msg = "y_score is a set, which has no order; are y_true and y_score swapped?"
        raise TypeError(msg)
    if isinstance(y_score, Mapping):
        msg = (
            f"y_score is a {type(y_score).__name__} keyed by query, y_true a "
            f"{type(y_true).__name__}; pass both as mappings or both in the order of the queries"
        )
        raise TypeError(msg)
    if is_frame(y_score):
        msg = (
            f"y_score is a data frame and y_true a {type(y_true).__name__}, which has no query "
            "ids to join them by; pass y_true as a frame or mapping, too"
        )
        raise TypeError(msg)
    if getattr(y_score, "ndim", 1) != 2:
        check_same_index(y_true=y_true, y_score=y_score)
        return sequence(y_score, "y_score")
    if y_score.dtype.kind == "f":
        msg = (
            f"y_true holds a ground truth per query, and y_score is a 2-D array of shape "
            f"{y_score.shape} of scores; pass ranked item ids, or y_true as a 2-D array of grades"
        )
        raise TypeError(msg)
    rows: list[Any] = y_score.tolist()  # ranked lists of equal length
    return rows


def _check_collections(given: list[Any], name: str, rule: str) -> None:
    for kind in set(map(type, given)):
        if not hasattr(kind, "__len__") and not hasattr(kind, "__next__"):
            query = next(query for query, one in enumerate(given) if type(one) is kind)
            msg = f"{Where(name, query)} is {kind.__name__}; {rule}"
            raise TypeError(msg)


def _share(
    truth: dict[Any, float], rankings: list[Any]
) -> tuple[list[dict[Any, float]], FloatArray]:
    """For each query the shared truth that it retrieved, and the grades of what none did."""
    shared = [{key: truth[key] for key in ranking if key in truth} for ranking in rankings]
    times_found = Counter(key for truth_of in shared for key in truth_of)
    several = [key for key, times in times_found.items() if times > 1]
    if several:
        warn(
            f"{len(several):,} items of the one ground truth were found by several queries "
            f"({format_list(several)}) and count as relevant for each; pass one "
            "ground truth per query, "
            "or items that identify the pair of query and item",
            RankingDataWarning,
        )
    missed = [grade for key, grade in truth.items() if key not in times_found]
    return shared, np.array(missed, dtype=np.float64)

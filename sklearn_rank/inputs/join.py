"""The layouts whose items have ids: queries are joined by key or position, items by their ids.

Lists and mappings are looked up in dictionaries, long tables by hashes; both give
:class:`~sklearn_rank.rankings.ranking.Items`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace
from itertools import chain, compress, repeat
from typing import Any, NamedTuple

import numpy as np

from sklearn_rank.exceptions import QueryMismatchError, RankingDataWarning, RankingOrderWarning
from sklearn_rank.inputs.arrays import CodedIds
from sklearn_rank.inputs.frames import is_frame
from sklearn_rank.inputs.hints import (
    refuse_unequal_types,
    spelling_hint,
    warn_of_spelling,
    with_mismatch_hint,
)
from sklearn_rank.inputs.items import (
    SIMPLE_IDS,
    ItemReader,
    Where,
    names_rows,
    read_scores,
    relevance_scores,
    sequence,
)
from sklearn_rank.inputs.options import ReadOptions
from sklearn_rank.inputs.tables import (
    LEAST_RISES,
    Qrels,
    Run,
    best_occurrences,
    by_falling_id,
    doubt_of_ranks,
    doubt_of_rising,
    first_repeated,
    refuse_duplicate,
    refuse_two_grades,
    take_ids,
    types_of,
)
from sklearn_rank.rankings.data import InputCounts, KeptItems, RankingData
from sklearn_rank.rankings.ranking import TIE_RULES, Items
from sklearn_rank.rankings.reading import JudgedItems, Judgements
from sklearn_rank.support.checks import (
    EXACT_INTEGER,
    check_finite,
    check_grades,
    check_same_index,
    check_same_length,
    check_weights,
    is_missing,
)
from sklearn_rank.support.runtime import warn
from sklearn_rank.support.segments import offsets_of, segment_index, sizes_of
from sklearn_rank.support.text import argument, as_text, count, format_list, safe_repr
from sklearn_rank.typing import Array, Assume, BoolArray, FloatArray, IntArray, Missing

_NO_SCORES = (
    "ranked lists carry no scores that compare across queries; "
    "pass relevance=, {item: score} rankings, or arrays"
)
_LISTS, _SETS = {list, tuple}, {set, frozenset}


def resolve_assumption(assume: Assume | None, *, has_grades: bool, has_zero: bool) -> str:
    """Assumption about items that the ground truth does not name, one of ``data.ASSUMED``.

    Who wrote down that an item is not relevant has written down all that was judged. A set says of
    itself that it is complete.
    """
    if assume is None and not has_grades:
        return ""
    return assume or ("partial" if has_zero else "complete")


class _Joined(NamedTuple):
    """Ranked items with their grades."""

    items: Items
    assumed: str
    """Assumption about items that the ground truth does not name."""
    judgements: Judgements


# Lists and mappings ------------------------------------------------------------------------------


def read_items(
    rankings: list[Any],
    truths: list[Any],
    query_ids: Array | list[Any],
    options: ReadOptions,
    *,
    weights: FloatArray | None,
    is_shared: bool = False,
    is_table: bool = False,
    **about: Any,
) -> RankingData:
    """Judged rankings of items with ids; of plain ids at once, of others after a closer look.

    ``is_shared`` says that ``truths`` are one, of all queries, and ``is_table`` that rankings are
    rows of a table, whose order says nothing. ``about`` are further fields of the data.
    """
    reader, relevance = ItemReader(options), options.relevance
    are_partial = [options.assume == "partial"] * len(rankings)
    if options.assume is None and not is_shared:
        are_partial = [isinstance(truth, Mapping) for truth in truths]
    types = missed = shared = None
    if not (is_shared or options.string_provider or options.ignore_identical_ids):
        types = _types_of_plain(rankings, truths)
    if types is not None:
        refuse_unequal_types(*types)
    else:
        rankings = reader.rankings(rankings, query_ids, truths)
        if is_shared:
            shared = reader.truth(truths[0], "y_true")
            truths = [{i: shared[i] for i in ranking if i in shared} for ranking in rankings]
            missed = _missed(shared, truths)
        else:
            pairs = zip(query_ids, truths, strict=True)
            truths = [reader.truth(truth, Where("y_true", query)) for query, truth in pairs]
        reader.check_types()
    offsets = offsets_of(np.array(list(map(len, rankings)), dtype=np.int64))
    scores = None
    if set(map(type, rankings)) == {dict}:
        scores = _scores(rankings, offsets, query_ids)
        doubt = doubt_of_rising(scores, offsets, 1 if reader.are_best_first else LEAST_RISES)
        if is_table:
            doubt = doubt_of_ranks(scores, offsets)
        if doubt:
            warn(doubt, RankingOrderWarning)
    joined = _look_up(rankings, truths, options, are_partial, has_zero=reader.unjudged_grades > 0)
    items = joined.items._replace(offsets=offsets, scores=scores, missed=missed)
    judgements = joined.judgements
    if shared is not None:
        borders, grades = np.array([0, len(shared)]), np.array([*shared.values()])
        judgements = Judgements(JudgedItems(borders, [*shared], grades, len(rankings)))
    if scores is not None and TIE_RULES[options.ties].by_id:
        items = by_falling_id(items, [*chain.from_iterable(rankings)])
    if relevance is not None:
        n_dropped, keyed = reader.n_dropped + reader.n_identical, "keyed" in about
        relevant = relevance_scores(relevance, rankings, query_ids, n_dropped, keyed=keyed)
        items = items._replace(relevance=relevant)
    if reader.mixes or (scores is None and relevance is None):
        items = items._replace(no_pool=_NO_SCORES)
    if options.keep_items:
        about["ids"] = _copied(rankings, truths, list(query_ids), items, shared)
    about["counts"] = replace(
        about.get("counts", InputCounts()),
        duplicates=reader.n_dropped,
        identical_ids=reader.n_identical,
        missed=0 if missed is None else len(missed),
        unjudged_grades=reader.unjudged_grades,
    )
    about |= {"assumed": joined.assumed, "judgements": judgements, "hint": reader.mismatch()}
    about["n_shared"] = 0 if shared is None else len(shared)
    sides = zip(truths if shared is None else repeat(shared), rankings, strict=False)
    judged = RankingData.of(items, items.ranked(query_ids, weights), **about)
    return with_mismatch_hint(judged, sides)


def _types_of_plain(rankings: list[Any], truths: list[Any]) -> tuple[set[type], set[type]] | None:
    """Types of the ids of both sides; None where something is to be read with care.

    That is anything but text and integers, each once in a query, with plain numbers as grades.
    """
    containers, of_truth = set(map(type, rankings)), set(map(type, truths))
    lists = [truth for truth in truths if type(truth) in _LISTS] if of_truth & _LISTS else []
    if containers <= _LISTS:
        lists += rankings
    elif containers != {dict}:
        return None
    if not of_truth <= _LISTS | _SETS | {dict}:
        return None
    ranked, true = (set(map(type, chain.from_iterable(side))) for side in (rankings, truths))
    if not ranked | true <= SIMPLE_IDS or sum(map(len, map(set, lists))) < sum(map(len, lists)):
        return None
    graded = truths if of_truth == {dict} else [one for one in truths if type(one) is dict]
    grades = [*chain.from_iterable(map(dict.values, graded))]
    if not set(map(type, grades)) <= {int, float}:
        return None
    few = {0, *grades}  # a NaN is among them
    are_plain = min(few) >= 0 and max(few) <= EXACT_INTEGER and not math.isnan(sum(few))
    return (ranked, true) if are_plain else None


def _scores(rankings: list[Any], offsets: IntArray, query_ids: Any) -> Array:
    """Scores of all {item: score}, none rounded and none missing."""

    def place(number: int) -> tuple[Where, str]:
        query = int(np.searchsorted(offsets, number, side="right")) - 1
        item = list(rankings[query])[number - offsets[query]]
        return Where("y_score", query_ids[query]), f"for item {safe_repr(item)}"

    return read_scores([*chain.from_iterable(map(dict.values, rankings))], place)


def _look_up(
    rankings: list[Any],
    truths: list[Any],
    options: ReadOptions,
    are_partial: Sequence[bool],
    *,
    has_zero: bool,
) -> _Joined:
    """Grades of the items of rankings that are all lists or all {item: score}.

    ``are_partial`` says of each query whether its ground truth may leave out judged items.
    """
    sizes = np.array(list(map(len, truths)), dtype=np.int64)
    kinds, borders, grades = set(map(type, truths)), offsets_of(sizes), np.ones(int(sizes.sum()))
    if dict in kinds:
        truths = [one if type(one) is dict else dict.fromkeys(one, 1.0) for one in truths]
        grades = np.fromiter(chain.from_iterable(map(dict.values, truths)), float, len(grades))
    elif not kinds <= _SETS:
        truths = list(map(set, truths))
    is_relevant = grades > 0
    has_zero |= not is_relevant.all()
    has_grades = any(are_partial)
    assumed = resolve_assumption(options.assume, has_grades=has_grades, has_zero=has_zero)
    if dict in kinds or assumed == "partial":
        if dict not in kinds:
            truths = [dict.fromkeys(one, 1.0) for one in truths]
        # What the ground truth does not name: unjudged, or irrelevant.
        others = [math.nan if assumed == "partial" and one else 0.0 for one in are_partial]
        grades_of = map(map, [truth.get for truth in truths], rankings, map(repeat, others))
        n_items = sum(map(len, rankings))
        ranked = np.fromiter(chain.from_iterable(grades_of), np.float64, n_items)
    else:
        are_named = map(map, [truth.__contains__ for truth in truths], rankings)
        ranked = np.frombuffer(bytearray(chain.from_iterable(are_named)), np.uint8)
    judged, n_judged = _chosen(is_relevant, borders, grades), None
    ids = [*chain.from_iterable(truths)]
    if assumed == "partial":
        n_judged = sizes
    else:
        ids, (borders, grades) = [*compress(ids, is_relevant.tolist())], judged
    items = Items(borders, None, ranked, judged, n_judged=n_judged, ties=options.ties)
    return _Joined(items, assumed, Judgements(JudgedItems(borders, ids, grades)))


def _chosen(
    is_chosen: BoolArray, borders: IntArray, values: FloatArray
) -> tuple[IntArray, FloatArray]:
    """Borders and values of the chosen ones."""
    if is_chosen.all():
        return borders, values
    chosen = is_chosen.nonzero()[0]
    return chosen.searchsorted(borders), values[chosen]


def _missed(shared: dict[Any, float], retrieved: list[dict[Any, float]]) -> FloatArray:
    """Grades of items of the one truth that no query retrieved; warns of items of several."""
    times = Counter(key for items in retrieved for key in items)
    several = [key for key, n_times in times.items() if n_times > 1]
    if several:
        were, counts = ("was", "counts") if len(several) == 1 else ("were", "count")
        warn(
            f"{count(len(several), 'item')} of the one ground truth {were} found by several "
            f"queries ({format_list(several)}) and {counts} as relevant for each; pass one ground "
            "truth per query, or items that identify the pair of query and item",
            RankingDataWarning,
        )
    return np.array([grade for key, grade in shared.items() if key not in times], np.float64)


def _copied(
    rankings: list[Any],
    truths: list[Any],
    query_ids: list[Any],
    items: Items,
    shared: dict[Any, float] | None,
) -> KeptItems:
    """The ids that were read, copied, so that they stay as they are."""
    ranked: dict[Any, tuple[tuple[Any, ...], Array | None]] = {}
    borders = items.offsets.tolist()
    for number, (query, ranking) in enumerate(zip(query_ids, rankings, strict=True)):
        # Python's garbage collector soon forgets tuples of texts, and visits lists again and again.
        ids, scores = tuple(ranking), None
        if items.scores is not None:
            scores = items.scores[borders[number] : borders[number + 1]]
            if TIE_RULES[items.ties].by_id:
                texts = list(map(as_text, ids))
                order = sorted(range(len(texts)), key=texts.__getitem__, reverse=True)
                ids, scores = tuple(ids[place] for place in order), scores[order]
        ranked[query] = ids, scores
    judged = {
        query: {item: float(grade) for item, grade in truth.items()}
        if isinstance(truth, Mapping)
        else dict.fromkeys(truth, 1.0)
        for query, truth in (zip(query_ids, truths, strict=True) if shared is None else ())
    }
    return KeptItems(ranked, judged, shared)


# Long tables -------------------------------------------------------------------------------------


def read_columns(qrels: Qrels, run: Run, options: ReadOptions) -> RankingData:
    """Judged rankings of long tables of judgements and of a run."""
    queries = join_queries(qrels.numbers, run.numbers, options.missing)
    weights = query_weights(options.sample_weight, queries)
    judged = read_joined(qrels.of_queries(queries), run.of_queries(queries), options, weights)
    judged = with_mismatch_hint(judged, pairs_of(qrels, run))
    return replace(judged, **_about_queries(qrels, run, queries, judged.counts))


def pairs_of(qrels: Qrels, run: Run) -> Iterator[tuple[Any, Any]]:
    """Judged and ranked items of the queries of both, even if an item comes twice."""
    return ((qrels.distinct(query), run.distinct(query)) for query in qrels if query in run.numbers)


def read_joined(
    qrels: Qrels, run: Run, options: ReadOptions, weights: FloatArray | None = None
) -> RankingData:
    """Data of tables that have the same queries, in one order."""
    refuse_unequal_types(types_of(run.item_ids), types_of(qrels.item_ids))
    if run.scores is not None:
        check_finite(run.scores, "y_score", where=run.name_row, infinite=True)
        doubt = doubt_of_ranks(run.scores, run.offsets)
        if doubt:
            warn(doubt, RankingOrderWarning)
    check_grades(qrels.grades, "y_true", where=qrels.name_row, negative=options.negative_grades)
    qrels, n_rows = _without_repeated_judgements(qrels), run.n_rows
    run = _without_duplicates(run, options)
    n_dropped, n_identical = n_rows - run.n_rows, 0
    if options.ignore_identical_ids:
        identical = run.find(CodedIds.of(run.query_ids), np.arange(len(run)))
        rows = np.setdiff1d(np.arange(run.n_rows), identical)
        n_identical, run = run.n_rows - len(rows), run.take(rows)
    joined = _look_up_rows(qrels, run, options)
    items = joined.items if run.scores is not None else joined.items._replace(no_pool=_NO_SCORES)
    return RankingData.of(
        items,
        items.ranked(run.query_ids, weights),
        assumed=joined.assumed,
        judgements=joined.judgements,
        keyed=True,
        counts=InputCounts(
            duplicates=n_dropped,
            identical_ids=n_identical,
            unjudged_grades=int(np.count_nonzero(qrels.grades < 0)),
        ),
    )


def _look_up_rows(qrels: Qrels, run: Run, options: ReadOptions) -> _Joined:
    """Grades of the rows of a run with the same queries, in one order, as its judgements."""
    has_zero = bool(qrels.grades.min(initial=1) <= 0)
    assumed = resolve_assumption(options.assume, has_grades=True, has_zero=has_zero)
    is_partial, n_judged = assumed == "partial", None
    wanted = np.flatnonzero(qrels.grades >= 0 if is_partial else qrels.grades > 0)
    ids, borders = take_ids(qrels.item_ids, wanted), np.searchsorted(wanted, qrels.offsets)
    rows = run.find(ids, segment_index(qrels.offsets)[wanted])
    grades = qrels.grades[wanted].astype(np.float64)
    ranked = np.full(run.n_rows, math.nan if is_partial else 0.0)
    ranked[rows[rows >= 0]] = grades[rows >= 0]
    judgements, judged = Judgements(JudgedItems(borders, ids, grades)), (borders, grades)
    if is_partial:
        n_judged = sizes_of(borders)
        judged = _chosen(grades > 0, borders, grades)
    items = Items(run.offsets, run.scores, ranked, judged, n_judged=n_judged, ties=options.ties)
    if run.scores is not None and TIE_RULES[options.ties].by_id:
        items = by_falling_id(items, run.item_ids)
    return _Joined(items, assumed, judgements)


def _without_duplicates(run: Run, options: ReadOptions) -> Run:
    """DuplicateItemError, or only the best row of each item."""
    rows = run.repeated()
    if not len(rows):
        return run
    keys = run.keys_of(rows)
    if options.duplicates == "raise":
        both = first_repeated(keys)
        number, item = keys[both[0]]
        places = rows[list(both)] - run.offsets[number]
        refuse_duplicate(Where("y_score", run.query_ids[number]), safe_repr(item), *places)
    best = rows[best_occurrences(keys, None if run.scores is None else run.scores[rows])]
    return run.take(np.setdiff1d(np.arange(run.n_rows), np.setdiff1d(rows, best)))


def _without_repeated_judgements(qrels: Qrels) -> Qrels:
    """Each item once; ValueError if one is judged twice and not alike."""
    rows = qrels.repeated()
    first: dict[tuple[int, Any], int] = {}
    for row, key in zip(rows.tolist(), qrels.keys_of(rows), strict=True):
        grade, again = qrels.grades[first.setdefault(key, row)], qrels.grades[row]
        if grade != again:
            refuse_two_grades(Where("y_true", qrels.query_ids[key[0]]), key[1], grade, again)
    if not first:
        return qrels
    dropped = np.setdiff1d(rows, list(first.values()))
    return qrels.take(np.setdiff1d(np.arange(qrels.n_rows), dropped))


# Queries of two sides ---------------------------------------------------------------------------


def join_queries(
    y_true: Mapping[Any, Any], y_score: Mapping[Any, Any], missing: Missing
) -> list[Any]:
    """Queries to evaluate, in the order of ``y_true``."""
    if not y_true:
        msg = "no queries to evaluate: y_true is empty"
        raise ValueError(msg)
    for name, side in (("y_true", y_true), ("y_score", y_score)):
        if not set(map(type, side)) <= SIMPLE_IDS and any(map(is_missing, side)):
            row, query = next(pair for pair in enumerate(side) if is_missing(pair[1]))
            msg = f"{name} has a missing query id, {safe_repr(query)}, at position {row + 1}"
            raise TypeError(msg)
    absent, msg = [query for query in y_true if query not in y_score], ""
    spare = [query for query in y_score if query not in y_true] if absent else []
    if len(absent) == len(y_true):
        msg = (
            f"y_true and y_score have no query in common: {format_list(y_true)} against "
            f"{format_list(y_score) or 'none'}{spelling_hint(y_true, y_score)}"
        )
    elif absent and missing != "skip":
        by_text = {str(query): query for query in spare}
        alike = [query for query in absent if str(query) in by_text]
        if alike:
            query, other = alike[0], by_text[str(alike[0])]
            msg = (
                f"{len(alike):,} queries have other types in y_true and y_score, as "
                f"{safe_repr(query)} ({type(query).__name__}) and {safe_repr(other)} "
                f"({type(other).__name__}), and do not match; use one type"
            )
        elif missing == "raise":
            msg = (
                f"{len(absent):,} of {len(y_true):,} judged queries have no ranking: "
                f"{format_list(absent)}. Pass {argument('missing', 'zero')} to count them as empty "
                f"rankings, or {argument('missing', 'skip')}."
            )
    if msg:
        raise QueryMismatchError(msg)
    warn_of_spelling(absent, spare)
    return [query for query in y_true if missing != "skip" or query in y_score]


def _about_queries(
    y_true: Mapping[Any, Any], y_score: Mapping[Any, Any], queries: list[Any], counts: InputCounts
) -> dict[str, Any]:
    """Fields of the data about queries of one side alone."""
    missing = [number for number, query in enumerate(queries) if query not in y_score]
    n_missing = len(missing) + len(y_true) - len(queries)
    n_unjudged, left_out = 0, []
    if missing or not len(queries) == len(y_true) == len(y_score):
        evaluated = set(queries)
        n_unjudged = sum(query not in y_true for query in y_score)
        left_out = [query for query in chain(y_true, y_score) if query not in evaluated]
    tables = (getattr(side, "about_queries", None) for side in (y_true, y_score))
    return {
        "counts": replace(counts, missing=n_missing, unjudged=n_unjudged),
        "missing": np.array(missing, dtype=np.int64),
        "left_out": left_out,
        "query_columns": tuple(table for table in tables if table is not None),
    }


def query_weights(sample_weight: Any, queries: list[Any]) -> FloatArray | None:
    """Weights of queries that were given by key."""
    if sample_weight is None:
        return None
    if not isinstance(sample_weight, Mapping):
        msg = "sample_weight for mappings must be {query: weight}: queries are joined by key"
        raise TypeError(msg)
    absent = [query for query in queries if query not in sample_weight]
    if absent:
        msg = f"sample_weight has no weight for {len(absent):,} queries: {format_list(absent)}"
        raise ValueError(msg)
    weights = [sample_weight[query] for query in queries]
    return check_weights(
        weights, len(queries), where=lambda place: f"query {safe_repr(queries[place])}"
    )


# Layouts of ids -----------------------------------------------------------------------------------

_PAIRS = (
    "{2} is a {0} keyed by query, {3} a {1}; pass both as mappings or both in the order of the "
    "queries"
)


def from_lists(y_true: Any, y_score: Any, options: ReadOptions) -> RankingData:
    """Judged rankings of a sequence of ranked lists and their ground truth."""
    kinds = type(y_true).__name__, type(y_score).__name__
    is_2d, is_shared, msg = getattr(y_score, "ndim", 1) == 2, isinstance(y_true, Set), ""
    if isinstance(y_score, Set) and not is_shared:
        msg = "y_score is a set, which has no order; are y_true and y_score swapped?"
    elif isinstance(y_score, Mapping):
        msg = _PAIRS.format(*kinds[::-1], "y_score", "y_true")
    elif is_frame(y_score):
        msg = (
            f"y_score is a data frame and y_true a {kinds[0]}, which has no query "
            "ids to join them by; pass y_true as a frame or mapping, too"
        )
    elif is_2d and y_score.dtype.kind == "f":
        msg = (
            f"y_true holds a ground truth per query, and y_score is a 2-D array of shape "
            f"{y_score.shape} of scores; pass ranked item ids, or y_true as a 2-D array of grades"
        )
    for name, side in (("y_true", y_true), ("y_score", y_score)):
        if not (msg or is_shared) and hasattr(side, "iloc") and names_rows(side.index):
            msg = (
                f"{name} is a Series whose index names queries, and the other side has none to "
                f"join by; pass both as Series or mappings, or {name}.tolist()"
            )
    if msg:
        raise TypeError(msg)
    if not is_2d:  # else ranked lists of equal length
        check_same_index(y_true=y_true, y_score=y_score)
    rankings = y_score.tolist() if is_2d else sequence(y_score, "y_score")
    truths = [y_true] if is_shared else sequence(y_true, "y_true")
    if not is_shared:
        if len(truths) != len(rankings) and set(map(type, truths)) == {tuple}:
            msg = (
                f"y_true is a list of {len(truths):,} tuples for {len(rankings):,} rankings; a set "
                "of them, set(y_true), is one ground truth for all queries"
            )
            raise ValueError(msg)
        check_same_length("y_true", len(truths), "y_score", len(rankings))
    if not rankings:
        msg = "no queries to evaluate: y_score is empty"
        raise ValueError(msg)
    for name, given, rule in (
        ("y_score", rankings, "the lists layout takes one ranked list per query"),
        ("y_true", truths, "pass a set, a list or {item: grade} per query, or one set for all"),
    ):
        for kind in set(map(type, given)):
            if not hasattr(kind, "__len__") and not hasattr(kind, "__next__"):
                query = next(query for query, one in enumerate(given) if type(one) is kind)
                msg = f"{Where(name, query)} is {kind.__name__}; {rule}"
                raise TypeError(msg)
    weights = None
    if options.sample_weight is not None:
        weights = check_weights(options.sample_weight, len(rankings))
    queries, about = np.arange(len(rankings)), {"is_shared": is_shared, "positional": True}
    return read_items(rankings, truths, queries, options, weights=weights, **about)


def from_mapping(y_true: Mapping[Any, Any], y_score: Any, options: ReadOptions) -> RankingData:
    """Judged rankings of {query: ground truth} and {query: ranking}."""
    if not isinstance(y_score, Mapping):
        kinds = type(y_true).__name__, type(y_score).__name__
        msg = _PAIRS.format(*kinds, "y_true", "y_score")
        if isinstance(y_score, (list, tuple)) and all(isinstance(run, Mapping) for run in y_score):
            msg += "; repeated runs of one system are Repeats(runs)"
        raise TypeError(msg)
    queries = join_queries(y_true, y_score, options.missing)
    about = _about_queries(y_true, y_score, queries, InputCounts())
    rankings = [y_score[query] if query in y_score else None for query in queries]  # noqa: SIM401
    are_scored = any(isinstance(ranking, Mapping) for ranking in rankings)
    for number in about["missing"].tolist():
        rankings[number] = {} if are_scored else []
    return read_items(
        rankings,
        [y_true[query] for query in queries],
        queries,
        options,
        weights=query_weights(options.sample_weight, queries),
        keyed=True,
        is_table=isinstance(y_score, Run),
        **about,
    )

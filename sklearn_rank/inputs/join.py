"""The layouts whose items have ids: queries are joined by key or position, items by their ids.

Plain dicts, lists and sets are looked up in dictionaries; the rest is read into long tables, which
are joined by codes and hashes. Both give :class:`~sklearn_rank.rankings.ranking.Items`.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Set
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import chain, compress, islice, repeat
from types import FunctionType, MethodType
from typing import Any, NamedTuple

import numpy as np

from sklearn_rank.exceptions import (
    DuplicateItemError,
    QueryMismatchError,
    RankingDataWarning,
    RankingMatchWarning,
    RankingOrderWarning,
)
from sklearn_rank.inputs.arrays import (
    OF_PAIR,
    CodedIds,
    IntegerIds,
    is_hashable,
    is_pair_of_matrices,
    is_sparse,
    rank_relevant_first,
)
from sklearn_rank.inputs.frames import is_frame
from sklearn_rank.inputs.hints import (
    refuse_unequal_types,
    warn_of_shift,
    warn_of_spelling,
    with_mismatch_hint,
)
from sklearn_rank.inputs.items import (
    SIMPLE_IDS,
    ItemReader,
    Where,
    are_bare_objects,
    names_rows,
    relevance_scores,
    sequence,
)
from sklearn_rank.inputs.number_lists import check_number_lists
from sklearn_rank.inputs.options import ReadOptions
from sklearn_rank.inputs.roles import are_columns, are_records
from sklearn_rank.inputs.spelling import spelling_hint
from sklearn_rank.inputs.tables import (
    LEAST_RISES,
    IdColumn,
    Qrels,
    Run,
    best_occurrences,
    by_falling_id,
    count_rising,
    doubt_of_ranks,
    doubt_of_rising,
    doubt_of_ties,
    first_repeated,
    is_series,
    refuse_duplicate,
    refuse_two_grades,
    take_ids,
    types_of,
)
from sklearn_rank.rankings.data import (
    UNLISTED_UNJUDGED,
    ByQuery,
    InputCounts,
    ItemIds,
    RankingData,
)
from sklearn_rank.rankings.ranking import TIE_RULES, Items
from sklearn_rank.rankings.reading import JudgedItems, Judgements
from sklearn_rank.support.checks import (
    EXACT_INTEGER,
    as_bytes,
    as_native,
    check_finite,
    check_grades,
    check_same_index,
    check_same_length,
    check_weights,
    is_missing,
    refuse_shuffled,
)
from sklearn_rank.support.runtime import warn
from sklearn_rank.support.segments import offsets_of, segment_index, sizes_of
from sklearn_rank.support.text import argument, as_text, called, count, format_list, safe_repr
from sklearn_rank.typing import Array, BoolArray, FloatArray, IntArray, Missing

_NO_SCORES = (
    "ranked lists have no scores comparable across queries; "
    "pass relevance=, {item: score} rankings, or arrays"
)
_LISTS, _SETS = {list, tuple}, {set, frozenset}
_ONE_TRUTH = 3, 2
"""Least queries and least hits that would be equal by chance, if all find other items."""
_LOOKED_QUERIES = 50
"""Rankings that show whether rows are sorted by item."""


def resolve_assumption(options: ReadOptions, *, has_grades: bool, has_zero: bool) -> str:
    """Assumption about items that the ground truth does not name, one of ``data.ASSUMED``.

    A grade of 0 implies that every judgement is listed. A set is assumed complete, unless the
    convention follows a program that treats all judgements as partial.
    """
    if options.assume is not None:
        return options.assume
    if options.presumed == "partial":
        return "partial" if has_zero else "positives"
    if not has_grades:
        return ""
    return "partial" if has_zero else "complete"


class _JoinedItems(NamedTuple):
    """Ranked items with their grades."""

    items: Items
    assumed: str
    """Assumption about items that the ground truth does not name."""
    judgements: Judgements
    rankings: list[Any] | Run
    """As they were ranked."""
    counts: InputCounts = InputCounts()
    judged: tuple[list[Any], IntArray, Array] | None = None
    """All judged items, the borders of their queries, and grades, where they are copied."""


def read_items(
    truths: list[Any] | Qrels,
    rankings: list[Any] | Run,
    query_ids: Array | list[Any],
    options: ReadOptions,
    *,
    weights: FloatArray | None = None,
    is_shared: bool = False,
    **about: Any,
) -> RankingData:
    """Judged rankings of items with ids, by query or in long tables of the same queries.

    ``is_shared`` says that all queries share one truth. ``about`` holds further fields.
    """
    joined, about["is_told"] = None, options.assume is not None
    if not (is_shared or options.string_provider is not None):
        if isinstance(truths, list) and not isinstance(truths[0], (Mapping, Set)):
            about["read_as"] = check_number_lists(truths, rankings, query_ids)
        about["read_as"] = about.get("read_as") or _sorted_by_item(rankings)
        joined = _look_up(truths, rankings, options)
    if joined is None:
        if isinstance(rankings, Run):
            reader, run, least = ItemReader(options), rankings, None
        else:
            types = _types_of_judged(truths)
            reader = ItemReader(options, rankings, types, _per_query(truths))
            run = reader.run(rankings, query_ids)
            least = 1 if reader.are_best_first else LEAST_RISES
            if reader.are_best_first and options.string_provider is None:
                about["read_as"] = about.get("read_as") or _unlike_scores(run)
        has_grades = isinstance(truths, Qrels) or _have_grades(truths)
        qrels = truths = (
            truths
            if isinstance(truths, Qrels)
            else reader.qrels(truths, None if is_shared else query_ids)
        )
        about["hint"] = reader.mismatch()
        sides = types_of(run.item_ids), types_of(qrels.item_ids)
        refuse_unequal_types(*sides, about["hint"], reader.provider)
        if is_shared:
            joined, shared = _look_up_shared(qrels, run, options, least), qrels.item_ids.to_list()
            truths, about["n_shared"] = [dict.fromkeys(shared, 1.0)] * len(run), len(shared)
        else:
            joined = _look_up_rows(qrels, run, options, has_grades=has_grades, least=least)
    if not is_shared:
        _warn_of_one_truth(_per_query(truths), _per_query(joined.rankings))
    if options.keep_items:
        about["ids"] = _copied(truths, joined, query_ids, options, is_shared=is_shared)
    pairs = zip(_per_query(truths), _per_query(joined.rankings), strict=True)
    data = _data_of(joined, query_ids, options, weights, **about)
    return with_mismatch_hint(data, pairs, options.least_missed)


def _sorted_by_item(rankings: Run | list[Any]) -> str:
    """Note on rankings in the order of rows or lists that are sorted by item; or ""."""
    with suppress(TypeError, DuplicateItemError):  # of ids that have no order, or come twice
        if not isinstance(rankings, Run):
            what, lists = "lists", [one for one in rankings if type(one) in _LISTS]
        elif rankings.scores is None and rankings.ranks is None:
            what, lists = "rows", [list(rankings[q]) for q in islice(rankings, _LOOKED_QUERIES)]
        else:
            return ""
        lists = lists[:_LOOKED_QUERIES]
        if sum(map(len, lists)) - len(lists) >= LEAST_RISES and all(
            list(items) == sorted(items) for items in lists
        ):
            return f"ranked in the order of the {what}, which are sorted by item"
    return ""


def _unlike_scores(run: Run) -> str:
    """What is said of lists of scored items that have another order than their scores; or ""."""
    if run.scores is None or len(run.scores) < LEAST_RISES or run.rising:
        return ""
    n_unsorted = count_rising(run.scores, run.offsets)
    if not n_unsorted:
        return ""
    return f"ranked by score, although {n_unsorted:,} of {len(run):,} lists have another order"


def _warn_of_one_truth(truths: Iterable[Any], rankings: Iterable[Any]) -> None:
    """Warn if every query has the same truth, of whose items each finds others."""
    every = iter(truths)
    first = next(every, ())
    if len(first) <= 1 or any(truth is not first and truth != first for truth in every):
        return
    relevant = {item for item in first if not isinstance(first, Mapping) or first[item] > 0}
    ranked, found = set[Any](), list[int]()
    n_ranked = 0
    for ranking in rankings:
        items = set(ranking)
        ranked.update(items)
        n_ranked += len(items)
        if len(ranked) < n_ranked:
            return  # items of several queries
        found.append(len(relevant & items))
    # Pairs of hits of two queries that would be the same item by chance.
    n_same = (sum(found) ** 2 - sum(n * n for n in found)) / (2 * len(relevant) or 1)
    if len(found) >= _ONE_TRUTH[0] and n_same >= _ONE_TRUTH[1]:
        warn(
            f"all {len(found):,} queries have the same {len(relevant):,} relevant items, and no "
            "item is ranked for two queries: is this one truth for all queries? Pass it as one set",
            RankingDataWarning,
        )


def _per_query(side: Any) -> Iterable[Any]:
    """The judged or ranked items of each query."""
    return map(side.distinct, side) if isinstance(side, (Qrels, Run)) else side


def _have_grades(truths: list[Any]) -> bool:
    """Whether ground truths are mappings; an empty one may be among sets and lists."""
    mappings = [truth for truth in truths if isinstance(truth, Mapping)]
    return any(map(len, mappings)) or len(mappings) == len(truths)


def _types_of_judged(truths: list[Any] | Qrels) -> set[type]:
    if isinstance(truths, Qrels):
        return types_of(truths.item_ids)
    sides = [as_native(truth, "y_true") for truth in truths if isinstance(truth, Collection)]
    items = chain.from_iterable(side for side in sides if getattr(side, "ndim", 1))
    return set(map(type, items))


def _data_of(
    joined: _JoinedItems,
    query_ids: Array | list[Any],
    options: ReadOptions,
    weights: FloatArray | None = None,
    *,
    counts: InputCounts | None = None,
    **about: Any,
) -> RankingData:
    """Data of joined items; ``counts`` are those of the queries."""
    items, relevance, ranked = joined.items, options.relevance, joined.rankings
    if items.scores is not None and TIE_RULES[options.ties].by_id:
        ids = ranked.item_ids if isinstance(ranked, Run) else [*chain.from_iterable(ranked)]
        items = by_falling_id(items, ids)
    if relevance is not None:
        if items.scores is not None:
            msg = "y_score already holds scores, {item: score}; leave out relevance="
            raise TypeError(msg)
        if joined.counts.duplicates:
            msg = "duplicates='first' and relevance= cannot be combined; drop repeated items first"
            raise ValueError(msg)
        keyed = about.get("keyed", False)
        scores = relevance_scores(relevance, query_ids, items.offsets, keyed=keyed)
        items = items._replace(relevance=scores)
    elif items.scores is None:
        items = items._replace(no_pool=_NO_SCORES)
    about |= {"assumed": joined.assumed, "judgements": joined.judgements, "counts": joined.counts}
    if counts is not None:
        about["counts"] = replace(joined.counts, missing=counts.missing, unjudged=counts.unjudged)
    return RankingData.of(items, items.ranked(query_ids, weights), **about)


def _look_up(
    truths: list[Any] | Qrels, rankings: list[Any] | Run, options: ReadOptions
) -> _JoinedItems | None:
    """Items of plain lists, or {item: score}, looked up in plain sets, lists or {item: grade}.

    None if anything needs more care: ids other than text and integers, ids that are repeated in a
    query, and numbers that are missing, negative, rounded or of another type.
    """
    if not (isinstance(rankings, list) and isinstance(truths, list)):
        return None  # a table, whose elements are ids of queries
    containers, of_truth = set(map(type, rankings)), set(map(type, truths))
    has_scores, has_grades = containers == {dict}, of_truth == {dict}
    if not (has_scores or containers <= _LISTS) or not (has_grades or of_truth <= _LISTS | _SETS):
        return None
    lists = [truth for truth in truths if type(truth) in _LISTS] if of_truth & _LISTS else []
    lists += [] if has_scores else rankings
    ranked, true = (set(map(type, chain.from_iterable(side))) for side in (rankings, truths))
    if not ranked | true <= SIMPLE_IDS or sum(map(len, map(set, lists))) < sum(map(len, lists)):
        return None
    sizes = np.array(list(map(len, truths)), dtype=np.int64)
    offsets = offsets_of(np.array(list(map(len, rankings)), dtype=np.int64))
    borders = offsets_of(sizes)
    grades = _plain_grades(truths) if has_grades else np.ones(int(sizes.sum()))
    scores = _plain_scores(rankings) if has_scores else None
    if grades is None or (has_scores and scores is None):
        return None
    if ranked != true or len(ranked) > 1:
        refuse_unequal_types(ranked, true)
    is_relevant = grades > 0
    # Who says that all truths are partial says it of sets and lists, too.
    assumed = resolve_assumption(options, has_grades=has_grades, has_zero=not is_relevant.all())
    is_partial = assumed in UNLISTED_UNJUDGED
    # Every lookup of all rankings in one loop of the interpreter: bound methods, mapped twice.
    if has_grades or is_partial:
        tables = truths if has_grades else [dict.fromkeys(truth, 1.0) for truth in truths]
        other = math.nan if is_partial else 0.0
        grades_of = map(map, [table.get for table in tables], rankings, repeat(repeat(other)))
        of_ranked = np.fromiter(chain.from_iterable(grades_of), np.float64, int(offsets[-1]))
    else:
        sets = truths if of_truth <= _SETS else list(map(set, truths))
        are_named = map(map, [truth.__contains__ for truth in sets], rankings)
        # A bool is a byte.
        of_ranked = np.frombuffer(bytearray(chain.from_iterable(are_named)), np.uint8)
    if scores is not None:
        doubt = doubt_of_rising(scores, offsets, LEAST_RISES)
        if doubt and not rank_relevant_first(scores, of_ranked, offsets):
            warn(doubt, RankingOrderWarning)
    judged, n_judged = _chosen(is_relevant, borders, grades), None
    ids = [*chain.from_iterable(truths)]
    whole = ids, borders, grades
    if is_partial:
        n_judged = sizes
    else:  # an item that is judged irrelevant is as good as one that is not listed
        ids, (borders, grades) = [*compress(ids, is_relevant.tolist())], judged
    items = Items(offsets, scores, of_ranked, judged, n_judged=n_judged, ties=options.ties)
    judgements = Judgements(JudgedItems(borders, ids, grades))
    return _JoinedItems(items, assumed, judgements, rankings, judged=whole)


def _plain_grades(truths: Iterable[Any]) -> FloatArray | None:
    """Grades of {item: grade}; None if any is missing, negative, rounded or another type."""
    numbers = [*chain.from_iterable(map(dict.values, truths))]
    if not set(map(type, numbers)) <= {int, float}:
        return None
    few = {0, *numbers}  # grades are few: their extremes are those of a small set
    if min(few) < 0 or max(few) > EXACT_INTEGER or math.isnan(sum(few)):
        return None
    return np.array(numbers, dtype=np.float64)


def _plain_scores(rankings: Iterable[Any]) -> Array | None:
    """Scores of {item: score}; None if any is missing, rounded or another type."""
    numbers = [*chain.from_iterable(map(dict.values, rankings))]
    kinds = set(map(type, numbers))
    if not kinds <= {int, float}:
        return None
    # Integers alone stay exact; integers beside floats would be rounded from 2**53 on.
    scores = np.fromiter(numbers, float) if kinds == {float} else np.array(numbers)
    is_exact = scores.dtype.kind in "iu" or np.abs(scores).max(initial=0) < EXACT_INTEGER
    return scores if scores.dtype.kind in "iuf" and is_exact else None


def _chosen(
    is_chosen: BoolArray, borders: IntArray, values: FloatArray
) -> tuple[IntArray, FloatArray]:
    """Borders and values of the chosen ones."""
    if is_chosen.all():
        return borders, values
    chosen = is_chosen.nonzero()[0]
    return chosen.searchsorted(borders), values[chosen]


def _warn_of_rising(run: Run, grades: Array, least: int | None) -> None:
    """Warn of scores that rise along rankings; ``least`` is None for rows of a table.

    Items of mappings and tables need no order: scores that agree with judgements are accepted.
    """
    if run.scores is None:
        return
    if least == 1 or run.ranks is not None:
        ties = doubt_of_ties(run.scores, run.offsets)
        if ties:
            warn(ties, RankingOrderWarning)
    doubt = run.rising
    if not doubt and least is None:
        doubt = doubt_of_ranks(run.scores, run.offsets)
    elif not doubt and least is not None:
        doubt = doubt_of_rising(run.scores, run.offsets, least)
    if doubt and (least == 1 or not rank_relevant_first(run.scores, grades, run.offsets)):
        warn(doubt, RankingOrderWarning)


def _copied(
    truths: list[Any] | Qrels,
    joined: _JoinedItems,
    query_ids: Array | list[Any],
    options: ReadOptions,
    *,
    is_shared: bool,
) -> ItemIds:
    """The ids that were read, copied into columns, so that they stay as they are."""
    if joined.judged is not None:
        judged = joined.judged
    elif isinstance(truths, Qrels):
        judged = _kept(truths.item_ids), truths.offsets, truths.grades
    else:
        judged = [*truths[0]], np.array([0, len(truths[0])]), np.ones(len(truths[0]))
    table = partial(_judged_of, *judged)
    by_id, offsets, ranked = TIE_RULES[options.ties].by_id, joined.items.offsets, joined.rankings
    # Lists are copied one by one, in half the time that one long list takes.
    items = _kept(ranked.item_ids) if isinstance(ranked, Run) else tuple(map(list, ranked))
    columns = items, offsets, joined.items.scores
    rankings = ByQuery(query_ids, partial(_ranking_of, *columns, by_id=by_id))
    if is_shared:
        return ItemIds(rankings, {}, table(0))
    return ItemIds(rankings, ByQuery(query_ids, table), None)


def _kept(ids: IdColumn) -> Any:
    """Ids that stay as they are if the input changes."""
    if isinstance(ids, IntegerIds):
        return IntegerIds(ids.codes.copy())
    return ids if is_series(ids) else ids.to_list()


def _ids_in(ids: Any, rows: slice) -> list[Any]:
    """The ids of consecutive rows."""
    return ids[rows] if isinstance(ids, list) else ids[rows].to_list()


def _judged_of(items: Any, borders: IntArray, grades: Array, query: int) -> dict[Any, float]:
    """The judged items of a query, by its number, with their grades."""
    rows = slice(int(borders[query]), int(borders[query + 1]))
    pairs = zip(_ids_in(items, rows), grades[rows].tolist(), strict=True)
    return {item: float(grade) for item, grade in pairs if grade >= 0}


def _ranking_of(
    items: Any, offsets: IntArray, scores: Array | None, query: int, *, by_id: bool
) -> tuple[list[Any], Array | None]:
    """The items of a ranking, by the number of its query, and their scores."""
    rows = slice(int(offsets[query]), int(offsets[query + 1]))
    ids = [*items[query]] if isinstance(items, tuple) else _ids_in(items, rows)
    if scores is None or not by_id:
        return ids, None if scores is None else scores[rows]
    order = sorted(range(len(ids)), key=list(map(as_text, ids)).__getitem__, reverse=True)
    return [ids[row] for row in order], scores[rows][order]


# Long tables -------------------------------------------------------------------------------------


def pairs_of(qrels: Qrels, run: Run) -> Iterator[tuple[Any, Any]]:
    """Judged and ranked items of the common queries, including duplicates."""
    return ((qrels.distinct(query), run.distinct(query)) for query in qrels if query in run.numbers)


def read_joined(qrels: Qrels, run: Run, options: ReadOptions) -> RankingData:
    """Data of tables with the same queries in the same order."""
    refuse_unequal_types(types_of(run.item_ids), types_of(qrels.item_ids))
    return _data_of(_look_up_rows(qrels, run, options), run.query_ids, options, keyed=True)


def _look_up_rows(
    qrels: Qrels,
    run: Run,
    options: ReadOptions,
    *,
    has_grades: bool = True,
    least: int | None = None,
) -> _JoinedItems:
    """Grades of the rows of a run, which has the queries of the judgements in the same order."""
    check_grades(
        qrels.grades, called("y_true"), where=qrels.name_row, negative=options.negative_grades
    )
    qrels, (run, counts) = _without_repeated_judgements(qrels), _checked(run, options)
    n_negative = int(np.count_nonzero(qrels.grades < 0))
    if n_negative and options.negative_grades == "irrelevant":
        qrels = replace(qrels, grades=np.maximum(qrels.grades, 0))
        counts = replace(counts, negative_grades=n_negative)
    else:
        counts = replace(counts, unjudged_grades=n_negative)
    has_zero = bool(qrels.grades.min(initial=1) <= 0)
    assumed = resolve_assumption(options, has_grades=has_grades, has_zero=has_zero)
    is_partial, n_judged = assumed in UNLISTED_UNJUDGED, None
    # What is not looked up keeps the default: under complete judgements all but relevant items.
    wanted = np.flatnonzero(qrels.grades >= 0 if is_partial else qrels.grades > 0)
    ids, borders = take_ids(qrels.item_ids, wanted), np.searchsorted(wanted, qrels.offsets)
    rows = run.find(ids, segment_index(qrels.offsets)[wanted])
    grades = qrels.grades[wanted].astype(np.float64)
    # Whole numbers of a byte are exact in half the memory, of which most cells are unjudged.
    of_rows = np.float64 if as_bytes(grades) is None else np.float32
    ranked = np.full(run.n_rows, math.nan if is_partial else 0.0, of_rows)
    ranked[rows[rows >= 0]] = grades[rows >= 0]
    _warn_of_rising(run, ranked, least)
    judgements, judged = Judgements(JudgedItems(borders, ids, grades)), (borders, grades)
    if is_partial:
        n_judged = sizes_of(borders)
        judged = _chosen(grades > 0, borders, grades)
    items = Items(run.offsets, run.scores, ranked, judged, n_judged=n_judged, ties=options.ties)
    return _JoinedItems(items, assumed, judgements, run, counts)


def _look_up_shared(
    qrels: Qrels, run: Run, options: ReadOptions, least: int | None
) -> _JoinedItems:
    """Grades of the rows of a run by the one truth of all queries, a set."""
    run, counts = _checked(run, options)
    # Both sides in codes of the judged items: counting them is one bincount.
    judged_ids = CodedIds.of(qrels.item_ids.to_list())
    codes = CodedIds.of(run.item_ids.to_list()).in_codes_of(judged_ids)
    is_hit, n_items = codes >= 0, len(judged_ids)
    _warn_of_rising(run, is_hit, least)
    times, n_judged, other = np.bincount(codes[is_hit], minlength=n_items), None, 0.0
    several = dict.fromkeys(codes[is_hit][times[codes[is_hit]] > 1].tolist())
    if several:
        were, count_ = ("was", "counts") if len(several) == 1 else ("were", "count")
        listed = format_list([judged_ids[code] for code in several])
        warn(
            f"{count(len(several), 'item')} of the shared ground truth {were} retrieved for "
            f"several queries ({listed}) and {count_} as relevant for each; pass one ground truth "
            "per query, or ids that identify both query and item",
            RankingMatchWarning,
        )
    if options.assume == "partial":
        n_judged, other = np.diff(np.searchsorted(np.flatnonzero(is_hit), run.offsets)), math.nan
    missed = np.ones(np.count_nonzero(times == 0))
    grades = np.where(is_hit, 1.0, other)
    items = Items(
        run.offsets, run.scores, grades, missed=missed, n_judged=n_judged, ties=options.ties
    )
    judged = JudgedItems(np.array([0, n_items]), judged_ids, np.ones(n_items), len(run))
    counts = replace(counts, missed=len(missed))
    return _JoinedItems(items, options.assume or "", Judgements(judged), run, counts)


def _checked(run: Run, options: ReadOptions) -> tuple[Run, InputCounts]:
    """The rows that are ranked."""
    if run.scores is not None:
        check_finite(run.scores, called("y_score"), where=run.name_row, infinite=True)
    distinct = _without_duplicates(run, options)
    return distinct, InputCounts(duplicates=run.n_rows - distinct.n_rows)


def _without_duplicates(run: Run, options: ReadOptions) -> Run:
    """DuplicateItemError, or only the best row of each item."""
    rows = run.repeated()
    if not len(rows):
        return run
    keys = run.keys_of(rows)
    if options.duplicates == "raise":
        both = first_repeated(keys)
        number, item = keys[both[0]]
        first, again = rows[list(both)] - run.offsets[number]
        where, systems = Where("y_score", run.query_ids[number]), ""
        if run.about_queries is not None:
            systems = run.about_queries.systems(called("y_true"), called("y_score"))
        refuse_duplicate(where, safe_repr(item), first, again, systems)
    # All rows but the repeated ones that are not the best of their item.
    best = rows[best_occurrences(keys, None if run.scores is None else run.scores[rows])]
    return run.take(np.setdiff1d(np.arange(run.n_rows), np.setdiff1d(rows, best)))


def _without_repeated_judgements(qrels: Qrels) -> Qrels:
    """Each item once; ValueError if one has different grades."""
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
    y_true: Mapping[Any, Any], y_score: Mapping[Any, Any], missing: Missing, keys: str = ""
) -> list[Any]:
    """Queries to evaluate, in the order of ``y_true``; ``keys`` says how files name them."""
    if not y_true:
        msg = f"no queries to evaluate: {called('y_true')} is empty"
        raise ValueError(msg)
    for name, side in (("y_true", y_true), ("y_score", y_score)):
        if not set(map(type, side)) <= SIMPLE_IDS and any(map(is_missing, side)):
            row, query = next(pair for pair in enumerate(side) if is_missing(pair[1]))
            msg = (
                f"{called(name)} has a missing query id, {safe_repr(query)}, at position {row + 1}"
            )
            raise TypeError(msg)
    absent, msg = [query for query in y_true if query not in y_score], ""
    spare = [query for query in y_score if query not in y_true] if absent else []
    if len(absent) == len(y_true):
        msg = (
            f"{called('y_true')} and {called('y_score')} have no query in common: "
            f"{format_list(y_true)} against {format_list(y_score) or 'none'}"
            f"{keys or spelling_hint(y_true, y_score)}"
        )
    elif absent and missing != "skip":
        by_text = {str(query): query for query in spare}
        alike = [query for query in absent if str(query) in by_text]
        if alike:
            query, other = alike[0], by_text[str(alike[0])]
            msg = (
                f"{count(len(alike), 'query id differs', 'query ids differ')} in type between "
                f"{called('y_true')} and "
                f"{called('y_score')}, such as {safe_repr(query)} ({type(query).__name__}) and "
                f"{safe_repr(other)} ({type(other).__name__}), and do not match; use one type"
            )
        elif missing == "raise":
            listed = f"{format_list(absent)}{spelling_hint(absent, spare)}"
            msg = (
                f"{len(absent):,} of {len(y_true):,} judged queries have no ranking: {listed}. "
                f"Pass {argument('missing', 'zero')} to count them as empty "
                f"rankings, or {argument('missing', 'skip')} to leave them out."
            )
    if msg:
        raise QueryMismatchError(msg)
    if absent and spare:
        warn_of_spelling(absent, spare)
    return [query for query in y_true if missing != "skip" or query in y_score]


def _other_keys(y_true: Any, y_score: Any) -> str:
    """Advice on files of lists of which one was read by id, although it has the other's texts."""
    names = [getattr(side, "roles", {}) for side in (y_true, y_score)]
    keys = [roles.get("query", "") for roles in names]
    for n, side in enumerate(("qrels", "run")):
        text = keys[1 - n]
        is_list = "[]" in names[n].get("item", "")
        if is_list and keys[n] in ("id", "_id") and text in ("question", "user_input"):
            say = argument("columns", {"query": text})
            option = f"--{side}-column query={text}"
            say = option if say.startswith("--") else f"{say} to read_{side}"
            read = [f"{called('y_true')} was read by", f"{called('y_score')} by"]
            both = ", ".join(f"{one} {key!r}" for one, key in zip(read, keys, strict=True))
            return f"; {both}; pass {say}"
    return ""


def _about_queries(
    y_true: Mapping[Any, Any], y_score: Mapping[Any, Any], queries: list[Any]
) -> dict[str, Any]:
    """Fields of the data about queries that only one side has."""
    missing = [number for number, query in enumerate(queries) if query not in y_score]
    n_missing = len(missing) + len(y_true) - len(queries)
    n_unjudged, left_out = 0, []
    if missing or not len(queries) == len(y_true) == len(y_score):
        evaluated = set(queries)
        n_unjudged = sum(query not in y_true for query in y_score)
        left_out = [query for query in chain(y_true, y_score) if query not in evaluated]
    return {
        "counts": InputCounts(missing=n_missing, unjudged=n_unjudged),
        "missing": np.array(missing, dtype=np.int64),
        "left_out": left_out,
    }


def query_weights(sample_weight: Any, queries: list[Any]) -> FloatArray | None:
    """Weights of queries, given by query id."""
    if sample_weight is None:
        return None
    if not isinstance(sample_weight, Mapping):
        name = called("sample_weight")
        msg = f"{name} for mappings must be {{query: weight}}: queries are joined by key"
        raise TypeError(msg)
    absent = [query for query in queries if query not in sample_weight]
    if absent:
        name, n = called("sample_weight"), count(len(absent), "query", "queries")
        msg = f"{name} has no weight for {n}: {format_list(absent)}"
        raise ValueError(msg)
    weights = [sample_weight[query] for query in queries]
    return check_weights(
        weights, len(queries), where=lambda number: f"query {safe_repr(queries[number])}"
    )


# Layouts of ids -----------------------------------------------------------------------------------

_PAIRS = (
    "{2} is a {0} keyed by query, but {3} is a {1}; pass both as mappings, or both as sequences in "
    "the same order of queries"
)


def from_lists(y_true: Any, y_score: Any, options: ReadOptions) -> RankingData:
    """Judged rankings from a sequence of ranked lists and their ground truth."""
    is_2d, is_shared = _is_2d(y_score), isinstance(y_true, Set) or are_bare_objects(y_true)
    _refuse_other_sides(y_true, y_score, is_shared=is_shared)
    if not is_2d:  # else ranked lists of equal length
        check_same_index(y_true=y_true, y_score=y_score)
    rankings = y_score.tolist() if is_2d else sequence(y_score, "y_score")
    truths = [y_true] if is_shared else sequence(y_true, "y_true")
    _refuse_elements(truths, rankings, is_shared=is_shared)
    weights = None
    if options.sample_weight is not None:
        refuse_shuffled(options.sample_weight, called("sample_weight"))
        weights = check_weights(options.sample_weight, len(rankings))
    about: dict[str, Any] = {"weights": weights, "is_shared": is_shared, "positional": True}
    return read_items(truths, rankings, np.arange(len(rankings)), options, **about)


def _is_2d(y_score: Any) -> bool:
    """Whether rankings are an array with a row for each."""
    return getattr(y_score, "ndim", 1) == 2


def _refuse_other_sides(y_true: Any, y_score: Any, *, is_shared: bool) -> None:
    """TypeError for rankings that do not go with a sequence of ground truths."""
    kinds = type(y_true).__name__, type(y_score).__name__
    is_2d, msg = _is_2d(y_score), ""
    if isinstance(y_score, Set) and not is_shared:
        msg = "y_score is a set, which has no order; are y_true and y_score swapped?"
    elif isinstance(y_score, Mapping) and is_shared:
        msg = (
            f"y_true is a {kinds[0]}, one ground truth for all queries, but y_score is keyed by "
            "query; pass list(y_score.values()), or a mapping with one truth per query"
        )
    elif isinstance(y_score, Mapping):
        msg = _PAIRS.format(*kinds[::-1], "y_score", "y_true")
    elif is_pair_of_matrices(y_score):
        msg = f"y_score is a tuple of two 2-D arrays{OF_PAIR}"
    elif is_frame(y_score):
        msg = (
            f"y_score is a data frame, but y_true is a {kinds[0]} without query ids to join by; "
            "pass y_true as a frame or mapping, too"
        )
    elif is_2d and not hasattr(y_score, "tolist"):
        msg = f"y_score is a {kinds[1]}; pass a ranked list per query, or 2-D arrays on both sides"
    elif is_2d and y_score.dtype.kind == "f":
        msg = (
            f"y_true holds one ground truth per query, but y_score is a 2-D array of scores, shape "
            f"{y_score.shape}; pass ranked item ids, or y_true as a 2-D array of grades"
        )
    for name, side in (("y_true", y_true), ("y_score", y_score)):
        if not (msg or is_shared) and hasattr(side, "iloc") and names_rows(side.index):
            other = "y_score" if name == "y_true" else "y_true"
            how = f"pass both as Series or mappings, or {name}.tolist()"
            if hasattr(y_true, "iloc") and hasattr(y_score, "iloc"):
                how = f"give {other} the queries as its index, or pass .tolist() of both"
            msg = (
                f"the index of {name} names queries, but {other} has no query ids to join by; {how}"
            )
    if msg:
        raise TypeError(msg)


def _refuse_elements(truths: list[Any], rankings: list[Any], *, is_shared: bool) -> None:
    """TypeError or ValueError for what is no ground truth or no ranking of a query."""
    if set(map(type, rankings)) == {str} and (is_shared or len(truths) != len(rankings)):
        msg = "y_score is a list of strings, not one list per query; for a single query pass "
        msg += "[y_true] and [y_score]"
        raise TypeError(msg)
    if truths and rankings and are_records(truths) and are_records(rankings):
        msg = "y_true and y_score are lists of rows; pass data frames: pandas.DataFrame(y_true)"
        raise TypeError(msg)
    if not is_shared:
        are_tuples = set(map(type, truths)) == {tuple}
        is_one = len(truths) == 1 and isinstance(truths[0], (Set, list, tuple))
        if len(truths) != len(rankings) and (are_tuples or is_one):
            one, what = "set(y_true)", count(len(truths), "tuple")
            if is_one:
                one = "y_true[0]" if isinstance(truths[0], Set) else "set(y_true[0])"
                what = f"one {type(truths[0]).__name__}"
                if truths[0] and not is_hashable(next(iter(truths[0]))):
                    one = "y_true[0] and string_provider="
            msg = (
                f"y_true is a list of {what} for {len(rankings):,} rankings; pass "
                f"{one} if it is one ground truth for all queries"
            )
            raise ValueError(msg)
        check_same_length("y_true", len(truths), "y_score", len(rankings))
    elif isinstance(truths[0], (list, tuple)) and len(truths[0]) == len(rankings):
        one = "set(y_true)" if is_hashable(truths[0][0]) else "{string_provider(x) for x in y_true}"
        msg = (
            f"y_true is a list of {count(len(rankings), 'object')} for as many rankings; pass "
            f"[[x] for x in y_true] if each is the truth of its query, {one} if all are one truth"
        )
        raise ValueError(msg)
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
                msg = f"{Where(name, query)} is of type {kind.__name__}; {rule}"
                raise TypeError(msg)


def from_mapping(y_true: Mapping[Any, Any], y_score: Any, options: ReadOptions) -> RankingData:
    """Judged rankings from {query: ground truth} and {query: ranking}, or from long tables."""
    if not isinstance(y_score, Mapping) or is_sparse(y_score):  # of which some are mappings, too
        kinds = type(y_true).__name__, type(y_score).__name__
        msg = _PAIRS.format(*kinds, "y_true", "y_score")
        if is_pair_of_matrices(y_score):
            msg += OF_PAIR
        elif isinstance(y_score, (list, tuple)) and all(
            isinstance(run, Mapping) for run in y_score
        ):
            msg += "; for repeated runs of one system pass Repeats(runs)"
        elif isinstance(y_score, (FunctionType, MethodType)):
            msg += "; call it for each query: {query: search(query) for query in y_true}"
        raise TypeError(msg)
    if are_columns(y_true, y_score):
        msg = "y_true and y_score hold columns; pass data frames: pandas.DataFrame(y_true)"
        raise TypeError(msg)
    are_keys = options.string_provider is None
    in_truth, in_run = (getattr(side, "numbers", side) for side in (y_true, y_score))
    queries = join_queries(in_truth, in_run, options.missing, _other_keys(y_true, y_score))
    about = _about_queries(in_truth, in_run, queries)
    tables = (getattr(side, "about_queries", None) for side in (y_true, y_score))
    about["query_columns"] = tuple(table for table in tables if table is not None)
    if about["counts"].missing and about["counts"].unjudged and are_keys:
        warn_of_shift(y_true, y_score)
    if isinstance(y_true, Qrels) and are_keys:
        truths: Any = y_true.of_queries(queries)
    else:
        truths = [y_true[query] for query in queries]
    if isinstance(y_score, Run) and are_keys:
        rankings: Any = y_score.of_queries(queries)
    else:
        rankings = [y_score[query] if query in y_score else None for query in queries]  # noqa: SIM401
        missing = about["missing"].tolist()
        are_scored = missing and any(isinstance(ranking, Mapping) for ranking in rankings)
        for number in missing:
            rankings[number] = {} if are_scored else []
    about["weights"] = query_weights(options.sample_weight, queries)
    return read_items(truths, rankings, queries, options, keyed=True, **about)

"""The join of rankings with judgements: by query, then by item.

Lists and mappings are looked up in dictionaries, long tables by hashes. Both give one value,
:class:`Joined`, which is ranked in one way.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain, compress
from typing import Any, NamedTuple

import numpy as np

from sklearn_rank.exceptions import DuplicateItemError, QueryMismatchError
from sklearn_rank.inputs.hints import spelling_hint
from sklearn_rank.inputs.ids import ARE_ALL, refuse_unequal_types
from sklearn_rank.inputs.items import (
    ItemReader,
    Where,
    are_grades,
    read_hits,
    read_scores,
    relevance_scores,
)
from sklearn_rank.inputs.tables import (
    LongTable,
    Qrels,
    Run,
    TableScores,
    columns_about_queries,
    fall_order,
    fall_orders,
    take_ids,
    types_of,
)
from sklearn_rank.rankings.data import (
    InputCounts,
    KeptItems,
    NoPool,
    RankingData,
    UnjudgedItems,
    judged_by_scores,
    unjudged_by_place,
)
from sklearn_rank.rankings.judged import JudgedRankings
from sklearn_rank.rankings.ranking import TIE_RULES, KnownHits
from sklearn_rank.support.checks import check_finite, check_grades, check_weights
from sklearn_rank.support.segments import blocks, offsets_of, segment_index, sizes_of
from sklearn_rank.support.text import as_text, format_list, safe_repr
from sklearn_rank.typing import (
    Array,
    Assume,
    Duplicates,
    FloatArray,
    IntArray,
    Missing,
    NegativeGrades,
    Ties,
)

_NO_SCORES = NoPool(
    "ranked lists carry no scores that compare across queries; "
    "pass relevance=, {item: score} rankings, or arrays"
)


class Ragged(NamedTuple):
    """Numbers of each query, as one array."""

    offsets: IntArray
    values: FloatArray


class Joined(NamedTuple):
    """The relevant items among those that were ranked."""

    sizes: IntArray
    """(Q,) lengths of the rankings."""
    scores: Array | None
    """Of all items, ranking after ranking; None: in ranked order."""
    rows: IntArray | None
    """Where the hits stand among all items, ascending; None: their scores are all that is known."""
    hit_scores: Array | None
    grades: Ragged
    """Those of the hits."""
    relevant: Ragged
    """Grades of all relevant items, retrieved or not."""
    assumed: str = ""
    """Of items that the ground truth does not name; see ``data.ASSUMED``."""
    unjudged: UnjudgedItems | None = None
    """None: nothing can be unjudged."""


def resolve_assumption(assume: Assume | None, *, has_grades: bool, has_zero: bool) -> str:
    """What is assumed of items that a ground truth does not name, one of ``data.ASSUMED``.

    Who wrote down that an item is not relevant has written down all that was judged. A set says of
    itself that it is complete.
    """
    if assume is None and not has_grades:
        return ""
    return assume or ("partial" if has_zero else "complete")


def ranked_join(
    joined: Joined,
    query_ids: Array | list[Any],
    weights: FloatArray | None,
    ties: Ties,
    *,
    relevance: Array | None = None,
    missed: FloatArray | None = None,
    depth: int | None = None,
    n_jobs: int | None = None,
) -> RankingData:
    """Judged rankings of what was joined; by ``relevance`` scores too, if there are any.

    What is assumed of items is left to the caller.
    """
    scores = joined.scores if relevance is None else relevance
    by_scores = None
    if scores is not None:
        rows, offsets = joined.rows, offsets_of(joined.sizes)
        hit_scores: Any = joined.hit_scores if relevance is None else relevance[rows]
        grades = joined.grades
        by_scores = judged_by_scores(
            KnownHits(scores, offsets, grades.offsets, hit_scores, grades.values, rows),
            ties,
            query_ids=query_ids,
            weights=weights,
            judged=joined.relevant,
            missed=missed,
            unjudged=joined.unjudged,
            # The measures of relevance scores are areas under curves, which read all of them.
            depth=depth if relevance is None else None,
            n_jobs=n_jobs,
        )
        if relevance is None:
            return by_scores
    judged = _at_places(joined, query_ids, weights)
    if by_scores is None:
        return judged
    return replace(judged, by_relevance=by_scores.rankings, pool=by_scores.pool)


def _at_places(
    joined: Joined, query_ids: Array | list[Any], weights: FloatArray | None
) -> RankingData:
    """Judged rankings of items whose places are known, so that nothing is to be ranked."""
    rows, offsets = joined.rows, offsets_of(joined.sizes)
    assert rows is not None
    unjudged = joined.unjudged
    rankings = JudgedRankings(
        query_ids=query_ids,
        offsets=joined.grades.offsets,
        above=rows - np.repeat(offsets[:-1], sizes_of(joined.grades.offsets)),
        tied=np.ones(len(rows), dtype=np.int64),
        grades=joined.grades.values,
        n_ranked=joined.sizes,
        judged_offsets=joined.relevant.offsets,
        judged_grades=joined.relevant.values,
        weights=weights,
        unjudged=None if unjudged is None else unjudged_by_place(offsets, unjudged),
    )
    return RankingData(rankings, _NO_SCORES)


def _by_falling_id(joined: Joined, ids: Any) -> Joined:
    """The hits as if tied rows stood by falling id.

    Tied rows have one score: to move them among each other changes nothing but where hits stand.
    """
    assert joined.scores is not None
    assert joined.rows is not None
    came, by_id = fall_orders(joined.scores, offsets_of(joined.sizes), ids)
    if by_id is came:
        return joined
    place = np.empty_like(by_id)
    place[by_id] = np.arange(len(by_id))
    rows = came[place[joined.rows]]
    order = np.argsort(rows)
    unjudged = joined.unjudged
    if unjudged is not None:
        moved = np.empty_like(unjudged.flags)
        moved[came] = unjudged.flags[by_id]
        unjudged = unjudged._replace(flags=moved)
    return joined._replace(
        rows=rows[order],
        hit_scores=joined.scores[rows[order]],
        grades=Ragged(joined.grades.offsets, joined.grades.values[order]),
        unjudged=unjudged,
    )


# Lists and mappings ------------------------------------------------------------------------------

_LISTS, _SETS = {list, tuple}, {set, frozenset}
_BLOCK = 1 << 12
"""Items that stay in the processor's cache from their check to their look-up."""


def read_items(
    rankings: list[Any],
    truths: list[Any],
    query_ids: Array | list[Any],
    reader: ItemReader,
    *,
    weights: FloatArray | None,
    relevance: Any = None,
    assume: Assume | None = None,
    ties: Ties = "average",
    shared: dict[Any, float] | None = None,
    missed: FloatArray | None = None,
    depth: int | None = None,
    n_jobs: int | None = None,
    **about: Any,
) -> RankingData:
    """Judged rankings of items with ids; of plain ids at once, of others after a closer look.

    ``shared`` is the one ground truth of all queries, whose part of each query ``truths`` are.
    ``about`` is what else is known: fields of the data, and of their counts.
    """
    partial = [assume == "partial"] * len(truths)
    if assume is None and shared is None:
        partial = [isinstance(truth, Mapping) for truth in truths]
    joined = None
    if shared is None:
        rankings = read_hits(rankings, truths, reader)
        if reader.provider is None:
            with suppress(TypeError):  # an unhashable str subclass
                joined = _join_items(rankings, truths, query_ids, ties, assume, partial)
    if joined is None:
        if shared is None:
            rankings = reader.rankings(rankings, query_ids)
            truths = [
                reader.truth(truth, Where("y_true", query))
                for query, truth in zip(query_ids, truths, strict=True)
            ]
        reader.check_types()
        has_zero = reader.unjudged_grades > 0
        joined = _join_items(
            rankings, truths, query_ids, ties, assume, partial, are_read=True, has_zero=has_zero
        )
        assert joined is not None
    scores = None
    if relevance is not None:
        scores = relevance_scores(
            relevance, rankings, query_ids, reader.dropped, keyed="keyed" in about
        )
    judged = ranked_join(
        joined,
        query_ids,
        weights,
        ties,
        relevance=scores,
        missed=missed,
        depth=depth,
        n_jobs=n_jobs,
    )
    kept = None
    if reader.keeps:
        kept = _kept(rankings, truths, list(query_ids), joined, ties, shared)
    counts = InputCounts(
        missing=len(about.get("missing", ())) + about.pop("skipped", 0),
        unjudged=about.pop("unjudged", 0),
        duplicates=reader.dropped,
        missed=0 if missed is None else len(missed),
        unjudged_grades=reader.unjudged_grades,
    )
    pool = _NO_SCORES if reader.mixes else judged.pool
    return replace(judged, counts=counts, items=kept, pool=pool, assumed=joined.assumed, **about)


def _join_items(
    rankings: list[Any],
    truths: list[Any],
    query_ids: Array | list[Any],
    ties: Ties,
    assume: Assume | None,
    partial: Sequence[bool],
    *,
    are_read: bool = False,
    has_zero: bool = False,
) -> Joined | None:
    """Look up relevant items in rankings that are all lists or all {item: score}.

    Unless they ``are_read``, None where they hold more than plain ids: other types than strings
    alone or integers alone, duplicates, odd grades.
    """
    kinds, kinds_of_truth = set(map(type, rankings)), set(map(type, truths))
    is_scored = kinds == {dict}
    plain = (is_scored or kinds <= _LISTS) and kinds_of_truth <= _LISTS | _SETS | {dict}
    are_plain = None
    if plain and not are_read:
        ids = chain(chain.from_iterable(rankings), chain.from_iterable(truths))
        are_plain = ARE_ALL.get(type(next(ids, "")))
        plain = are_plain is not None and all(map(are_plain, truths))
    relevant = _relevant(truths, kinds_of_truth, are_read=are_read) if plain else None
    if relevant is None:
        return None
    is_graded = dict in kinds_of_truth
    has_zero |= is_graded and sum(map(len, relevant)) < sum(map(len, truths))
    assumed = resolve_assumption(assume, has_grades=any(partial), has_zero=has_zero)
    by_place = not is_scored or TIE_RULES[ties].by_place
    offsets = offsets_of(_sizes(rankings))
    found: list[Any] = []
    grades: list[float] = []
    borders = [0]
    counter = range(max(map(len, rankings)))
    flags: list[bytes] = []
    for first, last in blocks(offsets, _BLOCK):
        part, wanted = rankings[first:last], relevant[first:last]
        if are_plain is not None and not all(map(are_plain, part)):
            return None
        if by_place:
            # All that is done with a ranking is done while its items are in the cache.
            for own, ranking in zip(wanted, part, strict=True):
                if not is_scored and len(set(ranking)) < len(ranking):
                    return None
                found += compress(counter, map(own.__contains__, ranking))
                if is_graded and len(found) > borders[-1]:
                    items = list(ranking) if is_scored else ranking
                    grades += [own[items[place]] for place in found[borders[-1] :]]
                borders.append(len(found))
        else:
            look_up = [ranking.get for ranking in part]
            found += chain.from_iterable(map(map, look_up, wanted))
        if assumed == "partial":
            flags += [
                bytes(map((truth if type(truth) is dict else own).__contains__, ranking))
                if is_partial
                else b"\x01" * len(ranking)
                for ranking, truth, own, is_partial in zip(
                    part, truths[first:last], wanted, partial[first:last], strict=True
                )
            ]
    unjudged = None
    if assumed == "partial":
        are_unjudged = np.frombuffer(b"".join(flags), np.uint8) ^ np.uint8(1)
        is_open = None if all(partial) else np.array(partial)
        unjudged = UnjudgedItems(are_unjudged, is_open, _sizes(truths))
    judged = Ragged(offsets_of(_sizes(relevant)), _grades(relevant, is_graded))
    scores = read_scores(rankings, offsets, query_ids) if is_scored else None
    if by_place:
        hit_offsets = np.array(borders, dtype=np.int64)
        rows = np.array(found, dtype=np.int64) + np.repeat(offsets[:-1], sizes_of(hit_offsets))
        hit_grades = np.array(grades, np.float64) if is_graded else np.ones(len(rows))
        own = Ragged(hit_offsets, hit_grades)
        hit_scores = None if scores is None else scores[rows]
        joined = Joined(sizes_of(offsets), scores, rows, hit_scores, own, judged, assumed, unjudged)
        if scores is not None and TIE_RULES[ties].by_id:
            return _by_falling_id(joined, list(chain.from_iterable(rankings)))
        return joined
    assert scores is not None
    hit_scores = np.fromiter((hit for hit in found if hit is not None), scores.dtype)
    own = judged
    if len(hit_scores) < len(found):
        retrieved = np.fromiter((hit is not None for hit in found), bool, len(found))
        n_before = np.concatenate(([0], np.cumsum(retrieved)))
        own = Ragged(n_before[judged.offsets], judged.values[retrieved])
    return Joined(sizes_of(offsets), scores, None, hit_scores, own, judged, assumed, unjudged)


def _relevant(truths: Sequence[Any], kinds: set[type], *, are_read: bool) -> Sequence[Any] | None:
    """The relevant items of each query as a set, or with their grades; None for odd truths."""
    if kinds <= _SETS:
        return truths
    # To look at the grades of all queries at once takes a call instead of several for each query.
    grades = [*chain.from_iterable(truth.values() for truth in truths if type(truth) is dict)]
    if not are_read and not are_grades(grades):
        return None
    has_zero = 0 in grades
    relevant = []
    for truth in truths:
        own = truth
        if type(truth) is dict:
            if has_zero and 0 in truth.values():
                own = {item: grade for item, grade in truth.items() if grade > 0}
        elif dict in kinds:
            own = dict.fromkeys(truth, 1.0)
        elif type(truth) in _LISTS:
            own = set(truth)
        if type(truth) in _LISTS and len(own) < len(truth):
            return None
        relevant.append(own)
    return relevant


def _grades(relevant: Sequence[Any], is_graded: bool) -> FloatArray:
    if is_graded:
        return np.fromiter(chain.from_iterable(map(dict.values, relevant)), np.float64)
    return np.ones(sum(map(len, relevant)))


def _sizes(collections: Sequence[Collection[Any]]) -> IntArray:
    return np.array(list(map(len, collections)), dtype=np.int64)


def _plain(item: Any) -> Any:
    """An id without the types of NumPy, whose strings are subclasses of Python's."""
    return item.item() if isinstance(item, np.generic) else item


def _kept(
    rankings: list[Any],
    truths: list[Any],
    query_ids: list[Any],
    joined: Joined,
    ties: Ties,
    shared: dict[Any, float] | None,
) -> KeptItems:
    """The ids that were read, copied, so that they stay as they are."""
    # Python's garbage collector soon forgets tuples of texts, and visits lists again and again.
    own: list[tuple[tuple[Any, ...], Array | None]]
    own = [(tuple(map(_plain, items)), None) for items in rankings]
    if joined.scores is not None:
        offsets = offsets_of(joined.sizes).tolist()
        by_id = TIE_RULES[ties].by_id
        for number, (items, _) in enumerate(own):
            scores = joined.scores[offsets[number] : offsets[number + 1]]
            if by_id:
                texts = list(map(as_text, items))
                order = sorted(range(len(texts)), key=texts.__getitem__, reverse=True)
                items, scores = tuple(items[place] for place in order), scores[order]
            own[number] = items, scores
    judged = {}
    if shared is None:
        judged = {
            query: dict(zip(map(_plain, truth), map(float, truth.values()), strict=True))
            if isinstance(truth, Mapping)
            else dict.fromkeys(map(_plain, truth), 1.0)
            for query, truth in zip(query_ids, truths, strict=True)
        }
    return KeptItems(dict(zip(query_ids, own, strict=True)), judged, shared)


# Long tables -------------------------------------------------------------------------------------


def read_columns(
    qrels: Qrels,
    run: Run,
    *,
    sample_weight: Any = None,
    ties: Ties = "average",
    missing: Missing = "zero",
    duplicates: Duplicates = "raise",
    negative_grades: NegativeGrades = "raise",
    depth: int | None = None,
    assume: Assume | None = None,
    n_jobs: int | None = None,
) -> RankingData:
    """Judged rankings of long tables of judgements and of a run."""
    queries = join_queries(qrels.numbers, run.numbers, missing)
    left_out = dict.fromkeys((*qrels, *run))
    for query in queries:
        del left_out[query]
    counts = InputCounts(
        missing=len(qrels.numbers.keys() - run.numbers.keys()),
        unjudged=len(run.numbers.keys() - qrels.numbers.keys()),
    )
    absent = np.flatnonzero([query not in run.numbers for query in queries])
    weights = query_weights(sample_weight, queries)
    judged = read_joined(
        qrels.of_queries(queries),
        run.of_queries(queries),
        weights=weights,
        ties=ties,
        duplicates=duplicates,
        negative_grades=negative_grades,
        assume=assume,
        depth=depth,
        n_jobs=n_jobs,
    )
    return replace(
        judged,
        counts=replace(counts, **{name: getattr(judged.counts, name) for name in _OF_ROWS}),
        missing=absent,
        left_out=list(left_out),
        query_columns=columns_about_queries(qrels, run),
        count_scores=None if run.scores is None else TableScores(run.scores, run.offsets),
    )


_OF_ROWS = ("duplicates", "unjudged_grades")
"""What is counted of the rows of queries that are evaluated."""


def read_joined(
    qrels: Qrels,
    run: Run,
    *,
    weights: Any = None,
    ties: Ties = "average",
    duplicates: Duplicates = "raise",
    negative_grades: NegativeGrades = "raise",
    assume: Assume | None = None,
    depth: int | None = None,
    n_jobs: int | None = None,
) -> RankingData:
    """The same of tables that have the same queries, in one order."""
    _refuse_unequal_types(qrels, run)
    _check_scores(run)
    check_grades(
        qrels.grades, "y_true", where=lambda row: _row_of(qrels, row), negative=negative_grades
    )
    qrels = _without_repeated_judgements(qrels)
    run, n_dropped = _without_duplicates(run, duplicates)
    has_zero = bool(qrels.grades.min(initial=1) <= 0)
    assumed = resolve_assumption(assume, has_grades=True, has_zero=has_zero)
    joined = _join_columns(qrels, run, assumed)
    if run.scores is not None and TIE_RULES[ties].by_id:
        joined = _by_falling_id(joined, run.item_ids)
    judged = ranked_join(joined, run.query_ids, weights, ties, depth=depth, n_jobs=n_jobs)
    n_unjudged = int(np.count_nonzero(qrels.grades < 0))
    counts = InputCounts(duplicates=n_dropped, unjudged_grades=n_unjudged)
    return replace(judged, counts=counts, keyed=True, assumed=assumed)


def _join_columns(qrels: Qrels, run: Run, assumed: str) -> Joined:
    """Find the rows of the relevant items in those of the run; both have the same queries."""
    is_partial = assumed == "partial"
    wanted = np.flatnonzero(qrels.grades >= 0 if is_partial else qrels.grades > 0)
    query = segment_index(qrels.offsets)[wanted]
    rows = run.rows.find(take_ids(qrels.item_ids, wanted), query)
    unjudged = None
    if is_partial:
        n_judged = np.diff(np.searchsorted(wanted, qrels.offsets))
        unjudged = UnjudgedItems(np.ones(run.n_rows, np.uint8), n_judged=n_judged)
        unjudged.flags[rows[rows >= 0]] = 0
        is_relevant = qrels.grades[wanted] > 0
        rows, wanted = rows[is_relevant], wanted[is_relevant]
    grades = qrels.grades[wanted].astype(np.float64)
    retrieved = np.flatnonzero(rows >= 0)
    retrieved = retrieved[np.argsort(rows[retrieved])]
    rows = rows[retrieved]
    return Joined(
        sizes_of(run.offsets),
        run.scores,
        rows,
        None if run.scores is None else run.scores[rows],
        Ragged(np.searchsorted(rows, run.offsets), grades[retrieved]),
        Ragged(np.searchsorted(wanted, qrels.offsets), grades),
        assumed,
        unjudged,
    )


def _row_of(table: LongTable, row: int) -> str:
    number = int(np.searchsorted(table.offsets, row, side="right")) - 1
    item = take_ids(table.item_ids, np.array([row]))[0]
    return f"item {safe_repr(item)} of query {safe_repr(table.query_ids[number])}"


def _refuse_unequal_types(qrels: Qrels, run: Run) -> None:
    """TypeError if ids cannot be equal; in a table, floats among them have a known origin."""
    ranked, judged = types_of(run.item_ids), types_of(qrels.item_ids)
    for side, other, name in ((ranked, judged, "y_score"), (judged, ranked, "y_true")):
        if side == {float} and other == {int}:
            msg = (
                f"items of {name} are float, those of the other side are int: a column that had "
                "missing values? Drop these rows and cast it, as by .astype('int64')"
            )
            raise TypeError(msg)
    refuse_unequal_types(ranked, judged)


def _check_scores(run: Run) -> None:
    if run.scores is not None:
        check_finite(run.scores, "y_score", where=lambda row: _row_of(run, row), infinite=True)


def _without_duplicates(run: Run, duplicates: Duplicates) -> tuple[Run, int]:
    """DuplicateItemError, or only the best row of each item; and how many rows were dropped."""
    rows = run.rows.repeated()
    if not len(rows):
        return run, 0
    if duplicates == "raise":
        first = int(rows[0])
        number = int(np.searchsorted(run.offsets, first, side="right")) - 1
        start, items = int(run.offsets[number]), list(take_ids(run.item_ids, rows))
        again = int(rows[items.index(items[0], 1)])
        msg = (
            f"y_score[{safe_repr(run.query_ids[number])}] holds item {safe_repr(items[0])} at "
            f"positions {first - start + 1} and {again - start + 1}. "
            "Pass duplicates='first' to evaluate to keep the best-ranked one."
        )
        raise DuplicateItemError(msg)
    # Best first, so that of each item the first row is kept.
    if run.scores is not None:
        rows = rows[np.argsort(_places(run.scores, run.offsets)[rows], kind="stable")]
    numbers = (np.searchsorted(run.offsets, rows, side="right") - 1).tolist()
    best: dict[tuple[int, Any], int] = {}
    for row, number, item in zip(rows.tolist(), numbers, take_ids(run.item_ids, rows), strict=True):
        best.setdefault((number, item), row)
    keep = np.ones(run.n_rows, dtype=bool)
    keep[rows] = False
    keep[list(best.values())] = True
    return run.take(np.flatnonzero(keep)), len(rows) - len(best)


def _places(scores: Array, offsets: IntArray) -> IntArray:
    """Place of each row in its ranking."""
    order = fall_order(scores, offsets, None)
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return place


def _without_repeated_judgements(qrels: Qrels) -> Qrels:
    """Each item once; ValueError if one is judged twice and not alike."""
    rows = qrels.rows.repeated()
    if not len(rows):
        return qrels
    numbers = (np.searchsorted(qrels.offsets, rows, side="right") - 1).tolist()
    first: dict[tuple[int, Any], int] = {}
    keep = np.ones(qrels.n_rows, dtype=bool)
    for row, number, item in zip(
        rows.tolist(), numbers, take_ids(qrels.item_ids, rows), strict=True
    ):
        before = first.setdefault((number, item), row)
        if before == row:
            continue
        if qrels.grades[before] != qrels.grades[row]:
            msg = (
                f"y_true[{safe_repr(qrels.query_ids[number])}] judges item {safe_repr(item)} "
                f"twice, with grades {qrels.grades[before]:g} and {qrels.grades[row]:g}"
            )
            raise ValueError(msg)
        keep[row] = False
    return qrels.take(np.flatnonzero(keep))


def judged_alone(run: Run, qrels: Qrels) -> Run:
    """The run without items that are not judged for their query, or with a negative grade."""
    qrels = _without_repeated_judgements(qrels.of_queries(run.query_ids))
    judged = np.flatnonzero(qrels.grades >= 0)
    query = segment_index(qrels.offsets)[judged]
    rows = run.rows.find(take_ids(qrels.item_ids, judged), query)
    return run.take(np.unique(rows[rows >= 0]))


# Queries of two sides ---------------------------------------------------------------------------


def join_queries(
    y_true: Mapping[Any, Any], y_score: Mapping[Any, Any], missing: Missing
) -> list[Any]:
    """Queries to evaluate, in the order of ``y_true``."""
    if not y_true:
        msg = "no queries to evaluate: y_true is empty"
        raise ValueError(msg)
    absent = [query for query in y_true if query not in y_score]
    if len(absent) == len(y_true):
        msg = (
            f"y_true and y_score have no query in common: {format_list(y_true)} against "
            f"{format_list(y_score) or 'none'}{spelling_hint(y_true, y_score)}"
        )
        raise QueryMismatchError(msg)
    if absent and missing != "skip":
        _refuse_other_type(absent, y_true, y_score)
    if absent and missing == "raise":
        msg = (
            f"{len(absent):,} of {len(y_true):,} judged queries have no ranking: "
            f"{format_list(absent)}. "
            "Pass missing='zero' to count them as empty rankings, or missing='skip'."
        )
        raise QueryMismatchError(msg)
    if missing == "skip":
        return [query for query in y_true if query in y_score]
    return list(y_true)


def _refuse_other_type(
    absent: list[Any], y_true: Mapping[Any, Any], y_score: Mapping[Any, Any]
) -> None:
    """QueryMismatchError if unmatched ids of both sides are the same text in other types."""
    spare = {str(query): query for query in y_score if query not in y_true}
    meeting = [query for query in absent if str(query) in spare]
    if meeting:
        query = meeting[0]
        other = spare[str(query)]
        msg = (
            f"{len(meeting):,} queries have other types in y_true and y_score, as "
            f"{safe_repr(query)} ({type(query).__name__}) and {safe_repr(other)} "
            f"({type(other).__name__}), and do not meet; use one type"
        )
        raise QueryMismatchError(msg)


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

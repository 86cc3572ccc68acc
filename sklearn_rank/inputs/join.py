"""The join of rankings with judgements by query and item."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, compress
from types import MappingProxyType
from typing import Any, NamedTuple, cast

import numpy as np

from sklearn_rank.exceptions import DuplicateItemError, QueryMismatchError
from sklearn_rank.inputs.hints import spelling_hint
from sklearn_rank.inputs.ids import ARE_ALL, refuse_unequal_types
from sklearn_rank.inputs.items import Ranking, TableScores, check_scores
from sklearn_rank.inputs.tables import (
    LongTable,
    Qrels,
    Run,
    columns_about_queries,
    fall_order,
    fall_orders,
    take_ids,
    types_of,
)
from sklearn_rank.rankings.data import InputCounts, KeptItems, NoPool, RankingData
from sklearn_rank.rankings.judged import JudgedRankings
from sklearn_rank.rankings.pool import judged_by_scores
from sklearn_rank.rankings.scored import KnownHits
from sklearn_rank.rankings.ties import TIE_RULES
from sklearn_rank.rankings.unranked import UnjudgedItems, unjudged_by_place
from sklearn_rank.support.checks import EXACT_INTEGER, check_finite, check_grades, check_weights
from sklearn_rank.support.segments import offsets_of, segment_index
from sklearn_rank.support.text import as_text, listed, safe_repr
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


def may_be_partial(truths: Sequence[Any], assume: Assume | None) -> list[bool]:
    """For each query, whether items that its truth does not name may be unjudged.

    A set or a list names what is relevant, and says nothing of the rest unless told to.
    """
    if assume is None:
        return [isinstance(truth, Mapping) for truth in truths]
    return [assume == "partial"] * len(truths)


def settled(assume: Assume | None, *, has_grades: bool, has_zero: bool) -> str:
    """What is assumed of items that a ground truth does not name, one of ``source.ASSUMED``.

    Who wrote down that an item is not relevant has written down all that was judged. A set says of
    itself that it is complete.
    """
    if assume is None and not has_grades:
        return ""
    return assume or ("partial" if has_zero else "complete")


def unjudged_items(
    rankings: Sequence[Collection[Any]],
    truths: Sequence[Collection[Any]],
    partial: Sequence[bool],
    known: Mapping[int, bytes] = MappingProxyType({}),
) -> UnjudgedItems:
    """Ranked items that the truth of their query does not name, if that is ``partial``.

    The flags of some queries, by their numbers, may be ``known``.
    """
    parts = [
        known.get(number) or (flags_of(items, truth) if is_partial else b"\x01" * len(items))
        for number, (items, truth, is_partial) in enumerate(
            zip(rankings, truths, partial, strict=True)
        )
    ]
    flags = np.frombuffer(b"".join(parts), np.uint8) ^ np.uint8(1)
    return UnjudgedItems(flags, None if all(partial) else np.array(partial, dtype=bool))


def flags_of(items: Iterable[Any], truth: Collection[Any]) -> bytes:
    """1 for each item that the truth names, else 0."""
    return bytes(map(truth.__contains__, items))


_NO_SCORES = NoPool(
    "ranked lists carry no scores that compare across queries; "
    "pass relevance=, {item: score} rankings, or arrays"
)


class Ragged(NamedTuple):
    """Lists of numbers, one per query, as one array."""

    offsets: IntArray
    values: FloatArray

    @classmethod
    def of(cls, lists: Sequence[list[float]]) -> Ragged:
        """Lists laid end to end."""
        sizes = np.array([len(numbers) for numbers in lists], dtype=np.int64)
        return cls(offsets_of(sizes), flatten(lists, np.float64))


class PlacedItems(NamedTuple):
    """Where the relevant items of ranked lists stand."""

    sizes: IntArray
    """Lengths of the rankings."""
    places: IntArray
    """Places of the hits in their rankings, ascending, query after query."""
    grades: Ragged
    """Their grades."""
    relevant: Ragged
    """Grades of all relevant items, retrieved or not."""
    assumed: str = ""
    """Of items that the ground truth does not name; see ``source.ASSUMED``."""
    unjudged: UnjudgedItems | None = None
    """None: nothing can be unjudged."""


class FoundScores(NamedTuple):
    """Scores of {item: score} rankings, and those of their relevant items."""

    sizes: IntArray
    """Lengths of the rankings."""
    scores: FloatArray
    """Of all items, ranking after ranking."""
    hits: FloatArray
    """Scores of the relevant items that were retrieved, query after query."""
    grades: Ragged
    """Their grades."""
    relevant: Ragged
    """Grades of all relevant items, retrieved or not."""
    assumed: str
    """Of items that the ground truth does not name; see ``source.ASSUMED``."""
    unjudged: UnjudgedItems | None
    """None: nothing can be unjudged."""


@dataclass
class FoundItems:
    """What was found of each query's relevant items: where, or with which scores."""

    rankings: list[Ranking]
    hits: list[list[Any]]
    """Places of the hits in the ranking; for {item: score} their scores, unless ``by_place``."""
    grades: list[list[float]]
    relevant: list[list[float]]
    """Grades of all relevant items, retrieved or not."""
    by_place: bool
    truths: list[Mapping[Any, float]] | None = None
    """Everything that is judged, where ids are to be kept."""
    named: list[Collection[Any]] = field(default_factory=list)
    """What the truth of each query names, if items that it does not name may be unjudged."""
    has_zero: bool = False
    """Whether a truth names an item that is not relevant."""
    are_judged: dict[int, bytes] = field(default_factory=dict)
    """Flags of the items of those queries that were looked at for it already."""

    def unjudged(self, partial: Sequence[bool]) -> UnjudgedItems:
        """The ranked items that nobody judged."""
        rankings = [ranking.items for ranking in self.rankings]
        return unjudged_items(rankings, self.named, partial, self.are_judged)

    def kept(
        self, query_ids: list[Any], shared: Mapping[Any, float] | None = None
    ) -> KeptItems | None:
        """The ids that were read, if they are to be kept: copied, so that they stay as they are."""
        if self.truths is None:
            return None
        rankings = [(_plain(ranking.items), ranking.scores) for ranking in self.rankings]
        truths = (
            {}
            if shared is not None
            else dict(zip(query_ids, map(_plain_truth, self.truths), strict=True))
        )
        return KeptItems(
            rankings=dict(zip(query_ids, rankings, strict=True)),
            truths=truths,
            shared=None if shared is None else _plain_truth(shared),
        )


def kept_plainly(
    query_ids: list[Any], rankings: Sequence[Collection[Any]], truths: Sequence[Collection[Any]]
) -> KeptItems:
    """The ids of ranked lists and ground truths that hold plain ids alone, copied."""
    # Python's garbage collector soon forgets tuples of texts, and visits lists again and again.
    copies = ((tuple(items), None) for items in rankings)
    return KeptItems(
        rankings=dict(zip(query_ids, copies, strict=True)),
        truths=dict(zip(query_ids, map(_judged_items, truths), strict=True)),
        shared=None,
    )


def _judged_items(truth: Collection[Any]) -> dict[Any, float]:
    if isinstance(truth, Mapping):
        return dict(zip(truth, map(float, truth.values()), strict=True))
    return dict.fromkeys(truth, 1.0)


def _plain(items: Collection[Any]) -> list[Any]:
    """Ids without the types of NumPy, whose strings are subclasses of Python's."""
    if set(map(type, items)) <= ARE_ALL.keys():
        return items if type(items) is list else list(items)  # lists are copies of the reader's
    return [item.item() if isinstance(item, np.generic) else item for item in items]


def _plain_truth(truth: Mapping[Any, float]) -> dict[Any, float]:
    return dict(zip(_plain(truth), map(float, truth.values()), strict=True))


def find_items(
    queries: Iterable[tuple[Ranking, Mapping[Any, float]]],
    ties: Ties,
    *,
    keeps: bool,
    partial: Sequence[bool],
) -> FoundItems:
    """Look up the relevant items, query by query while its items are at hand.

    Of {item: score} only the judged items are looked up; the others enter through their scores
    alone, unless ties are broken by their places. Truths of queries that may be ``partial`` are
    remembered.
    """
    rule = TIE_RULES[ties]
    by_place = rule.by_place
    result = FoundItems([], [], [], [], by_place, [] if keeps else None)
    for number, ((ranking, truth), may_be_partial) in enumerate(zip(queries, partial, strict=True)):
        relevant = truth
        if min(truth.values(), default=1.0) <= 0:
            result.has_zero = True
            relevant = {key: grade for key, grade in truth.items() if grade > 0}
        if ranking.scores is None or by_place:
            ordered = _by_falling_id(ranking) if rule.by_id else ranking
            items = ordered.items
            keys = items if isinstance(items, list) else list(items)
            places = list(compress(range(len(keys)), map(relevant.__contains__, keys)))
            result.hits.append(places)
            result.grades.append([relevant[keys[place]] for place in places])
        else:
            ordered, scores = ranking, cast("Mapping[Any, Any]", ranking.items)
            if type(scores) is dict:
                looked_up = list(map(scores.get, relevant))
            else:  # dict subclasses may not override get()
                looked_up = [scores[key] if key in scores else None for key in relevant]  # noqa: SIM401
            graded = zip(looked_up, relevant.values(), strict=True)
            result.grades.append([grade for score, grade in graded if score is not None])
            result.hits.append([score for score in looked_up if score is not None])
        if may_be_partial and result.has_zero:
            # The items are in the processor's cache: later, this would take twice the time.
            result.are_judged[number] = flags_of(ordered.items, truth)
        result.rankings.append(ordered)
        result.relevant.append(list(relevant.values()))
        result.named.append(truth if may_be_partial else ())
        if result.truths is not None:
            result.truths.append(truth)
    return result


def assemble(
    items: FoundItems,
    *,
    query_ids: Array | list[Any],
    relevance: list[Array] | None,
    ties: Ties,
    weights: FloatArray | None,
    assume: Assume | None,
    partial: Sequence[bool],
    missed: FloatArray | None = None,
    depth: int | None = None,
    n_jobs: int | None = None,
) -> RankingData:
    """Judged rankings of the items that were found."""
    assumed = settled(assume, has_grades=any(partial), has_zero=items.has_zero)
    unjudged = items.unjudged(partial) if assumed == "partial" else None
    rankings = items.rankings
    sizes = np.array([len(ranking.items) for ranking in rankings], dtype=np.int64)
    offsets = offsets_of(sizes)
    relevant, grades = Ragged.of(items.relevant), Ragged.of(items.grades)
    n_scored = sum(ranking.scores is not None for ranking in rankings)

    def scored(hits: KnownHits, depth: int | None) -> RankingData:
        check_scores(hits.scores, rankings, offsets)
        return judged_by_scores(
            hits,
            ties,
            query_ids=query_ids,
            weights=weights,
            judged=relevant,
            missed=missed,
            unjudged=unjudged,
            depth=depth,
            n_jobs=n_jobs,
        )

    def with_places(scores: Sequence[Array]) -> KnownHits:
        flat = _one_dtype(scores)
        positions = flatten(items.hits, np.int64)
        positions += np.repeat(offsets[:-1], np.diff(grades.offsets))
        return KnownHits(flat, offsets, grades.offsets, flat[positions], grades.values, positions)

    if n_scored:
        scores = [_scores(ranking) for ranking in rankings]
        by_place = items.by_place
        hits = with_places(scores) if by_place else _with_scores(items, scores, offsets, grades)
        judged = replace(scored(hits, depth), assumed=assumed)
        return judged if n_scored == len(rankings) else replace(judged, pool=_NO_SCORES)
    places = flatten(items.hits, np.int64)
    placed = PlacedItems(sizes, places, grades, relevant, assumed, unjudged)
    judged = at_places(placed, query_ids, weights)
    if relevance is None:
        return judged
    # The measures of scores are areas under curves, which read all of them.
    by_relevance = scored(with_places(relevance), None)
    return replace(judged, by_relevance=by_relevance.rankings, pool=by_relevance.pool)


def at_places(
    items: PlacedItems, query_ids: Array | list[Any], weights: FloatArray | None
) -> RankingData:
    """Judged rankings of items whose places are known, so that nothing is to be ranked."""
    unjudged = None
    if items.unjudged is not None:
        unjudged = unjudged_by_place(offsets_of(items.sizes), items.unjudged)
    waist = JudgedRankings(
        query_ids=query_ids,
        offsets=items.grades.offsets,
        above=items.places,
        tied=np.ones(len(items.places), dtype=np.int64),
        grades=items.grades.values,
        n_ranked=items.sizes,
        judged_offsets=items.relevant.offsets,
        judged_grades=items.relevant.values,
        weights=weights,
        unjudged=unjudged,
    )
    return RankingData(waist, _NO_SCORES, assumed=items.assumed)


def by_scores(
    items: FoundScores,
    query_ids: Array | list[Any],
    weights: FloatArray | None,
    ties: Ties,
    *,
    depth: int | None = None,
    n_jobs: int | None = None,
) -> RankingData:
    """Judged rankings of items whose scores are known, and checked."""
    grades, offsets = items.grades, offsets_of(items.sizes)
    judged = judged_by_scores(
        KnownHits(items.scores, offsets, grades.offsets, items.hits, grades.values),
        ties,
        query_ids=query_ids,
        weights=weights,
        judged=items.relevant,
        unjudged=items.unjudged,
        depth=depth,
        n_jobs=n_jobs,
    )
    return replace(judged, assumed=items.assumed)


def _with_scores(
    items: FoundItems, scores: Sequence[Array], offsets: IntArray, grades: Ragged
) -> KnownHits:
    """Hits known by their scores; in a query that came as a list places are scores."""
    flat = _one_dtype(scores)
    hits = (
        [len(ranking.items) - place for place in given] if ranking.scores is None else given
        for ranking, given in zip(items.rankings, items.hits, strict=True)
    )
    return KnownHits(flat, offsets, grades.offsets, flatten(hits, flat.dtype), grades.values)


def flatten(lists: Iterable[Iterable[Any]], dtype: Any) -> Array:
    """Lists of numbers, one per query, in one array."""
    return np.fromiter(chain.from_iterable(lists), dtype)


def _scores(ranking: Ranking) -> Array:
    """Scores of a ranking; for a list its places, counted from the end."""
    return np.arange(len(ranking.items), 0.0, -1.0) if ranking.scores is None else ranking.scores


def _one_dtype(scores: Sequence[Array]) -> Array:
    """All scores in one array, none rounded on the way."""
    if len({array.dtype for array in scores if len(array)}) > 1:
        for array in scores:
            if (
                array.dtype.kind in "iu"
                and np.abs(array.astype(np.float64)).max(initial=0) >= EXACT_INTEGER
            ):
                msg = "scores mix floats with integers that float64 cannot hold; pass one dtype"
                raise ValueError(msg)
    filled = [array for array in scores if len(array)]
    return np.concatenate(filled) if filled else np.zeros(0)


def _by_falling_id(ranking: Ranking) -> Ranking:
    """The items of a scored ranking in falling order of their ids; a list stands as it is."""
    if ranking.scores is None:
        return ranking
    keys = list(ranking.items)
    order = sorted(range(len(keys)), key=lambda place: as_text(keys[place]), reverse=True)
    values = list(cast("Mapping[Any, Any]", ranking.items).values())
    ordered = {keys[place]: values[place] for place in order}
    return ranking._replace(items=ordered, scores=ranking.scores[np.array(order, dtype=np.int64)])


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
    assumed = settled(assume, has_grades=True, has_zero=bool(qrels.grades.min(initial=1) <= 0))
    hits = _find_hits(qrels, run, all_judged=assumed == "partial")
    judged = _judged(hits, run, weights, ties, depth=depth, n_jobs=n_jobs)
    n_unjudged = int(np.count_nonzero(qrels.grades < 0))
    counts = InputCounts(duplicates=n_dropped, unjudged_grades=n_unjudged)
    return replace(judged, counts=counts, keyed=True, assumed=assumed)


class _Hits(NamedTuple):
    """Relevant items among the rows of a run."""

    rows: IntArray
    """(H,) where they stand, ascending."""
    grades: Ragged
    """Theirs."""
    relevant: Ragged
    """Grades of all relevant items, retrieved or not."""
    unjudged: UnjudgedItems | None = None
    """None: nothing can be unjudged."""


def _find_hits(qrels: Qrels, run: Run, *, all_judged: bool) -> _Hits:
    """Join the relevant items with the rows of the run; both have the same queries.

    ``all_judged`` joins those that are judged and not relevant, too.
    """
    wanted = np.flatnonzero(qrels.grades >= 0 if all_judged else qrels.grades > 0)
    query = segment_index(qrels.offsets)[wanted]
    rows = run.rows.find(take_ids(qrels.item_ids, wanted), query)
    unjudged = None
    if all_judged:
        unjudged = UnjudgedItems(np.ones(run.n_rows, np.uint8))
        unjudged.flags[rows[rows >= 0]] = 0
        is_relevant = qrels.grades[wanted] > 0
        rows, wanted = rows[is_relevant], wanted[is_relevant]
    grades = qrels.grades[wanted].astype(np.float64)
    retrieved = np.flatnonzero(rows >= 0)
    retrieved = retrieved[np.argsort(rows[retrieved])]
    rows = rows[retrieved]
    return _Hits(
        rows,
        Ragged(np.searchsorted(rows, run.offsets), grades[retrieved]),
        Ragged(np.searchsorted(wanted, qrels.offsets), grades),
        unjudged,
    )


def _judged(
    hits: _Hits, run: Run, weights: Any, ties: Ties, *, depth: int | None, n_jobs: int | None
) -> RankingData:
    """The waist: places from scores, or from the order of the rows where there are none."""
    queries = run.query_ids
    if run.scores is None:
        starts = np.repeat(run.offsets[:-1], np.diff(hits.grades.offsets))
        sizes = np.diff(run.offsets)
        places = hits.rows - starts
        placed = PlacedItems(sizes, places, hits.grades, hits.relevant, unjudged=hits.unjudged)
        return at_places(placed, queries, weights)
    if TIE_RULES[ties].by_id:
        hits = _ties_by_id(run, run.scores, hits)
    known = KnownHits(
        run.scores,
        run.offsets,
        hits.grades.offsets,
        run.scores[hits.rows],
        hits.grades.values,
        hits.rows,
    )
    return judged_by_scores(
        known,
        ties,
        query_ids=queries,
        weights=weights,
        judged=hits.relevant,
        unjudged=hits.unjudged,
        depth=depth,
        n_jobs=n_jobs,
    )


def _ties_by_id(run: Run, scores: Array, hits: _Hits) -> _Hits:
    """The hits as if tied rows stood by falling id.

    Tied rows have one score: to move them among each other changes nothing but where hits stand.
    """
    came, by_id = fall_orders(scores, run.offsets, run.item_ids)
    if by_id is came:
        return hits
    place = np.empty_like(by_id)
    place[by_id] = np.arange(len(by_id))
    rows = came[place[hits.rows]]
    order = np.argsort(rows)
    grades = Ragged(hits.grades.offsets, hits.grades.values[order])
    unjudged = hits.unjudged
    if unjudged is not None:
        moved = np.empty_like(unjudged.flags)
        moved[came] = unjudged.flags[by_id]
        unjudged = unjudged._replace(flags=moved)
    return hits._replace(rows=rows[order], grades=grades, unjudged=unjudged)


# What is checked first ------------------------------------------------------------------------


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
    if duplicates == "raise":
        pair = run.rows.first_repeated()
        if pair is None:
            return run, 0
        first, again = pair
        number = int(np.searchsorted(run.offsets, first, side="right")) - 1
        start = int(run.offsets[number])
        item = take_ids(run.item_ids, np.array([first]))[0]
        msg = (
            f"y_score[{safe_repr(run.query_ids[number])}] holds item {safe_repr(item)} at "
            f"positions {first - start + 1} and {again - start + 1}. "
            "Pass duplicates='first' to evaluate to keep the best-ranked one."
        )
        raise DuplicateItemError(msg)
    rows = run.rows.repeated()
    if not len(rows):
        return run, 0
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
            f"y_true and y_score have no query in common: {listed(y_true)} against "
            f"{listed(y_score) or 'none'}{spelling_hint(y_true, y_score)}"
        )
        raise QueryMismatchError(msg)
    if absent and missing != "skip":
        _refuse_other_type(absent, y_true, y_score)
    if absent and missing == "raise":
        msg = (
            f"{len(absent):,} of {len(y_true):,} judged queries have no ranking: {listed(absent)}. "
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
        msg = f"sample_weight has no weight for {len(absent):,} queries: {listed(absent)}"
        raise ValueError(msg)
    weights = [sample_weight[query] for query in queries]
    return check_weights(
        weights, len(queries), where=lambda place: f"query {safe_repr(queries[place])}"
    )

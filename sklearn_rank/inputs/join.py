"""From the items of each query to judged rankings; what lists and mappings have in common."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, compress
from typing import Any, NamedTuple, cast

import numpy as np

from sklearn_rank.inputs.holes import flags_of, settled, unjudged_items
from sklearn_rank.inputs.id_types import ARE_ALL
from sklearn_rank.inputs.ranking import Ranking
from sklearn_rank.inputs.scores import check_scores
from sklearn_rank.rankings.data import KeptItems, NoPool, RankingData
from sklearn_rank.rankings.judged import JudgedRankings
from sklearn_rank.rankings.pool import judged_by_scores
from sklearn_rank.rankings.scored import KnownHits
from sklearn_rank.rankings.ties import TIE_RULES
from sklearn_rank.rankings.unranked import UnjudgedItems, unjudged_by_place
from sklearn_rank.support.arrays import EXACT_INTEGER
from sklearn_rank.support.segments import offsets_of
from sklearn_rank.support.text import as_text
from sklearn_rank.typing import Array, Assume, FloatArray, IntArray, Ties

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

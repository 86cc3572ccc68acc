"""The join of rankings with judgements: by query, then by item.

Lists and mappings are looked up in dictionaries, long tables by hashes. Both give one value,
:class:`Joined`, which is ranked in one way.
"""

from __future__ import annotations

import math
import struct
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import replace
from itertools import chain, compress, repeat
from typing import Any, NamedTuple, Unpack

import numpy as np

from sklearn_rank.exceptions import QueryMismatchError, RankingDataWarning
from sklearn_rank.inputs.frames import is_frame
from sklearn_rank.inputs.hints import refuse_unequal_types, spelling_hint
from sklearn_rank.inputs.items import (
    ARE_ALL,
    ItemReader,
    Where,
    read_scores,
    relevance_scores,
    sequence,
)
from sklearn_rank.inputs.tables import (
    Qrels,
    Run,
    best_occurrences,
    columns_about_queries,
    fall_orders,
    first_repeated,
    refuse_duplicate,
    refuse_two_grades,
    take_ids,
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
    RankingOptions,
    Ties,
)

_NO_SCORES = NoPool(
    "ranked lists carry no scores that compare across queries; "
    "pass relevance=, {item: score} rankings, or arrays"
)


class Joined(NamedTuple):
    """The relevant items among those that were ranked, ranking after ranking."""

    offsets: IntArray
    """(Q+1,) of the rankings."""
    scores: Array | None
    """Of all items; None: they are in ranked order."""
    rows: IntArray | None
    """Positions of the hits among all items, ascending; None: only scores are known."""
    hit_scores: Array | None
    hit_offsets: IntArray
    hit_grades: FloatArray
    judged_offsets: IntArray
    judged_grades: FloatArray
    """Of all relevant items, retrieved or not."""
    assumed: str = ""
    """Of items that the ground truth does not name; see ``data.ASSUMED``."""
    unjudged: UnjudgedItems | None = None
    """None: nothing can be unjudged."""
    judgements: Judgements | None = None

    def by_falling_id(self, ids: Any) -> Joined:
        """The hits as if tied rows stood by falling id.

        Tied rows have one score: to move them among each other changes only where hits stand.
        """
        assert self.scores is not None
        came, by_id = fall_orders(self.scores, self.offsets, ids)
        if by_id is came:
            return self
        moved = np.empty_like(came)
        moved[by_id] = came
        rows, unjudged = moved[self.rows], self.unjudged
        if unjudged is not None:
            flags = np.empty_like(unjudged.flags)
            flags[moved] = unjudged.flags
            unjudged = unjudged._replace(flags=flags)
        order = np.argsort(rows)
        rows, grades = rows[order], self.hit_grades[order]
        hit_scores = self.scores[rows]
        return self._replace(rows=rows, hit_scores=hit_scores, hit_grades=grades, unjudged=unjudged)

    def ranked(
        self,
        query_ids: Array | list[Any],
        weights: FloatArray | None,
        *,
        relevance: Array | None = None,
        missed: FloatArray | None = None,
        **ranking: Unpack[RankingOptions],
    ) -> RankingData:
        """Judged rankings; by ``relevance`` scores too, if there are any."""
        by_scores = None
        scores, hit_scores = self.scores, self.hit_scores
        if relevance is not None:
            scores, hit_scores = relevance, relevance[self.rows]
        if scores is not None and hit_scores is not None:
            hits = hit_scores, self.hit_grades, self.rows
            by_scores = judged_by_scores(
                KnownHits(scores, self.offsets, self.hit_offsets, *hits),
                query_ids=query_ids,
                weights=weights,
                judged=(self.judged_offsets, self.judged_grades),
                missed=missed,
                unjudged=self.unjudged,
                **ranking,
            )
            if relevance is None:
                return replace(by_scores, assumed=self.assumed)
        assert self.rows is not None
        unjudged, sizes = self.unjudged, sizes_of(self.hit_offsets)
        rankings = JudgedRankings(
            query_ids=query_ids,
            offsets=self.hit_offsets,
            above=self.rows - np.repeat(self.offsets[:-1], sizes),
            tied=np.ones(len(self.rows), dtype=np.int64),
            grades=self.hit_grades,
            n_ranked=sizes_of(self.offsets),
            judged_offsets=self.judged_offsets,
            judged_grades=self.judged_grades,
            weights=weights,
            unjudged=None if unjudged is None else unjudged_by_place(self.offsets, unjudged),
        )
        if by_scores is None:
            return RankingData(rankings, _NO_SCORES, assumed=self.assumed)
        return RankingData(rankings, by_scores.pool, by_scores.rankings, assumed=self.assumed)


def resolve_assumption(assume: Assume | None, *, has_grades: bool, has_zero: bool) -> str:
    """Assumption about items that the ground truth does not name, one of ``data.ASSUMED``.

    Who wrote down that an item is not relevant has written down all that was judged. A set says of
    itself that it is complete.
    """
    if assume is None and not has_grades:
        return ""
    return assume or ("partial" if has_zero else "complete")


# Lists and mappings ------------------------------------------------------------------------------

_LISTS, _SETS = {list, tuple}, {set, frozenset}
_BLOCK = 1 << 12
"""Scores that stay in the processor's cache while they become an array."""


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
    shared: bool = False,
    n_jobs: int | None = None,
    **about: Any,
) -> RankingData:
    """Judged rankings of items with ids; of plain ids at once, of others after a closer look.

    ``shared`` says that ``truths`` are one, of all queries. ``about`` are further fields of the
    data, of which ``counts`` lack what is counted here.
    """
    partial = [assume == "partial"] * len(rankings)
    if assume is None and not shared:
        partial = [isinstance(truth, Mapping) for truth in truths]
    joined = known = missed = scores = kept = None
    if not (shared or reader.provider or reader.ignores_identical):
        with suppress(TypeError, ValueError, OverflowError):  # the reader tells what is wrong
            joined = _join_items(
                rankings, truths, query_ids, ties, assume, partial, _plain_ids(rankings, truths)
            )
    if joined is None:
        rankings = reader.rankings(rankings, query_ids, truths)
        if shared:
            known = reader.truth(truths[0], "y_true")
            truths = [{key: known[key] for key in ranking if key in known} for ranking in rankings]
            missed = _missed(known, truths)
        else:
            pairs = zip(query_ids, truths, strict=True)
            truths = [reader.truth(truth, Where("y_true", query)) for query, truth in pairs]
        reader.check_types()
        has_zero = reader.unjudged_grades > 0
        joined = _join_items(rankings, truths, query_ids, ties, assume, partial, has_zero=has_zero)
    if relevance is not None:
        keyed, dropped = "keyed" in about, reader.dropped + reader.identical
        scores = relevance_scores(relevance, rankings, query_ids, dropped, keyed=keyed)
    ranking: RankingOptions = {"ties": ties, "n_jobs": n_jobs}
    judged = joined.ranked(query_ids, weights, relevance=scores, missed=missed, **ranking)
    judgements = joined.judgements
    if known is not None:
        borders, grades = np.array([0, len(known)]), np.array([*known.values()])
        judgements = Judgements(JudgedItems(borders, [*known], grades, len(rankings)))
    if reader.keeps:
        kept = _kept(rankings, truths, list(query_ids), joined, ties, known)
    counts = replace(
        about.pop("counts", judged.counts),
        duplicates=reader.dropped,
        identical_ids=reader.identical,
        missed=0 if missed is None else len(missed),
        unjudged_grades=reader.unjudged_grades,
    )
    pool = _NO_SCORES if reader.mixes else judged.pool
    return replace(judged, counts=counts, items=kept, pool=pool, judgements=judgements, **about)


def _plain_ids(rankings: list[Any], truths: list[Any]) -> Callable[[Any], bool]:
    """The check whether all ids of a ranking are of the one type of plain ids that truths have.

    TypeError for other types, items that stand twice in a truth and odd grades.
    """
    kinds, kinds_of_truth = set(map(type, rankings)), set(map(type, truths))
    lists = [truth for truth in truths if type(truth) in _LISTS] if kinds_of_truth & _LISTS else []
    first = next(chain(chain.from_iterable(rankings), chain.from_iterable(truths)), "")
    are_plain = ARE_ALL.get(type(first))
    # To look at the grades of all queries at once takes a call instead of several for each query.
    grades = [*chain.from_iterable(truth.values() for truth in truths if type(truth) is dict)]
    if not (
        (kinds == {dict} or kinds <= _LISTS)
        and kinds_of_truth <= _LISTS | _SETS | {dict}
        and are_plain is not None
        and all(map(are_plain, truths))
        and not any(len(set(truth)) < len(truth) for truth in lists)
        and set(map(type, grades)) <= {int, float}
        and math.isfinite(math.fsum(grades))
        and min(grades, default=0) >= 0
    ):
        raise TypeError
    return are_plain


def _join_items(
    rankings: list[Any],
    truths: list[Any],
    query_ids: Array | list[Any],
    ties: Ties,
    assume: Assume | None,
    partial: Sequence[bool],
    are_plain: Callable[[Any], bool] | None = None,
    *,
    has_zero: bool = False,
) -> Joined:
    """Look up relevant items in rankings that are all lists or all {item: score}.

    TypeError where ids of a ranking are not plain, or stand twice in a list, unless None says that
    a reader has seen to that.
    """
    kinds_of_truth = set(map(type, truths))
    is_scored, are_graded = set(map(type, rankings)) == {dict}, dict in kinds_of_truth
    relevant = truths if kinds_of_truth <= _SETS else _relevant(truths, are_graded=are_graded)
    offsets, judged_offsets = offsets_of(_sizes(rankings)), offsets_of(_sizes(relevant))
    judged_grades = np.ones(int(judged_offsets[-1]))
    if are_graded:
        judged_grades = np.fromiter(chain.from_iterable(map(dict.values, relevant)), np.float64)
        has_zero |= len(judged_grades) < sum(map(len, truths))
    assumed = resolve_assumption(assume, has_grades=any(partial), has_zero=has_zero)
    unjudged = None
    if assumed == "partial":
        unjudged = _unjudged_items(rankings, truths, relevant, partial)
    scores = _scores(rankings, offsets, query_ids) if is_scored else None
    places = hit_scores = None
    hit_offsets, hit_grades = judged_offsets, judged_grades
    if scores is None or TIE_RULES[ties].by_place:
        found: list[int] = []
        grades: list[float] = []
        borders = [0]
        counter = range(max(map(len, rankings)))
        for own, ranking in zip(relevant, rankings, strict=True):
            # All that is done with a ranking is done while its items are in the cache.
            if are_plain is not None and (
                not are_plain(ranking) or (scores is None and len(set(ranking)) < len(ranking))
            ):
                raise TypeError
            found += compress(counter, map(own.__contains__, ranking))
            if are_graded and len(found) > borders[-1]:
                items = list(ranking)
                grades += [own[items[place]] for place in found[borders[-1] :]]
            borders.append(len(found))
        hit_offsets = np.array(borders, dtype=np.int64)
        places = np.array(found, dtype=np.int64) + np.repeat(offsets[:-1], sizes_of(hit_offsets))
        hit_grades = np.array(grades) if are_graded else np.ones(len(places))
        hit_scores = None if scores is None else scores[places]
    elif are_plain is not None and not all(map(are_plain, rankings)):
        raise TypeError
    else:  # the scores of the relevant items alone are enough
        hits = [*chain.from_iterable(map(map, [own.get for own in rankings], relevant))]
        hit_scores = np.fromiter((score for score in hits if score is not None), scores.dtype)
        if len(hit_scores) < len(hits):
            retrieved = np.fromiter((score is not None for score in hits), bool, len(hits))
            hit_offsets = np.concatenate(([0], np.cumsum(retrieved)))[judged_offsets]
            hit_grades = judged_grades[retrieved]
    of_truths = JudgedItems(judged_offsets, [*chain.from_iterable(relevant)], judged_grades)
    if assumed == "partial":
        numbers = np.fromiter(chain.from_iterable(map(_grades, truths)), np.float64)
        of_truths = JudgedItems(offsets_of(_sizes(truths)), [*chain.from_iterable(truths)], numbers)
    judged = judged_offsets, judged_grades, assumed, unjudged, Judgements(of_truths)
    joined = Joined(offsets, scores, places, hit_scores, hit_offsets, hit_grades, *judged)
    if is_scored and TIE_RULES[ties].by_id:
        return joined.by_falling_id([*chain.from_iterable(rankings)])
    return joined


def _grades(truth: Any) -> Iterable[float]:
    return truth.values() if isinstance(truth, Mapping) else repeat(1.0, len(truth))


def _unjudged_items(
    rankings: list[Any], truths: list[Any], relevant: list[Any], partial: Sequence[bool]
) -> UnjudgedItems:
    """Ranked items that the partial ground truth of their query does not name."""
    flags = [
        bytes(map((truth if type(truth) is dict else own).__contains__, ranking))
        if is_open
        else b"\x01" * len(ranking)
        for ranking, truth, own, is_open in zip(rankings, truths, relevant, partial, strict=True)
    ]
    are_unjudged = np.frombuffer(b"".join(flags), np.uint8) ^ np.uint8(1)
    is_partial = None if all(partial) else np.array(partial)
    return UnjudgedItems(are_unjudged, is_partial, _sizes(truths))


def _relevant(truths: list[Any], *, are_graded: bool) -> list[Any]:
    """The relevant items of each query as a set, or with their grades where some have any."""
    if not are_graded:
        return list(map(set, truths))
    relevant = []
    for truth in truths:
        own = truth
        if type(truth) is not dict:
            own = dict.fromkeys(truth, 1.0)
        elif 0 in truth.values():
            own = {item: grade for item, grade in truth.items() if grade > 0}
        relevant.append(own)
    return relevant


def _scores(rankings: list[Any], offsets: IntArray, query_ids: Any) -> Array:
    """Scores of all {item: score}, none rounded and none missing."""
    parts: list[Array] = []
    # Numbers of which none is a large integer, as nearly always, by the fastest way to an array.
    with suppress(TypeError, ValueError, OverflowError, struct.error):
        for first, last in blocks(offsets, _BLOCK):
            values = [*chain.from_iterable(map(dict.values, rankings[first:last]))]
            if type(sum(values)) is not float:
                break
            parts.append(np.frombuffer(struct.pack(f"{len(values)}d", *values)))
        else:
            scores = np.concatenate(parts)
            if -EXACT_INTEGER < scores.min(initial=0.0) <= scores.max(initial=0.0) < EXACT_INTEGER:
                return scores

    def place(number: int) -> tuple[Where, str]:
        query = int(np.searchsorted(offsets, number, side="right")) - 1
        item = list(rankings[query])[number - offsets[query]]
        return Where("y_score", query_ids[query]), f"for item {safe_repr(item)}"

    return read_scores([*chain.from_iterable(map(dict.values, rankings))], place)


def _sizes(collections: Sequence[Collection[Any]]) -> IntArray:
    return np.array(list(map(len, collections)), dtype=np.int64)


def _kept(
    rankings: list[Any],
    truths: list[Any],
    query_ids: list[Any],
    joined: Joined,
    ties: Ties,
    shared: dict[Any, float] | None,
) -> KeptItems:
    """The ids that were read, copied, so that they stay as they are."""
    # NumPy's strings are subclasses of Python's.
    ids = chain(chain.from_iterable(rankings), chain.from_iterable(truths))
    if any(issubclass(kind, np.generic) for kind in set(map(type, ids))):
        rankings = [[*map(_plain, ranking)] for ranking in rankings]
        truths = [
            dict(zip(map(_plain, truth), truth.values(), strict=True))
            if isinstance(truth, Mapping)
            else [*map(_plain, truth)]
            for truth in truths
        ]
    own: dict[Any, tuple[Collection[Any], Array | None]] = {}
    for number, (query, ranking) in enumerate(zip(query_ids, rankings, strict=True)):
        # Python's garbage collector soon forgets tuples of texts, and visits lists again and again.
        items, scores = tuple(ranking), None
        if joined.scores is not None:
            scores = joined.scores[joined.offsets[number] : joined.offsets[number + 1]]
            if TIE_RULES[ties].by_id:
                texts = list(map(as_text, items))
                order = sorted(range(len(texts)), key=texts.__getitem__, reverse=True)
                items, scores = tuple(items[place] for place in order), scores[order]
        own[query] = items, scores
    judged = {
        query: {item: float(grade) for item, grade in truth.items()}
        if isinstance(truth, Mapping)
        else dict.fromkeys(truth, 1.0)
        for query, truth in (zip(query_ids, truths, strict=True) if shared is None else ())
    }
    return KeptItems(own, judged, shared)


def _plain(item: Any) -> Any:
    return item.item() if isinstance(item, np.generic) else item


# Long tables -------------------------------------------------------------------------------------


def read_columns(
    qrels: Qrels, run: Run, *, sample_weight: Any = None, missing: Missing = "zero", **options: Any
) -> RankingData:
    """Judged rankings of long tables of judgements and of a run."""
    queries = join_queries(qrels.numbers, run.numbers, missing)
    weights = query_weights(sample_weight, queries)
    own = qrels.of_queries(queries), run.of_queries(queries)
    judged = read_joined(*own, weights=weights, **options)
    n_missing = len(qrels.numbers.keys() - run.numbers.keys())
    n_unjudged = len(run.numbers.keys() - qrels.numbers.keys())
    evaluated = set(queries)
    return replace(
        judged,
        counts=replace(judged.counts, missing=n_missing, unjudged=n_unjudged),
        missing=np.flatnonzero([query not in run.numbers for query in queries]),
        left_out=[query for query in dict.fromkeys((*qrels, *run)) if query not in evaluated],
        query_columns=columns_about_queries(qrels, run),
    )


def read_joined(
    qrels: Qrels,
    run: Run,
    *,
    weights: FloatArray | None = None,
    duplicates: Duplicates = "raise",
    ignore_identical_ids: bool = False,
    negative_grades: NegativeGrades = "raise",
    assume: Assume | None = None,
    **ranking: Unpack[RankingOptions],
) -> RankingData:
    """The same of tables that have the same queries, in one order."""
    kinds = (
        set(map(type, ids if isinstance(ids, list) else ids[:1]))  # a series has one type
        for ids in (run.item_ids, qrels.item_ids)
    )
    refuse_unequal_types(*kinds, in_tables=True)
    if run.scores is not None:
        check_finite(run.scores, "y_score", where=run.name_row, infinite=True)
    check_grades(qrels.grades, "y_true", where=qrels.name_row, negative=negative_grades)
    qrels, n_rows = _without_repeated_judgements(qrels), run.n_rows
    run = _without_duplicates(run, duplicates)
    n_dropped, n_identical = n_rows - run.n_rows, 0
    if ignore_identical_ids:
        identical = run.find(run.query_ids, np.arange(len(run)))
        rows = np.setdiff1d(np.arange(run.n_rows), identical)
        n_identical, run = run.n_rows - len(rows), run.take(rows)
    has_zero = bool(qrels.grades.min(initial=1) <= 0)
    assumed = resolve_assumption(assume, has_grades=True, has_zero=has_zero)
    joined = _join_columns(qrels, run, assumed)
    if run.scores is not None and TIE_RULES[ranking.get("ties", "average")].by_id:
        joined = joined.by_falling_id(run.item_ids)
    judged = joined.ranked(run.query_ids, weights, **ranking)
    n_unjudged = int(np.count_nonzero(qrels.grades < 0))
    counts = InputCounts(
        duplicates=n_dropped, identical_ids=n_identical, unjudged_grades=n_unjudged
    )
    return replace(judged, counts=counts, keyed=True, judgements=joined.judgements)


def _join_columns(qrels: Qrels, run: Run, assumed: str) -> Joined:
    """Find the rows of the relevant items in those of the run; both have the same queries."""
    is_partial = assumed == "partial"
    wanted = np.flatnonzero(qrels.grades >= 0 if is_partial else qrels.grades > 0)
    ids = take_ids(qrels.item_ids, wanted)
    rows = run.find(ids, segment_index(qrels.offsets)[wanted])
    borders, unjudged = np.searchsorted(wanted, qrels.offsets), None
    judgements = Judgements(JudgedItems(borders, ids, qrels.grades[wanted]))
    if is_partial:
        unjudged = UnjudgedItems(np.ones(run.n_rows, np.uint8), n_judged=sizes_of(borders))
        unjudged.flags[rows[rows >= 0]] = 0
        is_relevant = qrels.grades[wanted] > 0
        rows, wanted = rows[is_relevant], wanted[is_relevant]
    grades = qrels.grades[wanted].astype(np.float64)
    retrieved = np.flatnonzero(rows >= 0)
    retrieved = retrieved[np.argsort(rows[retrieved])]
    rows = rows[retrieved]
    hit_scores = None if run.scores is None else run.scores[rows]
    hits = np.searchsorted(rows, run.offsets), grades[retrieved]
    judged = np.searchsorted(wanted, qrels.offsets), grades
    return Joined(
        run.offsets, run.scores, rows, hit_scores, *hits, *judged, assumed, unjudged, judgements
    )


def _without_duplicates(run: Run, duplicates: Duplicates) -> Run:
    """DuplicateItemError, or only the best row of each item."""
    rows = run.repeated()
    if not len(rows):
        return run
    keys = run.keys_of(rows)
    if duplicates == "raise":
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


def judged_alone(run: Run, qrels: Qrels) -> Run:
    """The run without items that are not judged for their query, or with a negative grade."""
    qrels = _without_repeated_judgements(qrels.of_queries(run.query_ids))
    wanted = np.flatnonzero(qrels.grades >= 0)
    queries = segment_index(qrels.offsets)[wanted]
    rows = run.find(take_ids(qrels.item_ids, wanted), queries)
    return run.take(np.unique(rows[rows >= 0]))


# Queries of two sides ---------------------------------------------------------------------------


def join_queries(
    y_true: Mapping[Any, Any], y_score: Mapping[Any, Any], missing: Missing
) -> list[Any]:
    """Queries to evaluate, in the order of ``y_true``."""
    if not y_true:
        msg = "no queries to evaluate: y_true is empty"
        raise ValueError(msg)
    for name, side in (("y_true", y_true), ("y_score", y_score)):
        if not set(map(type, side)) <= {str, int} and any(map(is_missing, side)):
            row, query = next(pair for pair in enumerate(side) if is_missing(pair[1]))
            msg = f"{name} has a missing query id, {safe_repr(query)}, at position {row + 1}"
            raise TypeError(msg)
    absent = [query for query in y_true if query not in y_score]
    msg = ""
    if len(absent) == len(y_true):
        msg = (
            f"y_true and y_score have no query in common: {format_list(y_true)} against "
            f"{format_list(y_score) or 'none'}{spelling_hint(y_true, y_score)}"
        )
    elif absent and missing != "skip":
        spare = {str(query): query for query in y_score if query not in y_true}
        alike = [query for query in absent if str(query) in spare]
        if alike:
            query, other = alike[0], spare[str(alike[0])]
            msg = (
                f"{len(alike):,} queries have other types in y_true and y_score, as "
                f"{safe_repr(query)} ({type(query).__name__}) and {safe_repr(other)} "
                f"({type(other).__name__}), and do not match; use one type"
            )
        elif missing == "raise":
            msg = (
                f"{len(absent):,} of {len(y_true):,} judged queries have no ranking: "
                f"{format_list(absent)}. Pass missing='zero' to count them as empty rankings, or "
                "missing='skip'."
            )
    if msg:
        raise QueryMismatchError(msg)
    return [query for query in y_true if missing != "skip" or query in y_score]


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


def from_lists(
    y_true: Any, y_score: Any, *, reader: ItemReader, sample_weight: Any = None, **options: Any
) -> RankingData:
    """Judged rankings of a sequence of ranked lists and their ground truth."""
    kinds = type(y_true).__name__, type(y_score).__name__
    is_2d, shared, msg = getattr(y_score, "ndim", 1) == 2, isinstance(y_true, Set), ""
    if isinstance(y_score, Set) and not shared:
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
    if msg:
        raise TypeError(msg)
    if not is_2d:  # else ranked lists of equal length
        check_same_index(y_true=y_true, y_score=y_score)
    rankings = y_score.tolist() if is_2d else sequence(y_score, "y_score")
    truths = [y_true] if shared else sequence(y_true, "y_true")
    if not shared:
        check_same_length("y_true", len(truths), "y_score", len(rankings))
    if not rankings:
        msg = "no queries to evaluate: y_score is empty"
        raise ValueError(msg)
    for name, given, rule in (
        ("y_score", rankings, "the lists layout takes one ranked list per query"),
        ("y_true", truths, "pass a set, a list or {item: grade} per query"),
    ):
        for kind in set(map(type, given)):
            if not hasattr(kind, "__len__") and not hasattr(kind, "__next__"):
                query = next(query for query, one in enumerate(given) if type(one) is kind)
                msg = f"{Where(name, query)} is {kind.__name__}; {rule}"
                raise TypeError(msg)
    options["weights"] = None
    if sample_weight is not None:
        options["weights"] = check_weights(sample_weight, len(rankings))
    options |= {"shared": shared, "positional": True}
    return read_items(rankings, truths, np.arange(len(rankings)), reader, **options)


def _missed(shared: dict[Any, float], retrieved: list[dict[Any, float]]) -> FloatArray:
    """Grades of the items of the one truth that no query retrieved; warns of those of several."""
    times = Counter(key for items in retrieved for key in items)
    several = [key for key, n_times in times.items() if n_times > 1]
    if several:
        warn(
            f"{len(several):,} items of the one ground truth were found by several queries "
            f"({format_list(several)}) and count as relevant for each; pass one ground truth per "
            "query, or items that identify the pair of query and item",
            RankingDataWarning,
        )
    return np.array([grade for key, grade in shared.items() if key not in times], np.float64)


def from_mapping(
    y_true: Mapping[Any, Any],
    y_score: Any,
    *,
    reader: ItemReader,
    sample_weight: Any = None,
    missing: Missing = "zero",
    **options: Any,
) -> RankingData:
    """Judged rankings of {query: ground truth} and {query: ranking}."""
    if not isinstance(y_score, Mapping):
        kinds = type(y_true).__name__, type(y_score).__name__
        raise TypeError(_PAIRS.format(*kinds, "y_true", "y_score"))
    queries = join_queries(y_true, y_score, missing)
    absent = [place for place, query in enumerate(queries) if query not in y_score]
    rankings = [y_score[query] if query in y_score else None for query in queries]  # noqa: SIM401
    if absent:
        empty: Any = {} if any(isinstance(ranking, Mapping) for ranking in rankings) else []
        for place in absent:
            rankings[place] = empty
    evaluated = set(queries)
    n_missing = len(absent) + len(y_true) - len(queries)
    n_unjudged = len([query for query in y_score if query not in y_true])
    return read_items(
        rankings,
        [y_true[query] for query in queries],
        queries,
        reader,
        weights=query_weights(sample_weight, queries),
        counts=InputCounts(missing=n_missing, unjudged=n_unjudged),
        missing=np.array(absent, dtype=np.int64),
        left_out=[query for query in (*y_true, *y_score) if query not in evaluated],
        keyed=True,
        query_columns=columns_about_queries(y_true, y_score),
        **options,
    )

"""The layouts whose items have ids: queries are joined by key or position, items by their ids."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Set
from dataclasses import replace
from functools import partial
from itertools import chain, repeat
from typing import Any

import numpy as np

from sklearn_rank.exceptions import QueryMismatchError, RankingDataWarning
from sklearn_rank.inputs.arrays import CodedIds
from sklearn_rank.inputs.frames import is_frame
from sklearn_rank.inputs.hints import (
    refuse_unequal_types,
    spelling_hint,
    warn_of_spelling,
    with_mismatch_hint,
)
from sklearn_rank.inputs.ids import look_up, look_up_rows, plain_types
from sklearn_rank.inputs.items import ItemReader, Where, names_rows, relevance_scores, sequence
from sklearn_rank.inputs.options import ReadOptions
from sklearn_rank.inputs.tables import (
    LEAST_RISES,
    Qrels,
    Run,
    best_occurrences,
    columns_about_queries,
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
    check_finite,
    check_grades,
    check_same_index,
    check_same_length,
    check_weights,
    is_missing,
)
from sklearn_rank.support.runtime import warn
from sklearn_rank.support.segments import segment_index
from sklearn_rank.support.text import argument, as_text, format_list, safe_repr
from sklearn_rank.typing import (
    Array,
    Duplicates,
    FloatArray,
    Missing,
)

_NO_SCORES = (
    "ranked lists carry no scores that compare across queries; "
    "pass relevance=, {item: score} rankings, or arrays"
)


# Lists and mappings ------------------------------------------------------------------------------


def read_items(
    rankings: list[Any],
    truths: list[Any],
    query_ids: Array | list[Any],
    options: ReadOptions,
    *,
    weights: FloatArray | None,
    shared: bool = False,
    of_table: bool = False,
    **about: Any,
) -> RankingData:
    """Judged rankings of items with ids; of plain ids at once, of others after a closer look.

    ``shared`` says that ``truths`` are one, of all queries, and ``of_table`` that rankings are rows
    of a table, whose order says nothing. ``about`` are further fields of the
    data; the counts of this function are added to ``counts``.
    """
    reader, assume, relevance = ItemReader(options), options.assume, options.relevance
    are_partial = [assume == "partial"] * len(rankings)
    if assume is None and not shared:
        are_partial = [isinstance(truth, Mapping) for truth in truths]
    missed = known = kept = None
    kinds = None
    if not (shared or options.string_provider or options.ignore_identical_ids):
        kinds = plain_types(rankings, truths)
    if kinds is not None:
        refuse_unequal_types(*kinds)
    else:
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
    are_lists = reader.hits is not None and reader.hits.are_best_first
    doubt_of = partial(doubt_of_rising, least=1 if are_lists else LEAST_RISES)
    found = look_up(
        rankings,
        truths,
        query_ids,
        options.ties,
        assume,
        are_partial,
        has_zero=has_zero,
        doubt_of=doubt_of_ranks if of_table else doubt_of,
    )
    items, judgements = found.items._replace(missed=missed), found.judgements
    if known is not None:
        borders, grades = np.array([0, len(known)]), np.array([*known.values()])
        judgements = Judgements(JudgedItems(borders, [*known], grades, len(rankings)))
    if relevance is not None:
        keyed, dropped = "keyed" in about, reader.dropped + reader.identical
        scores = relevance_scores(relevance, rankings, query_ids, dropped, keyed=keyed)
        items = items._replace(relevance=scores)
    if reader.mixes or (items.scores is None and relevance is None):
        items = items._replace(no_pool=_NO_SCORES)
    if options.keep_items:
        kept = _kept(rankings, truths, list(query_ids), items, known)
    about["counts"] = replace(
        about.get("counts", InputCounts()),
        duplicates=reader.dropped,
        identical_ids=reader.identical,
        missed=0 if missed is None else len(missed),
        unjudged_grades=reader.unjudged_grades,
    )
    if reader.hits is not None:
        about["hint"] = reader.hits.mismatch()
    about |= {"assumed": found.assumed, "ids": kept, "judgements": judgements}
    about["n_shared"] = 0 if known is None else len(known)
    pairs = zip(truths if known is None else repeat(known), rankings, strict=False)
    return with_mismatch_hint(RankingData.of(items, query_ids, weights, **about), pairs)


def _kept(
    rankings: list[Any],
    truths: list[Any],
    query_ids: list[Any],
    read: Items,
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
        if read.scores is not None:
            scores = read.scores[read.offsets[number] : read.offsets[number + 1]]
            if TIE_RULES[read.ties].by_id:
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


def read_columns(qrels: Qrels, run: Run, options: ReadOptions) -> RankingData:
    """Judged rankings of long tables of judgements and of a run."""
    queries = join_queries(qrels.numbers, run.numbers, options.missing)
    weights = query_weights(options.sample_weight, queries)
    judged = read_joined(qrels.of_queries(queries), run.of_queries(queries), options, weights)
    n_missing = len(qrels.numbers.keys() - run.numbers.keys())
    n_unjudged = len(run.numbers.keys() - qrels.numbers.keys())
    evaluated = set(queries)
    judged = with_mismatch_hint(judged, pairs_of(qrels, run))
    return replace(
        judged,
        counts=replace(judged.counts, missing=n_missing, unjudged=n_unjudged),
        missing=np.flatnonzero([query not in run.numbers for query in queries]),
        left_out=[query for query in dict.fromkeys((*qrels, *run)) if query not in evaluated],
        query_columns=columns_about_queries(qrels, run),
    )


def pairs_of(qrels: Qrels, run: Run) -> Iterator[tuple[Any, Any]]:
    """Judged and ranked items of the queries of both, even if an item comes twice."""
    return ((qrels.distinct(query), run.distinct(query)) for query in qrels if query in run.numbers)


def read_joined(
    qrels: Qrels, run: Run, options: ReadOptions, weights: FloatArray | None = None
) -> RankingData:
    """Data of tables that have the same queries, in one order."""
    refuse_unequal_types(types_of(run.item_ids), types_of(qrels.item_ids), in_tables=True)
    if run.scores is not None:
        check_finite(run.scores, "y_score", where=run.name_row, infinite=True)
    check_grades(qrels.grades, "y_true", where=qrels.name_row, negative=options.negative_grades)
    qrels, n_rows = _without_repeated_judgements(qrels), run.n_rows
    run = _without_duplicates(run, options.duplicates)
    n_dropped, n_identical = n_rows - run.n_rows, 0
    if options.ignore_identical_ids:
        identical = run.find(CodedIds.of(run.query_ids), np.arange(len(run)))
        rows = np.setdiff1d(np.arange(run.n_rows), identical)
        n_identical, run = run.n_rows - len(rows), run.take(rows)
    items, assumed, judgements = look_up_rows(qrels, run, options.ties, options.assume)
    if run.scores is None:
        items = items._replace(no_pool=_NO_SCORES)
    n_unjudged = int(np.count_nonzero(qrels.grades < 0))
    counts = InputCounts(
        duplicates=n_dropped, identical_ids=n_identical, unjudged_grades=n_unjudged
    )
    about = {"assumed": assumed, "counts": counts, "keyed": True, "judgements": judgements}
    return RankingData.of(items, run.query_ids, weights, **about)


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
                f"{format_list(absent)}. Pass {argument('missing', 'zero')} to count them as empty "
                f"rankings, or {argument('missing', 'skip')}."
            )
    if msg:
        raise QueryMismatchError(msg)
    if absent:
        warn_of_spelling(absent, [query for query in y_score if query not in y_true])
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


def from_lists(y_true: Any, y_score: Any, options: ReadOptions) -> RankingData:
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
    for name, side in (("y_true", y_true), ("y_score", y_score)):
        if hasattr(side, "iloc") and not is_frame(side) and names_rows(side.index):
            msg = (
                f"{name} is a Series whose index names queries, and the other side has none to "
                f"join by; pass both as Series or mappings, or {name}.tolist()"
            )
            raise TypeError(msg)
    if not is_2d:  # else ranked lists of equal length
        check_same_index(y_true=y_true, y_score=y_score)
    rankings = y_score.tolist() if is_2d else sequence(y_score, "y_score")
    truths = [y_true] if shared else sequence(y_true, "y_true")
    if not shared:
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
    queries, about = np.arange(len(rankings)), {"shared": shared, "positional": True}
    return read_items(rankings, truths, queries, options, weights=weights, **about)


def _missed(shared: dict[Any, float], retrieved: list[dict[Any, float]]) -> FloatArray:
    """Grades of items of the one truth that no query retrieved; warns of items of several."""
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


def from_mapping(y_true: Mapping[Any, Any], y_score: Any, options: ReadOptions) -> RankingData:
    """Judged rankings of {query: ground truth} and {query: ranking}."""
    if not isinstance(y_score, Mapping):
        kinds = type(y_true).__name__, type(y_score).__name__
        msg = _PAIRS.format(*kinds, "y_true", "y_score")
        if isinstance(y_score, (list, tuple)) and all(isinstance(run, Mapping) for run in y_score):
            msg += "; repeated runs of one system are Repeats(runs)"
        raise TypeError(msg)
    queries = join_queries(y_true, y_score, options.missing)
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
        options,
        weights=query_weights(options.sample_weight, queries),
        counts=InputCounts(missing=n_missing, unjudged=n_unjudged),
        missing=np.array(absent, dtype=np.int64),
        left_out=[query for query in (*y_true, *y_score) if query not in evaluated],
        keyed=True,
        query_columns=columns_about_queries(y_true, y_score),
        of_table=isinstance(y_score, Run),
    )

"""Evaluation of rankings by several measures over one reading of the input."""

from __future__ import annotations

import inspect
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import replace
from typing import Any, Never, NoReturn

from sklearn_rank.evaluation.base import BaseEvaluation
from sklearn_rank.evaluation.collection import with_collection
from sklearn_rank.evaluation.compute import read, score_measures
from sklearn_rank.evaluation.program_differences import gains_by_less, program_differences
from sklearn_rank.evaluation.repeats import Repeats, mean_of_runs
from sklearn_rank.evaluation.result import Evaluation
from sklearn_rank.evaluation.slices import read_clusters
from sklearn_rank.exceptions import ConventionWarning, InvalidParameterError, RankingDataWarning
from sklearn_rank.inputs.arrays import code_objects, without_lowest
from sklearn_rank.inputs.frames import values_of
from sklearn_rank.inputs.items import sequence
from sklearn_rank.inputs.options import RULES, ReadOptions
from sklearn_rank.inputs.roles import Columns
from sklearn_rank.measures.catalogue import Measure
from sklearn_rank.measures.conventions import Convention, find_convention
from sklearn_rank.measures.custom import given_measures, numbers_by_query
from sklearn_rank.measures.grammar import named_twice, parse_measures
from sklearn_rank.rankings.data import RankingData
from sklearn_rank.support.checks import check_flag, check_zero_division, refuse_shuffled
from sklearn_rank.support.constants import DEFAULT_MEASURES
from sklearn_rank.support.runtime import warn, warnings_given_by
from sklearn_rank.support.text import count, refuse_keyword, safe_repr
from sklearn_rank.typing import Assume, Duplicates, Missing, StringProvider, Ties, ZeroDivision

__all__ = ["evaluate"]

_KEYWORDS_ELSEWHERE = {
    **dict.fromkeys(
        ("by", "by_slice", "group_by", "groupby", "slices"),
        "evaluate(...).by_slice(slices) measures each slice",
    ),
    **dict.fromkeys(
        ("cutoff", "cutoffs", "k", "ks", "top_k"), "put it in the measure, as in 'ndcg@10'"
    ),
    **dict.fromkeys(("metric", "metrics", "scoring"), "use measures="),
    **dict.fromkeys(("min_rel", "min_rating"), "put it in the measure, as in 'map(min_rel=2)'"),
    "threshold": "of grades, put it in the measure, 'map(min_rel=2)'; of scores, cut the rankings",
    "n_negatives": "put it in the measure, as in 'auc(n_negatives=1000)'",
    **dict.fromkeys(("item", "item_column"), "use columns={'item': ...}"),
    **dict.fromkeys(
        ("train", "exclude", "seen"),
        "leave items seen in training out of the rankings, or set candidates= to False for them",
    ),
    **dict.fromkeys(("per_query", "return_mean"), "evaluate(...).per_query has the values"),
    "make_comparable": "use missing=, for queries without a ranking",
    "query_text": "pass it where queries are shown, as in .report(path, query_text=...)",
    "item_text": "pass it where items are shown, as in .report(path, item_text=...)",
    "max_drop": "pass limits to a gate, or to a comparison's .report(path, max_drop=...)",
    **dict.fromkeys(("qid", "indexes"), "pass query ids as groups="),
    **dict.fromkeys(
        ("mask", "padding_mask", "ignore_index", "lengths"),
        "use candidates=, False for padding",
    ),
    "query_weight": "pass query weights as sample_weight=",
    "key": "use string_provider=",
    "unjudged": "evaluate(...).condensed() leaves unjudged items out",
    "totals": "pass totals to a gate, as in rank_gate.check(..., totals=...)",
}
"""Where to pass what other functions take as an argument."""


def refuse_option(function: str, name: str, names: Iterable[str], **elsewhere: str) -> NoReturn:
    """TypeError for an argument that a function does not have, with the one that was meant."""
    refuse_keyword(function, name, names, {**_KEYWORDS_ELSEWHERE, **elsewhere})


def evaluate(
    y_true: Any,
    y_score: Any,
    measures: str | Measure | Iterable[str | Measure] = DEFAULT_MEASURES,
    *,
    columns: Columns | None = None,
    groups: Any = None,
    query_ids: Sequence[Any] | None = None,
    string_provider: StringProvider | None = None,
    relevance: Any = None,
    candidates: Any = None,
    sample_weight: Any = None,
    clusters: Mapping[Any, Any] | Callable[[Any], Any] | str | None = None,
    ties: Ties | None = None,
    zero_division: ZeroDivision | None = None,
    missing: Missing | None = None,
    duplicates: Duplicates | None = None,
    assume: Assume | None = None,
    convention: str = "default",
    keep_items: bool = False,
    values: Mapping[str | Measure, Mapping[Any, float]] | None = None,
    collection: Any = None,
    **unknown: Never,
) -> Evaluation:
    """Evaluate rankings by several measures that share one ranking step.

    Parameters
    ----------
    y_true : array-like, sparse matrix, sequence, set, mapping or data frame
        Ground truth; its type determines the layout: 1-D grades, a matrix of shape (n_queries,
        n_items), a set, list or {item: grade} per query, one set for all queries, {query: set or
        {item: grade}}, or a long frame: docs/inputs.md.
    y_score : array-like, sequence of ranked lists, mapping, data frame or Repeats
        Scores of the same shape, or ranked lists (best item first), in the layout of ``y_true``;
        or :class:`~sklearn_rank.Repeats` of them: each query's value is then the mean over the
        runs.
    measures : str, Measure, or sequence of them, default=("map", "ndcg@10")
        Measures in any spelling that :func:`measure` reads.
    columns : mapping, default=None
        Columns of data frames by role ("query", "item", "score", "distance", "rank", "grade"), if
        their names are not recognised; None for a role without a column.
    groups : array-like of shape (n_samples,), default=None
        Query id of each row; required for 1-D grades, an error otherwise.
    query_ids : sequence, default=None
        Query ids for lists and matrices, which are otherwise numbered by position.
    string_provider : callable, default=None
        Turns items of lists into the strings to compare, once per occurrence.
    relevance : sequence of sequences, mapping or RelevanceInput, default=None
        Scores of the items of ranked lists, for the measures that use scores.
    candidates : array-like or sparse matrix of bool, of the shape of ``y_score``, default=None
        True for the scores of a matrix or of rows to rank. Other items are neither ranked nor
        irrelevant; relevant ones count as unretrieved. A masked ``y_score`` does the same.
    sample_weight : array-like of shape (n_queries,) or (n_samples,), or mapping, default=None
        Weight of each query; for 1-D grades one per row, constant within a query.
    clusters : mapping, callable or str, default=None
        Groups of related queries, such as one user's, or paraphrases of a question: {query: label},
        a function of the query id, or a column of the data frames. Intervals and tests then treat a
        cluster as a unit; scores do not change. None: queries are independent.
    ties : {"average", "stable", "docid", "optimistic", "pessimistic"}, default=None
        Order of equally scored items: docs/inputs.md#ties. None uses the convention's rule.
    zero_division : {"warn", "raise"} or {nan, 0.0, 1.0}, default=None
        Value of queries for which a measure is undefined. None uses the convention's.
    missing : {"zero", "skip", "raise"}, default=None
        Treat judged queries without a ranking as empty rankings, leave them out, or raise an error.
        None uses the convention's rule.
    duplicates : {"raise", "first"}, default=None
        Raise an error for duplicate items in a ranking, as None does, or keep the best-ranked
        occurrence.
    assume : {"complete", "partial"}, default=None
        Whether items missing from the ground truth are irrelevant or unjudged; unjudged items
        also count as irrelevant, but their number is reported. None: partial if
        {item: grade} or a frame holds a grade of 0, or the convention assumes it.
    convention : str, default="default"
        Reproduce the numbers of another program, such as "trec_eval"; explicit arguments take
        precedence.
    keep_items : bool, default=False
        Keep the ids of the items, so that ``Evaluation.placements`` can name them.
    values : mapping of str or Measure to {query: number}, default=None
        Values measured elsewhere, such as latencies, evaluated like measures: one finite number for
        each query, or a list in the order of the queries. If the key is a name, higher is better,
        and ``measures`` may list it; if lower is better, use ``measure_from(name, range=...,
        greater_is_better=False)``. Data frames with a row for each query, series, and
        :class:`~sklearn_rank.Repeats` of mappings or lists also work; a query without a value
        (None, NaN) is undefined.
    collection : set or sequence of ids, or path, default=None
        Ids of all items in the collection, or a file of them, one per line. Relevant items outside
        it are counted, and comparisons show the losses that they explain; no value changes. Implies
        ``keep_items``.
    **unknown
        Not accepted; for ``slices``, ``k``, ``min_rel`` and ``qid`` the error says what to use.

    Returns
    -------
    evaluation : Evaluation
        Scores in the range of each measure, values per query (NaN if undefined), and counts.

    Raises
    ------
    ValueError, TypeError
        If the data are rejected: docs/inputs.md#errors.
    InvalidParameterError
        If a measure, convention or parameter does not exist, or the convention's program lacks
        the measure.

    Warns
    -----
    UndefinedMetricWarning
        Once for all measures that are undefined for a query, if ``zero_division="warn"``.
    RankingDataWarning
        If the data look wrong: swapped arguments, ids that cannot match, nothing retrieved,
        rankings that are cut off, or scores of -inf where every irrelevant item counts.
    ConventionWarning
        If the convention's program treats these data in a way that is not supported here.

    References
    ----------
    .. [1] The guide "Metrics" gives each measure's formula and source.

    Examples
    --------
    >>> from sklearn_rank import evaluate
    >>> ev = evaluate(
    ...     {"q1": {"d1": 1}, "q2": {"d2": 2, "d3": 1}},
    ...     {"q1": ["d1", "d2"], "q2": ["d3", "d2"]},
    ...     ("mrr", "ndcg@10", "recall@1"),
    ... )
    >>> ev["mrr"], ev["recall@1"]
    (1.0, 0.75)
    >>> ev.per_query["ndcg@10"].round(4)
    array([1.    , 0.7967])
    """
    for name in unknown:
        refuse_option("evaluate", name, inspect.signature(evaluate).parameters)
    sides = (y_score, *(values.values() if isinstance(values, Mapping) else ()))
    repeated = [side for side in sides if isinstance(side, Repeats)]
    if repeated:
        options = {
            "measures": measures,
            "columns": columns,
            "groups": groups,
            "query_ids": query_ids,
            "string_provider": string_provider,
            "relevance": relevance,
            "candidates": candidates,
            "sample_weight": sample_weight,
            "clusters": clusters,
            "ties": ties,
            "zero_division": zero_division,
            "missing": missing,
            "duplicates": duplicates,
            "assume": assume,
            "convention": convention,
            "keep_items": keep_items,
            "collection": collection,
            "values": values,
        }
        return _evaluate_runs(y_true, y_score, options, [len(repeats.runs) for repeats in repeated])
    keeps = check_flag(keep_items, "keep_items", "evaluate") or collection is not None
    preset = find_convention(convention)
    given = {} if values is None else given_measures(values_of(values))
    wanted = _with_given(measures, given) if given else measures
    named = _named(parse_measures(wanted, distinct=False), given, preset, wanted)
    undefined = [
        check_zero_division(
            preset.zero_division_of(measure) if zero_division is None else zero_division, "evaluate"
        )
        for measure in named.values()
    ]
    reading = ReadOptions(
        columns=columns,
        labels=(clusters,) if isinstance(clusters, str) else (),
        groups=groups,
        string_provider=string_provider,
        relevance=relevance,
        candidates=candidates,
        sample_weight=sample_weight,
        ties=preset.ties if ties is None else ties,  # type: ignore[arg-type]
        missing=preset.missing if missing is None else missing,  # type: ignore[arg-type]
        duplicates="raise" if duplicates is None else duplicates,
        negative_grades=preset.negative_grades,  # type: ignore[arg-type]
        assume=assume,
        presumed=preset.assume,  # type: ignore[arg-type]
        keep_items=keeps,
    )
    if preset.lowest == "masked":
        y_score = without_lowest(y_true, y_score)
    judged = read(y_true, y_score, reading)
    is_keyed = not judged.positional
    if query_ids is not None:
        judged = _with_ids(judged, query_ids)
        refuse_shuffled(sample_weight, "sample_weight", list(judged.query_ids))
    if collection is not None:
        judged = with_collection(judged, collection)
    if clusters is not None:
        judged = replace(judged, clusters=read_clusters(clusters, judged))
    rules = {name: getattr(reading, name) for name in RULES}
    judged.options.update(rules, lowest=preset.lowest)
    values_given = {
        measure: numbers_by_query(
            measure, numbers, judged.listed_ids(), judged.left_out, keyed=is_keyed
        )
        for measure, numbers in given.items()
    }
    scored = score_measures(list(named.values()), judged, undefined, values_given)
    for text in program_differences(preset, named, judged, ties_are_given=ties is not None):
        warn(text, ConventionWarning)
    for text in gains_by_less(
        preset, scored, judged, skips=missing is None, leaves_out=zero_division is None
    ):
        warn(text, RankingDataWarning)
    return Evaluation(dict(zip(named, scored, strict=True)), judged)


def _with_given(measures: Any, given: Iterable[Measure]) -> Any:
    """The measures, with names replaced by the measures in ``given``."""
    by_name: dict[Any, Any] = {str(measure): measure for measure in given}
    if isinstance(measures, Measure):
        return measures
    if isinstance(measures, str):
        return by_name.get(measures, measures)
    return [by_name.get(one, one) if isinstance(one, str) else one for one in measures]


def _evaluate_runs(
    y_true: Any, y_score: Any, options: dict[str, Any], numbers: Sequence[int]
) -> Evaluation:
    """Evaluate each run; a warning that repeats is given once."""
    if len(set(numbers)) > 1:
        msg = f"all Repeats need the same number of runs, got {' and '.join(map(str, numbers))}"
        raise InvalidParameterError(msg)
    if isinstance(y_score, Repeats) and options["relevance"] is not None:
        msg = "relevance is for a single run; pass Repeats of {item: score} instead"
        raise InvalidParameterError(msg)
    values = options.pop("values")
    if not isinstance(options["measures"], (str, Measure)):
        options["measures"] = list(options["measures"])
    said: dict[tuple[str, type[Warning]], None] = {}
    evaluations = []
    with warnings_given_by(lambda text, category: said.setdefault((text, category))):
        for number in range(numbers[0]):

            def run_of(given: Any, number: int = number) -> Any:
                return given.runs[number] if isinstance(given, Repeats) else given

            by_name = isinstance(values, Mapping)
            given = {name: run_of(one) for name, one in values.items()} if by_name else values
            try:
                evaluations.append(evaluate(y_true, run_of(y_score), values=given, **options))
            except (TypeError, ValueError) as error:
                if len(error.args) == 1 and isinstance(error.args[0], str):
                    error.args = (f"run {number + 1} of Repeats: {error.args[0]}",)
                raise
    for text, category in said:
        warn(text, category)
    return mean_of_runs(evaluations)


def with_measures(evaluation: BaseEvaluation, measures: Iterable[str | Measure]) -> Evaluation:
    """Evaluate the rankings by other measures, without another warning about undefined queries.

    Undefined queries get the value set for a measure of the same metric, else for the first one.
    """
    if evaluation.lacks_judgements:
        raise InvalidParameterError(evaluation.lacks_judgements)
    wanted = parse_measures(list(measures), distinct=False)
    if len(evaluation.runs) > 1:
        return mean_of_runs([with_measures(run, wanted) for run in evaluation.runs])
    records = list(evaluation.scored.values())
    undefined = []
    for measure in wanted:
        alike = [record for record in records if record.measure.metric is measure.metric]
        policy = (alike or records)[0].zero_division
        undefined.append(math.nan if policy == "warn" else policy)
    data = evaluation.ranking_data
    scored = score_measures(wanted, data, undefined, given=evaluation._given)
    return Evaluation(dict(zip(map(str, wanted), scored, strict=True)), data)


def _named(
    requested: tuple[Measure, ...], given: Iterable[Measure], preset: Convention, asked: Any
) -> dict[str, Measure]:
    """Measures with the parameters of the convention, by the spelling that was requested.

    Measures whose values are given need no request.
    """
    named: dict[str, Measure] = {}
    for measure in (*requested, *(one for one in given if one not in requested)):
        effective = preset.apply(measure)
        name = str(measure)
        name = measure.in_full() if name in named else name
        if effective in named.values():
            raise ValueError(named_twice(measure, [] if isinstance(asked, str) else asked))
        if name in named:
            msg = (
                f"measures has two custom measures named {name}; name them differently, or "
                "evaluate one at a time"
            )
            raise ValueError(msg)
        named[name] = effective
    return named


def _with_ids(judged: RankingData, names: Any) -> RankingData:
    """The data with these query ids in place of positions."""
    if not judged.positional:
        msg = "query_ids is for lists and matrices; these queries already have ids"
        raise TypeError(msg)
    if isinstance(names, Set):
        msg = f"query_ids is a {type(names).__name__}, which has no order; pass a list"
        raise InvalidParameterError(msg)
    ids = sequence(names, "query_ids")
    code_objects(ids, "query_ids")  # refuses what is missing or no key
    twice = [name for name, times in Counter(ids).items() if times > 1]
    if len(ids) != len(judged.query_ids) or twice:
        fault = f"{count(len(ids), 'id')} for {len(judged.query_ids):,} queries"
        fault = f"{safe_repr(twice[0])} twice" if twice else fault
        msg = f"query_ids has {fault}; give each query one id of its own"
        raise InvalidParameterError(msg)
    items, old = judged.ids, list(judged.query_ids)
    if items is not None:
        items = replace(
            items,
            rankings={name: items.rankings[n] for name, n in zip(ids, old, strict=True)},
            truths={
                name: items.truths[n] for name, n in zip(ids, old, strict=True) if items.truths
            },
        )
    rankings = replace(judged.rankings, query_ids=ids)
    return replace(judged, rankings=rankings, ids=items, positional=False)

"""Several measures over one input, with all that was counted on the way."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from numbers import Integral
from typing import Any

from sklearn_rank.engines.options import EngineOptions
from sklearn_rank.engines.read import read_any
from sklearn_rank.evaluation.compute import score_measures
from sklearn_rank.evaluation.differences import warn_of_differences
from sklearn_rank.evaluation.result import Evaluation
from sklearn_rank.exceptions import InvalidParameterError
from sklearn_rank.inputs.matrix import without_lowest
from sklearn_rank.measures.catalogue import Measure
from sklearn_rank.measures.conventions import Convention, find_convention
from sklearn_rank.measures.grammar import parse_measures
from sklearn_rank.measures.record import deepest
from sklearn_rank.rankings.data import RankingData
from sklearn_rank.rankings.judged import JudgedRankings
from sklearn_rank.rankings.placements import Placement, judged_alone, judged_from
from sklearn_rank.support.checks import check_flag, check_zero_division
from sklearn_rank.support.text import safe_repr
from sklearn_rank.typing import (
    Assume,
    Duplicates,
    Missing,
    StringProvider,
    Ties,
    ZeroDivision,
)

__all__ = ["evaluate", "evaluate_placements"]


def evaluate(
    y_true: Any,
    y_score: Any,
    measures: str | Measure | Iterable[str | Measure] = ("map", "ndcg@10"),
    *,
    columns: Mapping[str, str | None] | None = None,
    groups: Any = None,
    string_provider: StringProvider | None = None,
    relevance: Any = None,
    candidates: Any = None,
    sample_weight: Any = None,
    ties: Ties | None = None,
    zero_division: ZeroDivision | None = None,
    missing: Missing | None = None,
    duplicates: Duplicates | None = None,
    known_items: Any = None,
    assume: Assume | None = None,
    convention: str = "default",
    n_jobs: int | None = None,
    keep_items: bool = False,
    engine: EngineOptions | None = None,
) -> Evaluation:
    """Evaluate rankings by several measures that share one ranking step.

    Parameters
    ----------
    y_true : array-like, sparse matrix, sequence, set, mapping or data frame
        Ground truth. Its type tells the layout: 1-D grades of shape (n_samples,), a matrix of
        shape (n_queries, n_items), per query a set, list or {item: grade}, one set for all
        queries, {query: set or {item: grade}}, or a long frame with a row for each query and
        item, which may be lazy.
    y_score : array-like, sequence of ranked lists, mapping or data frame
        Scores of the same shape, or ranked lists (best item first), in the layout of ``y_true``.
    measures : str, Measure, or sequence of them, default=("map", "ndcg@10")
        What to compute, in any spelling that :func:`measure` reads.
    columns : mapping, default=None
        Columns of data frames by their role ("query", "item", "score", "rank", "grade"), where
        their names do not tell it; None for a role that no column has.
    groups : array-like of shape (n_samples,), default=None
        Query id of each row, in any order; required for 1-D grades, refused elsewhere.
    string_provider : callable, default=None
        Turns an item of ranked lists into the string by which items are compared; called once per
        occurrence of an item. None compares the items themselves.
    relevance : sequence of sequences, mapping or RelevanceInput, default=None
        Scores of the items of ranked lists, for the measures that read scores.
    candidates : array-like or sparse matrix of bool, shape (n_queries, n_items), default=None
        Cells of the matrix layout that are ranked at all, such as the items a user has not seen
        yet. Other cells are neither ranked nor irrelevant, and a relevant one counts as not
        retrieved. None takes all; a masked array as ``y_score`` leaves out what is masked.
    sample_weight : array-like of shape (n_queries,) or (n_samples,), or mapping, default=None
        Weight of each query; for 1-D grades one per row, constant within a query.
    ties : {"average", "stable", "docid", "optimistic", "pessimistic"}, default=None
        Order of equally scored items: the exact expectation over all orders, the order of input,
        falling item ids, or the best or worst order. None takes the convention's.
    zero_division : {"warn", "raise"} or {nan, 0.0, 1.0}, default=None
        What a query counts for which a measure is undefined. None takes the convention's.
    missing : {"zero", "skip", "raise"}, default=None
        Judged queries without a ranking: empty rankings, left out, or an error. None takes the
        convention's.
    duplicates : {"raise", "first"}, default=None
        An item that stands twice in a ranking: an error, or only its best place counts.
    known_items : collection or callable, default=None
        Ids of the items in the index, or a function that says whether it has an item, as items are
        compared. Judged items that it lacks are counted and named; None takes all for known.
    assume : {"complete", "partial"}, default=None
        Items that the ground truth does not name are irrelevant, or nobody judged them: they count
        as irrelevant too, but are counted, and ``Evaluation.bounds`` says what they could change.
        None: partial if {item: grade} or a frame holds a grade of 0, else complete.
    convention : str, default="default"
        How another program counts, as in ``"trec_eval"``; explicit arguments win.
    n_jobs : int, default=None
        Threads that rank and measure; no value depends on it. -1 takes all cores. Functions of
        the caller, such as a gain, are called in one.
    keep_items : bool, default=False
        Keep the ids of the items, so that ``Evaluation.placements`` can name them.
    engine : EngineOptions, default=None
        How lazy frames are evaluated: a limit of memory, a place for temporary files.

    Returns
    -------
    evaluation : Evaluation
        Scores in the range of each measure, values per query (NaN where undefined), and counts.

    Raises
    ------
    ValueError
        If shapes or lengths do not fit, there is no query, a score is NaN, a grade is negative or
        not finite, an item stands twice in a ranking, or the two sides share no query.
    TypeError
        If ``groups`` is needed and missing, a ranking has no order, or the items of the two sides
        cannot be equal.
    InvalidParameterError
        If a measure, convention or parameter means nothing here, or the program of the convention
        has no such measure.

    Warns
    -----
    UndefinedMetricWarning
        Once for all measures that are undefined for a query, if ``zero_division="warn"``.
    RankingDataWarning
        If the data look wrong: arguments that seem swapped, ids that cannot match, no relevant
        item retrieved for any query, rankings that are cut off, or a matrix that holds -inf where
        a measure counts every irrelevant item.
    UnknownItemsWarning
        If judged items are not among ``known_items``.
    ConventionWarning
        If the program of the convention counts these data in a way that is not offered here.

    References
    ----------
    .. [1] The guide "Metrics" gives each measure's formula and source.

    Examples
    --------
    >>> from sklearn_rank import evaluate
    >>> ev = evaluate(
    ...     {"q1": {"d1"}, "q2": {"d2": 2, "d3": 1}},
    ...     {"q1": ["d1", "d2"], "q2": ["d3", "d2"]},
    ...     ("mrr", "ndcg@10", "recall@1"),
    ... )
    >>> ev["mrr"], ev["recall@1"]
    (1.0, 0.75)
    >>> ev.per_query["ndcg@10"].round(4)
    array([1.    , 0.7967])
    """
    jobs = _check_jobs(n_jobs)
    requested = parse_measures(measures, distinct=False)
    preset = find_convention(convention)
    if zero_division is not None:
        check_zero_division(zero_division, "evaluate")
    named = _named(requested, tuple(preset.apply(measure).complete() for measure in requested))
    settled = [_settled(preset, zero_division, measure) for measure in named.values()]
    keeps = check_flag(keep_items, "keep_items", "evaluate")
    judged = read_any(
        y_true,
        without_lowest(y_true, y_score) if preset.lowest == "masked" else y_score,
        columns=columns,
        known_items=known_items,
        groups=groups,
        string_provider=string_provider,
        relevance=relevance,
        candidates=candidates,
        sample_weight=sample_weight,
        ties=preset.ties if ties is None else ties,  # type: ignore[arg-type]
        missing=preset.missing if missing is None else missing,  # type: ignore[arg-type]
        duplicates="raise" if duplicates is None else duplicates,
        assume=assume,
        negative_grades=preset.negative_grades,  # type: ignore[arg-type]
        depth=None if keeps else deepest(named.values()),
        n_jobs=jobs,
        keep_items=keeps,
        engine=engine,
    )
    scored = score_measures(list(named.values()), judged, settled, jobs)
    warn_of_differences(preset, named, judged, (y_true, y_score), ties_are_given=ties is not None)
    return Evaluation(dict(zip(named, scored, strict=True)), judged)


def evaluate_placements(
    placements: Sequence[Placement],
    measures: str | Measure | Iterable[str | Measure],
    *,
    zero_division: ZeroDivision | None = None,
) -> Evaluation:
    """Evaluate rankings of which only the places of the relevant items are known.

    Parameters
    ----------
    placements : sequence of Placement
        One for each query; as ``Evaluation.placements`` gives them.
    measures : str, Measure, or sequence of them
        What to compute; pooled measures need scores, which placements do not have.
    zero_division : {"warn", "raise"} or {nan, 0.0, 1.0}, default=None
        As in :func:`evaluate`.

    Returns
    -------
    evaluation : Evaluation
        Without weights and counts of what was left out.

    Raises
    ------
    ValueError
        If the places contradict each other, such as two items on one rank without a tie.

    Examples
    --------
    >>> from sklearn_rank import evaluate
    >>> from sklearn_rank.evaluation import evaluate_placements
    >>> ev = evaluate([{"a"}], [["x", "a"]], "map")
    >>> evaluate_placements(ev.placements(), "mrr")["mrr"]
    0.5
    """
    return _evaluate_judged(judged_from(placements), measures, zero_division)


def evaluate_rankings(
    rankings: JudgedRankings,
    measures: str | Measure | Iterable[str | Measure],
    *,
    zero_division: ZeroDivision | None = None,
) -> Evaluation:
    """The same for places that stand in the waist already, which costs no object per item.

    ValueError if the places contradict each other.
    """
    return _evaluate_judged(judged_alone(rankings), measures, zero_division)


def _evaluate_judged(
    judged: RankingData,
    measures: str | Measure | Iterable[str | Measure],
    zero_division: ZeroDivision | None,
) -> Evaluation:
    settled = check_zero_division("warn" if zero_division is None else zero_division, "evaluate")
    wanted = parse_measures(measures)
    scored = score_measures(wanted, judged, settled)
    return Evaluation(dict(zip(map(str, wanted), scored, strict=True)), judged)


def _named(asked: tuple[Measure, ...], used: tuple[Measure, ...]) -> dict[str, Measure]:
    """What is computed, by the spelling that was asked for."""
    named: dict[str, Measure] = {}
    for measure, effective in zip(asked, used, strict=True):
        if effective in named.values():
            msg = f"measures names {measure} twice"
            raise ValueError(msg)
        name = measure.in_full() if str(measure) in named else str(measure)
        if name in named:
            msg = (
                f"measures names {name} twice, with functions or numbers that its spelling does "
                "not tell apart; name the functions differently, or evaluate one at a time"
            )
            raise ValueError(msg)
        named[name] = effective
    return named


def _settled(preset: Convention, zero_division: Any, measure: Measure) -> str | float:
    return check_zero_division(
        preset.zero_division_of(measure) if zero_division is None else zero_division, "evaluate"
    )


def _check_jobs(n_jobs: Any) -> int | None:
    if n_jobs is None:
        return None
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, Integral) or n_jobs == 0 or n_jobs < -1:
        msg = (
            "The 'n_jobs' parameter of evaluate must be an int of at least 1, -1 or None. "
            f"Got {safe_repr(n_jobs)} instead."
        )
        raise InvalidParameterError(msg)
    return int(n_jobs)

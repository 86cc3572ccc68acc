"""Compare systems with a baseline, or each with each, joined on the ids of their queries."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from sklearn_rank.comparison.join import join
from sklearn_rank.comparison.result import Comparison, ItemText, Options, comparisons_of
from sklearn_rank.evaluation.evaluate import evaluate
from sklearn_rank.evaluation.repeats import Repeats
from sklearn_rank.evaluation.result import Evaluation, QueryText, item_function, text_function
from sklearn_rank.exceptions import InvalidParameterError
from sklearn_rank.inputs.frames import is_spark
from sklearn_rank.measures.record import Measure
from sklearn_rank.statistics.samples import check_share
from sklearn_rank.support.checks import check_option
from sklearn_rank.support.text import closest, format_list, safe_repr

__all__ = ["compare"]

_NOT_OF_ALL = frozenset({"y_true", "y_score", "measures"})
"""Parameters of ``evaluate`` that are not passed on by name."""
_DEFAULT_MEASURES = ("map", "ndcg@10")
"""Default measures of ``evaluate``."""


def compare(
    baseline: Any,
    *others: Any,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    names: Sequence[str] | None = None,
    all_pairs: bool = False,
    alpha: float = 0.05,
    queries: Literal["common", "same"] = "common",
    query_text: QueryText = None,
    item_text: ItemText = None,
    **reading: Any,
) -> Comparison:
    """Compare systems with a baseline, query by query.

    Queries are joined on their ids, never by position. Each change is tested by Fisher's
    randomization test on the signs of the queries' changes [1]_, two-sided, and the p-values of all
    systems and measures are corrected by Holm's method. A gain also needs an interval above 0 to be
    significant.

    Parameters
    ----------
    baseline, *others : Evaluation, mapping, or y_true and {name: y_score}
        Results of :func:`evaluate` or :func:`load`, the baseline first; or one {name: result}; or
        ground truth and {name: rankings} in any layout, which are evaluated with the ids of their
        items kept, and by measures that may follow them.
    measures : str, Measure, or sequence of them, default=None
        What to compare, in any spelling. None takes all that every system was evaluated in, and
        ``("map", "ndcg@10")`` for ground truth and rankings.
    names : sequence of str, default=None
        Names for unnamed results. By default "baseline", "system 1" and so on.
    all_pairs : bool, default=False
        Whether to compare each system with each other, not with the baseline alone.
    alpha : float, default=0.05
        Greatest corrected p-value that counts as significant. Intervals have the level
        ``1 - alpha``, and are not corrected.
    queries : {"common", "same"}, default="common"
        "common" compares the queries that all systems have and counts the others; a judged query
        without a ranking counts as an empty one. "same" raises where queries, or those with a
        ranking, differ.
    query_text : mapping or callable, default=None
        {query: text}, or a function of the query id, for :meth:`Comparison.most_changed` and
        reports.
    item_text : mapping or callable, default=None
        Titles of items likewise, shown before their ids, or mappings as of
        :meth:`Comparison.report`.
    **reading
        Options of :func:`evaluate` for ground truth and rankings: ``groups``, ``columns``,
        ``ties``, ``convention`` and so on; ``relevance`` as {name: relevance}.

    Returns
    -------
    comparison : Comparison
        Changes with intervals, effect sizes, p-values, wins and losses.

    Raises
    ------
    QueryMismatchError
        If no query is common, queries go by position and their numbers differ, a query has other
        relevant items for one system than for another, or ``queries="same"`` and they differ.
    InvalidParameterError
        If a parameter does not apply, or the systems were evaluated in different ways.
    TypeError
        If the systems are neither results nor rankings.

    References
    ----------
    .. [1] Smucker, Allan and Carterette, A Comparison of Statistical Significance Tests for
       Information Retrieval Evaluation, 2007.

    Examples
    --------
    >>> from sklearn_rank import compare, evaluate
    >>> truth = {"q1": {"a"}, "q2": {"b"}, "q3": {"c"}}
    >>> old = evaluate(truth, {"q1": ["x", "a"], "q2": ["b"], "q3": ["x", "y", "c"]}, "mrr")
    >>> new = evaluate(truth, {"q3": ["c"], "q2": ["x", "b"], "q1": ["a"]}, "mrr")
    >>> row = compare(old, new, names=("old", "new"))["mrr"]
    >>> round(row.new, 4), round(row.change, 4), row.wins, row.losses
    (0.8333, 0.2222, 2, 1)
    """
    check_option(queries, "queries", ("common", "same"), "compare")
    alpha = check_share(alpha, "alpha", "compare")
    text_function(query_text)
    item_function(item_text)
    known = inspect.signature(evaluate).parameters.keys() - _NOT_OF_ALL
    for option in reading:
        if option not in known:
            hint = closest(option, [*known, *inspect.signature(compare).parameters])
            msg = f"compare() got an unexpected keyword argument {safe_repr(option)}{hint}"
            raise TypeError(msg)
    systems = _read_systems((baseline, *others), names, measures, reading)
    joined, notes = join(systems, measures, same_queries=queries == "same")
    options = Options(alpha, bool(all_pairs), query_text, item_text, notes)
    return comparisons_of([joined], options)[0]


def _read_systems(
    given: Sequence[Any], names: Any, measures: Any, reading: Mapping[str, Any]
) -> dict[str, Evaluation]:
    """Evaluations by name, the baseline first, in whichever form they were given."""
    last = given[-1] if given and isinstance(given[-1], Mapping) else {}
    if last and names is not None:
        msg = "names is for results of evaluate; a mapping names its systems itself"
        raise TypeError(msg)
    systems: dict[str, Any]
    if len(given) == 3 and measures is None and isinstance(given[2], (str, list, tuple, Measure)):
        *given, measures = given  # as those of evaluate
    if given and all(isinstance(system, Evaluation) for system in given):
        if names is None and len(given) == 2:
            names = ("baseline", "system")
        elif names is None:
            names = ("baseline", *(f"system {number}" for number in range(1, len(given))))
        is_list = isinstance(names, Sequence) and not isinstance(names, str)
        if not is_list or len(set(map(repr, names))) != len(given) or len(names) != len(given):
            msg = f"names must be {len(given)} different texts, got {safe_repr(names)}"
            raise InvalidParameterError(msg)
        systems = dict(zip(names, given, strict=True))
    elif len(given) == 1 and any(isinstance(system, Evaluation) for system in last.values()):
        systems = dict(last)
    elif len(given) == 2 and isinstance(given[1], Mapping) and not isinstance(given[0], Evaluation):
        systems = _evaluated(given[0], given[1], measures, reading)
        reading = {}
    else:
        shown = ", ".join(type(system).__name__ for system in given) or "nothing"
        if len(given) == 1 and isinstance(given[0], (list, tuple)):
            shown += "; pass its members one by one"
        msg = (
            f"compare takes results of evaluate, one {{name: result}}, or y_true and "
            f"{{name: y_score}}; got {shown}"
        )
        raise TypeError(msg)
    if reading:
        read = format_list(reading)
        msg = f"{read} says how data are read; results of evaluate were read already"
        raise TypeError(msg)
    for name, system in systems.items():
        if not isinstance(name, str) or not name.strip():
            msg = f"names of systems must be texts, got {safe_repr(name)}"
            raise InvalidParameterError(msg)
        if not isinstance(system, Evaluation):
            msg = f"system {safe_repr(name)} must be a result of evaluate, got {safe_repr(system)}"
            raise TypeError(msg)
    if len(systems) < 2:
        msg = f"compare needs at least two systems, got {len(systems)}"
        raise InvalidParameterError(msg)
    return systems


def _evaluated(
    y_true: Any, runs: Mapping[str, Any], measures: Any, reading: Mapping[str, Any]
) -> dict[str, Evaluation]:
    """Each run evaluated; ids of items in memory are kept, for changes by item."""
    # Are these the rankings of one system by query, not systems by name?
    if (
        isinstance(y_true, Mapping)
        and runs
        and all(name in y_true for name in runs)
        and not any(
            isinstance(run, Mapping) and not y_true.keys().isdisjoint(run) for run in runs.values()
        )
    ):
        msg = (
            f"compare takes y_true and {{name: y_score}}, a name for each system; the keys of "
            f"y_score are queries: {format_list(runs, limit=3)}"
        )
        raise TypeError(msg)
    single = [
        each for run in runs.values() for each in (run.runs if isinstance(run, Repeats) else [run])
    ]
    options = {"keep_items": not any(map(is_spark, (y_true, *single))), **reading}
    relevance = options.pop("relevance", None)
    by_system = isinstance(relevance, Mapping)
    if by_system and set(relevance) != set(runs):
        msg = (
            "relevance belongs to the rankings of one system; pass {name: relevance} with the "
            f"names {format_list(runs)}, got {format_list(relevance)}"
        )
        raise InvalidParameterError(msg)
    wanted = _DEFAULT_MEASURES if measures is None else measures
    systems = {}
    for name, scores in runs.items():
        read_by = relevance[name] if by_system else relevance
        try:
            systems[name] = evaluate(y_true, scores, wanted, relevance=read_by, **options)
        except (TypeError, ValueError) as error:
            if len(error.args) == 1 and isinstance(error.args[0], str):
                error.args = (f"system {safe_repr(name)}: {error.args[0]}",)
            raise
    return systems

"""Compare systems with a baseline, joined on the ids of their queries."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from typing import Any

from sklearn_rank.comparison.join import join
from sklearn_rank.comparison.result import Comparison, comparisons_of
from sklearn_rank.evaluation.base import BaseEvaluation
from sklearn_rank.evaluation.evaluate import evaluate, refuse_option
from sklearn_rank.evaluation.repeats import Repeats
from sklearn_rank.exceptions import InvalidParameterError
from sklearn_rank.inputs.frames import is_spark
from sklearn_rank.measures.record import Measure
from sklearn_rank.statistics.means import check_share
from sklearn_rank.support.constants import DEFAULT_MEASURES
from sklearn_rank.support.runtime import warn, warnings_given_by
from sklearn_rank.support.text import format_list, safe_repr

__all__ = ["compare"]

_NOT_OF_ALL = frozenset({"y_true", "y_score", "measures", "relevance"})
"""Parameters of ``evaluate`` that are not among ``reading``."""
_OF_COMPARE = {
    **dict.fromkeys(("runs", "systems"), "systems are y_score, {name: ranking}"),
    **dict.fromkeys(("stat_test", "test", "tests"), "the test is a paired randomization test"),
    **dict.fromkeys(("correction", "p_adjust"), "p_holm is corrected by Holm's method"),
    "by": "of one frame pass {name: part for name, part in frame.groupby(column)} as y_score",
    "baseline": "the first system is the baseline",
    "slices": "compare(...).by_slice(slices) compares each slice",
}
"""Keywords of other functions, and what to do in ``compare`` instead."""


def compare(
    y_true: Any,
    y_score: Any = None,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    *,
    alpha: float = 0.05,
    **reading: Any,
) -> Comparison:
    """Compare systems with a baseline, query by query.

    Queries are joined on their ids, never by position. Each change is tested by Fisher's
    randomization test on the signs of the queries' changes [1]_, two-sided, and the p-values of all
    systems and measures are corrected by Holm's method. A gain also needs an interval above 0 to be
    significant.

    Parameters
    ----------
    y_true, y_score : ground truth and {name: rankings}, or results
        In any layout of :func:`evaluate`, which evaluates them and stores the ids of their items;
        the first system is the baseline. Or results of :func:`evaluate` or :func:`load`: a baseline
        and a new one, or a mapping {name: result}.
    measures : str, Measure, or sequence of them, default=None
        Measures to compare, in any spelling. By default all that every system has, or
        ``("map", "ndcg@10")`` for ground truth and rankings.
    alpha : float, default=0.05
        Largest corrected p-value that counts as significant. Intervals have the level
        ``1 - alpha``, and are not corrected.
    **reading
        Options of :func:`evaluate` for ground truth and rankings: ``groups``, ``columns``,
        ``ties``, ``convention`` and so on.

    Returns
    -------
    comparison : Comparison
        Changes with intervals, effect sizes, p-values, wins and losses.

    Raises
    ------
    QueryMismatchError
        If the systems have no query in common, different numbers of queries without ids, or
        different relevant items for a query.
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
    >>> row = compare({"old": old, "new": new})["mrr"]
    >>> round(row.new, 4), round(row.change, 4), row.wins, row.losses
    (0.8333, 0.2222, 2, 1)
    """
    alpha = check_share(alpha, "alpha", "compare")
    options_of_evaluate = inspect.signature(evaluate).parameters.keys() - _NOT_OF_ALL
    for option in reading:
        if option not in options_of_evaluate:
            names = [*options_of_evaluate, *inspect.signature(compare).parameters]
            refuse_option("compare", option, names, **_OF_COMPARE)
    systems = _read_systems(y_true, y_score, measures, reading)
    # Given values are compared in addition to the named measures.
    joined, omissions = join(systems, measures if reading.get("values") is None else None)
    return comparisons_of([joined], alpha, omissions)[0]


def _read_systems(
    y_true: Any, y_score: Any, measures: Any, reading: Mapping[str, Any]
) -> dict[str, BaseEvaluation]:
    """Evaluations by name, the baseline first, in whichever form they were given."""
    is_result = isinstance(y_true, BaseEvaluation)
    if is_result and isinstance(measures, BaseEvaluation):
        msg = (
            "compare takes two results, the baseline first; pass more as one {name: result}: "
            "compare({'a': a, 'b': b, 'c': c})"
        )
        raise TypeError(msg)
    if is_result and isinstance(y_score, BaseEvaluation):
        systems = {"baseline": y_true, "new": y_score}
    elif y_score is None and isinstance(y_true, Mapping):
        systems = dict(y_true)
    elif isinstance(y_score, Mapping) and not is_result:
        systems, reading = evaluated(y_true, y_score, measures, reading), {}
    else:
        given = [type(side).__name__ for side in (y_true, y_score) if side is not None]
        msg = (
            "compare takes a baseline and a new result of evaluate, one {name: result}, or y_true "
            f"and {{name: y_score}}; got {', '.join(given)}"
        )
        raise TypeError(msg)
    if reading:
        read = format_list(reading)
        msg = f"{read} sets how evaluate reads data; pass it there, not with results of evaluate"
        raise TypeError(msg)
    for name, system in systems.items():
        if not isinstance(name, str) or not name.strip():
            msg = f"names of systems must be nonempty text, got {safe_repr(name)}"
            raise InvalidParameterError(msg)
        if not isinstance(system, BaseEvaluation):
            msg = f"system {safe_repr(name)} must be a result of evaluate, got {safe_repr(system)}"
            raise TypeError(msg)
    if len(systems) < 2:
        msg = f"compare needs at least two systems, got {len(systems)}"
        raise InvalidParameterError(msg)
    return systems


def evaluated(
    y_true: Any, runs: Mapping[str, Any], measures: Any, reading: Mapping[str, Any]
) -> dict[str, BaseEvaluation]:
    """Evaluate each run; store the ids of items in memory, for changes by item."""
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
            f"compare takes y_true and {{name: y_score}}, a name for each system, but the keys of "
            f"y_score are queries: {format_list(runs, limit=3)}"
        )
        raise TypeError(msg)
    results = [name for name, run in runs.items() if isinstance(run, BaseEvaluation)]
    if results:
        msg = (
            f"system {safe_repr(results[0])} is a result already; evaluate all others, and leave "
            "out y_true: compare({'base': base, 'new': evaluate(y_true, run)})"
        )
        raise TypeError(msg)
    values = reading.get("values")
    names = [values, *values.values()] if isinstance(values, Mapping) else []
    if any(isinstance(of, Mapping) and not runs.keys().isdisjoint(of) for of in names):
        msg = (
            "values= holds numbers by query, the same for all systems; if each system has its own, "
            "compare {name: evaluate(..., values=...)}"
        )
        raise TypeError(msg)
    single = [
        each for run in runs.values() for each in (run.runs if isinstance(run, Repeats) else [run])
    ]
    options = {"keep_items": not any(map(is_spark, (y_true, *single))), **reading}
    wanted = DEFAULT_MEASURES if measures is None else measures
    systems: dict[str, BaseEvaluation] = {}
    said: dict[tuple[str, type[Warning]], list[str]] = {}
    try:
        for name, scores in runs.items():
            with warnings_given_by(lambda *given, of=name: said.setdefault(given, []).append(of)):
                systems[name] = evaluate(y_true, scores, wanted, **options)
    except (TypeError, ValueError) as error:
        if len(error.args) == 1 and isinstance(error.args[0], str):
            error.args = (f"system {safe_repr(name)}: {error.args[0]}",)
        raise
    finally:
        for (text, category), of in said.items():  # once, for all systems concerned
            warn(text if len(of) == len(runs) else f"{format_list(of)}: {text}", category)
    return systems

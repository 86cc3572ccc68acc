"""Arguments and computation that all metric functions share."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import lru_cache, wraps
from inspect import signature
from typing import Any, NamedTuple, NoReturn, ParamSpec

from sklearn_rank.evaluation.compute import read, score_measures
from sklearn_rank.evaluation.evaluate import evaluate
from sklearn_rank.exceptions import RankingConfigError, SearchStopped
from sklearn_rank.inputs.options import ReadOptions
from sklearn_rank.measures.record import Measure, Metric
from sklearn_rank.support.checks import check_zero_division
from sklearn_rank.support.insides import is_running
from sklearn_rank.support.text import refuse_keyword, safe_repr
from sklearn_rank.typing import StringProvider, Ties, ZeroDivision

_measure_of = lru_cache(maxsize=64, typed=True)(Measure.of)


_WITHOUT = ("dcg", "hmean", "iprec", "rbp", "rprec")
"""Metrics that have a function but no predefined scorer."""
_OTHERS = {"fbeta": "f1_scorer", "lag": "neg_lag_scorer"}
_PARAMETERS_ELSEWHERE = {
    **dict.fromkeys(("qid", "group", "query_ids", "indexes"), "pass query ids of rows as groups="),
    **dict.fromkeys(("at", "cutoff", "n", "top_k"), "the cutoff is k="),
    "key": "use string_provider=",
    **dict.fromkeys(
        ("mask", "candidates", "padding_mask", "ignore_index", "lengths"),
        "evaluate takes candidates=, False for padding",
    ),
    **dict.fromkeys(("preds", "predictions", "run", "y_pred"), "rankings are y_score"),
    **dict.fromkeys(("qrels", "target", "targets"), "judgements are y_true"),
    "average": "it is a mean over queries; evaluate(...).per_query has the values",
    "ignore_ties": "ties='stable' keeps the given order",
}
"""Hints for arguments that other programs or ``evaluate`` take."""
_Parameters = ParamSpec("_Parameters")
_Function = Callable[_Parameters, float]


def scorer_of(metric: Metric) -> str:
    """Expression that makes a scorer for the metric."""
    if metric.name in _WITHOUT:
        return f"get_scorer({metric.name!r})"
    return _OTHERS.get(metric.name, f"{metric.name}_scorer")


def function_of(metric: Metric) -> Callable[[_Function[_Parameters]], _Function[_Parameters]]:
    """Decorator for metric functions: stops a search that calls them as scorers."""

    def decorate(function: _Function[_Parameters]) -> _Function[_Parameters]:
        parameters = signature(function).parameters
        accepted = frozenset(parameters)
        n_unnamed = sum(one.kind == one.POSITIONAL_OR_KEYWORD for one in parameters.values())

        @wraps(function)
        def called(*data: _Parameters.args, **options: _Parameters.kwargs) -> float:
            if data and hasattr(data[0], "fit"):
                name, scorer = function.__name__, scorer_of(metric)
                msg = f"{name} is a metric, not a scorer; pass scoring={scorer}"
                raise SearchStopped(msg)
            if len(data) > n_unnamed:
                name = "k" if "k" in accepted else "groups"
                how = f"further arguments by their names, as in {name}={safe_repr(data[n_unnamed])}"
                msg = f"{function.__name__}() takes {how}"
                raise TypeError(msg)
            if not accepted.issuperset(options):
                unknown = next(str(name) for name in options if name not in accepted)
                _refuse_option(function.__name__, unknown, accepted)
            return function(*data, **options)

        return called

    return decorate


def _refuse_option(function: str, name: str, names: Collection[str]) -> NoReturn:
    """TypeError for an unknown argument of a metric function, with what was probably meant."""
    elsewhere = {
        option: f"pass it to evaluate, as in evaluate(y_true, y_score, measure, {option}=...)"
        for option in signature(evaluate).parameters
    }
    refuse_keyword(function, name, sorted(names), {**elsewhere, **_PARAMETERS_ELSEWHERE})


class DataArguments(NamedTuple):
    """Arguments that every metric function takes in addition to its parameters."""

    groups: Any = None
    ties: Ties = "average"
    zero_division: ZeroDivision = "warn"
    sample_weight: Any = None
    string_provider: StringProvider | None = None
    relevance: Any = None


def score(
    metric: Metric,
    y_true: Any,
    y_score: Any,
    data: DataArguments,
    k: int | None = None,
    **parameters: Any,
) -> float:
    """Mean of a metric over the queries of data in any layout."""
    try:
        measure = _measure_of(metric, k, **parameters)
    except TypeError:  # a table or an array, which has no hash, or an error that comes again
        measure = Measure.of(metric, k, **parameters)
    undefined = check_zero_division(data.zero_division, metric.name)
    options = ReadOptions(
        metric.name,
        groups=data.groups,
        ties=data.ties,
        sample_weight=data.sample_weight,
        string_provider=data.string_provider,
        relevance=data.relevance,
    )
    try:
        rankings = read(y_true, y_score, options)
    except (RankingConfigError, ValueError) as error:
        lacks_ids = isinstance(error, RankingConfigError)
        has_others = _differ_in_length(data.groups, y_true)
        if not (lacks_ids or has_others) or not is_running():
            raise
        msg = (
            f"{metric.name} needs the query id of each row, which a search does not pass to a "
            f"function; pass scoring={scorer_of(metric)}, which finds it"
        )
        if has_others:
            msg = f"groups= of make_scorer covers all rows, not those of a fold; {msg}"
        raise SearchStopped(msg) from error
    return score_measures([measure], rankings, undefined)[0].average.value


def _differ_in_length(groups: Any, y_true: Any) -> bool:
    try:
        return len(groups) != len(y_true)
    except TypeError:  # of None, and of what has no length
        return False


def score_of(metric: Metric, y_true: Any, y_score: Any, **arguments: Any) -> float:
    """Like ``score``, with data arguments and parameters together, as scorers pass them."""
    named = {name: arguments.pop(name) for name in DataArguments._fields if name in arguments}
    return score(metric, y_true, y_score, DataArguments(**named), **arguments)

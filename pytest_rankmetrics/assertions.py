"""Assertions on the quality of rankings: they need no plugin, only data and a limit.

Assertions that name their metric, so that a test reads as a sentence, are short forms of
:func:`assert_metric`. The order of arguments is ``y_true, y_score``, as in scikit-learn.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Never, NoReturn

from pytest_rankmetrics.gate import hide, run_gate
from sklearn_rank.exceptions import InvalidParameterError
from sklearn_rank.gates.gate import judge_beside, judge_gate
from sklearn_rank.gates.limits import DEFAULT_DROP, Arguments
from sklearn_rank.measures.catalogue import Measure, find_metric
from sklearn_rank.measures.grammar import measure as read_measure
from sklearn_rank.metrics import FUNCTIONS
from sklearn_rank.support.constants import DEFAULT_MEASURES
from sklearn_rank.support.text import format_list, safe_repr

if TYPE_CHECKING:
    from pytest_rankmetrics.session import PytestRun
    from sklearn_rank.gates.verdict import GateResult


def assert_metric(
    y_true: Any,
    y_score: Any,
    measure: str | Measure,
    *unnamed: Never,
    at_least: float | None = None,
    at_most: float | None = None,
    **options: Any,
) -> GateResult:
    """Assert that a measure is good enough over all queries.

    Works in every test runner and in plain scripts; the reports of pytest also list it.

    Parameters
    ----------
    y_true, y_score
        Ground truth and rankings, in any layout of :func:`sklearn_rank.evaluate`.
    measure : str or Measure
        In any spelling that :func:`sklearn_rank.measure` reads, such as ``"ndcg@10"``.
    at_least, at_most : float
        Minimum value, or the maximum if lower is better (LAG). Equality (within 1e-9) passes.
    **options
        ``allow``, ``name``, ``query_text``, ``item_text`` and reading options of
        :meth:`RankGate.check`.

    Returns
    -------
    result : GateResult
        With ``value``, ``ci``, ``state``, ``evaluation``, ``counts`` and ``as_dict()``.

    Raises
    ------
    RankGateFailure
        If the value misses the limit or is not finite, or if data would be left out.
    InvalidParameterError
        If the limit is missing, has the wrong direction, or is met by every value or by none.
    ValueError, TypeError
        If :func:`sklearn_rank.evaluate` rejects the data.

    Examples
    --------
    >>> from pytest_rankmetrics import assert_metric, expected_failure
    >>> truth = {"q1": {"a"}, "q2": {"b"}}
    >>> assert_metric(truth, {"q1": ["a"], "q2": ["a", "b"]}, "mrr", at_least=0.75).value
    0.75
    >>> with expected_failure() as failure:
    ...     assert_metric(truth, {"q1": ["a"], "q2": ["a", "b"]}, "mrr", at_least=0.8)
    >>> failure.value.headline
    'MRR is 0.750, below the 0.800 required (2 queries...)'
    """
    __tracebackhide__ = hide

    if unnamed:
        _refuse_unnamed("assert_metric", unnamed[0], "at_least")
    if not isinstance(measure, (str, Measure)):
        msg = f"measure is a {type(measure).__name__}; the order is y_true, y_score, measure"
        raise TypeError(msg)
    arguments: dict[str, Any] = {**options, "measures": measure}
    if at_least is not None:
        arguments["at_least"] = {measure: at_least}
    if at_most is not None:
        arguments["at_most"] = {measure: at_most}

    def judge(checked: Arguments, _: PytestRun | None) -> GateResult:
        return judge_gate(y_true, y_score, checked)

    return run_gate(arguments, str(measure), judge)


def assert_not_worse(
    y_true: Any,
    y_score: Any,
    y_baseline: Any = None,
    measures: str | Measure | Sequence[str | Measure] = DEFAULT_MEASURES,
    *unnamed: Never,
    baseline_relevance: Any = None,
    **limits: Any,
) -> GateResult:
    """Assert that one system is not worse than another that is measured in the same test.

    Drops are judged as in :meth:`RankGate.check`.

    Parameters
    ----------
    y_true, y_score, y_baseline
        Ground truth, rankings to assess, and rankings to compare them with, in the same layout; or
        two Evaluations. The new system comes before the old one.
    measures : str, Measure, or sequence of them, default=("map", "ndcg@10")
        Measures to compare, each in its own direction.
    baseline_relevance
        ``relevance`` for ``y_baseline``.
    **limits
        ``max_drop`` (default 0.02), ``slices`` and all other limits and reading options of
        :meth:`RankGate.check`.

    Returns
    -------
    result : GateResult
        Values, changes, p-values and states.

    Raises
    ------
    RankGateFailure
        If a measure or slice is worse than allowed, or cannot be measured.
    InvalidParameterError
        If a limit is invalid.

    Examples
    --------
    >>> from pytest_rankmetrics import assert_not_worse
    >>> truth = {"q1": {"a"}, "q2": {"b"}}
    >>> old = {"q1": ["b", "a"], "q2": ["a", "b"]}
    >>> result = assert_not_worse(truth, {"q1": ["a"], "q2": ["a", "b"]}, old, "mrr")
    >>> result.state.value, result.measures["mrr"].change
    ('pass', 0.25)
    """
    __tracebackhide__ = hide

    if unnamed:
        _refuse_unnamed("assert_not_worse", unnamed[0], "max_drop")
    if y_baseline is None:  # two evaluations
        y_true, y_score, y_baseline = y_true, None, y_score
    if y_baseline in (y_true, y_score) if y_score is None else y_score is y_baseline:
        msg = (
            "y_score and y_baseline are the same object, so a system is compared with itself; "
            "pass the rankings of the baseline"
        )
        raise InvalidParameterError(msg)

    def judge(checked: Arguments, _: PytestRun | None) -> GateResult:
        limits = checked.limits
        differing = {str(measure) for measure in limits.measures} ^ limits.max_drop.keys()
        if differing:
            msg = f"max_drop and measures name different measures: {format_list(differing)}"
            raise InvalidParameterError(msg)
        reading = checked.reading
        if baseline_relevance is not None or "relevance" in reading:
            reading = {**reading, "relevance": baseline_relevance}
        return judge_beside(y_true, y_score, y_baseline, checked, replace(checked, reading=reading))

    return run_gate(
        {"max_drop": DEFAULT_DROP, **limits, "measures": measures}, str(measures), judge
    )


def _refuse_unnamed(function: str, value: Any, name: str) -> NoReturn:
    """TypeError for an argument that is to be named, as in ``at_least=0.7``."""
    msg = f"{function}() takes further arguments by their names, as in {name}={safe_repr(value)}"
    raise TypeError(msg)


def _assertion(name: str) -> Callable[..., GateResult]:
    """``assert_<name>_at_least`` or ``_at_most``, with the parameters of the metric."""
    metric = find_metric(name)
    function, side = FUNCTIONS[metric], "at_least" if metric.greater_is_better else "at_most"
    theirs = inspect.signature(function).parameters
    names = [key for key in ("k", *metric.defaults) if key in theirs]

    def assertion(
        y_true: Any, y_score: Any, threshold: float, *unnamed: Never, **options: Any
    ) -> GateResult:
        __tracebackhide__ = hide
        if unnamed:
            _refuse_unnamed(assertion.__name__, unnamed[0], names[0])
        # Parameters at their default are left open, so that a convention can set them.
        given = {key: options.pop(key) for key in names if key in options}
        given = {key: value for key, value in given.items() if value != metric.defaults.get(key)}
        measure = read_measure(name, given.pop("k", None), **given)
        options[side] = threshold
        return assert_metric(y_true, y_score, measure, **options)

    assertion.__name__ = assertion.__qualname__ = f"assert_{name}_{side}"
    assertion.__doc__ = (
        f"Assert that {metric.symbol} is {side.replace('_', ' ')} ``threshold``.\n\n    "
        f"{metric.summary} Its parameters are those of\n    :func:`sklearn_rank."
        f"{function.__name__}`; everything else is as in :func:`assert_metric`."
    )
    shared = list(inspect.signature(assertion).parameters.values())
    parameters = [theirs[key].replace(kind=inspect.Parameter.KEYWORD_ONLY) for key in names]
    reading = shared[-1].replace(name="reading")
    assertion.__signature__ = inspect.Signature([*shared[:3], *parameters, reading])  # type: ignore[attr-defined]
    return assertion


assert_auc_at_least = _assertion("auc")
assert_dcg_at_least = _assertion("dcg")
assert_err_at_least = _assertion("err")
assert_fbeta_at_least = _assertion("fbeta")
assert_gauc_at_least = _assertion("gauc")
assert_hit_rate_at_least = _assertion("hit_rate")
assert_hmean_at_least = _assertion("hmean")
assert_iprec_at_least = _assertion("iprec")
assert_lag_at_most = _assertion("lag")
assert_lauc_at_least = _assertion("lauc")
assert_map_at_least = _assertion("map")
assert_mar_at_least = _assertion("mar")
assert_mrr_at_least = _assertion("mrr")
assert_ndcg_at_least = _assertion("ndcg")
assert_nerr_at_least = _assertion("nerr")
assert_precision_at_least = _assertion("precision")
assert_recall_at_least = _assertion("recall")
assert_rprec_at_least = _assertion("rprec")

"""Assertions on the quality of rankings: they need no plugin, only their data and a limit.

Each names its metric, so that a test reads as a sentence; all are short forms of
:func:`assert_metric`. The order of arguments is ``y_true, y_score``, as in scikit-learn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Unpack, cast

from pytest_rankmetrics._support.typing import DataOptions
from pytest_rankmetrics.assessment.assess import assess
from pytest_rankmetrics.gates.outcome import result_of
from pytest_rankmetrics.gates.run import hide, run_gate
from pytest_rankmetrics.measuring.reference import beside
from pytest_rankmetrics.measuring.strict import measure_strictly
from pytest_rankmetrics.policy.policy import GateLimits, check_drops_named, read_policy
from pytest_rankmetrics.session import current
from sklearn_rank.measures.catalogue import find_metric
from sklearn_rank.measures.grammar import measure as read_measure
from sklearn_rank.measures.grammar import parse_measures

if TYPE_CHECKING:
    from pytest_rankmetrics.assessment.result import GateResult
    from sklearn_rank.measures.catalogue import Measure
    from sklearn_rank.typing import Discount, Gain, Unretrieved


def assert_metric(
    y_true: Any,
    y_score: Any,
    measure: str | Measure,
    *,
    at_least: float | None = None,
    at_most: float | None = None,
    **reading: Unpack[DataOptions],
) -> GateResult:
    """Assert that a measure is good enough over all queries.

    Works in every test runner and in plain scripts. Inside pytest with the plugin loaded, the
    outcome also enters the reports and the list of gates that have run.

    Parameters
    ----------
    y_true, y_score
        Ground truth and rankings, in any layout of :func:`sklearn_rank.evaluate`.
    measure : str or Measure
        In any spelling that :func:`sklearn_rank.measure` reads, such as ``"ndcg@10"``.
    at_least : float
        Least value, for measures of which greater is better: in (0, 1] where the measure is
        bounded, above 0 elsewhere. Equality (within 1e-9) passes.
    at_most : float
        Greatest value, for measures of which less is better (LAG): finite, at least 0.
    **reading
        How the data is read: ``groups``, ``query_ids``, ``string_provider``, ``relevance``,
        ``sample_weight``, ``ties``, ``convention`` as in :func:`sklearn_rank.evaluate`;
        ``zero_division``, ``missing`` and ``duplicates`` are ``"raise"`` unless given; ``unjudged``
        says what unjudged items count; ``allow`` names what else is no error; ``n_queries`` is
        their exact number; ``name`` is the gate's.

    Returns
    -------
    result : GateResult
        ``value``, ``ci``, ``per_query``, ``verdict``, ``counts``, ``as_dict()``.

    Raises
    ------
    RankGateFailure
        If the value is not good enough or not finite, or if something would have been left out:
        queries without judgements, with one row each, or found by nobody; no relevant item found.
    InvalidParameterError
        If the limit is missing, not a finite number, of the wrong direction, or such that every
        value (or none) meets it.
    ValueError, TypeError
        If the data is not acceptable to :func:`sklearn_rank.evaluate`, or an undefined or missing
        query or a duplicate is met and not allowed.

    Examples
    --------
    >>> from pytest_rankmetrics import assert_metric, expected_failure
    >>> truth = {"q1": {"a"}, "q2": {"b"}}
    >>> assert_metric(truth, {"q1": ["a"], "q2": ["a", "b"]}, "mrr", at_least=0.75).value
    0.75
    >>> with expected_failure() as failure:
    ...     assert_metric(truth, {"q1": ["a"], "q2": ["a", "b"]}, "mrr", at_least=0.8)
    >>> failure.value.headline
    'mrr 0.7500 < 0.8000 required (short by 0.0500; 2 queries...
    """
    __tracebackhide__ = hide
    limits = {"at_least": at_least, "at_most": at_most}

    def work(name: str) -> GateResult:
        given: dict[str, Any] = {
            word: {measure: limit} for word, limit in limits.items() if limit is not None
        }
        given["unjudged"] = reading.get("unjudged")
        asked = cast("GateLimits", {"metrics": measure, **given})
        policy = read_policy(current.running().settings, asked)
        unjudged = policy.settings.unjudged
        measured = measure_strictly(y_true, y_score, policy.measures, reading, unjudged=unjudged)
        return result_of(assess(policy, measured), name)

    return run_gate(reading.get("name"), str(measure), work)


def assert_not_worse(
    y_true: Any,
    y_score: Any,
    y_reference: Any,
    measures: str | Measure | Sequence[str | Measure] = ("map", "ndcg@10"),
    *,
    max_drop: float | Mapping[str, float] = 0.005,
    hard_drop: float | Mapping[str, float] | None = None,
    slices: Any = None,
    max_slice_drop: float | Mapping[str, float] | None = None,
    slice_hard_drop: float | None = None,
    max_regressed_queries: int | None = None,
    confirm: bool | None = None,
    alpha: float | None = None,
    slice_alpha: float | None = None,
    test: Literal["t", "permutation"] | None = None,
    correction: Literal["holm", "bh", "none"] | None = None,
    min_queries: int | None = None,
    min_slice_size: int | None = None,
    max_new_unjudged: float | None = None,
    reference_relevance: Any = None,
    **reading: Unpack[DataOptions],
) -> GateResult:
    """Assert that one system is not worse than another, measured in the same test.

    A drop fails if it exceeds ``max_drop`` and is significant (one-sided paired test over the
    queries, corrected for the number of measures). Below ``min_queries`` queries significance
    excuses nothing; a drop of more than ``hard_drop`` is never excused.

    Parameters
    ----------
    y_true, y_score, y_reference
        Ground truth, rankings to judge, and rankings to compare them with, in one layout.
    measures : str, Measure, or sequence of them, default=("map", "ndcg@10")
        What is compared; the direction is that of each measure.
    max_drop : float or {measure: float}, default=0.005
        Allowed drop, in units of the measure (for LAG: allowed rise): in [0, 1) where the
        measure is bounded.
    hard_drop : float or {measure: float}, default=None
        Drop that is never excused; None takes the setting (0.05 for bounded measures, none for
        others), ``math.inf`` switches it off.
    slices : mapping or callable, default=None
        {query: label or labels}, {label: queries} or a function of the query id.
    max_slice_drop : float or {label: float}, default=None
        Allowed drop of each slice; None shows the slices and judges none.
    slice_hard_drop : float, default=None
        Drop of a slice that is never excused.
    max_regressed_queries : int, default=None
        How many queries may be worse, for each measure.
    confirm, alpha, slice_alpha, test, correction, min_queries, min_slice_size, max_new_unjudged
        Override the settings of the same names.
    reference_relevance
        ``relevance`` of the reference.
    **reading
        As in :func:`assert_metric`.

    Returns
    -------
    result : GateResult
        Values, changes, p-values and verdicts.

    Raises
    ------
    RankGateFailure
        If a measure or slice is worse than allowed, or could not be measured.
    InvalidParameterError
        If a limit is not acceptable.

    Examples
    --------
    >>> from pytest_rankmetrics import assert_not_worse
    >>> truth = {"q1": {"a"}, "q2": {"b"}}
    >>> old = {"q1": ["b", "a"], "q2": ["a", "b"]}
    >>> result = assert_not_worse(truth, {"q1": ["a"], "q2": ["a", "b"]}, old, "mrr")
    >>> result.verdict.value, result.metrics["mrr"].change
    ('improved', 0.25)
    """
    __tracebackhide__ = hide
    limits: GateLimits = {
        "metrics": measures,
        "max_drop": max_drop,
        "hard_drop": hard_drop,
        "slices": slices,
        "max_slice_drop": max_slice_drop,
        "slice_hard_drop": slice_hard_drop,
        "max_regressed_queries": max_regressed_queries,
        "confirm": confirm,
        "alpha": alpha,
        "slice_alpha": slice_alpha,
        "test": test,
        "correction": correction,
        "min_queries": min_queries,
        "min_slice_size": min_slice_size,
        "max_new_unjudged": max_new_unjudged,
        "unjudged": reading.get("unjudged"),
    }

    def work(name: str) -> GateResult:
        policy = read_policy(current.running().settings, limits)
        check_drops_named(policy, measures)
        unjudged = policy.settings.unjudged
        measured = measure_strictly(y_true, y_score, policy.measures, reading, unjudged=unjudged)
        other = reading.copy()
        if reference_relevance is not None or "relevance" in other:
            other["relevance"] = reference_relevance
        reference = measure_strictly(y_true, y_reference, policy.measures, other, unjudged=unjudged)
        other_system = beside(measured, reference, slices)
        return result_of(assess(policy, measured, other_system), name)

    return run_gate(reading.get("name"), str(measures), work)


def _named(
    metric: str,
    y_true: Any,
    y_score: Any,
    threshold: float,
    reading: DataOptions,
    k: int | None = None,
    **parameters: Any,
) -> GateResult:
    """The one call behind the assertions that name their metric."""
    __tracebackhide__ = hide
    record = find_metric(metric)
    # Parameters at their default are left open, so that a convention can set them.
    own = {name: value for name, value in parameters.items() if value != record.defaults[name]}
    if "measures" in own and parse_measures(own["measures"]) == record.defaults["measures"]:
        del own["measures"]
    measure = read_measure(metric, k, **own)
    if record.greater_is_better:
        return assert_metric(y_true, y_score, measure, at_least=threshold, **reading)
    return assert_metric(y_true, y_score, measure, at_most=threshold, **reading)


def assert_auc_at_least(
    y_true: Any,
    y_score: Any,
    threshold: float,
    *,
    unretrieved: Unretrieved = "last",
    n_negatives: int | Sequence[int] | Mapping[Any, int] | None = None,
    smoothing: float = 0.0,
    average: Literal["positives", "pooled", "macro", "impressions"] = "positives",
    min_rel: float | None = None,
    **reading: Unpack[DataOptions],
) -> GateResult:
    """Assert that the area under the ROC curve (AUC) is at least ``threshold``.

    The threshold is in (0, 1]; equality passes. Own parameters are those of
    :func:`sklearn_rank.ranking_auc_score`;
    ``**reading``, errors and result are those of :func:`assert_metric`.

    Examples
    --------
    >>> from pytest_rankmetrics import assert_auc_at_least
    >>> assert_auc_at_least({"q": {"b"}}, {"q": ["a", "b", "c"]}, 0.4).value
    0.5
    """
    __tracebackhide__ = hide
    return _named(
        "auc",
        y_true,
        y_score,
        threshold,
        reading,
        unretrieved=unretrieved,
        n_negatives=n_negatives,
        smoothing=smoothing,
        average=average,
        min_rel=min_rel,
    )


def assert_dcg_at_least(
    y_true: Any,
    y_score: Any,
    threshold: float,
    *,
    k: int | None = None,
    gain: Gain = "exp2",
    discount: Discount = "log2",
    **reading: Unpack[DataOptions],
) -> GateResult:
    """Assert that discounted cumulated gain (DCG) is at least ``threshold``.

    The threshold is above 0; equality passes. Own parameters are those of
    :func:`sklearn_rank.dcg_at_k_score`;
    ``**reading``, errors and result are those of :func:`assert_metric`.

    Examples
    --------
    >>> from pytest_rankmetrics import assert_dcg_at_least
    >>> assert_dcg_at_least({"q": {"a": 2}}, {"q": ["a"]}, 2.5).value
    3.0
    """
    __tracebackhide__ = hide
    return _named("dcg", y_true, y_score, threshold, reading, k=k, gain=gain, discount=discount)


def assert_err_at_least(
    y_true: Any,
    y_score: Any,
    threshold: float,
    *,
    k: int | None = None,
    max_grade: Literal["query"] | float = "query",
    **reading: Unpack[DataOptions],
) -> GateResult:
    """Assert that expected reciprocal rank (ERR) is at least ``threshold``.

    The threshold is in (0, 1]; equality passes. Own parameters are those of
    :func:`sklearn_rank.expected_reciprocal_rank_score`;
    ``**reading``, errors and result are those of :func:`assert_metric`.

    Examples
    --------
    >>> from pytest_rankmetrics import assert_err_at_least
    >>> assert_err_at_least({"q": {"a": 1}}, {"q": ["b", "a"]}, 0.2).value
    0.25
    """
    __tracebackhide__ = hide
    return _named("err", y_true, y_score, threshold, reading, k=k, max_grade=max_grade)


def assert_fbeta_at_least(
    y_true: Any,
    y_score: Any,
    threshold: float,
    *,
    k: int | None = None,
    beta: float = 1.0,
    min_rel: float | None = None,
    **reading: Unpack[DataOptions],
) -> GateResult:
    """Assert that F-beta (F) is at least ``threshold``.

    The threshold is in (0, 1]; equality passes. Own parameters are those of
    :func:`sklearn_rank.fbeta_at_k_score`;
    ``**reading``, errors and result are those of :func:`assert_metric`.

    Examples
    --------
    >>> from pytest_rankmetrics import assert_fbeta_at_least
    >>> assert_fbeta_at_least(
    ...     {"q1": {"a"}, "q2": {"b"}}, {"q1": ["a"], "q2": ["a", "b"]}, 0.5, k=1
    ... ).value
    0.5
    """
    __tracebackhide__ = hide
    return _named("fbeta", y_true, y_score, threshold, reading, k=k, beta=beta, min_rel=min_rel)


def assert_gauc_at_least(
    y_true: Any,
    y_score: Any,
    threshold: float,
    *,
    unretrieved: Unretrieved = "last",
    n_negatives: int | Sequence[int] | Mapping[Any, int] | None = None,
    smoothing: float = 0.0,
    min_rel: float | None = None,
    **reading: Unpack[DataOptions],
) -> GateResult:
    """Assert that the mean AUC of the queries (GAUC) is at least ``threshold``.

    The threshold is in (0, 1]; equality passes. Own parameters are those of
    :func:`sklearn_rank.group_auc_score`;
    ``**reading``, errors and result are those of :func:`assert_metric`.

    Examples
    --------
    >>> from pytest_rankmetrics import assert_gauc_at_least
    >>> assert_gauc_at_least({"q": {"b"}}, {"q": ["a", "b", "c"]}, 0.4).value
    0.5
    """
    __tracebackhide__ = hide
    return _named(
        "gauc",
        y_true,
        y_score,
        threshold,
        reading,
        unretrieved=unretrieved,
        n_negatives=n_negatives,
        smoothing=smoothing,
        min_rel=min_rel,
    )


def assert_hit_rate_at_least(
    y_true: Any,
    y_score: Any,
    threshold: float,
    *,
    k: int | None = None,
    min_rel: float | None = None,
    **reading: Unpack[DataOptions],
) -> GateResult:
    """Assert that the share of queries with a hit (HitRate) is at least ``threshold``.

    The threshold is in (0, 1]; equality passes. Own parameters are those of
    :func:`sklearn_rank.hit_rate_at_k_score`;
    ``**reading``, errors and result are those of :func:`assert_metric`.

    Examples
    --------
    >>> from pytest_rankmetrics import assert_hit_rate_at_least
    >>> assert_hit_rate_at_least(
    ...     {"q1": {"a"}, "q2": {"b"}}, {"q1": ["a"], "q2": ["a", "b"]}, 0.5, k=1
    ... ).value
    0.5
    """
    __tracebackhide__ = hide
    return _named("hit_rate", y_true, y_score, threshold, reading, k=k, min_rel=min_rel)


def assert_hmean_at_least(
    y_true: Any,
    y_score: Any,
    threshold: float,
    *,
    k: int | None = None,
    measures: Sequence[str | Measure] = ("precision", "recall"),
    beta: float = 1.0,
    **reading: Unpack[DataOptions],
) -> GateResult:
    """Assert that the harmonic mean of two measures (HM) is at least ``threshold``.

    The threshold is in (0, 1]; equality passes. Own parameters are those of
    :func:`sklearn_rank.harmonic_mean_score`;
    ``**reading``, errors and result are those of :func:`assert_metric`.

    Examples
    --------
    >>> from pytest_rankmetrics import assert_hmean_at_least
    >>> assert_hmean_at_least(
    ...     {"q": {"b"}}, {"q": ["a", "b", "c"]}, 0.4, k=2, measures=("precision", "recall")
    ... ).value
    0.6666666666666666
    """
    __tracebackhide__ = hide
    return _named("hmean", y_true, y_score, threshold, reading, k=k, measures=measures, beta=beta)


def assert_iprec_at_least(
    y_true: Any,
    y_score: Any,
    threshold: float,
    *,
    recall: float | Literal["11pt"] = "11pt",
    min_rel: float | None = None,
    **reading: Unpack[DataOptions],
) -> GateResult:
    """Assert that interpolated precision (IPrec) is at least ``threshold``.

    The threshold is in (0, 1]; equality passes. Own parameters are those of
    :func:`sklearn_rank.interpolated_precision_score`;
    ``**reading``, errors and result are those of :func:`assert_metric`.

    Examples
    --------
    >>> from pytest_rankmetrics import assert_iprec_at_least
    >>> assert_iprec_at_least(
    ...     {"q1": {"a"}, "q2": {"b"}}, {"q1": ["a"], "q2": ["a", "b"]}, 0.7, recall=0.5
    ... ).value
    0.75
    """
    __tracebackhide__ = hide
    return _named("iprec", y_true, y_score, threshold, reading, recall=recall, min_rel=min_rel)


def assert_lag_at_most(
    y_true: Any,
    y_score: Any,
    threshold: float,
    *,
    unretrieved: Unretrieved = "last",
    average: Literal["macro", "pooled"] = "macro",
    min_rel: float | None = None,
    **reading: Unpack[DataOptions],
) -> GateResult:
    """Assert that the irrelevant items above a relevant one (LAG) are at most ``threshold``.

    The threshold is at least 0, in ranks; equality passes. Own parameters are those of
    :func:`sklearn_rank.lag_error`;
    ``**reading``, errors and result are those of :func:`assert_metric`.

    Examples
    --------
    >>> from pytest_rankmetrics import assert_lag_at_most
    >>> assert_lag_at_most({"q": {"b"}}, {"q": ["a", "b", "c"]}, 1.5).value
    1.0
    """
    __tracebackhide__ = hide
    return _named(
        "lag",
        y_true,
        y_score,
        threshold,
        reading,
        unretrieved=unretrieved,
        average=average,
        min_rel=min_rel,
    )


def assert_lauc_at_least(
    y_true: Any,
    y_score: Any,
    threshold: float,
    *,
    k: int | None = None,
    tail: Literal["none", "linear"] = "none",
    unretrieved: Unretrieved = "last",
    n_negatives: int | Sequence[int] | Mapping[Any, int] | None = None,
    smoothing: float = 0.0,
    min_rel: float | None = None,
    **reading: Unpack[DataOptions],
) -> GateResult:
    """Assert that the AUC of the first ``k`` items (LAUC) is at least ``threshold``.

    The threshold is in (0, 1]; equality passes. Own parameters are those of
    :func:`sklearn_rank.limited_auc_score`;
    ``**reading``, errors and result are those of :func:`assert_metric`.

    Examples
    --------
    >>> from pytest_rankmetrics import assert_lauc_at_least
    >>> assert_lauc_at_least({"q": {"b"}}, {"q": ["a", "b", "c"]}, 0.4, k=3).value
    0.5
    """
    __tracebackhide__ = hide
    return _named(
        "lauc",
        y_true,
        y_score,
        threshold,
        reading,
        k=k,
        tail=tail,
        unretrieved=unretrieved,
        n_negatives=n_negatives,
        smoothing=smoothing,
        min_rel=min_rel,
    )


def assert_map_at_least(
    y_true: Any,
    y_score: Any,
    threshold: float,
    *,
    k: int | None = None,
    denominator: Literal["min", "relevant", "retrieved", "k"] = "min",
    min_rel: float | None = None,
    **reading: Unpack[DataOptions],
) -> GateResult:
    """Assert that mean average precision (MAP) is at least ``threshold``.

    The threshold is in (0, 1]; equality passes. Own parameters are those of
    :func:`sklearn_rank.mean_average_precision_score`;
    ``**reading``, errors and result are those of :func:`assert_metric`.

    Examples
    --------
    >>> from pytest_rankmetrics import assert_map_at_least
    >>> assert_map_at_least({"q1": {"a"}, "q2": {"b"}}, {"q1": ["a"], "q2": ["a", "b"]}, 0.7).value
    0.75
    """
    __tracebackhide__ = hide
    return _named(
        "map", y_true, y_score, threshold, reading, k=k, denominator=denominator, min_rel=min_rel
    )


def assert_mar_at_least(
    y_true: Any,
    y_score: Any,
    threshold: float,
    *,
    k: int | None = None,
    normalize: bool = False,
    min_rel: float | None = None,
    **reading: Unpack[DataOptions],
) -> GateResult:
    """Assert that mean average recall (MAR) is at least ``threshold``.

    The threshold is in (0, 1]; equality passes. Own parameters are those of
    :func:`sklearn_rank.mean_average_recall_score`;
    ``**reading``, errors and result are those of :func:`assert_metric`.

    Examples
    --------
    >>> from pytest_rankmetrics import assert_mar_at_least
    >>> assert_mar_at_least({"q1": {"a"}, "q2": {"b"}}, {"q1": ["a"], "q2": ["a", "b"]}, 1.0).value
    1.0
    """
    __tracebackhide__ = hide
    return _named(
        "mar", y_true, y_score, threshold, reading, k=k, normalize=normalize, min_rel=min_rel
    )


def assert_mrr_at_least(
    y_true: Any,
    y_score: Any,
    threshold: float,
    *,
    k: int | None = None,
    min_rel: float | None = None,
    **reading: Unpack[DataOptions],
) -> GateResult:
    """Assert that mean reciprocal rank (MRR) is at least ``threshold``.

    The threshold is in (0, 1]; equality passes. Own parameters are those of
    :func:`sklearn_rank.mean_reciprocal_rank_score`;
    ``**reading``, errors and result are those of :func:`assert_metric`.

    Examples
    --------
    >>> from pytest_rankmetrics import assert_mrr_at_least
    >>> assert_mrr_at_least({"q1": {"a"}, "q2": {"b"}}, {"q1": ["a"], "q2": ["a", "b"]}, 0.7).value
    0.75
    """
    __tracebackhide__ = hide
    return _named("mrr", y_true, y_score, threshold, reading, k=k, min_rel=min_rel)


def assert_ndcg_at_least(
    y_true: Any,
    y_score: Any,
    threshold: float,
    *,
    k: int | None = None,
    gain: Gain = "exp2",
    discount: Discount = "log2",
    **reading: Unpack[DataOptions],
) -> GateResult:
    """Assert that normalized DCG (nDCG) is at least ``threshold``.

    The threshold is in (0, 1]; equality passes. Own parameters are those of
    :func:`sklearn_rank.ndcg_at_k_score`;
    ``**reading``, errors and result are those of :func:`assert_metric`.

    Examples
    --------
    >>> from pytest_rankmetrics import assert_ndcg_at_least
    >>> assert_ndcg_at_least({"q": {"a": 2, "b": 1}}, {"q": ["a", "b"]}, 0.9).value
    1.0
    """
    __tracebackhide__ = hide
    return _named("ndcg", y_true, y_score, threshold, reading, k=k, gain=gain, discount=discount)


def assert_nerr_at_least(
    y_true: Any,
    y_score: Any,
    threshold: float,
    *,
    k: int | None = None,
    max_grade: Literal["query"] | float = "query",
    **reading: Unpack[DataOptions],
) -> GateResult:
    """Assert that normalized expected reciprocal rank (nERR) is at least ``threshold``.

    The threshold is in (0, 1]; equality passes. Own parameters are those of
    :func:`sklearn_rank.normalized_expected_reciprocal_rank_score`;
    ``**reading``, errors and result are those of :func:`assert_metric`.

    Examples
    --------
    >>> from pytest_rankmetrics import assert_nerr_at_least
    >>> assert_nerr_at_least({"q": {"a": 2, "b": 1}}, {"q": ["a", "b"]}, 0.9).value
    1.0
    """
    __tracebackhide__ = hide
    return _named("nerr", y_true, y_score, threshold, reading, k=k, max_grade=max_grade)


def assert_precision_at_least(
    y_true: Any,
    y_score: Any,
    threshold: float,
    *,
    k: int | None = None,
    denominator: Literal["k", "retrieved"] = "k",
    min_rel: float | None = None,
    **reading: Unpack[DataOptions],
) -> GateResult:
    """Assert that precision (P) is at least ``threshold``.

    The threshold is in (0, 1]; equality passes. Own parameters are those of
    :func:`sklearn_rank.precision_at_k_score`;
    ``**reading``, errors and result are those of :func:`assert_metric`.

    Examples
    --------
    >>> from pytest_rankmetrics import assert_precision_at_least
    >>> assert_precision_at_least(
    ...     {"q1": {"a"}, "q2": {"b"}}, {"q1": ["a"], "q2": ["a", "b"]}, 0.5, k=2
    ... ).value
    0.5
    """
    __tracebackhide__ = hide
    return _named(
        "precision",
        y_true,
        y_score,
        threshold,
        reading,
        k=k,
        denominator=denominator,
        min_rel=min_rel,
    )


def assert_recall_at_least(
    y_true: Any,
    y_score: Any,
    threshold: float,
    *,
    k: int | None = None,
    denominator: Literal["relevant", "min"] = "relevant",
    min_rel: float | None = None,
    **reading: Unpack[DataOptions],
) -> GateResult:
    """Assert that recall (R) is at least ``threshold``.

    The threshold is in (0, 1]; equality passes. Own parameters are those of
    :func:`sklearn_rank.recall_at_k_score`;
    ``**reading``, errors and result are those of :func:`assert_metric`.

    Examples
    --------
    >>> from pytest_rankmetrics import assert_recall_at_least
    >>> assert_recall_at_least(
    ...     {"q1": {"a"}, "q2": {"b"}}, {"q1": ["a"], "q2": ["a", "b"]}, 0.5, k=1
    ... ).value
    0.5
    """
    __tracebackhide__ = hide
    return _named(
        "recall", y_true, y_score, threshold, reading, k=k, denominator=denominator, min_rel=min_rel
    )


def assert_rprec_at_least(
    y_true: Any,
    y_score: Any,
    threshold: float,
    *,
    min_rel: float | None = None,
    **reading: Unpack[DataOptions],
) -> GateResult:
    """Assert that R-precision (Rprec) is at least ``threshold``.

    The threshold is in (0, 1]; equality passes. Own parameters are those of
    :func:`sklearn_rank.r_precision_score`;
    ``**reading``, errors and result are those of :func:`assert_metric`.

    Examples
    --------
    >>> from pytest_rankmetrics import assert_rprec_at_least
    >>> assert_rprec_at_least(
    ...     {"q1": {"a"}, "q2": {"b"}}, {"q1": ["a"], "q2": ["a", "b"]}, 0.5
    ... ).value
    0.5
    """
    __tracebackhide__ = hide
    return _named("rprec", y_true, y_score, threshold, reading, min_rel=min_rel)

"""Scorers for ``GridSearchCV(scoring=...)`` and everything else that takes a scorer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from typing import Any, ParamSpec

from sklearn_rank.exceptions import InvalidParameterError
from sklearn_rank.measures.catalogue import METRICS, Measure
from sklearn_rank.measures.grammar import measure as read_measure
from sklearn_rank.measures.grammar import parse_measures
from sklearn_rank.metrics import FUNCTIONS
from sklearn_rank.model_selection.options import OPTION_NAMES
from sklearn_rank.model_selection.scorer import RankingScorer
from sklearn_rank.support.text import closest, safe_repr

__all__ = [
    "RankingScorer",
    "auc_scorer",
    "err_scorer",
    "f1_scorer",
    "gauc_scorer",
    "get_scorer",
    "get_scorer_names",
    "hit_rate_scorer",
    "lauc_scorer",
    "make_rank_scorer",
    "map_scorer",
    "mar_scorer",
    "mrr_scorer",
    "ndcg_scorer",
    "neg_lag_scorer",
    "nerr_scorer",
    "precision_scorer",
    "rank_scorers",
    "recall_scorer",
]


def _ready(name: str, measure: str) -> RankingScorer:
    return RankingScorer(read_measure(measure), name=name)


map_scorer = _ready("map_scorer", "map")
mar_scorer = _ready("mar_scorer", "mar")
mrr_scorer = _ready("mrr_scorer", "mrr")
ndcg_scorer = _ready("ndcg_scorer", "ndcg")
err_scorer = _ready("err_scorer", "err")
nerr_scorer = _ready("nerr_scorer", "nerr")
neg_lag_scorer = _ready("neg_lag_scorer", "lag")
auc_scorer = _ready("auc_scorer", "auc")
gauc_scorer = _ready("gauc_scorer", "gauc")
# Without a cutoff these do not depend on the order of a list that holds all items.
precision_scorer = _ready("precision_scorer", "precision@10")
recall_scorer = _ready("recall_scorer", "recall@10")
f1_scorer = _ready("f1_scorer", "f1@10")
hit_rate_scorer = _ready("hit_rate_scorer", "hit_rate@10")
lauc_scorer = _ready("lauc_scorer", "lauc@10")

_METRIC_OF = {function: metric for metric, function in FUNCTIONS.items()}
_LESS_IS_BETTER = tuple(metric.name for metric in METRICS if not metric.greater_is_better)


def make_rank_scorer(
    measure: str | Measure | Callable[..., float], **options: Any
) -> RankingScorer:
    """Make a scorer from a measure or a metric function of this package.

    Parameters
    ----------
    measure : str, Measure or callable
        Any spelling of a measure, or one of the metric functions.
    **options
        ``k``, the parameters of the measure, and options for estimators and data; see
        :meth:`RankingScorer.with_options`.

    Returns
    -------
    scorer : RankingScorer
        ``scorer(estimator, X, y, groups=qid) -> float``, higher is better, in the (negated) range
        of the measure. Tied predictions get the exact expectation unless ``ties`` specifies
        otherwise; a fold in which the measure is undefined for all queries ends a search.

    Raises
    ------
    TypeError or UnknownMeasureError
        If the function is not from this package, or the measure or an option is unknown.

    Examples
    --------
    >>> from sklearn_rank import make_rank_scorer, ndcg_at_k_score
    >>> make_rank_scorer(ndcg_at_k_score, k=10) == make_rank_scorer("ndcg@10")
    True
    """
    if callable(measure):
        if measure not in _METRIC_OF:
            msg = (
                f"{safe_repr(measure)} is not a metric function of sklearn_rank; pass a measure "
                "such as 'ndcg@10', or measure_from(name, function) with a function of a query's "
                "grades; for a function of y_true and y_score use scikit-learn's make_scorer"
            )
            raise TypeError(msg)
        read = Measure.of(_METRIC_OF[measure])
    else:
        read = read_measure(measure, options.pop("k", None))
    scorer = RankingScorer(read, name=_name(read))
    return scorer.with_options(**options) if options else scorer


def get_scorer(name: str | Measure, **options: Any) -> RankingScorer:
    """Scorer for a measure in any of its spellings.

    Parameters
    ----------
    name : str or Measure
        As in ``"ndcg@10"``; ``"neg_lag"`` and ``"lag"`` are the same scorer. ``"roc_auc"`` and
        ``"average_precision"`` are means over queries; ``"auc(average=pooled)"`` is scikit-learn's.
    **options
        As in :meth:`RankingScorer.with_options`, such as ``convention="lightgbm"``.

    Returns
    -------
    scorer : RankingScorer
        Equal to any other scorer of that measure, such as one from :func:`make_rank_scorer`.

    Raises
    ------
    TypeError or UnknownMeasureError
        If ``name`` is neither a str nor a Measure, or the name or an option is unknown.

    Examples
    --------
    >>> from sklearn_rank import get_scorer, map_scorer
    >>> get_scorer("map") == map_scorer
    True
    >>> get_scorer("ndcg@10")
    get_scorer('ndcg@10')
    """
    if not isinstance(name, (str, Measure)):
        msg = f"name must be a str or a Measure, got {type(name).__name__}: {safe_repr(name)}"
        raise TypeError(msg)
    return make_rank_scorer(_unsigned(name), **options)


def get_scorer_names() -> list[str]:
    """Names that :func:`get_scorer` takes, also with ``@k`` and parameters if the metric has them.

    Returns
    -------
    names : list of str
        Sorted names.

    Examples
    --------
    >>> from sklearn_rank import get_scorer_names
    >>> "map" in get_scorer_names(), "neg_lag" in get_scorer_names()
    (True, True)
    """
    return sorted(
        metric.name if metric.greater_is_better else f"neg_{metric.name}"
        for metric in METRICS
        if not metric.combines
    )


_Parameters = ParamSpec("_Parameters")
_Scorers = Callable[_Parameters, dict[str, RankingScorer]]


def _of_a_list(function: _Scorers[_Parameters]) -> _Scorers[_Parameters]:
    """Answer for measures that are not in a list."""

    @wraps(function)
    def called(*measures: _Parameters.args, **options: _Parameters.kwargs) -> Any:
        if len(measures) > 1:
            msg = "rank_scorers() takes one list of measures, as in ['map', 'ndcg@10']"
            raise TypeError(msg)
        return function(*measures, **options)

    return called


@_of_a_list
def rank_scorers(
    measures: Iterable[str | Measure],
    **options: Any,
) -> dict[str, RankingScorer]:
    """Scorers for a multimetric search; they share the estimator's predictions.

    Parameters
    ----------
    measures : iterable of str or Measure
        Measures in any spelling.
    **options
        Options of every scorer, as in :meth:`RankingScorer.with_options`: those for estimators and
        data, ``ties``, ``zero_division``, ``convention``. Parameters of a measure, such as ``k``,
        are part of its spelling.

    Returns
    -------
    scorers : dict of str to RankingScorer
        Keyed by canonical spelling, ``neg_lag`` for LAG; combine them with other scorers by ``|``.
        For ranges, ties and undefined folds see :func:`make_rank_scorer`.

    Raises
    ------
    UnknownMeasureError or ValueError
        If a measure or an option is unknown, an option is a measure's parameter, or measures are
        missing or repeated.

    Examples
    --------
    >>> from sklearn_rank import rank_scorers
    >>> rank_scorers(["map", "nDCG@10"])
    {'map': get_scorer('map'), 'ndcg@10': get_scorer('ndcg@10')}
    """
    accepted = (*OPTION_NAMES, "convention")
    unknown = [option for option in options if option not in accepted]
    if unknown:
        msg = (
            f"rank_scorers has no option {safe_repr(unknown[0])}{closest(unknown[0], accepted)}; "
            f"its options are: {', '.join(accepted)}; k and the parameters of a measure belong in "
            "its spelling, as in 'ndcg(gain=linear)@10'"
        )
        raise InvalidParameterError(msg)
    if isinstance(measures, Mapping) or not isinstance(measures, (Measure, Iterable)):
        msg = f"measures must be a str, a Measure or a sequence of them, got {safe_repr(measures)}"
        if isinstance(measures, Mapping):
            msg += "; to choose names, write {name: get_scorer(measure)}"
        raise TypeError(msg)
    asked = [measures] if isinstance(measures, (str, Measure)) else measures
    named = {_name(measure): measure for measure in parse_measures(map(_unsigned, asked))}
    return {name: make_rank_scorer(measure, **options) for name, measure in named.items()}


def _unsigned(name: str | Measure) -> str | Measure:
    """The measure for a scorer's name, without the ``neg_`` of measures where lower is better."""
    if isinstance(name, Measure):
        return name
    plain = name.removeprefix("neg_")
    return plain if plain != name and plain.startswith(_LESS_IS_BETTER) else name


def _name(measure: Measure) -> str:
    return str(measure) if measure.metric.greater_is_better else f"neg_{measure}"

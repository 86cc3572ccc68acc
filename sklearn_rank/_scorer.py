"""The scorer class: scikit-learn's interface to one measure."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from types import FrameType
from typing import Any, cast

import numpy as np
from sklearn.metrics import make_scorer
from sklearn.utils.metadata_routing import MetadataRequest

from sklearn_rank import _responses
from sklearn_rank._query_ids import carried_query_ids
from sklearn_rank._scoring import score_measure
from sklearn_rank._text import closest, safe_repr
from sklearn_rank._validation import check_flag, check_option, check_zero_division
from sklearn_rank._warn import warn
from sklearn_rank.exceptions import (
    DegenerateQueriesWarning,
    GroupsRequiredError,
    RankingConfigError,
    UndefinedMetricError,
)
from sklearn_rank.grammar import measure as read_measure
from sklearn_rank.grammar import parse_measures
from sklearn_rank.inputs.dispatch import TIES, judge, layout_of
from sklearn_rank.measures import Measure
from sklearn_rank.metrics import FUNCTIONS
from sklearn_rank.typing import StringProvider, Ties, ZeroDivision

_REQUESTABLE = ("groups", "query_weight")

# scikit-learn shares predictions between the scorers of a multimetric search only if they are
# instances of its scorer class, which has no public name. Where it cannot be had, all else works.
_Base: Any
try:
    _Base = type(make_scorer(max))
    _Base(max, 1, {}, "predict")
except Exception:  # pragma: no cover - a future scikit-learn
    _Base = object


@dataclass(frozen=True)
class ScorerOptions:
    """How a scorer reads estimators and data; see :meth:`RankingScorer.with_options`."""

    groups_from: str = "qid"
    response_method: str = "auto"
    one_query: bool = False
    pos_label: Any = None
    relevance: Mapping[Any, float] | None = None
    string_provider: StringProvider | None = None
    ties: Ties = "average"
    zero_division: ZeroDivision = "warn"

    def __post_init__(self) -> None:
        owner = "with_options"
        if not isinstance(self.groups_from, str):
            msg = (
                f"groups_from must be the name of a column or index level, got {self.groups_from!r}"
            )
            raise TypeError(msg)
        check_option(self.response_method, "response_method", ("auto", *_responses.AUTO), owner)
        check_flag(self.one_query, "one_query", owner)
        check_option(self.ties, "ties", TIES, owner)
        check_zero_division(self.zero_division, owner)


_OPTION_NAMES = tuple(option.name for option in fields(ScorerOptions))


class RankingScorer(_Base):  # type: ignore[misc]
    """A measure as a scorer, ``scorer(estimator, X, y, groups=qid) -> float``; greater is better.

    One scorer serves three layouts, told by the type of ``y``: rows (a grade per row, queries from
    ``groups``, a column or index level ``"qid"`` of X, or an index level of y), lists (a set,
    list or {item: grade} per query; the estimator predicts ranked lists) and matrix (2-D grades;
    the estimator predicts scores of the same shape). Make one with :func:`make_rank_scorer`,
    :func:`get_scorer`, or take one of the ready ones, such as ``map_scorer``.

    Parameters
    ----------
    measure : Measure
        What is computed; measures of which less is better are negated.
    name : str
        ``__name__`` and the start of ``repr``.
    options : ScorerOptions
        How estimators and data are read.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> from sklearn_rank import map_scorer
    >>> X, y, qid = [[3], [2], [1], [9], [8]], [1, 0, 0, 0, 1], ["a", "a", "a", "b", "b"]
    >>> map_scorer(Ridge().fit(X, y), X, y, groups=qid)
    0.75
    """

    def __init__(
        self,
        measure: Measure,
        *,
        name: str,
        options: ScorerOptions | None = None,
        requests: Mapping[str, Any] | None = None,
        bound: Any = None,
    ) -> None:
        self.measure = measure
        self.options = options or ScorerOptions()
        self._name = name
        self._requests = dict(requests if requests is not None else {"groups": True})
        self._bound = bound
        # What scikit-learn reads of its own scorers.
        self._sign = 1 if measure.metric.greater_is_better else -1
        self._score_func = FUNCTIONS[measure.metric]
        self._kwargs: dict[str, Any] = {}
        self._response_method: Any = (
            _responses.AUTO
            if self.options.response_method == "auto"
            else self.options.response_method
        )

    # Scoring ------------------------------------------------------------------------------------

    def __call__(
        self, estimator: Any, X: Any, y: Any = None, *, groups: Any = None, query_weight: Any = None
    ) -> float:
        """Score of an estimator; greater is better.

        Parameters
        ----------
        estimator : object
            Fitted; has ``decision_function``, ``predict_proba`` or ``predict``.
        X : array-like of shape (n_samples, n_features), or one element per query
            What the estimator predicts from.
        y : array-like, sequence of sets, lists or mappings, or matrix
            Ground truth in the rows, lists or matrix layout.
        groups : array-like of shape (n_samples,), default=None
            Query id of each row, for the rows layout.
        query_weight : array-like of shape (n_samples,), default=None
            Weight of each query; in the rows layout constant within a query.

        Returns
        -------
        score : float
            The measure, negated if less is better.

        Raises
        ------
        GroupsRequiredError
            In the rows layout without query ids; never all rows as one query unless told.
        RankingConfigError
            If the estimator gives nothing that ranks.
        ValueError
            If the data are wrong or the measure is undefined for all queries.
        """
        score = self._score(None, estimator, X, y, groups=groups, query_weight=query_weight)
        return cast("float", score)

    def _score(
        self,
        method_caller: Any,
        estimator: Any,
        X: Any,
        y_true: Any = None,
        *,
        groups: Any = None,
        query_weight: Any = None,
    ) -> Any:
        try:
            return self._value(method_caller, estimator, X, y_true, groups, query_weight)
        except RankingConfigError as error:
            if _is_swallowed():
                return _Raises(error)
            raise

    def _value(
        self, caller: Any, estimator: Any, X: Any, y: Any, groups: Any, query_weight: Any
    ) -> float:
        layout = self._layout(y)
        if layout == "rows":
            y, scores, groups = self._rows(caller, estimator, X, y, groups)
        else:
            method = self._method_for_queries(estimator, layout)
            scores, groups = _responses.call(estimator, method, X, caller), None
            y = y.to_numpy() if hasattr(y, "columns") else y
            if layout == "lists" and len(scores) != len(y):
                msg = (
                    f"predict gives {len(scores)} ranked lists for {len(y)} queries; "
                    "it has to give one per element of X"
                )
                raise RankingConfigError(msg)
        try:
            judged = judge(
                y,
                scores,
                groups=groups,
                sample_weight=query_weight,
                string_provider=self.options.string_provider if layout == "lists" else None,
                ties=self.options.ties,
                owner=self._name,
            )
        except TypeError as error:
            # Objects of the wrong kind: no other candidate of a search would fare better.
            raise RankingConfigError(str(error)) from error
        n_queries = len(judged.query_ids)
        if layout == "rows" and 1 < n_queries == len(y):
            message = f"{n_queries:,} rows in {n_queries:,} queries; is 'groups' a row id?"
            warn(message, DegenerateQueriesWarning)
        settled = check_zero_division(self.options.zero_division, self._name)
        value = score_measure(self.measure, judged, settled).average.value
        if math.isnan(value):
            msg = f"{self.measure} is undefined for all {n_queries:,} queries"
            raise UndefinedMetricError(msg)
        return self._sign * value

    def _layout(self, y: Any) -> str:
        if y is None:
            msg = f"{self._name} needs y: what is relevant"
            raise RankingConfigError(msg)
        if isinstance(y, Mapping):
            msg = (
                f"y is a {type(y).__name__} keyed by query; scikit-learn splits by position - "
                "pass [qrels[q] for q in X]"
            )
            raise RankingConfigError(msg)
        if isinstance(y, (set, frozenset)):
            msg = f"y is one {type(y).__name__} for all queries; pass a set per element of X"
            raise RankingConfigError(msg)
        if hasattr(y, "columns"):
            return "matrix"
        return "rows" if self._labels_are_text(y) else layout_of(y)

    def _labels_are_text(self, y: Any) -> bool:
        given = self.options.pos_label is not None or self.options.relevance is not None
        if not isinstance(next(iter(y), None), str):
            return False
        if not given:
            msg = "y holds strings; pass pos_label= or relevance={'bad': 0, ...}"
            raise RankingConfigError(msg)
        return True

    def _rows(self, caller: Any, estimator: Any, X: Any, y: Any, groups: Any) -> tuple[Any, ...]:
        options = self.options
        groups = self._query_ids(X, y, groups)
        scores = _responses.row_scores(
            estimator,
            X,
            method=options.response_method,
            pos_label=options.pos_label,
            grades=options.relevance,
            caller=caller,
            owner=self._name,
        )
        y = y.to_numpy() if hasattr(y, "to_numpy") else y
        if options.relevance is not None:
            grades = options.relevance
            y = np.array([grades[label] for label in np.asarray(y).tolist()])
        elif options.pos_label is not None:
            y = np.asarray(y) == options.pos_label
        groups = np.zeros(len(y), dtype=np.int64) if groups is None else groups
        return y, scores, groups

    def _query_ids(self, X: Any, y: Any, groups: Any) -> Any:
        """Query ids of the rows; None if they are to be one query."""
        for found in (groups, self._bound):
            if found is not None:
                return found.to_numpy() if hasattr(found, "to_numpy") else found
        found = carried_query_ids(self.options.groups_from, X, y)
        if found is None and not self.options.one_query:
            name = self._name
            msg = (
                f"{name} needs the query id of every row and got none. Either run under "
                "sklearn.set_config(enable_metadata_routing=True) and pass groups=qid, or give X a "
                f"column or index level named {self.options.groups_from!r} (groups_from=), or use "
                f"{name}.bind(qid); {name}.with_options(one_query=True) scores all rows as one "
                "query."
            )
            raise GroupsRequiredError(msg)
        return found

    def _method_for_queries(self, estimator: Any, layout: str) -> str:
        """Method that ranks items of queries: ``predict``, unless told or a classifier's scores."""
        if self.options.response_method != "auto":
            return self.options.response_method
        if layout == "matrix" and hasattr(estimator, "classes_"):
            return "decision_function" if hasattr(estimator, "decision_function") else "predict"
        return "predict"

    # Copies with other settings -----------------------------------------------------------------

    def set_score_request(self, **requests: Any) -> RankingScorer:
        """Copy that requests metadata; works whether or not routing is enabled.

        Parameters
        ----------
        **requests
            ``groups`` or ``query_weight``: True, False, or the name under which it is passed.

        Returns
        -------
        scorer : RankingScorer
            A copy; requests that are not named stay as they are.

        Raises
        ------
        TypeError
            If a name is not one of these two.
        """
        unknown = [name for name in requests if name not in _REQUESTABLE]
        if unknown:
            msg = f"{self._name} can request groups and query_weight, not {safe_repr(unknown[0])}"
            raise TypeError(msg)
        return self._copy(requests={**self._requests, **requests})

    def with_options(self, **options: Any) -> RankingScorer:
        """Copy with other parameters.

        Parameters
        ----------
        **options
            ``k`` and the measure's own parameters; ``groups_from`` (name of the column or index
            level that holds query ids, "qid"); ``response_method`` ("auto": ``decision_function``,
            ``predict_proba`` as the expected grade, ``predict``); ``one_query`` (all rows are one
            query); ``pos_label``, ``relevance`` ({label: grade}) for labels that are not grades;
            ``string_provider``; ``ties``; ``zero_division``.

        Returns
        -------
        scorer : RankingScorer
            A copy.

        Raises
        ------
        InvalidParameterError
            If a name or value is wrong.

        Examples
        --------
        >>> from sklearn_rank import ndcg_scorer
        >>> ndcg_scorer.with_options(k=5, gain="linear")
        ndcg_scorer.with_options(gain='linear', k=5)
        """
        own = {name: options.pop(name) for name in _OPTION_NAMES if name in options}
        metric = self.measure.metric
        unknown = [name for name in options if name != "k" and name not in metric.defaults]
        if unknown:
            known = (*metric.defaults, "k", *_OPTION_NAMES)
            msg = (
                f"{self._name} has no option {safe_repr(unknown[0])}"
                f"{closest(unknown[0], known)}; its options are: {', '.join(known)}"
            )
            raise TypeError(msg)
        k = options.pop("k", self.measure.k)
        if "measures" in options:
            options["measures"] = parse_measures(options["measures"])
        measure = Measure.of(metric, k, **{**dict(self.measure.parameters), **options})
        return self._copy(measure=measure, options=replace(self.options, **own))

    def bind(self, groups: Any) -> RankingScorer:
        """Copy with fixed query ids, for tools that split nothing, such as permutation_importance.

        Parameters
        ----------
        groups : array-like of shape (n_samples,)
            Query id of each row of the X that will be scored.

        Returns
        -------
        scorer : RankingScorer
            A copy; scoring rows of another number is an error.
        """
        return self._copy(bound=groups)

    def _copy(self, **changed: Any) -> RankingScorer:
        state = {
            "measure": self.measure,
            "name": self._name,
            "options": self.options,
            "requests": self._requests,
            "bound": self._bound,
            **changed,
        }
        return RankingScorer(state.pop("measure"), **state)

    # scikit-learn's protocols --------------------------------------------------------------------

    @property
    def __name__(self) -> str:
        return self._name

    def get_metadata_routing(self) -> Any:
        """Metadata that the scorer asks for; requests of a class are lost on scikit-learn 1.8.0."""
        request = MetadataRequest(owner=repr(self))
        for name, alias in self._requests.items():
            request.score.add_request(param=name, alias=alias)
        return request

    def _get_metadata_request(self) -> Any:
        return self.get_metadata_routing()

    def _accept_sample_weight(self) -> bool:
        """Weights of rows are for fitting; scores weigh queries, by ``query_weight``."""
        return False

    def _routing_repr(self) -> str:
        return repr(self)

    def __sklearn_clone__(self) -> RankingScorer:
        return self

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RankingScorer):
            return NotImplemented
        return (
            self.measure == other.measure
            and self.options == other.options
            and self._requests == other._requests
            and _same_ids(self._bound, other._bound)
        )

    def __hash__(self) -> int:
        return hash(self.measure)

    def __repr__(self) -> str:
        default = read_measure(_DEFAULT_MEASURES.get(self._name, self._name.removeprefix("neg_")))
        shown = {
            name: value
            for name, value in self.measure.parameters
            if (name, value) not in default.parameters
        }
        if self.measure.k != default.k:
            shown["k"] = self.measure.k
        for option in fields(ScorerOptions):
            value = getattr(self.options, option.name)
            if value is not option.default and value != option.default:
                shown[option.name] = value
        start = self._name if self._name.endswith("_scorer") else f"get_scorer({self._name!r})"
        text = ", ".join(f"{name}={_short(value)}" for name, value in shown.items())
        bound = "" if self._bound is None else ".bind(...)"
        return (f"{start}.with_options({text})" if text else start) + bound


class _Raises:
    """Stands for a score; raises the error where scikit-learn unwraps it.

    ``model_selection`` turns an exception of a scorer into NaN, with which a search succeeds and
    picks the first candidate. It calls ``.item()`` on a scorer's result outside of that net, in
    the place where it refuses results that are no numbers.
    """

    def __init__(self, error: RankingConfigError) -> None:
        self.error = error

    def item(self) -> float:
        raise self.error


def _is_swallowed() -> bool:
    """Whether an exception would end as NaN: model_selection's ``_score`` is among the callers."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        in_module = frame.f_globals.get("__name__") == "sklearn.model_selection._validation"
        if in_module and frame.f_code.co_name == "_score":
            return True
        frame = frame.f_back
    return False


def _short(value: Any) -> str:
    return getattr(value, "__name__", None) or safe_repr(value)


def _same_ids(one: Any, other: Any) -> bool:
    if one is None or other is None:
        return one is other
    return np.array_equal(np.asarray(one), np.asarray(other))


_DEFAULT_MEASURES: dict[str, str] = {}
"""Measures of the ready scorers by their names, for short representations."""


def ready_scorer(name: str, measure: str) -> RankingScorer:
    """One of the scorers that the package exports by name."""
    _DEFAULT_MEASURES[name] = measure
    return RankingScorer(read_measure(measure), name=name)

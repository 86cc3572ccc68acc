"""The scorer class: scikit-learn's interface to one measure."""

from __future__ import annotations

import copy
import math
from collections.abc import Mapping
from functools import partial
from typing import Any, Never, cast
from weakref import WeakKeyDictionary

import numpy as np
from sklearn.utils.metadata_routing import MetadataRequest

from sklearn_rank.evaluation.compute import Scored, score_measures
from sklearn_rank.evaluation.program_differences import program_differences
from sklearn_rank.exceptions import (
    ConventionWarning,
    InvalidParameterError,
    RankingConfigError,
    RankingDataWarning,
    SearchStopped,
    UndefinedMetricError,
    UndefinedMetricWarning,
)
from sklearn_rank.inputs.arrays import without_lowest
from sklearn_rank.inputs.layouts import read_layout
from sklearn_rank.inputs.options import ReadOptions
from sklearn_rank.measures.catalogue import Measure
from sklearn_rank.metrics import FUNCTIONS
from sklearn_rank.metrics.shared import score_of
from sklearn_rank.model_selection.options import (
    AUTO,
    OPTION_NAMES,
    ScorerOptions,
    as_asked,
    with_changes,
)
from sklearn_rank.model_selection.query_ids import fault_of_features
from sklearn_rank.model_selection.reading import MethodCaller, Responses, ScorerInput, read_call
from sklearn_rank.rankings.data import RankingData
from sklearn_rank.support.insides import is_running, scorer_class
from sklearn_rank.support.runtime import warn_once, warnings_given_by
from sklearn_rank.support.text import format_list, names_as, refuse_keyword, safe_repr

_REQUESTABLE = ("groups", "query_weight")
_CALLED_ELSEWHERE = {
    **dict.fromkeys(("group", "group_id", "qid", "query_id", "query_ids"), "pass groups="),
    **dict.fromkeys((*OPTION_NAMES, "k", "min_rel"), "use with_options(), as in with_options(k=5)"),
    "sample_weight": "pass query_weight=",
}
_ALIKE_FOR_ALL = (InvalidParameterError, OverflowError, RankingConfigError, UndefinedMetricError)
"""Errors of query ids, parameters or the truth: every candidate of a search has them."""

_Base: Any = scorer_class()


class RankingScorer(_Base):  # type: ignore[misc]
    """A measure as a scorer, ``scorer(estimator, X, y, groups=qid) -> float``; higher is better.

    One scorer serves three layouts, by the type of ``y``: rows (a grade per row, queries from
    ``groups``, a column or index level ``"qid"`` of X, or an index level of y), lists (a set, list
    or {item: grade} per query; the estimator predicts ranked lists) and matrix (2-D grades; the
    estimator predicts scores of the same shape). Make one with :func:`make_rank_scorer`,
    :func:`get_scorer`, or use a predefined one, such as ``map_scorer``.

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
        named: Measure | None = None,
    ) -> None:
        if measure.metric.is_given:
            msg = f"{measure} is measured elsewhere: a scorer cannot compute it from an estimator"
            raise InvalidParameterError(msg)
        # requests: metadata by name; named: what the name means, for the differences in repr.
        self.measure = measure
        self._named = measure if named is None else named
        self.options = options or ScorerOptions()
        self._name = name
        # The expression that makes this scorer, up to its options.
        self._called = name if name.endswith("_scorer") else f"get_scorer({name!r})"
        self._requests = dict(requests if requests is not None else {"groups": True})
        self._bound = copy.copy(bound)
        # Attributes that scikit-learn reads from its scorers, some to call the metric on labels.
        self._sign = 1 if measure.metric.greater_is_better else -1
        function = FUNCTIONS.get(measure.metric)
        self._score_func: Any = function or partial(score_of, measure.metric)
        cutoff = {"k": measure.k} if measure.metric.takes_k else {}
        policy = {"ties": self.options.ties, "zero_division": self.options.zero_division}
        self._kwargs = {**cutoff, **measure.options, **policy}
        method = self.options.response_method
        self._response_method: Any = AUTO if method == "auto" else method

    # Scoring ------------------------------------------------------------------------------------

    def __call__(
        self,
        estimator: Any,
        X: Any,
        y: Any = None,
        *,
        groups: Any = None,
        query_weight: Any = None,
        **unknown: Never,
    ) -> float:
        """Score of an estimator; higher is better.

        Parameters
        ----------
        estimator : object
            Fitted; has ``decision_function``, ``predict_proba`` or ``predict``.
        X : array-like of shape (n_samples, n_features), or one element per query
            Input of the estimator.
        y : array-like, sequence of sets, lists or mappings, or matrix
            Ground truth in the rows, lists or matrix layout.
        groups : array-like of shape (n_samples,), default=None
            Query id of each row, for the rows layout.
        query_weight : array-like of shape (n_samples,), default=None
            Weight of each query; in the rows layout constant within a query.
        **unknown
            Not accepted; the error suggests the intended name.

        Returns
        -------
        score : float
            The measure, negated if lower is better.

        Raises
        ------
        RankingConfigError
            In the rows layout without query ids, unless ``one_query`` makes all rows one
            query; or if the estimator returns no rankings.
        SearchStopped
            Instead of these errors if scikit-learn calls, because it would turn them into NaN.
        ValueError
            If the data are wrong or the measure is undefined for all queries.
        """
        for name in unknown:
            refuse_keyword(self._name, name, _REQUESTABLE, _CALLED_ELSEWHERE)
        score = self._score(None, estimator, X, y, groups=groups, query_weight=query_weight)
        return cast("float", score)

    def _score(
        self,
        method_caller: MethodCaller,
        estimator: object,
        X: object,
        y_true: object = None,
        *,
        groups: object = None,
        query_weight: object = None,
    ) -> Any:
        try:
            scored = self._scored(method_caller, estimator, X, y_true, groups, query_weight)
        except _ALIKE_FOR_ALL as error:
            if not is_running():
                raise
            text = str(error)
            if isinstance(error, UndefinedMetricError):
                text += (
                    " of a fold for every candidate; split into fewer folds, spread the "
                    "relevant rows (StratifiedGroupKFold), or use with_options(zero_division=0.0)"
                )
            raise SearchStopped(text) from error
        return self._sign * scored.average.value

    def _scored(self, caller: MethodCaller, *call: Any) -> Scored:
        """The measure of the queries, with a mean that is a number."""
        measure, options = self.measure, self.options
        policy, key = options.zero_division, (measure, options)
        with warnings_given_by(partial(warn_once, key=key)):
            read, judged = self._judged(caller, *call)
            scored = score_measures([measure], judged, math.nan if policy == "warn" else policy)[0]
        if math.isnan(scored.average.value):
            msg = f"{measure} is undefined for all {len(judged.query_ids):,} queries"
            raise UndefinedMetricError(msg)
        if options.convention != "default":
            for text in program_differences(
                options.preset,
                {str(as_asked(measure)): measure},
                judged,
                ties_are_given="ties" in (options.given or ()),
                # Folds differ in numbers, and one text is enough for all of them.
                numbers=not is_running(),
            ):
                warn_once(text, ConventionWarning, key=text)
        if policy == "warn" and scored.average.n_undefined:
            undefined, of_rows = "some queries of the folds", ""
            if not is_running() and scored.values is not None:
                flags = np.isnan(scored.values)
                if judged.weights is not None:
                    flags &= judged.weights > 0
                ids = [judged.query_ids[query] for query in np.flatnonzero(flags).tolist()]
                undefined = f"{len(ids):,} of {len(judged.query_ids):,} queries: {format_list(ids)}"
                if read.layout == "rows" and len(ids) > len(judged.query_ids) / 4:
                    of_rows = _DIVIDED
            message = (
                f"{scored.measure} is undefined for {undefined}; they are left out of the mean. "
                f"{self._called}.with_options(zero_division=...) sets their value: "
                f"0.0, 1.0, or np.nan to leave them out without this warning.{of_rows}"
            )
            warn_once(message, UndefinedMetricWarning, key=key)
        return scored

    def _judged(
        self, caller: MethodCaller, estimator: Any, X: Any, y: Any, groups: Any, query_weight: Any
    ) -> tuple[ScorerInput, RankingData]:
        """Data read by this scorer or another one of the same multimetric call."""
        shared = {} if caller is None else _SHARED.setdefault(caller, {})
        passed_as = str(self._requests.get("groups"))
        key = (*map(id, (X, y, groups, query_weight, self._bound)), passed_as, self.options)
        if key not in shared:
            read = read_call(
                Responses(estimator, X, caller),
                y,
                groups,
                self.options,
                owner=self._called,
                bound=self._bound,
                passed_as=passed_as,
            )
            # Other scorers may read further.
            judged = _ranked(read, query_weight, self.options)
            if read.queries is not None:
                for fault in read.queries.faults(len(judged.query_ids)):
                    warn_once(fault, RankingDataWarning, key="queries")
                if fault := fault_of_features(estimator):
                    warn_once(fault, RankingDataWarning, key="features")
            shared[key] = read, judged
        return shared[key]

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
            A copy; other requests stay as they are.

        Raises
        ------
        TypeError
            If another name is passed.
        """
        unknown = [name for name in requests if name not in _REQUESTABLE]
        if unknown:
            msg = f"{self._name} can request groups and query_weight, not {safe_repr(unknown[0])}"
            raise TypeError(msg)
        copied = self._copy(requests={**self._requests, **requests})
        copied.get_metadata_routing()  # refuses what is no name
        return copied

    def with_options(self, **options: Any) -> RankingScorer:
        """Copy with other parameters.

        Parameters
        ----------
        **options
            ``k`` and the parameters of the measure; ``groups_from`` (name of the column or index
            level that holds query ids, "qid"); ``response_method`` ("auto": ``decision_function``,
            ``predict_proba`` as the expected grade, ``predict``); ``one_query`` (all rows are one
            query); ``pos_label``, ``relevance`` ({label: grade}) for labels that are not grades;
            ``string_provider``; ``ties``; ``zero_division``; ``convention``, the name of a program
            whose defaults apply where nothing else is set.

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
        measure, read = with_changes(self.measure, self.options, options, self._name)
        return self._copy(measure=measure, options=read)

    def bind(self, groups: Any) -> RankingScorer:
        """Copy with fixed query ids, for tools that do not split, such as permutation_importance.

        ``groups`` are the query ids of the rows that will be scored; scoring a different number of
        rows, or passing different ``groups``, is an error.
        """
        return self._copy(bound=groups)

    def _copy(self, **changed: Any) -> RankingScorer:
        names = ("name", "requests", "bound", "named")
        same = {name: getattr(self, f"_{name}") for name in names}
        return type(self)(**{"measure": self.measure, "options": self.options, **same, **changed})

    # scikit-learn's protocols --------------------------------------------------------------------

    @property
    def __name__(self) -> str:
        return self._name

    def get_metadata_routing(self) -> Any:
        """Metadata that the scorer requests."""
        # Overridden, because scikit-learn 1.8.0 loses a class's requests.
        request = MetadataRequest(owner=repr(self))
        for name, alias in self._requests.items():
            request.score.add_request(param=name, alias=alias)
        return request

    def _get_metadata_request(self) -> Any:
        return self.get_metadata_routing()

    def _accept_sample_weight(self) -> bool:
        """False: weights of rows are for fitting; scores weight queries by ``query_weight``."""
        return False

    def _routing_repr(self) -> str:
        return repr(self)

    def __sklearn_clone__(self) -> RankingScorer:
        return self

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RankingScorer):
            return NotImplemented
        has_same_ids = self._bound is other._bound or (
            self._bound is not None
            and other._bound is not None
            and np.array_equal(np.asarray(self._bound), np.asarray(other._bound))
        )
        return has_same_ids and all(
            getattr(self, name) == getattr(other, name)
            for name in ("measure", "options", "_requests")
        )

    def __hash__(self) -> int:
        return hash(self.measure)

    def __repr__(self) -> str:
        defaults = self.measure.metric.defaults
        usual, now = (
            {**defaults, **dict(one.parameters), "k": one.k} for one in (self._named, self.measure)
        )
        shown = {name: value for name, value in now.items() if value != usual[name]}
        shown.update(self.options.changed())
        for name, value in shown.items():
            shown[name] = getattr(value, "__name__", None) or safe_repr(value)
        text = ", ".join(f"{name}={value}" for name, value in shown.items())
        bound = "" if self._bound is None else ".bind(...)"
        return (f"{self._called}.with_options({text})" if text else self._called) + bound


_DIVIDED = (
    " If the rows come from train_test_split, which divides queries, split by query with "
    "GroupShuffleSplit."
)
_SHARED: WeakKeyDictionary[Any, dict[Any, tuple[ScorerInput, RankingData]]] = WeakKeyDictionary()
"""Data shared by the scorers of one multimetric call, keyed by its cache of predictions."""


def _refuse_truth(read: ScorerInput, options: ReadOptions) -> None:
    """Refuse grades that are wrong for any prediction: no candidate would fare better."""
    if read.layout in ("lists", "mapping"):
        is_mapping = isinstance(read.y, Mapping)
        found: Any = dict.fromkeys(read.y, ()) if is_mapping else [()] * len(read.y)
    else:
        found = np.zeros(np.shape(read.y))
    try:
        with warnings_given_by(lambda *_: None):
            read_layout(read.layout, read.y, found, options)
    except ValueError as error:
        raise InvalidParameterError(str(error)) from error


_FOLD_THAT_MISSES = 10
"""Queries in a fold for which a poor candidate of a search may find nothing."""


def _ranked(read: ScorerInput, query_weight: object, options: ScorerOptions) -> RankingData:
    preset, scores = options.preset, read.scores
    if preset.lowest == "masked":
        scores = without_lowest(read.y, scores)
    unweighted = ReadOptions(
        groups=None if read.queries is None else read.queries.ids,
        string_provider=options.string_provider,
        ties=options.ties,
        missing=preset.missing,  # type: ignore[arg-type]
        negative_grades=preset.negative_grades,  # type: ignore[arg-type]
        presumed=preset.assume,  # type: ignore[arg-type]
        least_missed=_FOLD_THAT_MISSES,
    )
    weighted = unweighted._replace(sample_weight=query_weight)
    try:
        with names_as({"sample_weight": "query_weight"}):
            return read_layout(read.layout, read.y, scores, weighted)
    except InvalidParameterError:
        raise
    except TypeError as error:
        # Objects of the wrong kind: no other candidate of a search would fare better.
        raise RankingConfigError(str(error)) from error
    except ValueError as error:
        _refuse_truth(read, unweighted)
        if query_weight is None:
            raise
        # Raises where the weights are not to blame.
        read_layout(read.layout, read.y, scores, unweighted)
        raise RankingConfigError(str(error)) from error

"""Fusion of saved runs as an estimator, whose weights a search can choose."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from numbers import Real
from typing import Any, Literal

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted

from sklearn_rank.exceptions import DuplicateItemError, InvalidParameterError, QueryMismatchError
from sklearn_rank.files.read import read_run
from sklearn_rank.inputs.arrays import numbered
from sklearn_rank.inputs.items import ItemReader
from sklearn_rank.inputs.layouts import read_layout
from sklearn_rank.inputs.options import ReadOptions
from sklearn_rank.inputs.spelling import spelling_hint
from sklearn_rank.inputs.tables import Run
from sklearn_rank.support.checks import check_finite, check_number, check_option, check_same_length
from sklearn_rank.support.runtime import warn, warnings_given_by
from sklearn_rank.support.segments import segment_index, sizes_of
from sklearn_rank.support.sorting import falling_codes, order_segments, runs_of
from sklearn_rank.support.text import closest, format_list, safe_repr
from sklearn_rank.typing import FloatArray, IntArray

__all__ = ["RankFusion"]

_FUSES = "RankFusion"
_NORMS = ("minmax", "zscore", "none")


class RankFusion(BaseEstimator):  # type: ignore[misc]
    """Fusion of saved runs, such as a keyword and a dense search, into one ranking per query.

    Reciprocal rank fusion [1]_ sums ``weight / (k + rank)`` over the runs; the weighted sum adds up
    ``weight * normalized score``. A run adds 0 to an item that it lacks. The runs are read and
    ranked once, and all clones share them, so a search over ``weights``, ``k`` and ``method``
    repeats only the sums.

    Parameters
    ----------
    runs : mapping or sequence of runs
        {name: run}, the runs of two or more systems: {query: {item: score}}, {query: ranked list},
        results of :func:`read_run`, or names of files that it reads. Runs in a sequence are named
        after their files, or "run 1", "run 2" and so on. Tied items of a run share their mean rank.
    method : {"rrf", "sum"}, default="rrf"
        Reciprocal rank fusion, or the weighted sum of scores.
    weights : mapping or sequence of float, default=None
        {name: weight}, or one weight for each run in their order; 0 leaves the run out. The default
        is 1, also for names absent from a mapping.
    k : float, default=60
        Constant of reciprocal rank fusion: the larger it is, the less the first ranks stand out.
    normalize : {"minmax", "zscore", "none"}, default="minmax"
        How a run's scores are scaled per query for the sum: to the range from 0 to 1, to mean 0 and
        standard deviation 1, or not at all. If all scores are equal, as for a single item, "minmax"
        and "zscore" make them 0.

    Attributes
    ----------
    weights_ : dict of str to float
        The weight of each run.

    References
    ----------
    .. [1] Cormack, Clarke and Büttcher, Reciprocal Rank Fusion Outperforms Condorcet and Individual
       Rank Learning Methods, SIGIR 2009.

    Examples
    --------
    >>> from sklearn_rank import RankFusion
    >>> runs = {
    ...     "bm25": {"q1": {"a": 9.1, "b": 7.4}},
    ...     "dense": {"q1": {"b": 0.8, "c": 0.6}},
    ... }
    >>> fusion = RankFusion(runs, method="sum", weights={"dense": 2}).fit(["q1"])
    >>> fusion.predict(["q1"])
    [{'a': 1.0, 'b': 2.0, 'c': 0.0}]
    """

    def __init__(
        self,
        runs: Any,
        *,
        method: Literal["rrf", "sum"] = "rrf",
        weights: Mapping[str, float] | Sequence[float] | None = None,
        k: float = 60,
        normalize: Literal["minmax", "zscore", "none"] = "minmax",
    ) -> None:
        self.runs = runs
        self.method = method
        self.weights = weights
        self.k = k
        self.normalize = normalize
        self._shared = _Shared(runs)

    def fit(self, X: Any, y: Any = None) -> RankFusion:
        """Read the runs, unless a clone has, and check the parameters; nothing else is learned.

        Parameters
        ----------
        X : sequence of query ids
            At least one of them must be in a run.
        y : sequence of set, list or {item: grade}, default=None
            Their ground truths. If given, the runs are checked as in :func:`evaluate`, which warns
            of ids that differ in spelling, and of distances instead of scores.

        Returns
        -------
        self : RankFusion
            Fitted.

        Raises
        ------
        InvalidParameterError
            If a parameter is wrong, or ``method="sum"`` and a run has no scores.
        QueryMismatchError
            If no run has any of the queries.
        TypeError or ValueError
            If a run has none of the forms above.
        """
        check_option(self.method, "method", ("rrf", "sum"), _FUSES)
        check_option(self.normalize, "normalize", _NORMS, _FUSES)
        check_number(self.k, "k", _FUSES, at_least=0)
        queries = _listed(X)
        if self._shared.runs is not self.runs:  # after set_params
            self._shared = _Shared(self.runs)
        tables = self._shared.tables()
        self.weights_ = _weights_of(self.weights, list(tables.ranks))
        unscored = [name for name, scores in tables.scores.items() if scores is None]
        if self.method == "sum" and unscored:
            msg = (
                f"method='sum' needs scores, but these runs have only ranked lists: "
                f"{format_list(unscored)}; use method='rrf'"
            )
            raise InvalidParameterError(msg)
        if not any(query in tables.numbers for query in queries):
            msg = (
                f"no run has any of the {len(queries):,} queries: {format_list(queries)} against "
                f"{format_list(tables.numbers)}{spelling_hint(queries, tables.numbers)}"
            )
            raise QueryMismatchError(msg)
        if y is not None:
            check_same_length("X", len(queries), "y", len(y))
            self._shared.look_at(dict(zip(queries, y, strict=True)))
        return self

    def predict(self, X: Any) -> list[dict[Any, float]]:
        """Items of each query with their fused scores.

        Parameters
        ----------
        X : sequence of query ids

        Returns
        -------
        rankings : list of {item: score}
            Not sorted; empty for a query that no run has.
        """
        check_is_fitted(self, "weights_")
        tables = self._shared.tables()
        total, is_there = np.zeros(len(tables.items)), np.zeros(len(tables.items), dtype=bool)
        for name, weight in self.weights_.items():
            if weight:
                rows = tables.rows[name]
                if self.method == "rrf":
                    total[rows] += weight / (self.k + tables.ranks[name])
                else:
                    total[rows] += weight * tables.normalized(name, self.normalize)
                is_there[rows] = True
        return [tables.ranking(query, total, is_there) for query in _listed(X)]

    def __sklearn_clone__(self) -> RankFusion:
        """A clone that shares the runs, because copying them costs more than everything else."""
        others = {name: clone(value, safe=False) for name, value in self._others().items()}
        copied = type(self)(self.runs, **others)
        copied._shared = self._shared
        return copied

    def _others(self) -> dict[str, Any]:
        """Parameters other than the runs."""
        parameters: dict[str, Any] = self.get_params(deep=False)
        return {name: value for name, value in parameters.items() if name != "runs"}

    def __getstate__(self) -> dict[str, Any]:
        # Workers read the runs themselves, as tables are larger.
        state: dict[str, Any] = super().__getstate__()
        return state | {"_shared": _Shared(self.runs)}

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:  # noqa: N803 - scikit-learn's
        """The names of the runs instead of the runs."""
        names = list(self.runs) if isinstance(self.runs, Mapping) else f"{len(self.runs)} runs"
        usual = {"method": "rrf", "weights": None, "k": 60, "normalize": "minmax"}
        changed = (f", {n}={v!r}" for n, v in self._others().items() if v != usual.get(n))
        return f"{type(self).__name__}(<{names}>{''.join(changed)})"


def _listed(queries: Any) -> list[Any]:
    """Query ids of any sequence."""
    shape = getattr(queries, "shape", (0,))
    if len(shape) != 1 or isinstance(queries, (str, Mapping)):
        what = f"an array of shape {shape}" if len(shape) != 1 else safe_repr(queries)
        msg = f"X must be a sequence of query ids, one for each ground truth, got {what}"
        raise TypeError(msg)
    listed: list[Any] = queries.tolist() if hasattr(queries, "tolist") else list(queries)
    return listed


def _weights_of(weights: Any, names: list[str]) -> dict[str, float]:
    """The weight of each run; refuses names that are not runs."""
    if weights is None:
        return dict.fromkeys(names, 1.0)
    if not isinstance(weights, Mapping):
        given = weights.tolist() if hasattr(weights, "tolist") else weights
        if not isinstance(given, (list, tuple)) or len(given) != len(names):
            msg = (
                f"weights must be {{name: weight}}, or {len(names)} numbers, one for each of "
                f"{format_list(names)}, got {safe_repr(weights)}"
            )
            raise InvalidParameterError(msg)
        weights = dict(zip(names, given, strict=True))
    unknown = [name for name in weights if name not in names]
    if unknown:
        msg = f"weights has {safe_repr(unknown[0])}, which is not a run; the runs are: "
        msg += format_list(names) + closest(str(unknown[0]), names)
        raise InvalidParameterError(msg)
    for name, weight in weights.items():
        is_number = isinstance(weight, Real) and not isinstance(weight, bool)
        if not (is_number and 0 <= float(weight) < math.inf):
            msg = f"weights[{safe_repr(name)}] must be a finite number of at least 0, got "
            raise InvalidParameterError(msg + safe_repr(weight))
    read = {name: float(weights.get(name, 1.0)) for name in names}
    if not any(read.values()):
        msg = "weights are 0 for all runs; pass at least one above 0"
        raise InvalidParameterError(msg)
    return read


# What the clones share ---------------------------------------------------------------------------


class _Shared:
    """The runs, read when the first clone is fitted."""

    def __init__(self, runs: Any) -> None:
        self.runs = runs
        self._tables: _Tables | None = None
        self._read: dict[str, Run] = {}
        self._is_checked = False

    def tables(self) -> _Tables:
        if self._tables is None:
            self._read = _read_runs(self.runs)
            self._tables = _tables_of(self._read)
        return self._tables

    def look_at(self, truths: Mapping[Any, Any]) -> None:
        """Warn about the runs once, as ``evaluate`` does."""
        if self._is_checked:
            return
        self._is_checked = True
        for name, run in self._read.items():
            give = partial(_warn_with, f"run {safe_repr(name)}: ")
            # A run may lack the queries of a fold; the scorer reports errors in y.
            with suppress(TypeError, ValueError), warnings_given_by(give):
                read_layout("mapping", truths, run, ReadOptions())


def _warn_with(prefix: str, text: str, category: type[Warning]) -> None:
    warn(prefix + text, category)


@dataclass(frozen=True)
class _Tables:
    """All items of each query, and where each run has them."""

    numbers: dict[Any, int]
    """Position of each query."""
    offsets: IntArray
    """Items of query ``i`` are ``offsets[i]:offsets[i+1]``."""
    items: IntArray
    """Codes of the items."""
    ids: list[Any]
    """Ids by code."""
    rows: dict[str, IntArray]
    """Positions of a run's rows among the items."""
    ranks: dict[str, FloatArray]
    scores: dict[str, FloatArray | None]
    queries: dict[str, IntArray]
    """Number of the query of a run's rows."""
    _cache: dict[Any, Any] = field(default_factory=dict)

    def normalized(self, name: str, norm: str) -> FloatArray:
        """Scores of a run, normalized within each query."""
        key = name, norm
        if key not in self._cache:
            scores, queries, n = self.scores[name], self.queries[name], len(self.numbers)
            assert scores is not None
            self._cache[key] = _normalized(scores, queries, n, norm)
        result: FloatArray = self._cache[key]
        return result

    def ranking(self, query: Any, total: FloatArray, is_there: Any) -> dict[Any, float]:
        """Items of a query and their scores."""
        number = self.numbers.get(query)
        if number is None:
            return {}
        if number not in self._cache:
            codes = self.items[self.offsets[number] : self.offsets[number + 1]].tolist()
            self._cache[number] = [self.ids[code] for code in codes]
        rows = slice(self.offsets[number], self.offsets[number + 1])
        pairs = zip(self._cache[number], total[rows].tolist(), strict=True)
        if is_there[rows].all():
            return dict(pairs)
        there = is_there[rows].tolist()
        return {item: score for (item, score), kept in zip(pairs, there, strict=True) if kept}


def _normalized(scores: FloatArray, queries: IntArray, n: int, norm: str) -> FloatArray:
    """Scores by their query's extremes, or mean and spread; 0 where all are equal."""
    if norm == "none":
        return scores
    if norm == "minmax":
        low, top = np.full(n, np.inf), np.full(n, -np.inf)
        np.minimum.at(low, queries, scores)
        np.maximum.at(top, queries, scores)
        apart, spread = scores - low[queries], top - low
    else:
        sizes = np.maximum(np.bincount(queries, minlength=n), 1)
        apart = scores - (np.bincount(queries, scores, n) / sizes)[queries]
        spread = np.sqrt(np.bincount(queries, apart * apart, n) / sizes)
    by = spread[queries]
    normalized: FloatArray = np.zeros_like(apart)
    np.divide(apart, by, out=normalized, where=by > 0)
    return normalized


def _read_runs(runs: Any) -> dict[str, Run]:
    """Runs by name."""
    if isinstance(runs, Mapping):
        named = dict(runs)
    elif isinstance(runs, (list, tuple)):
        are_files = [isinstance(run, (str, os.PathLike)) for run in runs]
        names = [
            os.path.basename(os.fspath(run)) if is_file else f"run {number}"
            for number, (run, is_file) in enumerate(zip(runs, are_files, strict=True), 1)
        ]
        if len(set(names)) < len(names):  # the same name in two folders
            names = [str(run) if f else n for run, f, n in zip(runs, are_files, names, strict=True)]
        named = dict(zip(names, runs, strict=True))
    else:
        named = {}
    if len(named) < 2 or not all(isinstance(name, str) for name in named):
        msg = f"runs must be {{name: run}} or a list, with two or more runs, got {safe_repr(runs)}"
        raise InvalidParameterError(msg)
    return {name: _run_of(run, name) for name, run in named.items()}


def _run_of(run: Any, name: str) -> Run:
    """One run with rows that are ranked and distinct."""
    where = f"runs[{safe_repr(name)}]"
    if isinstance(run, (str, os.PathLike)):
        run = read_run(run)
    elif isinstance(run, Mapping) and not isinstance(run, Run):
        rankings = list(run.values())
        try:
            run = ItemReader(ReadOptions(), rankings).run(rankings, run)
        except (TypeError, ValueError) as error:
            error.args = (f"{where}: {error}",)
            raise
    if not isinstance(run, Run):
        msg = (
            f"{where} must be {{query: {{item: score}}}}, {{query: ranked list}}, a Run or a "
            f"file name, got {safe_repr(run)}; Run.from_columns reads columns"
        )
        raise TypeError(msg)
    again = run.repeated()
    if len(again):
        msg = f"{where} has {run.name_row(int(again[0]))} more than once; keep the best-ranked one"
        raise DuplicateItemError(msg)
    if run.scores is not None:
        check_finite(run.scores, f"the scores of {where}", where=run.name_row)
    return run


def _tables_of(runs: Mapping[str, Run]) -> _Tables:
    """Join the rows of all runs by query and item."""
    numbers: dict[Any, int] = {}
    for run in runs.values():
        for query in run:
            numbers.setdefault(query, len(numbers))
    ids, codes = numbered(
        [item for run in runs.values() for item in run.item_ids],
        sum(run.n_rows for run in runs.values()),
    )
    _refuse_types(runs)
    queries = {
        name: np.array([numbers[query] for query in run], dtype=np.int64)[
            segment_index(run.offsets)
        ]
        for name, run in runs.items()
    }
    keys = np.concatenate(list(queries.values())) * max(len(ids), 1) + codes
    distinct, rows = np.unique(keys, return_inverse=True)
    borders = np.cumsum([0, *(run.n_rows for run in runs.values())]).tolist()
    return _Tables(
        numbers=numbers,
        offsets=np.searchsorted(distinct, np.arange(len(numbers) + 1) * max(len(ids), 1)),
        items=distinct % max(len(ids), 1),
        ids=ids,
        rows={name: rows[a:b] for name, (a, b) in zip(runs, pairwise(borders), strict=True)},
        ranks={name: _ranks_of(run) for name, run in runs.items()},
        scores={
            name: None if run.scores is None else run.scores.astype(np.float64)
            for name, run in runs.items()
        },
        queries=queries,
    )


def _refuse_types(runs: Mapping[str, Run]) -> None:
    """QueryMismatchError for ids that are texts in one run and numbers in another."""
    for what, ids_of in (("queries", Run.__iter__), ("items", lambda run: iter(run.item_ids))):
        kinds = {name: type(next(ids_of(run), None)) for name, run in runs.items() if run.n_rows}
        if len({kind is str for kind in kinds.values()}) > 1:
            named = format_list(f"{kind.__name__} in {name}" for name, kind in kinds.items())
            msg = f"{what} of the runs never match, as their types differ: {named}; use one type"
            raise QueryMismatchError(msg)


def _ranks_of(run: Run) -> FloatArray:
    """Ranks of the rows, from 1; tied ones share their mean."""
    starts = np.repeat(run.offsets[:-1], sizes_of(run.offsets))
    rising: FloatArray = np.arange(1.0, run.n_rows + 1) - starts
    if run.scores is None or not run.n_rows:
        return rising
    order, same = order_segments(falling_codes(run.scores), run.offsets)
    if same is not None:
        members, borders = runs_of(same)
        sums = np.add.reduceat(rising[members], borders[:-1])
        rising[members] = np.repeat(sums / sizes_of(borders), sizes_of(borders))
    ranks = np.empty_like(rising)
    ranks[order] = rising
    return ranks

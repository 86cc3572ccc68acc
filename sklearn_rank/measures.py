"""One record per metric, and measures: a metric with its cutoff and parameters.

A record holds what neither a formula nor a docstring can carry: names, range, direction, which
parameters exist and which values they take. Everything else draws on it.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from sklearn_rank._judged import Judged, JudgedRankings
from sklearn_rank._text import closest, safe_repr
from sklearn_rank._validation import check_cutoff, check_flag, check_number, check_option
from sklearn_rank.exceptions import InvalidParameterError, UnknownMeasureError
from sklearn_rank.kernels import binary, combined, graded, pairwise
from sklearn_rank.typing import FloatArray

__all__ = ["METRICS", "Measure", "Metric", "find_metric"]

Check = Callable[[Any, str, str], Any]
"""(value, parameter name, owner) -> the value as it is kept."""


@dataclass(frozen=True)
class Metric:
    """What is known of one metric.

    Attributes
    ----------
    name : str
        Canonical name, as in ``"ndcg@10"``.
    symbol : str
        How the field writes it, as in ``"nDCG"``.
    kernel : callable
        Formula: judged rankings to one float64 per query.
    summary, reference : str
        One sentence, and where the definition comes from.
    aliases : tuple of str
        Other names that the parser reads.
    upper : float
        Greatest possible value; the least is 0.
    greater_is_better : bool
        Direction.
    graded : bool
        Whether grades matter beyond being above 0.
    takes_k : bool
        Whether a cutoff ``k`` applies.
    by_score : bool
        Whether relevance scores, where given, decide the order.
    checks : dict
        Own parameters and what each may be.
    averages : tuple of str
        Ways of averaging over queries, the default first.
    version : int
        Of the definition: raised when the same ranking would get another value, so that recorded
        values are not compared with values of another kind.
    """

    name: str
    symbol: str
    kernel: Callable[..., FloatArray]
    summary: str
    reference: str
    aliases: tuple[str, ...] = ()
    upper: float = 1.0
    greater_is_better: bool = True
    graded: bool = False
    takes_k: bool = True
    by_score: bool = False
    checks: Mapping[str, Check] = field(default_factory=dict)
    averages: tuple[str, ...] = ("macro",)
    weights: Callable[..., FloatArray] | None = None
    version: int = 1

    def __hash__(self) -> int:
        return hash(self.name)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Metric) and self.name == other.name

    def __repr__(self) -> str:
        return f"<metric {self.name}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return find_metric, (self.name,)

    @cached_property
    def defaults(self) -> dict[str, Any]:
        """Own parameters and their defaults."""
        signature = inspect.signature(self.kernel).parameters.values()
        own = {item.name: item.default for item in signature if item.default is not item.empty}
        if len(self.averages) > 1:
            own["average"] = self.averages[0]
        if "measures" in self.checks:
            own = {"measures": (Measure(PRECISION), Measure(RECALL)), **own}
        if not self.graded and not self.combines:
            own["min_rel"] = None
        return own

    @property
    def combines(self) -> bool:
        """Whether the metric is made of other measures."""
        return "measures" in self.checks


@dataclass(frozen=True)
class Measure:
    """A metric with its cutoff and parameters: a value that prints and reads back.

    Make one with :func:`sklearn_rank.measure` or by parsing, as in ``measure("ndcg@10")``.
    """

    metric: Metric
    k: int | None = None
    parameters: tuple[tuple[str, Any], ...] = ()
    """Those that differ from the default, by name."""
    given: frozenset[str] = field(default=frozenset(), compare=False, repr=False)
    """Names of the parameters that were set explicitly: conventions leave them alone."""

    def __str__(self) -> str:
        return self._spelled(dict(self.parameters))

    def in_full(self) -> str:
        """Spelling that also shows the parameters that were set to their default."""
        shown = [name for name in self.options if name in self.given | dict(self.parameters).keys()]
        return self._spelled({name: self.options[name] for name in shown})

    def _spelled(self, parameters: Mapping[str, Any]) -> str:
        inner = [_shown(name, value) for name, value in parameters.items()]
        text = f"{self.metric.name}({','.join(inner)})" if inner else self.metric.name
        return text if self.k is None else f"{text}@{self.k}"

    def __repr__(self) -> str:
        return f"<measure {self}>"

    @classmethod
    def of(cls, metric: Metric, k: Any = None, **parameters: Any) -> Measure:
        """A checked measure; parameters equal to their default are left out."""
        owner = metric.name
        k = check_cutoff(k, owner)
        if k is not None and not metric.takes_k:
            msg = f"{owner} reads the whole ranking and takes no cutoff, got k={k}"
            raise InvalidParameterError(msg)
        unknown = [name for name in parameters if name not in metric.defaults]
        if unknown:
            known = ", ".join(metric.defaults) or "none"
            hint = closest(unknown[0], metric.defaults)
            msg = f"{owner} has no parameter {safe_repr(unknown[0])}{hint}; it has: {known}"
            raise InvalidParameterError(msg)
        kept = {name: _check_parameter(metric, name, value) for name, value in parameters.items()}
        if "measures" in kept:
            kept["measures"] = _members(kept["measures"], owner)
        result = cls(
            metric,
            k,
            tuple(
                (name, kept[name])
                for name in metric.defaults
                if name in kept and kept[name] != metric.defaults[name]
            ),
            frozenset(parameters),
        )
        if k is None and dict(result.parameters).get("denominator") == "k":
            msg = f"{owner} with denominator='k' needs a cutoff k"
            raise InvalidParameterError(msg)
        return result

    def with_parameters(self, **parameters: Any) -> Measure:
        """The same measure where parameters that were not set explicitly take these values."""
        own = {
            name: value
            for name, value in parameters.items()
            if name in self.metric.defaults and name not in self.given
        }
        changed = Measure.of(self.metric, self.k, **{**dict(self.parameters), **own})
        return replace(changed, given=self.given)

    def with_cutoff(self, k: int | None) -> Measure:
        """The same measure with another cutoff."""
        return replace(Measure.of(self.metric, k, **dict(self.parameters)), given=self.given)

    def agrees_with(self, other: Measure) -> bool:
        """Whether the parameters that were set explicitly are those of another measure."""
        return all(self.options[name] == other.options.get(name) for name in self.given)

    # Computing ----------------------------------------------------------------------------------

    @property
    def options(self) -> dict[str, Any]:
        """All own parameters with their values."""
        return {**self.metric.defaults, **dict(self.parameters)}

    @property
    def is_pooled(self) -> bool:
        """Whether all queries are ranked together, so that there is no value per query."""
        return (
            self.metric.by_score
            and self.options.get("average") == "pooled"
            and (self.metric.name != "lag")
        )

    def per_query(self, judged: Judged) -> FloatArray:
        """(Q,) values, NaN where undefined."""
        options = self.options
        if self.metric.combines:
            first, second = (
                self._member(member).per_query(judged) for member in options["measures"]
            )
            return self.metric.kernel(first, second, beta=options["beta"])
        self._check_number_of_queries(len(judged.query_ids))
        values, first_query = [], 0
        for part in self._views(judged):
            values.append(self._within_bounds(self._call(part, first_query)))
            first_query += len(part)
        return np.concatenate(values)

    def _member(self, member: Measure) -> Measure:
        """A measure that this one is made of, with this one's cutoff unless it has its own."""
        return member.with_cutoff(self.k) if member.k is None and member.metric.takes_k else member

    def pooled(self, pool: JudgedRankings) -> FloatArray:
        """(1,) value of the one ranking of all items."""
        self._check_number_of_queries(1)
        return self._within_bounds(self._call(self._filtered(pool), 0))

    def average_weights(self, judged: Judged) -> FloatArray | None:
        """(Q,) weights of the queries in the mean, those of the data included; None: all alike."""
        average = self.options.get("average", "macro")
        if average == "macro" or self.metric.weights is None:
            return judged.weights
        own = {"average": average, "unretrieved": self.options["unretrieved"]}
        weights = np.concatenate([self.metric.weights(part, **own) for part in self._views(judged)])
        return weights if judged.weights is None else weights * judged.weights

    def _views(self, judged: Judged) -> Iterator[JudgedRankings]:
        parts = judged.score_parts if self.metric.by_score else judged.parts
        return map(self._filtered, parts)

    def _filtered(self, rankings: JudgedRankings) -> JudgedRankings:
        min_rel = self.options.get("min_rel")
        return rankings if min_rel is None else rankings.at_least(min_rel)

    def _call(self, rankings: JudgedRankings, first_query: int) -> FloatArray:
        """Values of a block of queries, of which ``first_query`` says where it starts."""
        own = {k: v for k, v in self.options.items() if k not in ("average", "min_rel")}
        if isinstance(own.get("n_negatives"), tuple):
            own["n_negatives"] = own["n_negatives"][first_query : first_query + len(rankings)]
        return self.metric.kernel(rankings, k=self.k, **own)

    def _check_number_of_queries(self, n_queries: int) -> None:
        negatives = self.options.get("n_negatives")
        if isinstance(negatives, tuple) and len(negatives) != n_queries:
            together = " ranked together as one" if self.is_pooled else ""
            msg = f"n_negatives has {len(negatives)} numbers for {n_queries} queries{together}"
            raise InvalidParameterError(msg)

    def _within_bounds(self, values: FloatArray) -> FloatArray:
        upper = self.metric.upper
        with np.errstate(invalid="ignore"):
            outside = (values < -1e-9) | (values > upper + 1e-9)
        if outside.any():
            msg = f"{self} came out as {values[outside][0]!r}, outside [0, {upper:g}]"
            raise ArithmeticError(msg)
        return np.clip(values, 0.0, upper)


def _shown(name: str, value: Any) -> str:
    if name == "measures":
        return ",".join(str(member) for member in value)
    if name == "gain" and isinstance(value, tuple):
        inner = ",".join(f"{_digits(grade)}:{_digits(gain)}" for grade, gain in value)
        return f"{name}={{{inner}}}"
    if isinstance(value, tuple):
        inner = ",".join(map(_digits, value))
        return f"{name}=({inner},)" if len(value) == 1 else f"{name}=({inner})"
    if callable(value):
        return f"{name}=<{getattr(value, '__name__', type(value).__name__)}>"
    return f"{name}={_digits(value)}"


def _digits(value: Any) -> str:
    """A number with all its digits, whole ones without a point."""
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    return str(value)


def _members(members: Any, owner: str) -> tuple[Measure, ...]:
    pair: tuple[Any, ...] = tuple(members)
    if len(pair) != 2 or not all(isinstance(member, Measure) for member in pair):
        msg = f"{owner} is the mean of two measures, got {len(pair)}"
        raise InvalidParameterError(msg)
    for member in pair:
        if member.metric.upper != 1.0 or not member.metric.greater_is_better or member.is_pooled:
            msg = f"{owner} needs measures per query between 0 and 1 (best), got {member}"
            raise InvalidParameterError(msg)
    return pair


# Which values parameters take -------------------------------------------------------------------


def _one_of(*words: str) -> Check:
    return lambda value, name, owner: check_option(value, name, words, owner)


def _number(at_least: float, *, above: bool = False) -> Check:
    return lambda value, name, owner: check_number(
        value, name, owner, at_least=at_least, above=above
    )


def _check_parameter(metric: Metric, name: str, value: Any) -> Any:
    if name == "average":
        return check_option(value, name, metric.averages, metric.name)
    if name == "min_rel":
        return None if value is None else _number(0.0, above=True)(value, name, metric.name)
    return metric.checks[name](value, name, metric.name)


def _check_gain(value: Any, name: str, owner: str) -> Any:
    if isinstance(value, Mapping):
        value = tuple(value.items())
    if isinstance(value, tuple):
        if not value or not all(isinstance(pair, tuple) and len(pair) == 2 for pair in value):
            msg = f"The '{name}' parameter of {owner} must map grades to gains. Got {value!r}."
            raise InvalidParameterError(msg)
        number = _number(0.0)
        return tuple(
            sorted((number(grade, name, owner), number(gain, name, owner)) for grade, gain in value)
        )
    return (
        value if callable(value) else check_option(value, name, ("exp2", "linear", "binary"), owner)
    )


def _check_discount(value: Any, name: str, owner: str) -> Any:
    return value if callable(value) else check_option(value, name, ("log2",), owner)


def _check_max_grade(value: Any, name: str, owner: str) -> Any:
    if isinstance(value, str):
        return check_option(value, name, ("query",), owner)
    return _number(0.0, above=True)(value, name, owner)


def _check_negatives(value: Any, name: str, owner: str) -> Any:
    number = _number(0.0)
    values = value.tolist() if hasattr(value, "tolist") else value
    if not isinstance(values, (list, tuple)):
        return None if values is None else number(values, name, owner)
    return tuple(number(item, name, owner) for item in values)


def _check_measures(value: Any, name: str, owner: str) -> Any:
    if isinstance(value, (str, Measure)) or not isinstance(value, Iterable):
        msg = f"The '{name}' parameter of {owner} must be two measures. Got {safe_repr(value)}."
        raise InvalidParameterError(msg)
    return tuple(value)


_UNRETRIEVED = _one_of("last", "ignore")
_BETA = _number(0.0)
_PAIRWISE: dict[str, Check] = {
    "unretrieved": _UNRETRIEVED,
    "n_negatives": _check_negatives,
    "smoothing": _number(0.0),
}
_GAIN: dict[str, Check] = {"gain": _check_gain, "discount": _check_discount}

# The records ------------------------------------------------------------------------------------

MAP = Metric(
    "map",
    "MAP",
    binary.average_precision,
    "Mean over queries of the average precision: precision at each relevant item, averaged.",
    "Voorhees and Harman, TREC: Experiment and Evaluation in Information Retrieval, 2005",
    aliases=("ap", "mean_average_precision", "average_precision", "map_cut"),
    checks={"denominator": _one_of("min", "relevant", "retrieved", "k")},
)
MAR = Metric(
    "mar",
    "MAR",
    binary.average_recall,
    "Mean over queries of the average recall: recall at each relevant item, summed over min(R, k).",
    "WarpRec documentation, Accuracy metrics",
    aliases=("mean_average_recall", "average_recall"),
    checks={"normalize": check_flag},
)
MRR = Metric(
    "mrr",
    "MRR",
    binary.reciprocal_rank,
    "Mean over queries of one over the rank of the first relevant item.",
    "Voorhees, The TREC-8 Question Answering Track Report, 1999",
    aliases=("rr", "recip_rank", "reciprocal_rank", "mean_reciprocal_rank"),
)
PRECISION = Metric(
    "precision",
    "P",
    binary.precision,
    "Share of the first k items that is relevant.",
    "Manning, Raghavan and Schuetze, Introduction to Information Retrieval, 2008, ch. 8",
    aliases=("p", "prec", "precision_at_k"),
    checks={"denominator": _one_of("k", "retrieved")},
)
RECALL = Metric(
    "recall",
    "R",
    binary.recall,
    "Share of the relevant items that stands among the first k.",
    "Manning, Raghavan and Schuetze, Introduction to Information Retrieval, 2008, ch. 8",
    aliases=("r", "recall_at_k"),
    checks={"denominator": _one_of("relevant", "min")},
)
FBETA = Metric(
    "fbeta",
    "F",
    binary.f_measure,
    "Weighted harmonic mean of precision and recall of the first k items, per query.",
    "van Rijsbergen, Information Retrieval, 1979, ch. 7",
    aliases=("f1", "f", "f_measure"),
    checks={"beta": _BETA},
)
HIT_RATE = Metric(
    "hit_rate",
    "HitRate",
    binary.hit_rate,
    "Share of queries with a relevant item among the first k.",
    "Deshpande and Karypis, Item-Based Top-N Recommendation Algorithms, 2004",
    aliases=("success", "hit", "hr", "hitrate"),
)
DCG = Metric(
    "dcg",
    "DCG",
    graded.dcg,
    "Sum of the gains of the first k items, each divided by the discount of its rank.",
    "Jaervelin and Kekaelaeinen, Cumulated Gain-Based Evaluation of IR Techniques, 2002",
    upper=math.inf,
    graded=True,
    checks=_GAIN,
)
IDCG = Metric(
    "idcg",
    "IDCG",
    graded.ideal_dcg,
    "DCG of the best order of all relevant items, retrieved or not.",
    "Jaervelin and Kekaelaeinen, Cumulated Gain-Based Evaluation of IR Techniques, 2002",
    aliases=("ideal_dcg",),
    upper=math.inf,
    graded=True,
    checks=_GAIN,
)
NDCG = Metric(
    "ndcg",
    "nDCG",
    graded.ndcg,
    "DCG over the DCG of the best order of all relevant items.",
    "Jaervelin and Kekaelaeinen 2002; gain 2^grade - 1: Burges et al., Learning to Rank, 2005",
    aliases=("ndcg_cut",),
    graded=True,
    checks=_GAIN,
)
ERR = Metric(
    "err",
    "ERR",
    graded.err,
    "Expected one over the rank at which a user who reads down the list is satisfied.",
    "Chapelle, Metzler, Zhang and Grinspan, Expected Reciprocal Rank for Graded Relevance, 2009",
    aliases=("expected_reciprocal_rank",),
    graded=True,
    checks={"max_grade": _check_max_grade},
)
NERR = Metric(
    "nerr",
    "nERR",
    graded.nerr,
    "ERR over the ERR of the best order of all relevant items.",
    "Chapelle, Metzler, Zhang and Grinspan, Expected Reciprocal Rank for Graded Relevance, 2009",
    aliases=("normalized_expected_reciprocal_rank",),
    graded=True,
    checks={"max_grade": _check_max_grade},
)
LAG = Metric(
    "lag",
    "LAG",
    pairwise.lag,
    "Mean number of irrelevant items that stand above a relevant one; lower is better.",
    "Cleland-Huang et al., Best Practices for Automated Traceability, 2007; ArDoCo Metrics",
    upper=math.inf,
    greater_is_better=False,
    takes_k=False,
    checks={"unretrieved": _UNRETRIEVED},
    averages=("macro", "pooled"),
    weights=pairwise.lag_weights,
)
AUC = Metric(
    "auc",
    "AUC",
    pairwise.auc,
    "Share of pairs of a relevant and an irrelevant item in which the relevant stands above.",
    "Fawcett, An Introduction to ROC Analysis, 2006",
    aliases=("roc_auc",),
    takes_k=False,
    by_score=True,
    checks=_PAIRWISE,
    averages=("positives", "pooled", "macro", "impressions"),
    weights=pairwise.auc_weights,
)
GAUC = Metric(
    "gauc",
    "GAUC",
    pairwise.auc,
    "Mean over queries of the AUC of each query.",
    "Zhu et al., Optimized Cost per Click in Taobao Display Advertising, 2017",
    aliases=("group_auc",),
    takes_k=False,
    by_score=True,
    checks=_PAIRWISE,
)
LAUC = Metric(
    "lauc",
    "LAUC",
    pairwise.limited_auc,
    "Area under the ROC curve of the first k items.",
    "Schroeder, Thiele and Lehner, Setting Goals and Choosing Metrics for Recommender System "
    "Evaluations, 2011",
    aliases=("limited_auc",),
    by_score=True,
    checks={"tail": _one_of("none", "linear"), **_PAIRWISE},
)
HMEAN = Metric(
    "hmean",
    "HM",
    combined.harmonic_mean,
    "Weighted harmonic mean of two other measures, per query.",
    "WarpRec documentation, Extended-F1",
    aliases=("harmonic_mean",),
    graded=True,
    checks={"measures": _check_measures, "beta": _BETA},
)

METRICS: tuple[Metric, ...] = (
    MAP,
    MAR,
    MRR,
    PRECISION,
    RECALL,
    FBETA,
    HIT_RATE,
    DCG,
    IDCG,
    NDCG,
    ERR,
    NERR,
    LAG,
    AUC,
    GAUC,
    LAUC,
    HMEAN,
)

_BY_NAME = {name: metric for metric in METRICS for name in (metric.name, *metric.aliases)}


def find_metric(name: str) -> Metric:
    """The record behind a name or alias, whatever its case."""
    metric = _BY_NAME.get(name.lower())
    if metric is None:
        known = ", ".join(metric.name for metric in METRICS)
        hint = closest(name.lower(), _BY_NAME)
        msg = f"unknown measure {safe_repr(name)}{hint}; known measures: {known}"
        raise UnknownMeasureError(msg)
    return metric

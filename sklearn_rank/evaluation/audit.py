"""Whether a home-made metric computes the measure that it is named after.

The function is called on small rankings with each usual form of arguments. Its values are compared
with the measure, with other definitions of it, with other measures, and with one or two common
mistakes in it; the first form that one of these explains is taken as the intended one. In a wrong
form a function may be right by chance, so forms with few or equal values are ignored.
"""

from __future__ import annotations

import inspect
import math
import random
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from itertools import chain, combinations, product
from typing import Any, Literal, NamedTuple, Never

import numpy as np

from sklearn_rank.evaluation.evaluate import evaluate, refuse_option
from sklearn_rank.exceptions import InvalidParameterError, UnknownMeasureError
from sklearn_rank.measures.catalogue import METRICS, Measure
from sklearn_rank.measures.conventions import CONVENTIONS
from sklearn_rank.measures.grammar import measure as read_measure
from sklearn_rank.support.checks import check_option
from sklearn_rank.support.text import safe_repr, safe_text
from sklearn_rank.typing import BoolArray, FloatArray

__all__ = ["Audit", "audit"]

_DEPTHS = (*range(1, 12), 15, 20, 25, 30, 50, 100)
"""Ranks at which a function may cut off although its measure does not."""
_ENOUGH = 20
"""Number of values that two different measures do not share by chance."""
_STEP = 12
"""Problems per one that is tried first: most explanations fail there."""


class _Query(NamedTuple):
    truth: dict[str, int]
    ranking: tuple[str, ...]
    kind: str = ""
    """``missing`` if the run lacks the query, ``repeated`` if it has items twice, ``deep`` if only
    its last item is relevant."""

    @property
    def scores(self) -> dict[str, float]:
        return {item: 1.0 - n / 1024 for n, item in enumerate(dict.fromkeys(self.ranking))}

    @property
    def grades(self) -> list[int]:
        return [self.truth.get(item, 0) for item in self.ranking]

    def only(self, items: Sequence[str]) -> _Query:
        return self._replace(truth={i: grade for i, grade in self.truth.items() if i in items})


class _Problem(NamedTuple):
    queries: tuple[_Query, ...]
    k: int | None


@cache
def _problems(k: int | None, takes_k: bool, graded: bool) -> list[_Problem]:
    """Rankings of up to three items of all grades, longer ones, repeats, several queries."""
    rng = random.Random(0)
    cutoffs = sorted({2, k}) if takes_k and k else [k]
    few = chain.from_iterable(product((0, 1, 2), repeat=n) for n in range(4))
    cases: list[Any] = [*product(few, ((), (1,), (2,), (1, 1)), cutoffs)]
    cases += product([(1, 4), (5, 0, 4, 1)], ((), (3,)), cutoffs)
    for cutoff in cutoffs * 40:
        ranked = rng.choices((0, 0, 0, 1, 2, 3), k=rng.randint(0, (cutoff or 6) + 3))
        others = rng.choices((1, 2, 3), k=rng.choice((0, 1, 2, 3, (cutoff or 6) + 2)))
        cases.append((ranked, others, cutoff))
    deep = {rank for depth in (*_DEPTHS, *cutoffs) if depth for rank in (depth - 1, depth)}
    cases += [((0,) * rank + (1,), (), k) for rank in sorted(deep)]
    problems = []
    for number, (ranked, others, cutoff) in enumerate(cases):
        if any(grades := [*ranked, *others]):
            kind = "deep" if len(cases) - number <= len(deep) else ""
            # Every fourth irrelevant item was judged so, unless the first hit matters.
            truth = {
                f"d{n}": grade if graded else 1
                for n, grade in enumerate(grades, 1)
                if grade or (graded and not kind and (n + number) % 4 == 0)
            }
            query = _Query(truth, tuple(f"d{n + 1}" for n in range(len(ranked))), kind)
            problems.append(_Problem((query,), cutoff))
    last = [problem.queries[0] for problem in problems if problem.queries[0].kind]
    pool = [problem.queries[0] for problem in problems if not problem.queries[0].kind]
    pool += [_Query(query.truth, (), "missing") for query in pool[::9]]
    problems += [_Problem(tuple(rng.sample(pool, n)), c) for n in (2, 3) for c in cutoffs * 25]
    problems += [_Problem((query, _Query({"a": 1}, ("a",))), k) for query in last]
    for truth, text in product(
        ({"a": 1}, {"b": 1}, {"a": 1, "b": 1}), ("aa", "aba", "baa", "aabb", "bab")
    ):
        repeated = _Query(truth, tuple(text), "repeated")
        problems += [_Problem((repeated,), k), _Problem((repeated, _Query({"a": 1}, ("a",))), k)]
    return sorted(problems, key=lambda problem: (len(problem.queries), len(str(problem))))


# Common mistakes ----------------------------------------------------------------------------------


class _Mistake(NamedTuple):
    text: str
    metrics: str = ""
    """Names of the metrics in which it is made; empty for all."""
    change: Callable[[_Query, int | None], _Query] = lambda query, _: query
    cutoff: Callable[[int], int | None] = lambda k: k
    discount: str = ""
    ideal: Callable[[_Query, int | None], tuple[_Query, int | None]] | None = None
    """Query and cutoff whose ideal DCG is taken."""
    value: Callable[[_Query, int | None], float] | None = None
    """Value of a query, where no parameter of the measure gives it."""
    factor: float = 1.0
    weight: Callable[[_Query, float], float] = lambda *_: 1.0
    """Weight of a query with its value in the mean."""


def _retrieved(query: _Query, _: int | None) -> _Query:
    return query.only(query.ranking)


def _retrieved_first(query: _Query, k: int | None) -> _Query:
    return query.only(query.ranking[:k])


def _regraded(grade_of: Callable[[int], int], query: _Query, _: int | None) -> _Query:
    return query._replace(truth={item: grade_of(grade) for item, grade in query.truth.items()})


def _part(ranks: slice, query: _Query, _: int | None) -> _Query:
    return query._replace(ranking=query.ranking[ranks])


def _sorted_first(query: _Query, k: int | None) -> _Query:
    top = sorted(query.ranking[:k], key=lambda item: -query.truth.get(item, 0))
    return query._replace(ranking=(*top, *query.ranking[len(top) :]))


def _as_long(query: _Query, k: int | None) -> tuple[_Query, int | None]:
    return query, len(list(query.scores)[:k])


def _all_best(query: _Query, k: int | None) -> tuple[_Query, int | None]:
    items = map(str, range(len(query.ranking) if k is None else k))
    return query._replace(truth=dict.fromkeys(items, max(query.truth.values(), default=0))), k


def _as_long_and_best(query: _Query, k: int | None) -> tuple[_Query, int | None]:
    return _all_best(query, len(query.ranking[:k]))


def _mean_grade(divisor: Callable[[_Query, int | None], float], q: _Query, k: int | None) -> float:
    return sum(q.grades[:k]) / (divisor(q, k) or math.nan)


def _ranks(query: _Query, k: int | None) -> list[int]:
    """Ranks of the relevant items within the cutoff; an item counts once."""
    items = [*dict.fromkeys(query.ranking)][:k]
    return [rank for rank, item in enumerate(items, 1) if query.truth.get(item, 0) > 0]


def _over_relevant(total: float, query: _Query, k: int | None = None) -> float:
    relevant = sum(grade > 0 for grade in query.truth.values())
    return total / (min(relevant, k or relevant) or math.nan)


def _first_from_0(at_0: float, query: _Query, k: int | None) -> float:
    rank = min(_ranks(query, k), default=math.inf)
    value = 1 / (rank - 1) if rank > 1 else at_0
    return value if any(query.truth.values()) else math.nan


def _precisions_from_0(at_0: float, query: _Query, k: int | None) -> float:
    found = enumerate(_ranks(query, k), 1)
    return _over_relevant(sum(n / (rank - 1) if rank > 1 else at_0 for n, rank in found), query, k)


def _all_first(query: _Query, k: int | None) -> float:
    return _over_relevant(sum(1 / rank for rank in _ranks(query, k)), query)


def _all_found_first(query: _Query, k: int | None) -> float:
    ranks = _ranks(query, k)
    return sum(1 / rank for rank in ranks) / len(ranks) if ranks else _over_relevant(0, query)


_METRICS_OF_SETS, _GRADED = (
    "recall fbeta map mar rprec all_hit_rate set_map",
    "dcg ndcg err nerr rbp",
)
_ADDED = "grades are summed instead of counting relevant items"
_SORTED = "the list is sorted by relevance before it is measured"
_FROM_0 = "ranks are counted from 0"
_NATURAL = "the DCG uses the natural logarithm, the ideal DCG log2"
_UNCUT = _Mistake("the cutoff is ignored", cutoff=lambda _: None)
_MISTAKES = (
    _Mistake("the ideal DCG is taken from the retrieved list", "ndcg nerr", _retrieved),
    _Mistake("the ideal DCG is taken from the retrieved top k", "ndcg nerr", _retrieved_first),
    _Mistake("only retrieved relevant items count", _METRICS_OF_SETS, _retrieved),
    _Mistake("ranks 1 and 2 have equal weights", "dcg ndcg", discount="log2_rank"),
    _Mistake("the discount is log2(rank + 2)", "dcg ndcg", discount="log2_plus_2"),
    _Mistake("the discount is log2(rank) + 1", "dcg ndcg", discount="one_plus_log2"),
    _Mistake("the discount is the rank, without a logarithm", "dcg ndcg", discount="rank"),
    _Mistake("the logarithm is natural", "dcg idcg", factor=1 / math.log(2)),
    _Mistake(_NATURAL, "ndcg", factor=1 / math.log(2)),
    _Mistake("the value is in percent", factor=100.0),
    _Mistake(_SORTED, f"mrr map {_GRADED}", _sorted_first),
    _Mistake(_FROM_0, "mrr", value=partial(_first_from_0, 0.0)),
    _Mistake(_FROM_0, "mrr", value=partial(_first_from_0, 1.0)),
    _Mistake(_FROM_0, "map", value=partial(_precisions_from_0, 0.0)),
    _Mistake(_FROM_0, "map", value=partial(_precisions_from_0, 1.0)),
    _Mistake(
        "ranks begin at 2",
        "mrr map dcg err rbp",
        lambda query, _: query._replace(ranking=("", *query.ranking)),
        lambda k: k + 1,
    ),
    _Mistake("1 / rank is averaged over all relevant items", "mrr", value=_all_first),
    _Mistake(
        "1 / rank is averaged over all retrieved relevant items", "mrr", value=_all_found_first
    ),
    _UNCUT,
    _Mistake("the cutoff is one rank too deep", cutoff=lambda k: k + 1),
    _Mistake("the cutoff is one rank too shallow", cutoff=lambda k: max(k - 1, 1)),
    _Mistake("items of grade 0 count as relevant", "", partial(_regraded, lambda g: g or 1)),
    _Mistake("only items of grade 1 are relevant", "", partial(_regraded, lambda g: int(g == 1))),
    _Mistake("items of grade 1 are not relevant", "", partial(_regraded, lambda g: g * (g > 1))),
    *(
        _Mistake(f"grades above {g} count as {g}", _GRADED, partial(_regraded, partial(min, g)))
        for g in (1, 2, 3, 4)
    ),
    _Mistake(
        _ADDED,
        "precision",
        value=partial(_mean_grade, lambda q, k: len(q.ranking) if k is None else k),
    ),
    _Mistake(_ADDED, "recall", value=partial(_mean_grade, lambda q, _: sum(q.truth.values()))),
    _Mistake("the ranking is read from the end", "", partial(_part, slice(None, None, -1))),
    _Mistake("the mean is only over queries with a hit", weight=lambda _, value: value > 0),
    _Mistake("the mean is over queries of the run only", weight=lambda q, _: q.kind != "missing"),
    _Mistake("the mean is over queries with results only", weight=lambda q, _: bool(q.ranking)),
    _Mistake(
        "the mean is weighted by the number of relevant items",
        weight=lambda q, _: sum(grade > 0 for grade in q.truth.values()),
    ),
    # Last, since an ideal is made of what others changed.
    _Mistake("the ideal DCG has no cutoff", "ndcg", ideal=lambda q, _: (q, None)),
    _Mistake("the ideal counts all listed items as relevant", "ndcg", ideal=_as_long_and_best),
    _Mistake("the ideal DCG has k items of the best grade", "ndcg", ideal=_all_best),
    _Mistake("the ideal DCG is cut at the length of the list", "ndcg", ideal=_as_long),
    _Mistake("only the ideal DCG is cut", "ndcg", cutoff=lambda _: None, ideal=lambda q, k: (q, k)),
)
_REPEATED = "repeated items count again"
_CUTS = {
    n: _Mistake(
        f"only the first {n} rank{'s are' if n > 1 else ' is'} read", "", partial(_part, slice(n))
    )
    for n in _DEPTHS
}


@lru_cache(maxsize=4096)
def _right(
    measure: Measure,
    key: tuple[int | None, bool, bool],
    mistakes: tuple[_Mistake, ...] = (),
    step: int = 1,
) -> FloatArray:
    """(P,) values of the measure with these mistakes for every ``step``-th; NaN for 0 / 0."""
    problems, options, value = _problems(*key)[::step], dict(measure.parameters), None
    cases = [(query, problem.k) for problem in problems for query in problem.queries]
    queries, best = [query for query, _ in cases], None
    for mistake in mistakes:
        if mistake.ideal:
            best = [mistake.ideal(*case) for case in cases]
        cases = [(mistake.change(query, k), mistake.cutoff(k) if k else k) for query, k in cases]
        options |= {"discount": mistake.discount} if mistake.discount else {}
        value = mistake.value or value
    if best:
        values = _values("dcg", options, cases) / _values("idcg", options, best)
    elif value:
        values = np.array([value(*case) for case in cases])
    else:
        values = _values(measure.metric.name, options, cases)
    values *= math.prod(mistake.factor for mistake in mistakes)
    weights = ~np.isnan(values) * 1.0
    for mistake in mistakes:
        weights *= [mistake.weight(*pair) for pair in zip(queries, values, strict=True)]
    starts = np.cumsum([0, *(len(problem.queries) for problem in problems)])[:-1]
    with np.errstate(all="ignore"):
        total = np.add.reduceat(np.nan_to_num(values) * weights, starts)
        return np.asarray(total / np.add.reduceat(weights, starts))


def _values(name: str, options: Any, cases: Sequence[Any]) -> FloatArray:
    """(Q,) values of queries and cutoffs; infinite if the measure needs a cutoff."""
    values = np.full(len(cases), np.inf)
    for k in {k for _, k in cases}:
        part = {number: query for number, (query, cutoff) in enumerate(cases) if cutoff == k}
        truth = {number: query.truth for number, query in part.items()}
        runs = {number: query.scores for number, query in part.items()}
        with warnings.catch_warnings(), suppress(InvalidParameterError):
            warnings.simplefilter("ignore")
            measure = read_measure(name, k, **options)
            result = evaluate(truth, runs, measure, zero_division=math.nan)
            values[list(part)] = result.per_query[str(measure)]
    return values


# Forms of arguments -------------------------------------------------------------------------------

_CUTOFF = re.compile(r"k|cut_?off|top_?[kn]|at(_?k)?|n|limit", re.IGNORECASE)
_JUDGED = re.compile(r"qrel|grade|judg|gain|rel\w*_(map|dict)", re.IGNORECASE)
"""Names of parameters that are a cutoff, and {item: grade}."""
_TRUTH = re.compile(
    r"tru(e|th)|relevant|actual|gold|expect|target|label|qrel|judg|gt", re.IGNORECASE
)
_RANKED = re.compile(
    r"pred|retriev|rank|run|result|hit|recommend|score|found|return", re.IGNORECASE
)
"""Names of parameters that are the truth, and what was ranked."""
_GRADES = re.compile(r"relevances?$|gain|grade|rels|score|label", re.IGNORECASE)
_OF_RANKING = {"relevances", "array", "ranking", "scores", "y_score"}
_ADAPTERS: Mapping[str, Callable[[_Query], Any]] = {
    "relevances": lambda query: query.grades,
    "array": lambda query: np.array(query.grades),
    "ideal": lambda query: sorted(filter(None, query.truth.values()), reverse=True),
    "grades": lambda query: dict(query.truth),
    "set": lambda query: {*query.truth},
    "list": lambda query: [*query.truth],
    "groups": lambda query: [[item] for item in query.truth],
    "id": lambda query: next(iter(query.truth)),
    "ranking": lambda query: list(query.ranking),
    "scores": lambda query: query.scores,
    "y_true": lambda query: np.array(query.grades),
    "y_score": lambda query: np.array([*query.scores.values()]),
}
_LAYOUT_PAIRS = (
    *product(("grades", "set", "list"), ("ranking", "scores")),
    ("groups", "ranking"),
    ("y_true", "y_score"),
)
_ARGUMENTS: tuple[tuple[str, ...], ...] = (
    ("relevances",),
    ("array",),
    ("relevances", "ideal"),
    ("array", "ideal"),
    *_LAYOUT_PAIRS,
    *(pair[::-1] for pair in _LAYOUT_PAIRS),
)
"""Arguments besides the cutoff, more specific ones first."""
_IDS = {"set", "list", "groups", "id"}
_OF_ONE = (("id", "ranking"), ("ranking", "id"))
_CONVENTION = "name the definition in the measure, as in 'ndcg(gain=linear)@10'"


class _CalledForm:
    """A function that is called in one way."""

    def __init__(
        self, function: Callable[..., Any], roles: tuple[str, ...], shape: str, cutoff: str, k: Any
    ) -> None:
        self.name = safe_text(getattr(function, "__name__", type(function).__name__))
        self.roles, self.shape, self.cutoff = roles, shape, cutoff
        names = [*inspect.signature(function).parameters][: len(roles)]
        takes_ids = len(roles) > 1 and not any(map(_GRADES.search, names))
        self.is_odd = "ideal" in roles and takes_ids and {*_said(names)} == {True, False}
        """Whether it takes grades in spite of names such as (retrieved, relevant)."""
        self.key = k, bool(cutoff), not _IDS & {*roles}
        self.problems = _problems(*self.key)
        calls = [self._call(function, problem) for problem in self.problems]
        self.texts, self.results = zip(*calls, strict=True)
        self.raised = np.array([isinstance(value, Exception) for value in self.results])
        self.has_value = np.array([isinstance(value, float) for value in self.results])
        self.values = np.array([v if isinstance(v, float) else math.nan for v in self.results])
        self.kinds = np.array([problem.queries[0].kind for problem in self.problems])
        # Which position of a repeated item counts is a convention.
        self.is_compared = self.has_value & (self.kinds != "repeated")
        self.varies = len({*self.values[self.is_compared & ~np.isnan(self.values)]}) > 1
        shown = self.values[~np.isnan(self.values)]
        digits = [n for n in (3, 4, 5, 6) if (shown == shown.round(n)).all()]
        self.tolerance = 0.51 * 10.0 ** -digits[0] if digits else 1e-9

    def _is_possible(self, queries: Sequence[_Query]) -> bool:
        """Whether such arguments can express these queries."""
        kinds, roles = {query.kind for query in queries}, {*self.roles}
        return (
            (self.shape == "one") == (len(queries) == 1)
            and (self.shape == "dict" or "missing" not in kinds)
            and ("ranking" in roles or "repeated" not in kinds)
            and ("id" not in roles or all(len(query.truth) == 1 for query in queries))
            # Candidates are all that there are.
            and ("y_true" not in roles or all({*q.truth} <= {*q.ranking} for q in queries))
        )

    def _call(self, function: Any, problem: _Problem) -> tuple[str, Any]:
        """The call as it would be typed, and its value or error; None if it cannot be written."""
        if not self._is_possible(problem.queries):
            return "", None
        arguments: list[Any] = []
        for role in self.roles:
            made = {
                f"q{number}": _ADAPTERS[role](query)
                for number, query in enumerate(problem.queries, 1)
                if query.kind != "missing" or role not in ("ranking", "scores")
            }
            values = [*made.values()]
            arguments += {"one": values, "dict": [made], "list": [values]}[self.shape]
        cutoff = {self.cutoff: problem.k or 1000} if self.cutoff else {}
        words = [*map(safe_repr, arguments), *(f"{name}={k}" for name, k in cutoff.items())]
        text = f"{self.name}({', '.join(words)})"
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                result = function(*arguments, **cutoff)
                if isinstance(result, tuple):  # a value and something else
                    return text, TypeError("a tuple is not a number")
                result = [*result.values()] if isinstance(result, Mapping) else result
                return text, float(np.nanmean(np.array(result, dtype=float)))
        except Exception as error:
            return text, error

    def equals(self, right: FloatArray, step: int = 1) -> BoolArray:
        """(P,) problems, each or every ``step``-th, whose value is the right one."""
        values = self.values[::step]
        same = np.abs(values - right) <= self.tolerance
        return np.asarray(same | (np.isnan(right) & (np.isnan(values) | (values == 0))))

    def differs(self, measure: Measure, mistakes: tuple[_Mistake, ...] = ()) -> BoolArray:
        """(P,) problems whose value is not that of the measure with these mistakes."""
        return np.asarray(self.is_compared & ~self.equals(_right(measure, self.key, mistakes)))

    def is_explained(self, measure: Measure, mistakes: tuple[_Mistake, ...] = ()) -> bool:
        """Whether the values are those of the measure with these mistakes, and not by chance."""
        some = _right(measure, self.key, mistakes, _STEP)
        if (self.is_compared[::_STEP] & ~self.equals(some, _STEP)).any():
            return False
        return self.tells(measure, mistakes) and not self.differs(measure, mistakes).any()

    def likeness(self, measure: Measure) -> float:
        """1 if all values are right, else how close they are to the right ones; 0: nonsense."""
        right, differs = _right(measure, self.key), self.differs(measure)
        shown = self.is_compared & ~np.isnan(right) & ~np.isnan(self.values)
        if not differs.any():
            return 1.0
        if len({*right[shown]}) < 2 or len({*self.values[shown]}) < 2:
            return 0.0
        return float(np.corrcoef(right[shown], self.values[shown])[0, 1] - differs[shown].mean())

    def depth(self) -> int:
        """Number of ranks that are read, or 0: where the value of a later hit becomes constant."""
        deep = np.flatnonzero((self.kinds == "deep") & ~np.isnan(self.values))
        ranks = [len(self.problems[at].queries[0].ranking) for at in deep]
        values = self.values[deep]
        return max((n for n, v in zip(ranks, values, strict=True) if v != values[-1]), default=0)

    def shows(self, measure: Measure, mistake: _Mistake) -> bool:
        """Whether the mistake changes any value that was compared."""
        right = _right(measure, self.key)[self.is_compared]
        other = _right(measure, self.key, (mistake,))[self.is_compared]
        return not np.array_equal(right, other, equal_nan=True)

    def tells(self, measure: Measure, mistakes: tuple[_Mistake, ...] = ()) -> bool:
        """Whether there are enough right values, and not all are equal."""
        right = _right(measure, self.key, mistakes)[self.is_compared]
        kinds = {*right[~np.isnan(right)].round(9)}
        return len(right) >= _ENOUGH and len(kinds) > 1


def _forms(
    function: Callable[..., Any], k: int | None, arguments: Any = _ARGUMENTS
) -> list[_CalledForm]:
    """Forms of arguments in which more than a fifth of the calls give a number."""
    parameters = inspect.signature(function).parameters.values()
    cutoff = next((p.name for p in parameters if _CUTOFF.fullmatch(p.name)), "")
    needed = [p for p in parameters if p.kind < p.VAR_POSITIONAL and p.default is p.empty]
    needed = [p for p in needed if p.name != cutoff]
    graded = [_JUDGED.search(p.name) or "dict" in str(p.annotation).lower() for p in needed]
    forms = [
        _CalledForm(function, roles, shape, cutoff, k)
        for roles, shape in product(arguments, ("one", "dict", "list"))
        if len(roles) == len(graded)
        and not any(g and role in _IDS for g, role in zip(graded, roles, strict=True))
        and not _is_swapped([p.name for p in needed], roles)
    ]
    return [form for form in forms if 4 * form.has_value.sum() > form.raised.sum()]


def _is_swapped(names: Sequence[str], roles: Sequence[str]) -> bool:
    """Whether two parameter names, such as (retrieved, relevant), suggest the other order."""
    ranked = _said(names)
    return (
        len(roles) == 2
        and {*ranked} == {True, False}
        and ranked != [role in _OF_RANKING for role in roles]
    )


def _said(names: Sequence[str]) -> list[bool | None]:
    """Whether each name suggests what was ranked, or the truth; None for neither."""
    said = [(bool(_RANKED.search(name)), bool(_TRUTH.search(name))) for name in names]
    order = {(True, False): True, (False, True): False}
    return [order.get(one) for one in said]


# The audit ----------------------------------------------------------------------------------------


@dataclass(frozen=True, repr=False)
class Audit:
    """Outcome of :func:`audit`, shown as a summary.

    Attributes
    ----------
    name, measure : str, Measure
        The function, and the intended measure.
    equals : Measure or None
        Definition of the measure that the function follows, apart from ``mistakes``.
    mistakes : tuple of str
        Common mistakes that explain the difference.
    counterexample : tuple of (str, float or Exception, str, float) or None
        The smallest call that differs, what it gives, the measure and its value.
    """

    name: str
    measure: Measure
    equals: Measure | None
    mistakes: tuple[str, ...]
    counterexample: tuple[str, float | Exception, str, float] | None

    @property
    def agrees(self) -> bool:
        """Whether all values equal the measure's."""
        return self.counterexample is None

    def __repr__(self) -> str:
        if self.counterexample is None:
            return f"{self.name} is {self.measure}"
        call, result, measure, right = self.counterexample
        causes = "; ".join(self.mistakes)
        if self.equals not in (None, self.measure):
            causes = f"like {self.equals}, but {causes}" if causes else f"it is {self.equals}"
        value = safe_repr(result) if isinstance(result, Exception) else f"{result:.6g}"
        head = f"{self.name} is not {self.measure}: {causes or 'no common mistake explains it'}"
        rest = ""
        if causes == _REPEATED:
            head = f"{self.name} agrees with {self.measure}, except that {_REPEATED}"
            rest = '\n  if no ranking repeats an item, pass duplicates="raise" (--duplicates raise)'
        return f"{head}\n  {call} gives {value}; {measure} is {right:.6g}{rest}"


def audit(
    function: Callable[..., Any],
    measure: str | Measure,
    *,
    duplicates: Literal["first", "raise"] = "first",
    **unknown: Never,
) -> Audit:
    """Compare a home-made metric with the measure that it should compute.

    Parameters
    ----------
    function : callable
        Takes the usual arguments: relevances in ranked order (optionally also those of all relevant
        items), ground truth and ranking of a query, dicts or lists of these, or grades and scores
        of candidates; optionally a cutoff ``k``. For another signature pass ``lambda truth,
        ranking, k: ...``.
    measure : str or Measure
        In any spelling that :func:`sklearn_rank.measure` reads.
    duplicates : {"first", "raise"}, default="first"
        "raise" if rankings that repeat an item never reach the function: none are tried.
    **unknown
        Not accepted; the error suggests the intended name.

    Returns
    -------
    audit : Audit
        Whether values agree up to rounding; otherwise the smallest call that differs, and the
        mistake.

    Raises
    ------
    InvalidParameterError
        If the function cannot be called, or the measure has no values per query.

    Examples
    --------
    >>> from math import log2
    >>> from sklearn_rank import audit
    >>> def dcg(grades):
    ...     return sum(grade / log2(rank + 2) for rank, grade in enumerate(grades))
    >>> def ndcg(relevances, k):
    ...     return dcg(relevances[:k]) / (dcg(sorted(relevances, reverse=True)[:k]) or 1)
    >>> audit(ndcg, "ndcg(gain=linear)@10").mistakes
    ('the ideal DCG is taken from the retrieved list',)
    """
    for option in unknown:
        names = inspect.signature(audit).parameters
        refuse_option("audit", option, names, convention=_CONVENTION, complete=_CONVENTION)
    check_option(duplicates, "duplicates", ("first", "raise"), "audit")
    wanted = read_measure(measure)
    if wanted.metric.is_custom or wanted.metric.of_judgements or wanted.is_pooled:
        msg = f"measure must be computed from rankings, per query; got {wanted}"
        raise InvalidParameterError(msg)
    try:
        forms = _forms(function, wanted.k)
    except (TypeError, ValueError) as error:
        msg = f"function must be callable, got {safe_repr(function)}: {error}"
        raise InvalidParameterError(msg) from error
    name = safe_text(getattr(function, "__name__", "")) or safe_repr(function)
    telling = [form for form in forms if form.tells(wanted)]
    if not any(form.varies and {"ranking", "scores"} & {*form.roles} for form in telling):
        # It may expect one id, and no set.
        of_one = [form for form in _forms(function, wanted.k, _OF_ONE) if form.tells(wanted)]
        telling = [*(form for form in of_one if form.varies), *telling]
    if not telling:
        gave = f"too few numbers to tell {wanted} from other measures" if forms else "no number"
        msg = (
            f"{name} gave {gave} for the truth and the ranked ids of a query; pass a function that "
            "calls it, such as def one(truth, ranking, k):"
        )
        raise InvalidParameterError(msg)
    varied = [form for form in telling if form.varies] or telling
    return _explain(varied, wanted, repeats=duplicates == "first")


def _explain(forms: list[_CalledForm], wanted: Measure, *, repeats: bool) -> Audit:
    """The first explanation of one of these forms, trying simple ones first."""
    forms = sorted(forms, key=lambda form: (form.is_odd, -int(form.has_value.sum())))
    near = sorted(forms, key=lambda form: (form.is_odd, -form.likeness(wanted)))
    definitions = _definitions(wanted)
    depths = {form.depth() for form in near} - {wanted.k}
    mistakes = (*_MISTAKES, *(_CUTS[depth] for depth in sorted(depths & {*_CUTS})))
    possible = [
        mistake
        for mistake in mistakes
        if wanted.metric.name in (mistake.metrics or wanted.metric.name).split()
    ]
    steps: Any = (
        (0, definitions, near),
        (0, _others(wanted), forms),
        (1, [wanted], near),
        (1, definitions, near),
        (-1, _others(wanted) if wanted.k else (), forms),
        (2, definitions, near[:1]),
    )
    for number, measures, tried in steps:
        if number == 2:  # of those that can be seen at all
            possible = [one for one in possible if near[0].shows(wanted, one)]
        combined: Any = [(_UNCUT,)] if number < 0 else combinations(possible, number)
        for form, made, equals in product(tried, combined, measures):
            if form.is_explained(equals, made):
                return _audit(form, wanted, equals, made, repeats)
    return _audit(near[0], wanted, None, (), repeats)


def _others(wanted: Measure) -> list[Measure]:
    """Other measures that programs compute, at the same cutoff."""
    metrics = [
        metric
        for metric in METRICS
        if metric is not wanted.metric
        and not (metric.of_judgements or metric.of_results or metric.combines)
    ]
    return [
        definition
        for metric in metrics
        for definition in _definitions(Measure.of(metric, wanted.k if metric.takes_k else None))
        if not definition.is_pooled
    ]


def _definitions(wanted: Measure) -> list[Measure]:
    """All definitions of the measure that programs use, its own first."""
    definitions = [wanted]
    for preset in CONVENTIONS.values():
        with suppress(UnknownMeasureError):
            definitions.append(preset.apply(Measure.of(wanted.metric, wanted.k)))
    for word in ("k", "retrieved", "relevant", "min"):
        with suppress(InvalidParameterError):
            definitions.append(Measure.of(wanted.metric, wanted.k, denominator=word))
    return [one for one in dict.fromkeys(definitions) if one.k == wanted.k]


def _audit(
    form: _CalledForm,
    wanted: Measure,
    equals: Measure | None,
    mistakes: tuple[_Mistake, ...],
    repeats: bool,
) -> Audit:
    """Explanation of the values of one form."""
    right, is_repeated = _right(wanted, form.key), form.kinds == "repeated"
    failed = form.raised & ~is_repeated
    causes = [(mistake.text, form.differs(wanted)) for mistake in mistakes]
    if equals is not None and repeats:
        again = form.values > _right(equals, form.key, mistakes) + form.tolerance
        causes.append((_REPEATED, form.has_value & is_repeated & again))
    causes.append((f"it raises {type(form.results[int(failed.argmax())]).__name__}", failed))
    wrong = np.any([form.differs(wanted), *(shown for _, shown in causes)], axis=0)
    at = int(wrong.argmax())
    shown = str(wanted.with_cutoff(form.problems[at].k) if wanted.metric.takes_k else wanted)
    example = (form.texts[at], form.results[at], shown, float(right[at])) if wrong.any() else None
    texts = tuple(text for text, shows in causes if shows.any())
    return Audit(form.name, wanted, equals, texts, example)

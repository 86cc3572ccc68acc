"""Whether a home-made metric computes the measure that it is named after.

The function is called on small rankings with each usual form of arguments. Its values are compared
with the measure, with other definitions of it, and with one or two common mistakes in it; the first
form that one of these explains is taken as the intended one.
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
from typing import Any, NamedTuple

import numpy as np

from sklearn_rank.evaluation.evaluate import evaluate
from sklearn_rank.exceptions import InvalidParameterError, UnknownMeasureError
from sklearn_rank.measures.catalogue import Measure
from sklearn_rank.measures.conventions import CONVENTIONS
from sklearn_rank.measures.grammar import measure as read_measure
from sklearn_rank.support.text import safe_repr, safe_text
from sklearn_rank.typing import BoolArray, FloatArray

__all__ = ["Audit", "audit"]

_DEPTHS = (10, 100)
"""Ranks at which a function may cut although its measure has no cutoff."""


class _Query(NamedTuple):
    truth: dict[str, int]
    ranking: tuple[str, ...]
    kind: str = ""
    """``missing`` if the run lacks the query, ``repeated`` if it has items twice."""

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
    cases += [((0,) * depth + (1,), (), k) for depth in _DEPTHS if k is None]
    problems = []
    for number, (ranked, others, cutoff) in enumerate(cases):
        if any(grades := [*ranked, *others]):
            # Every fourth irrelevant item was judged so.
            truth = {
                f"d{n}": grade if graded else 1
                for n, grade in enumerate(grades, 1)
                if grade or (graded and (n + number) % 4 == 0)
            }
            query = _Query(truth, tuple(f"d{n + 1}" for n in range(len(ranked))))
            problems.append(_Problem((query,), cutoff))
    pool = [problem.queries[0] for problem in problems if len(problem.queries[0].ranking) < 30]
    pool += [_Query(query.truth, (), "missing") for query in pool[::9]]
    problems += [_Problem(tuple(rng.sample(pool, n)), c) for n in (2, 3) for c in cutoffs * 25]
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
    divisor: Callable[[_Query, int | None], float] | None = None
    """Divisor of the sum of the grades that are read."""
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


_SETS, _GRADED = "recall fbeta map mar rprec all_hit_rate set_map", "dcg ndcg err nerr rbp"
_ADDED = "grades are added where relevant items are counted"
_SORTED = "the list is sorted by relevance before it is measured"
_MISTAKES = (
    _Mistake("the ideal DCG is taken from the retrieved list", "ndcg nerr", _retrieved),
    _Mistake("the ideal DCG is taken from the retrieved top k", "ndcg nerr", _retrieved_first),
    _Mistake("only retrieved relevant items count", _SETS, _retrieved),
    _Mistake("ranks 1 and 2 weigh alike", "dcg ndcg", discount="log2_rank"),
    _Mistake("the discount is log2(rank + 2)", "dcg ndcg", discount="log2_plus_2"),
    _Mistake("the discount is log2(rank) + 1", "dcg ndcg", discount="one_plus_log2"),
    _Mistake("the discount is the rank, without logarithm", "dcg ndcg", discount="rank"),
    _Mistake("the ideal DCG has no cutoff", "ndcg", ideal=lambda q, _: (q, None)),
    _Mistake("the ideal DCG has k items of the best grade", "ndcg", ideal=_all_best),
    _Mistake("the ideal DCG is cut at the length of the list", "ndcg", ideal=_as_long),
    _Mistake(_SORTED, f"mrr map {_GRADED}", _sorted_first),
    _Mistake(
        "ranks begin at 2",
        "mrr map dcg",
        lambda query, _: query._replace(ranking=("", *query.ranking)),
        lambda k: k + 1,
    ),
    _Mistake("the cutoff is ignored", cutoff=lambda _: None),
    _Mistake("the cutoff is a rank too deep", cutoff=lambda k: k + 1),
    _Mistake("the cutoff is a rank too early", cutoff=lambda k: max(k - 1, 1)),
    _Mistake("items of grade 0 count as relevant", "", partial(_regraded, lambda g: g or 1)),
    *(
        _Mistake(f"grades above {g} count as {g}", _GRADED, partial(_regraded, partial(min, g)))
        for g in (1, 2, 3, 4)
    ),
    _Mistake(_ADDED, "precision", divisor=lambda q, k: len(q.ranking) if k is None else k),
    _Mistake(_ADDED, "recall", divisor=lambda q, _: sum(q.truth.values())),
    _Mistake("the ranking is read from its end", "", partial(_part, slice(None, None, -1))),
    _Mistake("the mean is over passed queries only", weight=lambda _, value: value > 0),
    _Mistake("the mean is over queries of the run only", weight=lambda q, _: q.kind != "missing"),
    _Mistake("the mean is over queries with results only", weight=lambda q, _: bool(q.ranking)),
    _Mistake(
        "the mean is weighted by relevant items",
        weight=lambda q, _: sum(grade > 0 for grade in q.truth.values()),
    ),
)
_REPEATED = "repeated items count again"
_UNSEEN_CUTS = tuple(
    _Mistake(f"only the first {n} ranks are read", "", partial(_part, slice(n))) for n in _DEPTHS
)
"""Mistakes in a measure without a cutoff."""


@lru_cache(maxsize=1024)
def _right(
    measure: Measure,
    key: tuple[int | None, bool, bool],
    mistakes: tuple[_Mistake, ...] = (),
) -> FloatArray:
    """(P,) values of the measure with these mistakes; NaN for 0 / 0."""
    problems, options, ideal, divisor = _problems(*key), dict(measure.parameters), None, None
    cases = [(query, problem.k) for problem in problems for query in problem.queries]
    queries = [query for query, _ in cases]
    for mistake in mistakes:
        cases = [(mistake.change(query, k), mistake.cutoff(k) if k else k) for query, k in cases]
        options |= {"discount": mistake.discount} if mistake.discount else {}
        ideal, divisor = mistake.ideal or ideal, mistake.divisor or divisor
    if ideal:
        best = [ideal(*case) for case in cases]
        values = _values("dcg", options, cases) / _values("idcg", options, best)
    elif divisor:
        values = np.array([sum(q.grades[:k]) / (divisor(q, k) or math.nan) for q, k in cases])
    else:
        values = _values(measure.metric.name, options, cases)
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
_ADAPTERS: Mapping[str, Callable[[_Query], Any]] = {
    "relevances": lambda query: query.grades,
    "array": lambda query: np.array(query.grades),
    "ideal": lambda query: sorted(filter(None, query.truth.values()), reverse=True),
    "grades": lambda query: dict(query.truth),
    "set": lambda query: {*query.truth},
    "list": lambda query: [*query.truth],
    "ranking": lambda query: list(query.ranking),
    "scores": lambda query: query.scores,
    "y_true": lambda query: np.array(query.grades),
    "y_score": lambda query: np.array([*query.scores.values()]),
}
_PAIRS = (*product(("grades", "set", "list"), ("ranking", "scores")), ("y_true", "y_score"))
_ARGUMENTS: tuple[tuple[str, ...], ...] = (
    *(("relevances",), ("array",), ("relevances", "ideal"), ("array", "ideal")),
    *(*_PAIRS, *(pair[::-1] for pair in _PAIRS)),
)
"""Arguments besides the cutoff, the more specific first."""


class _Form:
    """A function that is called in one way."""

    def __init__(
        self, function: Callable[..., Any], roles: tuple[str, ...], shape: str, cutoff: str, k: Any
    ) -> None:
        self.name = safe_text(getattr(function, "__name__", type(function).__name__))
        self.roles, self.shape, self.cutoff = roles, shape, cutoff
        self.key = k, bool(cutoff), not {"set", "list"} & {*roles}
        self.problems = _problems(*self.key)
        calls = [self._call(function, problem) for problem in self.problems]
        self.texts, self.results = zip(*calls, strict=True)
        self.raised = np.array([isinstance(value, Exception) for value in self.results])
        self.has_value = np.array([isinstance(value, float) for value in self.results])
        self.values = np.array([v if isinstance(v, float) else math.nan for v in self.results])
        self.kinds = np.array([problem.queries[0].kind for problem in self.problems])
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
        cutoff = {self.cutoff: problem.k or 10 * _DEPTHS[-1]} if self.cutoff else {}
        words = [*map(safe_repr, arguments), *(f"{name}={k}" for name, k in cutoff.items())]
        text = f"{self.name}({', '.join(words)})"
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                result = function(*arguments, **cutoff)
                if isinstance(result, tuple):  # a value and something else
                    return text, TypeError("a tuple is no number")
                result = [*result.values()] if isinstance(result, Mapping) else result
                return text, float(np.nanmean(np.array(result, dtype=float)))
        except Exception as error:
            return text, error

    def equals(self, right: FloatArray) -> BoolArray:
        """(P,) problems whose value is the right one."""
        same = np.abs(self.values - right) <= self.tolerance
        return np.asarray(same | (np.isnan(right) & (np.isnan(self.values) | (self.values == 0))))

    def differs(self, measure: Measure, mistakes: tuple[_Mistake, ...] = ()) -> BoolArray:
        """(P,) problems whose value is not that of the measure with these mistakes."""
        # Which position of a repeated item counts is a convention.
        same = self.equals(_right(measure, self.key, mistakes)) | (self.kinds == "repeated")
        return np.asarray(self.has_value & ~same)


def _forms(function: Callable[..., Any], k: int | None) -> list[_Form]:
    """Forms of arguments in which a fifth of the calls and more give a number."""
    parameters = inspect.signature(function).parameters.values()
    cutoff = next((p.name for p in parameters if _CUTOFF.fullmatch(p.name)), "")
    needed = [p for p in parameters if p.kind < p.VAR_POSITIONAL and p.default is p.empty]
    graded = [
        _JUDGED.search(p.name) or "dict" in str(p.annotation).lower()
        for p in needed
        if p.name != cutoff
    ]
    forms = [
        _Form(function, roles, shape, cutoff, k)
        for roles, shape in product(_ARGUMENTS, ("one", "dict", "list"))
        if len(roles) == len(graded)
        and not any(g and role in ("set", "list") for g, role in zip(graded, roles, strict=True))
    ]
    return [form for form in forms if 4 * form.has_value.sum() > form.raised.sum()]


# The audit ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Audit:
    """Outcome of :func:`audit`; as text, a summary.

    Attributes
    ----------
    name, measure : str, Measure
        The function, and the measure that it is named after.
    equals : Measure or None
        Definition of the measure that the function follows, apart from ``mistakes``.
    mistakes : tuple of str
        Common mistakes that explain the difference.
    counterexample : tuple of (str, float or Exception, str, float) or None
        The smallest call that differs, its value, the right measure and its value.
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

    def __str__(self) -> str:
        if self.counterexample is None:
            return f"{self.name} is {self.measure}"
        call, result, measure, right = self.counterexample
        causes = "; ".join(self.mistakes)
        if self.equals not in (None, self.measure):
            causes = f"like {self.equals}, but {causes}" if causes else f"it is {self.equals}"
        value = safe_repr(result) if isinstance(result, Exception) else f"{result:.6g}"
        head = f"{self.name} is not {self.measure}: {causes or 'no common mistake explains it'}"
        return f"{head}\n  {call} gives {value}; {measure} is {right:.6g}"


def audit(function: Callable[..., Any], measure: str | Measure) -> Audit:
    """Compare a home-made metric with the measure that it is named after.

    Parameters
    ----------
    function : callable
        Takes the usual arguments: relevances in ranked order (perhaps with those of all relevant
        items), ground truth and ranking of a query, dicts or lists of these, or grades and scores
        of candidates; and perhaps a cutoff ``k``. For another signature pass
        ``lambda truth, ranking, k: ...``.
    measure : str or Measure
        What it should compute, in any spelling that :func:`sklearn_rank.measure` reads.

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
    wanted = read_measure(measure)
    if wanted.metric.is_custom or wanted.metric.of_judgements or wanted.is_pooled:
        msg = f"measure must be computed from rankings, per query; got {wanted}"
        raise InvalidParameterError(msg)
    try:
        forms = _forms(function, wanted.k)
    except (TypeError, ValueError) as error:
        msg = f"function must be callable, got {safe_repr(function)}: {error}"
        raise InvalidParameterError(msg) from error
    if not forms:
        msg = (
            f"{getattr(function, '__name__', safe_repr(function))} gave no number for truth and "
            "ranked ids of a query; pass a function that calls it, as def one(truth, ranking, k):"
        )
        raise InvalidParameterError(msg)
    forms.sort(key=lambda form: form.differs(wanted).sum() / form.has_value.sum())
    definitions, name = _definitions(wanted), wanted.metric.name
    mistakes = (*_MISTAKES, *(_UNSEEN_CUTS if wanted.k is None else ()))
    possible = [mistake for mistake in mistakes if name in (mistake.metrics or name).split()]
    steps: Any = ((0, definitions, forms), (1, [wanted], forms), (1, definitions, forms))
    for number, measures, tried in (*steps, (2, definitions, forms[:1])):
        for form, made, equals in product(tried, combinations(possible, number), measures):
            if not form.differs(equals, made).any():
                return _audit(form, wanted, equals, made)
    return _audit(forms[0], wanted, None, ())


def _definitions(wanted: Measure) -> list[Measure]:
    """All that programs mean by the name of the measure; itself first."""
    definitions = [wanted]
    for preset in CONVENTIONS.values():
        with suppress(UnknownMeasureError):
            definitions.append(preset.apply(Measure.of(wanted.metric, wanted.k)))
    for word in ("k", "retrieved", "relevant", "min"):
        with suppress(InvalidParameterError):
            definitions.append(Measure.of(wanted.metric, wanted.k, denominator=word))
    return [one for one in dict.fromkeys(definitions) if one.k == wanted.k]


def _audit(
    form: _Form,
    wanted: Measure,
    equals: Measure | None,
    mistakes: tuple[_Mistake, ...],
) -> Audit:
    """Explanation of the values of one form."""
    right, is_repeated = _right(wanted, form.key), form.kinds == "repeated"
    failed = form.raised & ~is_repeated
    causes = [(mistake.text, form.differs(wanted)) for mistake in mistakes]
    if equals is not None:
        again = form.values > _right(equals, form.key, mistakes) + form.tolerance
        causes.append((_REPEATED, form.has_value & is_repeated & again))
    causes.append((f"it raises {type(form.results[int(failed.argmax())]).__name__}", failed))
    wrong = np.any([form.differs(wanted), *(shown for _, shown in causes)], axis=0)
    at = int(wrong.argmax())
    shown = str(wanted.with_cutoff(form.problems[at].k) if wanted.metric.takes_k else wanted)
    example = (form.texts[at], form.results[at], shown, float(right[at])) if wrong.any() else None
    texts = tuple(text for text, shows in causes if shows.any())
    return Audit(form.name, wanted, equals, texts, example)

"""Whether a home-made metric computes the measure that it is named after.

The function is called on small rankings with each usual form of arguments. Its values are compared
with those of the measure, of other definitions of it, and of one or two known mistakes in it; the
form that is explained first is taken for the function's own.
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
from functools import cache, lru_cache
from itertools import chain, combinations, product
from pkgutil import resolve_name
from typing import Any, NamedTuple

import numpy as np

from sklearn_rank.evaluation.evaluate import evaluate
from sklearn_rank.exceptions import InvalidParameterError, UnknownMeasureError
from sklearn_rank.measures.catalogue import Measure
from sklearn_rank.measures.conventions import CONVENTIONS
from sklearn_rank.measures.grammar import measure as read_measure
from sklearn_rank.support.text import format_list, safe_repr, safe_text
from sklearn_rank.typing import BoolArray, FloatArray

__all__ = ["Audit", "audit"]


class _Query(NamedTuple):
    truth: dict[str, int]
    ranking: tuple[str, ...]
    is_missing: bool = False
    """Whether the run lacks the query."""

    @property
    def is_repeated(self) -> bool:
        return len({*self.ranking}) < len(self.ranking)


class _Problem(NamedTuple):
    queries: tuple[_Query, ...]
    k: int | None


@cache
def _problems(k: int | None, takes_k: bool, graded: bool) -> list[_Problem]:
    """Rankings of up to three items of all grades, longer ones, repeats, and several queries."""
    rng = random.Random(0)
    cutoffs = sorted({2, k}) if takes_k and k else [k]
    grades = chain.from_iterable(product((0, 1, 2), repeat=n) for n in range(4))
    cases: list[Any] = [*product(grades, ((), (1,), (2,), (1, 1)), cutoffs)]
    for cutoff in cutoffs * 40:
        ranked = rng.choices((0, 0, 0, 1, 2, 3), k=rng.randint(0, (cutoff or 6) + 3))
        cases.append((ranked, rng.choices((1, 2, 3), k=rng.randint(0, 3)), cutoff))
    many = random.Random(1)  # more relevant items than the cutoff
    cases += [
        (many.choices((1, 2, 3), k=size), many.choices((1, 2, 3), k=(cutoff or 6) + 2), cutoff)
        for size, cutoff in product((1, 3), cutoffs)
    ]
    found = []
    for number, (ranked, others, cutoff) in enumerate(cases):
        if any(every := [*ranked, *others]):
            # Every fourth irrelevant item was judged so.
            truth = {
                f"d{n}": grade if graded else 1
                for n, grade in enumerate(every, 1)
                if grade or (graded and (n + number) % 4 == 0)
            }
            found.append(
                _Problem((_Query(truth, tuple(f"d{n + 1}" for n in range(len(ranked)))),), cutoff)
            )
    pool = [own.queries[0] for own in found]
    pool += [_Query(own.truth, (), is_missing=True) for own in pool[::9]]
    sizes = [*product((2, 3), cutoffs)] * 25
    found += [_Problem(tuple(rng.sample(pool, size)), cutoff) for size, cutoff in sizes]
    repeats = product(({"a": 1}, {"a": 1, "b": 1}), ("aa", "aba", "baa", "aabb", "bab"))
    found += [_Problem((_Query({**truth}, tuple(text)),), k) for truth, text in repeats]
    return sorted(found, key=lambda own: (len(own.queries), len(str(own))))


# Known mistakes -----------------------------------------------------------------------------------


class _Mistake(NamedTuple):
    text: str
    metrics: str = ""
    """Names of the metrics in which it is made; empty for all."""
    change: Callable[[_Query, int | None], _Query] = lambda query, _: query
    cutoff: Callable[[int], int | None] = lambda k: k
    discount: Callable[[FloatArray], FloatArray] | None = None
    ideal: Callable[[_Query, int | None], tuple[_Query, int | None]] | None = None
    """Query and cutoff whose ideal DCG is taken."""
    weight: Callable[[_Query, float], float] = lambda *_: 1.0
    """Weight of a query with its value in the mean."""


def _only(query: _Query, items: Sequence[str]) -> _Query:
    return query._replace(truth={i: grade for i, grade in query.truth.items() if i in items})


def _relevant(query: _Query) -> list[str]:
    return [item for item, grade in query.truth.items() if grade]


def _zeros(query: _Query, _: int | None) -> _Query:
    return query._replace(truth={item: grade or 1 for item, grade in query.truth.items()})


def _all_best(query: _Query, k: int | None) -> tuple[_Query, int | None]:
    items = map(str, range(len(query.ranking) if k is None else k))
    return query._replace(truth=dict.fromkeys(items, max(query.truth.values(), default=0))), k


_DCG, _SETS, _IDEAL = "dcg ndcg", "recall fbeta map mar rprec all_hit_rate set_map", "ndcg nerr"
_LIST, _TOP = "the ideal DCG is taken from the retrieved list", "the ideal DCG is that of the top k"
_LOST, _BEST = "only retrieved relevant items count", "the ideal DCG has k items of the best grade"
_EMPTY = "the mean is over queries with results only"
_MISTAKES = (
    _Mistake(_LIST, _IDEAL, lambda query, _: _only(query, query.ranking)),
    _Mistake(_TOP, _IDEAL, lambda query, k: _only(query, query.ranking[:k])),
    _Mistake(_LOST, _SETS, lambda query, _: _only(query, query.ranking)),
    _Mistake("ranks 1 and 2 weigh alike", _DCG, discount=lambda r: np.log2(np.maximum(r, 2.0))),
    _Mistake("the discount is log2(rank + 2)", _DCG, discount=lambda rank: np.log2(rank + 2.0)),
    _Mistake("the discount is log2(rank) + 1", _DCG, discount=lambda rank: np.log2(rank) + 1.0),
    _Mistake("the discount is the rank, without logarithm", _DCG, discount=lambda rank: rank),
    _Mistake("the ideal DCG has no cutoff", "ndcg", ideal=lambda query, _: (query, None)),
    _Mistake(_BEST, "ndcg", ideal=_all_best),
    _Mistake(
        "ranks begin at 2",
        "mrr map dcg",
        lambda query, _: _Query(query.truth, ("", *query.ranking)),
        lambda k: k + 1,
    ),
    _Mistake("the cutoff is ignored", cutoff=lambda _: None),
    _Mistake("the cutoff is a rank too deep", cutoff=lambda k: k + 1),
    _Mistake("the cutoff is a rank too early", cutoff=lambda k: max(k - 1, 1)),
    _Mistake("items of grade 0 count as relevant", "", _zeros),
    _Mistake(
        "the ranking is read from its end", "", lambda q, _: q._replace(ranking=q.ranking[::-1])
    ),
    _Mistake("the mean is over passed queries only", weight=lambda _, value: value > 0),
    _Mistake("the mean is over queries of the run only", weight=lambda q, _: not q.is_missing),
    _Mistake(_EMPTY, "", lambda query, _: query if query.ranking else _only(query, ())),
    _Mistake("the mean is weighted by relevant items", weight=lambda q, _: len(_relevant(q))),
)


@lru_cache(maxsize=1024)
def _right(
    measure: Measure, key: tuple[int | None, bool, bool], mistakes: tuple[_Mistake, ...] = ()
) -> FloatArray:
    """(P,) values of the measure with these mistakes; NaN for 0 / 0."""
    problems, options, ideal = _problems(*key), dict(measure.parameters), None
    queries = [query for own in problems for query in own.queries]
    cases = [(query, own.k) for own in problems for query in own.queries]
    for own in mistakes:
        cases = [(own.change(query, k), own.cutoff(k) if k else k) for query, k in cases]
        options |= {"discount": own.discount} if own.discount else {}
        ideal = own.ideal or ideal
    if ideal:
        best = [ideal(*case) for case in cases]
        values = _values("dcg", options, cases) / _values("idcg", options, best)
    else:
        values = _values(measure.metric.name, options, cases)
    weights = ~np.isnan(values) * 1.0
    for own in mistakes:
        weights *= [own.weight(*pair) for pair in zip(queries, values, strict=True)]
    starts = np.cumsum([0, *(len(own.queries) for own in problems)])[:-1]
    with np.errstate(all="ignore"):
        total = np.add.reduceat(np.nan_to_num(values) * weights, starts)
        return np.asarray(total / np.add.reduceat(weights, starts))


def _values(name: str, options: Any, cases: Sequence[Any]) -> FloatArray:
    """(Q,) values of queries and cutoffs; infinite where the measure needs a cutoff."""
    found = np.full(len(cases), np.inf)
    for k in {k for _, k in cases}:
        own = {number: query for number, (query, cutoff) in enumerate(cases) if cutoff == k}
        truth = {number: query.truth for number, query in own.items()}
        runs = {number: list(query.ranking) for number, query in own.items()}
        with warnings.catch_warnings(), suppress(InvalidParameterError):
            warnings.simplefilter("ignore")
            measure = read_measure(name, k, **options)
            result = evaluate(truth, runs, measure, zero_division=math.nan, duplicates="first")
            found[list(own)] = result.per_query[str(measure)]
    return found


# Forms of arguments -------------------------------------------------------------------------------

_CUTOFF = re.compile(r"k|cut_?off|top_?[kn]|at(_?k)?|n|limit", re.IGNORECASE)
_GRADED = re.compile(r"qrel|grade|judg|gain|rel\w*_(map|dict)", re.IGNORECASE)
"""Names of parameters that are a cutoff, and {item: grade}."""


def _relevances(query: _Query) -> list[int]:
    return [query.truth.get(item, 0) for item in query.ranking]


def _scores(query: _Query) -> dict[str, float]:
    return {item: 1.0 - place / 64 for place, item in enumerate(query.ranking)}


_ROLES: Mapping[str, Callable[[_Query], Any]] = {
    "relevances": _relevances,
    "array": lambda query: np.array(_relevances(query)),
    "ideal": lambda query: sorted(filter(None, query.truth.values()), reverse=True),
    "grades": lambda query: dict(query.truth),
    "set": lambda query: {*query.truth},
    "list": lambda query: [*query.truth],
    "ranking": lambda query: list(query.ranking),
    "scores": _scores,
    "y_true": lambda query: np.array(_relevances(query)),
    "y_score": lambda query: np.array([*_scores(query).values()]),
}
_RUNS = ("ranking", "scores")
_PAIRS = (*product(("grades", "set", "list"), _RUNS), ("y_true", "y_score"))
_ARGUMENTS: tuple[tuple[str, ...], ...] = (
    *(("relevances",), ("array",), ("relevances", "ideal"), ("array", "ideal")),
    *(*_PAIRS, *(pair[::-1] for pair in _PAIRS)),
)
"""Arguments besides the cutoff, those that say more first."""


class _Form:
    """A function that is called in one way."""

    def __init__(
        self, function: Callable[..., Any], roles: tuple[str, ...], shape: str, cutoff: str, k: Any
    ) -> None:
        self.roles, self.shape, self.cutoff = " ".join(roles), shape, cutoff
        self.key = k, bool(cutoff), not {"set", "list"} & {*roles}
        self.problems = _problems(*self.key)
        found = [self._call(function, roles, own) for own in self.problems]
        self.texts, self.found = zip(*found, strict=True)
        self.raised = np.array([isinstance(own, Exception) for own in self.found])
        self.has_value = np.array([isinstance(own, float) for own in self.found])
        self.values = np.array([own if isinstance(own, float) else math.nan for own in self.found])
        self.repeated = np.array([own.queries[0].is_repeated for own in self.problems])
        shown = self.values[~np.isnan(self.values)]
        digits = [own for own in (3, 4, 5, 6) if (shown == shown.round(own)).all()]
        self.tolerance = 0.51 * 10.0 ** -digits[0] if digits else 1e-9

    def _call(self, function: Any, roles: tuple[str, ...], problem: _Problem) -> tuple[str, Any]:
        """The call as it would be typed, and its value or error; None if it cannot be said so."""
        queries = problem.queries
        if (
            (self.shape == "one") != (len(queries) == 1)
            or (self.shape != "dict" and any(own.is_missing for own in queries))
            or ("ranking" not in self.roles and queries[0].is_repeated)
            # Candidates are all there is.
            or ("y_" in self.roles and not all({*q.truth} <= {*q.ranking} for q in queries))
        ):
            return "", None
        arguments: list[Any] = []
        for role in roles:
            named = {f"q{number}": own for number, own in enumerate(queries, 1)}
            given = {q: own for q, own in named.items() if not (own.is_missing and role in _RUNS)}
            made = {q: _ROLES[role](own) for q, own in given.items()}
            every = [*made.values()]
            arguments += every if self.shape == "one" else [made if self.shape == "dict" else every]
        cutoff = {self.cutoff: problem.k or 100} if self.cutoff else {}
        words = [*map(safe_repr, arguments), *(f"{name}={k}" for name, k in cutoff.items())]
        text = f"{_name(function)}({', '.join(words)})"
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                result = function(*arguments, **cutoff)
                result = [*result.values()] if isinstance(result, Mapping) else result
                return text, float(np.nanmean(np.array(result, dtype=float)))
        except Exception as error:
            return text, error

    def differs(self, measure: Measure, mistakes: tuple[_Mistake, ...] = ()) -> BoolArray:
        """(P,) problems whose value is not that of the measure with these mistakes."""
        right = _right(measure, self.key, mistakes)
        same = np.abs(self.values - right) <= self.tolerance
        same |= np.isnan(right) & (np.isnan(self.values) | (self.values == 0))
        # Which place of a repeated item counts is a convention.
        same |= self.repeated
        return np.asarray(self.has_value & ~same)


def _name(function: Callable[..., Any]) -> str:
    return safe_text(getattr(function, "__name__", type(function).__name__))


def _forms(function: Callable[..., Any], parameters: Any, k: int | None) -> list[_Form]:
    """Forms of arguments in which a fifth of the calls and more give a number."""
    cutoff = next((own.name for own in parameters if _CUTOFF.fullmatch(own.name)), "")
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    graded = [
        _GRADED.search(own.name) or "dict" in str(own.annotation).lower()
        for own in parameters
        if own.kind in kinds and own.default is own.empty and own.name != cutoff
    ]
    forms = [
        _Form(function, roles, shape, cutoff, k)
        for roles, shape in product(_ARGUMENTS, ("one", "dict", "list"))
        if len(roles) == len(graded)
        and not any(g and role in ("set", "list") for g, role in zip(graded, roles, strict=True))
    ]
    return [own for own in forms if 4 * own.has_value.sum() > own.raised.sum()]


# The audit ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Audit:
    """Outcome of :func:`audit`; as text, a summary.

    Attributes
    ----------
    equals : Measure or None
        Definition of the measure that the function follows, but for ``mistakes``.
    conventions : tuple of str
        Programs with this definition.
    mistakes : tuple of str
        Known mistakes that explain the difference.
    counterexample : tuple of (str, float or Exception, str, float) or None
        The smallest call that differs, its value, the right measure and its value.
    """

    name: str
    measure: Measure
    equals: Measure | None
    conventions: tuple[str, ...]
    mistakes: tuple[str, ...]
    counterexample: tuple[str, float | Exception, str, float] | None

    @property
    def agrees(self) -> bool:
        """Whether all values are those of the measure."""
        return self.counterexample is None

    def __str__(self) -> str:
        if self.counterexample is None:
            return f"{self.name} is {self.measure}"
        call, found, measure, right = self.counterexample
        other = [f"it is {self.equals}"] * (self.equals not in (None, self.measure))
        causes = [*other, *self.mistakes] or ["no known mistake explains it"]
        value = safe_repr(found) if isinstance(found, Exception) else f"{found:.6g}"
        lines = [f"{self.name} is not {self.measure}: {'; '.join(causes)}"]
        lines.append(f"{call} gives {value}; {measure} is {right:.6g}")
        if other and self.conventions:
            lines.append(f"{self.equals} is that of convention {format_list(self.conventions)}")
        return "\n  ".join(lines)


def audit(function: str | Callable[..., Any], measure: str | Measure) -> Audit:
    """Compare a home-made metric with the measure that it is named after.

    Parameters
    ----------
    function : callable or str
        Function, or ``"module:function"``, of the usual arguments: relevances in ranked order
        (perhaps with those of all relevant items), ground truth and ranking of a query, dicts or
        lists of these, or grades and scores of candidates; and perhaps a cutoff ``k``. For another
        signature pass ``lambda truth, ranking, k: ...``.
    measure : str or Measure
        What it should compute, in any spelling that :func:`sklearn_rank.measure` reads.

    Returns
    -------
    audit : Audit
        Whether it does, but for rounding; the smallest call that differs, and the mistake.

    Raises
    ------
    InvalidParameterError
        If the function cannot be found or called, or the measure has no values per query.

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
    if wanted.metric.is_own or wanted.metric.of_judgements or wanted.is_pooled:
        msg = f"measure must be one of rankings, with values per query; got {wanted}"
        raise InvalidParameterError(msg)
    try:
        call = resolve_name(function) if isinstance(function, str) else function
        parameters = inspect.signature(call).parameters.values()
    except (ImportError, AttributeError, TypeError, ValueError) as error:
        msg = f"function must be callable or 'module:function', got {safe_repr(function)}: {error}"
        raise InvalidParameterError(msg) from error
    forms = _forms(call, parameters, wanted.k)
    if not forms:
        msg = (
            f"{_name(call)} gave no number for ground truths and rankings in any usual form; pass "
            "a function that calls it, as lambda truth, ranking, k: ..."
        )
        raise InvalidParameterError(msg)
    form = min(forms, key=lambda own: own.differs(wanted).sum() / own.has_value.sum())
    definitions = _definitions(wanted)
    known = [
        own
        for own in _MISTAKES
        if wanted.metric.name in (own.metrics or wanted.metric.name).split()
    ]
    steps: Any = ((0, definitions, forms), (1, [wanted], forms), (1, definitions, forms))
    for number, measures, tried in (*steps, (2, definitions, [form])):
        for mistakes, own, calls in product(combinations(known, number), measures, tried):
            if not calls.differs(own, mistakes).any():
                return _audit(call, calls, wanted, own, mistakes, definitions[own])
    return _audit(call, form, wanted, None, (), ())


def _definitions(wanted: Measure) -> dict[Measure, list[str]]:
    """All that programs mean by the name of the measure, with these programs; itself first."""
    definitions: dict[Measure, list[str]] = {wanted: []}
    for name, preset in CONVENTIONS.items():
        with suppress(UnknownMeasureError):
            own = preset.apply(Measure.open(wanted.metric, wanted.k))
            definitions.setdefault(own, []).append(name)
    for word in ("k", "retrieved", "relevant", "min"):
        with suppress(InvalidParameterError):
            definitions.setdefault(Measure.open(wanted.metric, wanted.k, denominator=word), [])
    return {own: names for own, names in definitions.items() if own.k == wanted.k}


def _audit(
    call: Any,
    form: _Form,
    wanted: Measure,
    equals: Measure | None,
    mistakes: Sequence[_Mistake],
    conventions: Sequence[str],
) -> Audit:
    """What explains the values of one form."""
    right, expected = _right(wanted, form.key), _right(equals or wanted, form.key, tuple(mistakes))
    failed = form.raised & ~form.repeated
    again = form.has_value & form.repeated & (form.values > expected + form.tolerance)
    again &= equals is not None
    wrong, texts = form.differs(wanted) | failed | again, [own.text for own in mistakes]
    texts += ["repeated items count again"] * bool(again.any())
    texts += [f"it raises {type(form.found[int(failed.argmax())]).__name__}"] * bool(failed.any())
    at = int(wrong.argmax())
    shown = str(wanted.with_cutoff(form.problems[at].k) if wanted.metric.takes_k else wanted)
    example = form.texts[at], form.found[at], shown, float(right[at])
    return Audit(
        _name(call),
        wanted,
        equals,
        tuple(conventions),
        tuple(texts),
        example if wrong.any() else None,
    )

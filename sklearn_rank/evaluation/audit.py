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
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import chain, combinations, product
from pkgutil import resolve_name
from typing import Any, NamedTuple, cast

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
    scores: tuple[float, ...] = ()
    """Where items are tied."""
    is_missing: bool = False
    """Whether the run lacks the query."""


class _Problem(NamedTuple):
    queries: tuple[_Query, ...]
    k: int | None

    @property
    def kind(self) -> str:
        """What programs differ on."""
        first = self.queries[0]
        if first.scores or len({*first.ranking}) < len(first.ranking):
            return "tied" if first.scores else "repeated"
        return "plain" if all(any(own.truth.values()) for own in self.queries) else "undefined"


@cache
def _problems(k: int | None, takes_k: bool, graded: bool) -> list[_Problem]:
    """Rankings of up to three items of all grades, longer ones, repeats, ties, several queries."""
    rng = random.Random(0)
    cutoffs = sorted({2, k}) if takes_k and k else [k]
    grades = chain.from_iterable(product((0, 1, 2), repeat=n) for n in range(4))
    cases: list[Any] = [*product(grades, ((), (1,), (2,), (1, 1)), cutoffs)]
    for cutoff in cutoffs * 40:
        ranked = rng.choices((0, 0, 0, 1, 2, 3), k=rng.randint(0, (cutoff or 6) + 3))
        cases.append((ranked, rng.choices((1, 2, 3), k=rng.randint(0, 3)), cutoff))
    found = []
    for number, (ranked, others, cutoff) in enumerate(cases):
        # Every fourth irrelevant item was judged so.
        judged = enumerate((*ranked, *others), 1)
        truth = {f"d{n}": grade for n, grade in judged if grade or (n + number) % 4 == 0}
        items = tuple(f"d{n}" for n in range(1, len(ranked) + 1))
        found.append(_Problem((_Query(truth, items),), cutoff))
    pool = [own.queries[0] for own in found]
    pool += [_Query(own.truth, (), is_missing=True) for own in pool[::9]]
    sizes = [*product((2, 3), cutoffs)] * 25
    found += [_Problem(tuple(rng.sample(pool, size)), cutoff) for size, cutoff in sizes]
    repeats = product(({"a": 1}, {"a": 2, "b": 1}), ("aa", "aba", "baa", "aabb", "bab"))
    ties = product("abc", ((1.0, 1.0, 1.0), (1.0, 1.0, 0.5), (1.0, 0.5, 0.5)))
    odd = [_Query({**truth}, tuple(text)) for truth, text in repeats]
    odd += [_Query({item: 1}, ("a", "b", "c"), scores) for item, scores in ties]
    found += [_Problem((own,), k) for own in odd]
    if not graded:
        found = [own._replace(queries=tuple(map(_flat, own.queries))) for own in found]
    return sorted(found, key=lambda own: (len(own.queries), len(str(own))))


def _flat(query: _Query) -> _Query:
    return query._replace(truth={item: 1 for item, grade in query.truth.items() if grade})


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


def _zeros(query: _Query, _: int | None) -> _Query:
    return query._replace(truth={item: grade or 1 for item, grade in query.truth.items()})


def _all_best(query: _Query, k: int | None) -> tuple[_Query, int | None]:
    items = map(str, range(len(query.ranking) if k is None else k))
    return query._replace(truth=dict.fromkeys(items, max(query.truth.values(), default=0))), k


def _once(query: _Query, _: int | None) -> _Query:
    """Repeated items are irrelevant, and keep their places."""
    items = enumerate(query.ranking)
    once = (f"again {n}" if item in query.ranking[:n] else item for n, item in items)
    return query._replace(ranking=tuple(once))


_DCG, _SETS, _IDEAL = "dcg ndcg", "recall fbeta map mar rprec all_hit_rate set_map", "ndcg nerr"
_LIST, _TOP = "the ideal DCG is taken from the retrieved list", "the ideal DCG is that of the top k"
_LOST, _BEST = "only retrieved relevant items count", "the ideal DCG has k items of the best grade"
_EMPTY, _SIZE = (
    "the mean is over queries with results only",
    "the mean is weighted by relevant items",
)
_MISTAKES = (
    _Mistake(_LIST, _IDEAL, lambda query, _: _only(query, query.ranking)),
    _Mistake(_TOP, _IDEAL, lambda query, k: _only(query, query.ranking[:k])),
    _Mistake(_LOST, _SETS, lambda query, _: _only(query, query.ranking)),
    _Mistake("ranks 1 and 2 weigh alike", _DCG, discount=lambda r: np.log2(np.maximum(r, 2.0))),
    _Mistake("the discount is log2(rank + 2)", _DCG, discount=lambda rank: np.log2(rank + 2.0)),
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
    _Mistake(
        _EMPTY,
        "",
        lambda query, _: _only(query, query.ranking or [""]) if not query.ranking else query,
    ),
    _Mistake(_SIZE, weight=lambda query, _: sum(map(bool, query.truth.values()))),
)
_DIFFERENCES: Any = (
    *(
        ("undefined", f"queries without a relevant item {text}", (), {"undefined": value})
        for text, value in (("count 0", 0.0), ("count 1", 1.0), ("are left out", math.nan))
    ),
    ("repeated", "repeated items count once, those below them move up", (), {}),
    ("repeated", "repeated items count once, in their places", (_Mistake("", change=_once),), {}),
    *(
        ("tied", f"tied items are read as ties={ties!r} reads them", (), {"ties": ties})
        for ties in ("average", "stable", "docid", "optimistic", "pessimistic")
    ),
)
"""Kinds of problems on which programs differ, and what they do."""


@lru_cache(maxsize=2048)
def _right(
    measure: Measure,
    key: tuple[int | None, bool, bool],
    mistakes: tuple[_Mistake, ...] = (),
    ties: Any = "average",
    undefined: float = math.nan,
) -> FloatArray:
    """(P,) values of the measure with these mistakes; NaN where nothing is relevant."""
    problems, options = _problems(*key), dict(measure.parameters)
    queries = [query for own in problems for query in own.queries]
    cases = [(query, own.k) for own in problems for query in own.queries]
    ideal = None
    for own in mistakes:
        cases = [(own.change(query, k), own.cutoff(k) if k else k) for query, k in cases]
        options |= {"discount": own.discount} if own.discount else {}
        ideal = own.ideal or ideal
    if ideal:
        best = [ideal(query, k) if any(query.truth.values()) else (query, k) for query, k in cases]
        values = _values("dcg", options, cases, ties) / _values("idcg", options, best, ties)
    else:
        values = _values(measure.metric.name, options, cases, ties)
    values = np.where(np.isnan(values), undefined, values)
    weights = ~np.isnan(values) * 1.0
    for own in mistakes:
        weights *= [own.weight(*pair) for pair in zip(queries, values, strict=True)]
    starts = np.cumsum([0, *(len(own.queries) for own in problems)])[:-1]
    with np.errstate(all="ignore"):
        total = np.add.reduceat(np.nan_to_num(values) * weights, starts)
        return np.asarray(total / np.add.reduceat(weights, starts))


def _values(name: str, options: Any, cases: Sequence[Any], ties: Any) -> FloatArray:
    """(Q,) values of queries and cutoffs; infinite where the measure needs a cutoff."""
    found = np.full(len(cases), np.inf)
    for k in {k for _, k in cases}:
        own = {number: query for number, (query, cutoff) in enumerate(cases) if cutoff == k}
        truth = {number: query.truth for number, query in own.items()}
        runs = {n: _scores(query) if query.scores else [*query.ranking] for n, query in own.items()}
        with warnings.catch_warnings(), suppress(InvalidParameterError):
            warnings.simplefilter("ignore")
            measure = read_measure(name, k, **options)
            given: Any = {"ties": ties, "zero_division": math.nan, "duplicates": "first"}
            found[list(own)] = evaluate(truth, runs, measure, **given).per_query[measure]  # type: ignore[index]
    return found


# Forms of arguments -------------------------------------------------------------------------------

_CUTOFF = re.compile(r"k|cut_?off|top_?[kn]|at(_?k)?|n|limit", re.IGNORECASE)
_GRADED = re.compile(r"qrel|grade|judg|gain|rel\w*_(map|dict)", re.IGNORECASE)
"""Names of parameters that are a cutoff, and {item: grade}."""


def _relevances(query: _Query) -> list[int]:
    return [query.truth.get(item, 0) for item in query.ranking]


def _scores(query: _Query) -> dict[str, float]:
    falling = [1.0 - place / 64 for place in range(len(query.ranking))]
    return dict(zip(query.ranking, query.scores or falling, strict=True))


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
_PAIRS = (*product(("grades", "set", "list"), ("ranking", "scores")), ("y_true", "y_score"))
_ARGUMENTS: tuple[tuple[str, ...], ...] = (
    *(("relevances",), ("array",), ("relevances", "ideal"), ("array", "ideal")),
    *(*_PAIRS, *(pair[::-1] for pair in _PAIRS)),
)
"""Arguments besides the cutoff, those that say more first."""


class _Form(NamedTuple):
    """One way to call a function: roles of arguments; name of the cutoff, "" if it has none."""

    function: Callable[..., Any]
    roles: tuple[str, ...]
    shape: str
    """"one" query, or a "dict" or "list" of them."""
    cutoff: str | None

    def takes(self, problem: _Problem) -> bool:
        """Whether these arguments say all that the problem consists of."""
        roles, kind = " ".join(self.roles), problem.kind
        return (
            (self.shape == "one") == (len(problem.queries) == 1)
            and (self.shape == "dict" or not any(own.is_missing for own in problem.queries))
            and ("ranking" in roles or kind != "repeated")
            and ("score" in roles or kind != "tied")
            # Candidates are all there is.
            and ("y_" not in roles or all({*q.truth} <= {*q.ranking} for q in problem.queries))
        )

    def call(self, problem: _Problem) -> tuple[str, float | Exception]:
        """The call as it would be typed, and its value or error."""
        arguments: list[Any] = []
        for role in self.roles:
            own = {
                f"q{number}": _ROLES[role](query)
                for number, query in enumerate(problem.queries, 1)
                if not (query.is_missing and role in ("ranking", "scores"))
            }
            shapes = {"one": [*own.values()][:1], "dict": [own], "list": [[*own.values()]]}
            arguments += shapes[self.shape]
        named = {self.cutoff: problem.k or 100} if self.cutoff else {}
        words = [*map(safe_repr, arguments), *(f"{name}={value}" for name, value in named.items())]
        text = f"{_name(self.function)}({', '.join(words)})"
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                result = self.function(*arguments, **named)
                if isinstance(result, Mapping):
                    result = [*result.values()]
                return text, float(np.nanmean(np.array(result, dtype=float)))
        except Exception as error:
            return text, error


def _name(function: Callable[..., Any]) -> str:
    return safe_text(getattr(function, "__name__", type(function).__name__))


def _forms(function: Callable[..., Any]) -> list[_Form]:
    parameters = inspect.signature(function).parameters.values()
    cutoff = next((own.name for own in parameters if _CUTOFF.fullmatch(own.name)), "")
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    needed = [
        _GRADED.search(own.name) or "dict" in str(own.annotation).lower()
        for own in parameters
        if own.kind in kinds and own.default is own.empty and own.name != cutoff
    ]
    return [
        _Form(function, roles, shape, cutoff)
        for roles, shape in product(_ARGUMENTS, ("one", "dict", "list"))
        if len(roles) == len(needed)
        and not any(g and role in ("set", "list") for g, role in zip(needed, roles, strict=True))
    ]


class _Calls:
    """Values of a function that was called in one form."""

    def __init__(self, form: _Form, k: int | None) -> None:
        self.key = k, bool(form.cutoff), not {"set", "list"} & {*form.roles}
        self.problems = _problems(*self.key)
        found = [form.call(own) if form.takes(own) else ("", None) for own in self.problems]
        self.texts, self.found = zip(*found, strict=True)
        self.has_value = np.array([isinstance(own, float) for own in self.found])
        self.raised = np.array([isinstance(own, Exception) for own in self.found])
        self.values = np.array([own if isinstance(own, float) else math.nan for own in self.found])
        self.kinds = np.array([own.kind for own in self.problems])
        self.is_of_use = self.has_value.sum() > self.raised.sum()
        shown = self.values[~np.isnan(self.values)]
        digits = [own for own in (3, 4, 5, 6) if (shown == shown.round(own)).all()]
        self.tolerance = 0.51 * 10.0 ** -digits[0] if digits else 1e-9

    def differs(
        self, measure: Measure, mistakes: tuple[_Mistake, ...] = (), kind: str = "plain", **how: Any
    ) -> BoolArray:
        """Problems of a kind whose value is not that of the measure with these mistakes."""
        right = _right(measure, self.key, mistakes, **how)
        same = np.abs(self.values - right) <= self.tolerance
        same |= np.isnan(right) & (np.isnan(self.values) | (self.values == 0))  # 0 / 0
        return np.asarray(self.has_value & (self.kinds == kind) & ~same)

    def audit(self, name: str, wanted: Measure, explained: tuple[Any, Any, Any]) -> Audit:
        """What explains the values."""
        equals, mistakes, conventions = explained
        failed = self.raised & (self.kinds == "plain")
        wrong, texts, notes = self.differs(wanted) | failed, [own.text for own in mistakes], []
        if failed.any():
            texts.append(f"it raises {type(self.found[int(failed.argmax())]).__name__}")
        for kind in ("undefined", "repeated", "tied") if equals else ():
            if (self.has_value & (self.kinds == kind)).any():
                fits = [
                    text
                    for of, text, more, how in _DIFFERENCES
                    if of == kind
                    and not self.differs(equals, (*mistakes, *more), kind, **how).any()
                ]
                notes += fits[:1]
                if kind == "repeated" and not fits:
                    texts.append("repeated items count again")
                    wrong |= self.differs(wanted, kind=kind)
        at = int(wrong.argmax())
        right = wanted.with_cutoff(self.problems[at].k) if wanted.metric.takes_k else wanted
        example = self.texts[at], self.found[at], str(right), float(_right(wanted, self.key)[at])
        return Audit(
            name,
            wanted,
            equals,
            tuple(conventions),
            tuple(texts),
            example if wrong.any() else None,
            tuple(notes),
        )


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
    notes : tuple of str
        Behaviour on which programs differ: undefined queries, repeated and tied items.
    """

    name: str
    measure: Measure
    equals: Measure | None
    conventions: tuple[str, ...]
    mistakes: tuple[str, ...]
    counterexample: tuple[str, float | Exception, str, float] | None
    notes: tuple[str, ...]

    @property
    def agrees(self) -> bool:
        """Whether all values are those of the measure."""
        return self.counterexample is None

    def __str__(self) -> str:
        lines = [f"{self.name} is {self.measure}"]
        if self.counterexample is not None:
            call, found, measure, right = self.counterexample
            other = [f"it is {self.equals}"] * (self.equals not in (None, self.measure))
            causes = [*other, *self.mistakes] or ["no known mistake explains it"]
            value = safe_repr(found) if isinstance(found, Exception) else f"{found:.6g}"
            lines = [f"{self.name} is not {self.measure}: {'; '.join(causes)}"]
            lines.append(f"{call} gives {value}; {measure} is {right:.6g}")
            if other and self.conventions:
                lines.append(f"{self.equals} is that of convention {format_list(self.conventions)}")
        return "\n  ".join([*lines, *self.notes])


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
    wanted, call = read_measure(measure), function
    metric, reason = wanted.metric, ""
    if metric.is_own or metric.of_judgements or metric.of_results or wanted.is_pooled:
        msg = f"measure must be one of rankings, with values per query; got {wanted}"
        raise InvalidParameterError(msg)
    if isinstance(function, str):
        try:
            call = resolve_name(function)
        except (ImportError, AttributeError) as error:
            reason = f": {error}"
    if not callable(call):
        got = f"{safe_repr(function)}{reason}"
        msg = f"function must be callable or 'module:function', got {got}"
        raise InvalidParameterError(msg)
    name, tried = _name(call), [_Calls(form, wanted.k) for form in _forms(call)]
    tried = [own for own in tried if own.is_of_use]
    if not tried:
        msg = (
            f"{name} gave no number for ground truths and rankings in any usual form; pass a "
            "function that calls it, as lambda truth, ranking, k: ..."
        )
        raise InvalidParameterError(msg)
    closest = min(tried, key=lambda own: own.differs(wanted).sum() / own.has_value.sum())
    for calls, *explained in _explanations(wanted, tried, closest):
        if not calls.differs(*explained[:2]).any():
            return cast("Audit", calls.audit(name, wanted, (*explained,)))
    return closest.audit(name, wanted, (None, (), ()))


def _explanations(wanted: Measure, tried: list[_Calls], closest: _Calls) -> Iterator[Any]:
    """Calls, definition, mistakes and conventions, simple explanations first."""
    definitions: dict[Measure, list[str]] = {wanted: []}
    for name, preset in CONVENTIONS.items():
        with suppress(UnknownMeasureError):
            own = preset.apply(Measure.open(wanted.metric, wanted.k))
            definitions.setdefault(own, []).append(name)
    for word in ("k", "retrieved", "relevant", "min"):
        with suppress(InvalidParameterError):
            definitions.setdefault(Measure.open(wanted.metric, wanted.k, denominator=word), [])
    name = wanted.metric.name
    known = [own for own in _MISTAKES if name in (own.metrics or name).split()]
    steps: Any = ((0, definitions, tried), (1, [wanted], tried))
    steps += ((1, definitions, tried), (2, [wanted], [closest]))
    for number, measures, forms in steps:
        for mistakes, own, calls in product(combinations(known, number), measures, forms):
            if own.k == wanted.k:
                yield calls, own, mistakes, definitions[own]

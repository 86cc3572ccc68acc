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
from itertools import chain, combinations, product
from numbers import Real
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

# Problems -----------------------------------------------------------------------------------------


class _Query(NamedTuple):
    truth: dict[str, int]
    ranking: tuple[str, ...]
    scores: tuple[float, ...] = ()
    """Where items are tied."""
    is_missing: bool = False
    """Whether the run lacks the query."""

    @property
    def relevant(self) -> list[str]:
        return [item for item, grade in self.truth.items() if grade]

    @property
    def kind(self) -> str:
        """What programs differ on."""
        if self.scores or len({*self.ranking}) < len(self.ranking):
            return "tied" if self.scores else "repeated"
        return "plain" if self.relevant else "undefined"


class _Problem(NamedTuple):
    queries: tuple[_Query, ...]
    k: int | None


def _problems(k: int | None, takes_k: bool) -> list[_Problem]:
    """Rankings of up to three items of all grades, longer ones, repeats, ties, several queries."""
    rng = random.Random(0)
    cutoffs = sorted({2, k}) if takes_k and k else [k]
    grades = chain.from_iterable(product((0, 1, 2), repeat=n) for n in range(4))
    cases: list[Any] = [*product(grades, ((), (1,), (2,), (1, 1)), cutoffs)]
    for cutoff in cutoffs * 40:
        length, others = rng.randint(0, (cutoff or 6) + 3), rng.randint(0, 3)
        ranked = rng.choices((0, 0, 0, 1, 2, 3), k=length)
        cases.append((ranked, rng.choices((1, 2, 3), k=others), cutoff))
    single = []
    for number, (ranked, others, cutoff) in enumerate(cases):
        # Every fourth irrelevant item was judged so.
        judged = enumerate((*ranked, *others), 1)
        truth = {f"d{n}": grade for n, grade in judged if grade or (n + number) % 4 == 0}
        items = tuple(f"d{n}" for n in range(1, len(ranked) + 1))
        single.append(_Problem((_Query(truth, items),), cutoff))
    pool = [problem.queries[0] for problem in single]
    pool += [_Query(own.truth, (), is_missing=True) for own in pool[::9]]
    several = [
        _Problem(tuple(rng.sample(pool, size)), cutoff)
        for size, cutoff in [*product((2, 3), cutoffs)] * 25
    ]
    truths: list[dict[str, int]] = [{"a": 1}, {"a": 2, "b": 1}]
    odd = [_Query(own, (*text,)) for own in truths for text in ("aa", "aba", "baa", "aabb", "bab")]
    ties = product("abc", ((1.0, 1.0, 1.0), (1.0, 1.0, 0.5), (1.0, 0.5, 0.5)))
    odd += [_Query({item: 1}, ("a", "b", "c"), scores) for item, scores in ties]
    every = single + several + [_Problem((own,), k) for own in odd]
    return sorted(every, key=lambda own: (len(own.queries), len(str(own))))


# Known mistakes -----------------------------------------------------------------------------------

_Case = tuple[_Query, int | None]
"""A query and the cutoff."""


class _Mistake(NamedTuple):
    text: str
    metrics: str = ""
    """Names of the metrics in which it is made; empty for all."""
    change: Callable[[_Query, int | None], _Query] = lambda query, _: query
    cutoff: Callable[[int], int | None] = lambda k: k
    discount: Callable[[FloatArray], FloatArray] | None = None
    ideal: Callable[[_Query, int | None], _Case] | None = None
    """The case whose ideal DCG is taken."""
    weight: Callable[[_Query, float], float] = lambda *_: 1.0
    """Weight of a query with its value in the mean."""


def _retrieved(query: _Query, k: int | None) -> _Query:
    """Without judgements of items that are not among the first k."""
    top = query.ranking[:k]
    return query._replace(truth={i: grade for i, grade in query.truth.items() if i in top})


def _last(query: _Query, k: int | None) -> _Query:
    early = [item for item in query.ranking[:k] if query.truth.get(item)][:-1]
    return query._replace(truth={i: g for i, g in query.truth.items() if i not in early})


def _all_best(query: _Query, k: int | None) -> _Case:
    items = map(str, range(len(query.ranking) if k is None else k))
    return query._replace(truth=dict.fromkeys(items, max(query.truth.values(), default=0))), k


def _zeros(query: _Query, _: int | None) -> _Query:
    return query._replace(truth={item: grade or 1 for item, grade in query.truth.items()})


def _once(query: _Query, _: int | None) -> _Query:
    """An item that comes again is irrelevant, and keeps its place."""
    items = enumerate(query.ranking)
    once = (f"again {n}" if item in query.ranking[:n] else item for n, item in items)
    return query._replace(ranking=tuple(once))


def _raised(query: _Query, _: int | None) -> _Query:
    return _Query(query.truth, ("", *query.ranking))


def _reversed(query: _Query, _: int | None) -> _Query:
    return query._replace(ranking=query.ranking[::-1])


def _with_results(query: _Query, _: int | None) -> _Query:
    return query if query.ranking else query._replace(truth={})


_DCG, _SETS, _IDEAL = "dcg ndcg", "recall fbeta map mar rprec all_hit_rate set_map", "ndcg nerr"
_MISTAKES = (
    _Mistake(
        "the ideal DCG is taken from the retrieved list", _IDEAL, lambda q, _: _retrieved(q, None)
    ),
    _Mistake("the ideal DCG is taken from the first k retrieved items", _IDEAL, _retrieved),
    _Mistake(
        "relevant items that were not retrieved are left out",
        _SETS,
        lambda query, _: _retrieved(query, None),
    ),
    _Mistake("ranks 1 and 2 weigh alike", _DCG, discount=lambda r: np.log2(np.maximum(r, 2.0))),
    _Mistake("the discount is log2(rank + 2)", _DCG, discount=lambda rank: np.log2(rank + 2.0)),
    _Mistake("the discount is the rank, without logarithm", _DCG, discount=lambda rank: rank),
    _Mistake("the logarithm is the natural one", "dcg", discount=lambda rank: np.log(rank + 1.0)),
    _Mistake("the ideal DCG has no cutoff", "ndcg", ideal=lambda query, _: (query, None)),
    _Mistake("the ideal DCG is that of k items of the highest grade", "ndcg", ideal=_all_best),
    _Mistake("the last relevant item counts, not the first", "mrr", _last),
    _Mistake("ranks begin at 2", "mrr map dcg", _raised, lambda k: k + 1),
    _Mistake("the cutoff is ignored", cutoff=lambda _: None),
    _Mistake("the cutoff is a rank too deep", cutoff=lambda k: k + 1),
    _Mistake("the cutoff is a rank too early", cutoff=lambda k: max(k - 1, 1)),
    _Mistake("items of grade 0 count as relevant", "", _zeros),
    _Mistake("the ranking is read from its end", "", _reversed),
    _Mistake("the mean is over passed queries only", weight=lambda _, value: value > 0),
    _Mistake("the mean is over queries of the run only", weight=lambda q, _: not q.is_missing),
    _Mistake("the mean is over queries with results only", "", _with_results),
    _Mistake("queries are weighted by their relevant items", weight=lambda q, _: len(q.relevant)),
)


class _Reference:
    """Values of problems by a measure, with or without mistakes."""

    def __init__(self, problems: Sequence[_Problem]) -> None:
        self.problems = problems
        self._known: dict[Any, FloatArray] = {}

    def __call__(
        self,
        measure: Measure,
        mistakes: Sequence[_Mistake] = (),
        ties: Any = "average",
        undefined: float = math.nan,
    ) -> FloatArray:
        """(P,) NaN where nothing is relevant."""
        key = (measure, *(own.text for own in mistakes), ties, repr(undefined))
        if key in self._known:
            return self._known[key]
        options = dict(measure.parameters)
        for discount in (own.discount for own in mistakes if own.discount):
            options["discount"] = discount
        own_queries = [query for problem in self.problems for query in problem.queries]
        cases = [(query, problem.k) for problem in self.problems for query in problem.queries]
        for own in mistakes:
            cases = [(own.change(query, k), own.cutoff(k) if k else k) for query, k in cases]
        ideal = next((own.ideal for own in mistakes if own.ideal), None)
        if ideal:
            best = [ideal(*case) if case[0].relevant else case for case in cases]
            values = _values("dcg", options, cases, ties) / _values("idcg", options, best, ties)
        else:
            values = _values(measure.metric.name, options, cases, ties)
        values = np.where(np.isnan(values), undefined, values)
        weights = ~np.isnan(values) * 1.0
        for own in mistakes:
            weights *= [own.weight(*pair) for pair in zip(own_queries, values, strict=True)]
        starts = np.cumsum([0, *(len(problem.queries) for problem in self.problems)])[:-1]
        with np.errstate(all="ignore"):
            total = np.add.reduceat(np.nan_to_num(values) * weights, starts)
            return self._known.setdefault(key, total / np.add.reduceat(weights, starts))


def _values(name: str, options: Any, cases: Sequence[_Case], ties: Any) -> FloatArray:
    """(Q,) values of cases; NaN where nothing is relevant."""
    found = np.full(len(cases), np.inf)
    for k in {k for _, k in cases}:
        own = {number: query for number, (query, cutoff) in enumerate(cases) if cutoff == k}
        truth = {number: query.truth for number, query in own.items()}
        runs = {n: _scores(query) if query.scores else [*query.ranking] for n, query in own.items()}
        with warnings.catch_warnings(), suppress(InvalidParameterError):  # a cutoff is needed
            warnings.simplefilter("ignore")
            measure = read_measure(name, k, **options)
            result = evaluate(
                truth, runs, measure, ties=ties, zero_division=math.nan, duplicates="first"
            )
            found[list(own)] = result.per_query[str(measure)]
    return found


# Forms of arguments -------------------------------------------------------------------------------

_CUTOFF = re.compile(r"k|cut_?off|top_?[kn]|at(_?k)?|n|limit", re.IGNORECASE)
"""Names of a parameter that is a cutoff."""
_GRADED = re.compile(r"qrel|grade|judg|gain|rel\w*_(map|dict)", re.IGNORECASE)
"""Names of a parameter that holds {item: grade}."""


def _relevances(query: _Query) -> list[int]:
    return [query.truth.get(item, 0) for item in query.ranking]


def _scores(query: _Query) -> dict[str, float]:
    falling = [1.0 - place / 64 for place in range(len(query.ranking))]
    return dict(zip(query.ranking, query.scores or falling, strict=True))


_ROLES: Mapping[str, Callable[[_Query], Any]] = {
    "relevances": _relevances,
    "array": lambda query: np.array(_relevances(query)),
    "ideal": lambda query: sorted((query.truth[item] for item in query.relevant), reverse=True),
    "number": lambda query: len(query.relevant),
    "grades": lambda query: dict(query.truth),
    "set": lambda query: {*query.relevant},
    "list": lambda query: query.relevant,
    "ranking": lambda query: list(query.ranking),
    "scores": _scores,
    "y_true": lambda query: np.array(_relevances(query)),
    "y_score": lambda query: np.array([*_scores(query).values()]),
}
_PAIRS = (*product(("grades", "set", "list"), ("ranking", "scores")), ("y_true", "y_score"))
_ARGUMENTS: tuple[tuple[str, ...], ...] = (
    *(("relevances",), ("array",), *product(("relevances", "array"), ("ideal", "number"))),
    *(*_PAIRS, *(pair[::-1] for pair in _PAIRS)),
)
"""Arguments besides the cutoff, those that say more first."""


class _Form(NamedTuple):
    """One way to call a function."""

    function: Callable[..., Any]
    roles: tuple[str, ...]
    shape: str
    """"one" query, or a "dict" or "list" of them."""
    cutoff: str | None
    """Name of the cutoff; empty: the last positional argument; None: there is none."""

    def takes(self, problem: _Problem) -> bool:
        """Whether these arguments say all that the problem consists of."""
        roles = " ".join(self.roles)
        return (self.shape == "one") == (len(problem.queries) == 1) and all(
            (self.shape == "dict" or not own.is_missing)
            and ("ranking" in roles or own.kind != "repeated")
            and ("score" in roles or own.kind != "tied")
            # Candidates are all there is, and scikit-learn's functions want two.
            and ("_score" not in roles or (len(own.ranking) > 1 and {*own.truth} <= {*own.ranking}))
            for own in problem.queries
        )

    def arguments(self, problem: _Problem) -> tuple[list[Any], dict[str, int]]:
        """Positional and keyword arguments."""
        values: list[Any] = []
        for role in self.roles:
            made = {
                f"q{number}": _ROLES[role](own)
                for number, own in enumerate(problem.queries, 1)
                if not (own.is_missing and role in ("ranking", "scores"))
            }
            shapes = {"one": made.get("q1"), "dict": made, "list": [*made.values()]}
            values.append(shapes[self.shape])
        k = 100 if problem.k is None else problem.k
        return [*values, *[k] * (self.cutoff == "")], {self.cutoff: k} if self.cutoff else {}

    def call(self, problem: _Problem) -> float | Exception:
        """The value, or the error."""
        values, named = self.arguments(problem)
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                return _number(self.function(*values, **named), len(problem.queries))
        except Exception as error:
            return error

    def shown(self, problem: _Problem) -> str:
        """The call as it would be typed."""
        values, named = self.arguments(problem)
        words = [*map(safe_repr, values), *(f"{name}={value}" for name, value in named.items())]
        return f"{_name(self.function)}({', '.join(words)})"


def _name(function: Callable[..., Any]) -> str:
    return safe_text(getattr(function, "__name__", type(function).__name__))


def _number(result: Any, n_queries: int) -> float:
    """A number, None as NaN, or the mean of numbers by query."""
    result = result.tolist() if hasattr(result, "tolist") else result
    result = list(result.values()) if isinstance(result, Mapping) else result
    if isinstance(result, (list, tuple)) and len(result) in (1, n_queries):
        return float(np.nanmean([_number(own, 0) for own in result]))
    if result is not None and not isinstance(result, Real):
        msg = f"{safe_repr(result)} is no number"
        raise TypeError(msg)
    return math.nan if result is None else float(result)


def _forms(function: Callable[..., Any]) -> list[_Form]:
    """Ways to call a function with its signature."""
    parameters = inspect.signature(function).parameters.values()
    cutoff = next((own.name for own in parameters if _CUTOFF.fullmatch(own.name)), None)
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    needed = [own for own in parameters if own.kind in kinds and own.default is own.empty]
    needed = [own for own in needed if own.name != cutoff]
    if cutoff is None and len(needed) == 3:
        needed, cutoff = needed[:2], ""
    graded = [_GRADED.search(own.name) or "dict" in str(own.annotation).lower() for own in needed]
    return [
        _Form(function, roles, shape, cutoff)
        for roles in _ARGUMENTS
        if len(roles) == len(needed)
        and not any(g and role in ("set", "list") for g, role in zip(graded, roles, strict=True))
        for shape in ("one", "dict", "list")
    ]


# The audit ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Audit:
    """Outcome of :func:`audit`; as text, a summary.

    Attributes
    ----------
    name : str
        Name of the function.
    measure : Measure
        The measure that it was compared with.
    equals : Measure or None
        The definition of the measure that it follows, but for ``mistakes``.
    conventions : tuple of str
        Programs with this definition.
    mistakes : tuple of str
        Known mistakes that explain the difference.
    counterexample : tuple of (str, float or Exception, str, float) or None
        The smallest call that differs, its value, the right measure and its value.
    notes : tuple of str
        Behaviour on which programs differ.
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
            causes = [*self.mistakes]
            if self.equals not in (None, self.measure):
                causes.insert(0, f"it is {self.equals}")
            causes = causes or ["no known mistake explains it"]
            value = safe_repr(found) if isinstance(found, Exception) else f"{found:.6g}"
            lines = [f"{self.name} is not {self.measure}: {'; '.join(causes)}"]
            lines.append(f"{call} gives {value}; {measure} is {right:.6g}")
        if self.conventions and self.equals != self.measure:
            lines.append(f"{self.equals} is that of convention {format_list(self.conventions)}")
        return "\n  ".join([*lines, *self.notes])


def audit(function: str | Callable[..., Any], measure: str | Measure) -> Audit:
    """Compare a home-made metric with the measure that it is named after.

    Parameters
    ----------
    function : callable or str
        Function, or ``"module:function"``, of the usual arguments: relevances in ranked order
        (perhaps with those of all relevant items, or their number), ground truth and ranking of a
        query, dicts or lists of these, or grades and scores of candidates; and perhaps a cutoff.
        For another signature pass ``lambda truth, ranking, k: ...``.
    measure : str or Measure
        What it should compute, in any spelling that :func:`sklearn_rank.measure` reads.

    Returns
    -------
    audit : Audit
        Whether it does, the smallest call that shows the difference, and the mistake. Values equal
        but for rounding are equal. What programs differ on is no mistake: queries without a
        relevant item, ties, and which place of a repeated id counts.

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
    wanted, call = read_measure(measure), cast("Any", function)
    if wanted.metric.is_own or wanted.is_pooled or wanted.metric.of_judgements:
        msg = f"measure must be one of rankings, with values per query; got {wanted}"
        raise InvalidParameterError(msg)
    if isinstance(function, str):
        try:
            call = resolve_name(function)
        except (ImportError, AttributeError) as error:
            call = error
    if not callable(call):
        reason = f": {call}" if isinstance(call, Exception) else ""
        got = f"{safe_repr(function)}{reason}"
        msg = f"function must be callable or 'module:function', got {got}"
        raise InvalidParameterError(msg)
    forms = _forms(call)
    problems = _problems(wanted.k, any(form.cutoff is not None for form in forms))
    flat = [own._replace(queries=tuple(map(_flat, own.queries))) for own in problems]
    references = _Reference(problems), _Reference(flat)
    calls = []
    for form in forms:
        reference = references[bool({"set", "list"} & {*form.roles})]
        few = [form.call(own) for own in reference.problems[::20] if form.takes(own)]
        if sum(isinstance(own, float) for own in few) > len(few) / 2:
            calls.append(_Calls(form, reference))
    if not calls:
        msg = (
            f"{_name(call)} gave no number for ground truths and rankings in any usual form; "
            "pass a function that calls it, as lambda truth, ranking, k: ..."
        )
        raise InvalidParameterError(msg)
    definitions = _definitions(wanted)
    name = wanted.metric.name
    known = [own for own in _MISTAKES if name in (own.metrics or name).split()]
    closest = min(calls, key=lambda own: own.differs(wanted).sum() / own.has_value.sum())
    # The simplest explanation comes first.
    for number, measures, tried in (
        (0, definitions, calls),
        (1, [wanted], calls),
        (1, definitions, calls),
        (2, [wanted], [closest]),
    ):
        for mistakes, definition, own in product(combinations(known, number), measures, tried):
            if not own.differs(definition, mistakes).any():
                return own.audit(wanted, definition, mistakes, definitions[definition])
    return closest.audit(wanted, None, (), [])


def _flat(query: _Query) -> _Query:
    return query._replace(truth=dict.fromkeys(query.relevant, 1))


def _definitions(wanted: Measure) -> dict[Measure, list[str]]:
    """The measure, and all that programs mean by its name, with the programs."""
    definitions: dict[Measure, list[str]] = {wanted: []}
    for name, preset in CONVENTIONS.items():
        with suppress(UnknownMeasureError):
            own = preset.apply(Measure.open(wanted.metric, wanted.k))
            definitions.setdefault(own, []).append(name)
    for word in ("k", "retrieved", "relevant", "min"):
        with suppress(InvalidParameterError, KeyError):
            definitions.setdefault(Measure.open(wanted.metric, wanted.k, denominator=word), [])
    return {own: names for own, names in definitions.items() if own.k == wanted.k}


class _Calls:
    """Values of a function that was called in one form."""

    def __init__(self, form: _Form, reference: _Reference) -> None:
        self.form, self.reference = form, reference
        self.problems = reference.problems
        self.found = [form.call(own) if form.takes(own) else None for own in self.problems]
        self.has_value = np.array([isinstance(own, float) for own in self.found])
        self.raised = np.array([isinstance(own, Exception) for own in self.found])
        self.values = np.array([own if isinstance(own, float) else math.nan for own in self.found])
        kinds = [{query.kind for query in own.queries} for own in self.problems]
        self.kinds = np.array(["plain" if own == {"plain"} else max(own) for own in kinds])
        shown = self.values[~np.isnan(self.values)]
        digits = [own for own in (3, 4, 5, 6) if (shown == shown.round(own)).all()]
        self.tolerance = 0.51 * 10.0 ** -digits[0] if digits else 1e-9

    def differs(
        self, measure: Measure, mistakes: Sequence[_Mistake] = (), kind: str = "plain", **how: Any
    ) -> BoolArray:
        """Problems of a kind whose value is not that of the measure with these mistakes."""
        right = self.reference(measure, mistakes, **how)
        is_zero = np.isnan(self.values) | (self.values == 0)  # as 0 / 0 is taken for
        same = (np.abs(self.values - right) <= self.tolerance) | (np.isnan(right) & is_zero)
        differs: BoolArray = self.has_value & (self.kinds == kind) & ~same
        return differs

    def audit(
        self,
        wanted: Measure,
        equals: Measure | None,
        mistakes: Sequence[_Mistake],
        conventions: Sequence[str],
    ) -> Audit:
        """What explains the values."""
        failed = self.raised & (self.kinds == "plain")
        wrong, texts, notes = self.differs(wanted) | failed, [own.text for own in mistakes], []
        if failed.any():
            texts.append(f"it raises {type(self.found[int(failed.argmax())]).__name__}")
        for kind, ways, mistake in _DIFFERENCES:
            if equals is None or not (self.has_value & (self.kinds == kind)).any():
                continue
            for text, more, how in ways:
                if not self.differs(equals, (*mistakes, *more), kind, **how).any():
                    notes.append(text)
                    break
            else:
                texts += [mistake] * bool(mistake)
                wrong |= self.differs(wanted, kind=kind) & bool(mistake)
        at = int(wrong.argmax())
        problem = self.problems[at]
        right = wanted.with_cutoff(problem.k) if wanted.metric.takes_k else wanted
        value = float(self.reference(wanted)[at])
        example = (self.form.shown(problem), self.found[at], str(right), value)
        return Audit(
            _name(self.form.function),
            wanted,
            equals,
            tuple(conventions),
            tuple(texts),
            example if wrong.any() else None,  # type: ignore[arg-type]
            tuple(notes),
        )


_DIFFERENCES: Any = (
    (
        "undefined",
        [
            (f"queries without a relevant item {text}", (), {"undefined": value})
            for text, value in (("count 0", 0.0), ("count 1", 1.0), ("are left out", math.nan))
        ],
        "queries without a relevant item count neither 0 nor 1",
    ),
    (
        "repeated",
        [
            ("repeated items count once, those below them move up", (), {}),
            (
                "repeated items count once, in their places",
                (_Mistake("", change=_once),),
                {},
            ),
        ],
        "repeated items count again",
    ),
    (
        "tied",
        [
            (f"tied items are read as ties={ties!r} reads them", (), {"ties": ties})
            for ties in ("average", "stable", "docid", "optimistic", "pessimistic")
        ],
        "",
    ),
)
"""Kinds of queries on which programs differ, what they do, and what else is a mistake."""

"""Limits of a gate, checked when it is defined: of the right kind, direction and size.

A limit that every value meets would let everything pass, and one that none meets was meant
otherwise: both are refused before anything is measured.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from numbers import Real
from typing import Any, TypedDict

from pytest_rankmetrics.policy.settings import (
    Correction,
    PassIf,
    SettingError,
    Settings,
    Test,
    UnjudgedPolicy,
)
from pytest_rankmetrics.policy.verdicts import SLACK, Rule
from sklearn_rank.exceptions import InvalidParameterError
from sklearn_rank.measures.grammar import measure as read_measure
from sklearn_rank.measures.grammar import parse_measures
from sklearn_rank.measures.record import Measure
from sklearn_rank.support.text import safe_repr

DEFAULT_METRICS = ("map", "ndcg@10")

_BLIND = ("idcg",)
"""Metrics that are the same for every ranking."""

Limits = Mapping[str, float]
"""A number for each measure, by canonical spelling."""


class Overrides(TypedDict, total=False):
    """Settings that a gate may override."""

    confirm: bool | None
    alpha: float | None
    slice_alpha: float | None
    test: Test | None
    pass_if: PassIf | None
    """"unless_worse", or "proven": the drop is shown to be at most ``max_drop``."""
    correction: Correction | None
    min_queries: int | None
    min_slice_size: int | None
    unjudged: UnjudgedPolicy | None
    """Unjudged items: "irrelevant", left out ("condense"), or of any grade ("bounds")."""
    max_new_unjudged: float | None


class GateLimits(Overrides, total=False):
    """Limits of a gate."""

    at_least: Any
    """{measure: number}, over all queries."""
    at_most: Any
    max_drop: Any
    """Allowed drop: {measure: number}, or one number."""
    hard_drop: Any
    """Drop that is never excused: {measure: number}, or one number."""
    metrics: Any
    """Further measures, or one."""
    slices: Any
    """{query: label or labels}, {label: queries} or a function of the query id."""
    max_slice_drop: Any
    """Allowed drop of slices: one number, or {label: number}."""
    slice_hard_drop: float | None
    slice_at_least: Any
    """{label: {measure: number}}."""
    slice_at_most: Any
    per_query_at_least: Any
    """{measure: number} for every single query, or the required ones."""
    per_query_at_most: Any
    max_regressed_queries: int | None
    required_queries: Collection[Any] | None
    forbidden_queries: Collection[Any] | None


@dataclass(frozen=True)
class SlicePolicy:
    """Limits of slices."""

    slices: Any = None
    max_drop: float | Mapping[Any, float] | None = None
    hard_drop: float = math.inf
    at_least: Mapping[str, Limits] = field(default_factory=dict)
    at_most: Mapping[str, Limits] = field(default_factory=dict)

    def allowed(self, label: str) -> float | None:
        """Allowed drop of a slice; None where it has none."""
        if isinstance(self.max_drop, Mapping):
            return self.max_drop.get(label)
        return self.max_drop


@dataclass(frozen=True)
class Policy:
    """All limits of one gate."""

    measures: tuple[Measure, ...]
    at_least: Limits
    at_most: Limits
    max_drop: Limits
    hard_drop: Limits
    slices: SlicePolicy
    settings: Settings
    per_query_at_least: Limits = field(default_factory=dict)
    per_query_at_most: Limits = field(default_factory=dict)
    max_regressed_queries: int | None = None
    required: tuple[Any, ...] | None = None
    forbidden: tuple[Any, ...] = ()

    @property
    def limited(self) -> list[str]:
        """Measures that have a limit."""
        limits: list[Limits] = [self.at_least, self.at_most, self.max_drop]
        limits += [self.per_query_at_least, self.per_query_at_most]
        limits += [*self.slices.at_least.values(), *self.slices.at_most.values()]
        return list(dict.fromkeys(name for own in limits for name in own))

    @property
    def compares(self) -> bool:
        """Whether anything is compared with a baseline or a reference."""
        return bool(self.max_drop)

    def rule(self, name: str) -> Rule:
        """Limits of the fall of a measure over all queries."""
        settings = self.settings
        return Rule(
            max_drop=self.max_drop[name],
            hard_drop=self.hard_drop[name],
            min_queries=settings.min_queries,
            alpha=settings.alpha,
            confirm=settings.confirm,
            proven=settings.pass_if == "proven",
        )

    def slice_rule(self, label: str) -> Rule:
        """Limits of the fall of every measure over a slice."""
        return Rule(
            max_drop=self.slices.allowed(label) or 0.0,
            hard_drop=self.slices.hard_drop,
            min_queries=0,
            alpha=self.settings.slice_alpha,
            confirm=self.settings.confirm,
        )


def read_policy(settings: Settings, limits: GateLimits) -> Policy:
    """A checked policy; InvalidParameterError if it limits nothing, or asks for the impossible."""
    given = limits.get
    measures, metrics = _Measures(), limits.get("metrics", ())
    for spec in (metrics,) if isinstance(metrics, (str, Measure)) else metrics:
        measures.add(spec)

    def numbers(name: str) -> Limits:
        return measures.limits(given(name), name, _check_threshold)

    def of_slices(name: str) -> Mapping[str, Limits]:
        labels = _mapping(given(name), name, "{label: {measure: number}}", "slice")
        return {str(own): measures.limits(labels[own], name, _check_threshold) for own in labels}

    least, most = numbers("at_least"), numbers("at_most")
    drops = _read_drops(given("max_drop"), measures)
    named = ((name, given(name)) for name in Overrides.__annotations__)
    own: dict[str, Any] = {name: value for name, value in named if value is not None}
    try:
        settings = replace(settings, **own) if own else settings
    except SettingError as error:
        raise InvalidParameterError(str(error)) from None
    compared = [measures.by_name[name] for name in drops]
    slice_drop, slice_hard = given("max_slice_drop"), given("slice_hard_drop")
    slices = SlicePolicy(
        slices=given("slices"),
        max_drop=_read_slice_drop(slice_drop, compared),
        hard_drop=_check_hard_drop(slice_hard or 0, compared, "slice_hard_drop"),
        at_least=of_slices("slice_at_least"),
        at_most=of_slices("slice_at_most"),
    )
    policy = Policy(
        measures=(),
        at_least=least,
        at_most=most,
        max_drop=drops,
        hard_drop=_read_hard_drops(given("hard_drop"), measures, drops, settings.hard_drop),
        slices=slices,
        settings=settings,
        per_query_at_least=numbers("per_query_at_least"),
        per_query_at_most=numbers("per_query_at_most"),
        max_regressed_queries=check_count(given("max_regressed_queries"), "max_regressed_queries"),
        required=_check_queries(given("required_queries"), "required_queries"),
        forbidden=_check_queries(given("forbidden_queries"), "forbidden_queries") or (),
    )
    _need(
        settings.pass_if != "proven" or settings.unjudged != "bounds" or not drops,
        "pass_if='proven' has no interval of the drop where unjudged='bounds'; pass "
        "pass_if='unless_worse', or unjudged='irrelevant' or 'condense'",
    )
    sliced = slice_drop is not None or slices.at_least or slices.at_most
    needs_drop = slice_drop is not None or policy.max_regressed_queries is not None
    _need(
        slice_hard is None or slice_drop is not None,
        "slice_hard_drop needs max_slice_drop=: without it no slice is judged",
    )
    _need(not sliced or slices.slices is not None, "limits of slices need slices=")
    rule = "max_slice_drop and max_regressed_queries need max_drop="
    _need(policy.compares or not needs_drop, rule)
    rule = "the gate has no limit: pass at_least, at_most, max_drop or a limit of slices"
    _need(bool(policy.limited or sliced), rule)
    return replace(policy, measures=tuple(measures.by_name.values()))


def check_drops_named(policy: Policy, measures: Any) -> None:
    """InvalidParameterError unless drops and measures are the same set."""
    named = {str(measure) for measure in parse_measures(measures)}
    for name in (*policy.max_drop, *named):
        missing = "measures" if name not in named else "max_drop"
        rule = "max_drop and measures name different measures"
        _need(name in named and name in policy.max_drop, f"{rule}: {name} is not in {missing}")


# Measures and their numbers ----------------------------------------------------------------------

Check = Callable[[Any, Measure, str], float]


class _Measures:
    """The measures that a gate names, each once and in order."""

    def __init__(self) -> None:
        self.by_name: dict[str, Measure] = {}

    def add(self, spec: str | Measure) -> Measure:
        """The measure of a spelling."""
        measure = read_measure(spec)
        return self.by_name.setdefault(str(measure), measure)

    def limits(self, given: Any, name: str, check: Check) -> dict[str, float]:
        """{measure: number} with canonical names and checked numbers."""
        result: dict[str, float] = {}
        for spec, value in _mapping(given, name, "{measure: number}", "measure").items():
            measure = self.add(spec)
            _need(
                measure.metric.name not in _BLIND,
                f"{name} of {measure} limits nothing: it reads the judgements and no ranking; "
                "name it in metrics= to show it",
            )
            _need(str(measure) not in result, f"{name} names {measure} twice")
            result[str(measure)] = check(value, measure, name)
        return result


def _mapping(given: Any, name: str, shape: str, of: str) -> Mapping[Any, Any]:
    if given is None:
        return {}
    _need(isinstance(given, Mapping), f"{name} must be {shape}, got {safe_repr(given)}")
    _need(bool(given), f"{name} is empty; leave it out, or name at least one {of}")
    return given  # type: ignore[no-any-return]


def _read_drops(given: Any, measures: _Measures) -> Limits:
    """Allowed drops: {measure: number}, or one number for all measures that are named."""

    def check(value: Any, measure: Measure, name: str) -> float:
        number, upper = _number(value, f"{name} of {measure}"), measure.metric.upper
        hint = "it says how much worse is allowed"
        if number >= upper:
            hint = "it is in units of the measure, 0.05 for 5 points of a hundred"
        rule = f"{name} of {measure} must be in [0, {upper:g}), got {number!r}; {hint}"
        _need(0 <= number < upper, rule)
        return number

    if given is None or isinstance(given, Mapping):
        return measures.limits(given, "max_drop", check)
    named = [measures.add(name) for name in (tuple(measures.by_name) or DEFAULT_METRICS)]
    seeing = [measure for measure in named if measure.metric.name not in _BLIND]
    return {str(measure): check(given, measure, "max_drop") for measure in seeing}


def _read_hard_drops(given: Any, measures: _Measures, drops: Limits, default: float) -> Limits:
    """Drops that are never excused, for each measure that has an allowed drop."""
    compared = [measures.by_name[name] for name in drops]
    _need(given is None or bool(drops), "hard_drop needs max_drop=: without it nothing is compared")
    own: dict[str, float] = {}
    if isinstance(given, Mapping):
        own = measures.limits(
            given,
            "hard_drop",
            lambda value, measure, name: _check_hard_drop(value, [measure], name),
        )
        for name in own:
            _need(name in drops, f"hard_drop names {name}, which has no max_drop")
    elif given is not None:
        own = dict.fromkeys(drops, _check_hard_drop(given, compared, "hard_drop"))
    defaults = {str(own): default if own.metric.upper == 1 else 0 for own in compared}
    return {name: own.get(name, defaults[name] or math.inf) for name in drops}


def _read_slice_drop(given: Any, compared: Iterable[Measure]) -> float | dict[str, float] | None:
    """Allowed drop of slices: one number, or one for each label."""
    upper = min((measure.metric.upper for measure in compared), default=math.inf)

    def check(value: Any) -> float:
        number = _number(value, "max_slice_drop")
        rule = f"max_slice_drop must be in [0, {upper:g}), in units of the measure"
        _need(0 <= number < upper, f"{rule}; got {number!r}")
        return number

    if isinstance(given, Mapping):
        drops = _mapping(given, "max_slice_drop", "", "slice")
        return {str(label): check(value) for label, value in drops.items()}
    return None if given is None else check(given)


def _check_threshold(value: Any, measure: Measure, name: str) -> float:
    """A threshold: from below where greater is better, and from above where less is."""
    number, upper = _number(value, f"{name} of {measure}"), measure.metric.upper
    greater, from_below = measure.metric.greater_is_better, name.endswith("at_least")
    right, wrong = ("at_least", "at_most") if greater else ("at_most", "at_least")
    better = "greater" if greater else "less"
    rule = f"{better} is better for {measure}: limit it by {right}, not by {wrong}"
    _need(from_below is greater, rule)
    if not from_below:
        rule = f"{name} of {measure} must be at least 0, which is its least value"
        _need(number >= 0, f"{rule}; got {number!r}")
        return number
    _need(
        number > SLACK,
        f"{name} of {measure} must be above 0 by more than the tolerance of {SLACK:g}, or every "
        f"value meets it; got {number!r}",
    )
    hint = f"; for {number:g} % write {number / 100:g}" if 2 <= number <= 100 else ""
    rule = f"{name} of {measure} must be at most {upper:g}, its greatest value"
    _need(number <= upper, f"{rule}; got {number!r}{hint}")
    return number


def _check_hard_drop(value: Any, measures: Iterable[Measure], name: str) -> float:
    """A drop that is never excused; 0 means that there is none, as in the settings."""
    if isinstance(value, float) and value == math.inf:
        return math.inf
    number = _number(value, name)
    upper = max((measure.metric.upper for measure in measures), default=math.inf)
    _need(number >= 0, f"{name} must be at least 0, got {number!r}")
    rule = f"{name} must be below {upper:g}, or no drop exceeds it"
    _need(number < upper, f"{rule}; got {number!r} (0 switches it off)")
    return number or math.inf


def check_count(value: Any, name: str) -> int | None:
    """A whole number of at least 0, or None."""
    if value is None:
        return None
    whole = not isinstance(value, bool) and hasattr(value, "__index__") and value.__index__() >= 0
    _need(whole, f"{name} must be an int of at least 0, got {safe_repr(value)}")
    return int(value.__index__())


def _check_queries(value: Any, name: str) -> tuple[Any, ...] | None:
    """Some query ids; an empty collection would ask for nothing."""
    if value is None:
        return None
    several = isinstance(value, Iterable) and not isinstance(value, (str, bytes))
    _need(several, f"{name} must be a collection of query ids, got {safe_repr(value)}")
    queries = tuple(value)
    _need(bool(queries), f"{name} is empty; leave it out or name at least one query")
    return queries


def _number(value: Any, name: str) -> float:
    """A finite float from any real number; bool and text are refused."""
    if hasattr(value, "dtype") and getattr(value, "ndim", 0) == 0 and hasattr(value, "item"):
        value = value.item()
    real = isinstance(value, Real) and not isinstance(value, bool)
    _need(real, f"{name} must be a number, got {type(value).__name__}: {safe_repr(value)}")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    _need(math.isfinite(number), f"{name} must be finite, got {number!r}")
    return number


def _need(holds: bool, rule: str) -> None:
    """InvalidParameterError unless something holds."""
    if not holds:
        raise InvalidParameterError(rule)

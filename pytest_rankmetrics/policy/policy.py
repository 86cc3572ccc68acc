"""Limits of a gate, checked when it is defined: of the right kind, direction and size.

A limit that every value meets would let everything pass, and one that none meets was meant
otherwise: both are refused before anything is measured.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
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
from sklearn_rank.measures.own import given_measures
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

    def rule(self, name: str) -> Rule:
        """Limits of the fall of a measure over all queries."""
        own, proven = self.settings, self.settings.pass_if == "proven"
        drops = self.max_drop[name], self.hard_drop[name]
        return Rule(*drops, own.min_queries, own.alpha, own.confirm, proven)

    def slice_rule(self, label: str) -> Rule:
        """Limits of the fall of every measure over a slice."""
        own, drops = self.settings, (self.slices.allowed(label) or 0.0, self.slices.hard_drop)
        return Rule(*drops, min_queries=0, alpha=own.slice_alpha, confirm=own.confirm)


def read_policy(settings: Settings, limits: GateLimits, values: Any = None) -> Policy:
    """A checked policy; InvalidParameterError if it limits nothing, or asks for the impossible.

    ``values`` are those of the data: their names stand for measures in all limits.
    """
    given, elsewhere = limits.get, given_measures(values)
    measures, metrics = _Measures(elsewhere), limits.get("metrics", ())
    for spec in (metrics,) if isinstance(metrics, (str, Measure)) else metrics:
        measures.add(spec)

    def of_slices(name: str) -> Mapping[str, Limits]:
        labels = _mapping(given(name), name, "{label: {measure: number}}", "slice")
        return {str(label): measures.limits(labels[label], name) for label in labels}

    least, most = (measures.limits(given(name), name) for name in ("at_least", "at_most"))
    default = tuple(measures.by_name) or DEFAULT_METRICS
    drops = measures.limits(given("max_drop"), "max_drop", default)
    overrides = {name: given(name) for name in Overrides.__annotations__}
    own: dict[str, Any] = {name: value for name, value in overrides.items() if value is not None}
    try:
        settings = replace(settings, **own) if own else settings
    except SettingError as error:
        raise InvalidParameterError(str(error)) from None

    compared = [measures.by_name[name] for name in drops]
    rule = "hard_drop needs max_drop=: without it nothing is compared"
    _need(given("hard_drop") is None or bool(drops), rule)
    usual = settings.hard_drop or math.inf
    hard_drop = {str(own): usual if own.metric.upper == 1 else math.inf for own in compared}
    hard_drop |= measures.limits(given("hard_drop"), "hard_drop", tuple(drops))
    for name in hard_drop:
        _need(name in drops, f"hard_drop names {name}, which has no max_drop")
    slice_drop, slice_hard = given("max_slice_drop"), given("slice_hard_drop")
    if isinstance(slice_drop, Mapping):
        labels = _mapping(slice_drop, "max_slice_drop", "", "slice")
        slice_drop = {
            str(label): _limit(value, "max_slice_drop", compared) for label, value in labels.items()
        }
    elif slice_drop is not None:
        slice_drop = _limit(slice_drop, "max_slice_drop", compared)
    policy = Policy(
        measures=(),
        at_least=least,
        at_most=most,
        max_drop=drops,
        hard_drop=hard_drop,
        slices=SlicePolicy(
            slices=given("slices"),
            max_drop=slice_drop,
            hard_drop=_limit(slice_hard or 0, "slice_hard_drop", compared),
            at_least=of_slices("slice_at_least"),
            at_most=of_slices("slice_at_most"),
        ),
        settings=settings,
        per_query_at_least=measures.limits(given("per_query_at_least"), "per_query_at_least"),
        per_query_at_most=measures.limits(given("per_query_at_most"), "per_query_at_most"),
        max_regressed_queries=check_count(given("max_regressed_queries"), "max_regressed_queries"),
        required=_check_queries(given("required_queries"), "required_queries"),
        forbidden=_check_queries(given("forbidden_queries"), "forbidden_queries") or (),
    )
    _check_whole(policy, has_slice_hard=slice_hard is not None)
    for measure in elsewhere:
        measures.add(measure)
    return replace(policy, measures=tuple(measures.by_name.values()))


def _check_whole(policy: Policy, *, has_slice_hard: bool) -> None:
    """InvalidParameterError for limits that need others."""
    slices, settings = policy.slices, policy.settings
    has_drop, has_slice_drop = bool(policy.max_drop), slices.max_drop is not None
    sliced = bool(has_slice_drop or slices.at_least or slices.at_most)
    needs_drop = has_slice_drop or policy.max_regressed_queries is not None
    _need(
        settings.pass_if != "proven" or settings.unjudged != "bounds" or not has_drop,
        "pass_if='proven' has no interval of the drop where unjudged='bounds'; pass "
        "pass_if='unless_worse', or unjudged='irrelevant' or 'condense'",
    )
    rule = "slice_hard_drop needs max_slice_drop=: without it no slice is judged"
    _need(has_slice_drop or not has_slice_hard, rule)
    _need(not sliced or slices.slices is not None, "limits of slices need slices=")
    rule = "max_slice_drop and max_regressed_queries need max_drop="
    _need(has_drop or not needs_drop, rule)
    rule = "the gate has no limit: pass at_least, at_most, max_drop or a limit of slices"
    _need(bool(policy.limited) or sliced, rule)


def check_drops_named(policy: Policy, measures: Any) -> None:
    """InvalidParameterError unless drops and measures are the same set."""
    named = {str(measure) for measure in parse_measures(measures)}
    for name in (*policy.max_drop, *named):
        missing = "measures" if name not in named else "max_drop"
        rule = "max_drop and measures name different measures"
        _need(name in named and name in policy.max_drop, f"{rule}: {name} is not in {missing}")


# Measures and their numbers ----------------------------------------------------------------------


class _Measures:
    """The measures that a gate names, each once and in order."""

    def __init__(self, given: Iterable[Measure]) -> None:
        self.by_name: dict[str, Measure] = {}
        self._given = {str(measure): measure for measure in given}

    def add(self, spec: str | Measure) -> Measure:
        """The measure of a spelling."""
        measure = self._given.get(str(spec)) or read_measure(spec)
        return self.by_name.setdefault(str(measure), measure)

    def limits(self, given: Any, name: str, named: Iterable[str] = ()) -> dict[str, float]:
        """{measure: number}, checked, by canonical names; one number is for all ``named``."""
        if named and given is not None and not isinstance(given, Mapping):
            seeing = (own for own in named if self.add(own).metric.name not in _BLIND)
            given = dict.fromkeys(seeing, given)
            if not given:
                return {}
        result: dict[str, float] = {}
        for spec, value in _mapping(given, name, "{measure: number}", "measure").items():
            measure = self.add(spec)
            _need(
                measure.metric.name not in _BLIND,
                f"{name} of {measure} limits nothing: it reads the judgements and no ranking; "
                "name it in metrics= to show it",
            )
            _need(str(measure) not in result, f"{name} names {measure} twice")
            result[str(measure)] = _limit(value, name, [measure], f"{name} of {measure}")
        return result


def _mapping(given: Any, name: str, shape: str, of: str) -> Mapping[Any, Any]:
    if given is None:
        return {}
    _need(isinstance(given, Mapping), f"{name} must be {shape}, got {safe_repr(given)}")
    _need(bool(given), f"{name} is empty; leave it out, or name at least one {of}")
    return given  # type: ignore[no-any-return]


def _limit(value: Any, name: str, measures: Sequence[Measure], where: str = "") -> float:
    """A limit of some measures, checked by the rule of the argument ``name``."""
    where = where or name
    if name.endswith("hard_drop") and isinstance(value, float) and value == math.inf:
        return math.inf
    number = _number(value, where)
    ranges = [(own.metric.lower, own.metric.upper) for own in measures] or [(0.0, math.inf)]
    uppers = [upper - lower for lower, upper in ranges]
    if name.endswith("hard_drop"):
        upper = max(uppers)
        _need(number >= 0, f"{where} must be at least 0, got {number!r}")
        rule = f"{where} must be below {upper:g}, or no drop exceeds it"
        _need(number < upper, f"{rule}; got {number!r} (0 switches it off)")
        return number or math.inf  # 0 means that there is none, as in the settings
    if name.endswith("drop"):
        upper, hint = min(uppers), "it says how much worse is allowed"
        if number >= upper:
            hint = "it is in units of the measure, 0.05 for 5 points of a hundred"
        rule = f"{where} must be in [0, {upper:g}), got {number!r}; {hint}"
        _need(0 <= number < upper, rule)
        return number
    # A threshold: from below where greater is better, and from above where less is.
    (measure,), ((lower, upper),) = measures, ranges
    greater = measure.metric.greater_is_better
    right, wrong = ("at_least", "at_most") if greater else ("at_most", "at_least")
    better = "greater" if greater else "less"
    rule = f"{better} is better for {measure}: limit it by {right}, not by {wrong}"
    _need(name.endswith(right), rule)
    if not greater:
        rule = f"{where} must be at least {lower:g}, which is its least value"
        _need(number >= lower, f"{rule}; got {number!r}")
        return number
    rule = f"{where} must be above {lower:g} by more than the tolerance of {SLACK:g}, or every"
    _need(number > lower + SLACK, f"{rule} value meets it; got {number!r}")
    hint = f"; for {number:g} % write {number / 100:g}" if 2 <= number <= 100 else ""
    rule = f"{where} must be at most {upper:g}, its greatest value"
    _need(number <= upper, f"{rule}; got {number!r}{hint}")
    return number


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

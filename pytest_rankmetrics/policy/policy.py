"""Limits of a gate, checked when it is defined: of the right kind, direction and size.

A limit that every value meets would let everything pass, and one that none meets was meant
otherwise: both are refused before anything is measured.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypedDict

from pytest_rankmetrics.policy.limits import (
    check_at_least,
    check_at_most,
    check_count,
    check_drop,
    check_hard_drop,
    check_queries,
    check_slice_drop,
    refuse_empty,
)
from pytest_rankmetrics.policy.settings import (
    Correction,
    SettingError,
    Settings,
    Test,
    UnjudgedPolicy,
)
from sklearn_rank.exceptions import InvalidParameterError
from sklearn_rank.measures.catalogue import Measure
from sklearn_rank.measures.grammar import measure as read_measure
from sklearn_rank.measures.grammar import parse_measures
from sklearn_rank.support.text import safe_repr

DEFAULT_METRICS = ("map", "ndcg@10")

_BLIND = ("idcg",)
"""Metrics that are the same for every ranking."""

Limits = Mapping[str, float]
"""A number for each measure, by canonical spelling."""


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


class MeasureList:
    """The measures that a gate names, each once and in order."""

    def __init__(self) -> None:
        self.by_name: dict[str, Measure] = {}

    def add(self, spec: str | Measure) -> Measure:
        """The measure of a spelling."""
        measure = read_measure(spec)
        return self.by_name.setdefault(str(measure), measure)

    def add_limited(self, spec: str | Measure, name: str) -> Measure:
        """The same of a measure with a limit, which has to depend on the ranking."""
        measure = self.add(spec)
        if measure.metric.name in _BLIND:
            msg = (
                f"{name} of {measure} limits nothing: it reads the judgements and no ranking; "
                "name it in metrics= to show it"
            )
            raise InvalidParameterError(msg)
        return measure

    def limits(self, given: Any, name: str, check: Any) -> dict[str, float]:
        """{measure: number} with canonical names and checked numbers."""
        if given is None:
            return {}
        if not isinstance(given, Mapping):
            msg = f"{name} must be {{measure: number}}, got {safe_repr(given)}"
            raise InvalidParameterError(msg)
        refuse_empty(given, name, "measure")
        result: dict[str, float] = {}
        for spec, value in given.items():
            measure = self.add_limited(spec, name)
            if str(measure) in result:
                msg = f"{name} names {measure} twice"
                raise InvalidParameterError(msg)
            result[str(measure)] = check(value, measure)
        return result


def read_drops(given: Any, measures: MeasureList, extra: Collection[str]) -> dict[str, float]:
    """Allowed drops: {measure: number}, or one number for the ``extra`` measures."""
    if given is None:
        return {}
    if isinstance(given, Mapping):
        return measures.limits(given, "max_drop", check_drop)
    named = [measures.add(name) for name in (extra or DEFAULT_METRICS)]
    return {
        str(measure): check_drop(given, measure)
        for measure in named
        if measure.metric.name not in _BLIND
    }


def read_hard_drops(
    given: Any, measures: MeasureList, drops: Iterable[str], default: float
) -> dict[str, float]:
    """Drops that are never excused, for each measure that has an allowed drop."""
    bounded = {name: measures.by_name[name].metric.upper == 1 for name in drops}
    if given is not None and not bounded:
        msg = "hard_drop needs max_drop=: without it nothing is compared"
        raise InvalidParameterError(msg)
    own: dict[str, float] = {}
    if isinstance(given, Mapping):
        own = measures.limits(
            given, "hard_drop", lambda value, measure: check_hard_drop(value, [measure])
        )
        unknown = [name for name in own if name not in bounded]
        if unknown:
            msg = f"hard_drop names {unknown[0]}, which has no max_drop"
            raise InvalidParameterError(msg)
    elif given is not None:
        compared = [measures.by_name[name] for name in bounded]
        own = dict.fromkeys(bounded, check_hard_drop(given, compared))
    return {
        name: own.get(name, (default if is_bounded else 0) or math.inf)
        for name, is_bounded in bounded.items()
    }


def read_slice_limits(
    given: Any, measures: MeasureList, name: str, check: Any
) -> dict[str, Limits]:
    """{label: {measure: number}}."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        msg = f"{name} must be {{label: {{measure: number}}}}, got {safe_repr(given)}"
        raise InvalidParameterError(msg)
    refuse_empty(given, name, "slice")
    return {str(label): measures.limits(limits, name, check) for label, limits in given.items()}


def read_slice_drop(given: Any, measures: Iterable[Measure]) -> float | dict[str, float] | None:
    """Allowed drop of slices: one number, or one for each label."""
    if given is None:
        return None
    upper = min((measure.metric.upper for measure in measures), default=math.inf)
    if isinstance(given, Mapping):
        refuse_empty(given, "max_slice_drop", "slice")
        return {str(label): check_slice_drop(value, upper) for label, value in given.items()}
    return check_slice_drop(given, upper)


class GateLimits(TypedDict, total=False):
    """What a gate may ask for, and the settings that it may override."""

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
    confirm: bool | None
    alpha: float | None
    slice_alpha: float | None
    test: Test | None
    correction: Correction | None
    min_queries: int | None
    min_slice_size: int | None
    unjudged: UnjudgedPolicy | None
    """What unjudged items count: "irrelevant", left out ("condense"), or anything ("bounds")."""
    max_new_unjudged: float | None


OVERRIDES = (
    "alpha",
    "slice_alpha",
    "confirm",
    "min_queries",
    "min_slice_size",
    "correction",
    "test",
    "unjudged",
    "max_new_unjudged",
)
"""Settings that a gate may override."""


def read_policy(settings: Settings, limits: GateLimits) -> Policy:
    """A checked policy; InvalidParameterError if it limits nothing, or asks for the impossible."""
    given = limits.get
    measures, metrics = MeasureList(), limits.get("metrics", ())
    for spec in (metrics,) if isinstance(metrics, (str, Measure)) else metrics:
        measures.add(spec)
    least = measures.limits(given("at_least"), "at_least", check_at_least)
    most = measures.limits(given("at_most"), "at_most", check_at_most)
    drops = read_drops(given("max_drop"), measures, tuple(measures.by_name))
    settings = _overridden(settings, {name: given(name) for name in OVERRIDES})
    policy = Policy(
        measures=(),
        at_least=least,
        at_most=most,
        max_drop=drops,
        hard_drop=read_hard_drops(given("hard_drop"), measures, drops, settings.hard_drop),
        slices=_slice_policy(limits, measures, drops),
        settings=settings,
        per_query_at_least=measures.limits(
            given("per_query_at_least"), "per_query_at_least", check_at_least
        ),
        per_query_at_most=measures.limits(
            given("per_query_at_most"), "per_query_at_most", check_at_most
        ),
        max_regressed_queries=check_count(given("max_regressed_queries"), "max_regressed_queries"),
        required=check_queries(given("required_queries"), "required_queries"),
        forbidden=check_queries(given("forbidden_queries"), "forbidden_queries") or (),
    )
    _check_whole(policy)
    return replace(policy, measures=tuple(measures.by_name.values()))


def _slice_policy(
    limits: GateLimits, measures: MeasureList, drops: Mapping[str, float]
) -> SlicePolicy:
    given = limits.get
    compared = [measures.by_name[name] for name in drops]
    hard = given("slice_hard_drop")
    max_drop = read_slice_drop(given("max_slice_drop"), compared)
    if hard is not None and max_drop is None:
        msg = "slice_hard_drop needs max_slice_drop=: without it no slice is judged"
        raise InvalidParameterError(msg)
    return SlicePolicy(
        slices=given("slices"),
        max_drop=max_drop,
        hard_drop=math.inf if hard is None else check_hard_drop(hard, compared, "slice_hard_drop"),
        at_least=read_slice_limits(
            given("slice_at_least"), measures, "slice_at_least", check_at_least
        ),
        at_most=read_slice_limits(given("slice_at_most"), measures, "slice_at_most", check_at_most),
    )


def check_drops_named(policy: Policy, measures: Any) -> None:
    """InvalidParameterError unless drops and measures are the same set."""
    named = {str(measure) for measure in parse_measures(measures)}
    for name in (*policy.max_drop, *named):
        if name not in named or name not in policy.max_drop:
            missing = "measures" if name not in named else "max_drop"
            msg = f"max_drop and measures name different measures: {name} is not in {missing}"
            raise InvalidParameterError(msg)


def _overridden(settings: Settings, overrides: Mapping[str, Any]) -> Settings:
    given = {name: value for name, value in overrides.items() if value is not None}
    if not given:
        return settings  # they were checked when they were made
    try:
        return replace(settings, **given)
    except SettingError as error:
        raise InvalidParameterError(str(error)) from None


def _check_whole(policy: Policy) -> None:
    """InvalidParameterError for limits that have nothing to apply to."""
    slices = policy.slices
    sliced = slices.max_drop is not None or slices.at_least or slices.at_most
    if sliced and slices.slices is None:
        msg = "limits of slices need slices="
        raise InvalidParameterError(msg)
    needs_drop = slices.max_drop is not None or policy.max_regressed_queries is not None
    if needs_drop and not policy.compares:
        msg = "max_slice_drop and max_regressed_queries need max_drop="
        raise InvalidParameterError(msg)
    limited = (
        policy.at_least
        or policy.at_most
        or policy.compares
        or sliced
        or policy.per_query_at_least
        or policy.per_query_at_most
    )
    if not limited:
        msg = "the gate has no limit: pass at_least, at_most, max_drop or a limit of slices"
        raise InvalidParameterError(msg)

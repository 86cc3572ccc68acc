"""Names and limits of gates and settings of a project, checked before anything is measured.

A limit that every value meets would let everything pass, and a limit that no value meets must be a
mistake: both are refused.
"""

from __future__ import annotations

import contextlib
import math
import os
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from fnmatch import fnmatchcase
from functools import cache
from inspect import signature
from numbers import Real
from typing import TYPE_CHECKING, Any, Literal, NoReturn

from sklearn_rank.exceptions import InvalidParameterError
from sklearn_rank.support.constants import DEFAULT_MEASURES, SLACK
from sklearn_rank.support.text import hint, safe_repr

if TYPE_CHECKING:
    from sklearn_rank.measures.record import Measure

DEFAULT_DROP = 0.02
"""Allowed drop of gates that compare without naming one."""
HARD_DROP = 0.17
"""Drop of measures between 0 and 1 that is always red: the smallest, in steps of .01, with which
gates on one measure are red for at most 15 % of equal systems with 12 queries, 11 % with 25."""
ALLOWED = (
    "unjudged",
    "missed",
    "shared",
    "single_rows",
    "no_hits",
    "swapped",
    "missing",
    "undefined",
)
"""Words of ``allow``: data problems that a gate can accept."""
CI_VARIABLES = (
    "CI",
    "BUILD_NUMBER",
    "BUILDKITE",
    "CODEBUILD_BUILD_ID",
    "GITHUB_ACTIONS",
    "JENKINS_URL",
    "TEAMCITY_VERSION",
    "TF_BUILD",
)


def in_ci() -> bool:
    """Whether this runs in continuous integration, where writing a baseline fails the run."""
    return any(os.environ.get(name, "").lower() not in ("", "0", "false") for name in CI_VARIABLES)


# Names of gates, of their tests and of their files -----------------------------------------------

EXTENSION = ".rank.json"
DIRECTORY = "rank-baselines"
"""Directory of the command's baselines; pytest's are in the directory of the tests."""


def file_name(name: str) -> str:
    """The file of a baseline, named as pytest-regressions names files.

    Examples
    --------
    >>> file_name("test_bm25"), file_name("test_bm25[a/b]")
    ('test_bm25.rank.json', 'test_bm25_a_b_.rank.json')
    """
    return re.sub(r"\W", "_", name) + EXTENSION


def is_called(pattern: str, *names: str) -> bool:
    """Whether any of the names matches a pattern, whose brackets may be literal.

    Examples
    --------
    >>> is_called("*bm25*", "test_bm25"), is_called("test_bm25[a]", "test_bm25[a]")
    (True, True)
    """
    return any(name == pattern or fnmatchcase(name, pattern) for name in names)


def name_of(nodeid: str) -> str:
    """Name of a test within its module, the default name of its gate."""
    return nodeid.partition("::")[2].replace("::", ".") or nodeid


# Settings of a project ---------------------------------------------------------------------------


def _setting(default: Any, meaning: str, rule: str, holds: Callable[[Any], bool]) -> Any:
    return field(default=default, metadata={"meaning": meaning, "rule": rule, "holds": holds})


_SHARE: Any = ("a number in (0, 1)", lambda number: 0 < number < 1)


@dataclass(eq=False, repr=False)
class Settings:
    """Settings of all gates of a project: names, types, rules and defaults.

    In an ini file each is called ``rank_<name>``.
    """

    alpha: float = _setting(
        0.1, "level of the two-sided test over all queries; a drop is one of its sides", *_SHARE
    )
    slice_alpha: float = _setting(0.05, "level of the test over slices", *_SHARE)
    min_slice_size: int = _setting(
        10, "smaller slices are shown, not judged", "an int of at least 2", lambda n: n >= 2
    )
    hard_drop: float = _setting(
        HARD_DROP,
        "drop of a bounded measure that always fails; 0: none",
        "a number in [0, 1)",
        lambda number: 0 <= number < 1,
    )
    strict: bool = _setting(False, "same as --rank-strict", "a bool", lambda _: True)

    def __post_init__(self) -> None:
        for setting in fields(self):
            value, kind = getattr(self, setting.name), type(setting.default)
            kinds = (int, float) if kind is float else kind
            is_kind = isinstance(value, kinds) and isinstance(value, bool) is (kind is bool)
            holds = is_kind and setting.metadata["holds"](value)
            _need(holds, f"{setting.name} must be {setting.metadata['rule']}, got {value!r}")


# Arguments of a gate -----------------------------------------------------------------------------


ARGUMENTS = (
    "measures",
    "at_least",
    "at_most",
    "max_drop",
    "hard_drop",
    "totals",
    "slices",
    "max_slice_drop",
    "slice_at_least",
    "allow",
    "query_text",
    "item_text",
    "name",
)
"""Arguments of a gate, without its data and the reading options of ``evaluate``."""
LIMITS_ELSEWHERE = {
    **dict.fromkeys(
        ("min", "minimum", "min_score", "floor", "threshold", "thresholds", "fail_under"),
        "did you mean 'at_least'?",
    ),
    **dict.fromkeys(("max", "maximum", "max_score", "ceiling"), "did you mean 'at_most'?"),
    **dict.fromkeys(("at", "cutoff", "k"), "a measure names it, as in 'ndcg@10'"),
}
"""Names of limits in other tools, and here."""


@cache
def reading_options() -> tuple[str, ...]:
    """Options of ``evaluate`` that a gate passes on."""
    from sklearn_rank.evaluation.evaluate import evaluate

    not_passed_on = ("y_true", "y_score", "measures", "keep_items", "values")
    return (
        *(name for name in signature(evaluate).parameters if name not in not_passed_on),
        "values",
    )


class Share(float):
    """An allowed drop as a share of the baseline's value."""


def drop_of(limit: float, value: float) -> float:
    """An allowed drop from the baseline's value."""
    return limit * abs(value) if isinstance(limit, Share) else limit


Numbers = Mapping[str, float]
"""A number for each measure, by canonical spelling."""


@dataclass(eq=False, repr=False)
class Limits:
    """Everything that a gate limits."""

    measures: tuple[Measure, ...] = ()
    at_least: Numbers = field(default_factory=dict)
    at_most: Numbers = field(default_factory=dict)
    max_drop: Numbers = field(default_factory=dict)
    hard_drop: Numbers = field(default_factory=dict)
    slices: Any = None
    max_slice_drop: float | None = None
    slice_at_least: Mapping[str, Numbers] = field(default_factory=dict)
    allow: Collection[str] = ()

    @property
    def limited(self) -> list[str]:
        """Measures that have a limit."""
        limits = (self.at_least, self.at_most, self.max_drop, *self.slice_at_least.values())
        return list(dict.fromkeys(name for numbers in limits for name in numbers))


Detail = Literal["", "rates", "page"]
"""Computed even if a gate passes: power and false alarms, or for a page also all queries."""


@dataclass(eq=False, repr=False)
class Arguments:
    """The arguments of a gate without its data, checked."""

    name: str
    limits: Limits
    settings: Settings
    reading: Mapping[str, Any] = field(default_factory=dict)
    """Options of ``evaluate``."""
    query_text: Any = None
    item_text: Any = None
    detail: Detail = ""


def read_arguments(
    arguments: Mapping[str, Any], settings: Settings, detail: Detail = ""
) -> Arguments:
    """Checked arguments; InvalidParameterError if nothing is limited, or no limit can be met."""
    from sklearn_rank.inputs.frames import values_of
    from sklearn_rank.measures.custom import given_measures

    reading = reading_options()
    _refuse_unknown(arguments, reading)
    options = {name: arguments[name] for name in reading if name in arguments}
    values = given_measures(values_of(options.get("values")), arguments.get("at_most") or ())
    if values:
        options["values"] = values
    name = arguments.get("name", "")
    if not isinstance(name, str):
        _refuse(f"name of a gate must be text, got {safe_repr(name)}")
    return Arguments(
        name.encode("utf-8", "backslashreplace").decode(),
        _read_limits(arguments, values, settings),
        settings,
        options,
        arguments.get("query_text"),
        arguments.get("item_text"),
        detail,
    )


def _refuse_unknown(arguments: Mapping[str, Any], reading: Sequence[str]) -> None:
    accepted = (*ARGUMENTS, *reading)
    for name in arguments:
        if name not in accepted:
            words = (
                f"; limits are {', '.join(ARGUMENTS[1:4])} and others; "
                "pass other measures as measures="
            )
            meant = hint(name, accepted, LIMITS_ELSEWHERE) or words
            msg = f"unexpected keyword argument {name!r}{meant}"
            raise TypeError(msg)


def _read_limits(
    arguments: Mapping[str, Any], values: Iterable[Measure], settings: Settings
) -> Limits:
    from sklearn_rank.measures.custom import total_measures
    from sklearn_rank.measures.record import Measure

    given = arguments.get
    totals = total_measures(given("totals"), given("at_least") or ())
    measures = _Measures([*values, *totals])
    named = given("measures") or ()
    rule = f"measures are a str, a Measure or a sequence of them, got {safe_repr(named)}"
    is_read = isinstance(named, (Iterable, Measure)) and not isinstance(named, Mapping)
    as_in = f"at_least={safe_repr(named)}" if isinstance(named, Mapping) else "max_drop=0.02"
    _need(is_read, f"{rule}; limits are named, as in {as_in}")
    for spec in (named,) if isinstance(named, (str, Measure)) else named:
        measures.add(spec)
    least, most = (measures.limits(given(name), name) for name in ("at_least", "at_most"))
    drops = measures.limits(
        given("max_drop"), "max_drop", tuple(measures.by_name) or DEFAULT_MEASURES
    )
    compared, slice_drop = [measures.by_name[name] for name in drops], given("max_slice_drop")
    if slice_drop is not None:
        slice_drop = _limit(slice_drop, "max_slice_drop", compared)
    of_slices = given("slice_at_least")
    of_slices = _mapping(of_slices, "slice_at_least", "{label: {measure: number}}", "slice")
    limits = Limits(
        at_least=least,
        at_most=most,
        max_drop=drops,
        hard_drop=_hard_drops(given("hard_drop"), drops, measures, settings),
        slices=given("slices"),
        max_slice_drop=slice_drop,
        slice_at_least={
            str(label): measures.limits(thresholds, "slice_at_least")
            for label, thresholds in of_slices.items()
        },
        allow=_words(given("allow", ())),
    )
    pooled = next(
        (measure for measure in compared if measure.is_pooled and not measure.metric.is_total), None
    )
    rule = f"max_slice_drop compares queries, but {pooled} ranks all queries together"
    _need(slice_drop is None or pooled is None, f"{rule}; give it a separate gate")
    sliced = (limits.max_slice_drop is not None) or bool(limits.slice_at_least)
    _need(not sliced or limits.slices is not None, "slice limits need slices=")
    _need(bool(drops) or limits.max_slice_drop is None, "max_slice_drop needs max_drop=")
    rule = "the gate has no limit: pass at_least, at_most, max_drop or a slice limit"
    _need(bool(limits.limited) or sliced, rule)
    for measure in measures.elsewhere.values():
        measures.add(measure)
    limits.measures = tuple(measures.by_name.values())
    return limits


def _hard_drops(
    given: Any, drops: Numbers, measures: _Measures, settings: Settings
) -> dict[str, float]:
    """The drop of each compared measure that is always red; infinity if there is none."""
    _need(given is None or bool(drops), "hard_drop needs max_drop=: without it nothing is compared")
    usual = settings.hard_drop or math.inf
    result = {
        name: max(usual, drop) if measures.by_name[name].metric.upper == 1 else math.inf
        for name, drop in drops.items()
    }
    for name, hard in measures.limits(given, "hard_drop", tuple(drops)).items():
        _need(name in drops, f"hard_drop names {name}, which has no max_drop; give it one")
        rule = f"hard_drop of {name} is {hard:g}, below its max_drop {drops[name]:g}"
        _need(hard >= drops[name], f"{rule}; raise it, or give each measure its own limit")
        result[name] = hard
    return result


# Measures and their numbers ----------------------------------------------------------------------


class _Measures:
    """The measures that a gate names, each once and in order."""

    def __init__(self, given: Iterable[Measure]) -> None:
        self.by_name: dict[str, Measure] = {}
        self.elsewhere = {str(measure): measure for measure in given}

    def add(self, spec: str | Measure) -> Measure:
        """The measure of a spelling."""
        from sklearn_rank.measures.grammar import measure as read_measure

        known = self.by_name.get(str(spec)) or self.elsewhere.get(str(spec))
        measure = known or read_measure(spec)
        return self.by_name.setdefault(str(measure), measure)

    def limits(self, given: Any, name: str, named: Iterable[str] = ()) -> dict[str, float]:
        """{measure: number}, checked, by canonical names; one number is for all ``named``."""
        if named and given is not None and not isinstance(given, Mapping):
            given = dict.fromkeys(named, given)
        result: dict[str, float] = {}
        for spec, value in _mapping(given, name, "{measure: number}", "measure").items():
            measure = self.add(spec)
            rule = f"{name} of {measure} has no effect: the measure does not depend on the ranking"
            _need(measure.metric.name != "idcg", rule)
            _need(str(measure) not in result, f"{name} names {measure} twice; keep one limit")
            result[str(measure)] = _limit(value, name, [measure], f"{name} of {measure}")
        return result


def _mapping(given: Any, name: str, shape: str, of: str) -> Mapping[Any, Any]:
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        _refuse(f"{name} must be {shape}, got {safe_repr(given)}")
    _need(bool(given), f"{name} is empty; leave it out, or name at least one {of}")
    return given


def _limit(value: Any, name: str, measures: Sequence[Measure], where: str = "") -> float:
    """A limit of some measures, checked by the rule of the argument ``name``."""
    where = where or name
    if name == "hard_drop" and isinstance(value, float) and value == math.inf:
        return math.inf
    is_share = name == "max_drop" and isinstance(value, str) and value.endswith("%")
    if is_share:
        with contextlib.suppress(ValueError):
            value = float(value[:-1]) / 100
    number = _number(value, where)
    ranges = [(measure.metric.lower, measure.metric.upper) for measure in measures] or [
        (0.0, math.inf)
    ]
    if is_share:
        _need(0 <= number < 1, f"{where} must be in [0%, 100%), got {100 * number:g}%")
        return Share(number)
    if name.endswith("drop"):
        upper = (max if name == "hard_drop" else min)(high - low for low, high in ranges)
        hint = "pass math.inf to switch it off"
        if name != "hard_drop":
            hint = "it is the allowed loss"
            if number >= upper:
                hint = "it is in units of the measure, such as 0.05 for 5 points out of 100"
        _need(0 <= number < upper, f"{where} must be in [0, {upper:g}), got {number!r}; {hint}")
        return number
    # A threshold: from below if higher is better, from above if lower is.
    (measure,), ((lower, upper),) = measures, ranges
    greater = measure.metric.greater_is_better
    right, wrong = ("at_least", "at_most") if greater else ("at_most", "at_least")
    better = "higher" if greater else "lower"
    rule = f"{better} is better for {measure}: limit it by {right}, not by {wrong}"
    _need(name.endswith(right), rule)
    if not greater:
        rule = f"{where} must be at least {lower:g}, which is its minimum"
        _need(number >= lower, f"{rule}; got {number!r}")
        return number
    rule = f"{where} must be above {lower:g} by more than the tolerance of {SLACK:g}, or every"
    _need(number > lower + SLACK, f"{rule} value meets it; got {number!r}")
    hint = f"; for {number:g} % write {number / 100:g}" if 2 <= number <= 100 else ""
    rule = f"{where} must be at most {upper:g}, which is its maximum"
    _need(number <= upper, f"{rule}; got {number!r}{hint}")
    return number


def _words(allow: Any) -> Collection[str]:
    if not isinstance(allow, Collection) or isinstance(allow, str):
        _refuse(f"allow must be a collection of words, got {safe_repr(allow)}")
    for word in allow:
        if word not in ALLOWED:
            there_are = f"known words are {', '.join(ALLOWED)}"
            _refuse(f"allow has the unknown word {safe_repr(word)}; {there_are}")
    return allow


def _number(value: Any, name: str) -> float:
    """A finite float from any real number; bool and text are refused."""
    if hasattr(value, "dtype") and getattr(value, "ndim", 0) == 0 and hasattr(value, "item"):
        value = value.item()
    if not isinstance(value, Real) or isinstance(value, bool):
        _refuse(f"{name} must be a number, got {type(value).__name__}: {safe_repr(value)}")
    with contextlib.suppress(OverflowError):
        if math.isfinite(value):
            return float(value)
    return _refuse(f"{name} must be finite, got {safe_repr(value)}")


def _need(holds: bool, rule: str) -> None:
    """InvalidParameterError unless something holds."""
    if not holds:
        _refuse(rule)


def _refuse(rule: str) -> NoReturn:
    raise InvalidParameterError(rule)

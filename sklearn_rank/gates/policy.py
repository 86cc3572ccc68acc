"""Policy of a gate, checked before anything is measured: settings, limits, how the data is read.

A limit that every value meets would let everything pass, and one that none meets was meant
otherwise: both are refused.
"""

from __future__ import annotations

import contextlib
import math
import operator
import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from numbers import Real
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypedDict, cast, get_args

from sklearn_rank.exceptions import InvalidParameterError
from sklearn_rank.support.text import closest, safe_repr

if TYPE_CHECKING:
    from sklearn_rank.inputs.roles import SideColumns
    from sklearn_rank.measures.record import Measure
    from sklearn_rank.typing import Missing, StringProvider, Ties, ZeroDivision

Ratchet = Literal["notice", "require", "off"]
PassIf = Literal["unless_worse", "proven"]
CannotTell = Literal["ci", "fail", "warn"]
UnjudgedPolicy = Literal["irrelevant", "condense", "bounds"]
Store = Literal["ranks", "values"]
Detail = Literal["", "rates", "page"]
Allowed: TypeAlias = Literal[
    "unjudged",
    "missed",
    "shared",
    "single_rows",
    "no_hits",
    "swapped",
    "undefined",
    "cannot_tell",
    "truncated",
    "unretrieved",
    "perfect",
]

SLACK = 1e-9
"""Rounding of a mean of floats: a value this close to its limit meets it."""
DEFAULT_METRICS = ("map", "ndcg@10")
DEFAULT_DROP = 0.02
"""Allowed drop of gates that compare and name none: what some sixty queries can see."""
HARD_DROP = 0.17
"""Drop of measures between 0 and 1 that is always red. It is the smallest, in steps of .01, with
which gates of one measure are red for at most 15 % of equal systems of 12 queries, and 11 % from 25
queries on: at .15 two of 12 hits lost are red, and 15.5 % of equal systems."""
_BLIND = ("idcg",)
"""Metrics that are the same for every ranking."""


class Share(float):
    """An allowed drop as a share of the old value."""

    def of(self, value: float) -> float:
        """The drop."""
        return self * abs(value)


def drop_of(limit: float, value: float) -> float:
    """An allowed drop from an old value."""
    return limit.of(value) if isinstance(limit, Share) else limit


Limits = Mapping[str, float]
"""A number for each measure, by canonical spelling."""


def in_ci() -> bool:
    """Whether this runs in continuous integration, where nothing that writes may end green."""
    return os.environ.get("CI", "").lower() not in ("", "0", "false")


# Settings of a project ---------------------------------------------------------------------------


def _setting(default: Any, meaning: str) -> Any:
    return field(default=default, metadata={"meaning": meaning})


class SettingError(ValueError):
    """A setting has a value that its rule does not allow."""


@dataclass(frozen=True, eq=False, repr=False)
class Settings:
    """Settings of all gates of a project: names, types and defaults, stated here alone.

    In an ini file each is called ``rank_<name>``, and ``pass_if`` is ``rank_pass``.
    """

    alpha: float = _setting(0.05, "level of the test over all queries")
    # Low, so that slices add few false alarms to those of the test over all queries.
    slice_alpha: float = _setting(0.02, "level of the test over slices")
    min_slice_size: int = _setting(10, "smaller slices are shown, not judged")
    hard_drop: float = _setting(HARD_DROP, "drop of a bounded measure that is always red; 0: none")
    pass_if: PassIf = _setting(
        "unless_worse", "what passes: unless_worse, or only what is proven not to exceed max_drop"
    )
    worst_queries: int = _setting(5, "queries in the table of a failure")
    ratchet: Ratchet = _setting("notice", "an unrecorded improvement: notice, require or off")
    unjudged: UnjudgedPolicy = _setting(
        "irrelevant", "unjudged items: irrelevant, condense or bounds"
    )
    max_new_unjudged: float = _setting(
        0.05, "rise of the share of unjudged items on top that a headline need not name"
    )
    # Nobody reads the warnings of a green run in CI.
    cannot_tell: CannotTell = _setting(
        "ci", "a gate that cannot tell: ci (fails where CI is set), fail or warn"
    )
    store: Store = _setting("ranks", "what baselines hold: ranks, or values without ids of items")
    strict: bool = _setting(False, "as --rank-strict")

    def __post_init__(self) -> None:
        for name in ("alpha", "slice_alpha", *(("hard_drop",) if self.hard_drop != 0 else ())):
            self._need(name, "be a number in (0, 1)", float, lambda value: 0 < value < 1)
        self._need("max_new_unjudged", "be a number in [0, 1]", float, lambda own: 0 <= own <= 1)
        for name, low in {"min_slice_size": 2, "worst_queries": 0}.items():
            self._need(name, f"be an int of at least {low}", int, partial(operator.le, low))
        choices = {"pass_if": PassIf, "ratchet": Ratchet, "store": Store}
        choices |= {"unjudged": UnjudgedPolicy, "cannot_tell": CannotTell}
        for name, kind in choices.items():
            words = get_args(kind)
            self._need(name, f"be one of {', '.join(words)}", str, words.__contains__)
        self._need("strict", "be a bool", bool, lambda _: True)

    def _need(self, name: str, rule: str, kind: type, holds: Callable[[Any], bool]) -> None:
        """SettingError unless a value is of its kind and holds; a bool is no number."""
        value = getattr(self, name)
        kinds = (int, float) if kind is float else kind
        is_kind = isinstance(value, kinds) and isinstance(value, bool) is (kind is bool)
        if not is_kind or not holds(value):
            msg = f"{name} must {rule}, got {value!r}"
            raise SettingError(msg)


# Arguments of a gate -----------------------------------------------------------------------------


class ReadingArguments(TypedDict, total=False):
    """How the data of a gate is read: as by ``sklearn_rank.evaluate``, but strictly.

    Data that the library would leave out, silently or with a warning, is an error here unless the
    test says otherwise.
    """

    groups: Any
    """Query id of each row; for the rows layout."""
    columns: SideColumns
    """Columns of data frames by their role, where their names do not tell it."""
    query_ids: Sequence[Any]
    """Names of the queries; for the lists and matrix layouts, where a query is a position."""
    string_provider: StringProvider | None
    """Turns an item into the string by which items are compared."""
    relevance: Any
    """Scores of the items of ranked lists."""
    sample_weight: Any
    """Weight of each query."""
    clusters: Any
    """Queries that belong together, such as paraphrases: {query: label}, a function of the query
    id, or a column of a data frame. Tests and intervals go by cluster."""
    ties: Ties | None
    zero_division: ZeroDivision
    """Value of undefined queries; default "raise"."""
    missing: Missing
    """Value of judged queries without a ranking; default "raise"."""
    ignore_identical_ids: bool
    """Whether the item with the id of its query is left out of a ranking; default False."""
    values: Mapping[Any, Mapping[Any, float]] | None
    """Values measured elsewhere, such as a latency: {name or measure: {query: number}}. A number
    alone is of the whole run, such as a percentile of times: of its name less is better, unless
    ``at_least`` limits it, and a drop beyond ``max_drop`` is red without a test."""
    convention: str
    n_queries: int
    """Exact number of queries that have to be evaluated."""
    unjudged: UnjudgedPolicy | None
    """Unjudged items: "irrelevant", left out ("condense"), or of any grade ("bounds")."""
    allow: Collection[Allowed]
    """Faults that are no error in this gate: ranked queries that are "unjudged"; items of one
    shared ground truth that were "missed" by all queries or are "shared" by several; queries of
    "single_rows"; "no_hits" at all; arguments that look "swapped"; queries that found nothing, or
    had a value in the baseline, and are "undefined" now. And what needs no notice: rankings
    "truncated" before the cutoff, a measure that gets better when relevant items are
    "unretrieved", a "perfect" score, and unjudged items that decide ("cannot_tell")."""
    query_text: Mapping[Any, str] | Callable[[Any], str]
    """Text of a query, shown beside its id if a gate fails."""
    item_text: Mapping[Any, str] | Callable[[Any], str]
    """Title of an item, shown in the HTML report."""
    name: str
    """Name of the gate; default: that of the running test."""


class GateArguments(ReadingArguments, total=False):
    """Everything that a gate takes besides its data."""

    at_least: Any
    """{measure: number}, over all queries."""
    at_most: Any
    max_drop: Any
    """Allowed drop: {measure: number}, or one number; "2%" is a share of the old value."""
    hard_drop: Any
    """Drop that is always red: {measure: number}, or one number."""
    metrics: Any
    """Further measures, or one."""
    slices: Any
    """{query: label or labels}, {label: queries} or a function of the query id."""
    max_slice_drop: Any
    """Allowed drop of slices: one number, or {label: number}."""
    slice_at_least: Any
    """{label: {measure: number}}."""
    per_query_at_least: Any
    """{measure: number} for every single query."""
    max_regressed_queries: int | None
    pass_if: PassIf | None
    """"unless_worse", or "proven": the drop is shown to be at most ``max_drop``."""


# Names that one might know from elsewhere, or from before, and what to write.
_INSTEAD = {
    "confirm": "hard_drop equal to max_drop fails every drop beyond it",
    "min_queries": "one rule holds for every number of queries",
    "test": "gates use the paired t-test",
    "correction": "gates correct by Holm",
    **{name: f"set rank_{name} for the project" for name in ("alpha", "slice_alpha", "store")},
    "min_slice_size": "set rank_min_slice_size for the project",
    "max_new_unjudged": "set rank_max_new_unjudged for the project",
    "slice_hard_drop": "give a slice that is a contract a gate of its own",
    "slice_at_most": "give the slice a gate of its own, with at_most",
    "per_query_at_most": "max_regressed_queries, or at_most for all queries",
    "required_queries": "n_queries, or an assert over the ids",
    "forbidden_queries": "an assert over the ids",
    "candidates": "a masked y_score",
    "duplicates": "drop them before",
    "assume": "a ground truth of {item: grade} with a grade 0 names what is judged irrelevant",
}


def refuse_unknown(arguments: Mapping[str, Any], known: Iterable[str]) -> None:
    """TypeError for a keyword argument that a gate does not take."""
    known = list(known)
    unknown = next((name for name in arguments if name not in known), None)
    if unknown is not None:
        instead = _INSTEAD.get(unknown)
        hint = f": {instead}" if instead else closest(unknown, known)
        msg = f"unexpected keyword argument {unknown!r}{hint}"
        raise TypeError(msg)


# Policy ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Policy:
    """All limits of one gate, and how its data is read."""

    measures: tuple[Measure, ...]
    at_least: Limits
    at_most: Limits
    max_drop: Limits
    hard_drop: Limits
    slices: Any
    max_slice_drop: float | Mapping[str, float] | None
    slice_at_least: Mapping[str, Limits]
    per_query_at_least: Limits
    max_regressed: int | None
    settings: Settings
    reading: ReadingArguments
    name: str = ""
    detail: Detail = ""
    """Whether reports want power and false alarms of passing gates, and all queries as well."""
    is_command: bool = False
    """Whether limits and data were options of a command."""

    @property
    def limited(self) -> list[str]:
        """Measures that have a limit."""
        limits = [self.at_least, self.at_most, self.max_drop, self.per_query_at_least]
        limits += self.slice_at_least.values()
        return list(dict.fromkeys(name for own in limits for name in own))

    def allowed_of(self, label: str) -> float | None:
        """Allowed drop of a slice; None where it has none."""
        if isinstance(self.max_slice_drop, Mapping):
            return self.max_slice_drop.get(label)
        return self.max_slice_drop

    def recorded_limits(self) -> dict[str, float]:
        """Every limit by a name of its own, as baselines hold them."""
        tables: dict[str, Limits] = {
            "at_least": self.at_least,
            "at_most": self.at_most,
            "max_drop": self.max_drop,
            "hard_drop": self.hard_drop,
            "per_query_at_least": self.per_query_at_least,
        }
        for label, limits in self.slice_at_least.items():
            tables[f"slice_at_least {label}"] = limits
        if isinstance(self.max_slice_drop, Mapping):
            tables["max_slice_drop"] = self.max_slice_drop
        result = {
            f"{table} {name}{' (share)' * isinstance(limit, Share)}": float(limit)
            for table, limits in tables.items()
            for name, limit in limits.items()
            if math.isfinite(limit)
        }
        if isinstance(self.max_slice_drop, float):
            result["max_slice_drop"] = self.max_slice_drop
        if self.max_regressed is not None:
            result["max_regressed_queries"] = float(self.max_regressed)
        return result


def looser_limits(then: Limits, now: Limits) -> list[tuple[str, float, float | None]]:
    """Limits that are gone, or weaker than recorded: name, then, now."""
    found: list[tuple[str, float, float | None]] = []
    for name, limit in then.items():
        own = now.get(name)
        from_below = name.partition(" ")[0].endswith("at_least")
        if own is None or (own < limit - SLACK if from_below else own > limit + SLACK):
            found.append((name, limit, own))
    return found


def read_policy(arguments: Mapping[str, Any], settings: Settings) -> Policy:
    """A checked policy; InvalidParameterError if it limits nothing, or asks for the impossible."""
    from sklearn_rank.inputs.frames import values_of
    from sklearn_rank.measures.own import given_measures, total_measures
    from sklearn_rank.measures.record import Measure

    refuse_unknown(arguments, GateArguments.__annotations__)
    given = arguments.get
    values = values_of(given("values"))
    totals = total_measures(values, given("at_least") or ())
    if isinstance(values, Mapping):
        values = {key: own for key, own in values.items() if key not in totals}
        arguments = {**arguments, "values": values}
    elsewhere = [*given_measures(values), *totals.values()]
    measures, metrics = _Measures(elsewhere), given("metrics", ())
    for spec in (metrics,) if isinstance(metrics, (str, Measure)) else metrics:
        measures.add(spec)
    least, most = (measures.limits(given(name), name) for name in ("at_least", "at_most"))
    default = tuple(measures.by_name) or DEFAULT_METRICS
    drops = measures.limits(given("max_drop"), "max_drop", default)
    own: dict[str, Any] = {
        name: given(name) for name in ("pass_if", "unjudged") if given(name) is not None
    }
    try:
        settings = replace(settings, **own) if own else settings
    except SettingError as error:
        raise InvalidParameterError(str(error)) from None
    compared = [measures.by_name[name] for name in drops]
    slice_drop = given("max_slice_drop")
    if isinstance(slice_drop, Mapping):
        labels = _mapping(slice_drop, "max_slice_drop", "{label: number}", "slice")
        slice_drop = {
            str(label): _limit(value, "max_slice_drop", compared) for label, value in labels.items()
        }
    elif slice_drop is not None:
        slice_drop = _limit(slice_drop, "max_slice_drop", compared)
    of_slices = given("slice_at_least")
    of_slices = _mapping(of_slices, "slice_at_least", "{label: {measure: number}}", "slice")
    policy = Policy(
        measures=(),
        at_least=least,
        at_most=most,
        max_drop=drops,
        hard_drop=_hard_drops(given("hard_drop"), drops, measures, settings),
        slices=given("slices"),
        max_slice_drop=slice_drop,
        slice_at_least={
            str(label): measures.limits(own, "slice_at_least") for label, own in of_slices.items()
        },
        per_query_at_least=measures.limits(given("per_query_at_least"), "per_query_at_least"),
        max_regressed=check_count(given("max_regressed_queries"), "max_regressed_queries"),
        settings=settings,
        reading=cast(
            "ReadingArguments",
            {key: arguments[key] for key in ReadingArguments.__annotations__ if key in arguments},
        ),
        name=given("name") or "",
    )
    _check_whole(policy)
    for measure in measures.elsewhere.values():
        measures.add(measure)
    return replace(policy, measures=tuple(measures.by_name.values()))


def _hard_drops(
    given: Any, drops: Limits, measures: _Measures, settings: Settings
) -> dict[str, float]:
    """The drop of each compared measure that is always red; infinity where there is none."""
    _need(given is None or bool(drops), "hard_drop needs max_drop=: without it nothing is compared")
    usual, result = settings.hard_drop or math.inf, {}
    for name, drop in drops.items():
        bounded = measures.by_name[name].metric.upper == 1
        result[name] = max(usual, drop) if bounded else math.inf
    for name, hard in measures.limits(given, "hard_drop", tuple(drops)).items():
        _need(name in drops, f"hard_drop names {name}, which has no max_drop")
        rule = f"hard_drop of {name} is {hard:g}, below its max_drop {drops[name]:g}"
        _need(hard >= drops[name], f"{rule}, and would never count; lower max_drop instead")
        result[name] = hard
    return result


def _check_whole(policy: Policy) -> None:
    """InvalidParameterError for limits that need others."""
    settings, has_drop = policy.settings, bool(policy.max_drop)
    has_slice_drop = policy.max_slice_drop is not None
    sliced = has_slice_drop or bool(policy.slice_at_least)
    _need(
        settings.pass_if != "proven" or settings.unjudged != "bounds" or not has_drop,
        "pass_if='proven' has no interval of the drop where unjudged='bounds'; pass "
        "pass_if='unless_worse', or unjudged='irrelevant' or 'condense'",
    )
    _need(not sliced or policy.slices is not None, "limits of slices need slices=")
    needs_drop = has_slice_drop or policy.max_regressed is not None
    rule = "max_slice_drop and max_regressed_queries need max_drop="
    _need(has_drop or not needs_drop, rule)
    rule = "the gate has no limit: pass at_least, at_most, max_drop or a limit of slices"
    _need(bool(policy.limited) or sliced, rule)


# Measures and their numbers ----------------------------------------------------------------------


class _Measures:
    """The measures that a gate names, each once and in order."""

    def __init__(self, given: Iterable[Measure]) -> None:
        self.by_name: dict[str, Measure] = {}
        self.elsewhere = {str(measure): measure for measure in given}

    def add(self, spec: str | Measure) -> Measure:
        """The measure of a spelling."""
        from sklearn_rank.measures.grammar import measure as read_measure

        measure = self.elsewhere.get(str(spec)) or read_measure(spec)
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
    if name == "hard_drop" and isinstance(value, float) and value == math.inf:
        return math.inf
    is_share = name == "max_drop" and isinstance(value, str) and value.endswith("%")
    if is_share:
        with contextlib.suppress(ValueError):
            value = float(value[:-1]) / 100
    number = _number(value, where)
    ranges = [(own.metric.lower, own.metric.upper) for own in measures] or [(0.0, math.inf)]
    uppers = [upper - lower for lower, upper in ranges]
    if name == "hard_drop":
        rule = f"{where} must be in [0, {max(uppers):g}), or no drop exceeds it"
        _need(0 <= number < max(uppers), f"{rule}; got {number!r} (math.inf switches it off)")
        return number
    if is_share:
        _need(0 <= number < 1, f"{where} must be in [0%, 100%), got {100 * number:g}%")
        return Share(number)
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

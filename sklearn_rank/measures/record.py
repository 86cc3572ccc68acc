"""A metric, and a measure: a metric with its cutoff and parameters.

A record of a metric holds what neither a formula nor a docstring can carry: names, range,
direction, which parameters exist and which values they take. Everything else reads it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, ClassVar

from sklearn_rank.exceptions import InvalidParameterError
from sklearn_rank.kernels.expectation import ItemParts
from sklearn_rank.measures.parameters import ABOVE_0, Check, shown
from sklearn_rank.support.checks import check_cutoff, check_option
from sklearn_rank.support.text import WithHints, closest, safe_repr
from sklearn_rank.typing import FloatArray


@dataclass(frozen=True, eq=False, repr=False)
class Metric:
    """Record of one metric: its names, its formula, and what is special about it."""

    name: str
    """Canonical name, as in ``"ndcg@10"``."""
    symbol: str
    """Usual spelling in the field, such as ``"nDCG"``."""
    kernel: Callable[..., FloatArray]
    """Formula: judged rankings to one float64 per query; its keywords are the parameters."""
    summary: str
    reference: str
    """Source of the definition."""
    formula: str = ""
    """Value of one query with the default parameters, for the table of metrics."""
    aliases: tuple[str, ...] = ()
    """Other names that the parser reads."""
    upper: float = 1.0
    """Greatest possible value."""
    lower: float = 0.0
    """Least possible value."""
    greater_is_better: bool = True
    graded: bool = False
    """Whether grades matter beyond being above 0; a metric with members leaves it to them."""
    takes_k: bool = True
    checks: Mapping[str, Check] = field(default_factory=dict)
    """Parameters and what each may be."""
    averages: tuple[str, ...] = ("macro",)
    """Averages over queries, the default first."""
    parts: Callable[..., ItemParts] | None = None
    """Judged rankings to what each relevant item adds to the value; None if it is no such sum."""
    members: tuple[Measure, ...] = ()
    """Measures that the metric combines by default; empty if it combines none."""
    takes_ties: bool = True
    """Whether there is a formula for the expectation over all orders of tied items."""
    by_score: bool = False
    """Whether relevance scores, if given, decide the order."""
    counts_irrelevant: bool = False
    """Whether every irrelevant item of a ranking counts, even below the cutoff."""
    weights: Callable[..., FloatArray] | None = None
    """Judged rankings to one weight per query, where the average is not "macro"."""
    contributions: Callable[..., FloatArray] | None = None
    """Two rankings of a query to each item's part in the change, if that is more than a difference
    of ``parts``."""
    of_judgements: bool = False
    """Whether it measures only how much is judged; every convention allows it."""
    of_results: bool = False
    """Whether it counts queries with or without results; every convention allows it, and queries
    for which it is undefined are left out, regardless of ``zero_division``."""
    skips_unjudged: bool = False
    """Whether unjudged items are skipped instead of counted as irrelevant."""
    version: int = 1
    """Version of the definition: increased when values change, so that recorded values are not
    compared with values of another definition."""
    is_custom: bool = False
    """Whether it was made by :func:`sklearn_rank.measure_from`."""
    is_total: bool = False
    """Whether its one value for all queries was measured elsewhere."""
    is_given: bool = False
    """Whether its values were measured elsewhere: no ranking explains them."""

    def __hash__(self) -> int:
        return hash(self.name)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Metric) or self.name != other.name:
            return False
        # Kernels of the caller are equal if their functions and ranges are.
        mine = (self.kernel, self.greater_is_better)
        return not self.is_custom or mine == (other.kernel, other.greater_is_better)

    def __repr__(self) -> str:
        return f"<metric {self.name}>"

    @cached_property
    def defaults(self) -> dict[str, Any]:
        """Parameters and their defaults."""
        signature = inspect.signature(self.kernel).parameters.values()
        defaults = {item.name: item.default for item in signature if item.default is not item.empty}
        if len(self.averages) > 1:
            defaults["average"] = self.averages[0]
        if self.members:
            defaults = {"measures": self.members, **defaults}
        if not (self.graded or self.combines or self.of_judgements or self.of_results):
            defaults["min_rel"] = None
        return defaults

    @property
    def combines(self) -> bool:
        """Whether the metric combines other measures."""
        return bool(self.members)


@dataclass(frozen=True, repr=False)
class Measure(WithHints):
    """A metric with its cutoff and parameters, as an immutable value.

    Make one with :func:`sklearn_rank.measure` or by parsing, as in ``measure("ndcg@10")``.

    Attributes
    ----------
    metric, k, parameters : Metric, int or None, tuple of (str, object)
        The metric, its cutoff, and the parameters that differ from their default.
    given : frozenset of str
        Parameters that were set explicitly: conventions leave them alone.
    """

    metric: Metric
    k: int | None = None
    parameters: tuple[tuple[str, Any], ...] = ()
    given: frozenset[str] = field(default=frozenset(), compare=False, repr=False)
    _ELSEWHERE: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(
            ("calc", "calc_aggregate", "compute", "evaluate", "score"),
            "evaluate(y_true, y_score, measure) computes it",
        ),
        "cutoff": "k has it",
        "name": "str(measure) is it",
    }

    def __getstate__(self) -> dict[str, Any]:
        """Only the fields: derived values belong to the version that reads them."""
        return {item.name: getattr(self, item.name) for item in fields(self)}

    def __str__(self) -> str:
        return self._text

    @cached_property
    def _text(self) -> str:
        return self._spelled(dict(self.parameters))

    @property
    def title(self) -> str:
        """Spelling for display, such as "nDCG@10"."""
        return str(self).replace(self.metric.name, self.metric.symbol, 1)

    def in_full(self) -> str:
        """Spelling that also shows the parameters that were set to their default."""
        shown = [name for name in self.options if name in self.given | dict(self.parameters).keys()]
        return self._spelled({name: self.options[name] for name in shown})

    def _spelled(self, parameters: Mapping[str, Any]) -> str:
        inner = [shown(name, value) for name, value in parameters.items()]
        text = f"{self.metric.name}({','.join(inner)})" if inner else self.metric.name
        return text if self.k is None else f"{text}@{self.k}"

    def __repr__(self) -> str:
        return f"<measure {self}>"

    def __matmul__(self, k: int) -> Measure:
        """With a cutoff, as ir_measures spells it: ``measure("ndcg") @ 10``."""
        if self.k is not None:
            msg = f"k is set twice for {str(self)!r}"
            raise InvalidParameterError(msg)
        return replace(Measure.of(self.metric, k, **dict(self.parameters)), given=self.given)

    @classmethod
    def of(cls, metric: Metric, k: Any = None, **parameters: Any) -> Measure:
        """A checked measure; parameters equal to their default are left out."""
        owner, defaults = metric.name, metric.defaults
        if k is not None and not metric.takes_k:
            msg = f"{owner} reads the whole ranking and takes no cutoff, got k={safe_repr(k)}"
            raise InvalidParameterError(msg)
        k = check_cutoff(k, owner)
        for name in parameters:
            if name not in defaults:
                names = ", ".join(defaults) or "none"
                hint = closest(name, defaults)
                msg = f"{owner} has no parameter {safe_repr(name)}{hint}; it has: {names}"
                raise InvalidParameterError(msg)
        checked: dict[str, Any] = {}
        for name, value in parameters.items():
            if name == "average":
                checked[name] = check_option(value, name, metric.averages, owner)
            elif name == "min_rel":
                checked[name] = None if value is None else ABOVE_0(value, name, owner)
            else:
                if (owner, name, value) == ("precision", "denominator", "min"):
                    msg = (
                        "hits / min(R, k) is recall(denominator=min); the denominator of precision "
                        "is k or retrieved"
                    )
                    raise InvalidParameterError(msg)
                checked[name] = metric.checks[name](value, name, owner)
        members = checked.get("measures", metric.members)
        if len(members) != len(metric.members) or not all(
            isinstance(member, Measure) for member in members
        ):
            msg = f"{owner} combines two measures, got {len(members)}"
            raise InvalidParameterError(msg)
        for one in members:
            part = one.metric
            in_unit = (part.lower, part.upper) == (0.0, 1.0) and part.greater_is_better
            if not in_unit or one.is_pooled or part.is_given:
                msg = f"{owner} needs measures with values per query from 0 to 1 (best), got {one}"
                raise InvalidParameterError(msg)
        changed = tuple(
            (name, checked[name])
            for name in defaults
            if name in checked and checked[name] != defaults[name]
        )
        return cls(metric, k, changed, frozenset(parameters))

    def with_parameters(self, **parameters: Any) -> Measure:
        """The measure with these values for parameters that were not set explicitly."""
        changes = {
            name: value
            for name, value in parameters.items()
            if name in self.metric.defaults and name not in self.given
        }
        changed = Measure.of(self.metric, self.k, **{**dict(self.parameters), **changes})
        return replace(changed, given=self.given)

    def with_cutoff(self, k: int | None) -> Measure:
        """The measure with another cutoff."""
        return replace(Measure.of(self.metric, k, **dict(self.parameters)), given=self.given)

    def agrees_with(self, other: Measure) -> bool:
        """Whether the explicit parameters equal another measure's."""
        options, others = self.options, other.options
        members = zip(options.get("measures", ()), others.get("measures", ()), strict=False)
        return all(
            (mine.metric, mine.k) == (theirs.metric, theirs.k) and mine.agrees_with(theirs)
            for mine, theirs in members
        ) and all(options[name] == others.get(name) for name in self.given if name != "measures")

    @cached_property
    def options(self) -> Mapping[str, Any]:
        """All parameters of the metric with their values."""
        return MappingProxyType({**self.metric.defaults, **dict(self.parameters)})

    @cached_property
    def kernel_options(self) -> Mapping[str, Any]:
        """Parameters that the kernel takes as they are."""
        others = ("average", "min_rel")
        return {name: value for name, value in self.options.items() if name not in others}

    @cached_property
    def members(self) -> tuple[Measure, ...]:
        """Measures that are combined, with this one's cutoff unless they have one."""
        return tuple(
            member.with_cutoff(self.k) if member.k is None and member.metric.takes_k else member
            for member in self.options.get("measures", ())
        )

    @cached_property
    def parts(self) -> tuple[Measure, ...]:
        """The measure itself and all measures that it combines."""
        return (self, *(part for member in self.members for part in member.parts))

    @cached_property
    def depth(self) -> int | None:
        """Ranks to read; None: all of them."""
        if self.members:
            depths = [member.depth for member in self.members]
            return None if None in depths else max(filter(None, depths))
        # A grade without a gain is refused, retrieved or not.
        is_named = isinstance(self.options.get("gain", ""), str)
        return self.k if is_named and not self.metric.counts_irrelevant else None

    @property
    def forgets_unretrieved(self) -> bool:
        """Whether unretrieved relevant items are ignored, so that retrieving less may help."""
        by_hits = self.metric.name == "map" and self.options["denominator"] == "retrieved"
        return by_hits or self.options.get("unretrieved") == "ignore"

    @property
    def weigh(self) -> Callable[..., FloatArray] | None:
        """Function from judged rankings to query weights in the mean; None: equal weights."""
        return None if self.options.get("average", "macro") == "macro" else self.metric.weights

    @cached_property
    def is_pooled(self) -> bool:
        """Whether all queries are ranked together, without values per query."""
        metric = self.metric
        return metric.is_total or (metric.by_score and self.options.get("average") == "pooled")

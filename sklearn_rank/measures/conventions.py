"""Conventions of other programs.

A preset fills in arguments that the caller left out; explicit ones win. It reproduces the numbers
of its program, which docs/_presets.json records, or explains why not: a measure that the program
lacks, or computes in a way that no parameter expresses, is refused by name; data on which the two
differ, such as ties that a program leaves to chance, cause a warning.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from sklearn_rank.exceptions import InvalidParameterError, UnknownMeasureError
from sklearn_rank.measures.catalogue import Measure
from sklearn_rank.measures.presets import PRESETS
from sklearn_rank.support.text import closest, safe_repr


@dataclass(frozen=True)
class Convention:
    """Parameters that reproduce another program's numbers.

    Attributes
    ----------
    name : str
        As in ``convention="trec_eval"``.
    ties, zero_division, missing : str or float
        Defaults of :func:`evaluate` under this convention.
    negative_grades : {"raise", "unjudged", "irrelevant"}
        A grade below 0 is an error, means that the item is unjudged, or counts as 0.
    assume : {"complete", "partial"} or None
        Default of :func:`evaluate` under this convention.
    lowest : {"ranked", "masked"}
        In a matrix, ``-inf`` is an ordinary score, or marks an item that cannot be ranked.
    parameters : mapping of str to mapping
        Parameters of each metric, by its name.
    undefined : mapping of str to str or float
        ``zero_division`` of each metric for which it differs.
    measures : tuple of str or None
        Names of the available metrics; None allows all.
    refused : mapping of str to str
        Why a metric is not available; names with ``@`` apply only to cutoffs.
    differs : mapping of str to mapping
        How the program differs in ways that no parameter reproduces, by case, then by metric or
        ``"*"``; such data cause a warning. Cases are "tied" relevant items ("long": in long
        rankings; "close": equal as float32), "judged" items tied with unjudged ones, relevant items
        with "negative" scores or 0, an "empty" ranking, relevant items all "unfound", "none"
        relevant, grades "below" 0, "graded" items, and a ranking too "short" for the cutoff.
    cutoffs : mapping of str to int
        Cutoffs that the program uses for metrics without one.
    """

    name: str
    ties: str = "average"
    zero_division: str | float = "warn"
    missing: str = "zero"
    negative_grades: str = "raise"
    assume: str | None = None
    lowest: str = "ranked"
    parameters: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    undefined: Mapping[str, str | float] = field(default_factory=dict)
    measures: tuple[str, ...] | None = None
    refused: Mapping[str, str] = field(default_factory=dict)
    differs: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    cutoffs: Mapping[str, int] = field(default_factory=dict)

    def __hash__(self) -> int:
        return hash(self.name)

    def __reduce__(self) -> Any:
        # By name, so that a preset keeps its identity, and NaN in it with it.
        return find_convention, (self.name,)

    def apply(self, measure: Measure) -> Measure:
        """The measure, with the preset's values for parameters that are not set.

        Raises
        ------
        UnknownMeasureError
            If it is not offered under this convention.
        """
        if self.measures is None and not self.parameters and not self.refused:
            return measure
        metric = measure.metric
        if metric.of_judgements or metric.of_results or metric.is_custom:
            return measure
        self._check(measure)
        if metric.combines:
            members = tuple(self.apply(member) for member in measure.options["measures"])
            return replace(
                measure, parameters=tuple({**dict(measure.parameters), "measures": members}.items())
            )
        if measure.k is None and metric.name in self.cutoffs:
            measure = measure.with_cutoff(self.cutoffs[metric.name])
        own = self.parameters.get(metric.name, {}).items()
        changes = {name: value for name, value in own if measure.options.get(name) != value}
        return measure.with_parameters(**changes) if changes else measure

    def zero_division_of(self, measure: Measure) -> str | float:
        """Value of queries for which the measure is undefined."""
        if not self.undefined:
            return self.zero_division
        return self.undefined.get(measure.metric.name, self.zero_division)

    def differences(self, case: str, measures: Mapping[str, Measure]) -> str:
        """Differences of the program in a case, per measure; empty if there are none."""
        reasons: dict[str, list[str]] = {}
        reasons_of = self.differs.get(case, {})
        for name, measure in measures.items():
            reason = reasons_of.get(measure.metric.name, reasons_of.get("*"))
            if reason and not measure.metric.of_results:
                reasons.setdefault(reason, []).append(name)
        return "; ".join(f"{', '.join(names)}: {reason}" for reason, names in reasons.items())

    def _check(self, measure: Measure) -> None:
        name = measure.metric.name
        reason = self.refused.get(name)
        if reason is None and measure.k is not None:
            reason = self.refused.get(f"{name}@")
        if reason is None and self.measures is not None and name not in self.measures:
            reason = f"it has: {', '.join(self.measures)}"
        if reason is not None:
            msg = f"{measure} is not offered under convention {safe_repr(self.name)}: {reason}"
            raise UnknownMeasureError(msg)


CONVENTIONS: Mapping[str, Convention] = MappingProxyType(
    {name: Convention(name, **settings) for name, settings in PRESETS.items()}
)


def find_convention(name: str) -> Convention:
    """The preset with this name."""
    if not isinstance(name, str) or name not in CONVENTIONS:
        hint = closest(name, CONVENTIONS) if isinstance(name, str) else ""
        names = ", ".join(CONVENTIONS)
        msg = f"unknown convention {safe_repr(name)}{hint}; known conventions: {names}"
        raise InvalidParameterError(msg)
    return CONVENTIONS[name]

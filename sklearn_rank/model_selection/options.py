"""Options of scorers for estimators and data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from sklearn_rank.exceptions import InvalidParameterError
from sklearn_rank.measures.catalogue import Measure
from sklearn_rank.measures.conventions import Convention, find_convention
from sklearn_rank.measures.grammar import parse_measures
from sklearn_rank.rankings.ranking import check_ties
from sklearn_rank.support.checks import (
    check_flag,
    check_number,
    check_option,
    check_query_name,
    check_zero_division,
)
from sklearn_rank.support.text import closest, safe_repr
from sklearn_rank.typing import StringProvider, Ties, ZeroDivision

AUTO = ("decision_function", "predict_proba", "predict")
"""Methods that rank, the finest scores first: probabilities saturate, and labels tie."""


@dataclass(frozen=True, eq=False)
class ScorerOptions:
    """Options of scorers for estimators and data; see :meth:`RankingScorer.with_options`."""

    groups_from: str = "qid"
    response_method: str = "auto"
    one_query: bool = False
    pos_label: Any = None
    relevance: Mapping[Any, float] | None = None
    string_provider: StringProvider | None = None
    ties: Ties = "average"
    zero_division: ZeroDivision = "warn"
    convention: str = "default"
    """The program whose numbers are reproduced."""
    given: frozenset[str] | None = None
    """Names of the options that were set explicitly: conventions leave them alone."""

    def __post_init__(self) -> None:
        owner = "with_options"
        check_query_name(self.groups_from, "groups_from")
        if self.relevance is not None and not isinstance(self.relevance, Mapping):
            msg = f"relevance must be a mapping {{label: grade}}, got {safe_repr(self.relevance)}"
            raise InvalidParameterError(msg)
        if self.relevance is not None and self.pos_label is not None:
            msg = "pass pos_label or relevance, not both: each defines the relevant labels"
            raise InvalidParameterError(msg)
        grades = self.relevance and {
            label: check_number(grade, f"relevance[{safe_repr(label)}]", owner, at_least=0)
            for label, grade in self.relevance.items()
        }
        check_option(self.response_method, "response_method", ("auto", *AUTO), owner)
        check_flag(self.one_query, "one_query", owner)
        check_ties(self.ties, owner)
        find_convention(self.convention)
        object.__setattr__(self, "relevance", grades)
        object.__setattr__(self, "zero_division", check_zero_division(self.zero_division, owner))
        if self.given is None:
            object.__setattr__(self, "given", frozenset(self.changed()))

    @property
    def preset(self) -> Convention:
        """The record of the convention."""
        return find_convention(self.convention)

    def __eq__(self, other: object) -> bool:
        # A NaN differs from itself.
        return isinstance(other, ScorerOptions) and all(
            mine == theirs or (mine != mine and theirs != theirs)
            for mine, theirs in zip(self._values(), other._values(), strict=True)
        )

    def __hash__(self) -> int:
        return hash((self.groups_from, self.response_method, self.one_query, self.ties))

    def _values(self) -> list[object]:
        return [getattr(self, name) for name in _DEFAULTS]

    def changed(self) -> dict[str, object]:
        """Options that differ from their defaults."""
        pairs = zip(_DEFAULTS.items(), self._values(), strict=True)
        return {name: now for (name, usual), now in pairs if now is not usual and now != usual}


_DEFAULTS = {option.name: option.default for option in fields(ScorerOptions)}
del _DEFAULTS["given"]
OPTION_NAMES = tuple(name for name in _DEFAULTS if name != "convention")
"""Options shared with the display; only scorers have a convention."""


def with_changes(
    measure: Measure, options: ScorerOptions, changes: Mapping[str, Any], owner: str
) -> tuple[Measure, ScorerOptions]:
    """The measure and options with these changes, and otherwise those of the convention."""
    of_options = {name: value for name, value in changes.items() if name in OPTION_NAMES}
    convention = changes.get("convention", options.convention)
    preset = find_convention(convention)
    if options.convention != "default":
        measure = as_asked(measure)
    parameters = {name: value for name, value in changes.items() if name not in _DEFAULTS}
    names = (*measure.metric.defaults, "k", *_DEFAULTS)
    for name in parameters:
        if name not in names:
            msg = (
                f"{owner} has no option {safe_repr(name)}{closest(name, names)}; "
                f"its options are: {', '.join(names)}"
            )
            raise InvalidParameterError(msg)
    if "measures" in parameters:
        parameters["measures"] = parse_measures(parameters["measures"], distinct=False)
    k = parameters.pop("k", measure.k)
    changed = Measure.of(measure.metric, k, **{**dict(measure.parameters), **parameters})
    changed = replace(changed, given=measure.given | parameters.keys())
    changed = preset.apply(changed)
    given = (options.given or frozenset()) | of_options.keys()
    of_program = {"ties": preset.ties, "zero_division": preset.zero_division_of(changed)}
    of_options.update((name, value) for name, value in of_program.items() if name not in given)
    return changed, replace(options, **of_options, convention=convention, given=given)


def as_asked(measure: Measure) -> Measure:
    """The measure without the parameters of a convention."""
    asked = [pair for pair in measure.parameters if pair[0] in measure.given]
    return replace(measure, parameters=tuple(asked))

"""How a scorer reads estimators and data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from sklearn_rank.exceptions import InvalidParameterError
from sklearn_rank.measures.catalogue import Measure
from sklearn_rank.measures.conventions import Convention, find_convention
from sklearn_rank.measures.grammar import parse_members
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
    """How a scorer reads estimators and data; see :meth:`RankingScorer.with_options`."""

    groups_from: str = "qid"
    response_method: str = "auto"
    one_query: bool = False
    pos_label: Any = None
    relevance: Mapping[Any, float] | None = None
    string_provider: StringProvider | None = None
    ties: Ties = "average"
    zero_division: ZeroDivision = "warn"
    convention: str | Convention = "default"
    """The program that counts so."""
    given: frozenset[str] | None = None
    """Names of the options that were set explicitly: conventions leave them alone."""

    def __post_init__(self) -> None:
        owner = "with_options"
        check_query_name(self.groups_from, "groups_from")
        if self.relevance is not None:
            object.__setattr__(self, "relevance", self._read_relevance())
        check_option(self.response_method, "response_method", ("auto", *AUTO), owner)
        check_flag(self.one_query, "one_query", owner)
        check_ties(self.ties, owner)
        settled = check_zero_division(self.zero_division, owner)
        object.__setattr__(self, "zero_division", settled)
        find_convention(self.convention)
        if self.given is None:
            object.__setattr__(self, "given", frozenset(self.changed()))

    def _read_relevance(self) -> dict[Any, float]:
        """A checked copy of {label: grade}."""
        if not isinstance(self.relevance, Mapping):
            msg = f"relevance must be a mapping {{label: grade}}, got {safe_repr(self.relevance)}"
            raise InvalidParameterError(msg)
        if self.pos_label is not None:
            msg = "pass pos_label or relevance, not both: each says which labels are relevant"
            raise InvalidParameterError(msg)
        return {
            label: check_number(grade, f"relevance[{safe_repr(label)}]", "with_options", at_least=0)
            for label, grade in self.relevance.items()
        }

    @property
    def preset(self) -> Convention:
        """The record of the convention."""
        return find_convention(self.convention)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ScorerOptions) and self._values() == other._values()

    def __hash__(self) -> int:
        return hash((self.groups_from, self.response_method, self.one_query, self.ties))

    def _values(self) -> list[Any]:
        """All that decides a score; a NaN, which differs from itself, as a word."""
        values = [getattr(self, name) for name in (*OPTION_NAMES, "convention")]
        return ["nan" if isinstance(value, float) and value != value else value for value in values]

    def changed(self) -> dict[str, Any]:
        """Options that are not the default."""
        values = {name: getattr(self, name) for name in (*OPTION_NAMES, "convention")}
        return {
            name: value
            for name, value in values.items()
            if value is not _DEFAULTS[name] and value != _DEFAULTS[name]
        }


_DEFAULTS = {option.name: option.default for option in fields(ScorerOptions)}
OPTION_NAMES = tuple(name for name in _DEFAULTS if name not in ("convention", "given"))
"""What the display takes, too; a convention is for scorers alone."""


def with_changes(
    measure: Measure, options: ScorerOptions, changes: Mapping[str, Any], owner: str
) -> tuple[Measure, ScorerOptions]:
    """A measure and options with some of both changed, and the rest as its convention has it."""
    own = {name: value for name, value in changes.items() if name in OPTION_NAMES}
    convention = changes.get("convention", options.convention)
    parameters = {
        name: value
        for name, value in changes.items()
        if name not in OPTION_NAMES and name != "convention"
    }
    preset = find_convention(convention)
    asked = measure if options.convention == "default" else as_asked(measure)
    changed = preset.apply(_with_parameters(asked, parameters, owner)).complete()
    said = (options.given or frozenset()) | own.keys()
    of_program = {"ties": preset.ties, "zero_division": preset.zero_division_of(changed)}
    own.update((name, value) for name, value in of_program.items() if name not in said)
    return changed, replace(options, **own, convention=convention, given=frozenset(said))


def as_asked(measure: Measure) -> Measure:
    """The measure without what a convention filled in."""
    asked = [pair for pair in measure.parameters if pair[0] in measure.given]
    return replace(measure, parameters=tuple(asked))


def _with_parameters(measure: Measure, changes: Mapping[str, Any], owner: str) -> Measure:
    """The measure with another cutoff or other parameters."""
    metric, parameters = measure.metric, {**dict(measure.parameters), **changes}
    unknown = [name for name in changes if name != "k" and name not in metric.defaults]
    if unknown:
        known = (*metric.defaults, "k", *OPTION_NAMES, "convention")
        msg = (
            f"{owner} has no option {safe_repr(unknown[0])}{closest(unknown[0], known)}; "
            f"its options are: {', '.join(known)}"
        )
        raise InvalidParameterError(msg)
    k = parameters.pop("k", measure.k)
    if "measures" in changes:
        parameters["measures"] = parse_members(changes["measures"])
    given = measure.given | changes.keys() - {"k"}
    return replace(Measure.open(metric, k, **parameters), given=given)

"""How other programs count: presets that set parameters, and nothing else.

A preset fills in what the caller left open; explicit arguments win. Where a program's own order of
ties is arbitrary, the preset says ``"stable"``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from sklearn_rank.exceptions import InvalidParameterError
from sklearn_rank.measures.catalogue import Measure
from sklearn_rank.support.text import closest, safe_repr
from sklearn_rank.typing import FloatArray

__all__ = ["CONVENTIONS", "Convention", "find_convention"]


@dataclass(frozen=True)
class Convention:
    """Parameters that make the numbers those of another program."""

    name: str
    ties: str = "average"
    zero_division: str | float = "warn"
    missing: str = "zero"
    negative_grades: str = "raise"
    parameters: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Own parameters of each metric, by its name."""

    def apply(self, measure: Measure) -> Measure:
        """The measure with the parameters that it leaves open."""
        if measure.metric.combines:
            members = tuple(self.apply(member) for member in measure.options["measures"])
            return replace(
                measure, parameters=tuple({**dict(measure.parameters), "measures": members}.items())
            )
        return measure.with_parameters(**self.parameters.get(measure.metric.name, {}))


def _log2_from_rank_two(ranks: FloatArray) -> FloatArray:
    """LensKit's discount: ranks 1 and 2 weigh the same."""
    return np.log2(np.maximum(ranks, 2.0))


def _exp2_of_next(grades: FloatArray) -> FloatArray:
    """WarpRec's gain: 2^(grade + 1) - 1."""
    return np.exp2(grades + 1.0) - 1.0


def _gains(gain: Any, **others: Any) -> dict[str, dict[str, Any]]:
    return {name: {"gain": gain, **others} for name in ("dcg", "idcg", "ndcg")}


_BOOSTING = {
    "map": {"denominator": "min"},
    "precision": {"denominator": "retrieved"},
    **_gains("exp2"),
}
_SMOOTHED = {name: {"smoothing": 1} for name in ("auc", "gauc", "lauc")}

CONVENTIONS: Mapping[str, Convention] = MappingProxyType(
    {
        preset.name: preset
        for preset in (
            Convention("default"),
            Convention(
                "trec_eval",
                ties="docid",
                zero_division=0.0,
                missing="skip",
                negative_grades="unjudged",
                parameters={"map": {"denominator": "relevant"}, **_gains("linear")},
            ),
            Convention("sklearn", zero_division=0.0, parameters=_gains("linear")),
            Convention(
                "warprec",
                ties="stable",
                zero_division=np.nan,
                parameters={"map": {"denominator": "min"}, **_SMOOTHED, **_gains(_exp2_of_next)},
            ),
            Convention(
                "ardoco",
                ties="stable",
                zero_division=np.nan,
                parameters={
                    "map": {"denominator": "retrieved"},
                    "lag": {"average": "pooled", "unretrieved": "ignore"},
                    "auc": {"average": "pooled", "unretrieved": "ignore"},
                },
            ),
            Convention(
                "ptranking",
                ties="stable",
                zero_division="raise",
                parameters={"map": {"denominator": "min"}, **_gains("exp2")},
            ),
            Convention("xgboost", ties="stable", zero_division=1.0, parameters=_BOOSTING),
            Convention("lightgbm", ties="stable", zero_division=1.0, parameters=_BOOSTING),
            Convention(
                "recbole",
                ties="stable",
                zero_division=0.0,
                parameters={"map": {"denominator": "min"}, **_gains("binary")},
            ),
            Convention(
                "spark",
                ties="stable",
                zero_division=0.0,
                parameters={"map": {"denominator": "min"}, **_gains("binary")},
            ),
            Convention(
                "ranx",
                ties="stable",
                zero_division=0.0,
                missing="raise",
                parameters={"map": {"denominator": "relevant"}, **_gains("linear")},
            ),
            Convention(
                "lenskit",
                ties="stable",
                zero_division=np.nan,
                parameters={
                    "recall": {"denominator": "min"},
                    **_gains("linear", discount=_log2_from_rank_two),
                },
            ),
        )
    }
)


def find_convention(name: str | Convention) -> Convention:
    """The preset of that name."""
    if isinstance(name, Convention):
        return name
    if not isinstance(name, str) or name not in CONVENTIONS:
        hint = closest(name, CONVENTIONS) if isinstance(name, str) else ""
        known = ", ".join(CONVENTIONS)
        msg = f"unknown convention {safe_repr(name)}{hint}; known conventions: {known}"
        raise InvalidParameterError(msg)
    return CONVENTIONS[name]

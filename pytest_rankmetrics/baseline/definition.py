"""What the values of a measure depend on besides the data, in terms of JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from hashlib import sha256
from typing import Any

import numpy as np

from pytest_rankmetrics.baseline.keys import stable_key
from pytest_rankmetrics.measuring.evaluation import StrictEvaluation
from sklearn_rank.measures.catalogue import Measure
from sklearn_rank.measures.conventions import find_convention
from sklearn_rank.measures.parameters import ByQuery

_PROBES = (0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 7.0, 10.0, 20.0, 50.0, 100.0)
"""Grades, or ranks, at which a function of the caller is sampled, to recognize it."""


def definition_of(measure: Measure, measured: StrictEvaluation) -> dict[str, Any]:
    """All that the values of a measure depend on besides the data."""
    definition: dict[str, Any] = {"v": measure.metric.version}
    if measure.k is not None:
        definition["k"] = measure.k
    for name, value in measure.options.items():
        if value is not None:
            definition[name] = _plain_option(value)
    ties = measured.ties or find_convention(measured.convention).ties
    if ties != "average":
        definition["ties"] = ties
    if not isinstance(measured.zero_division, str) and not math.isnan(measured.zero_division):
        definition["zero_division"] = float(measured.zero_division)
    if measured.unjudged == "condense" and measured.is_partial:
        definition["unjudged"] = "condense"
    if measured.by_relevance and measure.metric.by_score:
        definition["relevance"] = True
    plain: dict[str, Any] = json.loads(json.dumps(definition))
    return plain


def _plain_option(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain_option(part) for part in value]
    if isinstance(value, ByQuery):
        pairs = sorted([stable_key(key, "queries"), float(number)] for key, number in value.numbers)
        return f"<{len(pairs)} queries {_digest(pairs)}>"
    if isinstance(value, Measure):
        functions = [_plain_option(option) for option in value.options.values() if callable(option)]
        return " ".join([str(value), *functions])
    return _function(value) if callable(value) else value


def _function(function: Callable[[Any], Any]) -> str:
    """A function by its name and samples: its bytecode differs between versions of Python."""
    name = getattr(function, "__name__", type(function).__name__)
    return f"<{name} {_digest([_probed(function, probe) for probe in _PROBES])}>"


def _probed(function: Callable[[Any], Any], probe: float) -> str:
    try:
        value = float(np.asarray(function(np.array([probe])), dtype=np.float64)[0])
    except Exception as error:
        return type(error).__name__
    # Logarithms differ in the last digits from one machine to another.
    return f"{value:.9g}"


def _digest(content: Any) -> str:
    return sha256(json.dumps(content).encode()).hexdigest()[:12]
